"""A batch over several threads in machine code: whoever is free takes the next part, without Python between parts.

A part costs the address of its rows, so parts are small, and all threads end at nearly the same time. The calling
thread takes parts from the batch's beginning on, those that help from its end on. After an interrupt no part is begun
any more.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from math import prod
from queue import SimpleQueue
from typing import Any

import numpy as np

from strobe.compiler.codegen.llvm_shares import DATA, DONE, GIVEN, MOST_ARRAYS, shares_module
from strobe.compiler.runtime import threads

AT_A_TIME = 1000  # parts that a thread takes before Python may interrupt it
PARTS_EACH = 16  # of a thread: none waits longer for another than a sixteenth of its time
LOOKS = 20_000  # for the end of the others, before the thread sleeps: about as long as a part takes


class Order:
    """A loop over rows of some arrays, the results the last of them, to be shared by threads."""

    def __init__(self, loop: int, arrays: Sequence[np.ndarray], inner: Sequence[int], part: int) -> None:
        states = len(arrays[-1])
        fixed = loop, len(arrays), states, part, -(-states // part)
        data, steps = [x.ctypes.data for x in arrays], [x.strides[0] for x in arrays]
        self.words = np.zeros(DATA + 2 * len(arrays) + len(inner), np.int64)
        self.words[: len(fixed)] = fixed
        self.words[DATA:] = [*data, *steps, *inner]
        with threads.building:  # once, or a thread may call what another one drops
            self.functions = _functions()
        self.arrays, self.parts = arrays, fixed[-1]
        self.address = self.words.ctypes.data

    def take(self, helps: bool) -> None:
        """Part after part until none is left."""
        while self.functions.take(self.address, helps, AT_A_TIME):
            pass

    def is_over(self) -> bool:
        return bool(self.words[DONE] >= self.words[2]) or bool(self.functions.over(self.address, LOOKS))

    def stop(self) -> None:
        """No part is begun any more."""
        self.words[GIVEN] = self.parts


def order(
    loop: int,
    inputs: Sequence[np.ndarray],
    batch: tuple[int, ...],
    out: np.ndarray,
    operations: int,
    most: int,
) -> Order | None:
    """Parts of a batch for at most so many threads; None where its rows are no single row of rows.

    Numbers of one state lie side by side.
    """
    core = out.shape[len(batch) :]
    rows = [_rows(x, batch, x.shape[-1:]) for x in inputs]
    rows = [x.copy() if x is not None and np.may_share_memory(x, out) else x for x in rows]
    arrays = [x for x in (*rows, _rows(out, batch, core)) if x is not None]
    if len(arrays) <= len(inputs) or len(arrays) > MOST_ARRAYS:
        return None
    size = out.itemsize
    within = [size * prod(core[d + 1 :]) for d in range(len(core))]
    part = max(threads.LEAST_PART // max(operations, 1), len(arrays[-1]) // (PARTS_EACH * most), 1)
    return Order(loop, arrays, [size] * len(inputs) + within, part + -part % threads.TOGETHER)


def _rows(x: np.ndarray, batch: tuple[int, ...], core: tuple[int, ...]) -> np.ndarray | None:
    """An array as one row of states, if it is one in memory and as machine code reads it."""
    if not x.flags.aligned or not x.dtype.isnative:
        return None
    whole = x if x.shape == (*batch, *core) else np.broadcast_to(x, (*batch, *core))
    if len(batch) == 1:
        return whole
    return whole.reshape(-1, *core) if whole.flags.c_contiguous else None


def shared(order: Order, most: int) -> None:
    """All parts of an order, by this thread and some of the crew, at most so many in all.

    None waits for a thread that has not begun: it would find no part left.
    """
    ended: SimpleQueue[None] = SimpleQueue()

    def help_out() -> None:
        order.take(helps=True)
        ended.put(None)

    try:
        threads.crew().ask(help_out, min(most, order.parts) - 1)
        order.take(helps=False)
        while not order.is_over():  # somebody is at the last part, and tells when it has ended
            ended.get()
    except BaseException:
        order.stop()
        raise


class _Functions:
    """What the module has, called without the interpreter lock."""

    def __init__(self) -> None:
        from strobe.compiler.runtime import cache as disk, jit

        key = disk.key(jit.host(), shares_module.__name__)
        entry = disk.fetch(key, lambda: disk.Entry(0, jit.emit_object(shares_module())))
        self.code = [jit.load_object(entry.code, name) for name in ("take", "over")]
        number, pointer = ctypes.c_int64, ctypes.c_void_p
        self.take: Any = ctypes.CFUNCTYPE(number, pointer, number, number)(self.code[0].address)
        self.over: Any = ctypes.CFUNCTYPE(number, pointer, number)(self.code[1].address)


@cache
def _functions() -> _Functions:
    return _Functions()
