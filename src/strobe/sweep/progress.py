"""How far a sweep is, how fast it goes, and how long it will take."""

from __future__ import annotations

from time import monotonic
from typing import NamedTuple


class Progress(NamedTuple):
    """What ``watch`` is told after each chunk."""

    chunks: int  # that are done
    chunks_in_all: int
    runs: int
    runs_in_all: int
    runs_per_second: float  # since the first chunk of this call
    seconds_left: float  # at that speed

    def __str__(self) -> str:
        return (
            f"{self.chunks:,} of {self.chunks_in_all:,} chunks, {self.runs_per_second:,.4g} runs/s, "
            f"{told_time(self.seconds_left)} left"
        )


class Timed:
    """The progress of chunks as they are done, from now on."""

    def __init__(self, chunks: int, chunks_in_all: int, runs: int, runs_in_all: int) -> None:
        self.chunks, self.chunks_in_all = chunks, chunks_in_all
        self.runs, self.runs_in_all = runs, runs_in_all
        self.since: tuple[float, int] | None = (
            None  # the first chunk also waits for workers and compilation
        )
        self.began = monotonic(), runs

    def after(self, runs: int) -> Progress:
        """The progress when one more chunk, of so many runs, is done."""
        self.chunks += 1
        self.runs += runs
        now = monotonic()
        start, before = self.since or self.began
        self.since = self.since or (now, self.runs)
        speed = (self.runs - before) / max(now - start, 1e-9)
        left = (self.runs_in_all - self.runs) / speed
        return Progress(self.chunks, self.chunks_in_all, self.runs, self.runs_in_all, speed, left)


def told_time(seconds: float) -> str:
    """A time as people say it."""
    for unit, length in (("days", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
