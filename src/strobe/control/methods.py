"""Every controller by name: what commands, reports and requests call them.

    make("computed-torque", robot, 1e-3, kp=400.0, kd=40.0)

What is not given is as the class has it, or follows from the arm's inertia.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any

from strobe.control.acceleration_servo import AccelerationServo
from strobe.control.computed_torque import ComputedTorque
from strobe.control.controller import Controller
from strobe.control.gain_rules import (
    Rule,
    at_the_hand,
    cancelled,
    in_parts,
    observed,
    sliding,
    springs,
    with_integral,
    with_posture,
)
from strobe.control.impedance import Impedance
from strobe.control.joint_pd import JointPD
from strobe.control.joint_pid import JointPID
from strobe.control.model_based_pd import FeedForwardPD, PDGravity
from strobe.control.momentum_observer import MomentumObserver
from strobe.control.operational_space import OperationalSpace
from strobe.control.slotine_li import SlotineLi
from strobe.errors import ArgumentError, UnknownNameError, shown
from strobe.robot import Robot, require_robot

FIRST = ("robot", "period")


@dataclass(frozen=True)
class Offer:
    """A controller under a name, and what it is in one line."""

    kind: type[Controller]
    meaning: str
    rule: Rule | None = None  # its gains for a bandwidth, where that is worked out
    maker: Callable[..., Controller] | None = None  # where that is not its class

    @property
    def build(self) -> Callable[..., Controller]:
        return self.maker or self.kind

    @property
    def name(self) -> str:
        return self.kind.name

    @cached_property
    def gains(self) -> dict[str, Any]:
        """What can be given by name, with what stands for it otherwise; None is worked out from the arm's inertia."""
        parameters = signature(self.build).parameters.values()
        return {
            p.name: p.default for p in parameters if p.name not in FIRST and p.kind is not p.VAR_KEYWORD
        }


def _observer(
    robot: Robot, period: float, controller: str | Controller = ComputedTorque.name, time_constant: Any = 0.05,
    delay: float = 0.0, effort: Any = None, model: Any = None, **gains: Any,
) -> Controller:  # fmt: skip
    """The observer around a controller, which is given or named; named, it believes in the same model."""
    if isinstance(controller, str):
        if controller == MomentumObserver.name:
            raise ArgumentError("an observer observes a controller, not itself; name another one.")
        if model is not None and "model" in offer(controller).gains:
            gains["model"] = model
        controller = make(controller, robot, period, **gains)
    return MomentumObserver(controller, time_constant, delay, effort, model)


CONTROLLERS: dict[str, Offer] = {
    each.name: each
    for each in (
        Offer(JointPD, "a spring and a damper at every joint, no model", springs),
        Offer(
            JointPID, "the same and an integral, which stops where a motor is at its limit", with_integral
        ),
        Offer(PDGravity, "a spring and a damper at every joint, weight carried by the model", springs),
        Offer(FeedForwardPD, "the torques of the motion wanted, and PD for what is missed", springs),
        Offer(
            ComputedTorque, "the dynamics cancelled by the model, the same poles for every joint", cancelled
        ),
        Offer(OperationalSpace, "the dynamics cancelled by the model, poles for the hand", with_posture),
        Offer(Impedance, "the hand on springs and dampers, weight carried by the model", at_the_hand),
        Offer(SlotineLi, "learns what the hand carries while it moves", sliding),
        Offer(
            AccelerationServo,
            "changes the torque until the measured acceleration is the one wanted",
            in_parts,
        ),
        Offer(
            MomentumObserver,
            "any controller, and what disturbs the arm estimated and taken off",
            observed,
            _observer,
        ),
    )
}
"""By name, from the simplest on."""


def offer(name: str) -> Offer:
    """A controller by its name."""
    if name not in CONTROLLERS:
        raise UnknownNameError("controller", str(name), "strobe.control", list(CONTROLLERS))
    return CONTROLLERS[name]


def make(name: str, robot: Robot, period: float, **gains: Any) -> Controller:
    """A controller by its name, with gains and whatever else it takes by name (``model``, ``frame``, …)."""
    require_robot(robot)
    found = offer(name)
    known = found.gains
    if name == MomentumObserver.name:
        inside = gains.get("controller", ComputedTorque.name)
        known = known | (offer(inside).gains if isinstance(inside, str) and inside != name else {})
    for given in gains:
        if given not in known:
            raise ArgumentError(f"{name} takes no {shown(given)}; it takes {', '.join(known)}.")
    return found.build(robot, period, **gains)
