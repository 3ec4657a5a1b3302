"""The fastest motion along a path under limits on torque, speed and acceleration.

The limits are kept at both ends of every step (`path_constraints`), and in between they hold up to the square of the
step's width: a last uniform slow-down takes up what is left, checked on a grid ten times finer.

The result is exact: q is cubic in s and s quadratic in time, so that every step is a polynomial of degree six.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.errors import ArgumentError, ShapeError
from strobe.quantities.drives import COULOMB_SPEED
from strobe.trajectory.bound_checks import require_room
from strobe.trajectory.controllable_sets import Sets, controllable
from strobe.trajectory.motion import State, Trajectory
from strobe.trajectory.path import Path, polyline, spline
from strobe.trajectory.path_constraints import (
    FAST,
    MARGIN,
    Along,
    Bounds,
    Friction,
    bounds_of,
    room_of,
    step_times,
)
from strobe.trajectory.requests import Request, require_open

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

METHOD = "torque-limited"
STEPS = 1000  # into which a path is cut
FINER = 10  # how much finer the grid is on which limits are checked
BETWEEN = 2 / FINER**2  # of what was found there a parabola hides half as much between two of its places
SLOWEST = 1.01  # by more than this a motion is not slowed down: steps are cut finer instead,
ENOUGH = 1.001  # those that would need more than this by themselves,
PARTS = 4  # each into so many,
ROUNDS = 8  # and again, at most so many times
WORTHWHILE = 1.005  # more than this is worth cutting too,
FIRST_ROUNDS = 2  # so many times
LARGEST_STEP = 0.05  # of the factor at once
ROUNDING = 1e-9


def under_torque(asked: Request) -> Trajectory:
    """The motion from rest to rest on the spline through the points of a request.

    With an envelope it is on the lines between them instead, corners rounded off within it.
    """
    require_open(asked, METHOD)
    b, q, labels = asked.bounds, asked.q, asked.labels
    path = spline(q, labels) if asked.envelope is None else polyline(q, asked.envelope, labels)
    motion = plan(
        asked.robot, path, effort=b.effort, velocity=b.velocity, acceleration=b.acceleration,
        lower=-np.inf, upper=np.inf,
    )  # fmt: skip
    require_room(
        asked, motion, "Add points, or ask for an envelope, which keeps to the lines between them."
    )
    return motion


def plan(
    robot: Robot, path: Path, *, effort: Any = None, velocity: Any = None, acceleration: Any = None,
    lower: Any = None, upper: Any = None, start: float = 0.0, end: float = 0.0, steps: int = STEPS,
) -> Trajectory:  # fmt: skip
    """The fastest motion along a path under the limits of a robot, or others (one number, or one per joint).

    ``start`` and ``end`` are the speeds ṡ at its ends. The notes of the motion say by how much it was slowed down.
    """
    bounds = bounds_of(robot, effort, velocity, acceleration)
    if path.n != robot.n:
        raise ShapeError("path", (path.n,), f"({robot.n},)", f"{robot.name} has {robot.n} joints")
    task = _Task(robot, bounds, room_of(robot, lower, upper), Friction(robot), path, start, end)
    task.check()
    if not path.length:
        q = path.coefficients[:1]
        return Trajectory(robot.joint_names, np.zeros(2), q, METHOD, 0 * path.points, path.notes)
    found = task.solved(path.divided(steps))
    given = len(found.pieces.widths)
    for k in range(ROUNDS):
        if found.factor <= (WORTHWHILE if k < FIRST_ROUNDS else SLOWEST):
            break
        found = task.solved(found.pieces.cut(np.where(found.local > ENOUGH, PARTS, 1)))
    finer = len(found.pieces.widths) - given
    said = (
        f"{given:,} steps{f' and {finer:,} more where limits were exceeded between their ends' if finer else ''}; "
        f"slowed down by {100 * (found.factor - 1):.2g} %: all limits hold on a grid {FINER} times finer."
    )
    if found.factor > 1 and (start or end):
        said += " The speeds at its ends are lower by the same part."
    return found.motion(robot.joint_names, (*path.notes, said))


@dataclass(frozen=True, eq=False)
class _Task:
    robot: Robot
    bounds: Bounds
    room: tuple[Array, Array]  # between which positions must be
    friction: Friction
    path: Path
    start: float
    end: float

    def check(self) -> None:
        """Refuse a path that leaves the limits on positions, or cannot be held or crept along."""
        for name, speed in (("start", self.start), ("end", self.end)):
            if not (speed >= 0 and np.isfinite(speed)):
                raise ArgumentError(f"the {name} speed is {speed:g}; expected a number, zero or more.")
        self._check_positions()
        self._check_loads()

    def _check_positions(self) -> None:
        lower, upper = self.room
        least, largest, least_at, largest_at = self.path.extremes()
        for j, joint in enumerate(self.robot.joint_names):
            for side, beyond, value, bound, place in (
                ("below its lower", lower[j] - least[j], least[j], lower[j], least_at[j]),
                ("above its upper", largest[j] - upper[j], largest[j], upper[j], largest_at[j]),
            ):
                if beyond > ROUNDING * (1 + abs(value)):
                    raise ArgumentError(
                        f'{self.path.place(place)} the path puts joint "{joint}" at {value:g}, {side} bound '
                        f"{bound:g}."
                    )

    def _check_loads(self) -> None:
        """Standing still, and moving slowly, must be possible everywhere."""
        pieces = self.path.divided(STEPS)
        at = pieces.within(np.arange(FINER + 1) / FINER)
        still = self.robot.gravity(at.q)
        for torques, to in (
            (still, "to hold still"),
            (still + self.friction.coulomb(FAST * at.qd), "to move slowly"),
        ):
            share = np.abs(torques) / self.bounds.effort
            if share.max() < 1 - 2 * MARGIN:
                continue
            k, m, j = np.unravel_index(int(share.argmax()), share.shape)
            s = pieces.knots[k] + pieces.widths[k] * m / FINER
            unit = "N·m" if self.robot.coordinates.joints[j].angular else "N"
            raise ArgumentError(
                f'{self.path.place(s)} joint "{self.robot.joint_names[j]}" needs {abs(torques[k, m, j]):.4g} {unit} '
                f"{to}; its limit is {self.bounds.effort[j]:g} {unit}. Take another way, or less load."
            )

    def solved(self, pieces: Path) -> _Found:
        """The fastest motion on these steps, slowed down as far as it must be."""
        rests = pieces.stops.copy()
        rests[0] |= self.start == 0
        rests[-1] |= self.end == 0
        ends = State(*(each[:, None] for each in pieces.within([0.0, 1.0])))
        along = Along(self.robot, self.bounds, self.friction, ends, pieces.widths[:, None], rests)
        start, end = np.array([self.start**2]), np.array([self.end**2])
        x, sets = along.speeds(start, end)
        self._check_speeds(along, sets, start, end)
        return _Found(pieces, x[:, 0]).slowed(self.robot, self.bounds, self.friction)

    def _check_speeds(self, along: Along, sets: Sets, start: Array, end: Array) -> None:
        """Refuse speeds at the ends that the limits do not allow."""
        if sets.hold(start).all():
            return
        if sets.possible.all():
            low, high = float(np.sqrt(sets.least[0, 0])), float(np.sqrt(sets.largest[0, 0]))
            raise ArgumentError(
                f"the path cannot be begun at a speed of {self.start:g}: its end is reached at {self.end:g} only "
                f"from speeds between {low:.6g} and {high:.6g}."
            )
        back = controllable(along.rows().reversed().upright(), np.minimum(start, along.top[0]))
        most = float(np.sqrt(np.minimum(back.largest[0, 0], along.top[-1, 0])))
        raise ArgumentError(
            f"the path cannot be ended at a speed of {self.end:g}: begun at {self.start:g} its end is reached at "
            f"{most:.6g} at most. Ask for less, or make the path longer."
        )


@dataclass(frozen=True, eq=False)
class _Found:
    """A path in steps, x (N + 1,) at their ends, and the factor by which its time is longer than these say."""

    pieces: Path
    x: Array
    factor: float = 1.0
    local: Array | float = 1.0  # (N,) the factor that each step would need by itself

    @property
    def rates(self) -> tuple[Array, Array]:
        """The speed at the beginning of every step, and the acceleration in it."""
        return np.sqrt(self.x[:-1]), np.diff(self.x) / (2 * self.pieces.widths)

    def slowed(self, robot: Robot, bounds: Bounds, friction: Friction) -> _Found:
        """Slower by the least factor k that keeps all limits on a finer grid.

        tau = g + inertial / k² + friction(qd / k) changes by −2 inertial / k² − viscous / k per ln k.
        """
        step, share = self._more_places(friction)
        even = np.arange(FINER + 1) / FINER
        q, first, second = (
            np.concatenate([each.reshape(-1, robot.n), other])
            for each, other in zip(self.pieces.within(even), self.pieces.at(step, share), strict=True)
        )
        count = len(self.pieces.widths)
        step = np.append(np.repeat(np.arange(count), len(even)), step)
        share = np.append(np.tile(even, count), share)
        x = (self.x[step] + np.diff(self.x)[step] * share)[:, None]
        qd, qdd = first * np.sqrt(x), first * self.rates[1][step, None] + second * x
        g = robot.gravity(q)
        inertial = robot.inverse_dynamics(q, qd, qdd, friction=False) - g
        viscous = friction.viscous(qd)
        used = np.maximum(np.abs(qd) / bounds.velocity, np.sqrt(np.abs(qdd) / bounds.acceleration))
        local = self._worst(step, used.max(axis=1))
        k, found = float(local.max()), None
        while True:
            tau = g + inertial / k**2 + viscous / k + friction.coulomb(qd / k)
            beyond = np.abs(tau) - bounds.effort
            over = beyond > 0
            if not over.any():
                k += (k - 1) * BETWEEN + (MARGIN if k > 1 else 0.0)
                return replace(self, factor=k, local=local if found is None else found)
            excess = np.where(over, beyond + ROUNDING * np.abs(tau), 0.0)
            gain = np.sign(tau) * (2 * inertial / k**2 + viscous / k)
            more = np.where(over, excess / np.maximum(np.maximum(gain, excess / LARGEST_STEP), 1e-300), 0.0)
            if found is None:
                found = np.maximum(local, self._worst(step, k * (1 + more.max(axis=1))))
            k *= 1 + float(more.max())

    def _more_places(self, friction: Friction) -> tuple[Array, Array]:
        """Steps and shares of them where friction changes fast: next to rest, and where a joint turns back."""
        if not friction.any:
            return np.empty(0, int), np.empty(0)
        early = (np.arange(FINER) / FINER) ** 2
        x0, x1 = self.x[:-1], self.x[1:]
        rest = np.flatnonzero(np.minimum(x0, x1) < np.maximum(x0, x1) / FINER)
        near = np.where((x0 < x1)[rest, None], early, 1 - early)

        before, after = np.moveaxis(self.pieces.within([0.0, 1.0]).qd @ friction.rates.T, 1, 0)
        turning, joint = np.nonzero(before * after < 0)
        before, change = before[turning, joint], (after - before)[turning, joint]
        middle = -before / change
        speed = np.sqrt(self.x[turning] + np.diff(self.x)[turning] * middle)
        aside = COULOMB_SPEED / np.maximum(np.abs(change) * speed, COULOMB_SPEED)
        sides = np.clip(middle[:, None] + np.multiply.outer(aside, (-1.1, 0.0, 1.1)), 0.0, 1.0)
        return (
            np.append(np.repeat(rest, FINER), np.repeat(turning, 3)),
            np.append(near, sides),
        )

    def _worst(self, step: Array, values: Array) -> Array:
        """The largest value (N,) of every step, and no less than one."""
        worst = np.ones(len(self.pieces.widths))
        np.maximum.at(worst, step, values)
        return worst

    def motion(self, names: tuple[str, ...], notes: tuple[str, ...]) -> Trajectory:
        """q(s(t)) with s quadratic in each step, as polynomials of degree six."""
        v, u = self.rates
        times = np.append(0.0, np.cumsum(step_times(self.x[:, None], self.pieces.widths[:, None])))
        v, h = v[:, None], u[:, None] / 2
        c0, c1, c2, c3 = np.moveaxis(self.pieces.coefficients, -1, 0)
        powers = (
            c0, c1 * v, c1 * h + c2 * v * v, 2 * c2 * v * h + c3 * v**3,
            c2 * h * h + 3 * c3 * v * v * h, 3 * c3 * v * h * h, c3 * h**3,
        )  # fmt: skip
        coefficients = np.stack(powers, axis=-1) / self.factor ** np.arange(7)
        at = self._time_at(self.pieces.points, times)
        return Trajectory(names, times * self.factor, coefficients, METHOD, at * self.factor, notes)

    def _time_at(self, s: Array, times: Array) -> Array:
        """When places are passed, by the clock of the steps."""
        k = np.clip(np.searchsorted(self.pieces.knots, s, side="right") - 1, 0, len(self.pieces.widths) - 1)
        v, u = self.rates
        gone = s - self.pieces.knots[k]
        there = np.sqrt(np.maximum(v[k] ** 2 + 2 * u[k] * gone, 0.0))
        return times[k] + np.divide(2 * gone, v[k] + there, out=np.zeros_like(gone), where=gone > 0)
