"""The torques of a planned motion, fed forward: inverse dynamics along it, as a table over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from strobe.errors import ArgumentError
from strobe.robot import Robot, require_robot
from strobe.simulate.torques import TimeSeries
from strobe.trajectory.files import MOST_ROWS, in_order
from strobe.trajectory.motion import Trajectory

Array = np.ndarray
SPACING = 1e-2  # seconds between rows, at most
SHORTEST = 1e-7  # seconds between rows: what changes faster is a jump
EXACT = 1e-6  # of a joint's largest torque: by how much a line between rows may be off
SMALL = 1e-3  # of the largest torque of all: joints with less may be off by as much as one with this
BEFORE = 1e-9  # of a piece: where it ends, just before the next one begins


def feed_forward(robot: Robot, motion: Trajectory, until: float | None = None, **how: Any) -> TimeSeries:
    """Torques (T, n) behind a motion, with rows at both sides of every knot and so dense that lines join them.

    ``until`` leaves out what comes after a time. Keywords (friction, gravity, …) are those of
    `Robot.inverse_dynamics`.
    """
    require_robot(robot)
    if not motion.duration > 0:
        raise ArgumentError("the motion has no duration: there is nothing to feed forward.")
    motion = in_order(motion, robot.joint_names, robot.name)
    end = motion.duration if until is None else min(motion.duration, until)
    t = _first_rows(motion, end)
    tau = robot.inverse_dynamics(*motion(t), **how)
    largest = np.abs(tau).max(axis=0)
    allowed = EXACT * np.maximum(largest, SMALL * largest.max())
    while True:
        middle = 0.5 * (t[:-1] + t[1:])
        found = robot.inverse_dynamics(*motion(middle), **how)
        off = np.abs(found - 0.5 * (tau[:-1] + tau[1:])) > allowed
        more = np.flatnonzero(off.any(axis=1) & (np.diff(t) > SHORTEST))
        if not len(more):
            return TimeSeries(t, tau)
        _require_rows(len(t) + len(more), end)
        t, tau = np.insert(t, more + 1, middle[more]), np.insert(tau, more + 1, found[more], axis=0)


def _first_rows(motion: Trajectory, end: float) -> Array:
    """Times until an end, some in every piece and both its ends among them."""
    times = np.minimum(motion.times, end)
    starts, lengths = times[:-1], np.diff(times)
    _require_rows(2.0 * len(lengths) + end / SPACING, end)
    pieces = [
        start + length * np.linspace(0.0, 1.0 - BEFORE, 2 + int(length / SPACING))
        for start, length in zip(starts, lengths, strict=True)
        if length > 0
    ]
    return np.unique(np.append(np.concatenate(pieces), end))


def _require_rows(rows: float, end: float) -> None:
    """Refuse a table of torques that is no longer a table."""
    if rows > MOST_ROWS:
        raise ArgumentError(
            f"{end:g} s of the motion need more than {MOST_ROWS:,} rows of torques. Feed forward a shorter part "
            "of it: until= in Python, --duration on the command line."
        )
