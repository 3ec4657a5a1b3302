"""The steps of a run: equal ones between marks, times at which a step must end (events, knots, rows asked for)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import NamedTuple

import numpy as np

from strobe.errors import ArgumentError

Array = np.ndarray
SLACK = 1e-9  # of a step, by which an interval may exceed a whole number of steps
ROUNDING = 1e-15  # of a number of steps
MOST_STEPS = 2**52
SHORT = 4_096  # steps of a course whose rounds are kept for other runs


class Steps(NamedTuple):
    """Where steps begin, how long they are, and a time inside each; one row per step."""

    t: Array
    h: Array
    inside: Array


@dataclass(frozen=True, eq=False)
class Grid:
    """Steps between marks; nothing is kept per step, so a run may have any number of them."""

    marks: Array  # ascending: start, times to land on, end
    counts: Array  # of steps between two marks

    @cached_property
    def first(self) -> Array:
        """The number of the step that begins at each mark; the last one is the number of all steps."""
        return np.concatenate([[0], np.cumsum(self.counts)])

    @cached_property
    def total(self) -> int:
        return int(self.counts[0]) if len(self.counts) == 1 else int(self.first[-1])

    @property
    def step(self) -> float:
        """The longest one."""
        return float(np.max(np.diff(self.marks) / self.counts))

    def steps(self, numbers: Array) -> Steps:
        """Steps by number; the one after the last has no length and lies inside the last."""
        if len(self.counts) == 1:
            return self._even(numbers)
        piece = np.clip(np.searchsorted(self.first, numbers, side="right") - 1, 0, len(self.counts) - 1)
        start, length = self.marks[piece], (self.marks[piece + 1] - self.marks[piece]) / self.counts[piece]
        done = numbers - self.first[piece]
        over = numbers == self.total
        t = np.where(over, self.marks[-1], start + done * length)
        inside = start + (np.minimum(done, self.counts[piece] - 1) + 0.5) * length
        return Steps(t, np.where(over, 0.0, length), inside)

    def _even(self, numbers: Array) -> Steps:
        """The same where all steps are of one length: the usual run, and a controller's period."""
        start, end = self.marks.tolist()
        length, last = (end - start) / self.total, self.total - 1
        t, inside = start + numbers * length, start + (np.minimum(numbers, last) + 0.5) * length
        h = np.full(len(numbers), length)
        over = numbers > last
        t[over], h[over] = end, 0.0
        return Steps(t, h, inside)

    def number_at(self, times: Array) -> Array:
        """The numbers of the steps that begin at marks."""
        return self.first[np.clip(np.searchsorted(self.marks, times), 0, len(self.marks) - 1)]


class Rounds(NamedTuple):
    """Steps, and the row that each is to fill, or −1."""

    steps: Steps
    records: Array


@dataclass(frozen=True, eq=False)
class Course:
    """The steps of a run, and the numbers of those at whose beginning a row is kept; states play no part in it."""

    grid: Grid
    kept: Array

    @cached_property
    def times(self) -> Array:
        """Of the rows."""
        return self.grid.steps(self.kept).t

    @cached_property
    def all_rows(self) -> Array:
        """That every row is there."""
        return np.ones(len(self.kept), bool)

    @cached_property
    def ended(self) -> Array:
        """What a run that reached its end has last in its state: alive, and so many steps done."""
        return np.array([1.0, self.grid.total])

    def rounds(self, first: int, beyond: int) -> Rounds:
        """Steps from the number of one up to that of another."""
        total = self.grid.total
        if total <= SHORT and (first, beyond) == (0, total + 1):
            return self._whole
        return self._rounds(first, beyond)

    @cached_property
    def _whole(self) -> Rounds:
        """All of them, and the one of no length behind the last."""
        return self._rounds(0, self.grid.total + 1)

    def _rounds(self, first: int, beyond: int) -> Rounds:
        records = np.full(beyond - first, -1)
        start, end = np.searchsorted(self.kept, [first, beyond])
        records[self.kept[start:end] - first] = np.arange(start, end)
        return Rounds(self.grid.steps(np.arange(first, beyond)), records)


def grid(start: float, end: float, step: float, marks: Array) -> Grid:
    """Steps from start to end, none longer than a step, one ending at every mark in between."""
    if not len(marks):
        return _between(start, end, step)
    near = SLACK * min(step, end - start)
    inner = np.unique(marks[(marks > start + near) & (marks < end - near)])
    inner = inner[np.diff(inner, prepend=start) > near] if len(inner) else inner
    every = np.concatenate([[start], inner, [end]])
    wanted = np.diff(every) / step * (1 - ROUNDING) - SLACK
    if not wanted.sum() < MOST_STEPS:
        raise _too_short(start, end, step)
    return Grid(every, np.maximum(np.ceil(wanted), 1).astype(np.int64))


def _between(start: float, end: float, step: float) -> Grid:
    """Steps from start to end, with nothing to land on in between."""
    wanted = (end - start) / step * (1 - ROUNDING) - SLACK
    if not wanted < MOST_STEPS:
        raise _too_short(start, end, step)
    return Grid(np.array([start, end]), np.array([max(ceil(wanted), 1)]))


def _too_short(start: float, end: float, step: float) -> ArgumentError:
    return ArgumentError(f"step is {step:g} s, too short for a run from {start:g} to {end:g} s.")
