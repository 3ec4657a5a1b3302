"""Independent joints: each motor sees the error of its own joint alone.

    tau = Kp (q_r − q) + Kd (qd_r − qd)

Whatever needs a torque at rest, weight or friction, leaves an error that is as large as this torque over Kp.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strobe.control.controller import Controller, Kept, Measured, Wanted
from strobe.control.inertia_scales import BANDWIDTH, sampled_inertias
from strobe.robot import Robot
from strobe.scalars import Num


class JointPD(Controller):
    """A spring and a damper at every joint: ``kp`` in N·m/rad and ``kd`` in N·m·s/rad (N/m and N·s/m at a slide).

    Without ``kp`` the largest inertia I that a joint moves has 20 rad/s: kp = ω² I; without ``kd`` it is damped
    critically: kd = 2 √(kp I). Where the period is too long for that, I is less (`sampled_inertias`).
    """

    name, title = "joint-pd", "independent joints, PD"

    def __init__(self, robot: Robot, period: float, kp: Any = None, kd: Any = None) -> None:
        super().__init__(robot, period)
        known = kp is not None and kd is not None
        inertia = np.zeros(robot.nv) if known else sampled_inertias(robot, period)
        stiffness = BANDWIDTH**2 * inertia if kp is None else self.per_joint("kp", kp)
        damping = 2 * np.sqrt(stiffness * inertia) if kd is None else self.per_joint("kd", kd)
        self._gains = {"kp": stiffness, "kd": damping}

    def step(
        self, measured: Measured, wanted: Wanted, kept: Kept, gains: Kept
    ) -> tuple[list[Num], dict[str, list[Num]]]:
        return self.pulled(measured, wanted, gains["kp"], gains["kd"]), {}
