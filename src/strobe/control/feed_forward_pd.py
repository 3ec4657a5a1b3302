"""The torques of the motion that is wanted, computed where it should be, and PD for what is missed.

    tau = ID(q_r, qd_r, qdd_r) + Kp (q_r − q) + Kd (qd_r − qd)

The model never sees a measurement, so that its torques may be computed ahead. Kp = Kd = 0 is pure feed-forward.
"""

from __future__ import annotations

from typing import Any

from strobe.approximate.method import Formula
from strobe.control.belief import Belief
from strobe.control.controller import Kept, Measured, Wanted
from strobe.control.joint_pd import JointPD
from strobe.robot import Robot
from strobe.scalars import Num


class FeedForwardPD(JointPD):
    """`JointPD` and the inverse dynamics of the reference."""

    name, title = "feed-forward-pd", "feed-forward and PD"

    def __init__(
        self, robot: Robot, period: float, kp: Any = None, kd: Any = None, model: Formula | None = None
    ) -> None:
        super().__init__(robot, period, kp, kd)
        self.belief = Belief(robot, model)

    def step(
        self, measured: Measured, wanted: Wanted, kept: Kept, gains: Kept
    ) -> tuple[list[Num], dict[str, list[Num]]]:
        pulled = self.pulled(measured, wanted, gains["kp"], gains["kd"])
        return [a + t for a, t in zip(self.belief.torques(*wanted), pulled, strict=True)], {}
