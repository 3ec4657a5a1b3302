"""Computed torque: the model's torques for the acceleration wanted, corrected by what position and velocity miss.

    tau = ID(q, qd, qdd_r + Kd (qd_r − qd) + Kp (q_r − q))

With an exact model the error obeys ë + Kd ė + Kp e = 0, joint by joint.
"""

from __future__ import annotations

from typing import Any

from strobe.approximate.method import Formula
from strobe.control.controller import Controller, Kept, Measured, Wanted
from strobe.robot import Robot
from strobe.scalars import Num


class ComputedTorque(Controller):
    """The dynamics cancelled by the model, which may be an approximation of them."""

    name, title = "computed-torque", "computed torque"

    def __init__(
        self, robot: Robot, period: float, kp: Any = 400.0, kd: Any = 40.0, model: Formula | None = None
    ) -> None:
        super().__init__(robot, period, model)
        self._gains = {"kp": self.per_joint("kp", kp), "kd": self.per_joint("kd", kd)}

    def step(
        self, measured: Measured, wanted: Wanted, kept: Kept, gains: Kept
    ) -> tuple[list[Num], dict[str, list[Num]]]:
        pulled = self.pulled(measured, wanted, gains["kp"], gains["kd"])
        qdd = [a + x for a, x in zip(wanted.qdd, pulled, strict=True)]
        return self.belief.torques(measured.q, measured.qd, qdd), {}
