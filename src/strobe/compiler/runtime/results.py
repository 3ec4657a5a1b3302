"""Memory for large results, used again.

A system hands out memory page by page, each cleared when it is first written to: for a million rows of torques that
takes as long as the torques. NumPy gives large arrays back to the system as soon as they are dropped. Here the memory
of a large result is kept when the last array that sees it is gone, and serves the next one of about its size. Beyond
`KEPT` bytes in all, what has lain longest is given back.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

LARGE = 2**22  # bytes; less than that, the C library keeps by itself
KEPT = 2**26  # bytes that lie idle, at most


def new_result(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """An array to be written to throughout: it may hold what was there before, as `numpy.empty` may."""
    size = dtype.itemsize * prod(shape)
    if not LARGE <= size <= KEPT:
        return np.empty(shape, dtype)
    return np.asarray(Lent(_taken(size), shape, dtype))


class Lent:
    """What owns the memory of a result: it comes back when no array refers to this any more."""

    __slots__ = ("__array_interface__", "memory")

    def __init__(self, memory: np.ndarray, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.memory = memory
        self.__array_interface__ = {
            "data": (memory.ctypes.data, False), "shape": shape, "typestr": dtype.str, "version": 3,
        }  # fmt: skip

    def __del__(self) -> None:
        if _idle is not None:  # at the very end Python takes away what modules hold
            _given_back(self.memory)


_idle: dict[int, np.ndarray] = {}
"""What lies idle, by identity, the latest last. Threads and the collector may come between any two steps on it."""


def _taken(size: int) -> np.ndarray:
    """Memory of at least so many bytes, and no more than half as much again."""
    for key, memory in reversed(list(_idle.items())):
        if size <= memory.nbytes <= size + size // 2 and _idle.pop(key, None) is not None:
            return memory
    return np.empty(size, np.uint8)


def _given_back(memory: np.ndarray) -> None:
    _idle[id(memory)] = memory
    while sum(each.nbytes for each in list(_idle.values())) > KEPT:
        _idle.pop(next(iter(list(_idle)), 0), None)
