"""Requests planned under torque limits: the fastest motion along the spline through the points.

With an envelope the path is made of the lines between the points instead, corners rounded off within it. Between two
points the path itself may be chosen too.
"""

from __future__ import annotations

import numpy as np

from strobe.errors import ArgumentError
from strobe.trajectory import kahn, torque_limited
from strobe.trajectory.keeping import require_room
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.path import polyline, spline
from strobe.trajectory.requests import Request, require_open


def under_torque(asked: Request) -> Trajectory:
    """The motion from rest to rest; refused with the joint and the place where a torque does not suffice."""
    require_open(asked, torque_limited.METHOD)
    b = asked.bounds
    path = spline(asked.q) if asked.envelope is None else polyline(asked.q, asked.envelope)
    motion = torque_limited.plan(
        asked.robot, path, effort=b.effort, velocity=b.velocity, acceleration=b.acceleration,
        lower=-np.inf, upper=np.inf,
    )  # fmt: skip
    require_room(
        asked, motion, "Add points, or ask for an envelope, which keeps to the lines between them."
    )
    return motion


def between_two(asked: Request) -> Trajectory:
    """The motion between two positions in nearly the least time, on whichever path allows it."""
    require_open(asked, kahn.METHOD)
    if len(asked.q) != 2:
        raise ArgumentError(f"{kahn.METHOD} plans between two points; the request has {len(asked.q)}.")
    if asked.envelope is not None:
        raise ArgumentError(
            f"{kahn.METHOD} chooses its path: leave the envelope out, or plan with torque-limited."
        )
    b = asked.bounds
    found = kahn.near_minimum_time(
        asked.robot, *asked.q, effort=b.effort, velocity=b.velocity, acceleration=b.acceleration, lower=b.lower,
        upper=b.upper,
    )  # fmt: skip
    return found.motion.with_notes(*found.motion.notes, found.told)
