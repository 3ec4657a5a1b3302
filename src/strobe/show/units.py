"""The units of joints: radians and newton metres where one turns, metres and newtons where it slides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strobe.models.joints import Joint

FORCES = {"rad": "N m", "m": "N"}
EITHER = "rad or m"  # where a joint is not known


def either(times: int) -> str:
    """Units of rates (1), accelerations (2) or jerks (3) of a joint that is not known."""
    over = f"/s{('', '', '²', '³')[times]}"
    return f"rad{over} or m{over}"


def lengths(joints: Sequence[Joint]) -> list[str]:
    """The unit of every degree of freedom: rad or m."""
    return [unit for joint in joints for unit in joint.rate_units]


def efforts(joints: Sequence[Joint]) -> list[str]:
    """The unit of every torque or force: N m or N."""
    return [FORCES[unit] for unit in lengths(joints)]


def per_second(units: Sequence[str], times: int = 1) -> list[str]:
    """Units of rates, or of accelerations where they are taken twice."""
    return [f"{unit}/s{'²' if times == 2 else ''}" for unit in units]
