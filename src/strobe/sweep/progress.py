"""How far a sweep is, how fast it goes, and how long it will take."""

from __future__ import annotations

from math import isnan, nan
from time import monotonic
from typing import NamedTuple


class Progress(NamedTuple):
    """What ``watch`` is told after each chunk."""

    chunks: int  # that are done
    chunks_in_all: int
    runs: int
    runs_in_all: int
    runs_per_second: float  # since the first chunk of this call; NaN until there is a second one
    seconds_left: float  # at that speed

    def __str__(self) -> str:
        done = f"{self.chunks:,} of {self.chunks_in_all:,} chunks"
        if isnan(self.runs_per_second):
            return done
        return f"{done}, {self.runs_per_second:,.4g} runs/s, {told_time(self.seconds_left)} left"


class Timed:
    """The progress of chunks as they are done, from now on."""

    def __init__(self, chunks: int, chunks_in_all: int, runs: int, runs_in_all: int) -> None:
        self.chunks, self.chunks_in_all = chunks, chunks_in_all
        self.runs, self.runs_in_all = runs, runs_in_all
        # when the first chunk was done: it waits for compilation
        self.since: tuple[float, int] | None = None

    def after(self, runs: int) -> Progress:
        """The progress when one more chunk, of so many runs, is done."""
        self.chunks += 1
        self.runs += runs
        speed = self._speed()
        left = (self.runs_in_all - self.runs) / speed
        return Progress(self.chunks, self.chunks_in_all, self.runs, self.runs_in_all, speed, left)

    def _speed(self) -> float:
        now = monotonic()
        if self.since is None:
            self.since = now, self.runs
            return nan
        start, before = self.since
        return (self.runs - before) / max(now - start, 1e-9)


def told_time(seconds: float) -> str:
    """A time as people say it."""
    for unit, length in (("days", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
