"""Python builtins from machine code, for calls in a hurry; see `codegen.llvm_builtin` and `codegen.llvm_dispatch`."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from strobe.compiler.codegen.llvm_builtin import BYTES_CONTENT
from strobe.compiler.codegen.llvm_dispatch import (
    ARRAYS,
    COUNT,
    FIRST,
    LENGTH,
    NAMES,
    OPTIONS,
    TAKEN,
    dispatch_module,
)
from strobe.compiler.runtime.jit import Code

MOST_CALLS = 16  # ways to write calls of one method
METH_FASTCALL, METH_KEYWORDS = 0x0080, 0x0002
PYARRAY_TYPE, PYARRAY_NEW = 2, 93  # slots of NumPy's array API


class Table(bytes):
    """What a builtin reads, with its own definition behind it; and what must live as long as the builtin.

    Python pickles a builtin as an attribute of what stands here: of the ``owner``, if one was named.
    """

    kept: tuple[Any, ...]
    calls: list[Call]  # of a dispatcher: what it knows, and how much that may be
    room: int
    past: dict[Any, Call]  # what had to make room; other threads may be in them
    owner: tuple[Callable[..., Any], tuple[Any, ...]]  # how to get it: a function and its arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self.owner


def _builtin(name: str, doc: str, address: int, flags: int, words: Sequence[int], *kept: Any) -> Any:
    """A builtin whose ``self`` is a table of words."""
    texts = name.encode() + b"\0" + doc.encode() + b"\0"
    size = 8 * len(words)
    table = Table(struct.pack(f"{len(words)}Q", *words) + bytes(32) + texts)
    table.kept = kept
    start = id(table) + BYTES_CONTENT
    text = start + size + 32
    definition = struct.pack("QQqQ", text, address, flags, text + len(name.encode()) + 1 if doc else 0)
    ctypes.memmove(start + size, definition, len(definition))
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    return make(start + size, table, "strobe")


def builtin(
    name: str, code: Code, loop: Code | None = None, most: int = 0, most_made: int = 0,
    share: Callable[..., Any] | None = None,
) -> Any:  # fmt: skip
    """A builtin that returns NotImplemented for arguments it does not take.

    One for batches calls a loop, with at most so many states; of results that it makes, with at most ``most_made``.
    ``share`` is given what goes beyond, once it is known to be plain.
    """
    words = _pointers(loop.address if loop else 0, most, most_made)
    words += [_address(ctypes.pythonapi.PyObject_Vectorcall), id(share)]
    return _builtin(name, "", code.address, METH_FASTCALL, words, code, loop, share)


@dataclass(frozen=True, slots=True)
class Call:
    """A way to write a call, and the builtin that answers it."""

    places: int  # how many arguments come by place
    names: tuple[str, ...]  # and which by name, behind them
    options: tuple[tuple[int, Any], ...]  # arguments that must be these objects, or equal strings
    arrays: tuple[
        tuple[int, Any], ...
    ]  # what the builtin is given: an argument, or where that is -1 an object
    builtin: Any
    wrap: Callable[[Any], Any] | None = None  # what the caller gets of the result

    @property
    def way(self) -> tuple[Any, ...]:
        """What tells it from others."""
        options = tuple((k, type(value), value) for k, value in self.options)
        return self.places, self.names, options, tuple(k for k, _ in self.arrays), id(self.builtin)

    def words(self) -> list[int]:
        """What `llvm_dispatch` reads of it."""
        table = self.builtin.__self__
        head = [self.places, len(self.names), len(self.options), len(self.arrays)]
        head += [table.kept[0].address, id(table), id(self.wrap) if self.wrap else 0]
        words = head + [0] * (LENGTH - len(head))
        words[NAMES : NAMES + len(self.names)] = map(id, self.names)
        for at, pairs in ((OPTIONS, self.options), (ARRAYS, self.arrays)):
            for k, (index, value) in enumerate(pairs):
                words[at + 2 * k : at + 2 * k + 2] = index % 2**64, id(value)
        return words


def dispatcher(
    name: str, doc: str, calls: Sequence[Call], fallback: Callable[..., Any], owner: Callable[..., Any], *of: Any
) -> Any:  # fmt: skip
    """A builtin that answers calls written in one of these ways, and leaves the others to a function.

    There is room for more to `learn`, unless it begins with some. It travels as the attribute of its name that
    ``owner(*of)`` has.
    """
    code = _dispatch()
    api = ctypes.pythonapi
    functions = ("PyObject_Vectorcall", "PyTuple_Size", "PyTuple_GetItem", "PyObject_CallOneArg")
    vectorcall, size, item, call_one = (_address(getattr(api, function)) for function in functions)
    head = [id(NotImplemented), _address(api.Py_DecRef), vectorcall, id(fallback), size, item, call_one]
    head += [id(str), _address(api.PyObject_RichCompareBool), 0, id(tuple), id(int)]
    head += [_address(api.PyErr_Clear)]
    room = len(calls) or MOST_CALLS
    words = head + [0] * (FIRST - len(head) + room * LENGTH)
    made = _builtin(name, doc, code.address, METH_FASTCALL | METH_KEYWORDS, words, code, fallback)
    table = made.__self__
    table.owner, table.calls, table.room, table.past = (owner, of), [], room, {}
    for k, call in enumerate(calls):
        learn(made, call, k)
    return made


def room_for(dispatcher: Any) -> int | None:
    """Where another way to write a call may stand: behind the others, or in place of one that nobody took since room
    was last looked for. Where all were taken there is none, and they have to be taken again to stay."""
    table = dispatcher.__self__
    if len(table.calls) < table.room:
        return len(table.calls)
    first = id(table) + BYTES_CONTENT + 8 * FIRST
    taken = [ctypes.c_uint64.from_address(first + 8 * (k * LENGTH + TAKEN)) for k in range(table.room)]
    for k, each in enumerate(taken):
        if not each.value:
            return k
    for each in taken:
        each.value = 0
    return None


def learn(dispatcher: Any, call: Call, place: int) -> None:
    """One more way to write a call: its words first, then their number, since other threads may read at any time.

    What made room for it is kept, for calls that are under way, and taken up again where it comes back.
    """
    table = dispatcher.__self__
    if any(call.way == other.way for other in table.calls):
        return
    call = table.past.pop(call.way, call)
    for old in table.calls[place : place + 1]:
        table.past[old.way] = old
    words = call.words()
    table.calls[place : place + 1] = [call]
    start = id(table) + BYTES_CONTENT
    (ctypes.c_uint64 * len(words)).from_address(start + 8 * (FIRST + place * LENGTH))[:] = words
    ctypes.c_uint64.from_address(start + 8 * COUNT).value = len(table.calls)


def forget(dispatcher: Any) -> None:
    """Leave every call to the function again; builtins that other threads may be in are kept."""
    table = dispatcher.__self__
    ctypes.c_uint64.from_address(id(table) + BYTES_CONTENT + 8 * COUNT).value = 0
    if table.calls:
        table.kept += (tuple(table.calls),)
        table.calls.clear()


@cache
def _dispatch() -> Code:
    from strobe.compiler.runtime import cache as disk, jit

    key = disk.key(jit.host(), dispatch_module.__name__)
    entry = disk.fetch(key, lambda: disk.Entry(0, jit.emit_object(dispatch_module())))
    return jit.load_object(entry.code, "dispatch")


def _pointers(loop: int, most: int, most_made: int) -> list[int]:
    """What the code needs of Python and NumPy, in the order of `compiler.codegen.llvm_builtin.POINTERS`, but for the
    last two."""
    api, python = _numpy_api(), ctypes.pythonapi
    calls = (python.Py_IncRef, python.PyEval_SaveThread, python.PyEval_RestoreThread)
    arrays = (api[PYARRAY_TYPE], id(np.dtype(np.float64)), api[PYARRAY_NEW])
    tuples = map(_address, (python.Py_DecRef, python.PyTuple_New, python.PyTuple_SetItem))
    return [*arrays, id(NotImplemented), *map(_address, calls), loop, most, most_made, id(float), *tuples]


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _numpy_api() -> Any:
    capsule = np._core._multiarray_umath._ARRAY_API  # pyright: ignore[reportAttributeAccessIssue]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))
