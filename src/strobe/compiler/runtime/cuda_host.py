"""Host arrays on a card: they go there and back in parts, over memory that the card reads by itself.

A few lanes take parts in turn, each with its stream and its memory: while one computes, the others are on the way.
What a lane brought back is taken over when it is given its next part. The bus is what this waits for; a card answers
host arrays sooner than a processor only where much is computed for every number.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from math import prod
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.runtime.arrays import batch_shape, destination
from strobe.compiler.runtime.cuda_driver import Card, card

if TYPE_CHECKING:
    from strobe.compiler.runtime.cuda import CardCode

LANES = 3
PART = 8 * 2**20  # bytes of a part, there and back
WHOLE = 256  # bytes to which arrays begin


@dataclass
class Lane:
    """A stream, and memory here and there of the same size."""

    on: Card
    stream: int
    size: int = 0
    here: int = 0
    there: int = 0
    due: tuple[np.ndarray, int] | None = field(default=None)  # where results go, and where they are here

    def room(self, size: int) -> None:
        """Memory for so many bytes at least."""
        if size > self.size:
            if self.size:
                self.on.unpin(self.here)
                self.on.free(self.there)
                self.size = 0
            self.here = self.on.pinned(size)
            self.there = self.on.allocate(size, "a part of a batch")
            self.size = size

    def taken(self) -> None:
        """What it brought back is put where it goes."""
        if self.due is not None:
            target, place = self.due
            self.due = None
            self.on.wait(self.stream)
            target[...] = view(place, target.shape, target.dtype)


@dataclass
class Lanes:
    """The lanes of a card; one call at a time has them."""

    lanes: list[Lane]
    lock: Lock = field(default_factory=Lock)


@cache
def lanes(number: int) -> Lanes:
    on = card(number)
    return Lanes([Lane(on, on.stream()) for _ in range(LANES)])


def streamed(code: CardCode, arrays: Mapping[str, np.ndarray], out: Any, double: bool) -> np.ndarray:
    """A kernel on arrays of this machine's memory."""
    from strobe.compiler.runtime.cuda import Call

    kernel, device = code.kernel, code.kernel.device
    batch, dtype = batch_shape(arrays), next(iter(arrays.values())).dtype
    target = destination(out, (*batch, *kernel.shape), dtype)
    states, size = prod(batch), code.sizes[-1]
    if not states:
        return target
    fits = target.dtype == dtype and target.flags.c_contiguous and not _touches(target, arrays)
    result = np.asarray(target) if fits else np.empty(target.shape, dtype)
    rows = [*(_rows(a, batch) for a in arrays.values()), result.reshape(states, size)]
    number = getattr(device, "number", None) or 0
    own = lanes(number)
    part = min(states, max(PART // (dtype.itemsize * sum(code.sizes)), 1))
    with own.lock:
        try:
            for turn, first in enumerate(range(0, states, part)):
                lane = own.lanes[turn % LANES]
                lane.taken()
                _sent(
                    code,
                    lane,
                    [r if len(r) == 1 < states else r[first : first + part] for r in rows],
                    double,
                    Call,
                )
        finally:
            for lane in own.lanes:
                lane.taken()
    if not fits:
        target[...] = result
    return target


def _sent(code: CardCode, lane: Lane, rows: list[np.ndarray], double: bool, Call: Any) -> None:
    """A part on its way: there, through the kernel, and back."""
    *given, result = rows
    places, size = [], 0
    for row in rows:
        places.append(size)
        size += -(-row.nbytes // WHOLE) * WHOLE
    lane.room(size)
    for row, place in zip(given, places, strict=False):
        view(lane.here + place, row.shape, row.dtype)[...] = row
    lane.on.to_card(lane.there, lane.here, places[-1], lane.stream)
    steps = tuple(0 if len(r) == 1 < len(result) else r.shape[1] for r in rows)
    call = Call(len(result), tuple(lane.there + p for p in places), steps, (1,) * len(rows))
    launch = code.ready(call, code.form(call, result.dtype == np.float32, double), lane.on)
    launch(call.addresses, lane.stream)
    lane.on.to_host(lane.here + places[-1], lane.there + places[-1], result.nbytes, lane.stream)
    lane.due = result, lane.here + places[-1]


def view(place: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """Memory at an address as an array."""
    buffer: Any = (ctypes.c_char * (prod(shape) * dtype.itemsize)).from_address(place)
    return np.frombuffer(buffer, dtype).reshape(shape)


def _rows(array: np.ndarray, batch: tuple[int, ...]) -> np.ndarray:
    """States in a row, or the one that all have in common."""
    if prod(array.shape[:-1]) == 1:
        return array.reshape(1, array.shape[-1])
    return np.broadcast_to(array, (*batch, array.shape[-1])).reshape(prod(batch), array.shape[-1])


def _touches(target: np.ndarray, arrays: Mapping[str, np.ndarray]) -> bool:
    return any(np.may_share_memory(target, array) for array in arrays.values())
