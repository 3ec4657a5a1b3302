"""Where a robot stands when nothing is said: at a pose that its file names, else at zero where joints can be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from strobe.robot.robot import Robot

Array = np.ndarray


def resting_position(robot: Robot) -> Array:
    """A pose of the file, if it names one, else zero, moved to the middle of limits that do not hold it.

    Closed chains are put together from there.
    """
    q = _resting(robot)
    return robot.assemble(q) if robot.model.is_closed else q


def _resting(robot: Robot) -> Array:
    named = [pose for pose in robot.model.poses.values() if len(pose) == robot.nq]
    if named and robot.nq == robot.model.nq:
        return np.array(named[0], dtype=float)
    return reachable_zero(robot)


def reachable_zero(robot: Robot) -> Array:
    """The neutral position, moved to the middle of the limits of joints that cannot be there."""
    q = robot.neutral.copy()
    for joint in robot.coordinates.joints:
        lower, upper = joint.limits.lower, joint.limits.upper
        if joint.nq == 1 and not lower <= 0.0 <= upper:
            finite = [bound for bound in (lower, upper) if math.isfinite(bound)]
            q[joint.q] = sum(finite) / len(finite)
    return q
