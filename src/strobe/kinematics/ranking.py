"""Which solution comes first, over numbers: within the limits before outside, then the nearest to where the robot is.

An angle is given in the turn that is within the limits and nearest. The order comes from Batcher's
network of exchanges, so that a batch is sorted without a branch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from strobe.scalars import Num, Numbers, absolute, less, maximum, where

TURN = 2.0 * math.pi
OUTSIDE = 1e6  # what leaving the limits weighs against distance
MOST_TURNS = 4  # equivalent angles looked at on either side of zero


@dataclass(frozen=True)
class Limit:
    """The range of one joint, and whether it turns."""

    lower: float
    upper: float
    turns: bool

    @property
    def bounded(self) -> bool:
        return math.isfinite(self.lower) and math.isfinite(self.upper)

    def equivalents(self) -> list[float]:
        """Full turns that may bring an angle between −π and π into the range, none first."""
        if not self.bounded:
            return [0.0, TURN, -TURN]
        reach = range(1, MOST_TURNS + 1)
        turns = [s * k * TURN for k in reach for s in (1, -1)]
        return [0.0] + [t for t in turns if t - math.pi < self.upper and t + math.pi > self.lower]

    def beyond(self, q: Num) -> Num:
        """How far a position is outside; not positive inside."""
        sides = [q - self.upper] if math.isfinite(self.upper) else []
        sides += [self.lower - q] if math.isfinite(self.lower) else []
        return -1.0 if not sides else sides[0] if len(sides) == 1 else maximum(*sides)

    def nearest(self, q: Num, near: Num) -> Num:
        """The equivalent position that is within the limits, or least outside, and then nearest."""
        if not self.turns:
            return q
        best, cost = q, self._cost(q, near)
        for turn in self.equivalents()[1:]:
            other = q + turn
            price = self._cost(other, near)
            better = less(price, cost)
            best, cost = where(better, other, best), where(better, price, cost)
        return best

    def _cost(self, q: Num, near: Num) -> Num:
        return absolute(q - near) + maximum(self.beyond(q), 0.0) * OUTSIDE


def valued(place: Numbers, q0: Numbers, limits: Sequence[Limit]) -> list[Num]:
    """A key that says how good a solution is (infinite for none), its positions, how far outside the limits it is,
    and what else belongs to it.

    A place begins with one position per joint; NaN in one of them makes it empty.
    """
    n = len(limits)
    q = [limit.nearest(x, near) for limit, x, near in zip(limits, place[:n], q0, strict=True)]
    outside: Num = 0.0
    away: Num = 0.0
    for limit, x, near in zip(limits, q, q0, strict=True):
        outside = maximum(outside, limit.beyond(x))
        away = away + (x - near) * (x - near)
    key = away + where(less(0.0, outside), OUTSIDE * (1.0 + outside), 0.0)
    exists = less(key, math.inf)  # NaN is not less
    return [where(exists, key, math.inf), *q, outside, *place[n:]]


def ranked(places: Sequence[Numbers], q0: Numbers, limits: Sequence[Limit]) -> list[list[Num]]:
    """Solutions as `valued`, the best first and empty ones last, without their keys."""
    rows = [valued(place, q0, limits) for place in places]
    for i, j in exchanges(len(rows)):
        swap = less(rows[j][0], rows[i][0])
        rows[i], rows[j] = (
            [where(swap, b, a) for a, b in zip(rows[i], rows[j], strict=True)],
            [where(swap, a, b) for a, b in zip(rows[i], rows[j], strict=True)],
        )
    return [row[1:] for row in rows]


def exchanges(n: int) -> Iterator[tuple[int, int]]:
    """Pairs of places to compare, one after the other, that sort n places: Batcher's odd-even merge sort."""
    p = 1
    while p < n:
        k = p
        while k >= 1:
            for j in range(k % p, n - k, 2 * k):
                for i in range(min(k, n - j - k)):
                    if (i + j) // (2 * p) == (i + j + k) // (2 * p):
                        yield i + j, i + j + k
            k //= 2
        p *= 2
