"""The planners behind one interface: a request goes in, a motion comes out, or the reason there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from strobe.errors import ArgumentError
from strobe.models.arguments import require_choice
from strobe.robot import Robot, require_robot
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.requests import Request, request


class Planner(NamedTuple):
    """A planner: where it is, and what it does in a line."""

    module: str
    function: str
    summary: str
    smooth: bool = False  # whether a bound on jerk is kept

    @property
    def plan(self) -> Callable[[Request], Trajectory]:
        """The planner itself, imported when it is first asked for."""
        return getattr(import_module(f"strobe.trajectory.{self.module}"), self.function)


DEFAULT = "constant-acceleration"
LONGEST = 1e12  # seconds
METHODS = {
    DEFAULT: Planner("constant_acceleration", "plan", "least time at constant maximum accelerations"),
    "torque-limited": Planner(
        "torque_limited", "under_torque", "least time along a spline under torque limits"
    ),
    "near-minimum-time": Planner(
        "near_minimum_time", "between_two", "nearly least time between two points under torque limits"
    ),
    "jerk-limited": Planner(
        "jerk_limited", "jerk_limited", "least time under a bound on jerk (extra: plan)", True
    ),
    "cubic": Planner("splines", "cubic", "cubic spline: continuous accelerations", True),
    "quintic": Planner(
        "splines", "quintic", "quintic spline: continuous snap, no acceleration at the ends", True
    ),
    "hand-line": Planner("cartesian_lines", "hand_line", "the hand on straight lines between its poses"),
    "blends": Planner("blends", "blends", "straight lines at constant velocity, corners rounded off"),
}


WHOLE = (Request, Mapping, str, PathLike)  # what holds a request with its options
FORMER = {"kahn": "near-minimum-time"}  # names that are still understood


def method_named(name: str) -> Planner:
    """The planner of a name."""
    known = FORMER.get(name, name) if isinstance(name, str) else name
    if isinstance(known, str) and known in METHODS:
        return METHODS[known]
    return METHODS[require_choice("method", known, METHODS)]


def plan(robot: Robot, asked: Any, method: str | None = None, **options: Any) -> Trajectory:
    """The motion that a request asks for: a `Request`, a file, a mapping as in a file, or joint positions (P, n).

    ``method`` is the one that the request names, or constant-acceleration. Options (qd, times, velocity,
    acceleration, jerk, effort, lower, upper, envelope, frame, labels) go with joint positions, as in
    `strobe.trajectory.requests.request`.
    """
    require_robot(robot)
    made = _request(robot, asked, options)
    name = method if method is not None else made.method or DEFAULT
    chosen = method_named(name)
    if np.isfinite(made.bounds.jerk).any() and not chosen.smooth:
        smooth = ", ".join(each for each, other in METHODS.items() if other.smooth)
        raise ArgumentError(f"{name} keeps no bound on jerk. Leave it out, or plan with one of {smooth}.")
    return _in_numbers(chosen.plan(made), name)


def _in_numbers(motion: Trajectory, method: str) -> Trajectory:
    """The motion, refused where its bounds are so far apart that floating point does not hold it."""
    if not (motion.duration <= LONGEST and np.isfinite(motion.coefficients).all()):
        raise ArgumentError(
            f"{method} finds a motion of {motion.duration:.4g} s, longer than {LONGEST:g} s or beyond floating "
            "point. Bounds or times of very different sizes cause it."
        )
    return motion


def _request(robot: Robot, asked: Any, options: Mapping[str, Any]) -> Request:
    if not isinstance(asked, WHOLE):
        return request(robot, asked, **options)
    if options:
        raise ArgumentError(
            f"{', '.join(options)}: these options go with joint positions; a request holds its own."
        )
    if isinstance(asked, Request):
        if asked.joint_names != tuple(robot.joint_names):
            raise ArgumentError(f"the request was made for {asked.robot.name}, not for {robot.name}.")
        return asked
    from strobe.trajectory.reading import read_request, request_from

    return request_from(robot, asked) if isinstance(asked, Mapping) else read_request(robot, asked)
