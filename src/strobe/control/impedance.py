"""A hand on springs and dampers in base axes, its weight and motion carried by the model. (Hogan)

    tau = M qdd_r + C(q, qd) qd_r + g + friction(qd_r) + Jᵀ [K e_x + D (ẋ_r − ẋ)] + (1 − Jᵀ J̄ᵀ) M q̈0

At rest the model carries the weight alone, and a wrench F moves the hand by F/K. On the move it carries the motion
wanted, so that springs feel the hand's errors only; inertia is left as it is. The last term, for a redundant arm,
keeps a posture, q̈0 = Kd_p (qd_r − qd) + Kp_p (q_r − q), that is not felt at the hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strobe.algebra.rows import dot
from strobe.approximate.method import Formula
from strobe.control.controller import Controller, Kept, Measured, Wanted
from strobe.control.controller_model import require_plain_joints
from strobe.control.end_effector_task import EndEffectorTask
from strobe.control.inertia_scales import BANDWIDTH, hand_inertias
from strobe.control.operational_space import DAMPING
from strobe.robot import Robot
from strobe.scalars import Num


class Impedance(Controller):
    """Springs (N/m, N·m/rad) and dampers for rows ``of`` the motion of a ``frame``.

    Without ``stiffness`` what the hand weighs, L = 1/(J M⁻¹ Jᵀ)_ii, has 20 rad/s: K = ω² L; without
    ``hand_damping`` it is damped critically: D = 2 √(K L).
    """

    name, title = "impedance", "impedance of the hand"

    def __init__(
        self, robot: Robot, period: float, stiffness: Any = None, hand_damping: Any = None,
        posture_kp: Any = 100.0, posture_kd: Any = 20.0, frame: str | None = None,
        of: str | Sequence[str] | None = None, damping: float = DAMPING, model: Formula | None = None,
    ) -> None:  # fmt: skip
        super().__init__(robot, period, model)
        require_plain_joints(robot, self.name)
        self.task = EndEffectorTask(robot, frame, of)
        self.damping = float(self.gain("damping", damping, 1, "it is one number")[0])
        size, why = len(self.task.rows), f"the task has rows {', '.join(self.task.names)}"
        weights = hand_inertias(robot, self.task)
        K = BANDWIDTH**2 * weights if stiffness is None else self.gain("stiffness", stiffness, size, why)
        D = 2 * np.sqrt(K * weights)
        if hand_damping is not None:
            D = self.gain("hand_damping", hand_damping, size, why)
        self._gains = {"stiffness": K, "hand_damping": D}
        if self.task.redundant:
            self.belief.require_inertia()
            self._gains["posture_kp"] = self.per_joint("posture_kp", posture_kp)
            self._gains["posture_kd"] = self.per_joint("posture_kd", posture_kd)

    def step(
        self, measured: Measured, wanted: Wanted, kept: Kept, gains: Kept
    ) -> tuple[list[Num], dict[str, list[Num]]]:
        q, qd, belief = measured.q, measured.qd, self.belief
        J, moving = self.task.jacobian(q), belief.mixed(q, qd, wanted.qd, wanted.qdd)
        held = [t + f for t, f in zip(moving, belief.friction(wanted.qd), strict=True)]
        force = self._force(J, measured, wanted, gains)
        if self.task.redundant:
            posture = self.pulled(measured, wanted, gains["posture_kp"], gains["posture_kd"])
            M = belief.mass_matrix(q)
            moved = [belief.solved(M, row) for row in J]
            A = [[dot(row, x) for x in moved] for row in J]
            felt = self.task.solved(A, [dot(row, posture) for row in J], self.damping)
            force = [f - x for f, x in zip(force, felt, strict=True)]
            held = [t + dot(row, posture) for t, row in zip(held, M, strict=True)]
        return [t + dot(column, force) for t, column in zip(held, zip(*J, strict=True), strict=True)], {}

    def _force(self, J: list[list[Num]], measured: Measured, wanted: Wanted, gains: Kept) -> list[Num]:
        """K e + D ė."""
        there = self.task.jacobian(wanted.q)
        e = self.task.error(measured.q, wanted.q)
        rows = zip(J, there, e, gains["stiffness"], gains["hand_damping"], strict=True)
        return [k * x + d * (dot(r, wanted.qd) - dot(j, measured.qd)) for j, r, x, k, d in rows]
