"""A march on a card: one kernel from beginnings to rows, however many rounds lie between.

Arrays on a card are read where they lie; host arrays go there whole, and the rows come back.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import asdict
from math import prod
from typing import Any

import numpy as np

from strobe.compiler.codegen.llvm_cuda import Form
from strobe.compiler.codegen.llvm_cuda_march import March, march_module
from strobe.compiler.runtime import cache
from strobe.compiler.runtime.cuda import MOST_BLOCKS, NAME, kept_or_made
from strobe.compiler.runtime.cuda_arrays import (
    Lying,
    batch_of,
    empty_like,
    fetched,
    handed_out,
    in_a_row,
    lying,
    sent,
)
from strobe.compiler.runtime.cuda_driver import Card, Function, card
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.threads import building
from strobe.errors import CardError

BLOCK = 128


class CardMarch:
    """The kernel of a march, for each precision and card."""

    def __init__(self, kernel: Kernel, march: March) -> None:
        self.kernel, self.march = kernel, march
        self.functions: dict[tuple[bool, int], Function] = {}

    @property
    def rows(self) -> tuple[bool, ...]:
        """Which arguments have an axis of rounds, stages or steps."""
        return (*([False] * self.march.given), *(kind != "constant" for kind in self.march.kinds))

    def __call__(
        self, arrays: Mapping[str, Any], rounds: int, every: int, number: int | None = None
    ) -> Any:
        """Rows (*batch, rounds // every, kept) from arguments by name, in their order."""
        first = next((array for array in arrays.values() if isinstance(array, Lying)), None)
        if first is not None:
            there = {n: a if isinstance(a, Lying) else self._sent(n, a, first) for n, a in arrays.items()}
            return handed_out(self._run(there, rounds, every, first), first)
        there = {
            name: lying(name, sent(np.ascontiguousarray(a), number or 0)) for name, a in arrays.items()
        }
        return fetched(self._run(there, rounds, every, next(iter(there.values()))))

    def _sent(self, name: str, array: np.ndarray, first: Lying) -> Lying:
        """What belongs to the march itself, such as its stages, beside arrays on the card."""
        return lying(name, sent(array.astype(np.float32 if first.single else np.float64), first.card))

    def _run(self, arrays: Mapping[str, Lying], rounds: int, every: int, first: Lying) -> Lying:
        plain = {
            n: _without_rows(a) if has else a for (n, a), has in zip(arrays.items(), self.rows, strict=True)
        }
        batch, kept = batch_of(plain), len(self.march.kept)
        states, count = prod(batch), rounds // every
        place = empty_like(first, (states, count, kept), columns=bool(states))
        if states and count:
            steps, entries = in_a_row(plain, batch, 1)
            between = [a.steps[-2] if has else 0 for a, has in zip(arrays.values(), self.rows, strict=True)]
            words = [states, rounds, every]
            for a, step, row, entry in zip(arrays.values(), steps, between, entries, strict=True):
                words += [a.address, step, row, entry]
            words += [place.address, *place.steps]
            packed = struct.pack("<3q" + "Q2qi4x" * (len(arrays) + 1), *words)
            on = card(first.card)
            blocks = min(-(-states // BLOCK), MOST_BLOCKS)
            on.launch(self.function(first.single, on), blocks, BLOCK, 0, first.stream, packed)
        return place

    def function(self, single: bool, on: Card) -> Function:
        key = single, on.number
        if key not in self.functions:
            with building:
                entry = self.entry(single, here=False)
                if entry is None:
                    raise CardError(
                        f"{self.kernel.name} has no march for cards in the folder of STROBE_CACHE, and without "
                        "llvmlite none can be made here: make it where llvmlite is, and bring that folder along."
                    )
                self.functions[key] = on.load(entry.code, NAME)
        return self.functions[key]

    def entry(self, single: bool, here: bool = True) -> cache.Entry | None:
        """PTX of the march (`kept_or_made`)."""
        form = Form("strided", single, block=BLOCK, pace=0)
        key = cache.portable_key(
            "cuda march", self.kernel.fingerprint(), json.dumps([asdict(form), asdict(self.march)])
        )
        return kept_or_made(key, lambda: self._made(form), here)

    def _made(self, form: Form) -> cache.Entry:
        from strobe.compiler.runtime.ptx import ptx

        program = self.kernel.program
        return cache.Entry(len(program.nodes), ptx(march_module(program, NAME, self.march, form)).encode())


def _without_rows(array: Lying) -> Lying:
    """The first row of an array (…, rows, size) of several."""
    from dataclasses import replace

    shape, steps = array.shape, array.steps
    return replace(array, shape=(*shape[:-2], shape[-1]), steps=(*steps[:-2], steps[-1]))
