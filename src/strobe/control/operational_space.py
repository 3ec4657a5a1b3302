"""Computed torque for the hand: the dynamics cancelled, the error of the hand given its own poles. (Khatib)

    ẍ*  = J_r qdd_r + J̇_r qd_r + Kd (ẋ_r − ẋ) + Kp e_x           x_r is where the reference takes the hand
    q̈0  = qdd_r + Kd_p (qd_r − qd) + Kp_p (q_r − q)               a posture, where the arm is redundant
    q̈   = q̈0 + J̄ (ẍ* − J̇ q̇ − J q̈0),   J̄ = M⁻¹ Jᵀ Λ,   Λ = (J M⁻¹ Jᵀ)⁻¹
    tau = ID(q, qd, q̈)                                            = Jᵀ Λ (ẍ* − J̇ q̇) + (1 − Jᵀ J̄ᵀ) M q̈0 + C qd + g

With an exact model ë_x + Kd ė_x + Kp e_x = 0 (for rotations where they are small), and the posture is not seen at
the hand. Near a singularity Λ grows; ``damping`` is the part by which the diagonal of J M⁻¹ Jᵀ is enlarged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strobe.algebra.rows import dot
from strobe.approximate.method import Formula
from strobe.control.controller import Controller, Kept, Measured, Wanted
from strobe.control.end_effector_task import EndEffectorTask
from strobe.robot import Robot
from strobe.scalars import Num

DAMPING = 1e-9


class OperationalSpace(Controller):
    """Computed torque for rows ``of`` the motion of a ``frame``: ``kp``, ``kd`` per row, the posture's per joint."""

    name, title = "operational-space", "operational space"

    def __init__(
        self, robot: Robot, period: float, kp: Any = 400.0, kd: Any = 40.0, posture_kp: Any = 100.0,
        posture_kd: Any = 20.0, frame: str | None = None, of: str | Sequence[str] | None = None,
        damping: float = DAMPING, model: Formula | None = None,
    ) -> None:  # fmt: skip
        super().__init__(robot, period, model)
        self.task = EndEffectorTask(robot, frame, of)
        self.belief.require_inertia()
        self.damping = float(self.gain("damping", damping, 1, "it is one number")[0])
        size, why = len(self.task.rows), f"the task has rows {', '.join(self.task.names)}"
        self._gains = {"kp": self.gain("kp", kp, size, why), "kd": self.gain("kd", kd, size, why)}
        if self.task.redundant:
            self._gains["posture_kp"] = self.per_joint("posture_kp", posture_kp)
            self._gains["posture_kd"] = self.per_joint("posture_kd", posture_kd)

    def step(
        self, measured: Measured, wanted: Wanted, kept: Kept, gains: Kept
    ) -> tuple[list[Num], dict[str, list[Num]]]:
        q, qd, task = measured.q, measured.qd, self.task
        J, M = task.jacobian(q), self.belief.mass_matrix(q)
        posture = self._posture(measured, wanted, gains)
        asked = self._asked(measured, wanted, gains)
        short = [a - d - dot(row, posture) for a, d, row in zip(asked, task.drift(q, qd), J, strict=True)]
        moved = [self.belief.solved(M, row) for row in J]  # the rows of (M⁻¹ Jᵀ)ᵀ
        force = task.solved([[dot(row, x) for x in moved] for row in J], short, self.damping)
        columns = zip(*moved, strict=True)
        qdd = [a + dot(column, force) for a, column in zip(posture, columns, strict=True)]
        return self.belief.torques(q, qd, qdd), {}

    def _asked(self, measured: Measured, wanted: Wanted, gains: Kept) -> list[Num]:
        """ẍ*, by which the hand comes back to where it should be."""
        task, here, there = self.task, self.task.jacobian(measured.q), self.task.jacobian(wanted.q)
        rows = zip(
            here, there, task.drift(wanted.q, wanted.qd), task.error(measured.q, wanted.q), gains["kp"],
            gains["kd"], strict=True,
        )  # fmt: skip
        return [
            dot(r, wanted.qdd) + drift + kd * (dot(r, wanted.qd) - dot(x, measured.qd)) + kp * e
            for x, r, drift, e, kp, kd in rows
        ]

    def _posture(self, measured: Measured, wanted: Wanted, gains: Kept) -> list[Num]:
        """q̈0; none where the hand decides everything."""
        if not self.task.redundant:
            return [0.0] * self.robot.nv
        pulled = self.pulled(measured, wanted, gains["posture_kp"], gains["posture_kd"])
        return [a + x for a, x in zip(wanted.qdd, pulled, strict=True)]
