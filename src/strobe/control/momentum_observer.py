"""A disturbance observer on generalised momentum, around any controller. (De Luca)

    p   = M qd,    ṗ = tau + β + d,    β = C(q, qd)ᵀ qd − g − friction(qd)
    d_k = (p_k − p_{k−1})/T − tau_{k−1} − (β_k + β_{k−1})/2             over the period that has passed
    d̂_k = a d̂_{k−1} + (1 − a) d_k,    a = exp(−T/τ)                     a first-order filter of time constant τ
    tau = tau of the controller − d̂

d is whatever acts on the joints and is not in the model: a load, a push, friction. No acceleration is measured.
The torque that acted is the one asked for, ``delay`` seconds late and within ``effort``, where these are given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from strobe.algebra.rows import dot, minus
from strobe.approximate.method import Formula
from strobe.control import effort_limits as motors
from strobe.control.acceleration_servo import AccelerationServo
from strobe.control.controller import Controller, Kept, Measured, Wanted
from strobe.control.controller_model import require_plain_joints
from strobe.errors import ArgumentError
from strobe.scalars import Num, Numbers

Array = np.ndarray
ESTIMATE, EXPECTED, ASKED = "disturbance", "momentum expected", "torque asked"


class MomentumObserver(Controller):
    """A controller that is told what disturbs the arm, and works against it.

    The run holds the estimate: ``tracked.memory["disturbance"]``, in the sense of joint torques.
    """

    name = "momentum-observer"

    def __init__(
        self, controller: Controller, time_constant: Any = 0.05, delay: float = 0.0, effort: Any = None,
        model: Formula | None = None,
    ) -> None:  # fmt: skip
        robot, period = controller.robot, controller.period
        super().__init__(robot, period, model)
        if isinstance(controller, AccelerationServo):
            raise ArgumentError(
                f"{controller.name} makes up for disturbances by itself; an observer would do so twice."
            )
        if ESTIMATE in controller.memory:
            raise ArgumentError(f"{controller.name} has a disturbance observer already; one is enough.")
        if model is not None:
            require_plain_joints(robot, f"{self.name} with an approximate model")
        self.controller = controller
        self.effort = None if effort is None else motors.largest(robot, effort)
        if not 0 <= delay <= period:
            raise ArgumentError(f"delay is {delay:g} s; expected 0 to one period, {period:g} s.")
        self.late = delay / period  # of a period, for which the torque before still acts
        constant = self.per_joint("time_constant", time_constant)
        if not (constant > 0).all():
            raise ArgumentError("time_constant has 0; expected positive numbers of seconds.")
        self._pole = np.exp(-period / constant)

    @property
    def title(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return f"{self.controller.title}, disturbance observed"

    @property
    def uses_acceleration(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.controller.uses_acceleration

    @property
    def gains(self) -> Mapping[str, Array]:
        return {**self.controller.gains, "observer_pole": self._pole}

    @property
    def memory(self) -> Mapping[str, int]:
        return {**self.controller.memory, **dict.fromkeys((ESTIMATE, EXPECTED, ASKED), self.robot.nv)}

    def begin(self, q: Numbers, qd: Numbers) -> Kept:
        """Nothing has disturbed it yet, and it was held still."""
        own = {EXPECTED: self._expected_first(q, qd), ASKED: self.belief.gravity(q)}
        return {**self.controller.begin(q, qd), **own}

    def step(
        self, measured: Measured, wanted: Wanted, kept: Kept, gains: Kept
    ) -> tuple[list[Num], dict[str, list[Num]]]:
        p, drift = self._momentum(measured.q, measured.qd)
        half = self.period * 0.5
        rows = zip(kept[ESTIMATE], gains["observer_pole"], p, kept[EXPECTED], drift, strict=True)
        found = [a * d + (1.0 - a) * (x - y - half * b) * (1.0 / self.period) for d, a, x, y, b in rows]
        tau, inside = self.controller.step(measured, wanted, kept, gains)
        tau = minus(tau, found)
        expected = zip(p, drift, self._acting(tau, kept[ASKED]), strict=True)
        own = {
            ESTIMATE: found,
            EXPECTED: [x + half * b + self.period * t for x, b, t in expected],
            ASKED: tau,
        }
        return tau, {**inside, **own}

    def _acting(self, tau: Numbers, before: Numbers) -> list[Num]:
        """The torque of this period, on average."""
        if self.effort is not None:
            tau, before = motors.within(tau, self.effort), motors.within(before, self.effort)
        if not self.late:
            return list(tau)
        return [t + (b - t) * self.late for t, b in zip(tau, before, strict=True)]

    def _momentum(self, q: Numbers, qd: Numbers) -> tuple[list[Num], list[Num]]:
        """p and β."""
        p = [dot(row, qd) for row in self.belief.mass_matrix(q)]
        drift = minus(self.belief.momentum_drift(q, qd), self.belief.gravity(q))
        return p, minus(drift, self.belief.friction(qd))

    def _expected_first(self, q: Numbers, qd: Numbers) -> list[Num]:
        """What makes the first reading say that nothing has disturbed the arm."""
        return [x - self.period * 0.5 * b for x, b in zip(*self._momentum(q, qd), strict=True)]
