"""How far an approximation is from exact torques, at states anywhere or along a motion."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from strobe.approximate.method import Approximation, Formula
from strobe.approximate.methods import METHODS
from strobe.errors import ArgumentError
from strobe.robot import Robot
from strobe.sweep.task_torque import inverse_dynamics
from strobe.sweep.tasks import REAL, Task, beside, peak, root_mean_square

if TYPE_CHECKING:
    from strobe.sweep.plan import Cell, Field, Plan
    from strobe.trajectory.motion import Trajectory

Array = np.ndarray
NO_MOTION = ("exact", "leaving out", "extrapolation")  # families that are made for all states


class Status(IntEnum):
    """Whether an approximation knew the state of a run."""

    DONE = 0
    OUTSIDE = 1


class ApproximateTask(Task):
    """Exact torques, with what is carried; what an approximation, which knows of no load, is off by."""

    Status: ClassVar = Status
    lost: ClassVar = Status.OUTSIDE

    def __init__(self, plan: Plan, cell: Cell) -> None:
        super().__init__(plan, cell)
        self.approximation = _made(cell.chosen["approximation"], self.robot, self.motion)

    @staticmethod
    def results(robot: Robot) -> dict[str, Field]:
        each = ((robot.nv,), REAL)
        return {
            "tau": each, "error": each, "error_max": ((), REAL), "error_rms": ((), REAL), "relative": ((), REAL),
        }  # fmt: skip

    def __call__(self, given: Mapping[str, Array]) -> dict[str, Array]:
        q, qd, qdd = self._states(given)
        tau = inverse_dynamics(self.robot, q, qd, qdd, self.loads(given))
        error = self._approximated(q, qd, qdd) - tau
        off, size = root_mean_square(error, 1), root_mean_square(tau, 1)
        return {
            "tau": tau,
            "error": error,
            "error_max": peak(error),
            "error_rms": off,
            "relative": off / np.where(size > 0, size, 1.0),
        }

    def _approximated(self, q: Array, qd: Array, qdd: Array) -> Array:
        """The approximate torques, NaN at states that the approximation does not know."""
        if isinstance(self.approximation, Formula):
            return self.approximation.kernel(q, qd, qdd, threads=1)
        try:
            return self.approximation.inverse_dynamics(q, qd, qdd)
        except ArgumentError:  # some state is outside: which one is found by halves
            if len(q) == 1:
                return np.full_like(qd, np.nan)
            half = len(q) // 2
            parts = (slice(None, half), slice(half, None))
            return np.concatenate([self._approximated(q[part], qd[part], qdd[part]) for part in parts])

    def _states(self, given: Mapping[str, Array]) -> tuple[Array, Array, Array]:
        """States that were drawn, or those of the motion at a part of its duration, moved aside."""
        if self.motion is None:
            return given["state.q"], given["state.qd"], given["state.qdd"]
        q, qd, qdd = self.motion(given["part"][:, 0] * self.motion.duration)
        return beside(self.robot, q, given["offset.q"]), qd + given["offset.qd"], qdd


def _made(name: str, robot: Robot, motion: Trajectory | None) -> Approximation:
    """An approximation by its name, for a motion where there is one."""
    offer = METHODS[name]
    if motion is None and offer.family not in NO_MOTION:
        raise ArgumentError(f"{name} is made for a motion; give trajectories.")
    if motion is None and name == "locked-joints":
        raise ArgumentError(f"{name} locks the joints that stand still in a motion; give trajectories.")
    made = offer.make(robot, motion, None)  # pyright: ignore[reportArgumentType]
    if made.in_order:
        raise ArgumentError(f"{name} takes states that follow one another; those of a sweep do not.")
    if motion is not None:
        made.inverse_dynamics(*motion(0.0))  # one that needs more than a state says so
    return made
