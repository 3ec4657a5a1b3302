"""What motors can give at most, and what becomes of a torque beyond it."""

from __future__ import annotations

from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import one_or_each
from strobe.errors import ArgumentError, shown
from strobe.robot import Robot
from strobe.scalars import Num, Numbers, maximum, minimum

Array = np.ndarray


def largest(robot: Robot, effort: Any = None) -> list[float]:
    """The largest torque (nv) of every motor: as given, or the robot's own limits; infinite where there is none."""
    if effort is None:
        return robot.limits.effort.tolist()
    numbers = one_or_each("effort", effort, robot.nv, robot.shape_reason)
    if numbers.ndim > 1 or not (numbers > 0).all():
        raise ArgumentError(
            f"effort is {shown(effort)}; expected {robot.nv} positive numbers, or one for all joints."
        )
    return np.broadcast_to(numbers, (robot.nv,)).tolist()


def within(tau: Numbers, effort: list[float]) -> list[Num]:
    """Torques that motors give where they are asked for these."""
    return [
        t if most == np.inf else maximum(minimum(t, most), -most)
        for t, most in zip(tau, effort, strict=True)
    ]
