"""A continuous path of the joints through a sequence of poses: each is reached from the one before it.

Between two poses the frame moves on a straight line and turns about one axis. If a joint would move by more than a
step, or the pose is not reached, the way is halved, and lengthened again afterwards. Where not even a small part of
it can be gone, the path ends: at a limit, at the edge of what can be reached, or where its branch ends in a
singular pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked
from strobe.errors import ArgumentError, ShapeError, counted
from strobe.kinematics.damped_least_squares import Task
from strobe.kinematics.initial_guesses import Nearest, seeds_of
from strobe.kinematics.inverse import inverse_kinematics
from strobe.kinematics.inverse_rates import moved
from strobe.kinematics.joint_ranges import ranges_of
from strobe.kinematics.numeric import ITERATIONS, TOLERANCE, middle, solve, task_of
from strobe.kinematics.poses import checked_poses, finite
from strobe.kinematics.screws import error
from strobe.kinematics.solutions import Solutions, SolutionStatus
from strobe.models.arguments import require_above
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Column, Sheet, by_joint, displayed, number, numbered
from strobe.show.units import EITHER

Array = np.ndarray

STEP = 0.2  # radians or metres that a joint may move at once
PIECES = 1024  # the way from a pose to the next is divided into no more
STARTS = 32  # where a path may begin if nothing was said


@displayed
@dataclass(frozen=True, eq=False)
class Path:
    """Joint positions along poses; NaN, and no status, from the first one on that was not reached."""

    q: Array  # (T, nq)
    residual: Array  # (T,)
    iterations: Array  # (T,) steps on the way to each
    pieces: Array  # (T,) into how many parts the way to each was divided
    status: SolutionStatus  # of the first pose that was not reached, or SOLVED
    reason: str = ""  # which pose that is, and which joint and limit

    @property
    def reached(self) -> int:
        """How many poses were reached, from the first on."""
        return int(np.isfinite(self.residual).sum())

    @property
    def complete(self) -> bool:
        return self.status == SolutionStatus.SOLVED

    def _sheet(self) -> Sheet:
        total, n = len(self.q), self.q.shape[-1]
        head = f"a path of {counted(n, 'joint')} through {self.reached:,} of {counted(total, 'pose')}"
        off = np.max(self.residual[np.isfinite(self.residual)], initial=0.0)
        columns = [Column("q at the start", self.q[0], EITHER), Column("q", self.q, EITHER)]
        notes = [f"residual at most {number(float(off))} (m, rad)", *([self.reason] if self.reason else [])]
        return Sheet(head, [by_joint(numbered("", n), columns), *notes], self._figure)

    def _figure(self) -> str | None:
        from strobe.show.time_series import joints_figure

        if self.reached < 2:
            return None
        steps = np.arange(1.0, len(self.q) + 1)
        rows = {
            name: {f"q, {EITHER}": x}
            for name, x in zip(numbered("q", self.q.shape[-1]), self.q.T, strict=True)
        }
        return joints_figure("The joints along the poses", "pose", steps, rows)


def track(
    robot: Robot, poses: Any, q0: Any = None, frame: str | None = None, *, what: str = "pose",
    limits: bool = True, step: float = STEP, tolerance: float = TOLERANCE, iterations: int = ITERATIONS,
    weights: Any = None,
) -> Path:  # fmt: skip
    """The joints along poses (T, 4, 4) of a frame, starting near ``q0`` (nq), without jumps between branches.

    ``step`` is by how much a joint may move at once. Several starts (B, nq), such as all solutions for the first
    pose, are tried in turn, and without ``q0`` those that inverse kinematics finds: the first path that reaches every
    pose is taken, or the one that gets farthest.
    """
    require_robot(robot)
    asked = checked_poses(poses, what)
    if asked.ndim != 3 or not len(asked):
        raise ShapeError("poses", asked.shape, "(T, 4, 4)", "a path is one sequence of poses")
    options = {"what": what, "limits": limits, "tolerance": tolerance, "weights": weights}
    task = task_of(robot, frame, **options)
    tracker = Tracker(task, asked, require_above("step", step, "a positive number"), iterations, options)
    if q0 is not None:
        starts = _given(robot, q0)
    else:
        found = inverse_kinematics(robot, asked[0], frame, what=what, limits=limits)
        if weights is None and found.status != SolutionStatus.SOLVED:
            return tracker.nowhere(found)
        starts = _starts(task, asked[0], found)
    best = tracker.path(starts[0])
    for start in starts[1:]:
        if best.complete:
            break
        best = max(best, tracker.path(start), key=lambda path: path.reached)
    return best


def _given(robot: Robot, q0: Any) -> Array:
    """Starts (B, nq); empty places among them are left out."""
    why = f"{robot.name} has {counted(robot.nq, 'position number')}"
    q = checked("q0", q0, (robot.nq,), why).astype(float)
    if q.ndim > 2:
        expected = f"({robot.nq},) or (B, {robot.nq})"
        raise ShapeError("q0", q.shape, expected, "it is one position or several")
    q = np.atleast_2d(q)
    q = q[np.isfinite(q).all(-1)]
    if not len(q):
        raise ArgumentError("q0 holds no position without a NaN or an infinity.")
    return q


def _starts(task: Task, pose: Array, found: Solutions) -> Array:
    """Different positions that reach a pose, those in closed form if there are; else the middle of the limits."""
    robot, frame = task.robot, task.frame
    if found.recognised == "numeric" and found.status == SolutionStatus.SOLVED:
        nearest = Nearest(seeds_of(robot, frame), task.what, task.numbers(pose)[None])
        many = np.broadcast_to(pose, (STARTS, 4, 4))
        near = nearest.take(STARTS)[0]
        every = solve(robot, many, frame, q0=near, what=task.what, limits=task.limits, seeds=1)
        return np.concatenate([found.q, every.q[every.status == SolutionStatus.SOLVED, 0]])
    good = found.exists & (found.within | (not task.limits))
    return found.q[good] if good.any() else middle(robot)[None]


class Tracker:
    """Paths along the same poses from different starts."""

    def __init__(
        self, task: Task, poses: Array, step: float, iterations: int, options: dict[str, Any]
    ) -> None:
        self.task, self.poses, self.longest = task, poses, step
        self.iterations, self.options = iterations, options
        self.valid = finite(poses, task.what)

    def path(self, start: Array) -> Path:
        """The path that begins at the place to which plain steps lead from a start."""
        count, nq = len(self.poses), self.task.robot.nq
        q, steps, pieces = np.full((count, nq), np.nan), np.zeros(count, int), np.zeros(count, int)
        here, status, reason = start, SolutionStatus.SOLVED, ""
        for k in range(count):
            went = self._first(here) if k == 0 else self._between(here, k)
            steps[k], pieces[k] = went.steps, went.pieces
            if went.status != SolutionStatus.SOLVED:
                status, reason = went.status, f"poses[{k}] {went.obstacle}"
                break
            q[k] = here = went.q
        return Path(q, self.task.residual(q, self.poses), steps, pieces, status, reason)

    def nowhere(self, found: Solutions) -> Path:
        """The path that does not begin, because its first pose has no solution."""
        count, nq = len(self.poses), self.task.robot.nq
        none, reason = np.zeros(count, int), found.reasons[0]
        text = f" {reason[9:]}" if reason.startswith("the pose ") else f": {reason}"
        q, residual = np.full((count, nq), np.nan), np.full(count, np.nan)
        return Path(q, residual, none, none.copy(), SolutionStatus(int(found.status)), f"poses[0]{text}")

    def _first(self, start: Array) -> _Went:
        """From a start, which may be anywhere, to the first pose."""
        found = solve(
            self.task.robot, self.poses[0], self.task.frame, q0=start, seeds=1,
            iterations=self.iterations, **self.options,
        )  # fmt: skip
        reason = "".join(found.reasons).removeprefix("the pose ")
        return _Went(found.q[0], int(found.iterations), 1, SolutionStatus(int(found.status)), reason)  # pyright: ignore[reportArgumentType]

    def _between(self, q: Array, k: int) -> _Went:
        """From one pose to the next, in as many pieces as it needs."""
        if not self.valid[k]:
            return _Went(q, 0, 0, SolutionStatus.INVALID, "holds a NaN or an infinity.")
        before, after = self.poses[k - 1], self.poses[k]
        done, part, steps, pieces = 0.0, 1.0, 0, 0
        while done < 1.0:
            part = min(part, 1.0 - done)
            whole = done + part >= 1.0
            pose = after if whole else moved(before, error(before, after), done + part)
            there, square, took = self._descended(q, pose)
            steps += took
            move = np.abs(self.task.robot.difference(q, there))
            if square < self.task.arrived and move.max() <= self.longest:
                q, done, part, pieces = there, done + part, 2 * part, pieces + 1
            elif part > 1 / PIECES:
                part /= 2
            else:
                reason = self._obstacle(k, done, square < self.task.arrived, there, move)
                return _Went(q, steps, pieces, SolutionStatus.NOT_CONVERGED, reason)
        return _Went(q, steps, pieces)

    def _descended(self, q: Array, pose: Array) -> tuple[Array, float, int]:
        """Plain steps until a pose is reached, or all of them: where they lead, the squared error, how many."""
        target, square, count = self.task.numbers(pose)[None], np.inf, 0
        while square >= self.task.arrived and count < self.iterations:
            out = self.task.step(q[None], target)[0]
            q, square, count = out[:-1], float(out[-1]), count + 1
        return q, square, count

    def _obstacle(self, k: int, done: float, arrived: bool, q: Array, move: Array) -> str:
        robot = self.task.robot
        text = f"is not reached: the path ends {100 * done:.3g} % of the way from poses[{k - 1}], "
        if arrived:
            widest = int(move.argmax())
            name = robot.coordinates.rate_names[widest]
            return f'{text}where joint "{name}" would have to jump by {move[widest]:.3g}.'
        stands = " and ".join(ranges_of(robot).standing(q))
        return f"{text}with {stands}." if stands else f"{text}at the edge of what this branch reaches."


@dataclass(frozen=True, eq=False)
class _Went:
    """A way from one pose to the next: where it led, what it took, and what ended it too early."""

    q: Array
    steps: int
    pieces: int
    status: SolutionStatus = SolutionStatus.SOLVED
    obstacle: str = ""
