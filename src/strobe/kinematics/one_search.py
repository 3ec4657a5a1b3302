"""One pose by a search, for loops that ask again and again: `numeric` between two native calls.

Before it, whether the pose is rigid and finite and the start is finite; behind it, angles in the turn within their
limits, the residual, and whether all is as it should be. What is not goes the long way, which has the same bits.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from strobe.compiler.graph.replay import replay
from strobe.compiler.runtime.traced import Traced, trace
from strobe.kinematics import numeric
from strobe.kinematics.damped_least_squares import Task, search
from strobe.kinematics.damped_step import ResidualRequest
from strobe.kinematics.initial_guesses import Seeds, seeds_of
from strobe.kinematics.joint_ranges import ROUNDING, TURN, Ranges, ranges_of
from strobe.kinematics.poses import sound
from strobe.kinematics.solutions import Solutions
from strobe.scalars import Num, Numbers, absolute, less, where

Array = np.ndarray

INSIDE, SOLVED = np.ones(1, bool), np.zeros((), int)  # of what is found; SOLVED is SolutionStatus.SOLVED
ATTEMPTS = numeric.SEEDS, numeric.ITERATIONS, 0
UNDECIDED = 1e-9  # of a turn: nearer to half a turn rounding decides which way is back


@dataclass(frozen=True, eq=False)
class OneSearch:
    """What answers single poses of one frame, within the limits."""

    task: Task

    def __call__(self, pose: Array, q0: Array | None) -> Solutions | None:
        """What the long way answers, or None where the call is not a plain one."""
        numbers, rest = pose.reshape(16), self._middle if q0 is None else q0
        begins = self._begins(numbers, rest)
        if begins is NotImplemented or not begins[0]:
            return None
        task, targets = self.task, numbers[None, :12]
        found = search(task, targets, rest[None], q0 is not None, self._seeds, *ATTEMPTS[:2])
        if found.square[0] < task.arrived:
            ended = self._ends(found.q[0], numbers, rest)
            if ended is not NotImplemented and ended[-1]:
                return self._solved(ended, found.steps)
        rows = numeric.finished(
            task, numbers.reshape(1, 4, 4), targets, rest[None], q0 is not None, found, ATTEMPTS
        )
        return numeric.answered(task.robot, rows, ())

    def _solved(self, ended: Array, steps: Array) -> Solutions:
        found = object.__new__(Solutions)  # whose own initialisation takes longer than all of this
        vars(found).update(
            self._usual, q=ended[None, :-2], residual=ended[-2:-1], within=INSIDE.copy(), status=SOLVED.copy(),
            iterations=steps.reshape(()),
        )  # fmt: skip
        return found

    @cached_property
    def _usual(self) -> dict[str, Any]:
        """What solutions have in common, beside what is theirs by default."""
        given = {each.name: each.default for each in fields(Solutions) if each.default is not MISSING}
        return given | {"recognised": numeric.NAME, "names": self.task.robot.coordinates.position_names}

    @cached_property
    def _middle(self) -> Array:
        return numeric.middle(self.task.robot)

    @cached_property
    def _seeds(self) -> Seeds:
        return seeds_of(self.task.robot, self.task.frame)

    # -- before and behind the search ---------------------------------------------------------------------

    @cached_property
    def _begins(self) -> Any:
        return self.before.code.quick

    @cached_property
    def before(self) -> Traced:
        """Whether a pose (16) and where the joints are (nq) are beyond doubt."""
        return trace(_beyond_doubt, pose=16, q0=self.task.robot.nq)

    @cached_property
    def _ends(self) -> Any:
        return self.behind.code.quick

    @cached_property
    def behind(self) -> Traced:
        """A position (nq) in its right turns, its residual, and whether it solves the pose (16) for a robot at q0."""
        nq = self.task.robot.nq
        return trace(self._ended, q=nq, pose=16, q0=nq)

    def _ended(self, q: Numbers, pose: Numbers, q0: Numbers) -> list[Num]:
        task, ranges = self.task, ranges_of(self.task.robot)
        turned, plain = _turned_back(ranges, q, q0)
        request = ResidualRequest("residual", frame=task.frame, form=task.what)
        program = task.robot.kernel(request).program
        residual = replay(program, {"q": turned, "target": pose[:12]})[0]
        for k, low, high in zip(ranges.columns.tolist(), *_bounds(ranges), strict=True):
            beyond = [less(turned[k], low - ROUNDING)] if math.isfinite(low) else []
            beyond += [less(high + ROUNDING, turned[k])] if math.isfinite(high) else []
            for out in beyond:
                plain = plain * (1.0 - out)
        return [*turned, residual, plain * less(residual, task.tolerance)]


def one_search(task: Task) -> OneSearch | None:
    """What answers single poses of a task, or None: joints that follow several others go the long way."""
    native = task.descent is not None and not ranges_of(task.robot).followers
    return OneSearch(task) if native else None


def _beyond_doubt(pose: Numbers, q0: Numbers) -> list[Num]:
    return [sound(pose) * less(absolute(sum(q0, 0.0)), math.inf)]


def _turned_back(ranges: Ranges, q: Numbers, q0: Numbers) -> tuple[list[Num], Num]:
    """What `Ranges.turned_back` gives, and whether that is beyond doubt."""
    turned: list[Num] = list(q)
    clear: Num = 1.0
    columns, turning, centre = ranges.columns.tolist(), ranges.turning.tolist(), ranges.centre.tolist()
    for k, turns, middle, low, high in zip(columns, turning, centre, *_bounds(ranges), strict=True):
        for aim in (middle, q0[k]) if turns else ():
            x = turned[k]
            away = (x - aim) * (1.0 / TURN)
            back = where(less(0.5, away), x - TURN, where(less(away, -0.5), x + TURN, x))
            outside = (less(back, low) if math.isfinite(low) else 0.0) + (
                less(high, back) if math.isfinite(high) else 0.0
            )
            turned[k] = where(outside, x, back)
            decided = less(UNDECIDED, absolute(absolute(away) - 0.5)) * less(
                absolute(away), 1.5 - UNDECIDED
            )
            clear = clear * decided * less(0.0, absolute(x))
    return turned, clear


def _bounds(ranges: Ranges) -> tuple[list[float], list[float]]:
    return ranges.lower.tolist(), ranges.upper.tolist()
