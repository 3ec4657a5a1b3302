"""Independent joints, their weight carried by the model.

    tau = g(q) + Kp (q_r − q) + Kd (qd_r − qd)

At rest it is where it should be, whatever the gains. (Takegaki and Arimoto)
"""

from __future__ import annotations

from typing import Any

from strobe.approximate.method import Formula
from strobe.control.belief import Belief
from strobe.control.controller import Kept, Measured, Wanted
from strobe.control.joint_pd import JointPD
from strobe.robot import Robot
from strobe.scalars import Num


class PDGravity(JointPD):
    """`JointPD` and the torques that hold the arm still."""

    name, title = "pd-gravity", "PD with gravity compensated"

    def __init__(
        self, robot: Robot, period: float, kp: Any = None, kd: Any = None, model: Formula | None = None
    ) -> None:
        super().__init__(robot, period, kp, kd)
        self.belief = Belief(robot, model)

    def step(
        self, measured: Measured, wanted: Wanted, kept: Kept, gains: Kept
    ) -> tuple[list[Num], dict[str, list[Num]]]:
        pulled = self.pulled(measured, wanted, gains["kp"], gains["kd"])
        return [a + t for a, t in zip(self.belief.gravity(measured.q), pulled, strict=True)], {}
