"""A real NumPy generalized ufunc from the addresses of inner loops, through the C API that NumPy publishes.

The sizes in the signature are frozen, "(7),(7)->(7)": with a letter NumPy would hand vectors of any length to the
loop, which reads seven numbers whatever it is given.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

FROM_SIGNATURE = 31  # slot of PyUFunc_FromFuncAndDataAndSignature in NumPy's table
NPY_FLOAT, NPY_DOUBLE = 11, 12


def gufunc(
    name: str, doc: str, signature: str, loops: Sequence[tuple[int, bool]], nin: int, owner: object = None
) -> Any:
    """A ufunc with one output and a loop per precision: (address, single); ``owner`` keeps the code alive."""
    table = ctypes.cast(_api(), ctypes.POINTER(ctypes.c_void_p))
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, *[ctypes.c_int] * 4,
        ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p,
    )(table[FROM_SIGNATURE])  # fmt: skip
    count = len(loops)
    functions = (ctypes.c_void_p * count)(*(address for address, _ in loops))
    data = (ctypes.c_void_p * count)(*[None] * count)
    types = bytes((NPY_FLOAT if single else NPY_DOUBLE) for _, single in loops for _ in range(nin + 1))
    kept = (
        functions,
        data,
        ctypes.create_string_buffer(types),
        name.encode(),
        doc.encode(),
        signature.encode(),
    )
    made = make(
        ctypes.addressof(functions), ctypes.addressof(data), ctypes.cast(kept[2], ctypes.c_char_p), count, nin, 1, -1,
        kept[3], kept[4], 0, kept[5],
    )  # fmt: skip
    _alive[id(made)] = (made, kept, owner)
    return made


_alive: dict[int, Any] = {}  # NumPy keeps the pointers, not what they point to


def _api() -> int:
    capsule = np._core._multiarray_umath._UFUNC_API  # pyright: ignore[reportAttributeAccessIssue]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer(capsule, None)
