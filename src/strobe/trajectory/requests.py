"""What is asked of a planner: points to pass, speeds where they are prescribed, and the bounds to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from math import inf
from operator import le
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import FEW, every, some
from strobe.errors import Advised, ArgumentError, ShapeError, UnknownNameError, counted
from strobe.kinematics.joint_ranges import ranges_of
from strobe.models.loops import require_open as require_open_chains
from strobe.robot import Robot, require_robot
from strobe.robot.recent import Recent
from strobe.show.sheet import Column, Sheet, Table, by_joint, displayed, numbered
from strobe.show.units import EITHER, either, lengths

Array = np.ndarray
COMPLETED = (
    "Plan its driven joints as an arm of their own; strobe.mechanisms.complete moves the others with them."
)
ROUNDING = 1e-9  # a point this far outside a bound is on it
LEAST, MOST = 1e-30, 1e30  # of bounds: powers of what lies beyond are no numbers
SOONEST, LATEST = 1e-9, 1e9  # seconds from point to point
FARTHEST = 1e9  # rad or m


@displayed
@dataclass(frozen=True, eq=False)
class Bounds:
    """What every joint must keep: (n,) each."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    jerk: Array
    effort: Array

    def _sheet(self) -> Sheet:
        return Sheet(
            f"bounds of {counted(len(self.lower), 'joint')}", [self.table(numbered("", len(self.lower)))]
        )

    def table(self, names: Sequence[str]) -> Table:
        """The bounds, joint by joint."""
        units = (EITHER, EITHER, either(1), either(2), either(3), "N m or N")
        named = ((each.name, unit) for each, unit in zip(fields(self), units, strict=True))
        return by_joint(names, [Column(name, getattr(self, name), unit) for name, unit in named])


@displayed
@dataclass(frozen=True, eq=False)
class Request:
    """Points to pass in turn; NaN is a velocity, or are times, for the planner to choose."""

    joint_names: tuple[str, ...]
    q: Array  # (P, n)
    qd: Array  # (P, n)
    times: Array  # (P,) from zero on
    bounds: Bounds
    labels: tuple[str, ...]  # a name per point, for sentences
    envelope: float | None  # how far the path may leave the lines between its points
    robot: Robot
    frame: str | None = None  # the hand; else the tip
    meant: bool = False  # whether nobody named the frame
    posed: tuple[bool, ...] = ()  # per point: the pose of the hand was given, other joints would do as well
    method: str | None = None  # the planner that a file asks for

    @property
    def n(self) -> int:
        return len(self.joint_names)

    def _sheet(self) -> Sheet:
        head = f"a request for {self.robot.name}: {counted(len(self.q), 'point')} to pass"
        heads = [
            f"{name} ({unit})"
            for name, unit in zip(self.joint_names, lengths(self.robot.coordinates.joints), strict=True)
        ]
        rows = [
            [label, float(t), *map(float, q)]
            for label, t, q in zip(self.labels, self.times, self.q, strict=True)
        ]
        return Sheet(head, [Table(["", "time (s)", *heads], rows), self.bounds.table(self.joint_names)])

    def with_points(self, q: Array, qd: Array, times: Array, labels: Sequence[str]) -> Request:
        return replace(self, q=q, qd=qd, times=times, labels=tuple(labels), posed=())


def request(
    robot: Robot, q: Any, *, qd: Any = None, times: Any = None, velocity: Any = None, acceleration: Any = None,
    jerk: Any = None, effort: Any = None, lower: Any = None, upper: Any = None, envelope: float | None = None,
    frame: str | None = None, labels: Sequence[str] = (),
) -> Request:  # fmt: skip
    """A request for a robot: positions (P, n), velocities with NaN where free, bounds that are the robot's own
    unless given (one number for all joints, one per joint, or a mapping from names)."""
    require_robot(robot)
    names = tuple(robot.joint_names)
    require_open_chains(robot.model, "planning", COMPLETED)
    if not robot.coordinates.is_single:
        raise ArgumentError(
            f"{robot.name} has joints with {robot.coordinates.several}; motions are planned for joints with one "
            "position each."
        )
    points = _table("q", q, names, None)
    rates = _alike(points.shape, np.nan) if qd is None else _table("qd", qd, names, len(points))
    clock = _alike((len(points),), np.nan) if times is None else _numbers("times", times, "one per point")
    marks = tuple(labels) or tuple(f"point {k + 1}" for k in range(len(points)))
    width = None if envelope is None else float(_numbers("envelope", envelope, "a distance"))
    given = lower, upper, velocity, acceleration, jerk, effort
    known = all(x is None or type(x) is float for x in given)
    kept = robot.kept("bounds", Recent) if known else None
    held = kept.get(given) if kept else None
    bounds = Bounds(*map(np.copy, held)) if held else bounds_of(robot, *given)
    if len(points) < 2:
        raise ArgumentError(f"the request has {counted(len(points), 'point')}; a motion needs two or more.")
    for name, shape in (("times", clock.shape), ("labels", (len(marks),))):
        if shape != (len(points),):
            raise ShapeError(name, shape, f"({len(points)},)", "there is one per point")
    for end in (rates[0], rates[-1]):
        end[end != end if qd is not None else slice(None)] = 0.0  # NaN, which alone differs from itself
    named = None if frame is None else robot.moving_frame(frame)
    made = Request(names, points, rates, clock, bounds, marks, width, robot, named)
    if held is None:
        _check_bounds(made)
    if kept is not None and held is None:
        copies = [getattr(bounds, each.name).copy() for each in fields(bounds)]
        _ = kept(given, lambda: copies)
    _check_envelope(width)
    _check_points(made)
    return made if times is None else replace(made, times=_check_times(made))


def bounds_of(
    robot: Robot, lower: Any = None, upper: Any = None, velocity: Any = None, acceleration: Any = None,
    jerk: Any = None, effort: Any = None,
) -> Bounds:  # fmt: skip
    """The robot's own bounds, or what is given: one number for all joints, one per joint, or by names."""
    names = tuple(robot.joint_names)
    limits = ranges_of(robot)  # with those of joints that follow
    return Bounds(
        lower=_per_joint("lower", lower, names, limits.lower),
        upper=_per_joint("upper", upper, names, limits.upper),
        velocity=_per_joint("velocity", velocity, names, limits.velocity),
        acceleration=_per_joint("acceleration", acceleration, names, limits.acceleration),
        jerk=_per_joint("jerk", jerk, names, _alike((len(names),), inf)),
        effort=_per_joint("effort", effort, names, robot.limits.effort),
    )


def _table(name: str, values: Any, names: tuple[str, ...], rows: int | None) -> Array:
    table = _numbers(name, values, f"rows of {len(names)} numbers")
    expected = f"({rows or 'points'}, {len(names)})"
    if table.ndim != 2 or table.shape[1] != len(names) or (rows is not None and len(table) != rows):
        raise ShapeError(
            name,
            table.shape,
            expected,
            f"there is one row per point and one column per joint ({', '.join(names)})",
        )
    return table


def _numbers(name: str, values: Any, expected: str) -> Array:
    try:
        return np.array(values, dtype=float)
    except Exception:  # a foreign __array__ may raise anything
        raise ArgumentError(f"{name} holds something that is no number; expected {expected}.") from None


def _per_joint(name: str, given: Any, names: tuple[str, ...], own: Array) -> Array:
    """One number per joint: the robot's own where nothing else is given."""
    if given is None:
        return own.copy()
    if isinstance(given, Mapping):
        values = own.copy()
        for joint, value in given.items():
            if joint not in names:
                raise UnknownNameError("joint", joint, name, names)
            values[names.index(joint)] = _numbers(f'{name} of joint "{joint}"', value, "a number")
        return values
    values = _numbers(name, given, "one number, or one per joint")
    if values.shape not in ((), (len(names),)):
        raise ShapeError(name, values.shape, f"one number, or ({len(names)},)", "there is one per joint")
    return _alike((len(names),), values)


def _alike(shape: tuple[int, ...], values: Any) -> Array:
    """An array with the same number everywhere, or the same numbers in every row."""
    each = np.empty(shape)
    each[:] = values
    return each


def require_bound(asked: Request, name: str, otherwise: str = "") -> None:
    """Refuse a request that leaves a joint without a bound that its planner needs."""
    if not some(np.isinf(getattr(asked.bounds, name))):
        return
    for joint, value in zip(asked.joint_names, getattr(asked.bounds, name), strict=True):
        if np.isinf(value):
            sentence = (
                f'joint "{joint}" has no bound on its {name}. Give {name}= (one number, or one per joint)'
                f"{otherwise}."
            )
            raise ArgumentError(Advised(sentence, {f"{name}=": f"{name} under [bounds], or --{name}"}))


def require_open(asked: Request, method: str) -> None:
    """Refuse times and velocities, for a planner that chooses them and starts and ends at rest."""
    if not np.isnan(asked.times).all():
        raise ArgumentError(
            f"{method} chooses its own times: leave those of the request out, or plan with cubic."
        )
    given = ~np.isnan(asked.qd)
    given[[0, -1]] = asked.qd[[0, -1]] != 0.0
    for k, j in zip(*np.nonzero(given), strict=True):
        how = (
            "starts and ends at rest"
            if k in (0, len(given) - 1)
            else "chooses velocities between the ends itself"
        )
        raise ArgumentError(
            f'{asked.labels[k]} asks joint "{asked.joint_names[j]}" for velocity {asked.qd[k, j]:g}, '
            f"but {method} {how}."
        )


def _check_bounds(asked: Request) -> None:
    """Every bound is a size that planners reckon with, and leaves its joint a place."""
    b = asked.bounds
    sizes = [*b.velocity.tolist(), *b.acceleration.tolist(), *b.jerk.tolist(), *b.effort.tolist()]
    if not all(LEAST <= size <= MOST or size == inf for size in set(sizes)):
        _refuse_sizes(asked)
    if not every(b.lower <= b.upper):
        _refuse_places(asked)


def _check_envelope(width: float | None) -> None:
    if width is not None and not width > 0:
        raise ArgumentError(f"envelope is {width:g}; expected a distance above zero.")


def _refuse_sizes(asked: Request) -> None:
    for name in ("velocity", "acceleration", "jerk", "effort"):
        for joint, value in zip(asked.joint_names, getattr(asked.bounds, name), strict=True):
            if not value > 0:
                raise ArgumentError(
                    f'the {name} bound of joint "{joint}" is {value:g}; expected a number above zero.'
                )
            if not (LEAST <= value <= MOST or np.isinf(value)):
                raise ArgumentError(
                    f'the {name} bound of joint "{joint}" is {value:g}; expected one from {LEAST:g} to {MOST:g}, or '
                    "none (inf)."
                )


def _refuse_places(asked: Request) -> None:
    for joint, low, high in zip(asked.joint_names, asked.bounds.lower, asked.bounds.upper, strict=True):
        if not low <= high:
            raise ArgumentError(
                f'the bounds of joint "{joint}" leave it no place: from {low:g} to {high:g}.'
            )


def _check_points(asked: Request) -> None:
    """Every point is a place the joints may be, at a speed they may have."""
    b, q = asked.bounds, asked.q
    if 0 < q.size <= FEW:  # of few numbers, Python tells sooner
        low, high = b.lower.tolist(), b.upper.tolist()
        inside = all(
            all(map(le, low, row))
            and all(map(le, row, high))
            and min(row) >= -FARTHEST
            and max(row) <= FARTHEST
            for row in q.tolist()
        )
    else:
        inside = ((np.abs(q) <= FARTHEST) & (q >= b.lower) & (q <= b.upper)).all()
    if not inside or np.count_nonzero(asked.qd):
        _look_closer(asked)


def _look_closer(asked: Request) -> None:
    """The same where a place or a speed may be on its bound, or beyond."""
    b, far, speed = asked.bounds, np.abs(asked.q), np.abs(asked.qd)
    slack = ROUNDING * (1 + far)
    placed = (far <= FARTHEST) & (asked.q >= b.lower - slack) & (asked.q <= b.upper + slack)
    if not placed.all() or ((speed > b.velocity * (1 + ROUNDING)) | (speed == inf)).any():
        _refuse_points(asked)


def _refuse_points(asked: Request) -> None:
    b = asked.bounds
    for label, q, qd in zip(asked.labels, asked.q, asked.qd, strict=True):
        for j, joint in enumerate(asked.joint_names):
            if not abs(q[j]) <= FARTHEST:
                expected = "a finite number" if not np.isfinite(q[j]) else f"at most {FARTHEST:g}"
                raise ArgumentError(f'{label} puts joint "{joint}" at {q[j]:g}; expected {expected}.')
            slack = ROUNDING * (1 + abs(q[j]))
            if q[j] < b.lower[j] - slack or q[j] > b.upper[j] + slack:
                side, bound = (
                    ("below its lower", b.lower[j])
                    if q[j] < b.lower[j]
                    else ("above its upper", b.upper[j])
                )
                raise ArgumentError(f'{label} puts joint "{joint}" at {q[j]:g}, {side} bound {bound:g}.')
            if np.isinf(qd[j]) or abs(qd[j]) > b.velocity[j] * (1 + ROUNDING):
                raise ArgumentError(
                    f'{label} asks joint "{joint}" for velocity {qd[j]:g}; its bound is {b.velocity[j]:g}.'
                )


def _check_times(asked: Request) -> Array:
    """Times that only go forwards, the first one zero; all of them, or none."""
    missing = np.isnan(asked.times)
    if missing.all():
        return asked.times
    if missing.any():
        label = asked.labels[int(np.argmax(missing))]
        raise ArgumentError(
            f"{label} has no time, but others have: give times for all points, or for none."
        )
    for before, after in pairwise(range(len(asked.times))):
        between = asked.times[after] - asked.times[before]
        if not (between == 0 or SOONEST <= between <= LATEST):
            expected = "that go forwards" if not between > 0 else f"{SOONEST:g} to {LATEST:g} s apart"
            raise ArgumentError(
                f"{asked.labels[after]} has time {asked.times[after]:g} s, after {asked.labels[before]} at "
                f"{asked.times[before]:g} s; expected times {expected}."
            )
    return asked.times - asked.times[0]
