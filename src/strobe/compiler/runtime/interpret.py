"""Interpretation: a function over numbers run on arrays, one `Lanes` per entry, or on plain floats.

A single state runs on Python floats, which is several times faster than arrays without axes; where
plain floats would raise (a zero pivot, the sine of infinity) the same state runs on lanes and gives
inf or NaN as every array library does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import batch_shape, destination
from strobe.scalars import LANES, Lanes

Function = Callable[..., Any]


def evaluate(
    function: Function,
    inputs: Mapping[str, np.ndarray],
    core: tuple[int, ...],
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The result of shape (*batch, *core) of a function of lists of numbers, one per entry of the last axis."""
    batch = batch_shape(inputs)
    dtype = np.result_type(*inputs.values())
    target = destination(out, (*batch, *core), dtype)
    # an input may share its memory with out
    result = target if out is None else np.empty(target.shape, dtype)
    values = None if batch else _on_floats(function, inputs)
    if values is None:
        values = _on_lanes(function, inputs)
    entries = np.moveaxis(result, range(-len(core), 0), range(len(core)))
    for index in np.ndindex(*core):
        entries[index] = _entry(values, index)
    if target is not result:
        target[...] = result
    return target


def _entry(values: Any, index: tuple[int, ...]) -> Any:
    for i in index:
        values = values[i]
    return LANES.lower(values)


def _on_floats(function: Function, inputs: Mapping[str, np.ndarray]) -> Any:
    try:
        return function(**{name: array.tolist() for name, array in inputs.items()})
    except (ZeroDivisionError, ValueError, OverflowError):
        return None


def _on_lanes(function: Function, inputs: Mapping[str, np.ndarray]) -> Any:
    with np.errstate(all="ignore"):
        return function(**{name: _lanes(array) for name, array in inputs.items()})


def _lanes(array: np.ndarray) -> list[Lanes]:
    return [Lanes(array[..., k]) for k in range(array.shape[-1])]
