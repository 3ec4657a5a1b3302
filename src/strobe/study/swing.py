"""A motion to look at: every joint swings about a middle, each with its own phase.

q = middle + amplitude · sin(2π t / PERIOD + phase)

Limits are kept. Joints with quaternions stay where they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from strobe.robot import Robot

Array = np.ndarray

PERIOD = 2.0  # seconds
WIDE = {True: 0.6, False: 0.15}  # rad for a joint that turns, m for one that slides


@dataclass(frozen=True, eq=False)
class Swing:
    """The motion as arrays over the degrees of freedom, and the position of what does not swing."""

    robot: Robot
    q: Array  # (nq,), the middle
    amplitude: Array  # (nv,)
    phase: Array  # (nv,)

    @classmethod
    def about(cls, robot: Robot, q: Array) -> Swing:
        """A swing whose middle is a position, or as near to it as the limits allow."""
        middle, amplitude = np.array(q, dtype=float), np.zeros(robot.nv)
        for joint in robot.coordinates.joints:
            if joint.nv == 1:
                room = 0.5 * (joint.limits.upper - joint.limits.lower)
                a = amplitude[joint.v] = max(0.0, min(WIDE[joint.turns], 0.5 * room))
                lowest, highest = joint.limits.lower + a, joint.limits.upper - a
                middle[joint.q] = min(max(middle[joint.q], lowest), highest)
        return cls(robot, middle, amplitude, np.arange(robot.nv) * (math.pi / 3))

    def states(self, times: Array) -> tuple[Array, Array, Array]:
        """q, qd and qdd at instants, one row each."""
        w = 2.0 * math.pi / PERIOD
        angle = w * np.asarray(times)[:, None] + self.phase
        s, c = np.sin(angle) * self.amplitude, np.cos(angle) * self.amplitude
        q = np.tile(self.q, (len(angle), 1))
        for joint in self.robot.coordinates.joints:
            if joint.nv == 1:
                q[:, joint.q] += s[:, joint.v]
        return q, w * c, -w * w * s


def resting_position(robot: Robot) -> Array:
    """A pose of the file, if it names one, else zero, moved to the middle of limits that do not hold it."""
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
