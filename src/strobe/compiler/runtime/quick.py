"""Python builtins from machine code, for calls in a hurry; see `compiler.codegen.llvm_builtin`."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import numpy as np

from strobe.compiler.runtime.jit import Code

METH_FASTCALL = 0x0080
PYARRAY_TYPE, PYARRAY_NEW = 2, 93  # slots of NumPy's array API


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def builtin(name: str, code: Code, loop: Code | None = None, most: int = 0) -> Any:
    """A builtin that returns NotImplemented for arguments it does not take.

    One for batches calls a loop, with at most so many states.
    """
    definition = _MethodDef(name.encode(), code.address, METH_FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    table = _pointers(loop.address if loop else 0, most)
    # the place of the module is any object, which lives as long as the function does: here, what it points to
    return make(ctypes.addressof(definition), table, (definition, code, loop))


def _pointers(loop: int, most: int) -> bytes:
    """What the code needs of Python and NumPy, in the order of `compiler.codegen.llvm_builtin.POINTERS`."""
    api = _numpy_api()
    calls = [
        ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        for name in ("Py_IncRef", "PyEval_SaveThread", "PyEval_RestoreThread")
    ]
    arrays = (api[PYARRAY_TYPE], id(np.dtype(np.float64)), api[PYARRAY_NEW])
    table = (*arrays, id(NotImplemented), *calls, loop, most)
    return struct.pack(f"{len(table)}Q", *table)


def _numpy_api() -> Any:
    capsule = np._core._multiarray_umath._ARRAY_API  # pyright: ignore[reportAttributeAccessIssue]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))
