"""Many searches at once: steps of damped least squares on lanes, one compiled call per step for all of them.

A lane is one start for one pose. Lanes leave that have arrived, that no longer come nearer, or whose pose another has
reached; poses that no lane has reached start again from their next seeds. What is left at the end settles by
Levenberg-Marquardt, which never moves away, on the nearest place that it finds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from strobe.compiler.runtime.descent import descent
from strobe.compiler.runtime.interpret import evaluate
from strobe.kinematics.damped_step import ROWS, ResidualRequest, StepRequest
from strobe.kinematics.initial_guesses import LEFT_OUT, Nearest, NearestToOne, Seeds
from strobe.kinematics.joint_ranges import ranges_of
from strobe.kinematics.poses import twelve
from strobe.kinematics.screws import error
from strobe.quantities import Request

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

LANES = 4096  # at once: what a step reads and writes stays in the cache
SHARE = 256  # lanes that few poses may have together, and
ABREAST = 16  # one pose alone
FIRST_CHECKS = (5, 7, 9, 12, 16)  # steps after which lanes are looked at
CHECK_EVERY = 8  # later
PATIENT = 8  # attempts after which the next ones are given all their steps
FILLED = 8  # lanes of a pose that are worth a native call of their own
WAITS = np.array([[0.0], [1.0]])  # for native code: whether slow lanes are waited for
GAIN = 0.25  # of the squared error from one look to the next: a lane with less leaves
DAMPING, FLOOR = 0.01, 1e-12  # λ = DAMPING · |e|² + FLOOR
SETTLING = 120  # steps of Levenberg-Marquardt, and
LESS, MORE = 0.7, 4.0  # how its damping follows them


@dataclass(frozen=True, eq=False)
class Task:
    """What is asked of a frame, in the numbers that a step takes."""

    robot: Robot
    frame: str
    what: str
    weights: Array  # (m,) of the rows asked for
    limits: bool
    tolerance: float
    reach: float  # the length that counts as a radian

    @cached_property
    def rows(self) -> Array:
        """(m,) what rows are multiplied by: roots of weights, lengths in reaches."""
        lengths = np.array([1 / self.reach] * 3 + [1.0] * 3)[ROWS[self.what]]
        return np.sqrt(self.weights) * lengths

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """(nv,) each: between which every joint stays."""
        lower, upper, ranges = *np.outer([-np.inf, np.inf], np.ones(self.robot.nv)), ranges_of(self.robot)
        if self.limits:
            lower[ranges.rates], upper[ranges.rates] = ranges.lower, ranges.upper
        return lower, upper

    @cached_property
    def arrived(self) -> float:
        """The squared error, in rows of a step, below which the pose is reached within the tolerance."""
        return (0.99 * self.tolerance * min(1.0, 1 / self.reach)) ** 2

    @cached_property
    def damping(self) -> Array:
        return np.array([self.arrived, DAMPING, FLOOR])

    def numbers(self, poses: Array) -> Array:
        """(..., 12): poses as a step takes them, zero where they are not asked for."""
        numbers = twelve(poses)
        if LEFT_OUT[self.what]:
            numbers = numbers.copy()
            numbers[..., LEFT_OUT[self.what]] = 0.0
        return numbers

    def step(
        self, q: Array, targets: Array, damping: Array | None = None, out: Array | None = None
    ) -> Array:
        """(N, nq + 1): the next positions and the squared errors of these."""
        damping = self.damping if damping is None else damping
        return self._plain(q, targets, self.rows, *self.bounds, damping, out=out)

    def pulled(self, q: Array, targets: Array, pull: Array, mobility: Array) -> Array:
        """The same with a wish of the joints (N, nv) and their mobility (nv)."""
        return self._pulled(q, targets, self.rows, *self.bounds, self.damping, pull, mobility)

    @cached_property
    def _plain(self) -> Any:
        return unchecked(self.robot, StepRequest("inverse_step", frame=self.frame, form=self.what))

    @cached_property
    def descent(self) -> Any:
        """Lanes of a pose from their starts to the best one as native code, or None where that is not to be had."""
        request = StepRequest("inverse_step", frame=self.frame, form=self.what)
        return descent(self.robot.kernel(request), GAIN) if self.robot.compiled else None

    @cached_property
    def _pulled(self) -> Any:
        request = StepRequest("inverse_step", frame=self.frame, form=self.what, pulled=True)
        return unchecked(self.robot, request)

    @cached_property
    def _residual(self) -> Any:
        return unchecked(self.robot, ResidualRequest("residual", frame=self.frame, form=self.what))

    def missing(self, q: Array, poses: Array) -> Array:
        """(..., m): what is missing to the poses, metres and radians."""
        return error(self.robot.forward_kinematics(q, self.frame), poses)[..., ROWS[self.what]]

    def residual(self, q: Array, poses: Array) -> Array:
        """(...): what is missing to the poses (..., 4, 4), metres and radians together, as it is weighted."""
        if (self.weights == 1.0).all():
            with np.errstate(all="ignore"):
                return self._residual(q, twelve(poses))[..., 0]
        return np.sqrt((self.weights * self.missing(q, poses) ** 2).sum(-1))


def unchecked(robot: Robot, request: Request) -> Any:
    """A request as a function of plain arrays, compiled or interpreted as the robot is, without any checks."""
    kernel = robot.kernel(request)
    if robot.compiled:
        return kernel.code.ufunc(states=LANES)
    return lambda *arrays, out=None: evaluate(
        kernel.function(), dict(zip(kernel.inputs, arrays, strict=True)), kernel.shape, out
    )


class Found(NamedTuple):
    """The best place of every pose, its squared error in rows of a step, and the steps that it took.

    Lanes of a pose that run at the same time count once.
    """

    q: Array
    square: Array
    steps: Array


@np.errstate(all="ignore")
def search(
    task: Task, targets: Array, rest: Array, from_rest: bool, seeds: Seeds, most: int, steps: int
) -> Found:
    """Attempts for every pose, at most so many, until one arrives; the first one ``from_rest`` (N, nq) or not.

    Joints that do not move the frame stay where they rest.
    """
    if len(targets) == 1 and task.descent:
        return _alone(task, targets, rest, from_rest, seeds, most, steps)
    if from_rest:
        best, used = descend(task, targets, rest, steps, True), 1
    else:
        best, used = _nowhere(rest), 0
    todo, most = (~(best.square < task.arrived)).nonzero()[0], min(most, len(seeds.q))
    if not len(todo):
        return best
    nearest = Nearest(seeds, task.what, targets[todo])
    while len(todo) and used < most:
        abreast = max(1, min(SHARE // len(todo), ABREAST, most - used))
        starts = nearest.take(abreast)
        if not seeds.all_move:
            starts = np.where(seeds.moves, starts, rest[todo, None])
        found = _attempts(task, targets[todo], starts, steps, used >= PATIENT)
        better = found.square < best.square[todo]
        at = todo[better]
        best.q[at], best.square[at] = found.q[better], found.square[better]
        best.steps[todo] += found.steps
        left = ~(found.square < task.arrived)
        todo, used = todo[left], used + abreast
        nearest.keep(left)
    return best


def _alone(
    task: Task, target: Array, rest: Array, from_rest: bool, seeds: Seeds, most: int, steps: int
) -> Found:
    """The same for one pose, its lanes in native code."""
    best, used, most = None, 0, min(most, len(seeds.q))
    if from_rest:
        best, used = _native(task, target, rest[:, None], steps, True), 1
    nearest = None
    while (best is None or not best.square[0] < task.arrived) and used < most:
        nearest = nearest or NearestToOne(seeds, task.what, target)
        abreast = min(ABREAST, most - used)
        starts = nearest.take(abreast)
        if not seeds.all_move:
            starts = np.where(seeds.moves, starts, rest)
        found = _native(task, target, starts[None], steps, used >= PATIENT)
        if best is None and found.square[0] < np.inf:
            best = found
        else:
            best = best or _nowhere(rest)
            nearer = found if found.square[0] < best.square[0] else best
            best = Found(nearer.q, nearer.square, best.steps + found.steps)
        used += abreast
    return best or _nowhere(rest)


def _nowhere(rest: Array) -> Found:
    """Where poses (N) are before anything was tried."""
    return Found(rest.copy(), np.full(len(rest), np.inf), np.zeros(len(rest), int))


def _attempts(task: Task, targets: Array, starts: Array, steps: int, patient: bool) -> Found:
    """The best of the lanes of every pose (N, L, nq)."""
    poses, abreast = starts.shape[:2]
    if (poses == 1 or abreast >= FILLED) and task.descent:
        return _native(task, targets, starts, steps, patient)
    lanes = starts.reshape(poses * abreast, -1)
    found = descend(task, np.repeat(targets, abreast, axis=0), lanes, steps, patient, abreast)
    square = found.square.reshape(poses, abreast)
    k = np.where(square < task.arrived, -1.0, square).argmin(-1)  # the first that arrived, or the nearest
    at = np.arange(poses) * abreast + k
    return Found(found.q[at], found.square[at], found.steps.reshape(poses, abreast).max(-1))


def _native(task: Task, targets: Array, starts: Array, steps: int, patient: bool) -> Found:
    """The same in one call, pose after pose."""
    together = map(np.ascontiguousarray, (starts, targets))  # as native code reads them
    found = task.descent(
        _looks(steps), WAITS[int(patient)], *together, task.rows, *task.bounds, task.damping
    )  # pyright: ignore[reportOptionalCall]
    return Found(found[:, :-2], found[:, -2], found[:, -1].astype(int))


def descend(task: Task, targets: Array, q: Array, steps: int, patient: bool, abreast: int = 1) -> Found:
    """Lanes (N, nq) brought as near to their targets as some steps do; ``patient`` waits for slow ones.

    So many lanes ``abreast`` belong to one pose.
    """
    if len(q) <= LANES:
        return _descended(task, targets, q, steps, patient, abreast)
    cuts = range(0, len(q), LANES)
    parts = [
        _descended(task, targets[k : k + LANES], q[k : k + LANES], steps, patient, abreast) for k in cuts
    ]
    return Found(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("q", "square", "steps"))
    )


def _descended(task: Task, targets: Array, q: Array, steps: int, patient: bool, abreast: int) -> Found:
    found = Found(q.copy(), np.full(len(q), np.inf), np.zeros(len(q), int))
    live, before, done = np.arange(len(q)), np.full(len(q), np.inf), 0
    pair = [np.empty((len(q), q.shape[1] + 1)) for _ in range(2)]
    for check in _checks(steps):
        q, square = _walked(task, targets, q, check - done, pair)
        done = check
        stays = (square >= task.arrived) & (patient | (square < GAIN * before)) & (done < steps)
        if abreast > 1:
            reached = np.zeros(len(found.q) // abreast, bool)
            reached[live[square < task.arrived] // abreast] = True
            stays &= ~reached[live // abreast]
        at, leaves = live[~stays], ~stays
        found.q[at], found.square[at], found.steps[at] = q[leaves], square[leaves], done
        live, before = live[stays], square[stays]
        if not len(live):
            break
        q, targets = q[stays], targets[stays]
    found.square[np.isnan(found.square)] = np.inf
    return found


def _walked(task: Task, targets: Array, q: Array, steps: int, pair: list[Array]) -> tuple[Array, Array]:
    """Lanes after some steps and their squared errors before the last one, in two arrays used in turn."""
    for _ in range(steps):
        pair.reverse()
        q = task.step(q, targets, out=pair[0][: len(q)])[:, :-1]
    return q, pair[0][: len(q), -1]


@cache
def _looks(steps: int) -> Array:
    """The same as numbers for native code."""
    return np.array(_checks(steps), float)


def _checks(steps: int) -> list[int]:
    """The counts of steps after which lanes are looked at; the last look is after the last step."""
    later = range(FIRST_CHECKS[-1] + CHECK_EVERY, steps, CHECK_EVERY)
    return [check for check in (*FIRST_CHECKS, *later) if check < steps] + [steps]


@np.errstate(all="ignore")
def settle(task: Task, targets: Array, found: Found) -> Found:
    """The places where no small motion within the bounds comes nearer, metres and radians together.

    Each lane has a damping of its own: less after a step that came nearer, more after one that did not and is undone.
    """
    best, least = found.q.copy(), np.full(len(found.q), np.inf)
    damping, q = np.tile(task.damping, (len(best), 1)), best
    factor, metric = damping[:, 1], replace(task, reach=1.0)
    for _ in range(SETTLING):
        out = metric.step(q, targets, damping)
        nearer = out[:, -1] <= least
        best[nearer], least[nearer] = q[nearer], out[nearer, -1]
        factor *= np.where(nearer, LESS, MORE)
        q = np.where(nearer[:, None], out[:, :-1], best)
    return Found(best, task.step(best, targets)[:, -1], found.steps + SETTLING)
