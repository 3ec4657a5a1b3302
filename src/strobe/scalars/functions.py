"""Functions of a number of any system: sine and cosine for formulations, the rest for applications."""

from __future__ import annotations

import math

from strobe.scalars.scalar import Num, Scalar


def sin(x: Num) -> Num:
    return x.apply("sin", x) if isinstance(x, Scalar) else math.sin(x)


def cos(x: Num) -> Num:
    return x.apply("cos", x) if isinstance(x, Scalar) else math.cos(x)


def sqrt(x: Num) -> Num:
    return x.apply("sqrt", x) if isinstance(x, Scalar) else math.sqrt(x)


def tanh(x: Num) -> Num:
    return x.apply("tanh", x) if isinstance(x, Scalar) else math.tanh(x)


def absolute(x: Num) -> Num:
    return x.apply("abs", x) if isinstance(x, Scalar) else abs(x)


def _apply(op: str, *args: Num) -> Num | None:
    """The operation in the system of the first argument that has one; None if all are Python numbers."""
    for x in args:
        if isinstance(x, Scalar):
            return x.apply(op, *args)
    return None


def atan2(y: Num, x: Num) -> Num:
    applied = _apply("atan2", y, x)
    return math.atan2(y, x) if applied is None else applied  # pyright: ignore[reportArgumentType]


def minimum(x: Num, y: Num) -> Num:
    applied = _apply("min", x, y)
    return min(x, y) if applied is None else applied  # pyright: ignore[reportArgumentType]


def maximum(x: Num, y: Num) -> Num:
    applied = _apply("max", x, y)
    return max(x, y) if applied is None else applied  # pyright: ignore[reportArgumentType]


def less(x: Num, y: Num) -> Num:
    """1 where x < y, else 0."""
    applied = _apply("less", x, y)
    return float(x < y) if applied is None else applied  # pyright: ignore[reportOperatorIssue]


def where(condition: Num, x: Num, y: Num) -> Num:
    """x where the condition (a number made by `less`) is not zero, else y."""
    if isinstance(condition, Scalar):
        return condition.apply("where", condition, x, y)
    return x if condition else y
