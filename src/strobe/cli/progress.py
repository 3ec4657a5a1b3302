"""How far a long job is: on stderr, and only once it has lasted two seconds; of code that is made, after one."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Timer
from types import TracebackType
from typing import TypeVar

from strobe.errors import harmless

PATIENCE = 2.0  # seconds before anything is said
PATIENCE_WITH_COMPILING = 1.0
PAUSE = {True: 0.1, False: 5.0}  # seconds between lines, on a terminal and elsewhere

SELDOM = 1024  # items between two looks at the clock

Item = TypeVar("Item")


class Progress:
    """A count that is shown as it grows, and wiped from a terminal at the end."""

    def __init__(self, job: str, total: int, unit: str) -> None:
        self.job, self.total, self.unit = job, total, unit
        self.done = 0
        self.remark = ""  # behind the count
        self._terminal = sys.stderr.isatty()
        self._next = time.monotonic() + PATIENCE
        self._timer = Timer(PATIENCE, self._show_apart)  # speaks up even if the first step takes long
        self._timer.daemon = True
        self._shown = False

    def __enter__(self) -> Progress:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        if self._shown and self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def advance(self, steps: int) -> None:
        self.done += steps
        if time.monotonic() >= self._next:
            self._timer.cancel()
            self._show()

    def begin(self, step: str) -> None:
        """The name of the step that is now at work, behind the steps done; the first has none before it."""
        before, self.remark = self.remark, f": {step}"
        self.advance(1 if before else 0)

    def _show_apart(self) -> None:
        """From a thread of its own, whose failures nobody would catch."""
        with suppress(OSError, ValueError):
            self._show()

    def _show(self) -> None:
        self._next = time.monotonic() + PAUSE[self._terminal]
        self._shown = True
        start, end = ("\r\x1b[K", "") if self._terminal else ("", "\n")
        text = f"{self.job}: {self.done:,} of {self.total:,} {self.unit}{self.remark}"
        print(f"{start}{harmless(text)}", end=end, file=sys.stderr, flush=True)


@contextmanager
def compiling(what: str) -> Iterator[None]:
    """Whoever waits for code that is made is told so, unless it is there at once."""
    start, end = ("\r\x1b[K", "") if sys.stderr.isatty() else ("", "\n")
    said: list[bool] = []

    def say() -> None:
        with suppress(OSError, ValueError):
            print(f"{start}compiling {harmless(what)}", end=end, file=sys.stderr, flush=True)
            said.append(True)

    timer = Timer(PATIENCE_WITH_COMPILING, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if said and start:
            print(start, end="", file=sys.stderr, flush=True)


def watched(items: Sequence[Item], job: str, unit: str) -> Iterator[Item]:
    """The items one by one, with progress told now and then."""
    with Progress(job, len(items), unit) as progress:
        for start in range(0, len(items), SELDOM):
            chunk = items[start : start + SELDOM]
            yield from chunk
            progress.advance(len(chunk))
