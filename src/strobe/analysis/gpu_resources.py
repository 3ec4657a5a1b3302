"""What quantities take of a card: registers, spills, threads at once, memory moved; and how fast, where there is one.

Without a card NVIDIA's assembler tells what it would assign (`ptx.assembled`), for that of `PLAN`; threads at once
follow from the registers. With one, kernels are made in several ways on states of their own, and the best is timed;
its share of the limit is what it moves of memory over what a copy on that card moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from strobe.analysis.speed import state
from strobe.compiler.runtime.cuda import Call, CardCode, Cuda
from strobe.compiler.runtime.cuda_arrays import OnCard, lying, sent
from strobe.compiler.runtime.cuda_driver import Card
from strobe.compiler.runtime.kernels import Kernel
from strobe.quantities import Request
from strobe.robot import Robot

PLAN = "sm_90"
# of a multiprocessor; a register for so many threads at once
REGISTERS, THREADS, WARP, TOGETHER = 65_536, 2_048, 32, 8
STATES = 2**20  # that are timed
MOST_MOVED = 4 * 10**8  # bytes


@dataclass(frozen=True)
class Taken:
    """One kernel: what it takes of a card for a thread, and what it reached, if a card was there."""

    quantity: str
    precision: str
    operations: int
    moved: int  # bytes of a state
    registers: int
    spilled: int  # bytes written and read again
    threads: int  # of a multiprocessor at once
    rate: float | None = None  # states a second
    share: float | None = None  # of a copy


def at_once(registers: int, block: int) -> int:
    """Threads that a multiprocessor runs at once, if nothing but registers limits them."""
    warp = -(-registers * WARP // (TOGETHER * WARP)) * TOGETHER * WARP
    blocks = REGISTERS // warp // (block // WARP) if warp else 0
    return min(blocks * block, THREADS)


def taken(robot: Robot, requests: Sequence[Request]) -> Iterator[Taken]:
    """What kernels by columns take, in both precisions, without a card."""
    from strobe.compiler.runtime.ptx import assembled

    device = Cuda(elimination="single")
    for request in requests:
        kernel = Kernel(robot.model, request, device)
        for single in (True, False):
            form = next(f for f in kernel.code.forms(single, False) if f.layout == "columns")
            entry = kernel.code.entry(form)
            found = assembled(entry.code.decode(), PLAN)
            yield _row(
                kernel,
                single,
                entry.number,
                found.registers,
                found.spills,
                at_once(found.registers, form.block),
            )


def timed(robot: Robot, requests: Sequence[Request], on: Card) -> Iterator[Taken]:
    """The same on a card, with the rate of the best way to make each kernel."""
    from strobe.compiler.runtime.cuda_search import search

    copy = copied(on)
    device = Cuda(on.number, elimination="single")
    for request in requests:
        kernel = Kernel(robot.model, request, device)
        for single in (True, False):
            call, kept = _call(robot, kernel.code, single, on)
            best = search(kernel.code, call, kernel.code.form(call, single, False), on)[0]
            rate = 1e3 * call.states / best.milliseconds
            threads = best.blocks * best.form.block
            operations = kernel.code.entry(best.form).number
            row = _row(kernel, single, operations, best.registers, best.local, threads)
            yield replace(row, rate=rate, share=rate * row.moved / copy)
            del kept


def copied(on: Card, size: int = 2**29) -> float:
    """Bytes read and written by a copy on a card, in a second."""
    a, b = (OnCard(on.number, (size // 4,), True) for _ in range(2))

    def again() -> None:
        for _ in range(10):
            on.driver("cuMemcpyDtoDAsync_v2", b.address, a.address, size, None)

    milliseconds = min(on.milliseconds(again, 0) for _ in range(3)) / 10
    return 2e3 * size / milliseconds


def _call(robot: Robot, code: CardCode, single: bool, on: Card) -> tuple[Call, list[Any]]:
    """States on a card, side by side, and room for their results."""
    dtype = np.dtype(np.float32 if single else np.float64)
    count = min(STATES, MOST_MOVED // (dtype.itemsize * sum(code.sizes)) // 128 * 128)
    few = state(robot, list(code.kernel.inputs), 0, min(count, 4096))
    held = [sent(np.resize(x, (count, x.shape[1])).astype(dtype), on.number, columns=True) for x in few]
    held.append(OnCard(on.number, (count, code.sizes[-1]), single, count))
    lie = [lying("a state", x) for x in held]
    steps, entries = (1,) * len(lie), (count,) * len(lie)
    return Call(count, tuple(x.address for x in lie), steps, entries), held


def _row(
    kernel: Kernel, single: bool, operations: int, registers: int, spilled: int, threads: int
) -> Taken:
    size = 4 if single else 8
    moved = size * (sum(kernel.inputs.values()) + prod(kernel.shape))
    words = "float32" if single else "float64"
    return Taken(kernel.quantity, words, operations, moved, registers, spilled, threads)
