"""Arguments as Python numbers, checked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from strobe.errors import ArgumentError


def finite_numbers(name: str, values: Any, count: int | None = None) -> list[float]:
    """One or more finite numbers as Python floats, or a sentence that says what was given."""
    try:
        numbers = [float(x) for x in np.ravel(values)]
    except (TypeError, ValueError, OverflowError):
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)) or count not in (None, len(numbers)):
        what = {None: "finite numbers", 1: "a finite number"}.get(count, f"{count} finite numbers")
        raise ArgumentError(f"{name} is {values!r}; expected {what}.")
    return numbers


def is_whole(value: Any, least: int) -> bool:
    """Whether a value is a whole number of at least some size."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)


def require_whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least some size."""
    if not is_whole(value, least):
        raise ArgumentError(f"{name} is {value!r}; expected a whole number, {least} or more.")
    return int(value)


def require_above(name: str, value: Any, expected: str, or_zero: bool = False) -> float:
    """A finite number above zero, or from zero on."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not 0 <= value < math.inf or (value == 0 and not or_zero):
        raise ArgumentError(f"{name} is {value!r}; expected {expected}.")
    return float(value)
