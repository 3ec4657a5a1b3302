"""The largest constant accelerations that a robot can always give its joints, from its dynamics.

A joint has torque to spare for accelerations of sizes α in any directions, all at once, where

    Σ_k |M_jk(q)| α_k  ≤  E_j − |(C qd + g + friction)_j|

One position and velocity give one such row per joint. The largest α in proportion to a shape is at the first row
reached; without a shape it is the box of greatest volume (the product of the α_k, so that units do not matter) that
the rows of all states admit. It is found from the rows that matter: the worst states for an α are looked for among
many and then nearby, their rows are added, and α is found again. Every row belongs to a state, so nothing larger in
all joints is always achievable; that no state asks for less is not shown by looking. Where the equations of motion
are short enough, `bounds` of them prove a part of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.equations.closed_form import equations_of
from strobe.equations.torque_bounds import Ranges, bound, ranges_of
from strobe.errors import ArgumentError, EquationSizeError, ShapeError, vector
from strobe.show.sheet import Column, Sheet, by_joint, displayed, numbered
from strobe.show.units import either
from strobe.trajectory.path_constraints import Bounds, Friction, bounds_of

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

STATES = 8_192  # drawn at first
NEAR = 64  # states per joint from which worse ones are looked for
MOVES = 60  # of each, the last ones small
TRIES = 8  # directions of each move
ROUNDS = 60
QUIET = 2  # searches in a row that meet no worse state end it
CLOSE = 1e-6  # a row exceeded by less holds
PROVABLE = 20_000  # terms of the equations, at most
HALVINGS = 20  # of the part that is proven


@displayed
@dataclass(frozen=True, eq=False)
class Achievable:
    """Accelerations (n,) that all states met allow at once in any directions, and how much of them is proven."""

    acceleration: Array
    proven: float  # the part of them that bounds of the equations prove for all angles, and these speeds
    ranges: Ranges
    q: Array  # (n, n): per joint the state met that leaves it least
    qd: Array
    share: Array  # (n,) of its torque limit that the joint then needs

    def _sheet(self) -> Sheet:
        columns = [Column("acceleration", self.acceleration, either(2))]
        columns.append(Column("share of its torque limit", self.share))
        return Sheet(self.told, [by_joint(numbered("", len(self.share)), columns)])

    @property
    def told(self) -> str:
        """What is known, in a sentence."""
        part = (
            f"{100 * self.proven:.3g} % of them proven for every angle"
            if self.proven
            else "nothing of it proven: the equations are too long, or their bounds too wide"
        )
        return f"Accelerations {vector(self.acceleration)} suit every state met, {part}."


def largest_acceleration(
    robot: Robot, q: Any = None, qd: Any = None, *, effort: Any = None, shape: Any = None, seed: int = 0,
    prove: bool = True,
) -> Achievable:  # fmt: skip
    """The largest constant accelerations that are achievable in any direction throughout ranges of q and qd.

    A range is pairs (n, 2), or sizes either way (n numbers, or one); the limits of the robot if not given. With a
    ``shape`` (n,) the accelerations are in this proportion, else their product is the largest.
    """
    bounds = bounds_of(robot, effort, acceleration=np.inf)
    if np.isinf(bounds.effort).any():
        joint = robot.joint_names[int(np.argmax(np.isinf(bounds.effort)))]
        raise ArgumentError(f'joint "{joint}" of {robot.name} has no limit on its torque. Give effort=.')
    search = _Search(
        robot,
        bounds,
        Friction(robot),
        ranges_of(robot, q, qd),
        _shape(robot, shape),
        np.random.default_rng(seed),
    )
    found = search.run()
    return _proven(found, search) if prove else found


def _shape(robot: Robot, shape: Any) -> Array | None:
    if shape is None:
        return None
    given = np.asarray(shape, dtype=float)
    if given.shape != (robot.n,):
        raise ShapeError("shape", given.shape, f"({robot.n},)", f"{robot.name} has {robot.n} joints")
    if not ((given >= 0).all() and 0 < given.sum() < np.inf):
        raise ArgumentError(
            f"shape is {vector(given)}; expected numbers of zero or more, not all of them zero."
        )
    return given


@dataclass(frozen=True, eq=False)
class _Search:
    robot: Robot
    bounds: Bounds
    friction: Friction
    ranges: Ranges
    shape: Array | None
    rng: np.random.Generator

    def run(self) -> Achievable:
        q, qd = self._drawn()
        rows = self._rows(q[:1], qd[:1])[0]
        alpha, quiet, joints = self._largest(rows), 0, np.arange(self.robot.n)
        for _ in range(ROUNDS):
            worst_q, worst_qd, share = self._worst(q, qd, alpha)
            quiet = quiet + 1 if (share <= 1 + CLOSE).all() else 0
            if quiet == QUIET:
                break
            q, qd = np.concatenate([q, worst_q]), np.concatenate([qd, worst_qd])
            if not quiet:
                rows = np.concatenate([rows, self._rows(worst_q, worst_qd)[joints, joints]])
                alpha = self._largest(rows)
        inside = (self._rows(worst_q, worst_qd)[joints, joints] @ alpha).max()  # pyright: ignore[reportPossiblyUnboundVariable]
        alpha = alpha / max(inside, 1.0)
        share = self._needed(worst_q, worst_qd, alpha)[joints, joints]  # pyright: ignore[reportPossiblyUnboundVariable]
        return Achievable(alpha, 0.0, self.ranges, worst_q, worst_qd, share)  # pyright: ignore[reportPossiblyUnboundVariable]

    def _drawn(self) -> tuple[Array, Array]:
        """States in the ranges: half of the positions, and of the rates, at their ends."""
        both = []
        for ends in (self.ranges.q, self.ranges.qd):
            share = self.rng.uniform(size=(STATES, self.robot.n))
            half = self.rng.uniform(size=STATES) < 0.5
            share[half] = np.round(share[half])
            both.append(ends[:, 0] + share * np.ptp(ends, axis=1))
        return both[0], both[1]

    def _parts(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """|M| (S, n, n) and |C qd + g + friction| (S, n), both as parts of the torque limits."""
        held = np.abs(self.robot.inverse_dynamics(q, qd, np.zeros_like(q)))
        return np.abs(self.robot.mass_matrix(q)) / self.bounds.effort[:, None], held / self.bounds.effort

    def _rows(self, q: Array, qd: Array) -> Array:
        """Rows (S, n, n) of Σ row · α ≤ 1; refused where a joint has no torque left."""
        M, held = self._parts(q, qd)
        if (held >= 1).any():
            k, j = np.unravel_index(int(held.argmax()), held.shape)
            raise ArgumentError(
                f"no acceleration is always achievable: at q = {vector(q[k])} and qd = {vector(qd[k])} joint "
                f'"{self.robot.joint_names[j]}" needs {100 * held[k, j]:.4g} % of its torque limit without '
                "accelerating. Narrow the range of q or qd, or allow more torque."
            )
        return M / (1 - held)[..., None]

    def _needed(self, q: Array, qd: Array, alpha: Array) -> Array:
        """The part of its limit (S, n) that every joint needs at worst."""
        M, held = self._parts(q, qd)
        return M @ alpha + held

    def _worst(self, q: Array, qd: Array, alpha: Array) -> tuple[Array, Array, Array]:
        """Per joint the state that needs most: the worst of those given, moved to worse ones nearby."""
        n = self.robot.n
        first = np.argsort(-self._needed(q, qd, alpha), axis=0)[:NEAR].T  # (n, NEAR)
        at = np.stack([q[first], qd[first]])  # (2, n, NEAR, n)
        joints = np.arange(n)[:, None]
        best = self._needed(at[0], at[1], alpha)[joints, np.arange(at.shape[2]), joints]
        ends = np.stack([self.ranges.q, self.ranges.qd])[:, None, None]  # (2, 1, 1, n, 2)
        size = np.ptp(ends, axis=-1)
        for k in range(MOVES):
            steps = self.rng.normal(size=(TRIES, *at.shape)) * size * 0.3 * 10.0 ** (-5 * k / MOVES)
            steps *= self.rng.uniform(size=steps.shape) < 2 / n  # a few numbers at a time
            tried = np.clip(at + steps, ends[..., 0], ends[..., 1])
            need = self._needed(tried[:, 0], tried[:, 1], alpha)
            need = np.take_along_axis(need, joints[None, :, :, None], axis=-1)[..., 0]  # (TRIES, n, NEAR)
            chosen = need.argmax(axis=0)
            most = np.take_along_axis(need, chosen[None], axis=0)[0]
            better = most > best
            moved = np.take_along_axis(tried, chosen[None, None, ..., None], axis=0)[0]
            at, best = np.where(better[None, ..., None], moved, at), np.where(better, most, best)
        k = best.argmax(axis=1)
        return at[0, np.arange(n), k], at[1, np.arange(n), k], best[np.arange(n), k]

    def _largest(self, rows: Array) -> Array:
        """The largest α with rows · α ≤ 1; that of greatest product is, in logarithms, a convex problem."""
        from scipy.optimize import minimize

        if self.shape is not None:
            return self.shape / (rows @ self.shape).max()
        scale = 1 / (rows.max(axis=0) * rows.shape[1])  # inside all rows
        found = minimize(
            lambda y: -y.sum(),
            np.zeros(len(scale)),
            jac=lambda y: -np.ones(len(y)),
            constraints={
                "type": "ineq",
                "fun": lambda y: 1 - rows @ (scale * np.exp(y)),
                "jac": lambda y: -rows * (scale * np.exp(y)),
            },
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 200},
        )
        alpha = scale * np.exp(found.x)
        return alpha / (rows @ alpha).max()


def _proven(found: Achievable, search: _Search) -> Achievable:
    """With the largest part of the accelerations that bounds of the equations allow."""
    robot = search.robot
    try:
        torques = equations_of(robot, numbers=True, most=PROVABLE).torques
    except EquationSizeError:
        return found
    if sum(map(len, torques)) > PROVABLE:
        return found
    rates = np.abs(found.ranges.qd).max(axis=1)
    # Damping grows with the rates, and Coulomb friction does not exceed the larger of its sizes.
    f = search.friction
    every = np.abs(f.rates) @ rates
    sizes_of_friction = np.abs(f.rates).T @ (f.damping * every + np.maximum(f.forwards, f.backwards))
    room = search.bounds.effort - sizes_of_friction

    def holds(part: float) -> bool:
        ends = part * found.acceleration[:, None] * np.array([-1.0, 1.0])
        sizes = Ranges(found.ranges.q, found.ranges.qd, ends).sizes
        return all(bound(wave, sizes, limit) <= limit for wave, limit in zip(torques, room, strict=True))

    if not holds(0.0):
        return found
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return replace(found, proven=low)
