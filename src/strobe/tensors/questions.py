"""A question of one robot, as other libraries ask it: names and sizes of its inputs, its answer, what it changes with.

Derivatives are questions again. What asks on arrays of another library checks them in the words of that library; the
answer here is on NumPy arrays, by code of the robot's device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

from strobe.compiler.runtime.arrays import REASONS, shape_of
from strobe.errors import ArgumentError, UnsupportedModelError, shown
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.tensors.products import Product, rates, shares

OPTIONS = ("friction", "formulation", "frame", "reference", "form", "drives", "accelerated")


_numbers = count()
_known: WeakValueDictionary[int, Question] = WeakValueDictionary()


class Question:
    """A request of a robot; made once for each, see `question`."""

    def __init__(self, robot: Robot, request: Request) -> None:
        self.robot, self.request = robot, request
        self.inputs = request.inputs(robot.model)
        self.names, self.sizes = tuple(self.inputs), tuple(self.inputs.values())
        self.shape = request.shape(robot.model)
        self._derived: dict[tuple[Any, ...], Question] = {}
        self.number = next(_numbers)  # by which compiled programs know it
        _known[self.number] = self

    def __repr__(self) -> str:
        taken = ", ".join(f"{name} ({size})" for name, size in self.inputs.items())
        return f"<{self.request.quantity} of {self.robot.name}: {taken} to {self.shape}>"

    @cached_property
    def answer(self) -> Callable[..., Any]:
        """From NumPy arrays, in the order of the inputs, to the result; compiled when it is first needed."""
        return self.robot.prepared(self.request)

    def shares(self, needed: tuple[bool, ...]) -> Question:
        """What those inputs that are needed have in the weighted sum of the result, side by side."""
        return self._product(shares, needed)

    def rates(self, moving: tuple[bool, ...]) -> Question:
        """How fast the result moves with those inputs."""
        return self._product(rates, moving)

    def _product(self, product: Callable[..., Product], chosen: tuple[bool, ...]) -> Question:
        found = self._derived.get((product, chosen))
        if found is None:
            _require_open(self)
            named = tuple(name for name, taken in zip(self.names, chosen, strict=True) if taken)
            found = Question(self.robot, product(self.request, named))
            found = self._derived.setdefault((product, chosen), found)
        return found

    def place(self, name: str) -> int:
        """Where an input stands."""
        return self.names.index(name)

    def reason(self, name: str) -> str:
        """What the size of an input is held against."""
        return REASONS.get(name.split(" ")[0], self.robot.shape_reason)


def question(robot: Robot, quantity: str, values: Mapping[str, Any], options: Mapping[str, Any]) -> Question:
    """The question that a call asks: ``values`` are loads by the names of their inputs."""
    key = ("question", quantity, *values, *options.values(), _size(values.get("geometry")))
    return robot.kept(key, lambda: _made(robot, quantity, values, options))


def known(number: int) -> Question:
    """A question by its number."""
    return _known[number]


def asked(robot: Robot, request: Request) -> Question:
    """A request as a question."""
    return robot.kept(("question", request), lambda: Question(robot, request))


def require_robot(robot: object) -> Robot:
    """A robot, or an error that says what it is instead."""
    if not isinstance(robot, Robot):
        raise ArgumentError(f"robot is {shown(robot)}; expected a Robot, as strobe.load gives.")
    return robot


def _size(geometry: Any) -> int:
    """What tells the two kinds of geometry apart."""
    return 0 if geometry is None else shape_of("geometry", geometry)[-1]


def _made(robot: Robot, quantity: str, values: Mapping[str, Any], options: Mapping[str, Any]) -> Question:
    if not require_robot(robot).nv:
        raise UnsupportedModelError(f"{robot.name} has no joints that move: nothing can be differentiated.")
    request = robot.request(quantity, values, **options)
    robot.require(request)
    return asked(robot, request.at_frames(robot.model))


def _require_open(asked: Question) -> None:
    """Refuse derivatives of closed chains, whose joints cannot move one by one."""
    robot = asked.robot
    if robot.model.is_closed and not asked.request.record.kinematic:
        raise UnsupportedModelError(
            f"{robot.name} has closed chains, and its joints cannot move one by one: {asked.request.quantity} has no "
            "derivatives by tensors. Detach them, or take the loops out of the model."
        )
