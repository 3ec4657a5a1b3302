"""A real NumPy generalized ufunc from the addresses of inner loops, through the C API that NumPy publishes.

The sizes in the signature are frozen, "(7),(7)->(7)": with a letter NumPy would hand vectors of any length to the
loop, which reads seven numbers whatever it is given. Where NumPy's table is not what we know, `Looped` calls the
same loop through ctypes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

UFUNC_TYPE, FROM_SIGNATURE = 0, 31  # slots of PyUFunc_Type and PyUFunc_FromFuncAndDataAndSignature
NPY_FLOAT, NPY_DOUBLE = 11, 12


def gufunc(
    name: str, doc: str, signature: str, loops: Sequence[tuple[int, bool]], nin: int, owner: object = None
) -> Any:
    """A ufunc with one output and a loop per precision: (address, single); ``owner`` keeps the code alive."""
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, *[ctypes.c_int] * 4,
        ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p,
    )(_api()[FROM_SIGNATURE])  # fmt: skip
    count = len(loops)
    functions = (ctypes.c_void_p * count)(*(address for address, _ in loops))
    data = (ctypes.c_void_p * count)(*[None] * count)
    types = bytes((NPY_FLOAT if single else NPY_DOUBLE) for _, single in loops for _ in range(nin + 1))
    texts = [ctypes.create_string_buffer(text) for text in (types, name.encode(), doc.encode())]
    kinds, title, words = (ctypes.cast(text, ctypes.c_char_p) for text in texts)
    made = make(
        ctypes.addressof(functions), ctypes.addressof(data), kinds, count, nin, 1, -1,
        title, words, 0, signature.encode(),
    )  # fmt: skip
    _keep(made, (functions, data, texts, owner))
    return made


def _keep(made: Any, pointed: Any) -> None:
    """NumPy keeps pointers, not what they point to: that lives as long as the ufunc, or for ever."""
    try:
        made.__dict__["_pointed"] = pointed
    except AttributeError:  # a NumPy whose ufuncs have no dictionary
        _alive.append((made, pointed))


_alive: list[Any] = []


@cache
def available() -> bool:
    """Whether NumPy's table is where we expect it and begins with the type of ufuncs."""
    try:
        return _api()[UFUNC_TYPE] == id(np.ufunc) and bool(_api()[FROM_SIGNATURE])
    except (AttributeError, ValueError):
        return False


def _api() -> Any:
    capsule = np._core._multiarray_umath._UFUNC_API  # pyright: ignore[reportAttributeAccessIssue]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))


Inner = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)


class Looped:
    """An inner loop called through ctypes on contiguous copies, with the call of a ufunc: f(*arrays, out=)."""

    def __init__(
        self, address: int, single: bool, sizes: Sequence[int], core: tuple[int, ...], owner: object = None
    ) -> None:
        self.call = Inner(address)
        self.dtype = np.dtype(np.float32 if single else np.float64)
        self.sizes = tuple(sizes)
        self.core = core
        self.owner = owner

    def __call__(self, *inputs: Any, out: np.ndarray | None = None) -> np.ndarray:
        arrays = [np.asarray(x, self.dtype) for x in inputs]
        if tuple(x.shape[-1:] for x in arrays) != tuple((size,) for size in self.sizes):
            raise ValueError(f"shapes {[x.shape for x in arrays]} do not end in {list(self.sizes)}")
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
        rows = [
            np.ascontiguousarray(x if x.ndim == 1 else np.broadcast_to(x, (*batch, x.shape[-1])))
            for x in arrays
        ]
        result = np.empty((*batch, *self.core), self.dtype)
        self._run([*rows, result], prod(batch))
        if out is None:
            return result
        out[...] = result
        return out

    def _run(self, arrays: list[np.ndarray], states: int) -> None:
        cores = [*((size,) for size in self.sizes), self.core]
        shared = [array.ndim == len(core) for array, core in zip(arrays, cores, strict=True)]
        outer = [
            self.dtype.itemsize * prod(core) * (not own) for core, own in zip(cores, shared, strict=True)
        ]
        inner = [self.dtype.itemsize * prod(core[d + 1 :]) for core in cores for d in range(len(core))]
        numbers = ctypes.c_ssize_t * (len(outer) + len(inner))
        pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
        dimensions, steps = (ctypes.c_ssize_t * 1)(states), numbers(*outer, *inner)
        self.call(pointers, dimensions, steps, None)
