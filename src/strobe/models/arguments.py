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
