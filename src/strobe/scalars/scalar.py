"""The base of every number: operators, and the folding of Python numbers, written once.

A number system is a `System` (how constants, angles and inputs enter, and how results leave) and a
`Scalar` class with one method, ``apply(op, *args)``. Operators fold Python-number operands 0 and ±1
before they reach ``apply``; what a system's lift leaves as Python numbers therefore decides what
folds. A folded zero is a fact of geometry, not a measurement: 0 × NaN folds to 0, on purpose.

There is no rich comparison (``==`` stays identity, hash-consing needs it) and no truth value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeGuard

from strobe.errors import MixedNumbersError, NumberTruthError, UnsupportedOperationError

if TYPE_CHECKING:
    from strobe.algebra.placement import Pose
    from strobe.scalars.stored import Stored

Num: TypeAlias = "float | Scalar"
Numbers: TypeAlias = Sequence[Num]

FIRST_GROUP = frozenset({"add", "sub", "mul", "div", "neg", "sin", "cos"})
SECOND_GROUP = frozenset({"sqrt", "atan2", "abs", "min", "max", "less", "where", "tanh", "floor"})


def is_number(x: object) -> TypeGuard[float]:
    """Whether x is a Python (or NumPy scalar) number: compared by value, never by type."""
    kind = x.__class__
    return kind is float or kind is int or (not isinstance(x, Scalar) and isinstance(x, Real))


class System:
    """How model constants, angles and inputs become numbers of one kind, and results leave it."""

    name = "number"

    def number(self, x: float) -> Num:
        """A constant of the model."""
        return float(x)

    def point(self, angle: float) -> tuple[Num, Num]:
        """Cosine and sine of a fixed angle that is not a right angle."""
        return math.cos(angle), math.sin(angle)

    def circle(self, angle: float) -> tuple[Num, Num]:
        """Cosine and sine of a fixed angle; exact Python 0 and ±1 for right angles."""
        quarters = quarter_turns(angle)
        return self.point(angle) if quarters is None else RIGHT_ANGLES[quarters]

    def variable(self, name: str, angle: bool = False) -> Num:
        """An input, such as a joint position (``angle`` where sine and cosine are taken of it)."""
        raise NotImplementedError(f"{self.name} takes no named inputs ({name})")

    def rest(self) -> Num:
        """The zero of a base at rest: 0, except where counting charges for it."""
        return 0.0

    def pose(self, pose: Pose) -> Pose:
        """What a body's placement looks like in this system (dense counting makes it opaque)."""
        return pose

    def entry(self, x: Num) -> Num:
        """An entry of a vector that a paper treats as full, even where this robot has a zero."""
        return x

    def lower(self, x: Num) -> Any:
        """A result, which may have folded to a Python number, as the caller wants it."""
        return x

    def __str__(self) -> str:
        return self.name


class FloatSystem(System):
    """Plain Python floats: the numbers a model is made of."""

    name = "float"

    def lower(self, x: Num) -> float:
        return float(x)  # pyright: ignore[reportArgumentType]  a Scalar here is a mistake and raises


FLOAT = FloatSystem()

RIGHT_ANGLES: tuple[tuple[Num, Num], ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))


def quarter_turns(angle: float) -> int | None:
    """k in 0…3 if the angle is exactly the float k·π/2 (plus whole turns), else None.

    Readers snap angles to these floats, so that no tolerance is needed afterwards.
    """
    k = round(angle / (math.pi / 2))
    return k % 4 if angle == k * (math.pi / 2) else None


class Scalar:
    """A number of some system."""

    __slots__ = ("system",)
    __array_ufunc__ = None  # NumPy steps back and lets our operators decide

    system: Any  # a System; each class of numbers says which

    def apply(self, op: str, *args: Num) -> Num:
        """The result of one operation of `FIRST_GROUP` or `SECOND_GROUP`."""
        raise NotImplementedError

    def literal(self, x: float) -> Self:
        """A Python number as a number of this system."""
        raise NotImplementedError

    def pick(self, stored: Stored, width: int) -> list[Num]:
        """So many stored numbers from this place on; see `Stored.row`."""
        raise UnsupportedOperationError(
            self.system.name, "pick", "its numbers are no places among stored ones."
        )

    def admit(self, x: Num) -> Self:
        """x as a number of this system, or an error that names both systems."""
        if isinstance(x, self.__class__) and x.system is self.system:
            return x
        if is_number(x):
            return self.literal(x)
        raise MixedNumbersError(self.system, x.system if isinstance(x, Scalar) else type(x).__name__)

    def __add__(self, other: Num) -> Num:
        if is_number(other) and other == 0:
            return self
        return self.apply("add", self, other)

    def __radd__(self, other: Num) -> Num:
        if is_number(other) and other == 0:
            return self
        return self.apply("add", other, self)

    def __sub__(self, other: Num) -> Num:
        if is_number(other) and other == 0:
            return self
        return self.apply("sub", self, other)

    def __rsub__(self, other: Num) -> Num:
        if is_number(other) and other == 0:
            return self.apply("neg", self)
        return self.apply("sub", other, self)

    def __mul__(self, other: Num) -> Num:
        folded = self._times(other) if is_number(other) else None
        return self.apply("mul", self, other) if folded is None else folded

    def __rmul__(self, other: Num) -> Num:
        folded = self._times(other) if is_number(other) else None
        return self.apply("mul", other, self) if folded is None else folded

    def _times(self, x: float) -> Num | None:
        """The product with 0 or ±1, which is no multiplication."""
        if x == 0:
            return 0.0
        if x == 1:
            return self
        return self.apply("neg", self) if x == -1 else None

    def __truediv__(self, other: Num) -> Num:
        if is_number(other):
            if other == 1:
                return self
            if other == -1:
                return self.apply("neg", self)
        return self.apply("div", self, other)

    def __rtruediv__(self, other: Num) -> Num:
        if is_number(other) and other == 0:
            return 0.0
        return self.apply("div", other, self)

    def __neg__(self) -> Num:
        return self.apply("neg", self)

    def __pos__(self) -> Num:
        return self

    def __bool__(self) -> bool:
        raise NumberTruthError(self.system.name)
