"""`Dual`: a number with its derivative along one direction, over any other system.

The derivative of an operation is a row of a table, written over numbers, so that a dual of nodes
gives the graph of a derivative and a dual of a dual a second derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from strobe.scalars.functions import (
    absolute,
    atan2,
    cos,
    floor,
    less,
    maximum,
    minimum,
    sin,
    sqrt,
    tanh,
    where,
)
from strobe.scalars.scalar import FLOAT, Num, Numbers, Scalar, System, is_number
from strobe.scalars.stored import Stored


class DualSystem(System):
    """Duals over a base system; model constants have derivative 0."""

    name = "Dual"

    def __init__(self, base: System = FLOAT) -> None:
        self.base = base
        self.name = f"Dual of {base.name}"

    def number(self, x: float) -> Num:
        return self._wrap(self.base.number(x))

    def circle(self, angle: float) -> tuple[Num, Num]:
        c, s = self.base.circle(angle)
        return self._wrap(c), self._wrap(s)

    def variable(self, name: str, angle: bool = False) -> Num:
        return Dual(self, self.base.variable(name, angle), 0.0)

    def seed(self, value: Num, tangent: Num) -> Dual:
        """The number ``value`` moving at the rate ``tangent``, both of the base system."""
        return Dual(self, value, tangent)

    def _wrap(self, x: Num) -> Num:
        return x if is_number(x) else Dual(self, x, 0.0)

    def lower(self, x: Num) -> Dual:
        return x if isinstance(x, Dual) and x.system is self else Dual(self, x, 0.0)


def _div(x: Num, dx: Num, y: Num, dy: Num) -> tuple[Num, Num]:
    z = x / y
    return z, (dx - z * dy) / y


def _sqrt(x: Num, dx: Num) -> tuple[Num, Num]:
    z = sqrt(x)
    return z, dx / (2.0 * z)


def _atan2(y: Num, dy: Num, x: Num, dx: Num) -> tuple[Num, Num]:
    return atan2(y, x), (x * dy - y * dx) / (x * x + y * y)


def _tanh(x: Num, dx: Num) -> tuple[Num, Num]:
    z = tanh(x)
    return z, (1.0 - z * z) * dx


def _where(c: Num, dc: Num, x: Num, dx: Num, y: Num, dy: Num) -> tuple[Num, Num]:
    return where(c, x, y), where(c, dx, dy)


UNARY: dict[str, Callable[[Num, Num], tuple[Num, Num]]] = {
    "neg": lambda x, dx: (-x, -dx),
    "sin": lambda x, dx: (sin(x), cos(x) * dx),
    "cos": lambda x, dx: (cos(x), -(sin(x) * dx)),
    "sqrt": _sqrt,
    "abs": lambda x, dx: (absolute(x), where(less(x, 0.0), -dx, dx)),
    "tanh": _tanh,
    "floor": lambda x, dx: (floor(x), 0.0),
}

BINARY: dict[str, Callable[[Num, Num, Num, Num], tuple[Num, Num]]] = {
    "add": lambda x, dx, y, dy: (x + y, dx + dy),
    "sub": lambda x, dx, y, dy: (x - y, dx - dy),
    "mul": lambda x, dx, y, dy: (x * y, dx * y + x * dy),
    "div": _div,
    "atan2": _atan2,
    "min": lambda x, dx, y, dy: (minimum(x, y), where(less(x, y), dx, dy)),
    "max": lambda x, dx, y, dy: (maximum(x, y), where(less(x, y), dy, dx)),
    "less": lambda x, dx, y, dy: (less(x, y), 0.0),
}

RULES: dict[str, Callable[..., tuple[Num, Num]]] = {**UNARY, **BINARY, "where": _where}


class Dual(Scalar):
    """A value and its rate."""

    __slots__ = ("tangent", "value")

    system: DualSystem

    def __init__(self, system: DualSystem, value: Num, tangent: Num) -> None:
        self.system = system
        self.value = value
        self.tangent = tangent

    def apply(self, op: str, *args: Num) -> Dual:
        parts: list[Num] = []
        for a in map(self.admit, args):
            parts += (a.value, a.tangent)
        return Dual(self.system, *RULES[op](*parts))

    def pick(self, stored: Stored, width: int) -> list[Num]:
        return [Dual(self.system, x, 0.0) for x in stored.row(self.value, width)]

    def literal(self, x: float) -> Dual:
        return Dual(self.system, x, 0.0)


# How fast the numbers of inputs move; inputs that are not named stand still.
Direction = Mapping[str, Numbers]


def slopes(
    function: Callable[..., Any], inputs: Mapping[str, Numbers], directions: Iterable[Direction],
    base: System = FLOAT,
) -> Any:  # fmt: skip
    """The rates of a function's numbers along each direction, which are a last axis of its nested lists."""
    system = DualSystem(base)
    columns: list[Any] = []
    for direction in directions:
        rates = {name: direction.get(name, [0.0] * len(given)) for name, given in inputs.items()}
        moving = {name: list(map(system.seed, given, rates[name])) for name, given in inputs.items()}
        columns.append(function(**moving))
    return _together(system, columns)


def _together(system: DualSystem, columns: list[Any]) -> Any:
    if isinstance(columns[0], list | tuple):
        return [_together(system, list(each)) for each in zip(*columns, strict=True)]
    return [system.lower(x).tangent for x in columns]
