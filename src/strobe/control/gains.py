"""Gains from the dynamics: every mode damped critically or more, wherever the arm is.

    springs and dampers at joints         Kp = ω² D,  Kd = 2 ω D          D = κ diag(max M_ii), above every M(q)
    accelerations (dynamics cancelled)    Kp = ω²,    Kd = 2 ω

Under Kp and Kd a mode of M(q) with M v δ = D v moves by s² + 2 ω δ s + ω² δ = 0. Since D − M is positive everywhere,
δ ≥ 1: no mode swings, and the slowest pole of each lies between −ω and −ω/2. The largest δ, of the lightest mode at
any pose, says how short the period must be: Kd T < 2 M, which is ω T δ < 1, without delay (`sampled_modes`). With
D = diag(max M_ii) alone the modes in which joints pull together would swing, their damping √δ < 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.control.gain_rules import Mode
from strobe.control.inertias import Inertias, inertias
from strobe.control.joint_pd import JointPD
from strobe.control.methods import CONTROLLERS, make, offer
from strobe.control.modes import Stability
from strobe.control.sample_rates import WHOLE
from strobe.control.stability import POSES, stability
from strobe.errors import ArgumentError
from strobe.models.arguments import require_above
from strobe.robot import Robot, require_robot
from strobe.show.sheet import displayed
from strobe.simulate.problem import joint_at

Array = np.ndarray
ENOUGH = np.pi / 4  # of phase margin
BISECTIONS, MOST_STEPS = 60, 20


@displayed
@dataclass(frozen=True, eq=False)
class Suggestion:
    """Gains by name for a controller, and what they rest on."""

    name: str  # of the controller
    gains: Mapping[str, Any]
    sentences: tuple[str, ...]
    stability: Stability

    def __str__(self) -> str:
        rows = (
            f"  {name} = {np.array2string(np.asarray(x), precision=4)}" for name, x in self.gains.items()
        )
        return "\n".join([self.name, *rows, *self.sentences])


def suggest(name: str, robot: Robot, bandwidth: float, period: float, delay: float = 0.0) -> Suggestion:
    """Gains with which a controller by its name has a bandwidth (rad/s), for `make` to take.

    Refused is a bandwidth that the period and the delay do not allow; what is given is checked at poses.
    """
    require_robot(robot)
    offer(name)  # refuses a name that is none
    require_above("bandwidth", bandwidth, "a number of rad/s above zero")
    require_above("period", period, "a number of seconds above zero")
    require_above("delay", delay, "a number of seconds, zero or more", or_zero=True)
    robot.require("forward_dynamics")
    gains, mode = _gains(name, robot, float(bandwidth))
    said: list[str] = []
    if mode is not None:
        _require_sampled(name, mode, bandwidth, period, delay)
        said.append(_margin(mode, bandwidth, period, delay))
    if _has_springs(name):
        said += _facts(name, robot, inertias(robot), np.asarray(gains["kp"]))
    poses = np.concatenate([robot.random_state(0, POSES)[0], inertias(robot).where[None]])
    controller = make(name, robot, period, **gains)
    found = stability(robot, controller, poses, steps=_steps(delay / period), delay=delay)
    said.append(_checked(found))
    return Suggestion(name, gains, tuple(said), found)


def _has_springs(name: str) -> bool:
    """Whether a controller has springs and dampers at joints."""
    return issubclass(offer(name).kind, JointPD)


def _gains(name: str, robot: Robot, w: float) -> tuple[dict[str, Any], Mode | None]:
    """Gains for a bandwidth, and the fastest mode that they make."""
    found = offer(name)
    if found.rule is None:
        known = ", ".join(other for other, each in CONTROLLERS.items() if each.rule is not None)
        raise ArgumentError(
            f"no gains are known that give {name} a bandwidth; they are for {known}. Give it gains by name "
            f"({', '.join(found.gains)})."
        )
    return found.rule(robot, w)


def _steps(late: float) -> int:
    """The fewest steps in a period of which a delay is a whole number; one where there are none."""
    return next((n for n in range(1, MOST_STEPS + 1) if abs(late * n - round(late * n)) < WHOLE), 1)


def _require_sampled(name: str, mode: Mode, bandwidth: float, period: float, delay: float) -> None:
    """Refuse a bandwidth at which the fastest mode grows from period to period."""
    if mode.radius(bandwidth, period, delay) < 1:
        return
    most = _largest(lambda w: mode.radius(w, period, delay) < 1, bandwidth)
    good = _largest(lambda w: mode.margin(w, period, delay) >= ENOUGH, bandwidth)
    raise ArgumentError(
        f"a bandwidth of {bandwidth:g} rad/s for {name} is unstable with a period of {period:g} s and a delay of "
        f"{delay:g} s: the lightest mode stays stable below {most:.3g} rad/s, with 45° to spare below {good:.3g}. "
        "Ask for less, or shorten the period."
    )


def _largest(holds: Callable[[float], bool], above: float) -> float:
    """The largest bandwidth up to which something holds, which does not at ``above``."""
    low, high = 0.0, above
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _margin(mode: Mode, bandwidth: float, period: float, delay: float) -> str:
    margin = mode.margin(bandwidth, period, delay)
    said = f"Hold and delay leave the fastest mode {np.degrees(margin):.0f}° of phase margin"
    if margin >= ENOUGH:
        return f"{said}."
    good = _largest(lambda w: mode.margin(w, period, delay) >= ENOUGH, bandwidth)
    return f"{said}; below {good:.3g} rad/s it would have 45°."


def _facts(name: str, robot: Robot, found: Inertias, kp: Array) -> list[str]:
    """What the arm itself says about springs and dampers at its joints."""
    k = int(np.argmax(found.highest / found.lowest))
    span = (
        f"{found.lowest[k]:.3g} (others free) to {found.highest[k]:.3g} {_units(robot, k)[0]} (others held)"
    )
    said = [f"{_joint(robot, k)} moves {span}: the most counts for stiffness, the least for the period."]
    if found.coupling > 1.005:
        said.append(
            f"Joints that pull together move up to {found.coupling:.3g} times what each moves alone."
        )
    if name == "joint-pd":
        said += _worst(robot, found.weight / kp, "sags by up to {} under gravity")
    return said + _worst(robot, -robot.limits.effort / kp, "is at its effort limit from an error of {} on")


def _worst(robot: Robot, sizes: Array, what: str) -> list[str]:
    """A sentence about the joint with the largest of some displacements, where there is one."""
    k = int(np.argmax(sizes))
    size = abs(sizes[k])
    if not 1e-9 < size < np.inf:
        return []
    return [f"{_joint(robot, k)} {what.format(f'{size:.2g} {_units(robot, k)[1]}')}."]


def _checked(found: Stability) -> str:
    if found.warning is not None:
        return found.warning
    at = f"Checked at {len(found.poses)} poses, the one with the lightest mode among them"
    lost = sum(not each.at_rest for each in found.poses)
    if lost:
        return f"{at}: at {lost} of them the arm does not come to rest."
    slowest = max(each.slowest for each in found.poses)
    return f"{at}: no deviation grows, the slowest dies by {slowest:.6g} a period."


def _joint(robot: Robot, k: int) -> str:
    return f'Joint "{joint_at(robot, k).name}"'


def _units(robot: Robot, k: int) -> tuple[str, str]:
    """Of a joint's inertia and of its position."""
    joint = joint_at(robot, k)
    return ("kg m²", "rad") if joint.turns_by(k - joint.v) else ("kg", "m")
