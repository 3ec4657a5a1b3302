"""A motion that is not known is made slowly: what a model without velocity terms misses falls with the time squared.

    C(q, qd/k) qd/k = C(q, qd) qd / k²         along the same path, made in k times the time

The report's way out for motions that no library holds. [Waters1979]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strobe.errors import ArgumentError, shown
from strobe.robot import Robot
from strobe.trajectory.motion import Trajectory

Array = np.ndarray
INSTANTS = 2001  # at which velocity torques are looked at


@dataclass(frozen=True, eq=False)
class Policy:
    """How to make a motion: as it is where it is known, else slowly."""

    motion: Trajectory
    known: bool
    factor: float  # times as long as it was
    says: str


def slowly(robot: Robot, motion: Trajectory, torque: Any) -> Policy:
    """A motion so slow that its velocity torques stay within ``torque`` (one number, or n)."""
    allowed = _allowed(robot, torque)
    _, state = motion.sampled(count=INSTANTS)
    missed = np.abs(robot.bias(state.q, state.qd) - robot.gravity(state.q)).max(axis=0)
    worst = int(np.argmax(missed / allowed))
    factor = max(1.0, float(np.sqrt(missed[worst] / allowed[worst])))
    reached = f"velocity torques reach {missed[worst]:.3g} at {robot.joint_names[worst]}"
    if factor == 1.0:
        says = (
            f"The motion is not known, but slow enough: its {reached}, and {allowed[worst]:.3g} is allowed."
        )
    else:
        says = (
            f"The motion is not known: go slowly. Its {reached}, where {allowed[worst]:.3g} is allowed; made "
            f"{factor:.3g} times as long they stay within that."
        )
    return Policy(slower(motion, factor), False, factor, says)


def slower(motion: Trajectory, factor: float) -> Trajectory:
    """The same path, every velocity divided by a factor."""
    powers = factor ** np.arange(motion.coefficients.shape[-1])
    return replace(
        motion,
        times=motion.times * factor,
        points=motion.points * factor,
        coefficients=motion.coefficients / powers,
    )


def _allowed(robot: Robot, torque: Any) -> Array:
    try:
        found = np.array(np.broadcast_to(np.asarray(torque, dtype=float), robot.nv))
    except (TypeError, ValueError):
        found = np.zeros(1)
    if not (found > 0).all():
        raise ArgumentError(
            f"torque is {shown(torque)}; expected a torque above zero, or one for each of {robot.n} joints."
        )
    return found
