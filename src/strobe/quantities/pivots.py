"""Elimination of mass matrices that may be singular: what is left of nothing but rounding becomes NaN."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce

from strobe.algebra import ldl_solve
from strobe.scalars import Num, Numbers, less, maximum, where

LEAST_PIVOT = 1e-12  # a pivot of the mass matrix below this part of its diagonal entry is no inertia
LEAST_INERTIA = 1e-26  # nor is one below this part of the largest: the square of a rounded length


def solve(M: Sequence[Numbers], right: Numbers, parents: Sequence[int]) -> list[Num]:
    """M⁻¹ right, NaN where M is singular."""
    return ldl_solve(M, right, parents, guard(M)) if right else []


def guard(M: Sequence[Numbers]) -> Callable[[Num, Num], Num]:
    """What makes pivots of a mass matrix NaN where they are nothing but rounding."""
    return partial(sound, reduce(maximum, (M[i][i] for i in range(len(M)))))


def sound(largest: Num, pivot: Num, diagonal: Num) -> Num:
    """The pivot, or NaN where it is nothing but rounding: of the diagonal entry it came from, or of that itself."""
    least = maximum(diagonal * LEAST_PIVOT, largest * LEAST_INERTIA)
    return where(less(least, pivot), pivot, math.nan)
