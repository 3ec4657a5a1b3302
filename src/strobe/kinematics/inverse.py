"""Inverse kinematics: joint positions that bring a frame to a pose, by whatever solves the arm at hand.

    closed form        where `analytic.recognise` knows the class of the arm: every branch
    general 6R         six turning joints in any position: up to sixteen solutions
    redundant 7R       seven joints, if asked for by method="analytic": the best of a family by one joint
    numeric            everything else, and position or orientation alone on arms with more joints than that needs

Every solution is put back into the robot's own forward kinematics, and the residual says what came out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from strobe.algebra import Vec3
from strobe.errors import ArgumentError, UnsupportedModelError, counted
from strobe.kinematics import general_6r, numeric, redundant
from strobe.kinematics.analytic import (
    Method,
    branch_names,
    closed_form,
    limits_of,
    recognise,
    shortfalls,
)
from strobe.kinematics.manipulability import checked_number
from strobe.kinematics.poses import checked_poses
from strobe.kinematics.ranking import TURN, valued
from strobe.kinematics.screws import newton
from strobe.kinematics.serial import Serial, serial
from strobe.kinematics.solutions import Solutions, Status
from strobe.quantities import Request
from strobe.runtime.arrays import checked
from strobe.runtime.interpret import evaluate
from strobe.runtime.traced import Traced, trace
from strobe.scalars import LANES, Lanes, Num, Numbers, absolute, atan2, less, sqrt, where

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

METHODS = ("auto", "analytic", "numeric")
ROUNDING = 1e-11  # residuals above it are worth a step of Newton's method
NEAR = 1e-3  # and below it: what is further off is no solution
TOLERANCE = (
    1e-6  # of a residual, where none is given: what a pose with few digits needs on an arm with few joints
)
MET = 1e-9  # a residual below it is rounding: the pose is met
PLACES = 16  # solutions kept where there are more
NEEDED = {"pose": 6, "position": 3, "orientation": 3}  # joints
GENERAL, REDUNDANT = "general 6R", "redundant 7R"
WITHIN = 1e-9  # how far outside a limit is rounding


def inverse_kinematics(
    robot: Robot, pose: Any, frame: str | None = None, *, method: str = "auto", q0: Any = None,
    limits: bool = True, what: str = "pose", tolerance: float | None = None, threads: int | None = None,
    **search: Any,
) -> Solutions:  # fmt: skip
    """Joint positions that bring a frame (the last one if none is named) to poses (..., 4, 4), the best first.

    ``what`` is asked of the frame: its "pose", or only its "position" (..., 3) or "orientation" (..., 3, 3).
    ``q0`` (..., nq) is where the robot is: among solutions within the limits the nearest comes first, and joints that
    a pose leaves undetermined stay there. Without ``limits`` none are held. A solution has a residual below
    ``tolerance``, metres and radians together (1e-6 in closed form). ``search`` are options of `numeric.solve`.
    """
    if method not in METHODS:
        raise ArgumentError(f'method is "{method}"; expected one of {", ".join(METHODS)}.')
    if not isinstance(limits, bool | np.bool_):
        raise ArgumentError(f"limits is {limits!r}; expected True or False.")
    T = checked_poses(pose, what)
    solver = None if method == "numeric" else _solver(robot, frame, what, method)
    if solver is None:
        if tolerance is not None:
            search["tolerance"] = tolerance
        found = numeric.solve(robot, T, frame, q0=q0, limits=bool(limits), what=what, **search)
        return replace(found, names=_names(robot))
    if search:
        raise ArgumentError(
            f"{', '.join(search)} belong to a numeric search, but {robot.name} is solved as {solver.name}. "
            'Leave them out, or say method="numeric".'
        )
    accepted = (
        TOLERANCE if tolerance is None else checked_number("tolerance", tolerance, "a positive number")
    )
    near, lead = _start(robot, q0, T.shape[:-2])
    poses = np.ascontiguousarray(np.broadcast_to(T, (*lead, 4, 4))).reshape(-1, 4, 4)
    found = _solved(robot, solver, poses, near.reshape(-1, robot.nq), bool(limits), accepted, threads)
    return _shaped(found, lead)


def _start(robot: Robot, q0: Any, batch: tuple[int, ...]) -> tuple[Array, tuple[int, ...]]:
    """Where the robot is, as given or in the middle of its limits, for each pose; and the axes of the answer."""
    near = numeric.middle(robot)
    if q0 is not None:
        near = checked("q0", q0, (robot.nq,), f"{robot.name} has {counted(robot.nq, 'position number')}")
        if not np.isfinite(near).all():
            raise ArgumentError(
                "q0 holds a NaN or an infinity; expected the position that the robot is in."
            )
    try:
        lead = np.broadcast_shapes(batch, near.shape[:-1])
    except ValueError:
        raise ArgumentError(
            f"q0 has shape {near.shape}; it does not go with poses {(*batch, 4, 4)}."
        ) from None
    return np.broadcast_to(near.astype(float, copy=False), (*lead, robot.nq)), lead


# -- who solves it ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Solver:
    """How one frame of one robot is solved without a search."""

    name: str
    arm: Serial
    what: str
    frame: str | None
    method: Method | None  # None: not in closed form
    kernels: dict[str, Any]  # made when first asked for

    def kernel(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self.kernels:
            self.kernels[name] = make()
        return self.kernels[name]


_known: WeakKeyDictionary[Robot, dict[tuple[str | None, str], Solver | UnsupportedModelError]] = (
    WeakKeyDictionary()
)


def _solver(robot: Robot, frame: str | None, what: str, method: str) -> Solver | None:
    """What solves a frame, or None where only a search does; asked for by name, that is an error."""
    found = _known.setdefault(robot, {})
    if (frame, what) not in found:
        try:
            found[frame, what] = _recognised(robot, frame, what)
        except UnsupportedModelError as error:
            found[frame, what] = error
    solver = found[frame, what]
    if isinstance(solver, Solver):
        return solver if solver.name != REDUNDANT or method == "analytic" else None
    if method == "analytic":
        raise solver
    return None


def _recognised(robot: Robot, frame: str | None, what: str) -> Solver:
    arm = serial(robot, frame)
    method = recognise(arm, what)
    make = partial(Solver, arm=arm, what=what, frame=frame, method=method, kernels={})
    if method is not None:
        return make(method.name)
    if what == "pose" and arm.n == 6 and general_6r.covers(arm):
        return make(GENERAL)
    if what == "pose" and arm.n == 7:
        return make(REDUNDANT)
    kinds = "".join("R" if turns else "P" for turns in arm.revolute)
    if arm.n > NEEDED[what]:
        why = f"more than the {NEEDED[what]} that a {what} asks for, so that there are infinitely many solutions"
    else:
        why = "and no axes meet or are parallel in a way that separates them"
    raise UnsupportedModelError(
        f'no closed form is known for the {what} of frame "{frame or robot.frames[-1]}" of {robot.name}: '
        f'{counted(arm.n, "joint")} carry it ({kinds}), {why}. Use method="numeric".'
    )


# -- solving ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Rows:
    """Solutions of N poses, K places each."""

    q: Array  # (N, K, nq)
    residual: Array  # (N, K)
    outside: Array  # (N, K)
    free: Array  # (N, K) sums of powers of two
    branch: Array  # (N, K)


def _solved(
    robot: Robot,
    solver: Solver,
    poses: Array,
    near: Array,
    limits: bool,
    tolerance: float,
    threads: int | None,
) -> Solutions:
    rows = _rows(robot, solver, poses, near, limits, tolerance, threads)
    exists = np.isfinite(rows.residual)
    within = exists & (rows.outside <= WITHIN)
    status = np.full(len(poses), int(Status.UNREACHABLE))
    status[exists.any(-1)] = Status.LIMITS
    status[within.any(-1)] = Status.SOLVED
    status[~_finite(poses, solver.what)] = Status.INVALID
    names = branch_names(solver.method, rows.residual.shape[-1]) if solver.method is not None else ()
    found = Solutions(
        q=rows.q,
        residual=rows.residual,
        within=within,
        status=status,
        recognised=solver.name,
        branches=names,
        branch=np.where(exists, rows.branch, -1).astype(int) if names else None,
        free=_free(robot, solver.arm, rows),
        names=_names(robot),
    )
    return replace(found, reasons=_reasons(robot, solver, found, poses, near))


def _finite(poses: Array, what: str) -> Array:
    """(N,) whether what is asked of a pose is a number."""
    needed = {"pose": np.s_[:, :3], "position": np.s_[:, :3, 3], "orientation": np.s_[:, :3, :3]}[what]
    numbers = np.isfinite(poses[needed])
    return np.asarray(numbers.all(axis=tuple(range(1, numbers.ndim))))


def _rows(
    robot: Robot,
    solver: Solver,
    poses: Array,
    near: Array,
    limits: bool,
    tolerance: float,
    threads: int | None,
) -> _Rows:
    arm, n = solver.arm, solver.arm.n
    here, turns = _without_turns(arm, near[:, arm.columns], limits)
    rows = _places(robot, solver, poses, here, limits, threads)
    q = rows[..., :n] if turns is None else rows[..., :n] + turns[:, None]
    q = _whole(robot, arm, q, near)
    kernel = solver.kernel("residual", lambda: _residual(robot, solver.frame, solver.what))
    residual = _called(robot, kernel, threads, q, _twelve(poses)[:, None])[..., 0]
    if solver.what == "pose":
        q, residual = _polished(arm, q, residual, poses)
    found = _Rows(q, residual, rows[..., n], rows[..., n + 1], rows[..., n + 2])
    return _accepted(found, tolerance)


def _without_turns(arm: Serial, near: Array, limits: bool) -> tuple[Array, Array | None]:
    """Where joints without limits are, less their full turns, and those turns, if any."""
    endless = arm.revolute & (~(np.isfinite(arm.lower) & np.isfinite(arm.upper)) | (not limits))
    turns = np.where(endless, TURN * np.rint(near / TURN), 0.0)
    return (near, None) if not turns.any() else (near - turns, turns)


def _twelve(poses: Array) -> Array:
    """(N, 12): the first three rows of poses."""
    return np.ascontiguousarray(poses[:, :3]).reshape(-1, 12)


def _called(robot: Robot, kernel: Traced, threads: int | None, *arrays: Array) -> Array:
    """A kernel on arrays, compiled or interpreted as the robot is."""
    if robot.compiled:
        return kernel(*arrays, threads=threads)
    return evaluate(kernel.function(), dict(zip(kernel.inputs, arrays, strict=True)), kernel.shape)


def _places(
    robot: Robot, solver: Solver, poses: Array, near: Array, limits: bool, threads: int | None
) -> Array:
    """(N, K, n + 3): positions, how far outside the limits, free joints, branch; the best first."""
    arm, method = solver.arm, solver.method
    if method is not None:
        kernel = solver.kernel(f"closed form {limits}", partial(closed_form, arm, method, limits))
        return _called(robot, kernel, threads, _twelve(poses), near)
    if solver.name == GENERAL:
        found = general_6r.solve(arm, poses)
    else:
        family = redundant.solve(arm, poses)
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


def _whole(robot: Robot, arm: Serial, q: Array, near: Array) -> Array:
    """Positions of the whole robot: joints that do not carry the frame stay where they are."""
    if arm.n == robot.nq and (arm.columns == np.arange(arm.n)).all():
        return q
    whole = np.repeat(near[:, None], q.shape[1], axis=1)
    whole[..., arm.columns] = q
    whole[np.isnan(q).any(-1)] = np.nan
    return whole


def _residual(robot: Robot, frame: str | None, what: str) -> Traced:
    """How far the robot's own forward kinematics is from a pose (12 numbers, rows of 3×4)."""
    model, request = robot.model, Request("forward_kinematics", frame=frame or robot.frames[-1])

    def residual(q: Numbers, pose: Numbers) -> list[Num]:
        exists = less(absolute(sum(q, 0.0)), math.inf)  # sine and cosine of NaN take a slow path
        T = request.evaluate(model, q=[where(exists, x, 0.0) for x in q])
        asked = [Vec3(*pose[4 * i : 4 * i + 3]) for i in range(3)]
        reached = [Vec3(*T[i][:3]) for i in range(3)]
        step = Vec3(*(T[i][3] - pose[4 * i + 3] for i in range(3)))
        square: Num = 0.0
        if what != "orientation":
            square = step.dot(step)
        if what != "position":
            angle = _angle(asked, reached)
            square = square + angle * angle
        return [where(exists, sqrt(square), math.nan)]

    return trace(residual, q=robot.nq, pose=12)


def _angle(A: list[Vec3], B: list[Vec3]) -> Num:
    """The angle between two orientations, from rows of their matrices: of B Aᵀ by its skew part and its trace."""
    D = [[b.dot(a) for a in A] for b in B]
    v = Vec3(D[2][1] - D[1][2], D[0][2] - D[2][0], D[1][0] - D[0][1])
    return atan2(sqrt(v.dot(v)), D[0][0] + D[1][1] + D[2][2] - 1.0)


def _polished(arm: Serial, q: Array, residual: Array, poses: Array) -> tuple[Array, Array]:
    """The same solutions, with a step of Newton's method where rounding was amplified."""
    rough = (residual > ROUNDING) & (residual < NEAR)
    if not rough.any():
        return q, residual
    q, residual = q.copy(), residual.copy()
    which = np.nonzero(rough)
    better, left = newton(arm, q[which][:, arm.columns], poses[which[0]], steps=3)
    improved = left < residual[which]
    chosen = tuple(index[improved] for index in which)
    q[(*(i[:, None] for i in chosen), arm.columns)] = better[improved]
    residual[chosen] = left[improved]
    return q, residual


def _accepted(rows: _Rows, tolerance: float) -> _Rows:
    """Solutions that reach their pose, the others emptied, without gaps between them.

    What misses a pose that another solution meets only comes near.
    """
    if (np.isnan(rows.residual) | (rows.residual <= min(MET, tolerance))).all():
        return rows
    best = np.fmin.reduce(rows.residual, axis=-1, keepdims=True)
    good = rows.residual <= np.where(best < MET, min(MET, tolerance), tolerance)  # NaN is not
    order = np.argsort(~good, axis=-1, kind="stable")
    kept = np.take_along_axis(good, order, -1)
    q = np.where(kept[..., None], np.take_along_axis(rows.q, order[..., None], 1), np.nan)
    rest = (np.take_along_axis(x, order, -1) for x in (rows.residual, rows.outside, rows.free, rows.branch))
    residual, *others = rest
    return _Rows(q, np.where(kept, residual, np.nan), *others)


def _free(robot: Robot, arm: Serial, rows: _Rows) -> Array:
    """(N, K, nq) joints that any position would do for."""
    free = np.zeros((*rows.free.shape, robot.nq), dtype=bool)
    codes = np.where(np.isfinite(rows.residual), rows.free, 0.0).astype(int)
    if codes.any():
        free[..., arm.columns] = (codes[..., None] >> np.arange(arm.n)) & 1
    return free


def _names(robot: Robot) -> tuple[str, ...]:
    """Of the numbers in q: joints, those with several numbers counted."""
    joints = robot.coordinates.joints
    return tuple(j.name if j.nq == 1 else f"{j.name}[{k}]" for j in joints for k in range(j.nq))


def _shaped(found: Solutions, lead: tuple[int, ...]) -> Solutions:
    """The answer with the axes of what was asked."""
    arrays = {
        name: value.reshape((*lead, *value.shape[1:]))
        for name in ("q", "residual", "within", "status", "branch", "free")
        if (value := getattr(found, name)) is not None
    }
    return replace(found, **arrays)


# -- why not --------------------------------------------------------------------------------------------------


def _reasons(robot: Robot, solver: Solver, found: Solutions, poses: Array, near: Array) -> tuple[str, ...]:
    """A sentence for every pose that was not solved."""
    failed = np.nonzero(found.status != Status.SOLVED)[0]
    lost = failed[found.status[failed] == Status.UNREACHABLE]
    why = dict(zip(lost.tolist(), _unreachable(solver, poses[lost], near[lost]), strict=True))
    sentences = list[str]()
    for k in failed.tolist():
        if found.status[k] == Status.INVALID:
            text = "it holds a NaN or an infinity."
        elif k in why:
            text = f"unreachable: {why[k]}"
        else:
            text = _outside(robot, found, k)
        sentences.append(f"pose[{k}]: {text}" if len(poses) > 1 else text)
    return tuple(sentences)


def _unreachable(solver: Solver, poses: Array, near: Array) -> list[str]:
    if solver.method is None:
        return ["no position of the joints brings the frame there."] * len(poses)
    return shortfalls(solver.arm, solver.method, _twelve(poses), near[:, solver.arm.columns])


def _outside(robot: Robot, found: Solutions, k: int) -> str:
    """Which joint of the best solution is beyond which bound."""
    q, bounds = found.q[k, 0], robot.limits
    joints = [joint for joint in robot.coordinates.joints if joint.nq == 1]
    over = {j.name: max(q[j.q] - bounds.upper[j.v], bounds.lower[j.v] - q[j.q]) for j in joints}
    worst = max(joints, key=lambda joint: over[joint.name])
    x, high = q[worst.q], q[worst.q] > bounds.upper[worst.v]
    side, bound = ("above", bounds.upper) if high else ("below", bounds.lower)
    unit = "rad" if worst.turns else "m"
    total = int(found.count[k])
    return (
        f"{counted(total, 'solution')}, none within the limits: in the nearest, "
        f'joint "{worst.name}" is at {x:.6g} {unit}, {over[worst.name]:.3g} {unit} {side} its limit '
        f"{bound[worst.v]:.6g} {unit}."
    )
