"""The rows of `starts` for poses and plans.

One pose in closed form, one by a search (beside the Robotics Toolbox's `ik_LM` on the same poses, where there is the
toolbox: see `toolbox`), and a plan between two points. Every call has other numbers than the one before.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, pairwise
from typing import Any

import strobe
from benchmarks.inverse_kinematics_numeric import THEIRS, arm_in_toolbox
from benchmarks.timer import Row
from benchmarks.toolbox import interpreter
from strobe.compiler.runtime.timing import Way, best_times
from strobe.kinematics.inverse import OFTEN

OTHERS = 64  # sets of numbers that take turns
ROBOTS = ("panda", "ur5", "puma560", "stanford")
SEARCHED = ("panda", "ur5")  # what the toolbox is asked for
Case = Callable[[strobe.Robot], Callable[[], Any]]


def rows_of_poses(seconds: float, small: bool) -> list[Row]:
    rows = list[Row]()
    for name in ["ur5"] if small else ROBOTS:
        robot = strobe.load(name)
        calls = {case: Way(make(robot)) for case, make in CASES.items()}
        for way in calls.values():
            for _ in range(OFTEN + 1):  # what goes the long way at first is compiled then
                way.function()
        times = best_times(calls, seconds)
        rows += [{"robot": name, "case": case, "call_us": 1e6 * time} for case, time in times.items()]
        rows += _in_toolbox(robot)
    return rows


def _in_toolbox(robot: strobe.Robot) -> list[Row]:
    if not interpreter() or robot.name not in SEARCHED:
        return []
    toolbox, poses = arm_in_toolbox(robot), robot.forward_kinematics(robot.random_state(7, OTHERS)[0])
    rows = [
        {
            "robot": robot.name,
            "case": against,
            "call_us": 1e6 * toolbox.inverse(poses, **options)["seconds"],
        }
        for against, options in THEIRS.items()
    ]
    toolbox.close()
    return rows


def _one_pose(method: str, near: bool = False) -> Case:
    def case(robot: strobe.Robot) -> Callable[[], Any]:
        q = robot.random_state(7, OTHERS)[0]
        numbers = cycle(zip(robot.forward_kinematics(q), q + 0.05, strict=True))

        def call() -> Any:
            pose, q0 = next(numbers)
            return robot.inverse_kinematics(pose, method=method, q0=q0 if near else None)

        return call

    return case


def _two_points(robot: strobe.Robot) -> Callable[[], Any]:
    q = robot.random_state(7, OTHERS)[0]
    numbers = cycle(pairwise(q))
    return lambda: robot.plan(next(numbers), velocity=1.0, acceleration=2.0)


CASES: dict[str, Case] = {
    "one pose": _one_pose("auto"),  # in closed form where there is one
    "one pose by search": _one_pose("numeric"),
    "one pose by search, from near": _one_pose("numeric", near=True),
    "planning two points": _two_points,
}
