"""How long before an application starts, when it is called again with other numbers?

A case is a call of so many steps of its own. It is timed with some and with twice as many, and what is left when the
steps are taken off is what the call takes beside them: arguments, programs looked up, tables of results. What has no
steps is timed as it is: a step of every controller held for a loop (`robot.controller`), a pose in closed form
and by search, a plan between two points. Every call has other numbers than the one before.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np

import strobe
from benchmarks.starts_of_poses import rows_of_poses
from benchmarks.timer import Row, answer
from strobe.compiler.runtime.timing import Way, best_times
from strobe.control import CONTROLLERS

SECONDS = 1.0
PERIOD, STEPS, OTHERS = 1e-3, 4, 16  # steps of the shorter call, and sets of numbers that take turns
Case = Callable[[strobe.Robot, int], Callable[[], Any]]  # a call of so many steps; zero: it has none


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    robot = strobe.load("planar2" if small else "panda")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [_row(robot, name, seconds / len(CASES)) for name in CASES]
    return rows + rows_of_poses(seconds, small)


def _row(robot: strobe.Robot, name: str, seconds: float) -> Row:
    case, steps = CASES[name]
    ways = (
        {"call": case(robot, steps), "longer": case(robot, 2 * steps)}
        if steps
        else {"call": case(robot, 0)}
    )
    for call in ways.values():
        for _ in range(4):  # what is interpreted at first is compiled then
            call()
    times = best_times({way: Way(call) for way, call in ways.items()}, seconds)
    beside = max(2 * times["call"] - times["longer"], 0.0) if steps else times["call"]
    return {"robot": robot.name, "case": name, "call_us": 1e6 * times["call"], "beside_us": 1e6 * beside}


def _taking_turns(call: Callable[..., Any], numbers: list[Any]) -> Callable[[], Any]:
    each = cycle(numbers)
    return lambda: call(*next(each))


def _states(robot: strobe.Robot, runs: int | tuple[int, ...] = ()) -> list[Any]:
    """States far from all limits, of which nobody is warned, and torques that hold the robot there."""
    found, middle = [], (robot.limits.lower + robot.limits.upper) / 2
    for seed in range(OTHERS):
        q, qd, _ = robot.random_state(seed, runs)
        q = middle + 0.5 * (q - middle) if np.isfinite(middle).all() else q
        found.append((q, 0.1 * qd, robot.gravity(q)))
    return found


def _simulated(runs: int | tuple[int, ...] = (), **words: Any) -> Case:
    def case(robot: strobe.Robot, steps: int) -> Callable[[], Any]:
        numbers = [(*state, steps * PERIOD) for state in _states(robot, runs)]
        return _taking_turns(robot.simulator(**words), numbers)

    return case


def _controlled(check: bool) -> Case:
    def case(robot: strobe.Robot, steps: int) -> Callable[[], Any]:
        goal = robot.random_state(0)[0]
        motion = robot.plan([goal, 0.9 * goal], velocity=1.0, acceleration=2.0)

        def call(q: Any) -> Any:
            return strobe.control(robot, motion, q0=q, t=steps * PERIOD, check=check)

        return _taking_turns(call, [(goal + 1e-3 * k,) for k in range(OTHERS)])

    return case


def _stepped(name: str) -> Case:
    def case(robot: strobe.Robot, steps: int) -> Callable[[], Any]:
        held = robot.controller(name)
        still = np.zeros(robot.nv)
        felt = (still,) if held.controller.uses_acceleration else ()
        numbers = [((q, qd, *felt), (q, qd, still)) for q, qd, _ in _states(robot)]
        return _taking_turns(held.step, numbers)

    return case


CASES: dict[str, tuple[Case, int]] = {
    "simulate, a run": (_simulated(step=PERIOD), STEPS),
    "simulate, a run, its step chosen": (_simulated(), STEPS),
    "simulate, 1,024 runs": (_simulated(1024, step=PERIOD), STEPS),
    "control, a loop": (_controlled(check=False), STEPS),
    "control, a loop, its stability asked": (_controlled(check=True), STEPS),
    **{f"a step of {name}": (_stepped(name), 0) for name in CONTROLLERS},
}

if __name__ == "__main__":
    answer("starts", once, SECONDS)
