"""Whether a motion that was not built to keep the bounds of its request keeps them: exactly, not by samples."""

from __future__ import annotations

import numpy as np

from strobe.errors import ArgumentError
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.requests import ROUNDING, Request

Array = np.ndarray

NAMES = ("position", "velocity", "acceleration", "jerk")


def excess(asked: Request, motion: Trajectory, order: int) -> Array:
    """By which factor (n,) the velocities (order 1), accelerations or jerks of a motion use their bounds."""
    found = motion.extremes(order)
    return np.maximum(-found.least, found.largest) / getattr(asked.bounds, NAMES[order])


def require_room(asked: Request, motion: Trajectory, advice: str) -> None:
    """Refuse a motion that leaves the bounds on positions, naming where."""
    found = motion.extremes(0)
    for j, joint in enumerate(asked.joint_names):
        for value, at, bound, side, sign in (
            (found.least[j], found.least_at[j], asked.bounds.lower[j], "below its lower", -1),
            (found.largest[j], found.largest_at[j], asked.bounds.upper[j], "above its upper", 1),
        ):
            if sign * (value - bound) > ROUNDING * (1 + abs(bound)):
                raise ArgumentError(
                    f'{_leg(asked, motion, at)} joint "{joint}" would go to {value:.6g}, {side} bound '
                    f"{bound:g}. {advice}"
                )


def require_rates(asked: Request, motion: Trajectory, advice: str) -> None:
    """Refuse a motion that is faster, or accelerates more, than the bounds allow, naming where."""
    for order in (1, 2, 3):
        found = motion.extremes(order)
        for j, joint in enumerate(asked.joint_names):
            bound = getattr(asked.bounds, NAMES[order])[j]
            value, at = max((-found.least[j], found.least_at[j]), (found.largest[j], found.largest_at[j]))
            if value > bound * (1 + ROUNDING):
                raise ArgumentError(
                    f'{_leg(asked, motion, at)} joint "{joint}" would need {NAMES[order]} {value:.6g}; '
                    f"its bound is {bound:g}. {advice}"
                )


def _leg(asked: Request, motion: Trajectory, time: float) -> str:
    """Between which points of the request a time lies."""
    k = min(int(np.searchsorted(motion.points[1:], time)), len(asked.labels) - 2)
    return f"from {asked.labels[k]} to {asked.labels[k + 1]}"
