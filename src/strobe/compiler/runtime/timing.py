"""How long things take: several ways to do the same work, interleaved, on inputs that change between calls.

A time is the best of many rounds within one process, because whatever else the machine does only adds to it.
Identical code still differs between processes (by up to 40 % where they were compared, with the placement of
memory and code), so a figure to quote is a median over processes; ratios of ways that were timed together
come first, nanoseconds second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, cycle, islice
from typing import Any

BATCH = 4096  # states in a batch
# seconds that a round of calls lasts: neither the clock nor caches left cold by the others count
ROUND = 1e-2
ROUNDS = 5  # at least, however long they take
WARM = 3  # calls until nothing is compiled any more
SINGLES = 64  # states that single calls take in turn

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Way:
    """A function to time and the arguments that its calls take in turn."""

    function: Callable[..., object]
    arguments: Sequence[Arguments] = ((),)


def best_times(ways: Mapping[str, Way], seconds: float = 1.0, each: float = ROUND) -> dict[str, float]:
    """Seconds per call of each way: the best of interleaved rounds, a few at least, within a time budget.

    A round lasts ``each`` seconds, so that caches are warm; with 0 it is one call, after the calls of all others.
    """
    turns = {name: cycle(way.arguments) for name, way in ways.items()}
    repeats = {name: _repeats(way.function, turns[name], each) for name, way in ways.items()}
    best = dict.fromkeys(ways, float("inf"))
    end = time.perf_counter() + seconds
    for done in count(1):
        for name, way in ways.items():
            best[name] = min(best[name], _seconds(way.function, turns[name], repeats[name]))
        if done >= ROUNDS and time.perf_counter() >= end:
            break
    return best


def _repeats(function: Callable[..., object], turns: Iterator[Arguments], each: float) -> int:
    """Calls to a round; the first calls, which may compile, do not count."""
    for _ in range(WARM):
        function(*next(turns))
    return max(1, round(each / min(_seconds(function, turns, 1) for _ in range(WARM))))


def _seconds(function: Callable[..., object], turns: Iterator[Arguments], repeats: int) -> float:
    start = time.perf_counter()
    for arguments in islice(turns, repeats):
        function(*arguments)
    return (time.perf_counter() - start) / repeats
