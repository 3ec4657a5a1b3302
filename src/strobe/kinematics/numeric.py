"""Numeric inverse kinematics of any robot and frame: damped least squares, many poses and many starts at once.

`step` is one step over numbers, compiled; `seeds` is where searches start; `descent` runs them; `secondary` uses the
freedom that is left; this is the border: what is asked, and the status of every pose.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.errors import ArgumentError, UnsupportedModelError, counted
from strobe.kinematics.descent import Found, Task, search, settle
from strobe.kinematics.manipulability import checked_number
from strobe.kinematics.poses import checked_poses
from strobe.kinematics.ranges import ranges_of
from strobe.kinematics.secondary import Secondary, objective, slide
from strobe.kinematics.seeds import LEFT_OUT, seeds_of, twelve
from strobe.kinematics.solutions import Solutions, Status
from strobe.kinematics.step import ROWS
from strobe.kinematics.unreached import ROUNDING, Unreached, arm_length
from strobe.runtime.arrays import checked

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

SEEDS = 64  # attempts for a pose
ITERATIONS = 40  # steps of an attempt
TOLERANCE = 1e-10
WITHOUT_LIMITS = 8  # attempts, for what was not reached within them


def solve(
    robot: Robot, poses: Any, frame: str | None = None, *, q0: Any = None, what: str = "pose",
    limits: bool = True, seeds: int = SEEDS, iterations: int = ITERATIONS, tolerance: float = TOLERANCE,
    weights: Any = None, secondary: Secondary = None, seed: int = 0,
) -> Solutions:  # fmt: skip
    """One joint position for each of the poses (..., 4, 4) of a frame, or the nearest that was found.

    ``what`` is "pose", "position" or "orientation". The first attempt starts at ``q0`` (..., nq) if it is given; the
    others, ``seeds`` in all, at configurations drawn with ``seed`` whose frames are near. ``weights`` (6, or 3 of
    what is asked) say how much each row counts, linear then angular in base axes; 0 leaves it out. ``secondary`` is
    what a redundant robot does with its freedom: "center" (joints to the middle of their limits), "manipulability", a
    function of positions (..., nq) that is to become small, or its constant gradient (nv). Joints that do not move
    the frame stay at ``q0``, or in the middle of their limits.
    """
    asked = checked_poses(poses, what)
    batch, every = asked.shape[:-2], asked.reshape(-1, 4, 4)
    task = task_of(robot, frame, what, limits, tolerance, weights)
    wish = objective(robot, task.frame, what, secondary)
    rest = _rest(robot, q0, batch)
    attempts = _whole("seeds", seeds), _whole("iterations", iterations), _whole("seed", seed, 0)
    valid = finite(every, what)
    rest, targets = rest[valid], asked_numbers(every[valid], what)
    found = _searched(task, targets, rest, q0 is not None, attempts)
    ranges, reached = ranges_of(robot), found.square < task.arrived
    q = ranges.turned_back(found.q, None if q0 is None else rest)
    loose = _without_limits(task, targets, q, reached, attempts[2]) if limits else np.full_like(q, np.nan)
    if wish is not None:
        q[reached] = slide(task, q[reached], targets[reached], wish)
    missing = task.missing(q, every[valid])
    reached &= task.residual(missing) <= task.tolerance
    within = ranges.within(q)
    status = np.full(len(every), Status.INVALID, int)
    status[valid] = _status(task, targets, reached, within)
    about = Unreached(task, attempts[0], every, status, *(_spread(x, valid) for x in (q, missing, loose)))
    return Solutions(
        q=about.q.reshape(*batch, 1, robot.nq),
        residual=task.residual(about.missing).reshape(*batch, 1),
        within=_spread(within, valid, False).reshape(*batch, 1),
        status=status.reshape(batch),
        recognised="numeric",
        iterations=_spread(found.steps, valid, 0).reshape(batch),
        reasons=about.sentences(batch),
    )


# -- the border -----------------------------------------------------------------------------------------


def task_of(
    robot: Robot, frame: str | None, what: str, limits: bool, tolerance: float, weights: Any = None
) -> Task:
    """What is asked of a frame, checked."""
    name = robot.model.frames[-1].name if frame is None else robot.model.frame(frame).name
    seeds = seeds_of(robot, name)
    if not seeds.moves.any():
        raise UnsupportedModelError(f'no joint of {robot.name} moves frame "{name}".')
    if not isinstance(limits, bool | np.bool_):
        raise ArgumentError(f"limits is {limits!r}; expected True or False.")
    tolerance = checked_number("tolerance", tolerance, "a positive number, metres and radians together")
    bounds = (robot.limits.lower, robot.limits.upper) if limits else _boundless(robot)
    return Task(robot, name, what, _weights(weights, what), *bounds, tolerance, seeds.reach)


def _boundless(robot: Robot) -> tuple[Array, Array]:
    return np.full(robot.nv, -np.inf), np.full(robot.nv, np.inf)


def _weights(weights: Any, what: str) -> Array:
    rows = ROWS[what]
    size = rows.stop - rows.start
    if weights is None:
        return np.ones(size)
    given = checked("weights", weights, (), "").astype(float)
    given = given[rows] if given.shape == (6,) else given
    if given.shape != (size,) or not (np.isfinite(given) & (given >= 0)).all() or not given.any():
        expected = f"{size} numbers, none of them negative and not all zero"
        raise ArgumentError(f"weights is {weights!r}; expected {expected}.")
    return given


def _rest(robot: Robot, q0: Any, batch: tuple[int, ...]) -> Array:
    """(N, nq): where the joints are before anything is solved."""
    q = middle(robot) if q0 is None else checked_position(robot, q0)
    try:
        return np.broadcast_to(q, (*batch, robot.nq)).reshape(-1, robot.nq)
    except ValueError:
        raise ArgumentError(
            f"q0 has shape {q.shape} and poses {(*batch, 4, 4)}: the leading axes do not go together."
        ) from None


def checked_position(robot: Robot, q0: Any) -> Array:
    """A position (..., nq) to start from."""
    why = f"{robot.name} has {counted(robot.nq, 'position number')}"
    q = checked("q0", q0, (robot.nq,), why).astype(float)
    if not np.isfinite(q).all():
        raise ArgumentError("q0 holds a NaN or an infinity; expected a position to start from.")
    return q


def middle(robot: Robot) -> Array:
    """The position with joints in the middle of their limits, at zero where these are infinite."""
    q, ranges = robot.neutral.copy(), ranges_of(robot)
    q[ranges.columns] = ranges.centre
    return q


def finite(poses: Array, what: str) -> Array:
    """(N,) whether what is asked of poses (N, 4, 4) holds neither NaN nor infinity."""
    return np.asarray(np.isfinite(asked_numbers(poses, what)).all(-1))


def asked_numbers(poses: Array, what: str) -> Array:
    """(..., 12) the numbers of poses, zero where they are not asked for."""
    numbers = twelve(poses)
    numbers[..., LEFT_OUT[what]] = 0.0
    return numbers


def _whole(name: str, value: Any, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ArgumentError(f"{name} is {value!r}; expected a whole number, {least} or more.")
    return int(value)


def _spread(values: Array, rows: Array, empty: Any = np.nan) -> Array:
    """Values of some rows among all of them."""
    out = np.full((len(rows), *values.shape[1:]), empty, values.dtype)
    out[rows] = values
    return out


# -- the search -----------------------------------------------------------------------------------------


def _searched(
    task: Task, targets: Array, rest: Array, from_rest: bool, attempts: tuple[int, int, int]
) -> Found:
    """The best place of every pose; what no attempt reached is settled where it comes nearest."""
    most, steps, seed = attempts
    found = search(task, targets, rest, from_rest, seeds_of(task.robot, task.frame, seed), most, steps)
    left = ~(found.square < task.arrived)
    if left.any():
        part = settle(task, targets[left], Found(found.q[left], found.square[left], found.steps[left]))
        found.q[left], found.square[left], found.steps[left] = part.q, part.square, part.steps
    return found


def _without_limits(task: Task, targets: Array, q: Array, reached: Array, seed: int) -> Array:
    """(N, nq) positions that reach, beyond limits, what was not reached within them; NaN where there is none.

    A position that whole turns bring within the limits is a solution, and is taken for one.
    """
    loose = np.full_like(q, np.nan)
    left = np.flatnonzero(~reached)
    if not len(left):
        return loose
    lower, upper = _boundless(task.robot)
    free = replace(task, lower=lower, upper=upper)
    seeds = seeds_of(task.robot, task.frame, seed)
    found = search(free, targets[left], q[left], True, seeds, WITHOUT_LIMITS, ITERATIONS)
    ranges, arrived = ranges_of(task.robot), found.square < task.arrived
    there = ranges.turned_back(found.q, None)
    inside = arrived & ranges.within(there)
    q[left[inside]], reached[left[inside]] = there[inside], True
    outside = arrived & ~inside
    loose[left[outside]] = there[outside]
    return loose


def _status(task: Task, targets: Array, reached: Array, within: Array) -> Array:
    _, centre, length = arm_length(task.robot, task.frame)
    far = np.linalg.norm(targets[:, 9:] - centre, axis=-1) > length * (1 + ROUNDING)
    unmet = np.where(far & (task.what != "orientation"), Status.UNREACHABLE, Status.NOT_CONVERGED)
    return np.where(reached, np.where(within, Status.SOLVED, Status.LIMITS), unmet)
