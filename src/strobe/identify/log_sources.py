"""What is read of a log, again and again: of one in memory once, of a stream anew each time, in constant memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from strobe.errors import ArgumentError
from strobe.identify.even_samples import Stretch
from strobe.identify.log_streams import LogStream
from strobe.identify.logs import Log
from strobe.identify.torque_rows import effort_of, stretches_of

Array = np.ndarray

LOOKS = 20_000  # rows in which the steps of an encoder are looked for
FEWEST = 20  # differences that tell
FAR = 1000  # steps: longer ways tell nothing of one
WHOLE = 0.02  # of a step: nearer, a difference is a multiple of it
MOSTLY = 0.99  # of the differences
FINEST = 1e-12  # of the largest position: below it, a step is rounding


@dataclass(eq=False)
class Source:
    """The stretches of a log in the band of a cut-off, with efforts as they are taken."""

    log: Log | LogStream
    gains: Any
    cutoff: float
    delay: Array | None = None
    half: int | None = None
    remarks: dict[str, None] = field(default_factory=dict)
    rows: int = 0

    def late(self, delay: Array) -> None:
        """Read efforts as recorded later than positions by so many seconds."""
        self.delay = delay
        self.__dict__.pop("_held", None)

    def say(self, remark: str) -> None:
        """Something of this log to be told."""
        self.remarks[f"{self.log.source}: {remark}"] = None

    @property
    def streams(self) -> bool:
        return isinstance(self.log, LogStream)

    def __iter__(self) -> Iterator[Stretch]:
        return iter(self._held) if not self.streams else self._read()

    @property
    def pieces(self) -> Iterable[Stretch]:
        """Its stretches, in a list where they are in memory."""
        return self if self.streams else self._held

    @cached_property
    def _held(self) -> list[Stretch]:
        return list(self._read())

    def _read(self) -> Iterator[Stretch]:
        self.rows, found = 0, False
        for part in self.log if isinstance(self.log, LogStream) else [self.log]:
            self.rows += len(part)
            try:
                pieces, said = stretches_of(
                    part, effort_of(part, self.gains), self.cutoff, self.half, self.delay
                )
            except ArgumentError as error:
                if not self.streams or not found:
                    raise
                said, pieces = [str(error)], []  # the last part of a stream may be too short
            found = True
            self.remarks |= dict.fromkeys([*part.remarks, *said] if self.streams else said)
            yield from pieces

    @cached_property
    def first(self) -> Log:
        """The log, or the first part of a stream."""
        return next(iter(self.log)) if isinstance(self.log, LogStream) else self.log

    @cached_property
    def rate(self) -> float:
        """Rows in a second, the usual one."""
        steps = np.diff(self.first.times) if self.first.times is not None else np.ones(1)
        return float(1 / np.median(steps[steps > 0])) if (steps > 0).any() else np.nan

    @cached_property
    def steps(self) -> Array:
        """(joints,): the steps in which positions come; 0 where none are seen."""
        return np.array([step_of(x) for x in self.first.q[:LOOKS].T])


def step_of(x: Array) -> float:
    """The step in which numbers of an encoder come; 0 where none is seen."""
    moved = np.abs(np.diff(x[np.isfinite(x)]))
    moved = moved[moved > FINEST * np.abs(x[np.isfinite(x)]).max(initial=1.0)]
    step = float(moved.min(initial=np.inf))
    near = moved[moved < FAR * step]
    if len(near) < FEWEST:
        return 0.0
    for _ in range(3):  # finer each time, as multiples are told from longer ways
        counts = np.round(near / step)
        step = float(near @ counts / (counts @ counts))
    times = near / step
    apart = np.abs(times - np.round(times))
    return step if (apart < WHOLE + times / (10 * FAR)).mean() > MOSTLY else 0.0
