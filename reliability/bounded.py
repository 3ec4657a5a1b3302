"""`Bounded`: numbers of a batch that carry a bound on their own rounding errors.

The tolerance of a comparison is not chosen, it is computed: every operation takes along how far its value can be from
that of exact arithmetic (running error analysis, after Wilkinson). With u the unit roundoff and e the bounds of the
arguments,

    |x ± y|    e_x + e_y + u |z|                     |x y|     |x| e_y + (|y| + e_y) e_x + u |z| + smallest
    |x / y|    (e_x + |z| e_y) / (|y| − e_y) + …     |√x|      e_x / (√x + √(x − e_x)) + u |z|

and a value that a bound cannot tell apart from another one (on which side of a comparison, in which place of a table)
is as far off as the other one is. Nothing is assumed of conditioning: where terms cancel the bound stays, where a
pivot may be zero it is infinite and the value undecided. Two computations of the same function, in whatever order,
differ by no more than their two bounds together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from strobe.compiler.graph.program import Program
from strobe.scalars import Num, Scalar, Stored
from strobe.scalars.lanes import FUNCTIONS
from strobe.scalars.scalar import System

Array = Any
LIBRARY = 8  # unit roundoffs: what functions of a mathematics library, on vectors too, may be off by


class BoundedSystem(System):
    """Numbers of one precision."""

    name = "Bounded"

    def __init__(self, dtype: Any = np.float64) -> None:
        info = np.finfo(dtype)
        self.dtype = np.dtype(dtype)
        self.unit = float(info.eps) / 2
        self.smallest = float(info.smallest_subnormal)

    def given(self, values: np.ndarray) -> list[Num]:
        """The entries of the last axis, exact."""
        return [Bounded(self, values[..., k], 0.0) for k in range(values.shape[-1])]

    def lower(self, x: Num) -> Bounded:
        return x if isinstance(x, Bounded) else self.literal(float(x))  # pyright: ignore[reportArgumentType]

    def error(self, op: str, values: Array, numbers: Sequence[Bounded]) -> Array:
        """The bound of one operation, in double precision."""
        if self.dtype == np.float32:
            values = values.astype(np.float64)
            numbers = [Bounded(self, np.asarray(x.values, np.float64), x.error) for x in numbers]
        return ERRORS[op](self, values, *numbers)

    def literal(self, x: float) -> Bounded:
        """A constant: in single precision it is rounded."""
        if self.dtype == np.float64 or x == 0.0:
            return Bounded(self, x, 0.0)
        with np.errstate(over="ignore"):
            value = float(np.float32(x))
        return Bounded(self, value, self.unit * abs(value) + self.smallest)


class Bounded(Scalar):
    """Values, and how far each may be from what exact arithmetic gives."""

    __slots__ = ("error", "values")

    system: BoundedSystem

    def __init__(self, system: BoundedSystem, values: Array, error: Array) -> None:
        self.system = system
        self.values = values
        self.error = error

    def apply(self, op: str, *args: Num) -> Bounded:
        numbers = [self.admit(a) for a in args]
        values = np.asarray(FUNCTIONS[op](*(x.values for x in numbers)), self.system.dtype)
        return Bounded(self.system, values, self.system.error(op, values, numbers))

    def pick(self, stored: Stored, width: int) -> list[Num]:
        rows, unit = stored.read_all(self.values, width), self.system.literal(1.0).error
        sure = _floors(self) == 0.0
        return [Bounded(self.system, row, np.where(sure, unit * np.abs(row), np.inf)) for row in rows]

    def literal(self, x: float) -> Bounded:
        return self.system.literal(x)


# -- bounds of single operations ------------------------------------------------------------------------


def _rounded(system: BoundedSystem, z: Array, carried: Array, units: float = 1.0) -> Array:
    """What the arguments bring along, and the rounding of the result."""
    return carried + units * system.unit * np.abs(z)


def _sum(system: BoundedSystem, z: Array, x: Bounded, y: Bounded) -> Array:
    return _rounded(system, z, x.error + y.error)


def _product(system: BoundedSystem, z: Array, x: Bounded, y: Bounded) -> Array:
    carried = np.abs(x.values) * y.error + (np.abs(y.values) + y.error) * x.error
    return _rounded(system, z, carried) + system.smallest


def _quotient(system: BoundedSystem, z: Array, x: Bounded, y: Bounded) -> Array:
    room = np.abs(y.values) - y.error
    carried = np.where(room > 0.0, (x.error + np.abs(z) * y.error) / room, np.inf)
    return _rounded(system, z, carried) + system.smallest


def _root(system: BoundedSystem, z: Array, x: Bounded) -> Array:
    least = x.values - x.error
    carried = np.where(least > 0.0, x.error / (z + np.sqrt(least)), np.where(x.error == 0.0, 0.0, np.inf))
    return _rounded(system, z, carried)


def _smooth(system: BoundedSystem, z: Array, x: Bounded) -> Array:
    """Sine, cosine and hyperbolic tangent: nowhere steeper than 1."""
    return _rounded(system, z, np.minimum(x.error, 2.0), LIBRARY) + system.smallest


def _angle(system: BoundedSystem, z: Array, y: Bounded, x: Bounded) -> Array:
    """By the angle under which the error is seen; anything on the cut, whose side the sign of a zero may decide."""
    off, distance = np.hypot(x.error, y.error), np.hypot(x.values, y.values)
    on_cut = (np.abs(y.values) <= y.error) & (x.values <= x.error)
    carried = np.where((off < distance) & ~on_cut, np.pi / 2 * off / distance, 2 * np.pi)
    return _rounded(system, z, carried, LIBRARY) + system.smallest


def _extreme(system: BoundedSystem, z: Array, x: Bounded, y: Bounded) -> Array:
    return np.maximum(x.error, y.error)


def _kept(system: BoundedSystem, z: Array, x: Bounded) -> Array:
    return x.error


def _comparison(system: BoundedSystem, z: Array, x: Bounded, y: Bounded) -> Array:
    room = x.error + y.error
    return np.where((np.abs(x.values - y.values) > room) | (room == 0.0), 0.0, 1.0)


def _choice(system: BoundedSystem, z: Array, condition: Bounded, x: Bounded, y: Bounded) -> Array:
    sure = (np.abs(condition.values) > condition.error) | (condition.error == 0.0)
    chosen = np.where(np.not_equal(condition.values, 0), x.error, y.error)
    either = np.abs(x.values - y.values) + np.maximum(x.error, y.error)
    return np.where(sure, chosen, either)


def _floors(x: Bounded) -> Array:
    """How far apart the whole numbers below a value may be."""
    return np.floor(x.values + x.error) - np.floor(x.values - x.error)


ERRORS: Mapping[str, Callable[..., Array]] = {
    "add": _sum,
    "sub": _sum,
    "mul": _product,
    "div": _quotient,
    "neg": _kept,
    "sin": _smooth,
    "cos": _smooth,
    "tanh": _smooth,
    "sqrt": _root,
    "atan2": _angle,
    "abs": _kept,
    "min": _extreme,
    "max": _extreme,
    "less": _comparison,
    "where": _choice,
    "floor": lambda system, z, x: _floors(x),
}


# -- programs -------------------------------------------------------------------------------------------


def run(
    program: Program, numbers: Mapping[str, Sequence[Num]], literal: Callable[[float], Num]
) -> list[Any]:
    """A program on numbers of any system, operation by operation, as it stands; ``literal`` makes its constants."""
    known: dict[Any, Any] = {}
    for node in program.nodes:
        args = [known[a] for a in node.args]
        if node.op == "input":
            name, _, place = str(node.value)[:-1].rpartition("[")
            known[node] = numbers[name][int(place)]
        elif node.op == "constant":
            known[node] = literal(node.value)  # pyright: ignore[reportArgumentType]
        elif node.op == "stored":
            known[node] = node.value
        elif node.op == "pick":
            (stored, place), (k, width) = args, node.value  # pyright: ignore[reportGeneralTypeIssues]
            known[node] = stored.row(place, width)[k]
        else:
            known[node] = OPERATIONS[node.op](*args)
    return [known[node] for node in program.outputs]


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    **{op: lambda x, *rest, op=op: x.apply(op, x, *rest) for op in ERRORS},
    "fma": lambda x, y, z: x * y + z,
    "fnma": lambda x, y, z: z - x * y,
}
