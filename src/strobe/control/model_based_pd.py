"""Independent joints, with a torque of the model for what a spring and a damper would leave as an error.

    tau = g(q) + Kp (q_r − q) + Kd (qd_r − qd)                      PD with gravity compensated
    tau = ID(q_r, qd_r, qdd_r) + Kp (q_r − q) + Kd (qd_r − qd)      feed-forward and PD

The first is where it should be once at rest, whatever the gains (Takegaki and Arimoto). In the second the model never
sees a measurement, so that its torques may be computed ahead; Kp = Kd = 0 is pure feed-forward.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from strobe.algebra.rows import plus
from strobe.approximate.method import Formula
from strobe.control.controller import Kept, Measured, Wanted
from strobe.control.controller_model import Belief
from strobe.control.joint_pd import JointPD
from strobe.robot import Robot
from strobe.scalars import Num


class SupportedPD(JointPD):
    """`JointPD` and torques of the model."""

    def __init__(
        self, robot: Robot, period: float, kp: Any = None, kd: Any = None, model: Formula | None = None
    ) -> None:
        super().__init__(robot, period, kp, kd)
        self.belief = Belief(robot, model)

    @abstractmethod
    def support(self, measured: Measured, wanted: Wanted) -> list[Num]:
        """What the model gives."""

    def step(
        self, measured: Measured, wanted: Wanted, kept: Kept, gains: Kept
    ) -> tuple[list[Num], dict[str, list[Num]]]:
        tau, kept_on = super().step(measured, wanted, kept, gains)
        return plus(self.support(measured, wanted), tau), kept_on


class PDGravity(SupportedPD):
    """`JointPD` and the torques that hold the arm still."""

    name, title = "pd-gravity", "PD with gravity compensated"

    def support(self, measured: Measured, wanted: Wanted) -> list[Num]:
        return self.belief.gravity(measured.q)


class FeedForwardPD(SupportedPD):
    """`JointPD` and the inverse dynamics of the reference."""

    name, title = "feed-forward-pd", "feed-forward and PD"

    def support(self, measured: Measured, wanted: Wanted) -> list[Num]:
        return self.belief.torques(*wanted)
