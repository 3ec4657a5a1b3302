"""The same numbers lying in memory in every way that NumPy allows, and places for results that overlap with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

import numpy as np

Array = np.ndarray
Generator = np.random.Generator


def laid_out(rng: Generator, array: Array) -> Array:
    """An array of equal numbers, laid out at random."""
    make = LAYOUTS[str(rng.choice(list(LAYOUTS)))]
    found = make(rng, array)
    assert found.shape == array.shape, "a layout keeps the shape"
    return found


def _reversed(rng: Generator, array: Array) -> Array:
    turns = tuple(slice(None, None, int(rng.choice([1, -1]))) for _ in array.shape)
    return array[turns].copy()[turns]


def _spread(rng: Generator, array: Array) -> Array:
    """Every second or third number of a larger array, along every axis."""
    steps = [int(rng.integers(1, 4)) for _ in array.shape]
    larger = np.full(
        [n * step + 1 for n, step in zip(array.shape, steps, strict=True)], np.nan, array.dtype
    )
    view = larger[tuple(slice(0, n * step, step) for n, step in zip(array.shape, steps, strict=True))]
    view[...] = array
    return view


def _unaligned(rng: Generator, array: Array) -> Array:
    """Beginning at a byte that no number begins at."""
    store, first = np.zeros(array.nbytes + 16, np.uint8), int(rng.integers(1, 8))
    view = store[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


def _axes_turned(rng: Generator, array: Array) -> Array:
    """Contiguous with the axes in another order."""
    order = rng.permutation(array.ndim)
    return array.transpose(order).copy().transpose(np.argsort(order))


def _fixed(rng: Generator, array: Array) -> Array:
    """Read only."""
    copied = array.copy()
    copied.setflags(write=False)
    return copied


LAYOUTS: Mapping[str, Callable[[Generator, Array], Array]] = {
    "plain": lambda rng, array: array.copy(),
    "by columns": lambda rng, array: np.asfortranarray(array),
    "reversed": _reversed,
    "spread": _spread,
    "unaligned": _unaligned,
    "axes turned": _axes_turned,
    "other bytes first": lambda rng, array: array.astype(array.dtype.newbyteorder("S")),
    "read only": _fixed,
}


def place_for(rng: Generator, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """An array for results, laid out at random, that can be written."""
    names = [name for name in LAYOUTS if name not in ("read only", "other bytes first")]
    return LAYOUTS[str(rng.choice(names))](rng, np.full(shape, np.nan, dtype))


def overlapping(rng: Generator, array: Array, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """The array, and a place for results of a shape, in one store, either beginning inside the other or with it."""
    sizes = array.size, prod(shape)
    store = np.full(sum(sizes) + 1, np.nan, array.dtype)
    shift = int(rng.integers(0, max(sizes[0], 1)))
    first, second = (0, shift) if rng.random() < 0.5 else (min(shift, sizes[1]), 0)
    given = store[first : first + sizes[0]].reshape(array.shape)
    given[...] = array
    return given, store[second : second + sizes[1]].reshape(shape)


def spread_over(rng: Generator, states: int) -> tuple[int, ...]:
    """A batch of so many states as one axis or several, some of length one."""
    if states == 0:
        return (0,) if rng.random() < 0.5 else (int(rng.integers(1, 4)), 0)
    factor = int(rng.choice([d for d in range(1, min(states, 12) + 1) if states % d == 0]))
    return tuple(int(n) for n in rng.permutation([factor, states // factor, 1]))


def narrowed(rng: Generator, array: Array, batch: tuple[int, ...]) -> Array:
    """One input for a batch of states: all of its rows, or fewer that broadcast to them."""
    whole = array.reshape(*batch, array.shape[-1])
    choice = rng.random()
    if choice < 0.6 or 0 in batch:
        return whole
    if choice < 0.7:
        return whole[(0,) * len(batch)]
    axis = int(rng.integers(len(batch)))
    one = whole.take([0], axis)
    return np.broadcast_to(one, whole.shape) if choice < 0.85 else one
