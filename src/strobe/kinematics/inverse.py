"""Inverse kinematics: joint positions that bring a frame to a pose, by whatever solves the arm at hand.

A `solver` where there is one: a closed form, six joints in general position or, if asked for by method="analytic",
seven. A `numeric` search does everything else, and position or orientation alone on arms with more joints than that
needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from strobe.errors import Advised, ArgumentError, UnknownNameError, UnsupportedModelError, counted
from strobe.kinematics import numeric
from strobe.kinematics.analytic import shortfalls
from strobe.kinematics.closed_form_solutions import Places, solved
from strobe.kinematics.joint_ranges import ROUNDING as OUTSIDE
from strobe.kinematics.one_pose import one_pose
from strobe.kinematics.one_search import one_search
from strobe.kinematics.poses import checked_poses, checked_what, finite, label, twelve
from strobe.kinematics.serial_chain import NUMERIC
from strobe.kinematics.solutions import Solutions, SolutionStatus
from strobe.kinematics.solver import SIX, Solver, solver_of
from strobe.models.arguments import require_above, require_text, require_truth
from strobe.models.loops import require_open
from strobe.robot import Robot, require_robot

Array = np.ndarray

POSE = "pose"  # the same object wherever it is written
OFTEN = 8  # poses, one by one, for which it pays to compile what answers them at once
METHODS = ("auto", "analytic", "numeric")
SEARCH = ("seeds", "iterations", "weights", "secondary", "seed")  # options of a numeric search
TOLERANCE = 1e-6  # of a closed form, where none is given: what a pose with few digits needs on few joints


def inverse_kinematics(
    robot: Robot, pose: Any, frame: str | None = None, *, method: str = "auto", q0: Any = None,
    limits: bool = True, what: str = POSE, tolerance: float | None = None, threads: int | None = None,
    **search: Any,
) -> Solutions:  # fmt: skip
    """Joint positions that bring a frame (the tip if none is named) to poses (..., 4, 4), the best first.

    ``what`` is asked of the frame: its "pose", or only its "position" (..., 3) or "orientation" (..., 3, 3).
    ``q0`` (..., nq) is where the robot is: among solutions within the limits the nearest comes first, and joints that
    a pose leaves undetermined stay there. Without ``limits`` none are held. A solution has a residual below
    ``tolerance``, metres and radians together: if none is given, a search goes on to 1e-10, and a closed form, which
    meets its poses to rounding, may miss those just out of reach by 1e-6. ``search`` are options of `numeric.solve`.
    """
    require_robot(robot)
    single = None
    if limits is True and what is POSE and tolerance is None and threads is None and not search:
        single = robot.kept("single poses", _SinglePoses)
        if (answer := single.answer(pose, frame, method, q0)) is not None:
            return answer
    require_open(robot.model, "inverse kinematics", numeric.BOUND)
    if require_text("method", method) not in METHODS:
        raise ArgumentError(f'method is "{method}"; expected one of {", ".join(METHODS)}.')
    require_truth("limits", limits)
    for name in search:
        if name not in SEARCH:
            raise UnknownNameError("option", name, "inverse kinematics", (*SEARCH, "tolerance", "threads"))
    solver = None if method == "numeric" else solver_of(robot, frame, checked_what(what), method)
    if solver is None:
        search |= {} if tolerance is None else {"tolerance": tolerance}
        found = numeric.solve(robot, pose, frame, q0=q0, limits=bool(limits), what=what, **search)
        if single and not found.status.ndim:
            task = numeric.task_of(robot, frame, what, True, numeric.TOLERANCE)
            single.notice(frame, method, lambda: one_search(task))
        return found
    if search:
        sentence = (
            f"{', '.join(search)} belong to a numeric search, but {robot.name} is solved as {solver.name}. "
            'Leave them out, or say method="numeric".'
        )
        raise ArgumentError(Advised(sentence, NUMERIC))
    accepted = (
        TOLERANCE if tolerance is None else require_above("tolerance", tolerance, "a positive number")
    )
    T = checked_poses(pose, what)
    near, lead = _start(solver, q0, T.shape[:-2])
    poses = T if T.shape[:-2] == lead else np.broadcast_to(T, (*lead, 4, 4))
    rows = solved(
        solver, poses.reshape(-1, 4, 4), near.reshape(-1, robot.nq), bool(limits), accepted, threads
    )
    if single and not lead:
        single.notice(frame, method, lambda: one_pose(solver))
    return _answer(solver, rows, lead, bool(limits))


def every_way(robot: Robot, pose: Any, frame: str | None = None, **asked: Any) -> Solutions:
    """As `inverse_kinematics`, with a family of solutions for seven joints; a search only where nothing else is."""
    require_robot(robot)
    try:
        return inverse_kinematics(robot, pose, frame, method="analytic", **asked)
    except UnsupportedModelError:
        return inverse_kinematics(robot, pose, frame, **asked)


def _start(solver: Solver, q0: Any, batch: tuple[int, ...]) -> tuple[Array, tuple[int, ...]]:
    """Where the robot is, as given or in the middle of its limits, for each pose; and the axes of the answer."""
    robot = solver.robot
    near = solver.middle if q0 is None else numeric.checked_position(robot, q0)
    if near.shape[:-1] == batch:
        return near, batch
    try:
        lead = np.broadcast_shapes(batch, near.shape[:-1])
    except ValueError:
        raise numeric.unlike_axes(near, batch) from None
    return np.broadcast_to(near, (*lead, robot.nq)), lead


# -- single poses, asked for again and again ----------------------------------------------------------------

Once = Callable[[Array, Array | None], Solutions | None]


class _SinglePoses:
    """What answers plain calls of one robot for one pose at once, by frame and method: made when they are many."""

    def __init__(self) -> None:
        self.asked = Counter[tuple[str | None, str]]()
        self.ready = dict[tuple[str | None, str], Once | None]()

    def answer(self, pose: Any, frame: Any, method: Any, q0: Any) -> Solutions | None:
        """The answer of the long way, or None where that must be gone."""
        if type(pose) is not np.ndarray or pose.shape != (4, 4) or type(method) is not str:
            return None
        if not (q0 is None or type(q0) is np.ndarray) or not (frame is None or type(frame) is str):
            return None
        once = self.ready.get((frame, method))
        return once(pose, q0) if once else None

    def notice(self, frame: str | None, method: str, make: Callable[[], Once | None]) -> None:
        """Take note of a pose that went the long way."""
        if (frame, method) not in self.ready:
            self.asked[frame, method] += 1
            if self.asked[frame, method] >= OFTEN:
                self.ready[frame, method] = make()


# -- the answer -------------------------------------------------------------------------------------------


def _answer(solver: Solver, rows: Places, lead: tuple[int, ...], limits: bool) -> Solutions:
    """Solutions with the axes of what was asked."""
    exists, within, status = _judged(solver, rows, limits)
    if np.count_nonzero(status) and solver.method is not None and _searched(solver, rows, status, limits):
        exists, within, status = _judged(solver, rows, limits)
    free, double = _marked(solver, rows, exists)
    shape = (*lead, exists.shape[-1])
    each = (*shape, solver.robot.nq)
    return Solutions(
        q=rows.q.reshape(each),
        residual=rows.residual.reshape(shape),
        within=within.reshape(shape),
        status=status.reshape(lead),
        recognised=solver.name,
        branches=solver.branches,
        branch=np.where(exists, rows.branch, -1).astype(int).reshape(shape) if solver.branches else None,
        free=free.reshape(each),
        double=double.reshape(each),
        parameter=solver.parameter,
        reasons=tuple(_reasons(solver, rows, status, exists, lead)) if status.any() else (),
        names=solver.robot.coordinates.position_names,
    )


def _searched(solver: Solver, rows: Places, status: Array, limits: bool) -> bool:
    """Put what a search finds in front where a closed form may have missed it; whether there was anything to find.

    It may where it leaves a joint open that the rest of the pose, or a limit, does not: at singular poses, and on
    arms with too few joints for any pose.
    """
    few = solver.what == "pose" and solver.arm.n < SIX
    singular = (~np.isnan(rows.residual) & (rows.codes % 2**solver.arm.n > 0)).any(-1)
    for held in (True, False) if limits else (False,):
        missing = status != SolutionStatus.SOLVED if held else status == SolutionStatus.UNREACHABLE
        (left,) = np.nonzero(missing & (status != SolutionStatus.INVALID) & (few | singular))
        if len(left):
            found = numeric.solve(
                solver.robot,
                rows.poses[left],
                solver.frame,
                q0=rows.near[left],
                what=solver.what,
                limits=held,
            )
            reached = found.status == SolutionStatus.SOLVED
            rows.put_first(
                left[reached], found.q[reached, 0], found.residual[reached, 0], 0.0 if held else np.inf
            )
            status[left[reached]] = SolutionStatus.SOLVED
    return bool((few | singular).any())


def _judged(solver: Solver, rows: Places, limits: bool) -> tuple[Array, Array, Array]:
    """(N, K) which places hold a solution, and which of them within the limits; (N,) the status of each pose."""
    exists = ~np.isnan(rows.residual)
    if limits and not solver.ranges.followers:
        within = exists & (rows.outside <= OUTSIDE)
    else:
        within = exists & solver.ranges.within(rows.q)
    good = within if limits else exists
    status = np.where(good.any(-1), int(SolutionStatus.SOLVED), int(SolutionStatus.UNREACHABLE))
    if np.count_nonzero(status):
        status[exists.any(-1) & (status != SolutionStatus.SOLVED)] = SolutionStatus.LIMITS
    status[~finite(rows.poses, solver.what)] = SolutionStatus.INVALID
    return exists, within, status


def _marked(solver: Solver, rows: Places, exists: Array) -> tuple[Array, Array]:
    """(N, K, nq) each: joints that any position would do for, and joints whose two ways are one."""
    marks = np.zeros((2, *exists.shape, solver.robot.nq), dtype=bool)
    if np.count_nonzero(rows.codes):
        codes = np.where(exists, rows.codes, 0.0).astype(int)
        for mark, shift in zip(marks, (0, solver.arm.n), strict=True):
            mark[..., solver.arm.columns] = (codes[..., None] >> (shift + np.arange(solver.arm.n))) & 1
    return marks[0], marks[1]


def _reasons(
    solver: Solver, rows: Places, status: Array, exists: Array, lead: tuple[int, ...]
) -> list[str]:
    """A sentence for every pose that was not solved."""
    lost = np.flatnonzero(status == SolutionStatus.UNREACHABLE)
    why = dict(zip(lost.tolist(), _unreachable(solver, rows, lost), strict=True))
    sentences = list[str]()
    for k in status.nonzero()[0].tolist():
        if status[k] == SolutionStatus.INVALID:
            text = "it holds a NaN or an infinity."
        elif k in why:
            text = f"unreachable: {why[k]}"
        else:
            text = _outside(solver, rows.q[k, 0], int(exists[k].sum()))
        sentences.append(f"{label(k, lead)}: {text}" if lead else text)
    return sentences


def _unreachable(solver: Solver, rows: Places, lost: Array) -> list[str]:
    if solver.method is None:
        return ["no position of the joints brings the frame there."] * len(lost)
    near = rows.near[lost][:, solver.arm.columns]
    return shortfalls(solver.arm, solver.method, twelve(rows.poses[lost]), near)


def _outside(solver: Solver, q: Array, count: int) -> str:
    """Which joint of the best solution is beyond which bound."""
    worst = max(solver.ranges.beyond(q), key=lambda each: each.by)
    return (
        f'{counted(count, "solution")}, none within the limits: in the nearest, joint "{worst.joint}" is at '
        f"{worst.position:.6g} {worst.unit}, {worst.by:.3g} {worst.unit} {worst.word} its limit "
        f"{worst.limit:.6g} {worst.unit}."
    )
