"""`stability`: whether an arm under a controller comes to rest, asked before anything moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked
from strobe.control.controller import Controller
from strobe.control.loop import Loop
from strobe.control.modes import AtPose, Mode, Stability, examined
from strobe.control.sample_rates import whole_steps
from strobe.control.sensors import Sensors
from strobe.control.tracking import constants_of
from strobe.errors import ArgumentError
from strobe.kinematics.joint_ranges import ranges_of
from strobe.robot import Robot, require_robot
from strobe.simulate.integrators import fixed_method
from strobe.simulate.problem import problem

__all__ = ["AtPose", "Mode", "Stability", "stability"]

Array = np.ndarray
POSES = 8  # looked at where none are given


def stability(
    robot: Robot, controller: Controller, poses: Any = None, *, plant: Robot | None = None, steps: int = 1,
    delay: float = 0.0, continuous: bool = False, sensors: Sensors | None = None, payload: Any = None,
    frame: str | None = None, wrench: Any = None, friction: bool = True, method: str = "rk4",
) -> Stability:  # fmt: skip
    """What becomes of small deviations from rest at poses (..., nq), by the loop linearised there.

    Without poses it is asked at eight within the limits. Keywords are those of `control`.
    """
    require_robot(robot)
    arm = robot if plant is None else require_robot(plant, "plant")
    q = _poses(robot, poses)
    asked = problem(
        arm, q[0], np.zeros(arm.nv), None, controller.period, wrench=wrench, frame=frame, payload=payload,
        friction=friction,
    )  # fmt: skip
    step = controller.period / steps
    loop = Loop(
        arm, asked.rate, fixed_method(method), controller, Sensors() if sensors is None else sensors, steps,
        whole_steps("delay", delay, step), continuous,
    )  # fmt: skip
    return examined(loop, constants_of(asked, loop, step)[0], q)


def _poses(robot: Robot, poses: Any) -> Array:
    """Poses (P, nq), all within the limits."""
    if poses is None:
        return robot.random_state(0, POSES)[0]
    q = checked("poses", poses, (robot.nq,), robot.shape_reason).astype(float).reshape(-1, robot.nq)
    if not len(q):
        raise ArgumentError("poses is empty; expected one position (nq) or more.")
    if not np.isfinite(q).all():
        raise ArgumentError("poses holds a number that is not finite.")
    for k, each in enumerate(q):
        for beyond in ranges_of(robot).beyond(each):
            raise ArgumentError(f"pose {k} has {beyond}; expected poses within the limits.")
    return q
