"""Inverse kinematics: joint positions that bring a frame to a pose, by whatever solves the arm at hand.

    closed form        where `analytic.recognise` knows the class of the arm: every branch
    general 6R         six joints in any position, at most one a slide: up to sixteen solutions
    redundant 7R       seven joints, if asked for by method="analytic": the best of a family by one joint
    numeric            everything else, and position or orientation alone on arms with more joints than that needs

Every solution is put back into the robot's own forward kinematics, and the residual says what came out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.errors import ArgumentError, UnknownNameError, UnsupportedModelError, counted
from strobe.kinematics import general_6r, numeric, redundant
from strobe.kinematics.analytic import (
    Method,
    closed_form,
    holds,
    limits_of,
    positions,
    recognise,
    shortfalls,
)
from strobe.kinematics.branch_names import branch_names
from strobe.kinematics.poses import checked_poses, checked_what, finite, label, twelve
from strobe.kinematics.ranges import ROUNDING as OUTSIDE
from strobe.kinematics.ranges import Ranges, ranges_of
from strobe.kinematics.ranking import TURN, valued
from strobe.kinematics.screws import newton, placement_and_jacobian
from strobe.kinematics.serial import Serial, serial
from strobe.kinematics.solutions import Solutions, Status
from strobe.kinematics.step import ROWS, ResidualRequest
from strobe.models.arguments import require_above
from strobe.models.loops import require_open
from strobe.runtime.interpret import evaluate
from strobe.runtime.kernels import Kernel
from strobe.scalars import LANES, Lanes

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

METHODS = ("auto", "analytic", "numeric")
SEARCH = ("seeds", "iterations", "weights", "secondary", "seed")  # options of a numeric search
ROUNDING = 1e-11  # residuals above it are worth a step of Newton's method
NEAR = 1e-3  # and below it: what is further off is no solution
TOLERANCE = 1e-6  # of a closed form, where none is given: what a pose with few digits needs on few joints
MET = 1e-9  # a residual below it is rounding: the pose is met
PLACES = 16  # solutions kept where there are more
FEW = 256  # poses for which it does not pay to ask for threads
SIX = 6  # joints that bring a frame to any pose
REDUNDANT = "redundant 7R"


def inverse_kinematics(
    robot: Robot, pose: Any, frame: str | None = None, *, method: str = "auto", q0: Any = None,
    limits: bool = True, what: str = "pose", tolerance: float | None = None, threads: int | None = None,
    **search: Any,
) -> Solutions:  # fmt: skip
    """Joint positions that bring a frame (the last one if none is named) to poses (..., 4, 4), the best first.

    ``what`` is asked of the frame: its "pose", or only its "position" (..., 3) or "orientation" (..., 3, 3).
    ``q0`` (..., nq) is where the robot is: among solutions within the limits the nearest comes first, and joints that
    a pose leaves undetermined stay there. Without ``limits`` none are held. A solution has a residual below
    ``tolerance``, metres and radians together: if none is given, a search goes on to 1e-10, and a closed form, which
    meets its poses to rounding, may miss those just out of reach by 1e-6. ``search`` are options of `numeric.solve`.
    """
    require_open(robot.model, "inverse kinematics", numeric.BOUND)
    if method not in METHODS:
        raise ArgumentError(f'method is "{method}"; expected one of {", ".join(METHODS)}.')
    if not isinstance(limits, bool | np.bool_):
        raise ArgumentError(f"limits is {limits!r}; expected True or False.")
    for name in search:
        if name not in SEARCH:
            raise UnknownNameError("option", name, "inverse kinematics", (*SEARCH, "tolerance", "threads"))
    solver = None if method == "numeric" else _solver(robot, frame, checked_what(what), method)
    if solver is None:
        search |= {} if tolerance is None else {"tolerance": tolerance}
        return numeric.solve(robot, pose, frame, q0=q0, limits=bool(limits), what=what, **search)
    if search:
        raise ArgumentError(
            f"{', '.join(search)} belong to a numeric search, but {robot.name} is solved as {solver.name}. "
            'Leave them out, or say method="numeric".'
        )
    accepted = (
        TOLERANCE if tolerance is None else require_above("tolerance", tolerance, "a positive number")
    )
    T = checked_poses(pose, what)
    near, lead = _start(solver, q0, T.shape[:-2])
    poses = T if T.shape[:-2] == lead else np.broadcast_to(T, (*lead, 4, 4))
    rows = _rows(
        solver, poses.reshape(-1, 4, 4), near.reshape(-1, robot.nq), bool(limits), accepted, threads
    )
    return _answer(solver, rows, lead, bool(limits))


def every_way(robot: Robot, pose: Any, frame: str | None = None, **asked: Any) -> Solutions:
    """As `inverse_kinematics`, with a family of solutions for seven joints; a search only where nothing else is."""
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
        raise ArgumentError(
            f"q0 has shape {near.shape}; it does not go with poses {(*batch, 4, 4)}."
        ) from None
    return np.broadcast_to(near, (*lead, robot.nq)), lead


# -- who solves it ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Solver:
    """How one frame of one robot is solved without a search."""

    robot: Robot
    name: str
    arm: Serial
    what: str
    frame: str
    method: Method | None = None  # None: not in closed form
    parameter: str = ""

    @cached_property
    def middle(self) -> Array:
        return numeric.middle(self.robot)

    @cached_property
    def ranges(self) -> Ranges:
        return ranges_of(self.robot)

    @cached_property
    def branches(self) -> tuple[str, ...]:
        return () if self.method is None else branch_names(self.arm, self.method)

    @cached_property
    def whole(self) -> bool:
        """Whether the arm is all of the robot."""
        return self.arm.n == self.robot.nq and bool((self.arm.columns == np.arange(self.arm.n)).all())

    @cached_property
    def endless(self) -> Array:
        """(n,) joints that a full turn takes to a position as good as any."""
        return self.arm.revolute & ~(np.isfinite(self.arm.lower) & np.isfinite(self.arm.upper))

    @cached_property
    def residual(self) -> Kernel:
        """How far positions of the robot are from poses."""
        return self.robot.kernel(ResidualRequest("residual", frame=self.frame, form=self.what))

    def closed_form(self, limits: bool) -> Kernel:
        """Every branch, in order."""
        assert self.method is not None
        key = "closed form", self.frame, self.what, limits
        return self.robot.kept(key, lambda: closed_form(self.arm, self.method, limits))  # pyright: ignore[reportArgumentType]

    def call(self, kernel: Kernel, threads: int | None, *arrays: Array) -> Array:
        """A kernel on arrays (N, …), compiled or interpreted as the robot is."""
        named = dict(zip(kernel.inputs, arrays, strict=True))
        if not self.robot.compiled:
            return evaluate(kernel.function(), named, kernel.shape)
        if threads is None and len(arrays[0]) <= FEW:
            with np.errstate(all="ignore"):
                return kernel.ufunc()(*arrays)
        return Kernel.__call__(kernel, named, None, threads)  # without the checks of a traced function


def _solver(robot: Robot, frame: str | None, what: str, method: str) -> Solver | None:
    """What solves a frame, or None where only a search does; asked for by name, that is an error."""
    solver = robot.kept(("solver", frame, what), lambda: _recognised(robot, frame, what))
    if isinstance(solver, Solver):
        return solver if solver.name != REDUNDANT or method == "analytic" else None
    if method == "analytic":
        raise UnsupportedModelError(solver)
    return None


def _recognised(robot: Robot, frame: str | None, what: str) -> Solver | str:
    """What solves a frame, or why nothing does."""
    try:
        arm = serial(robot, frame)
        name, method, parameter = _class(arm, what)
    except UnsupportedModelError as error:
        return str(error)
    tip = frame or robot.frames[-1]
    if name:
        return Solver(robot, name, arm, what, tip, method, parameter)
    kinds = "".join("R" if turns else "P" for turns in arm.revolute)
    freedom = _freedom(arm, what)
    if arm.n > freedom:
        why = (
            f"more than the {freedom} degrees of freedom of its {what}: there are infinitely many solutions"
        )
    else:
        why = "and no axes meet or are parallel in a way that separates them"
    return (
        f'no closed form is known for the {what} of frame "{tip}" of {robot.name}: '
        f"{counted(arm.n, 'joint')} {'carries' if arm.n == 1 else 'carry'} it ({kinds}), {why}. "
        'Use method="numeric".'
    )


def _class(arm: Serial, what: str) -> tuple[str, Method | None, str]:
    """What solves an arm by name (none where nothing does), its closed form, and the parameter of seven joints."""
    method = recognise(arm, what)
    if method is not None and holds(arm, method, what):
        return method.name, method, ""
    if what == "pose" and arm.n in (SIX, SIX + 1) and _freedom(arm, what) == SIX:
        if arm.n > SIX:
            return REDUNDANT, None, arm.names[redundant.parameter(arm)[0]]
        if general_6r.covers(arm):
            return general_6r.NAME, None, ""
    return "", None, ""


def _freedom(arm: Serial, what: str) -> int:
    """In how many directions joints move the frame, at positions that are not singular."""
    q = positions(arm, 3)
    J = placement_and_jacobian(arm, q)[1][:, ROWS[what]]
    return int(np.linalg.matrix_rank(J, rtol=1e-9).max())


# -- solving ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Rows:
    """Solutions of N poses, K places each."""

    poses: Array  # (N, 4, 4)
    near: Array  # (N, nq)
    q: Array  # (N, K, nq)
    residual: Array  # (N, K) NaN in empty places
    outside: Array  # (N, K)
    codes: Array  # (N, K) free and double joints, as `analytic.coded`
    branch: Array  # (N, K)


def _rows(
    solver: Solver, poses: Array, near: Array, limits: bool, tolerance: float, threads: int | None
) -> _Rows:
    arm, n = solver.arm, solver.arm.n
    here = near if solver.whole else near[:, arm.columns]
    turns = np.rint(here / TURN) * (TURN * (solver.endless if limits else arm.revolute))
    rows = _places(solver, poses, here - turns, limits, threads)
    q = rows[..., :n] + turns[:, None] if np.count_nonzero(turns) else rows[..., :n]
    q = q if solver.whole else _whole(arm, q, near)
    residual = solver.call(solver.residual, threads, q, twelve(poses)[:, None])[..., 0]
    found = _Rows(poses, near, q, residual, rows[..., n], rows[..., n + 1], rows[..., n + 2])
    if np.count_nonzero(residual > min(ROUNDING, tolerance)):  # NaN is not
        found = _accepted(_polished(arm, found) if solver.what == "pose" else found, tolerance)
    return found


def _places(solver: Solver, poses: Array, near: Array, limits: bool, threads: int | None) -> Array:
    """(N, K, n + 3): positions, how far outside the limits, free and double joints, branch; the best first."""
    arm = solver.arm
    if solver.method is not None:
        return solver.call(solver.closed_form(limits), threads, twelve(poses), near)
    if solver.name == general_6r.NAME:
        found = general_6r.solve(arm, poses)
    else:
        family = redundant.solve(arm, poses, solver.parameter)
        nearest, _ = redundant.nearest(arm, poses, near, family)
        found = np.concatenate([nearest[:, None], family.q.reshape(len(poses), -1, arm.n)], axis=1)
    return _ranked(arm, found, near, limits)


def _ranked(arm: Serial, found: Array, near: Array, limits: bool) -> Array:
    """The best of solutions (N, K, n) in order, with what belongs to them."""
    place = [Lanes(found[..., i]) for i in range(arm.n)]
    with np.errstate(invalid="ignore"):
        row = valued(
            [*place, 0.0, 0.0], [Lanes(near[:, None, i]) for i in range(arm.n)], limits_of(arm, limits)
        )
    key, *columns = (np.broadcast_to(LANES.lower(x), found.shape[:2]) for x in row)
    best = np.argsort(key, axis=-1)[:, :PLACES]
    return np.stack([np.take_along_axis(column, best, -1) for column in columns], axis=-1)


def _whole(arm: Serial, q: Array, near: Array) -> Array:
    """Positions of the whole robot: joints that do not carry the frame stay where they are."""
    whole = np.repeat(near[:, None], q.shape[1], axis=1)
    whole[..., arm.columns] = q
    whole[np.isnan(q).any(-1)] = np.nan
    return whole


def _polished(arm: Serial, rows: _Rows) -> _Rows:
    """The same solutions, with a step of Newton's method where rounding was amplified."""
    q, residual = rows.q.copy(), rows.residual.copy()
    which = np.nonzero((residual > ROUNDING) & (residual < NEAR))
    better, left = newton(arm, q[which][:, arm.columns], rows.poses[which[0]], steps=3)
    improved = left < residual[which]
    chosen = tuple(index[improved] for index in which)
    q[(*(i[:, None] for i in chosen), arm.columns)] = better[improved]
    residual[chosen] = left[improved]
    return replace(rows, q=q, residual=residual)


def _accepted(rows: _Rows, tolerance: float) -> _Rows:
    """Solutions that reach their pose, the others emptied, without gaps between them.

    What misses a pose that another solution meets only comes near.
    """
    best = np.fmin.reduce(rows.residual, axis=-1, keepdims=True)
    good = rows.residual <= np.where(best < MET, min(MET, tolerance), tolerance)
    order = np.argsort(~good, axis=-1, kind="stable")
    kept = np.take_along_axis(good, order, -1)
    q = np.where(kept[..., None], np.take_along_axis(rows.q, order[..., None], 1), np.nan)
    residual = np.where(kept, np.take_along_axis(rows.residual, order, -1), np.nan)
    others = {
        name: np.take_along_axis(getattr(rows, name), order, -1) for name in ("outside", "codes", "branch")
    }
    return replace(rows, q=q, residual=residual, **others)


def _searched(solver: Solver, rows: _Rows, status: Array, limits: bool) -> bool:
    """Put what a search finds in front where a closed form may have missed it; whether there was anything to find.

    It may where it leaves a joint open that the rest of the pose, or a limit, does not: at singular poses, and on
    arms with too few joints for any pose.
    """
    few = solver.what == "pose" and solver.arm.n < SIX
    singular = (~np.isnan(rows.residual) & (rows.codes % 2**solver.arm.n > 0)).any(-1)
    for held in (True, False) if limits else (False,):
        missing = status != Status.SOLVED if held else status == Status.UNREACHABLE
        (left,) = np.nonzero(missing & (status != Status.INVALID) & (few | singular))
        if len(left):
            found = numeric.solve(
                solver.robot,
                rows.poses[left],
                solver.frame,
                q0=rows.near[left],
                what=solver.what,
                limits=held,
            )
            solved = found.status == Status.SOLVED
            _put_first(
                rows, left[solved], found.q[solved, 0], found.residual[solved, 0], 0.0 if held else np.inf
            )
            status[left[solved]] = Status.SOLVED
    return bool((few | singular).any())


def _put_first(rows: _Rows, at: Array, q: Array, residual: Array, outside: float) -> None:
    """Solutions before those that there are."""
    for whole, first in (
        (rows.q, q), (rows.residual, residual), (rows.outside, outside), (rows.codes, 0.0), (rows.branch, -1.0)
    ):  # fmt: skip
        whole[at, 1:] = whole[at, :-1]
        whole[at, 0] = first


# -- the answer ---------------------------------------------------------------------------------------------


def _answer(solver: Solver, rows: _Rows, lead: tuple[int, ...], limits: bool) -> Solutions:
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


def _judged(solver: Solver, rows: _Rows, limits: bool) -> tuple[Array, Array, Array]:
    """(N, K) which places hold a solution, and which of them within the limits; (N,) the status of each pose."""
    exists = ~np.isnan(rows.residual)
    if limits and not solver.ranges.followers:
        within = exists & (rows.outside <= OUTSIDE)
    else:
        within = exists & solver.ranges.within(rows.q)
    solved = within if limits else exists
    status = np.where(solved.any(-1), int(Status.SOLVED), int(Status.UNREACHABLE))
    if np.count_nonzero(status):
        status[exists.any(-1) & (status != Status.SOLVED)] = Status.LIMITS
    status[~finite(rows.poses, solver.what)] = Status.INVALID
    return exists, within, status


def _marked(solver: Solver, rows: _Rows, exists: Array) -> tuple[Array, Array]:
    """(N, K, nq) each: joints that any position would do for, and joints whose two ways are one."""
    marks = np.zeros((2, *exists.shape, solver.robot.nq), dtype=bool)
    if np.count_nonzero(rows.codes):
        codes = np.where(exists, rows.codes, 0.0).astype(int)
        for mark, shift in zip(marks, (0, solver.arm.n), strict=True):
            mark[..., solver.arm.columns] = (codes[..., None] >> (shift + np.arange(solver.arm.n))) & 1
    return marks[0], marks[1]


def _reasons(solver: Solver, rows: _Rows, status: Array, exists: Array, lead: tuple[int, ...]) -> list[str]:
    """A sentence for every pose that was not solved."""
    lost = np.flatnonzero(status == Status.UNREACHABLE)
    why = dict(zip(lost.tolist(), _unreachable(solver, rows, lost), strict=True))
    sentences = list[str]()
    for k in status.nonzero()[0].tolist():
        if status[k] == Status.INVALID:
            text = "it holds a NaN or an infinity."
        elif k in why:
            text = f"unreachable: {why[k]}"
        else:
            text = _outside(solver, rows.q[k, 0], int(exists[k].sum()))
        sentences.append(f"{label(k, lead)}: {text}" if lead else text)
    return sentences


def _unreachable(solver: Solver, rows: _Rows, lost: Array) -> list[str]:
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
