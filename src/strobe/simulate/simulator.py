"""A simulation with all but its numbers settled, for programs that run it again and again.

    simulated = robot.simulator(step=1e-3, limits=True)
    run = simulated(q0, qd0, torque, t)

It answers what `simulate` answers, bit for bit: the words were looked at when it was made, and refused where they are
wrong, and the steps under constant torques compiled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from types import MappingProxyType
from typing import Any

import numpy as np

from strobe.errors import KeywordError, UnknownNameError
from strobe.models.arguments import require_text
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, displayed
from strobe.simulate.fixed_steps import marching
from strobe.simulate.integrators import FIXED, fixed_method
from strobe.simulate.problem import problem
from strobe.simulate.run import Run
from strobe.simulate.simulation import require_words, simulate
from strobe.simulate.torques import TimeSeries, named

GIVEN = ("robot", "q0", "qd0", "torque", "t", "resume")  # what is of one run alone
# what only a run can be held against: its law, and how long it lasts
WITH_NUMBERS = ("parameters", "events")
OF_STEPS = ("every", "conserve_energy", "error", "rtol", "atol", "threads", "watch")


@displayed
@dataclass(frozen=True, eq=False)
class Simulator:
    """What `simulate` is asked in other words than numbers; ``words`` as its keywords."""

    robot: Robot
    words: Mapping[str, Any]

    def __init__(
        self, robot: Robot, method: str = "rk4", step: float | None = None, **keywords: Any
    ) -> None:
        require_robot(robot)
        defaults = {
            name: x.default for name, x in signature(simulate).parameters.items() if name not in GIVEN
        }
        for name in keywords:
            if name not in defaults:
                raise UnknownNameError("keyword", name, "simulator", list(defaults))
        words = {"method": require_text("method", method), "step": step, **keywords}
        whole = defaults | words
        require_words(robot, method, step, *(whole[name] for name in OF_STEPS), resume=None)
        _compile(robot, whole)
        object.__setattr__(self, "robot", robot)
        object.__setattr__(self, "words", MappingProxyType(words))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.robot, dict(self.words))

    def _sheet(self) -> Sheet:
        said = ", ".join(f"{name}={value!r}" for name, value in self.words.items() if value is not None)
        return Sheet(f"simulator of {self.robot.name}: {said}")

    def __call__(self, q0: Any, qd0: Any, torque: Any, t: Any, **others: Any) -> Run:
        """The run from q0 (..., nq) and qd0 (..., nv) under torques, for t seconds or at times t (T,)."""
        if others:
            cure = " What is settled once goes to robot.simulator."
            raise KeywordError(
                next(iter(others)), f"a simulator of {self.robot.name}", "q0, qd0, torque and t", cure
            )
        return simulate(self.robot, q0, qd0, torque, t, **self.words)


def _again(robot: Robot, words: dict[str, Any]) -> Simulator:
    return Simulator(robot, **words)


def _compile(robot: Robot, words: Mapping[str, Any]) -> None:
    """Refuse what no run of these words could be, and compile the steps of one, where a robot can be put anywhere."""
    if robot.model.is_closed:
        return
    left = {
        name: x for name, x in words.items() if name not in ("method", "step", *OF_STEPS, *WITH_NUMBERS)
    }
    if any(isinstance(x, TimeSeries) for x in named(left["wrench"], None).values()):
        del left["wrench"]  # which must cover a run
    somewhere = robot.random_state(0)[0]
    asked = problem(robot, somewhere, np.zeros(robot.nv), None, 1.0, **left)
    if words["method"] in FIXED and "wrench" in left:
        method, rate = fixed_method(words["method"]), asked.rate_in(asked.spans[0])
        _ = marching(asked.robot, method, rate, asked.signals, bool(words["conserve_energy"])).code
