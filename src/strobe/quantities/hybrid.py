"""Some joints have their acceleration given, the others their torque; what is not given follows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from strobe.algebra.elimination import ancestors
from strobe.algebra.rows import dot
from strobe.models.model import Model
from strobe.quantities.closed_chains import bound, conditions_of
from strobe.quantities.dynamics import inverse_dynamics
from strobe.quantities.evaluation import Asked
from strobe.quantities.pivots import solve
from strobe.quantities.terms import mass_matrix
from strobe.scalars import Num, Numbers, absolute, less, maximum, where

CONTRADICTED = 1e-8  # of the largest acceleration: by which those that are given may open a loop


def hybrid_dynamics(asked: Asked, q: Numbers, qd: Numbers, x: Numbers) -> list[list[Num]]:
    """Two rows, tau and qdd, where x holds the acceleration of some joints and the torque of the others.

    h' = tau of qd and the given accelerations alone,   M_tt qdd_t = tau_t − h'_t,   tau_a = h'_a + M_at qdd_t
    """
    given, n = asked.dofs(asked.request.accelerated), asked.coordinates.nv
    if asked.model.is_closed:
        return _constrained_hybrid(asked, q, qd, x, given)
    free = [k for k in range(n) if k not in given]
    start = inverse_dynamics(asked, q, qd, [x[k] if k in given else 0.0 for k in range(n)])
    M = mass_matrix(asked, q)
    block = [[M[i][j] for j in free] for i in free]
    solved = solve(block, [x[k] - start[k] for k in free], _nearest(free, asked.parents))
    moved = dict(zip(free, solved, strict=True))
    tau, qdd = list(x), list(x)
    for k, accel in moved.items():
        qdd[k] = accel
    for k in given:
        tau[k] = start[k]
        for j, accel in moved.items():
            tau[k] = tau[k] + M[k][j] * accel
    return [tau, qdd]


def _nearest(kept: Sequence[int], parents: Sequence[int]) -> list[int]:
    """For each degree of freedom that is kept the nearest one before it that is, by their places among them."""
    place = {k: i for i, k in enumerate(kept)}
    return [next((place[j] for j in ancestors(k, parents) if j in place), -1) for k in kept]


def _constrained_hybrid(
    asked: Asked, q: Numbers, qd: Numbers, x: Numbers, given: Sequence[int]
) -> list[list[Num]]:
    """Given accelerations are conditions too, whose multipliers are the torques; NaN where they contradict others."""
    n, held = asked.coordinates.nv, conditions_of(asked, q, qd)
    start = inverse_dynamics(replace(asked, model=_opened(asked.model)), q, qd, [0.0] * n)
    driven = [-start[k] if k in given else x[k] - start[k] for k in range(n)]
    demands = [x[k] for k in given] + [-demand for demand in held.bias]
    qdd, multipliers = bound(asked, q, held.J, given).solve(driven, demands)
    off = [absolute(dot(row, qdd) + bias) for row, bias in zip(held.J, held.bias, strict=True)]
    largest = reduce(maximum, (absolute(accel) for accel in qdd)) + 1.0
    kept = less(reduce(maximum, off), largest * CONTRADICTED)
    tau = list(x)
    for k, multiplier in zip(given, multipliers, strict=False):
        tau[k] = multiplier
    return [[where(kept, number, math.nan) for number in row] for row in (tau, qdd)]


def _opened(model: Model) -> Model:
    """The tree without its closed chains."""
    return replace(model, loops=(), curves=())
