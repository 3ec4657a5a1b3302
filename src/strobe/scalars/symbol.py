# pyright: basic, reportMissingTypeStubs=false
"""`Symbol`: SymPy expressions, for closed forms. Model parameters that have a name keep it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import sympy

from strobe.scalars.scalar import Num, Scalar, System, is_number

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "sin": sympy.sin,
    "cos": sympy.cos,
    "sqrt": sympy.sqrt,
    "atan2": sympy.atan2,
    "abs": sympy.Abs,
    "min": sympy.Min,
    "max": sympy.Max,
    "less": lambda x, y: sympy.Piecewise((1, x < y), (0, True)),
    "where": lambda c, x, y: sympy.Piecewise((x, sympy.Ne(c, 0)), (y, True)),
    "tanh": sympy.tanh,
    "floor": sympy.floor,
}


def exact(x: float) -> Any:
    """A float as the rational number its shortest decimal form says."""
    return sympy.Rational(repr(float(x)))


class SymbolSystem(System):
    """Constants enter by name where the model file named them, else as exact rationals."""

    name = "Symbol"

    def number(self, x: float) -> Num:
        if is_zero_or_one(x):
            return float(x)
        return Symbol(self, self.expression(x))

    def expression(self, x: float) -> Any:
        """The SymPy form of a model constant."""
        evaluate = getattr(x, "evaluate", None)
        return exact(x) if evaluate is None else evaluate(self._parameter, exact)

    def point(self, angle: float) -> tuple[Num, Num]:
        value = self.expression(angle)
        return Symbol(self, sympy.cos(value)), Symbol(self, sympy.sin(value))

    def variable(self, name: str, angle: bool = False) -> Num:
        return Symbol(self, sympy.Symbol(name, real=True))

    def _parameter(self, name: str) -> Any:
        return sympy.pi if name == "pi" else sympy.Symbol(name, real=True)

    def lower(self, x: Num) -> Any:
        return exact(x) if is_number(x) else x.value  # pyright: ignore


def is_zero_or_one(x: float) -> bool:
    """Whether x is a bare 0 or ±1; a *named* parameter that happens to be 1 is not."""
    return x in (0, 1, -1) and not hasattr(x, "evaluate")


class Symbol(Scalar):
    """A SymPy expression."""

    __slots__ = ("value",)

    system: SymbolSystem

    def __init__(self, system: SymbolSystem, value: Any) -> None:
        self.system = system
        self.value = value

    def apply(self, op: str, *args: Num) -> Symbol:
        return Symbol(self.system, FUNCTIONS[op](*(self.admit(a).value for a in args)))

    def literal(self, x: float) -> Symbol:
        return Symbol(self.system, exact(x))
