"""What every approximation is: something that gives torques behind a motion, and says what it costs.

    method = approximate.WithoutVelocityTerms(robot)
    tau = method.inverse_dynamics(q, qd, qdd)     # (..., n) arrays in, (..., n) out
    method.memory, method.operations, method.preparation

A method that is a formula over numbers is a `Formula`: it is compiled and counted as the exact dynamics are,
and can stand in their place wherever a function over numbers is traced. Others (tables, stored motions) are arrays
and look-ups.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from strobe.compiler.graph.program import Program
from strobe.compiler.runtime.arrays import collected
from strobe.compiler.runtime.traced import Traced, trace
from strobe.errors import ShapeError
from strobe.models.loops import require_open
from strobe.models.model import Model
from strobe.quantities import Request
from strobe.quantities.drives import friction_torques
from strobe.quantities.evaluation import Asked
from strobe.robot import Robot, require_robot
from strobe.scalars import Num, Numbers, Scalar
from strobe.show.sheet import Sheet, displayed

Array = np.ndarray
NUMBER = 8  # bytes of a stored number
ANGULAR = ("sin", "cos")
INVERSE_DYNAMICS = Request("inverse_dynamics")
OTHERS = ("div", "sqrt", "atan2", "tanh")


@dataclass(frozen=True, slots=True)
class Operations:
    """What one evaluation takes."""

    multiplications: int
    additions: int
    angular: int = 0  # sines and cosines
    others: int = 0  # divisions, roots
    lookups: int = 0  # numbers read from a table

    @classmethod
    def of(cls, program: Program, lookups: int = 0) -> Operations:
        angular, others = (sum(program.counts[op] for op in ops) for ops in (ANGULAR, OTHERS))
        return cls(program.multiplications, program.additions, angular, others, lookups)


@displayed
class Approximation(ABC):
    """Torques behind a motion, nearly."""

    name: str  # as commands and files call it: words with hyphens
    title: str  # as tables and plots call it
    robot: Robot
    # whether the states of a call, along the last axis but one, follow one another in time
    in_order = False
    emulated = False  # whether a call imitates code for another processor, so that its time says nothing
    silent: tuple[int, ...] = ()  # degrees of freedom whose torques it does not give: 0, which is no error

    @abstractmethod
    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Array:
        """tau (..., n), nearly."""

    @property
    @abstractmethod
    def memory(self) -> int:
        """Bytes of numbers that it keeps from call to call."""

    @property
    @abstractmethod
    def operations(self) -> Operations:
        """What one evaluation takes; on average, where states differ."""

    @property
    @abstractmethod
    def preparation(self) -> float:
        """Seconds it took, or takes, before the first torque."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What its user must know, in sentences."""
        return ()

    def _sheet(self) -> Sheet:
        return Sheet(f"{self.title} of {self.robot.name}", [*self.notes])


class Formula(Approximation):
    """An approximation that is a formula over numbers: compiled when it is first used."""

    @abstractmethod
    def torques(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        """tau over numbers of any system."""

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Array:
        try:
            return self.kernel(q, qd, qdd)
        except ShapeError:
            # in terms of the robot
            collected({"q": q, "qd": qd, "qdd": qdd}, self.kernel.inputs, self.robot.shape_reason)
            raise

    @property
    def kernel(self) -> Traced:
        return self._made[0]

    @property
    def preparation(self) -> float:
        return self._made[1]

    @property
    def operations(self) -> Operations:
        return Operations.of(self.kernel.program)

    @property
    def memory(self) -> int:
        """The constants of its program."""
        return NUMBER * self.kernel.program.counts["constant"]

    @cached_property
    def _made(self) -> tuple[Traced, float]:
        start, robot = time.perf_counter(), self.robot
        kernel = trace(self.torques, q=robot.nq, qd=robot.nv, qdd=robot.nv)
        kernel(robot.neutral, np.zeros(robot.nv), np.zeros(robot.nv))
        return kernel, time.perf_counter() - start


class Exact(Formula):
    """The robot's own inverse dynamics: what the others are measured against."""

    name = "exact"
    title = "exact"

    def __init__(self, robot: Robot) -> None:
        self.robot = require_robot(robot)

    def torques(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        return exact(self.robot, q, qd, qdd)


def require_open_dynamics(robot: Robot) -> None:
    """Refuse robots without dynamics, and closed chains, whose joints do not move one by one."""
    require_robot(robot).require("inverse_dynamics")
    require_open(robot.model, "an approximation")


def exact(
    robot: Robot, q: Numbers, qd: Numbers, qdd: Numbers, request: Request = INVERSE_DYNAMICS
) -> list[Num]:
    """The robot's own torques over numbers of any system, friction and rotor inertia with them."""
    return request.evaluate(in_system(robot.model, q), q=q, qd=qd, qdd=qdd)


def friction(robot: Robot, qd: Numbers) -> list[Num]:
    """The friction of a robot's joints, over numbers of any system."""
    x = robot.coordinates
    return x.reduce(
        friction_torques(Asked(in_system(robot.model, qd), INVERSE_DYNAMICS, {}), x.expand_rates(qd))
    )


def in_system(model: Model, q: Numbers) -> Model:
    """A model over the numbers that positions are of."""
    system = next((x.system for x in q if isinstance(x, Scalar)), None)
    return model if system is None else model.lift(system)
