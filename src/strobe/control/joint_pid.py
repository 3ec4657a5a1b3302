"""Independent joints with an integral, which takes over what weight and friction need.

i   += T e                                       unless the motor is at its limit and e drives it further
tau  = Kp e + Ki i + Kd ė
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from strobe.control import effort_limits as motors
from strobe.control.controller import Kept, Measured, Wanted
from strobe.control.inertia_scales import BANDWIDTH, joint_inertias, sampled_inertias
from strobe.control.joint_pd import JointPD
from strobe.robot import Robot
from strobe.scalars import Num, less, where

PART = 0.25  # of the bandwidth, at which an integral that nobody gave a gain acts


class JointPID(JointPD):
    """`JointPD` and an integral: ``ki`` in N·m/(rad·s), which stops where a motor gives its ``effort``.

    Without ``ki`` it is kp/4 of 20 rad/s, less where the period is too long for such springs.
    """

    name, title = "joint-pid", "independent joints, PID"

    def __init__(
        self,
        robot: Robot,
        period: float,
        kp: Any = None,
        kd: Any = None,
        ki: Any = None,
        effort: Any = None,
    ) -> None:
        super().__init__(robot, period, kp, kd)
        self._gains |= {"ki": self._integral() if ki is None else self.per_joint("ki", ki)}
        self.effort = motors.largest(robot, effort)

    def _integral(self) -> Any:
        softer = sampled_inertias(self.robot, self.period) / joint_inertias(self.robot)
        return PART * BANDWIDTH * softer * self._gains["kp"]

    @property
    def memory(self) -> Mapping[str, int]:
        return {"integral": self.robot.nv}

    def step(
        self, measured: Measured, wanted: Wanted, kept: Kept, gains: Kept
    ) -> tuple[list[Num], dict[str, list[Num]]]:
        pulled = self.pulled(measured, wanted, gains["kp"], gains["kd"])
        e = self.position_error(measured, wanted)
        rows = zip(pulled, e, kept["integral"], gains["ki"], self.effort, strict=True)
        integral = [i + self._share(t, x, i, ki, most) for t, x, i, ki, most in rows]
        tau = [t + ki * i for t, ki, i in zip(pulled, gains["ki"], integral, strict=True)]
        return tau, {"integral": integral}

    def _share(self, pulled: Num, e: Num, integral: Num, ki: Num, most: float) -> Num:
        """What this period adds to an integral: T e, or nothing where the motor gives no more that way."""
        share = e * self.period
        tau = pulled + ki * (integral + share)
        beyond = less(most, tau) * less(0.0, e) + less(tau, -most) * less(e, 0.0)
        return where(beyond, 0.0, share)
