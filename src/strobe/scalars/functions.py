"""Functions of a number of any system: sine and cosine for formulations, the rest for applications."""

from __future__ import annotations

import math
from collections.abc import Callable

from strobe.scalars.scalar import Num, Scalar


def sin(x: Num) -> Num:
    return x.apply("sin", x) if isinstance(x, Scalar) else math.sin(x)


def cos(x: Num) -> Num:
    return x.apply("cos", x) if isinstance(x, Scalar) else math.cos(x)


def sqrt(x: Num) -> Num:
    return x.apply("sqrt", x) if isinstance(x, Scalar) else math.sqrt(x)


def tanh(x: Num) -> Num:
    return x.apply("tanh", x) if isinstance(x, Scalar) else math.tanh(x)


def floor(x: Num) -> Num:
    """The largest whole number that is not larger; x itself where it is infinite or NaN."""
    if isinstance(x, Scalar):
        return x.apply("floor", x)
    return float(math.floor(x)) if math.isfinite(x) else x


def absolute(x: Num) -> Num:
    return x.apply("abs", x) if isinstance(x, Scalar) else abs(x)


def _binary(op: str, plain: Callable[[float, float], float], x: Num, y: Num) -> Num:
    """The operation in the system of either argument; the plain function if both are Python numbers."""
    if isinstance(x, Scalar):
        return x.apply(op, x, y)
    return y.apply(op, x, y) if isinstance(y, Scalar) else plain(x, y)


def atan2(y: Num, x: Num) -> Num:
    return _binary("atan2", math.atan2, y, x)


def minimum(x: Num, y: Num) -> Num:
    """The smaller one; NaN if either is NaN."""
    return _binary("min", lambda a, b: a if a <= b or a != a else b, x, y)


def maximum(x: Num, y: Num) -> Num:
    """The larger one; NaN if either is NaN."""
    return _binary("max", lambda a, b: a if a >= b or a != a else b, x, y)


def less(x: Num, y: Num) -> Num:
    """1 where x < y, else 0."""
    return _binary("less", lambda a, b: float(a < b), x, y)


def where(condition: Num, x: Num, y: Num) -> Num:
    """x where the condition (a number made by `less`) is not zero, else y."""
    if isinstance(condition, Scalar):
        return condition.apply("where", condition, x, y)
    return x if condition else y
