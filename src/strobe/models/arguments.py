"""Arguments as Python numbers, names and choices, checked: whatever is given, a sentence says what was expected."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sized
from typing import Any

import numpy as np

from strobe.errors import ArgumentError, UnknownNameError, shown


def finite_numbers(name: str, values: Any, count: int | None = None) -> list[float]:
    """One or more finite numbers as Python floats, or a sentence that says what was given."""
    try:
        numbers = [float(x) for x in np.ravel(values)]
    except Exception:  # a foreign __array__ may raise anything
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)) or count not in (None, len(numbers)):
        what = {None: "finite numbers", 1: "a finite number"}.get(count, f"{count} finite numbers")
        raise ArgumentError(f"{name} is {shown(values)}; expected {what}.")
    return numbers


def is_whole(value: Any, least: int) -> bool:
    """Whether a value is a whole number of at least some size."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)


def require_whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least some size."""
    if not is_whole(value, least):
        raise ArgumentError(f"{name} is {shown(value)}; expected a whole number, {least} or more.")
    return int(value)


def require_above(name: str, value: Any, expected: str, or_zero: bool = False) -> float:
    """A finite number above zero, or from zero on."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not 0 <= value <= sys.float_info.max or (value == 0 and not or_zero):
        raise ArgumentError(f"{name} is {shown(value)}; expected {expected}.")
    return float(value)


def require_text(name: str, value: Any, expected: str = "a name") -> str:
    """A text."""
    if not isinstance(value, str):
        raise ArgumentError(f"{name} is {shown(value)}; expected {expected}.")
    return value


def require_choice(name: str, value: Any, known: Iterable[str], owner: str = "strobe") -> str:
    """One of some names."""
    known = list(known)
    if require_text(name, value, f"one of {', '.join(known)}") not in known:
        raise UnknownNameError(name, value, owner, known)
    return value


def require_texts(name: str, values: Any) -> list[str]:
    """Several names, or one."""
    if isinstance(values, str):
        return [values]
    try:
        found: list[Any] = list(values)
    except Exception:  # not iterable, or not for long
        found = [None]
    if not all(isinstance(value, str) for value in found):
        raise ArgumentError(f"{name} is {shown(values)}; expected names.")
    return found


def require_mapping(name: str, value: Any, expected: str) -> Mapping[Any, Any]:
    """Something by name."""
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{name} is {shown(value)}; expected {expected}.")
    return value


def require_truth(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{name} is {shown(value)}; expected True or False.")
    return bool(value)


def require_place(name: str, value: Any, among: Sized, what: str) -> int:
    """The number of one of several things, counted from 0, or from the end where it is negative."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not -len(among) <= value < len(among):
        raise ArgumentError(f"{name} is {shown(value)}; expected a number below {len(among)}, of {what}.")
    return int(value) % len(among)
