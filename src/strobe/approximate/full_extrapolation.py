"""Torques extrapolated to first order in all 3n parameters, and how many points that needs.

    F(x) ≈ F(x₀) + P (x − x₀)          x = (q, qd, qdd),   P = ∂F/∂x, n × 3n

P is computed, or estimated from torques at points around x₀: P Δx_i = ΔF_i takes 3n independent differences Δx_i,
that is 3n + 1 points, one factorisation of 3n × 3n and n right-hand sides. Waters counts pairs of points, of which 7
have 21 ≥ 18 for six joints; but pairs of 7 points are combinations of 6 differences. [Waters1979]
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from strobe.approximate.method import NUMBER, Approximation, Operations, in_system, require_open_dynamics
from strobe.approximate.states import (
    RIGID,
    added,
    constants,
    friction_operations,
    require_single_numbers,
    shared,
    states,
    with_friction,
)
from strobe.compiler.runtime.traced import Traced, trace
from strobe.errors import ArgumentError, shown
from strobe.models.arguments import require_whole
from strobe.quantities import Request
from strobe.robot import Robot, require_robot
from strobe.scalars import Num, Numbers
from strobe.trajectory.files import in_order
from strobe.trajectory.motion import Trajectory

Array = np.ndarray
PARTIALS = ("computed", "estimated")
# radians, metres and their rates: how far the points of an estimate lie from where it is made
SPREAD = 1e-4
DERIVATIVES = Request("inverse_dynamics_derivatives", friction=False)
INDEPENDENT = 1e-9  # of the largest singular value: a smaller one is rounding


class FullExtrapolation(Approximation):
    """Torques and their partials found at every m-th row, and used to first order at those between.

    The rows of a call follow one another in time. Accelerations enter linearly: what is lost where they jump is of
    the order of the step, not of the jump.
    """

    name = "full-extrapolation"
    in_order = True

    def __init__(
        self, robot: Robot, every: int = 4, *, partials: str = "computed", spread: float = SPREAD
    ) -> None:
        require_single_numbers(require_robot(robot), "extrapolation in all parameters")
        if partials not in PARTIALS:
            raise ArgumentError(f'partials is {shown(partials)}; expected "computed" or "estimated".')
        if not (isinstance(spread, int | float) and 0 < spread < math.inf):
            raise ArgumentError(f"spread is {shown(spread)}; expected a distance above zero.")
        self.robot, self.every, self.partials = robot, require_whole("every", every, 1), partials
        self.spread = float(spread)
        self.title = f"first order in all parameters, {partials}"
        start = time.perf_counter()
        require_open_dynamics(robot)
        self._offsets = self.spread * _directions(3 * robot.nv)
        self._at(*(np.zeros((1, robot.nv)) for _ in range(3)))
        self._preparation = time.perf_counter() - start

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Array:
        """tau (..., T, n) of rows that follow one another; a single state is computed."""
        given = states(self.robot, q, qd, qdd)
        if given[0].ndim < 2:
            return self.robot.inverse_dynamics(*given)
        x = [each.astype(float) for each in given]
        rows = np.arange(x[0].shape[-2])
        origins, mine = rows[:: self.every], rows // self.every
        tau, P = self._at(*(each[..., origins, :] for each in x))
        step = np.concatenate([each - each[..., origins[mine], :] for each in x], axis=-1)
        rigid = tau[..., mine, :] + np.einsum("...ij,...j->...i", P[..., mine, :, :], step)
        return with_friction(self.robot, rigid, x[1]).astype(given[0].dtype, copy=False)

    def _at(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """Rigid-body torques (..., n) and their partials (..., n, 3n)."""
        tau = self.robot.inverse_dynamics(q, qd, qdd, friction=False)
        if self.partials == "computed":
            return tau, torque_partials(self.robot)(q, qd, qdd)
        around = np.concatenate([q, qd, qdd], axis=-1)[..., None, :] + self._offsets
        there = self.robot.inverse_dynamics(*np.split(around, 3, axis=-1), friction=False)
        return tau, estimated_partials(self._offsets, there - tau[..., None, :])

    @property
    def memory(self) -> int:
        """The constants of what is computed; the torques, partials and state last found; an estimate's factors."""
        n, exact = self.robot.nv, self.robot.kernel(RIGID).program
        kept = NUMBER * (n + 3 * n * n + 3 * n)
        if self.partials == "estimated":
            return constants(exact) + kept + NUMBER * (3 * n) ** 2
        return constants(exact, torque_partials(self.robot).program) + kept

    @property
    def operations(self) -> Operations:
        """On average over the rows."""
        n = self.robot.nv
        found = added(Operations.of(self.robot.kernel(RIGID).program), self._finding_partials)
        step = Operations(3 * n * n, 3 * n + 3 * n * n)
        return added(shared(found, self.every), step, friction_operations(self.robot))

    @property
    def _finding_partials(self) -> Operations:
        if self.partials == "computed":
            return Operations.of(torque_partials(self.robot).program)
        n = self.robot.nv
        once = Operations.of(self.robot.kernel(RIGID).program)
        solved = Operations(n * (3 * n) ** 2, n * (3 * n) * (3 * n - 1) + 3 * n * (3 * n + n))
        return added(*[once] * (3 * n), solved)

    @property
    def preparation(self) -> float:
        return self._preparation

    @property
    def notes(self) -> tuple[str, ...]:
        if self.partials == "computed":
            return ("The rows of a call must follow one another in time.",)
        n = 3 * self.robot.nv
        return (
            "The rows of a call must follow one another in time.",
            f"Each estimate takes torques at {n + 1} points ({n} independent differences), for which the exact "
            "torques of every row could be computed instead.",
        )


def _directions(size: int) -> Array:
    """So many directions, no two alike, none of them along a single parameter: an orthogonal matrix."""
    return np.linalg.qr(np.random.default_rng(0).standard_normal((size, size)))[0]


def estimated_partials(steps: Any, changes: Any) -> Array:
    """P (..., n, 3n) of torques that change by (..., N, n) when parameters change by ``steps`` (N, 3n).

    Refused where the steps do not determine it.
    """
    steps, changes = np.asarray(steps, dtype=float), np.asarray(changes, dtype=float)
    if steps.ndim != 2 or changes.ndim < 2 or changes.shape[-2] != len(steps):
        raise ArgumentError(
            f"steps have shape {steps.shape} and changes {changes.shape}; expected (N, 3n) and (..., N, n)."
        )
    found, size = _independence(steps, len(steps) + 1), steps.shape[1]
    if found.rank < size:
        raise ArgumentError(
            f"{found.points} points have {found.pairs} pairs, but {found.rank} independent differences; the {size} "
            f"partials of each torque need {size}. Take {size + 1} points or more that differ in every parameter."
        )
    if len(steps) > size:  # more than needed: least squares
        return np.swapaxes(np.linalg.pinv(steps) @ changes, -1, -2)
    columns = np.moveaxis(changes, -2, 0).reshape(size, -1)
    solved = lu_solve(lu_factor(steps), columns).reshape(size, *changes.shape[:-2], changes.shape[-1])
    return np.moveaxis(solved, 0, -1)


@dataclass(frozen=True, slots=True)
class Independence:
    """How much some points of (q, qd, qdd) say about first-order partials."""

    points: int
    pairs: int
    rank: int  # of their differences
    needed: int  # independent differences that the partials take
    condition: float  # of the differences; infinite where they do not determine the partials

    @property
    def enough(self) -> bool:
        return self.rank == self.needed


def points_needed(
    robot: Robot, motion: Trajectory | None = None, *, step: float = 0.01, seed: int = 0
) -> list[Independence]:
    """What points say about the 3n partials: as many as have 3n pairs, then 3n + 1, then all there are.

    Along a motion they are successive rows, a step apart; without one they are drawn at random (twice 3n + 1).
    """
    require_robot(robot)
    n = 3 * robot.nv
    x = _rows(robot, motion, step) if motion is not None else _drawn(robot, 2 * (n + 1), seed)
    by_pairs = next(count for count in range(2, n + 2) if count * (count - 1) // 2 >= n)
    counts = sorted({min(count, len(x)) for count in (by_pairs, n + 1, len(x))})
    return [_independence(x[1:count] - x[0], count) for count in counts]


def _rows(robot: Robot, motion: Trajectory, step: float) -> Array:
    _, state = in_order(motion, robot.joint_names, robot.name).sampled(step=step)
    return np.concatenate(state, axis=-1)


def _drawn(robot: Robot, count: int, seed: int) -> Array:
    require_single_numbers(robot, "extrapolation in all parameters")
    return np.concatenate(robot.random_state(seed=seed, batch=count), axis=-1)


def _independence(differences: Array, points: int) -> Independence:
    """Pairs are differences of these differences: they add nothing to the rank."""
    size = differences.shape[1]
    values = np.linalg.svd(differences, compute_uv=False)
    rank = int((values > INDEPENDENT * values.max(initial=0.0)).sum())
    condition = float(values[0] / values[size - 1]) if rank == size else math.inf
    return Independence(points, points * (points - 1) // 2, rank, size, condition)


def torque_partials(robot: Robot) -> Traced:
    """∂tau/∂(q, qd, qdd) (..., n, 3n) of states in one compiled matrix; friction, which jumps, is not in it."""
    return robot.kept("partials of torques", lambda: _torque_partials(robot))


def _torque_partials(robot: Robot) -> Traced:
    n = robot.nv

    def partials(q: Numbers, qd: Numbers, qdd: Numbers) -> list[list[Num]]:
        matrices = DERIVATIVES.evaluate(in_system(robot.model, q), q=q, qd=qd, qdd=qdd)
        return [[*by_q, *by_qd, *by_qdd] for by_q, by_qd, by_qdd in zip(*matrices, strict=True)]

    return trace(partials, q=n, qd=n, qdd=n)
