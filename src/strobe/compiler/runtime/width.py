"""How wide vectors are: chosen per processor, by measurement.

A processor with vectors of 512 bits may run them in halves, or more slowly than those of 256: then the narrower ones
are no loss. When the first large batch is asked for, a small fixed program is compiled for both and timed, in about
a tenth of a second, and what is found is kept in the cache folder beside the object code. Until then, and
without such a folder, the widest are taken. STROBE_WIDTH (bits, or float64 numbers side by side: 256 or 4) decides
instead of all this. Nothing but time depends on it: every width computes the same bits.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from time import get_clock_info, perf_counter, thread_time
from typing import Any

import numpy as np

from strobe.compiler.codegen.llvm import Target, module
from strobe.compiler.graph.program import Program, trace
from strobe.compiler.runtime import cache, gufunc, jit
from strobe.errors import ArgumentError
from strobe.scalars import Graph, Num, Numbers

WIDTHS = (128, 256, 512)  # bits
LANES = {str(width // 64): str(width) for width in WIDTHS}  # as float64 numbers side by side
MANY = 1024  # states in a batch that is worth a measurement
CLEARLY = 0.95  # of the wider vectors' time: the narrower ones must need less than this
SIZE, LAYERS = 8, 12  # of the program that is timed: vectors and rounds of products
STATES, CALLS, ROUNDS = 512, 300, 5  # some 2 ms at a time, long enough for a clock to slow down
FINE = get_clock_info("thread_time").resolution < 1e-4
CLOCK = thread_time if FINE else perf_counter  # what other processes take is no property of ours


def target(single: bool = False, states: int = 0) -> Target:
    """What code for a batch of so many states is made for on this machine."""
    return _target(single, bits(single, states))


def bits(single: bool = False, states: int = 0) -> int:
    """The width as STROBE_WIDTH asks for it, or as it was measured; measured now if the batch is large."""
    widest = jit.widest()
    asked = _asked(widest)
    if asked or widest < WIDTHS[-1] or not cache.kept() or not gufunc.available():
        return asked or widest
    name = cache.key(jit.host(), "vector width", "single" if single else "double")
    known = cache.known(name)
    if known is None and states >= MANY:
        known = cache.fetch(name, lambda: cache.Entry(faster(single), b""))
    return widest if known is None else known.number


def _asked(widest: int) -> int | None:
    text = os.environ.get("STROBE_WIDTH", "")
    text = LANES.get(text, text)
    possible = [width for width in WIDTHS if width <= widest]
    if text and text not in map(str, possible):
        choices = ", ".join(map(str, possible))
        raise ArgumentError(
            f'STROBE_WIDTH is "{text}"; expected bits of a vector of this processor: {choices}.'
        )
    return int(text) if text else None


def faster(single: bool) -> int:
    """256 if vectors of that width clearly need less time on this machine, else 512."""
    narrow, wide = (_timed(_program(), _target(single, width)) for width in WIDTHS[1:])
    rounds = [(narrow(), wide()) for _ in range(ROUNDS)]
    least = [min(times) for times in zip(*rounds, strict=True)]
    return WIDTHS[1] if least[0] < CLEARLY * least[1] else WIDTHS[2]


def _target(single: bool, width: int) -> Target:
    return jit.host_target(single, width // (32 if single else 64))


def _program() -> Program:
    """Layers of sums of two products, whose size is that of a small arm's dynamics."""

    def layers(x: Numbers, y: Numbers) -> list[Num]:
        rows = list(x)
        for _ in range(LAYERS):
            rows = [rows[i] * y[i] + rows[i - 1] * y[i - 3] for i in range(SIZE)]
        return rows

    return trace(layers, {"x": SIZE, "y": SIZE}, (SIZE,), Graph())


def _timed(program: Program, target: Target) -> Callable[[], float]:
    """What takes the time of some calls of the program."""
    code = jit.compile_ir(module(program, target))
    shape = f"({SIZE})"
    loop = gufunc.gufunc("timed", "", f"{shape},{shape}->{shape}", [(code.address, target.single)], 2, code)
    state = np.full((STATES, SIZE), 0.5, np.float32 if target.single else np.float64)
    call = partial(loop, state, state, out=np.empty_like(state))
    call()
    return partial(_seconds, call)


def _seconds(call: Callable[[], Any]) -> float:
    start = CLOCK()
    for _ in range(CALLS):
        call()
    return CLOCK() - start
