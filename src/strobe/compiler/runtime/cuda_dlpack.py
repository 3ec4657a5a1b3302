"""DLPack: an array of ours handed to another library without a copy, as a capsule that says where its numbers are.

The capsule keeps the array alive until whoever took it says, by its deleter, that it is done with it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_int32,
    c_int64,
    c_uint8,
    c_uint16,
    c_uint64,
    c_void_p,
)
from typing import Any

CPU, CUDA = 1, 2  # kinds of memory
FLOAT = 2
NAME = b"dltensor"


class Tensor(Structure):
    _fields_ = (
        ("data", c_void_p), ("kind", c_int32), ("number", c_int32), ("axes", c_int32), ("code", c_uint8),
        ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("steps", POINTER(c_int64)),
        ("offset", c_uint64),
    )  # fmt: skip


class Managed(Structure):
    pass


DELETER = CFUNCTYPE(None, POINTER(Managed))
Managed._fields_ = [("tensor", Tensor), ("context", c_void_p), ("deleter", DELETER)]

_held: dict[int, tuple[Any, ...]] = {}  # what capsules keep alive, by the address of what they point to


@DELETER
def _done(managed: Any) -> None:
    _held.pop(ctypes.addressof(managed.contents), None)


@CFUNCTYPE(None, c_void_p)
def _dropped(capsule: int) -> None:
    """A capsule that nobody took."""
    if _is_valid(capsule, NAME):
        _held.pop(_pointer(capsule, NAME), None)


_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_new = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)


def capsule(
    owner: Any, address: int, kind: int, number: int, shape: Sequence[int], steps: Sequence[int], bits: int
) -> Any:  # fmt: skip
    """The numbers of an array, which stays alive as long as they are in use."""
    axes = len(shape)
    sizes, between = (c_int64 * axes)(*shape), (c_int64 * axes)(*steps)
    tensor = Tensor(address, kind, number, axes, FLOAT, bits, 1, sizes, between, 0)
    managed = Managed(tensor, None, _done)
    place = ctypes.addressof(managed)
    _held[place] = owner, managed, sizes, between
    return _new(place, NAME, ctypes.cast(_dropped, c_void_p))
