"""A motion to look at: every joint swings about a middle, each with its own phase.

q = middle + amplitude · sin(2π t / PERIOD + phase)

Limits are kept. Joints with quaternions stay where they are. In a closed chain the actuated joints swing, less far
where the others could not follow, and the others go along.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from strobe.errors import ArgumentError, StrobeError
from strobe.robot import Robot
from strobe.robot.rest_position import (
    reachable_zero as reachable_zero,
    resting_position as resting_position,
)

Array = np.ndarray

PERIOD = 2.0  # seconds
WIDE = {True: 0.6, False: 0.15}  # rad for a joint that turns, m for one that slides
LOOKS = 13  # instants at which a swing of a closed chain is tried
HALVINGS = 5  # of its width, until it can be followed


@dataclass(frozen=True, eq=False)
class Swing:
    """The motion as arrays over the degrees of freedom, and the position of what does not swing."""

    robot: Robot
    q: Array  # (nq,), the middle
    amplitude: Array  # (nv,)
    phase: Array  # (nv,)

    @classmethod
    def about(cls, robot: Robot, q: Array, *, kept: bool = False) -> Swing:
        """A swing about a position: about one as near to it as the limits allow, or, ``kept``, as wide as they do."""
        if robot.model.is_closed:
            return _closed_swing(robot, np.array(q, dtype=float), kept)
        return cls._of(robot, q, robot.joint_names, kept)

    @classmethod
    def _of(cls, robot: Robot, q: Array, swinging: Sequence[str], kept: bool = False) -> Swing:
        middle, amplitude = np.array(q, dtype=float), np.zeros(robot.nv)
        for joint in robot.coordinates.joints:
            if joint.nv == 1 and joint.name in swinging:
                lower, upper, here = joint.limits.lower, joint.limits.upper, middle[joint.q]
                room = min(upper - here, here - lower) if kept else 0.25 * (upper - lower)
                a = amplitude[joint.v] = max(0.0, min(WIDE[joint.angular], room))
                middle[joint.q] = here if kept else min(max(here, lower + a), upper - a)
        return cls(robot, middle, amplitude, np.arange(robot.nv) * (math.pi / 3))

    def states(self, times: Array) -> tuple[Array, Array, Array]:
        """q, qd and qdd at instants, one row each."""
        q, qd, qdd = self._alone(np.asarray(times, dtype=float))
        if not self.robot.model.is_closed or not np.any(self.amplitude):
            return q, qd, qdd
        from strobe.mechanisms.dependent_motion import led  # most robots have no use for it

        joints = [joint for joint in self.robot.coordinates.joints if self.amplitude[joint.v]]
        places, rates = [joint.q for joint in joints], [joint.v for joint in joints]
        names = [joint.name for joint in joints]
        return led(self.robot, q[:, places], qd[:, rates], qdd[:, rates], self.q, names)

    def _alone(self, times: Array) -> tuple[Array, Array, Array]:
        """The same without what goes along."""
        w = 2.0 * math.pi / PERIOD
        angle = w * times[:, None] + self.phase
        s, c = np.sin(angle) * self.amplitude, np.cos(angle) * self.amplitude
        q = np.tile(self.q, (len(angle), 1))
        for joint in self.robot.coordinates.joints:
            if joint.nv == 1:
                q[:, joint.q] += s[:, joint.v]
        return q, w * c, -w * w * s


def _closed_swing(robot: Robot, q: Array, kept: bool) -> Swing:
    """The widest swing of the actuated joints that the others can follow; none where nothing drives the robot."""
    swing = Swing._of(robot, q, _driving(robot), kept)
    for _ in range(HALVINGS):
        try:
            swing.states(np.linspace(0.0, PERIOD, LOOKS))
            return swing
        except StrobeError:
            swing = replace(swing, amplitude=swing.amplitude / 2)
    return replace(swing, q=q, amplitude=np.zeros(robot.nv))


def _driving(robot: Robot) -> tuple[str, ...]:
    """The joints that drive a closed chain, or could where the model names none that do."""
    from strobe.mechanisms.mobility import driving_sets  # most robots have no use for it

    return driven(robot) or next(iter(driving_sets(robot)), ())


def driven(robot: Robot) -> tuple[str, ...]:
    """The joints that the model says drive a closed chain, if they can."""
    from strobe.mechanisms.mobility import require_actuation

    try:
        return require_actuation(robot, robot.model.actuated)
    except ArgumentError:
        return ()
