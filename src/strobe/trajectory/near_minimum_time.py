"""Kahn's problem: from rest to rest between two positions in nearly the least time that torques allow [Kahn1969].

The path is a cubic B-spline whose inner control points are chosen, and its motion the fastest along it
(`torque_limited`); control points within the limits on positions keep the whole path within them. The straight line
is among these paths, so the result is never slower. The search (`cma_es`) goes from few pieces of the spline to
more, and ends in a place that is good in its surroundings: how far the true least time lies below is not known.

Beside it stand the answers with less freedom: the straight line under the same torques, and constant accelerations,
which must suit the worst state on the way and leave the rest of the torques unused; and for one or two joints, where
one is found, the motion whose torques are always at their limits, with the instants at which they switch
(`bang_bang`).

The problem is Kahn's, the method is not: his control switches on curves of the equations made linear and decoupled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.errors import ArgumentError, ShapeError
from strobe.show.sheet import Sheet, displayed
from strobe.trajectory import constant_acceleration
from strobe.trajectory.achievable_accelerations import Achievable, largest_acceleration
from strobe.trajectory.bang_bang import BangBang, bang_bang
from strobe.trajectory.cma_es import least
from strobe.trajectory.motion import State, Trajectory
from strobe.trajectory.path import Path, polyline
from strobe.trajectory.path_constraints import Along, Bounds, Friction, bounds_of, room_of, step_times
from strobe.trajectory.requests import Request, request, require_open
from strobe.trajectory.torque_limited import plan

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

METHOD = "near-minimum-time"
PIECES = (1, 2, 4)  # of the spline: each kind of path contains the ones before it
STEPS = 50  # of a path while it is being improved,
SWEEPS = 4  # of its speeds with friction,
GENERATIONS = 120  # and of the search, for each number of pieces
SPREAD = 0.2  # of the search at first: this part of the way, or of half a radian or metre,
NARROWER = 0.4  # and of that with every further number of pieces
# parts of a fast motion's, tried as bounds of constant accelerations
SPEEDS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.17)
UNMOVED = 1e-6  # of the longest way, for joints that do not move
HELD = 0.995  # the part of a torque limit that a load may take while a path is being improved
UNHELD = 1e3  # seconds, and more, that stand for a path along which a joint cannot hold its load


@displayed
@dataclass(frozen=True, eq=False)
class NearMinimumTime:
    """The motion found, and the same task with less freedom: None where that cannot be done."""

    motion: Trajectory
    straight: Trajectory | None  # on the straight line, under the same limits
    constant: Trajectory | None  # at constant accelerations that every state on the way allows
    achievable: Achievable | None  # these accelerations
    # with torques always at their limits, where one is known to be an extremal
    bang_bang: BangBang | None = None

    def _sheet(self) -> Sheet:
        return Sheet(
            f"the fastest motion found: {self.told}", self.motion._sheet().parts, self.motion._figure
        )

    @property
    def told(self) -> str:
        """The durations, and what is left on the table, in a sentence."""
        best, said = self.motion.duration, f"{self.motion.duration:.4g} s"
        said += (
            "; the straight line asks for too much torque"
            if self.straight is None
            else f"; on the straight line {self.straight.duration:.4g} s"
        )
        said += f"; {self.bang_bang.told}" if self.bang_bang else ""
        if self.constant is None:
            return f"{said}; no constant acceleration suits every state on the way."
        slow = self.constant.duration
        return (
            f"{said}; at constant accelerations {slow:.4g} s, of which {100 * (1 - best / slow):.3g} % are left on "
            "the table: the worst state on the way decides them."
        )


def between_two(asked: Request) -> Trajectory:
    """The motion between the two points of a request in nearly the least time, on whichever path allows it."""
    require_open(asked, METHOD)
    if len(asked.q) != 2:
        raise ArgumentError(f"{METHOD} plans between two points; the request has {len(asked.q)}.")
    if asked.envelope is not None:
        raise ArgumentError(
            f"{METHOD} chooses its path: leave the envelope out, or plan with torque-limited."
        )
    b = asked.bounds
    found = near_minimum_time(
        asked.robot, *asked.q, effort=b.effort, velocity=b.velocity, acceleration=b.acceleration, lower=b.lower,
        upper=b.upper, labels=asked.labels,
    )  # fmt: skip
    return found.motion.with_notes(found.told)


def near_minimum_time(
    robot: Robot, q0: Any, q1: Any, *, effort: Any = None, velocity: Any = None, acceleration: Any = None,
    lower: Any = None, upper: Any = None, seed: int = 0, labels: Sequence[str] = ("point 1", "point 2"),
) -> NearMinimumTime:  # fmt: skip
    """A motion from rest to rest in nearly the least time under the limits of a robot, or others, and how far
    simpler ones stay behind."""
    limits = {
        "effort": effort, "velocity": velocity, "acceleration": acceleration, "lower": lower, "upper": upper,
    }  # fmt: skip
    ends = np.array([q0, q1], dtype=float)
    if ends.shape != (2, robot.n):
        raise ShapeError("q0, q1", ends.shape, f"(2, {robot.n})", f"{robot.name} has {robot.n} joints")
    line = polyline(ends, labels=labels)
    for end, label in zip(ends, labels, strict=True):
        still = polyline([end, end], labels=[label, label])
        plan(robot, still, **limits)  # refuses an end that cannot be held
    if not line.length:
        still = plan(robot, line, **limits)
        return NearMinimumTime(replace(still, method=METHOD), still, None, None)
    path, straight = line, _planned(robot, line, limits)
    bounds = bounds_of(robot, effort, velocity, acceleration)
    rng, spread = np.random.default_rng(seed), SPREAD * np.maximum(np.abs(ends[1] - ends[0]), 0.5)
    for k, pieces in enumerate(PIECES):
        family = _Family(robot, bounds, room_of(robot, lower, upper), ends, pieces)
        path = family.improved(path, spread * NARROWER**k, rng)
    motion = plan(robot, replace(path, labels=line.labels), **limits)
    if straight is not None and straight.duration < motion.duration:
        motion = straight
    constant, achievable = _constant(robot, bounds, ends, straight or motion)
    switched = bang_bang(robot, ends, bounds, room_of(robot, lower, upper), motion.duration)
    return NearMinimumTime(replace(motion, method=METHOD), straight, constant, achievable, switched)


def _planned(robot: Robot, path: Path, limits: dict[str, Any]) -> Trajectory | None:
    try:
        return plan(robot, path, **limits)
    except ArgumentError:
        return None


class _Family:
    """Cubic B-splines between two positions by their inner control points (P, n), many evaluated at once."""

    def __init__(
        self, robot: Robot, bounds: Bounds, room: tuple[Array, Array], ends: Array, pieces: int
    ) -> None:
        from scipy.interpolate import BSpline

        self.robot, self.bounds, self.room, self.ends = robot, bounds, room, ends
        self.friction = Friction(robot)
        self.knots = np.concatenate([np.zeros(3), np.linspace(0.0, 1.0, pieces + 1), np.ones(3)])
        self.basis = BSpline(self.knots, np.eye(pieces + 3), 3)
        places = np.linspace(0.0, 1.0, STEPS + 1)
        self.values = [self.basis(places, nu=order) for order in range(3)]  # (STEPS + 1, P + 2) each
        self.means = np.array([self.knots[k + 1 : k + 4].mean() for k in range(pieces + 3)])

    def inner(self, path: Path) -> Array:
        """The control points of a path of the family."""
        return np.linalg.solve(self.basis(self.means), path(self.means * path.length).q)[1:-1]

    def path(self, inner: Array) -> Path:
        from scipy.interpolate import BSpline

        curve = BSpline(self.knots, np.concatenate([self.ends[:1], inner, self.ends[1:]]), 3)
        knots = np.unique(self.knots)
        taylor = [curve(knots[:-1], nu=p) / math.factorial(p) for p in range(4)]
        return Path(knots, np.stack(taylor, axis=-1), np.zeros(len(knots), bool), np.array([0.0, 1.0]))

    def durations(self, inner: Array) -> Array:
        """Of paths with control points (B, P, n)."""
        B = len(inner)
        first, last = (np.broadcast_to(end, (B, 1, self.robot.n)) for end in self.ends)
        points = np.concatenate([first, inner, last], axis=1)
        q = (np.tensordot(values, points, axes=(1, 1)) for values in self.values)
        both = State(*(np.stack([each[:-1], each[1:]], axis=2) for each in q))
        rests = np.zeros(STEPS + 1, bool)
        rests[[0, -1]] = True
        widths = np.full((STEPS, B), 1 / STEPS)
        along = Along(self.robot, self.bounds, self.friction, both, widths, rests)
        share = np.abs(along.loads) / self.bounds.effort
        beyond = np.maximum(share.max(axis=(0, 2, 3)) - HELD, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):  # a path that cannot be held takes for ever
            x, _ = along.speeds(np.zeros(B), np.zeros(B), SWEEPS)
            total = step_times(x, widths).sum(axis=0)
        return np.where((beyond > 0) | ~np.isfinite(total), UNHELD * (1 + beyond), total)

    def improved(self, path: Path, spread: Array, rng: np.random.Generator) -> Path:
        """A path that takes less time, if one was met."""
        start, n = self.inner(path), self.robot.n
        rows = len(start)
        found = least(
            lambda flat: self.durations(flat.reshape(-1, rows, n)),
            start.ravel(),
            np.tile(spread, rows),
            *(np.tile(side, rows) for side in self.room),
            generations=GENERATIONS,
            rng=rng,
        )
        return self.path(found.reshape(rows, n))


def _constant(
    robot: Robot, bounds: Bounds, ends: Array, fast: Trajectory
) -> tuple[Trajectory | None, Achievable | None]:
    """The fastest motion at constant accelerations that every position between the ends, and every velocity up to
    some part of a fast motion's, allows; in proportion to how far the joints go."""
    way = np.abs(ends[1] - ends[0])
    way = np.maximum(way, UNMOVED * way.max())
    qd = np.abs(fast.sampled(count=1001)[1].qd)
    speed = way * (qd / way).max()
    best: tuple[Trajectory | None, Achievable | None] = (None, None)
    for part in SPEEDS:
        V = np.minimum(part * speed, bounds.velocity)
        try:
            found = largest_acceleration(
                robot, np.sort(ends, axis=0).T, V, effort=bounds.effort, shape=way, prove=False
            )
        except ArgumentError:  # at these speeds nothing is left
            continue
        A = np.minimum(found.acceleration, bounds.acceleration)
        motion = constant_acceleration.plan(request(robot, ends, velocity=V, acceleration=A))
        if best[0] is None or motion.duration < best[0].duration:
            best = motion, found
    return best
