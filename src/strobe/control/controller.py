"""What a controller is: a function over numbers, from what is measured and wanted to torques, once every period.

    class Mine(Controller):
        name, title = "mine", "a controller of my own"
        gains = {"stiffness": …, "damping": …}          numbers (n,) that may differ from run to run
        memory = {"integral": n}                        what it keeps from period to period, with sizes

        def step(self, measured, wanted, kept, gains):
            return torques, {"integral": …}

Written over numbers, it runs in the compiled loop of `control`, is counted, and is written as C by the same means as
every other program: what is simulated is what is shipped.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from strobe.approximate.method import Formula, in_system
from strobe.compiler.runtime.arrays import one_or_each
from strobe.compiler.runtime.interpret import evaluate
from strobe.control.controller_model import Belief
from strobe.errors import ArgumentError
from strobe.quantities import Request
from strobe.robot import Robot, require_robot
from strobe.scalars import Num, Numbers
from strobe.show.sheet import Sheet, Table, displayed, listed, number

if TYPE_CHECKING:
    from strobe.control.sensors import Sensors

Array = np.ndarray
GAINS = 12  # numbers of a gain that are written out
Kept = Mapping[str, Numbers]


class Measured(NamedTuple):
    """What sensors say: position, velocity, acceleration of every joint."""

    q: Numbers
    qd: Numbers
    qdd: Numbers


class Wanted(NamedTuple):
    """What is asked for at this moment."""

    q: Numbers
    qd: Numbers
    qdd: Numbers


@displayed
class Controller(ABC):
    """Torques from what is measured and wanted; ``robot`` is what it believes the arm to be."""

    name: str  # as commands call it: words with hyphens
    title: str  # as tables and plots call it
    uses_acceleration = False  # whether it needs accelerations measured

    def __init__(self, robot: Robot, period: float, model: Formula | None = None) -> None:
        require_robot(robot)
        if not 0 < period < math.inf:
            raise ArgumentError(f"the period is {period:g} s; expected a positive number of seconds.")
        self.robot, self.period = robot, float(period)
        self.belief = Belief(robot, model)  # the dynamics that it computes with
        self._gains: dict[str, Array] = {}

    @property
    def model(self) -> Formula | None:
        """The approximation that stands for the robot's own dynamics, if one does."""
        return self.belief.model

    @property
    def gains(self) -> Mapping[str, Array]:
        """Numbers by name that may differ from run to run, each (..., size)."""
        return self._gains

    def _sheet(self) -> Sheet:
        head = f"{self.title} of {self.robot.name}, every {number(1e3 * self.period)} ms"
        rows = [
            [name, listed(x) if np.size(x) <= GAINS else f"{np.shape(x)} numbers"]
            for name, x in self.gains.items()
        ]
        return Sheet(head, [Table(["gain", ""], rows)] if rows else [])

    @property
    def memory(self) -> Mapping[str, int]:
        """What it keeps from period to period, with sizes; all zero at the start unless `first` says otherwise."""
        return {}

    def begin(self, q: Numbers, qd: Numbers) -> Kept:
        """Its memory before the first period of an arm in this state, by name, where it is not zero; over numbers."""
        return {}

    def first(self, q: Array, qd: Array) -> Mapping[str, Array]:
        """The same on arrays, each (..., size)."""
        if type(self).begin is Controller.begin:
            return {}
        memory = Layout(self.memory)
        begun = evaluate(self.begun, {"q": q, "qd": qd}, (memory.end,))
        return {name: begun[..., place] for name, place in memory.places.items()}

    def begun(self, q: Numbers, qd: Numbers) -> list[Num]:
        """All of it in a row, over numbers."""
        found = self.begin(q, qd)
        return [x for name, size in self.memory.items() for x in found.get(name, [0.0] * size)]

    @abstractmethod
    def step(
        self, measured: Measured, wanted: Wanted, kept: Kept, gains: Kept
    ) -> tuple[list[Num], dict[str, list[Num]]]:
        """Torques (nv), and the memory for the next period; over numbers of any system."""

    def to_c(
        self, folder: str | PathLike[str], sensors: Sensors | None = None, name: str = "controller", *,
        force: bool = False,
    ) -> list[Path]:  # fmt: skip
        """Write it as C, ``controller_step(&state, &reference, tau)``, with its test and what is made of sensors."""
        from strobe.control.export import write

        return write(folder, self, sensors, name, force=force)

    # -- what most controllers need ----------------------------------------------------------------

    def position_error(self, measured: Measured, wanted: Wanted) -> list[Num]:
        """From where the arm is to where it should be, as velocities over one second (nv)."""
        if self.robot.coordinates.is_additive:
            return [r - x for r, x in zip(wanted.q, measured.q, strict=True)]
        model = in_system(self.robot.model, measured.q)
        return Request("difference").evaluate(model, q0=measured.q, q1=wanted.q)

    def velocity_error(self, measured: Measured, wanted: Wanted) -> list[Num]:
        return [r - x for r, x in zip(wanted.qd, measured.qd, strict=True)]

    def pulled(self, measured: Measured, wanted: Wanted, kp: Numbers, kd: Numbers) -> list[Num]:
        """Kp e + Kd ė."""
        e, ed = self.position_error(measured, wanted), self.velocity_error(measured, wanted)
        return [k * x + d * v for k, x, d, v in zip(kp, e, kd, ed, strict=True)]

    def per_joint(self, name: str, value: Any) -> Array:
        """A gain as numbers (..., nv): one for all joints, or one for each."""
        return self.gain(name, value, self.robot.nv, self.robot.shape_reason)

    def gain(self, name: str, value: Any, size: int, why: str) -> Array:
        """A gain as numbers (..., size), none of them negative: one for all, or one for each."""
        numbers = one_or_each(name, value, size, why)
        wrong = numbers[~(np.isfinite(numbers) & (numbers >= 0))]
        if wrong.size:
            raise ArgumentError(f"{name} has {wrong.flat[0]:g}; expected finite numbers, 0 or more.")
        return np.full(size, float(numbers)) if numbers.ndim == 0 else numbers


class Layout:
    """Where named vectors lie in one long one."""

    def __init__(self, sizes: Mapping[str, int], start: int = 0) -> None:
        self.sizes, self.start = dict(sizes), start

    @cached_property
    def places(self) -> dict[str, slice]:
        places: dict[str, slice] = {}
        at = self.start
        for name, size in self.sizes.items():
            places[name] = slice(at, at + size)
            at += size
        return places

    @property
    def end(self) -> int:
        return self.start + sum(self.sizes.values())

    def split(self, numbers: Numbers) -> dict[str, Numbers]:
        return {name: numbers[place] for name, place in self.places.items()}

    def joined(self, parts: Kept) -> list[Num]:
        return [x for name in self.sizes for x in parts[name]]
