"""A question of one robot, as other libraries ask it: its inputs by name, its answer, what it changes with.

Derivatives are questions again. What asks on arrays of another library checks them in the words of that library; the
answer here is on NumPy arrays, by code of the robot's device, or on arrays of a card, by code for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from strobe.compiler.runtime.arrays import REASONS, shape_of
from strobe.compiler.runtime.cuda import Cuda
from strobe.errors import UnsupportedModelError
from strobe.quantities import Request
from strobe.robot import Robot, require_robot
from strobe.robot.prepared import prepared
from strobe.tensors.products import Product, rates, shares
from strobe.tensors.steps import step

_numbers = count()
_known: WeakValueDictionary[int, Question] = WeakValueDictionary()


class Question:
    """A request of a robot; made once for each, see `question`."""

    def __init__(self, robot: Robot, request: Request) -> None:
        self.robot, self.request = robot, request
        self.inputs = request.inputs(robot.model)
        self.names, self.sizes = tuple(self.inputs), tuple(self.inputs.values())
        self.shape = request.shape(robot.model)
        self._derived: dict[tuple[Any, ...], Derived] = {}
        self.number = next(_numbers)  # by which compiled programs know it
        _known[self.number] = self

    def __repr__(self) -> str:
        taken = ", ".join(f"{name} ({size})" for name, size in self.inputs.items())
        return f"<{self.request.quantity} of {self.robot.name}: {taken} to {self.shape}>"

    @cached_property
    def answer(self) -> Callable[..., Any]:
        """From NumPy arrays, in the order of the inputs, to the result; compiled when it is first needed."""
        return self._whole if self.request.record.parted else self.robot.prepared(self.request)

    def _whole(self, *arrays: Any) -> Any:
        """An answer that a handle gives in parts, as one array."""
        return self.robot.evaluate(self.request, dict(zip(self.names, arrays, strict=True)))

    def on_card(self, *arrays: Any) -> Any:
        """The same from arrays on a card to one there, in the library that they are of."""
        robot = self.robot.kept("on a card", lambda: _on_card(self.robot))
        return robot.evaluate(self.request, dict(zip(self.names, arrays, strict=True)))

    def shares(self, needed: tuple[bool, ...]) -> Derived:
        """What those inputs that are needed have in the weighted sum of the result, side by side."""
        return self._product(shares, needed)

    def rates(self, moving: tuple[bool, ...]) -> Derived:
        """How fast the result moves with those inputs."""
        return self._product(rates, moving)

    def _product(self, product: Callable[..., Product], chosen: tuple[bool, ...]) -> Derived:
        found = self._derived.get((product, chosen))
        if found is None:
            _require_open(self)
            named = tuple(name for name, taken in zip(self.names, chosen, strict=True) if taken)
            found = Derived(self, product(self.request, named))
            found = self._derived.setdefault((product, chosen), found)
        return found

    def reason(self, name: str) -> str:
        """What the size of an input is held against."""
        return REASONS.get(name.split(" ")[0], self.robot.shape_reason)


class Derived(Question):
    """A Jacobian of a question times a vector."""

    request: Product

    def __init__(self, of: Question, request: Product) -> None:
        super().__init__(of.robot, request)
        given = (*of.names, *request.factors(of.robot.model))
        self._places = None if given == self.names else tuple(map(given.index, self.names))
        self.parts = [of.inputs[name] for name in request.named]  # sizes of what shares are made of

    def arranged(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """What it is asked on, from the inputs of the other question and behind them the factors."""
        return given if self._places is None else tuple(given[k] for k in self._places)


Given = tuple[Any, ...]  # `Loads` as a plain tuple, which PyTorch's compiler knows for a constant


class Loads(NamedTuple):
    """What a call gives besides states, as data: which, not what."""

    frames: tuple[str, ...] | None = None  # of a mapping of wrenches
    wrench: bool = False
    frame: str | None = None  # where the one wrench acts
    gravity: bool = False
    parameters: bool = False
    geometry: tuple[int, ...] | None = None  # its last axis, which tells the two kinds apart


NOTHING = tuple(Loads())


def given(
    wrench: Any, frame: str | None, gravity: Any, parameters: Any, geometry: Any
) -> tuple[Given, tuple[Any, ...]]:
    """What a call gives besides states, and the arrays in the order in which a question takes them."""
    if wrench is frame is gravity is parameters is geometry is None:
        return NOTHING, ()
    frames = tuple(wrench) if isinstance(wrench, Mapping) else None
    one = wrench is not None and frames is None
    size = None if geometry is None else shape_of("geometry", geometry)[-1:]
    which = (frames, one, frame, gravity is not None, parameters is not None, size)
    wrenches = [wrench] if one else list(wrench.values()) if isinstance(wrench, Mapping) else []
    return which, (*wrenches, *(x for x in (gravity, parameters, geometry) if x is not None))


def question(robot: Robot, quantity: str, given: Given, *options: tuple[str, Any]) -> Question:
    """The question that a call asks; made once."""
    try:
        return require_robot(robot).kept(
            (quantity, given, options), lambda: _made(robot, quantity, given, options)
        )
    except TypeError:  # an option that is no key
        return _made(robot, quantity, given, options)


def known(number: int) -> Question:
    """A question by its number."""
    return _known[number]


def asked(robot: Robot, request: Request) -> Question:
    """A request as a question."""
    return robot.kept(("question", request), lambda: Question(robot, request))


def settled(robot: Robot, quantity: str, given: Sequence[str], options: Mapping[str, Any]) -> Question:
    """The question that `Robot.prepared` would make of the same words."""
    return asked(require_robot(robot), prepared(robot, (quantity,), given, options))


def _made(robot: Robot, quantity: str, given: Given, options: Sequence[tuple[str, Any]]) -> Question:
    if not robot.nv:
        raise UnsupportedModelError(f"{robot.name} has no joints that move: nothing can be differentiated.")
    loads = Loads(*given)
    values = robot.loads(
        dict.fromkeys(loads.frames, 0) if loads.frames is not None else 0 if loads.wrench else None,
        loads.frame,
        0 if loads.gravity else None,
        0 if loads.parameters else None,
        None if loads.geometry is None else np.zeros(loads.geometry),
    )
    if quantity == "step":
        request = step(robot, values, dict(options))
    else:
        request = robot.request(quantity, values, **dict(options))
    robot.require(request)
    return asked(robot, request.at_frames(robot.model))


def _on_card(robot: Robot) -> Robot:
    return robot if isinstance(robot.device, Cuda) else robot.to("cuda")


def _require_open(asked: Question) -> None:
    """Refuse derivatives of closed chains, whose joints cannot move one by one."""
    robot = asked.robot
    if robot.model.is_closed and not asked.request.record.kinematic:
        raise UnsupportedModelError(
            f"{robot.name} has closed chains, and its joints cannot move one by one: {asked.request.quantity} has no "
            "derivatives by tensors. Detach them, or take the loops out of the model."
        )
