# pyright: basic, reportMissingTypeStubs=false
"""`Precise`: fifty decimal digits, the reference for every rounding error."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import mpmath

from strobe.scalars.scalar import Num, Scalar, System
from strobe.scalars.stored import Stored


class PreciseSystem(System):
    """A context of its own, so that the precision is nobody else's business."""

    name = "Precise"

    def __init__(self, digits: int = 50) -> None:
        self.context: Any = mpmath.MPContext()
        self.context.dps = digits
        mp = self.context
        self.functions: dict[str, Callable[..., Any]] = {
            "add": operator.add,
            "sub": operator.sub,
            "mul": operator.mul,
            "div": operator.truediv,
            "neg": operator.neg,
            "sin": mp.sin,
            "cos": mp.cos,
            "sqrt": mp.sqrt,
            "atan2": mp.atan2,
            "abs": abs,
            "min": min,
            "max": max,
            "less": lambda x, y: mp.mpf(x < y),
            "where": lambda c, x, y: x if c else y,
            "tanh": mp.tanh,
            "floor": lambda x: mp.floor(x) if mp.isfinite(x) else x,
        }

    def number(self, x: float) -> Num:
        return x if x in (0, 1, -1) else self.exact(x)

    def exact(self, x: Any) -> Precise:
        """A float (or a decimal string) as a number."""
        return Precise(self, self.context.mpf(x))

    def point(self, angle: float) -> tuple[Num, Num]:
        value = self.context.mpf(angle)
        return Precise(self, self.context.cos(value)), Precise(self, self.context.sin(value))

    def lower(self, x: Num) -> Any:
        return x.value if isinstance(x, Precise) else self.context.mpf(x)


class Precise(Scalar):
    """An mpmath number."""

    __slots__ = ("value",)

    system: PreciseSystem

    def __init__(self, system: PreciseSystem, value: Any) -> None:
        self.system = system
        self.value = value

    def apply(self, op: str, *args: Num) -> Precise:
        return Precise(self.system, self.system.functions[op](*(self.admit(a).value for a in args)))

    def pick(self, stored: Stored, width: int) -> list[Num]:
        mp = self.system.context
        place = self.value if mp.isnan(self.value) else mp.floor(self.value)
        return [self.system.exact(x) for x in stored.read(float(place), width)]

    def literal(self, x: float) -> Precise:
        return self.system.exact(x)
