"""How a kernel is best made for a card: a few ways tried on its own arrays, the best kept on disk by the card's name.

    found = search(code, call, form, card)

One choice is changed at a time, from the usual one on: two states a thread or one; the order of operations; sines and
inputs first or where they are needed; fewer registers for more threads. What spills in one way may not in another,
and what it costs is known only by measuring. The bits are the same, whatever is chosen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from strobe.compiler.codegen.llvm_cuda import Form, shared_bytes
from strobe.compiler.runtime import cache
from strobe.compiler.runtime.cuda import Call, CardCode
from strobe.compiler.runtime.cuda_driver import Card, Function

CHOICES: dict[str, tuple[int, ...]] = {
    "states": (1, 2),
    "order": (-1, 0, 1, 2),
    "early": (64, 0),
    "at_once": (16, 0),
    "resident": (0, 4, 8),
}
CHANGED = tuple(CHOICES)
LAUNCHES = 10  # timed together
ROUNDS = 3


@dataclass(frozen=True)
class Tried:
    """A way to make a kernel: how long a call took, and what it takes of a multiprocessor."""

    form: Form
    milliseconds: float
    registers: int
    local: int  # bytes of a thread beside registers
    blocks: int  # at once


def candidates(form: Form) -> Iterator[Form]:
    """Every form that a search may come by."""
    for changed in CHANGED:
        for value in CHOICES[changed]:
            if changed != "states" or (form.layout == "columns" and form.single and not form.wide):
                yield replace(form, **{changed: value})


def prepared(code: CardCode, form: Form) -> None:
    """The code of all that a search may come by, made without a card."""
    states = {form.states, *(each.states for each in candidates(form))}
    for number in states:
        for each in candidates(replace(form, states=number)):
            code.entry(each)


def search(code: CardCode, call: Call, form: Form, on: Card, stream: int = 0) -> list[Tried]:
    """All ways that were tried, the best one first; calls take that from now on."""
    tried: dict[Form, Tried] = {}

    def time(each: Form) -> Tried | None:
        if each not in tried:
            function = code._loaded(each, on)
            if function is not None and call.states % each.states == 0:
                tried[each] = measured(code, call, each, function, on, stream)
        return tried.get(each)

    best = time(code.function(form, on)[0])
    assert best is not None
    for changed in CHANGED:
        own = [each for each in candidates(best.form) if _differs(each, best.form, changed)]
        best = min([best, *filter(None, map(time, own))], key=lambda one: one.milliseconds)
    chosen = {name: getattr(best.form, name) for name in CHANGED}
    key = code.choice(form, on.name)
    cache.fetch(key, lambda: cache.Entry(0, json.dumps(chosen).encode()))
    code.chosen[form, on.name] = best.form
    return sorted(tried.values(), key=lambda one: one.milliseconds)


def _differs(form: Form, other: Form, changed: str) -> bool:
    return form != other and replace(form, **{changed: getattr(other, changed)}) == other


def measured(
    code: CardCode, call: Call, form: Form, function: Function, on: Card, stream: int = 0
) -> Tried:
    """The best of a few rounds of launches."""
    shared = shared_bytes(code.sizes, form)
    blocks, words = -(-call.states // (form.block * form.states)), call.words()

    def launches() -> Any:
        for _ in range(LAUNCHES):
            on.launch(function, blocks, form.block, shared, stream, words)

    launches()
    best = min(on.milliseconds(launches, stream) for _ in range(ROUNDS)) / LAUNCHES
    at_once = on.blocks_at_once(function, form.block, shared)
    return Tried(form, best, function.registers, function.local, at_once)
