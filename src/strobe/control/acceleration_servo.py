"""Direct acceleration servoing: the torque is changed until the acceleration is the one wanted. [Waters1979]

    a_des = qdd_r + Kd (qd_r − qd) + Kp (q_r − q)
    u'    = u + λ M̂ (a_des − a)                      a is measured under the torque u

No model of weight, velocity terms or friction is needed, only of inertia. The loop is stable where every eigenvalue
of 1 − λ M⁻¹ M̂ lies inside the unit circle:

    "full"         M̂ = M                  1 − λ, for all poses
    "effective"    M̂ = diag(1/(M⁻¹)_ii)   for n joints the eigenvalues of M⁻¹ M̂ lie between 0 and n
    "diagonal"     M̂ = diag(M)            large eigenvalues where joints are coupled

Without Kp and Kd positions drift.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from strobe.algebra.rows import dot
from strobe.approximate.method import Formula
from strobe.compiler.runtime.interpret import evaluate
from strobe.control import effort_limits as motors
from strobe.control.controller import Controller, Kept, Measured, Wanted
from strobe.control.controller_model import units
from strobe.control.inertia_scales import POSES
from strobe.errors import ArgumentError, ControlWarning, shown, vector
from strobe.robot import Robot
from strobe.scalars import Num, Numbers

INERTIAS = ("full", "effective", "diagonal")
MARGIN = 1e-9  # by which rounding may take an eigenvalue over the unit circle


class AccelerationServo(Controller):
    """A servo on accelerations, ``part`` (λ) of what is missing made up for every period; ``inertia`` names M̂."""

    name, title = "acceleration-servo", "acceleration servo"
    uses_acceleration = True

    def __init__(
        self, robot: Robot, period: float, part: Any = 0.5, kp: Any = 400.0, kd: Any = 40.0,
        inertia: str = "full", effort: Any = None, model: Formula | None = None,
    ) -> None:  # fmt: skip
        super().__init__(robot, period, model)
        if inertia not in INERTIAS:
            raise ArgumentError(f"inertia is {shown(inertia)}; expected one of {', '.join(INERTIAS)}.")
        self.inertia = inertia
        self.belief.require_inertia()
        self.effort = motors.largest(robot, effort)
        self._gains = {
            name: self.per_joint(name, x) for name, x in (("part", part), ("kp", kp), ("kd", kd))
        }
        self._warn()

    @property
    def memory(self) -> Mapping[str, int]:
        return {"torque": self.robot.nv}

    def begin(self, q: Numbers, qd: Numbers) -> Kept:
        """It was held still."""
        return {"torque": self.belief.gravity(q)}

    def step(
        self, measured: Measured, wanted: Wanted, kept: Kept, gains: Kept
    ) -> tuple[list[Num], dict[str, list[Num]]]:
        pulled = self.pulled(measured, wanted, gains["kp"], gains["kd"])
        rows = zip(gains["part"], wanted.qdd, pulled, measured.qdd, strict=True)
        missing = [part * (r + x - a) for part, r, x, a in rows]
        inertia = self.assumed_inertia(measured.q)
        tau = [u + dot(row, missing) for u, row in zip(kept["torque"], inertia, strict=True)]
        return tau, {"torque": motors.within(tau, self.effort)}

    def assumed_inertia(self, q: Numbers) -> list[list[Num]]:
        """M̂ (nv rows)."""
        M, n = self.belief.mass_matrix(q), self.robot.nv
        if self.inertia == "full":
            return M
        if self.inertia == "diagonal":
            own = [M[i][i] for i in range(n)]
        else:
            own = [1.0 / self.belief.solved(M, unit)[i] for i, unit in enumerate(units(n))]
        return [[own[i] if i == j else 0.0 for j in range(n)] for i in range(n)]

    def _warn(self) -> None:
        """Say so where the loop is not stable on this robot."""
        q = self.robot.random_state(0, POSES)[0]
        assumed = evaluate(self.assumed_inertia, {"q": q}, (self.robot.nv, self.robot.nv))
        factors = np.linalg.solve(self.robot.mass_matrix(q), assumed)
        part = np.unique(self._gains["part"].reshape(-1, self.robot.nv), axis=0)[:, None, None]
        spread = np.abs(1.0 - np.linalg.eigvals(factors * part)).max(axis=-1)
        worst = np.unravel_index(spread.argmax(), spread.shape)
        if spread[worst] > 1.0 + MARGIN:
            most = f"part below {2 / np.abs(np.linalg.eigvals(factors)).max():.2g}"
            warnings.warn(
                f"the acceleration servo of {self.robot.name} with inertia={self.inertia!r} is unstable: at "
                f"q = {vector(q[worst[-1]])} an error grows by {spread[worst]:.3g} every period. Take "
                + (most if self.inertia == "full" else f'inertia="full", or {most}')
                + ".",
                ControlWarning,
                stacklevel=3,
            )
