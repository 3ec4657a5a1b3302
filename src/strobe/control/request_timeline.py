"""Requests as they arrive, made one motion: each begins where the one before it has got to by then.

    0.0 s   request ──▶ (hands converted) ──▶ trajectory ──────┐ q, qd at 0.8 s
    0.8 s   request ──▶ (hands converted) ──▶ trajectory from ◀┘──────┐ q, qd at 1.1 s
    1.1 s   stop    ──▶ to rest as fast as the joints may            ◀┘

Positions and velocities go on without a jump. A planner that starts from rest, or a request that the joints are too
fast for, is preceded by a stop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Real
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from strobe.control.emergency_stop import stop
from strobe.errors import Advised, ArgumentError, StrobeError, UnknownNameError, advice_of
from strobe.models.arguments import finite_numbers
from strobe.robot import Robot
from strobe.trajectory.files import in_order
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.planners import plan
from strobe.trajectory.reading import BOUNDS, Start, read_request, request_from
from strobe.trajectory.requests import ROUNDING, Bounds, Request, request

Array = np.ndarray
Planner = str | Callable[[Request], Trajectory]

KEPT = (*BOUNDS, "envelope")  # what may stand in place of a request's own
JUMPS = "accelerations may jump there; bounds on jerk are kept before and after."
CLOSE = 1e-6  # a motion that begins this near a state goes on from it


@dataclass(frozen=True)
class Stop:
    """Come to rest, from a time on."""

    time: float


class Timeline(NamedTuple):
    """The motion that comes of requests, and what it does not keep, in sentences."""

    motion: Trajectory
    infeasible: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Planning:
    """How requests become motions: a planner by name or a function, bounds in place of a request's own."""

    robot: Robot
    planner: Planner | None = None
    bounds: Mapping[str, Any] | None = None
    motors: bool = False  # whether stops keep the limits on effort

    def __post_init__(self) -> None:
        for name in self.bounds or ():
            if name not in KEPT:
                raise UnknownNameError("bound", name, "requests", KEPT)

    def timeline(self, asked: Any, stop_at: float | None = None) -> Timeline:
        """One request or motion, or ``(time, request)`` and `Stop` one after another; a timeline stays as it is."""
        if isinstance(asked, Timeline):
            if stop_at is None:
                return asked
            asked = asked.motion
        arrivals = _arrivals(asked, stop_at)
        parts, unkept = list[_Part](), list[str]()
        for number, (time, each) in enumerate(arrivals, 1):
            where = "" if len(arrivals) == 1 else f"request {number}, at {time:g} s: "
            try:
                part, said = self._part(time, each, parts)
            except StrobeError as error:
                raise ArgumentError(Advised(f"{where}{error}", advice_of(error))) from None
            parts.append(part)
            unkept += [f"the stop at {time:g} s: {sentence}" for sentence in said]
        return Timeline(_spliced(parts), tuple(unkept))

    def _part(self, time: float, asked: Any, before: Sequence[_Part]) -> tuple[_Part, tuple[str, ...]]:
        start = _state(before[-1], time) if before else None
        if isinstance(asked, Stop):
            if start is None:
                raise ArgumentError("there is nothing to stop; expected a request before it.")
            bounds = before[-1].bounds or self._own_bounds(start)
            halted = stop(self.robot, start.q, start.qd, bounds, self.motors)
            return _Part(time, halted.motion, bounds), halted.overruns
        if isinstance(asked, Trajectory):
            return _Part(time, self._going_on(asked, start), None), ()
        made = self._request(asked, start)
        return _Part(time, self._planned(made, start), made.bounds), ()

    def _planned(self, made: Request, start: Start | None) -> Trajectory:
        """The motion of a request, from a state in motion if there is one."""
        if start is None or not np.any(start.qd):
            return self._plan(made)
        try:
            motion = self._plan(_moving(made, start))
        except StrobeError as refusal:
            try:
                return self._after_a_stop(made, start, refusal)
            except StrobeError:
                raise refusal from None
        return (
            motion.with_notes(f"{start.label}: {JUMPS}") if np.isfinite(made.bounds.jerk).any() else motion
        )

    def _after_a_stop(self, made: Request, start: Start, refusal: StrobeError) -> Trajectory:
        """The motion from rest, and how the arm comes to rest before it; the refusal again where that is no way."""
        halt, overruns = stop(self.robot, start.q, start.qd, made.bounds, self.motors)
        if overruns or not np.isnan(made.times).all():
            raise refusal
        end = halt(halt.duration).q
        follows = self._plan(replace(made, q=np.concatenate([end[None], made.q[1:]])))
        whole = _spliced([_Part(0.0, halt, None), _Part(halt.duration, follows, None)])
        said = f"the arm stops first, within {halt.duration:.3g} s: {refusal}"
        return replace(whole, method=follows.method).with_notes(said)

    def _plan(self, made: Request) -> Trajectory:
        if not callable(self.planner):
            return plan(self.robot, made, self.planner)
        motion = self.planner(made)
        if not isinstance(motion, Trajectory):
            raise ArgumentError(f"the planner returned a {type(motion).__name__}; expected a Trajectory.")
        return in_order(motion, self.robot.joint_names, self.robot.name)

    # -- what is asked ------------------------------------------------------------------------------

    def _request(self, asked: Any, start: Start | None) -> Request:
        """A request with the state that it begins in, at rest, as its first point."""
        robot, bounds = self.robot, dict(self.bounds or {})
        still = None if start is None else start._replace(qd=[0.0] * robot.n)
        if isinstance(asked, Mapping):
            return request_from(robot, asked, start=still, **bounds)
        if isinstance(asked, str | PathLike):
            return read_request(robot, asked, still, **bounds)
        if not isinstance(asked, Request):
            points = asked if still is None else _ahead(asked, still, robot)
            labels = () if still is None else (still.label, *(f"point {k}" for k in range(1, len(points))))
            return request(robot, points, labels=labels, **bounds)
        if asked.joint_names != tuple(robot.joint_names):
            raise ArgumentError(f"the request was made for {asked.robot.name}, not for {robot.name}.")
        if bounds:
            raise ArgumentError(f"{', '.join(bounds)}: a request that is made holds its own bounds.")
        return asked if still is None else _started(asked, still)

    def _going_on(self, motion: Trajectory, start: Start | None) -> Trajectory:
        """A motion that somebody planned, which must begin where the one before it is."""
        motion = in_order(motion, self.robot.joint_names, self.robot.name)
        if start is None:
            return motion
        first = motion(0.0)
        for name, mine, its in (("position", start.q, first.q), ("velocity", start.qd, first.qd)):
            j = int(np.abs(its - mine).argmax())
            if not abs(its[j] - mine[j]) <= CLOSE:
                raise ArgumentError(
                    f'the motion begins with joint "{self.robot.joint_names[j]}" at {name} {its[j]:.6g}, but '
                    f"{start.label} has {mine[j]:.6g}. Plan it from there, or give a request."
                )
        return motion

    def _own_bounds(self, start: Start) -> Bounds:
        """The robot's bounds, or those given."""
        given = dict(self.bounds or {})
        room = {name: given.pop(name, None) for name in ("lower", "upper")}
        own = request(self.robot, [start.q] * 2, lower=-np.inf, upper=np.inf, **given).bounds
        limits = self.robot.limits
        lower, upper = (
            getattr(limits, name) if value is None else np.broadcast_to(value, own.lower.shape)
            for name, value in room.items()
        )
        return replace(own, lower=lower, upper=upper)


# -- arrivals -----------------------------------------------------------------------------------------------


def _arrivals(asked: Any, stop_at: float | None) -> list[tuple[float, Any]]:
    """Times and what arrives then, in order."""
    timed = isinstance(asked, list | tuple) and bool(asked) and all(_timed(each) for each in asked)
    given = (
        [(each.time, each) if isinstance(each, Stop) else tuple(each) for each in asked] if timed else []
    )
    found = [(float(time), each) for time, each in given] if timed else [(0.0, asked)]
    if stop_at is not None:
        (when,) = finite_numbers("stop_at", stop_at, 1)
        found.append((when, Stop(when)))
    if found[0][0] != 0.0:
        raise ArgumentError(
            f"the first request arrives at {found[0][0]:g} s; expected 0: there the run begins."
        )
    for (before, _), (after, _) in pairwise(found):
        if not before < after < np.inf:
            raise ArgumentError(
                f"a request at {after:g} s follows one at {before:g} s; expected rising times."
            )
    return found


def _timed(each: Any) -> bool:
    """Whether it is a time with a request, or a stop, and no row of numbers."""
    if isinstance(each, Stop):
        return True
    pair = isinstance(each, list | tuple) and len(each) == 2 and isinstance(each[0], Real)
    return pair and not isinstance(each[1], Real)


def _ahead(points: Any, start: Start, robot: Robot) -> list[Any]:
    """A state before points (P, n) or one point (n,)."""
    rows = np.asarray(points, dtype=float)
    return [start.q, *(rows if rows.ndim != 1 else rows[None])]


def _started(asked: Request, start: Start) -> Request:
    """A request with one more point before its own."""
    first = np.nan if np.isnan(asked.times).all() else 0.0
    qd = asked.qd.copy()
    qd[0] = np.where(qd[0] == 0.0, np.nan, qd[0])  # what began at rest is now passed
    made = asked.with_points(
        np.concatenate([[start.q], asked.q]), np.concatenate([[start.qd], qd]),
        np.append(first, asked.times), (start.label, *asked.labels),
    )  # fmt: skip
    return replace(made, posed=(False, *asked.posed) if asked.posed else ())


def _moving(made: Request, start: Start) -> Request:
    """The request begun at the velocity of its first point."""
    over = np.abs(start.qd) > made.bounds.velocity * (1 + ROUNDING)
    if over.any():
        j = int(over.argmax())
        raise ArgumentError(
            f'{start.label} has joint "{made.joint_names[j]}" at velocity {start.qd[j]:.4g}, and its bound is '
            f"{made.bounds.velocity[j]:g}."
        )
    return replace(made, qd=np.concatenate([[start.qd], made.qd[1:]]))


# -- motions one after another ------------------------------------------------------------------------------


class _Part(NamedTuple):
    """A motion, from when on it holds, and the bounds it was planned in."""

    time: float
    motion: Trajectory
    bounds: Bounds | None


def _state(part: _Part, time: float) -> Start:
    """Where a motion has got to; it stays where it ends."""
    local = time - part.time
    at = part.motion(min(local, part.motion.duration))
    qd = at.qd if local < part.motion.duration else 0.0 * at.qd
    return Start(at.q, qd, f"the state at {time:g} s")  # pyright: ignore[reportArgumentType]


def _spliced(parts: Sequence[_Part]) -> Trajectory:
    """Motions one after another, each until the next begins, as one."""
    if len(parts) == 1:
        return parts[0].motion
    powers = max(part.motion.coefficients.shape[-1] for part in parts)
    times, pieces, points = list[Array](), list[Array](), list[Array]()
    ends = [*(part.time for part in parts[1:]), np.inf]
    for part, end in zip(parts, ends, strict=True):
        own = _held(part.motion, end - part.time)
        starts = part.time + own.times[:-1]
        before = starts < end
        times.append(starts[before])
        pieces.append(_padded(own.coefficients[before], powers))
        passed = part.time + own.points
        points.append(passed[passed < end])
    last = parts[-1]
    return Trajectory(
        last.motion.joint_names, np.append(np.concatenate(times), last.time + last.motion.duration),
        np.concatenate(pieces), ", ".join(dict.fromkeys(part.motion.method for part in parts)),
        np.concatenate(points), tuple(note for part in parts for note in part.motion.notes),
    )  # fmt: skip


def _held(motion: Trajectory, until: float) -> Trajectory:
    """The motion, standing where it ends until a time if it ends sooner."""
    if not motion.duration < until < np.inf:
        return motion
    still = np.zeros((1, *motion.coefficients.shape[1:]))
    still[0, :, 0] = motion(motion.duration).q
    return replace(
        motion,
        times=np.append(motion.times, until),
        coefficients=np.concatenate([motion.coefficients, still]),
    )


def _padded(coefficients: Array, powers: int) -> Array:
    return np.pad(coefficients, ((0, 0), (0, 0), (0, powers - coefficients.shape[-1])))
