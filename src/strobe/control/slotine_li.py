"""Adaptive control on the regressor: what the hand carries is learned while it moves. (Slotine and Li)

    s    = (qd_r − qd) + Λ (q_r − q) = w − qd                      w = qd_r + Λ e, the velocity that would mend e
    tau  = M ẇ + C(q, qd) w + g + friction(w) + Y π̂ + K s          ẇ = qdd_r + Λ ė
    π̂'   = Γ Yᵀ s,   Γ = γ diag(1, ℓ², ℓ², ℓ², ℓ⁴, …)              ten parameters at every frame that carries

V = ½ sᵀ M s + ½ π̃ᵀ Γ⁻¹ π̃, M with what is carried, falls by V' = −sᵀ K s whatever the load, and by more with friction
that grows with speed: e dies, and π̂ comes to one of the loads that explain the motion. In steps of the period π̂
grows by T Γ Yᵀ s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from strobe.algebra.rows import dot
from strobe.approximate.method import Formula
from strobe.control.controller import Controller, Kept, Measured, Wanted
from strobe.control.controller_model import require_plain_joints
from strobe.control.inertia_scales import BANDWIDTH, sampled_inertias
from strobe.control.regressor import load_columns
from strobe.errors import ArgumentError, counted, shown
from strobe.identify.payload_regressor import PARAMETERS
from strobe.robot import Robot
from strobe.scalars import Num

Array = np.ndarray
ORDERS = np.array([0, *[2] * 3, *[4] * 6])  # powers of a length in Γ


class SlotineLi(Controller):
    """Adapts the ten inertial parameters at one frame or several; the rest of the arm is believed.

    ``rate`` is Λ (1/s), ``damping`` K (N·m·s/rad; without it 2 · 20 rad/s of the largest inertia that a joint moves),
    ``adaptation`` γ (kg/(N·m·s)), and ``size`` ℓ the length (m) over which a load is thought to extend.
    """

    name, title = "slotine-li", "adaptive (Slotine and Li)"

    def __init__(
        self, robot: Robot, period: float, rate: Any = BANDWIDTH, damping: Any = None, adaptation: Any = 5.0,
        size: float = 0.05, frame: str | Sequence[str] | None = None, model: Formula | None = None,
    ) -> None:  # fmt: skip
        super().__init__(robot, period, model)
        require_plain_joints(robot, self.name)
        named = [frame] if frame is None or isinstance(frame, str) else list(frame)
        self.frames = tuple(robot.moving_frame(name) for name in named)
        if not self.frames or len(set(self.frames)) < len(self.frames):
            raise ArgumentError(f"frame is {shown(frame)}; expected one frame or several, each once.")
        K = self._damping() if damping is None else self.per_joint("damping", damping)
        self._gains = {
            "rate": self.per_joint("rate", rate),
            "damping": K,
            "adaptation": self._adaptation(adaptation, size),
        }

    def _damping(self) -> Array:
        """K = 2 ω I with 20 rad/s for the largest inertia of every joint, softer where the period asks for it."""
        return 2 * BANDWIDTH * sampled_inertias(self.robot, self.period)

    def _adaptation(self, adaptation: Any, size: float) -> Array:
        """The diagonal of Γ (..., 10 per frame): given itself, or by one number γ and the size ℓ."""
        whole = self.memory["parameters"]
        why = f"{len(PARAMETERS)} parameters at {counted(len(self.frames), 'frame')} are learned"
        numbers = self.gain("adaptation", adaptation, whole, why)
        if np.ndim(adaptation):
            return numbers
        length = float(self.gain("size", size, 1, "it is one length")[0])
        return numbers * np.tile(length**ORDERS, len(self.frames))

    @property
    def memory(self) -> Mapping[str, int]:
        return {"parameters": len(PARAMETERS) * len(self.frames)}

    def step(
        self, measured: Measured, wanted: Wanted, kept: Kept, gains: Kept
    ) -> tuple[list[Num], dict[str, list[Num]]]:
        q, qd = measured.q, measured.qd
        e, ed = self.position_error(measured, wanted), self.velocity_error(measured, wanted)
        w = [r + rate * x for r, rate, x in zip(wanted.qd, gains["rate"], e, strict=True)]
        wd = [a + rate * v for a, rate, v in zip(wanted.qdd, gains["rate"], ed, strict=True)]
        s = [x - v for x, v in zip(w, qd, strict=True)]
        Y = [column for frame in self.frames for column in load_columns(self.robot, frame, q, qd, w, wd)]
        known, friction = self.belief.mixed(q, qd, w, wd), self.belief.friction(w)
        rows = zip(known, friction, zip(*Y, strict=True), gains["damping"], s, strict=True)
        tau = [t + f + dot(row, kept["parameters"]) + k * x for t, f, row, k, x in rows]
        learned = zip(kept["parameters"], gains["adaptation"], Y, strict=True)
        return tau, {"parameters": [p + g * self.period * dot(y, s) for p, g, y in learned]}
