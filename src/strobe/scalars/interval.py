# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""`Interval`: all values between two ends, a batch side by side: what holds of the result holds of every value.

Ends are rounded outwards, one float beyond what IEEE rounds exactly and a few beyond what libraries do not, so that
each result encloses every value that its arguments enclose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from strobe.errors import UnsupportedOperationError
from strobe.scalars.scalar import Num, Scalar, System

Array = Any
Ends = tuple[Array, Array]

TURN = 2 * np.pi
LOOSE = 4e-16  # by which sine, cosine and hyperbolic tangent may be off


class IntervalSystem(System):
    """Intervals of arrays that broadcast against each other; model constants stay Python numbers."""

    name = "Interval"

    def between(self, low: Array, high: Array) -> Interval:
        """All values from one array to another as one number."""
        return Interval(np.asarray(low, float), np.asarray(high, float))

    def lower(self, x: Num) -> Any:
        return (x.low, x.high) if isinstance(x, Interval) else (x, x)


INTERVALS = IntervalSystem()


def _outwards(low: Array, high: Array) -> Ends:
    return np.nextafter(low, -np.inf), np.nextafter(high, np.inf)


def _hull(*values: Array) -> Ends:
    """From the least to the largest; everything where one is no number (0 · ∞)."""
    low, high = np.minimum.reduce(values), np.maximum.reduce(values)
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _add(a: Ends, b: Ends) -> Ends:
    return _outwards(a[0] + b[0], a[1] + b[1])


def _sub(a: Ends, b: Ends) -> Ends:
    return _outwards(a[0] - b[1], a[1] - b[0])


def _mul(a: Ends, b: Ends) -> Ends:
    with np.errstate(invalid="ignore", over="ignore"):
        products = np.broadcast_arrays(a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return _outwards(*_hull(*products))


def _div(a: Ends, b: Ends) -> Ends:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        quotients = np.broadcast_arrays(a[0] / b[0], a[0] / b[1], a[1] / b[0], a[1] / b[1])
    low, high = _outwards(*_hull(*quotients))
    none = (b[0] <= 0) & (b[1] >= 0)
    return np.where(none, -np.inf, low), np.where(none, np.inf, high)


def _cos(a: Ends) -> Ends:
    """From the ends, and −1 or 1 where a multiple of π may lie between them."""
    low, high = a
    ends = np.cos(low), np.cos(high)
    slack = 1e-15 * (1 + np.maximum(np.abs(low), np.abs(high)))
    top = np.floor((high + slack) / TURN) >= np.ceil((low - slack) / TURN)
    bottom = np.floor((high + slack - np.pi) / TURN) >= np.ceil((low - slack - np.pi) / TURN)
    least = np.where(bottom, -1.0, np.minimum(*ends) - LOOSE)
    largest = np.where(top, 1.0, np.maximum(*ends) + LOOSE)
    known = np.isfinite(low) & np.isfinite(high)
    return np.where(known, np.maximum(least, -1.0), -1.0), np.where(known, np.minimum(largest, 1.0), 1.0)


def _sin(a: Ends) -> Ends:
    """sin x = cos(x − π/2), the quarter turn rounded outwards with the difference."""
    return _cos(_outwards(*_outwards(a[0] - np.pi / 2, a[1] - np.pi / 2)))


def _sqrt(a: Ends) -> Ends:
    with np.errstate(invalid="ignore"):
        return _outwards(np.sqrt(a[0]), np.sqrt(a[1]))


def _absolute(a: Ends) -> Ends:
    low, high = a
    across = (low < 0) & (high > 0)
    return np.where(across, 0.0, np.minimum(np.abs(low), np.abs(high))), np.maximum(
        np.abs(low), np.abs(high)
    )


def _less(a: Ends, b: Ends) -> Ends:
    """1 where it holds of all, 0 where of none, from 0 to 1 where that is open."""
    return np.less(a[1], b[0]) * 1.0, np.less(a[0], b[1]) * 1.0


def _where(condition: Ends, a: Ends, b: Ends) -> Ends:
    never, always = np.equal(condition[1], 0), np.not_equal(condition[0], 0)
    lows: Array = np.where(never, b[0], np.minimum(a[0], b[0]))
    highs: Array = np.where(never, b[1], np.maximum(a[1], b[1]))
    return np.where(always, a[0], lows), np.where(always, a[1], highs)


def _tanh(a: Ends) -> Ends:
    return np.maximum(np.tanh(a[0]) - LOOSE, -1.0), np.minimum(np.tanh(a[1]) + LOOSE, 1.0)


def _negative(a: Ends) -> Ends:
    return -a[1], -a[0]


def _least(a: Ends, b: Ends) -> Ends:
    return np.minimum(a[0], b[0]), np.minimum(a[1], b[1])


def _largest(a: Ends, b: Ends) -> Ends:
    return np.maximum(a[0], b[0]), np.maximum(a[1], b[1])


def _floor(a: Ends) -> Ends:
    return np.floor(a[0]), np.floor(a[1])


FUNCTIONS: dict[str, Callable[..., Ends]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": _negative,
    "sin": _sin,
    "cos": _cos,
    "sqrt": _sqrt,
    "abs": _absolute,
    "min": _least,
    "max": _largest,
    "less": _less,
    "where": _where,
    "tanh": _tanh,
    "floor": _floor,
}


class Interval(Scalar):
    """All values between two ends, for each state of a batch."""

    __slots__ = ("high", "low")

    def __init__(self, low: Array, high: Array) -> None:
        self.system = INTERVALS
        self.low = low
        self.high = high

    def apply(self, op: str, *args: Num) -> Interval:
        if op not in FUNCTIONS:
            raise UnsupportedOperationError("Interval", op, "its branches are not told apart.")
        return Interval(*FUNCTIONS[op](*((a.low, a.high) for a in map(self.admit, args))))

    def literal(self, x: float) -> Interval:
        return Interval(float(x), float(x))
