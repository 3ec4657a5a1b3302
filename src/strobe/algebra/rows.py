"""Vectors that are plain lists of numbers, one per joint or per row of a matrix."""

from __future__ import annotations

from strobe.scalars import Num, Numbers


def dot(a: Numbers, b: Numbers) -> Num:
    """Σ a_k b_k."""
    total: Num = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def plus(a: Numbers, b: Numbers) -> list[Num]:
    """a + b."""
    return [x + y for x, y in zip(a, b, strict=True)]


def minus(a: Numbers, b: Numbers) -> list[Num]:
    """a − b."""
    return [x - y for x, y in zip(a, b, strict=True)]
