"""Intervals and errors of fixed point: each computed in floating point, and widened by what that may have lost."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from strobe.compiler.fixed_point.words import Ends, Errors

WIDENED = 1.0 + 1e-9  # of bounds, for the rounding of their own evaluation


def half(fraction: int) -> float:
    """What rounding to a fraction loses at most."""
    return math.ldexp(0.5, -fraction)


def each(error: Callable[[int], float]) -> Errors:
    return error(0), error(1)


def smaller(one: Errors, other: Errors) -> Errors:
    return min(one[0], other[0]), min(one[1], other[1])


def outward(found: Sequence[float]) -> Ends:
    """The interval of some ends, each of which was rounded once."""
    return math.nextafter(min(found), -math.inf), math.nextafter(max(found), math.inf)


def length_of(x: float, y: float) -> float:
    return math.hypot(x, y) * (1.0 + 1e-15)


def square(low: float, high: float) -> Ends:
    least, largest = outward([low * low, high * high])
    return (0.0 if low <= 0.0 <= high else max(least, 0.0)), largest


def root_error(low: float, error: float) -> float:
    """The largest |√a − √b| with a ≥ low, b ≥ 0 and |a − b| ≤ error."""
    return math.sqrt(error) if low <= error else error / (math.sqrt(low) + math.sqrt(low - error))


def sine_ends(low: float, high: float) -> Ends:
    return cosine_ends(low - math.pi / 2, high - math.pi / 2)


def cosine_ends(low: float, high: float) -> Ends:
    """The range of the cosine over an interval of angles."""
    ends = math.cos(low), math.cos(high)
    top = 1.0 if _meets(low, high, 0.0) else max(ends)
    bottom = -1.0 if _meets(low, high, math.pi) else min(ends)
    return max(-1.0, bottom - 1e-9), min(1.0, top + 1e-9)


def _meets(low: float, high: float, angle: float) -> bool:
    """Whether an interval holds an angle, whole turns aside; in doubt, yes."""
    turns = math.floor((high + 1e-9 - angle) / math.tau)
    return turns * math.tau + angle >= low - 1e-9
