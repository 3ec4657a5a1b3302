"""One pose in closed form by one native call: every branch, its residual, and whether there is more to say.

What a loop asks for again and again is a rigid, finite pose that the arm reaches within its limits, away from
singular positions. One kernel that holds `analytic.closed_form` and the residuals of its places answers that with the
bits of the long way (`inverse`), and tells by its last number whether it was such a pose. Everything else goes the
long way, as do the first calls: a few are not worth compiling for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from strobe.compiler.graph.replay import replay
from strobe.compiler.runtime.traced import Traced, trace
from strobe.kinematics.closed_form_solutions import ROUNDING
from strobe.kinematics.joint_ranges import ROUNDING as OUTSIDE
from strobe.kinematics.poses import sound
from strobe.kinematics.solutions import Solutions
from strobe.kinematics.solver import Solver
from strobe.scalars import Num, Numbers, absolute, less, where

Array = np.ndarray

HALF_TURN = 3.14  # below it a joint is in its first turn, whatever rounding does


@dataclass(frozen=True, eq=False)
class OnePose:
    """What answers single poses of one frame, within the limits."""

    solver: Solver

    @cached_property
    def _native(self) -> Any:
        return self.kernel.code.quick

    @cached_property
    def kernel(self) -> Traced:
        """Numbers of `_sizes` from a pose (16) near q0 (n)."""
        return trace(self._answer, pose=16, q0=self.solver.arm.n)

    @cached_property
    def _ends(self) -> tuple[int, int, int, int]:
        """Where positions, residuals, what is within the limits, and branches end."""
        places, width = self.solver.closed_form(True).shape
        end = places * (width - 3)
        return end, end + places, end + 2 * places, end + 3 * places

    def __call__(self, pose: Array, q0: Array | None) -> Solutions | None:
        """What the long way answers, or None where that has more to say."""
        found = self._native(pose.reshape(16), self.solver.middle if q0 is None else q0)
        if found is NotImplemented or not found[-1]:
            return None
        solver, (a, b, c, d) = self.solver, self._ends
        shape = b - a, solver.arm.n
        return Solutions(
            q=found[:a].reshape(shape),
            residual=found[a:b],
            within=found[b:c] > 0.0,
            status=np.zeros((), int),  # SolutionStatus.SOLVED
            recognised=solver.name,
            branches=solver.branches,
            branch=found[c:d].astype(int) if solver.branches else None,
            free=np.zeros(shape, bool),
            double=np.zeros(shape, bool),
            names=solver.robot.coordinates.position_names,
        )

    def _answer(self, pose: Numbers, q0: Numbers) -> list[Num]:
        solver, n = self.solver, self.solver.arm.n
        rows = replay(solver.closed_form(True).program, {"pose": pose[:12], "q0": q0})
        residuals = [
            replay(solver.residual.program, {"q": row[:n], "target": pose[:12]})[0] for row in rows
        ]
        exists = [less(residual, float("inf")) for residual in residuals]  # NaN is not less
        within = [where(less(OUTSIDE, row[n]), 0.0, there) for row, there in zip(rows, exists, strict=True)]
        branches = [where(there, row[n + 2], -1.0) for row, there in zip(rows, exists, strict=True)]
        plain = sound(pose) * self._first_turn(q0) * less(0.0, sum(within, 0.0))
        for row, residual, there in zip(rows, residuals, exists, strict=True):
            singular = less(0.0, where(there, row[n + 1], 0.0))
            plain = plain * (1.0 - less(ROUNDING, residual)) * (1.0 - singular)
        return [*(x for row in rows for x in row[:n]), *residuals, *within, *branches, plain]

    def _first_turn(self, q0: Numbers) -> Num:
        """Whether q0 is finite, and no joint there is beyond its first turn."""
        turning = [absolute(x) for x, endless in zip(q0, self.solver.endless, strict=True) if endless]
        finite = less(absolute(sum(q0, 0.0)), float("inf"))
        return reduce(lambda known, x: known * less(x, HALF_TURN), turning, finite)


def one_pose(solver: Solver) -> OnePose | None:
    """What answers single poses of a solver, or None: joints beside the arm, or that follow it, go the long way."""
    alone = solver.whole and not solver.ranges.followers and solver.robot.compiled
    return OnePose(solver) if alone and solver.method is not None and solver.what == "pose" else None
