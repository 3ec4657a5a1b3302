"""How much inertia the joints of an arm move, over all that they can reach.

    M_ii             while the other joints stand still
    1/(M⁻¹)_ii       while the other joints are free: never more
    κ                the largest eigenvalue of N⁻½ M N⁻½, N = diag(max M_ii): what coupling adds; from 1 to n

With D = κ N no pose has more inertia than D, in any direction: D − M(q) is positive. Extremes are looked for among
random poses within the limits, then step by step from the best of them; always the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from strobe.kinematics.joint_ranges import ranges_of
from strobe.robot import Robot

Array = np.ndarray
Score = Callable[[Array], Array]  # from poses (N, nq) to numbers (N, K), to be as large as they get
POSES, BEST = 2048, 6  # tried at random, and gone on with
FIRST, SHRUNK, ROUNDS = 0.5, 0.5, 80  # rad or m of the first step, its part where nothing is better


@dataclass(frozen=True, eq=False)
class Inertias:
    """Extremes over the poses of an arm; kg m², and kg for slides."""

    highest: Array  # (n,) M_ii
    lowest: Array  # (n,) 1/(M⁻¹)_ii
    coupling: float  # κ
    weight: Array  # (n,) the largest torque of gravity
    lightest: float  # the largest eigenvalue of M⁻¹ D: how much lighter than D a mode gets
    where: Array  # (nq,) the pose of that mode

    @property
    def bound(self) -> Array:
        """D = κ N (n,): as a diagonal matrix above every M(q)."""
        return self.coupling * self.highest


def inertias(robot: Robot) -> Inertias:
    """The extremes of a robot's inertia, looked for once."""
    return robot.kept("extremes of inertia", lambda: _looked_for(robot))


def largest(robot: Robot, score: Score) -> tuple[Array, Array]:
    """The largest values (K,) of scores over the poses within the limits, as far as a search goes, and the poses."""
    start = np.concatenate([_within(robot, robot.neutral[None]), robot.random_state(0, POSES)[0]])
    values = score(start)
    best = np.argsort(-values, axis=0)[:BEST]  # (BEST, K)
    q, found = start[best], np.take_along_axis(values, best, axis=0)
    rng, step = np.random.default_rng(0), np.full(found.shape, FIRST)
    for _ in range(ROUNDS):
        moved = _neighbours(robot, q, step, rng)  # (M, BEST, K, nq)
        scores = score(moved.reshape(-1, robot.nq)).reshape(*moved.shape[:-1], -1)
        tried = np.diagonal(scores, axis1=-2, axis2=-1)  # each for its own score
        which = np.argmax(tried, axis=0)[None]
        better = np.take_along_axis(tried, which, axis=0)[0]
        place = np.take_along_axis(moved, which[..., None], axis=0)[0]
        gained = better > found
        q, found = np.where(gained[..., None], place, q), np.where(gained, better, found)
        step = np.where(gained, step, SHRUNK * step)
    first = np.argmax(found, axis=0)
    return found.max(axis=0), q[first, np.arange(len(first))]


def _looked_for(robot: Robot) -> Inertias:
    def score(q: Array) -> Array:
        M = robot.mass_matrix(q)
        own, free = (np.diagonal(x, axis1=-2, axis2=-1) for x in (M, np.linalg.inv(M)))
        return np.concatenate([own, free, np.abs(robot.gravity(q))], axis=1)

    found, _ = largest(robot, score)
    highest, free, weight = np.split(found, 3)
    heaviest, _ = largest(robot, lambda q: _eigenvalues(robot, q, highest)[:, -1:])
    coupling = max(1.0, float(heaviest[0]))
    lightest, where = largest(robot, lambda q: 1.0 / _eigenvalues(robot, q, coupling * highest)[:, :1])
    return Inertias(highest, 1.0 / free, coupling, weight, float(lightest[0]), where[0])


def _eigenvalues(robot: Robot, q: Array, D: Array) -> Array:
    """Of D⁻¹ M (N, n), smallest first."""
    root = np.sqrt(D)
    return np.linalg.eigvalsh(robot.mass_matrix(q) / np.outer(root, root))


def _neighbours(robot: Robot, q: Array, step: Array, rng: np.random.Generator) -> Array:
    """Poses (M, ..., nq) a step (...) away along every joint and as many directions at random, within the limits."""
    turned, _ = np.linalg.qr(rng.standard_normal((robot.nv, robot.nv)))
    ways = np.concatenate([np.eye(robot.nv), turned])
    moves = np.concatenate([ways, -ways]).reshape(-1, *[1] * step.ndim, robot.nv) * step[..., None]
    here = np.broadcast_to(q, (len(moves), *q.shape))
    return _within(robot, robot.integrate(np.ascontiguousarray(here), moves))


def _within(robot: Robot, q: Array) -> Array:
    ranges, kept = ranges_of(robot), q.copy()
    kept[..., ranges.columns] = np.clip(kept[..., ranges.columns], ranges.lower, ranges.upper)
    return kept
