"""What gives a controller a bandwidth: a rule for each way to compute torques.

Which rule is whose is said in the table of `methods`; what they rest on, in `gains`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from strobe.control.end_effector_task import EndEffectorTask
from strobe.control.inertia_scales import hand_inertias
from strobe.control.inertias import inertias
from strobe.control.sampled_modes import phase_margin, radius
from strobe.robot import Robot

INTEGRAL = 0.25  # of the bandwidth, at which an integral acts
POSTURE = 0.5  # of the bandwidth, for what the hand does not feel
PART = 0.5  # of an acceleration that is missing, made up in a period


@dataclass(frozen=True)
class Mode:
    """The mode that a period must be short for: its gains by bandwidth, per unit of its inertia."""

    kp: Callable[[float], float]
    kd: Callable[[float], float]
    part: float = 1.0

    def radius(self, bandwidth: float, period: float, delay: float) -> float:
        return radius(self.kp(bandwidth), self.kd(bandwidth), period, delay, self.part)

    def margin(self, bandwidth: float, period: float, delay: float) -> float:
        return phase_margin(self.kp(bandwidth), self.kd(bandwidth), period, delay, self.part)


Rule = Callable[[Robot, float], tuple[dict[str, Any], Mode | None]]
"""Gains for a bandwidth (rad/s), and the fastest mode that they make."""


def springs(robot: Robot, w: float) -> tuple[dict[str, Any], Mode]:
    D, k = inertias(robot).bound, inertias(robot).lightest
    return {"kp": w**2 * D, "kd": 2 * w * D}, Mode(lambda w: w**2 * k, lambda w: 2 * w * k)


def with_integral(robot: Robot, w: float) -> tuple[dict[str, Any], Mode]:
    gains, mode = springs(robot, w)
    return gains | {"ki": INTEGRAL * w**3 * inertias(robot).bound}, mode


def sliding(robot: Robot, w: float) -> tuple[dict[str, Any], Mode]:
    """M ṡ = −K s and ė = s − Λ e."""
    D, k = inertias(robot).bound, inertias(robot).lightest
    return {"rate": w, "damping": w * D}, Mode(lambda w: w**2 * k, lambda w: w * (1 + k))


def at_the_hand(robot: Robot, w: float) -> tuple[dict[str, Any], None]:
    hand = hand_inertias(robot, EndEffectorTask(robot, None, None))
    return {"stiffness": w**2 * hand, "hand_damping": 2 * w * hand} | _posture(robot, w), None


def cancelled(robot: Robot, w: float) -> tuple[dict[str, Any], Mode]:
    return {"kp": w**2, "kd": 2 * w}, Mode(lambda w: w**2, lambda w: 2 * w)


def with_posture(robot: Robot, w: float) -> tuple[dict[str, Any], Mode]:
    gains, mode = cancelled(robot, w)
    return gains | _posture(robot, w), mode


def in_parts(robot: Robot, w: float) -> tuple[dict[str, Any], Mode]:
    gains, mode = cancelled(robot, w)
    return gains | {"part": PART}, replace(mode, part=PART)


def observed(robot: Robot, w: float) -> tuple[dict[str, Any], Mode]:
    gains, mode = cancelled(robot, w)
    return gains | {"time_constant": 1 / w}, mode


def _posture(robot: Robot, w: float) -> dict[str, float]:
    """What keeps an arm together that has more joints than its hand needs."""
    if not EndEffectorTask(robot, None, None).redundant:
        return {}
    return {"posture_kp": (POSTURE * w) ** 2, "posture_kd": 2 * POSTURE * w}
