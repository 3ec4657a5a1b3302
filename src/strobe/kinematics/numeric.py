"""Numeric inverse kinematics of any robot and frame: damped least squares, many poses and many starts at once.

`step` is one step over numbers, compiled; `seeds` is where searches start; `descent` runs them; `secondary` uses the
freedom that is left; this is the border: what is asked, and the status of every pose.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked
from strobe.errors import ArgumentError, counted, shown
from strobe.kinematics.damped_least_squares import Found, Task, search, settle
from strobe.kinematics.damped_step import ROWS
from strobe.kinematics.initial_guesses import seeds_of
from strobe.kinematics.joint_ranges import ranges_of
from strobe.kinematics.null_space import Objective, Secondary, objective, slide
from strobe.kinematics.poses import checked_poses, checked_what, finite, label
from strobe.kinematics.solutions import Solutions, SolutionStatus
from strobe.kinematics.unreachable_poses import sentence, too_far
from strobe.models.arguments import require_above, require_truth, require_whole
from strobe.models.loops import require_open
from strobe.robot import Robot, require_robot

Array = np.ndarray
BOUND = 'Bind the frame to its goal: robot.with_loop(goal, frame, "point").assemble(q), with a frame there.'

NAME = "numeric"
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
    require_robot(robot)
    asked = checked_poses(poses, what)
    batch, every = asked.shape[:-2], asked.reshape(-1, 4, 4)
    task = task_of(robot, frame, what, limits, tolerance, weights)
    wish = objective(robot, task.frame, what, secondary)
    attempts = (
        require_whole("seeds", seeds, 1),
        require_whole("iterations", iterations, 1),
        require_whole("seed", seed, 0),
    )
    rest, valid = _rest(robot, q0, batch), finite(every, what)
    if valid.all():
        rows = _solved(task, every, rest, q0 is not None, attempts, wish)
    else:
        rows = _solved(task, every[valid], rest[valid], q0 is not None, attempts, wish).among(valid)
    return answered(robot, rows, batch)


def answered(robot: Robot, rows: Rows, batch: tuple[int, ...]) -> Solutions:
    """Rows with the axes of what was asked."""
    return Solutions(
        q=rows.q.reshape(*batch, 1, robot.nq),
        residual=rows.residual.reshape(*batch, 1),
        within=rows.within.reshape(*batch, 1),
        status=rows.status.reshape(batch),
        recognised=NAME,
        iterations=rows.steps.reshape(batch),
        reasons=tuple(f"{label(k, batch)} {text}" for k, text in sorted(rows.reasons.items())),
        names=robot.coordinates.position_names,
    )


@dataclass(frozen=True, eq=False)
class Rows:
    """One answer for each of N poses, and a sentence for those that were not solved."""

    q: Array
    residual: Array
    within: Array
    status: Array
    steps: Array
    reasons: dict[int, str]

    def among(self, valid: Array) -> Rows:
        """The rows among others whose poses are not numbers."""
        at = np.flatnonzero(valid).tolist()
        reasons = dict.fromkeys(np.flatnonzero(~valid).tolist(), "holds a NaN or an infinity.")
        return Rows(
            _spread(self.q, valid, np.nan),
            _spread(self.residual, valid, np.nan),
            _spread(self.within, valid, False),
            _spread(self.status, valid, SolutionStatus.INVALID),
            _spread(self.steps, valid, 0),
            reasons | {at[k]: text for k, text in self.reasons.items()},
        )


def _spread(values: Array, rows: Array, empty: float) -> Array:
    """Values of some rows among all of them."""
    out = np.full((len(rows), *values.shape[1:]), empty, values.dtype)
    out[rows] = values
    return out


# -- the border -----------------------------------------------------------------------------------------


def task_of(
    robot: Robot, frame: str | None, what: str, limits: bool, tolerance: float, weights: Any = None
) -> Task:
    """What is asked of a frame, checked."""
    require_open(robot.model, "inverse kinematics", BOUND)
    limits, frame, what = require_truth("limits", limits), robot.moving_frame(frame), checked_what(what)
    tolerance = require_above("tolerance", tolerance, "a positive number, metres and radians together")
    if weights is not None:
        return _task(robot, frame, what, limits, tolerance, weights)
    key = "task", frame, what, limits, tolerance
    return robot.kept(key, lambda: _task(robot, frame, what, limits, tolerance, None))


def _task(robot: Robot, frame: str, what: str, limits: bool, tolerance: float, weights: Any) -> Task:
    seeds = seeds_of(robot, frame)
    return Task(robot, frame, what, _weights(weights, what), limits, tolerance, seeds.reach)


def _weights(weights: Any, what: str) -> Array:
    rows = ROWS[what]
    size = rows.stop - rows.start
    if weights is None:
        return np.ones(size)
    given = checked("weights", weights, (), "").astype(float)
    given = given[rows] if given.shape == (6,) else given
    if given.shape != (size,) or not (np.isfinite(given) & (given >= 0)).all() or not given.any():
        expected = f"{size} numbers, none of them negative and not all zero"
        raise ArgumentError(f"weights is {shown(weights)}; expected {expected}.")
    return given


def _rest(robot: Robot, q0: Any, batch: tuple[int, ...]) -> Array:
    """(N, nq): where the joints are before anything is solved."""
    q = middle(robot) if q0 is None else checked_position(robot, q0)
    try:
        return np.broadcast_to(q, (*batch, robot.nq)).reshape(-1, robot.nq)
    except ValueError:
        raise unlike_axes(q, batch) from None


def unlike_axes(q0: Array, batch: tuple[int, ...]) -> ArgumentError:
    """What is said of positions that are not as many as poses."""
    return ArgumentError(
        f"q0 has shape {q0.shape} and poses {(*batch, 4, 4)}: the leading axes do not go together. "
        "Give one position, or one for each pose."
    )


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


# -- the search -----------------------------------------------------------------------------------------


def _solved(
    task: Task, poses: Array, rest: Array, from_rest: bool, attempts: tuple[int, int, int],
    wish: Objective | None,
) -> Rows:  # fmt: skip
    """Poses (N, 4, 4) without NaN answered."""
    targets, (most, steps, seed) = task.numbers(poses), attempts
    seeds = seeds_of(task.robot, task.frame, seed)
    found = search(task, targets, rest, from_rest, seeds, most, steps)
    return finished(task, poses, targets, rest, from_rest, found, attempts, wish)


def finished(
    task: Task, poses: Array, targets: Array, rest: Array, from_rest: bool, found: Found,
    attempts: tuple[int, int, int], wish: Objective | None = None,
) -> Rows:  # fmt: skip
    """What a search found, in its right turns and told; what no attempt reached settles where it comes nearest."""
    ranges = ranges_of(task.robot)
    _settled(task, targets, found)
    reached, loose = found.square < task.arrived, np.full(found.q.shape, np.nan)
    q = ranges.turned_back(found.q, rest if from_rest else None)
    if task.limits and not reached.all():
        _without_limits(task, targets, q, reached, loose, attempts[2])
    if wish is not None:
        q[reached] = slide(task, q[reached], targets[reached], wish)
    residual = task.residual(q, poses)
    reached &= residual <= task.tolerance
    within = ranges.within(q)
    status = _status(task, poses, reached, within)
    reasons = {
        int(k): sentence(task, attempts[0], poses[k], SolutionStatus(status[k]), q[k], loose[k])
        for k in status.nonzero()[0]  # SOLVED is zero
    }
    return Rows(q, residual, within, status, found.steps, reasons)


def _settled(task: Task, targets: Array, found: Found) -> None:
    """The places of what no attempt reached, moved to where they come nearest."""
    left = ~(found.square < task.arrived)
    if left.any():
        part = settle(task, targets[left], Found(found.q[left], found.square[left], found.steps[left]))
        found.q[left], found.square[left], found.steps[left] = part.q, part.square, part.steps


def _without_limits(task: Task, targets: Array, q: Array, reached: Array, loose: Array, seed: int) -> None:
    """Fill ``loose`` (N, nq) with positions that reach, beyond limits, what was not reached within them.

    A position that whole turns bring within the limits is a solution, and is taken for one.
    """
    left = np.flatnonzero(~reached)
    free, ranges = replace(task, limits=False), ranges_of(task.robot)
    seeds = seeds_of(task.robot, task.frame, seed)
    found = search(free, targets[left], q[left], True, seeds, WITHOUT_LIMITS, ITERATIONS)
    arrived, there = found.square < task.arrived, ranges.turned_back(found.q, None)
    inside = arrived & ranges.within(there)
    q[left[inside]], reached[left[inside]] = there[inside], True
    outside = arrived & ~inside
    loose[left[outside]] = there[outside]


def _status(task: Task, poses: Array, reached: Array, within: Array) -> Array:
    status = np.where(reached & (within | (not task.limits)), SolutionStatus.SOLVED, SolutionStatus.LIMITS)
    lost = ~reached
    if lost.any():
        far = too_far(task, poses[lost])
        status[lost] = np.where(far, SolutionStatus.UNREACHABLE, SolutionStatus.NOT_CONVERGED)
    return status
