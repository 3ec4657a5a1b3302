"""How a kernel is best made for a card: ways tried on its own arrays, the best kept on disk by the card's name.

    found = search(code, call, form, card)

Every order of operations is improved by one choice at a time, and again until nothing helps: registers of a
thread, barriers, threads of a block, where inputs wait, whether sines and inputs come first, states of a thread,
blocks of a launch. What spills in one way may not in another, and what it costs is known only by measuring: choices
that gain nothing alone may gain a sixth together. The bits are the same, whatever is chosen. A way is made where it
is tried, by the compiler; where that is not, ``known`` ways can be tried, and how they are launched.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from strobe.compiler.codegen.llvm_cuda import SHARED, Form, shared_bytes
from strobe.compiler.runtime import cache
from strobe.compiler.runtime.cuda import Call, CardCode, Launch
from strobe.compiler.runtime.cuda_driver import Card, Function

ORDERS = (-1, 0, 1, 2, 3)
CHOICES: dict[str, tuple[int, ...]] = {
    "registers": (0, 168, 128, 112, 96),
    "pace": (1_000, 500, 0),
    "block": (64, 32, 128),
    "staged": (0, 1),
    "at_once": (16, 64, 0),
    "early": (256, 0),
    "states": (1, 2),
    "waves": (0, 1, 2, 4),
}
CHANGED = ("order", *CHOICES)
LAUNCHED = {"waves": CHOICES["waves"]}  # what asks for no other code
LAUNCHES = 10  # timed together
ROUNDS = 3
LONG = 60.0  # seconds of a search after which nothing new is tried


@dataclass(frozen=True)
class Tried:
    """A way to make a kernel: how long a call took, and what it takes of a multiprocessor."""

    form: Form
    milliseconds: float
    registers: int
    local: int  # bytes of a thread beside registers
    blocks: int  # at once


def search(
    code: CardCode, call: Call, form: Form, on: Card, stream: int = 0, seconds: float = LONG,
    known: Sequence[Form] = (), choices: Mapping[str, Sequence[int]] = CHOICES, orders: Sequence[int] = ORDERS,
) -> list[Tried]:  # fmt: skip
    """All ways that were tried, ``known`` ones first of all; the best one first, which calls take from now on."""
    tried: dict[Form, Tried | None] = {}
    end = time.monotonic() + seconds

    def timed(each: Form) -> Tried | None:
        if each not in tried and time.monotonic() < end:
            tried[each] = _measured(code, call, each, on, stream)
        return tried.get(each)

    usual, function = code.usual(form, on)
    tried[usual] = first = measured(code, call, usual, function, on, stream)
    begins = [
        first,
        *filter(None, map(timed, (*known, *(replace(usual, order=order) for order in orders)))),
    ]
    of_order: dict[int, Tried] = {}
    for one in sorted(begins, key=_cost):
        of_order.setdefault(one.form.order, one)
    best = min((_improved(one, choices, timed) for one in of_order.values()), key=_cost)
    chosen = {name: getattr(best.form, name) for name in CHANGED}
    cache.store(code.choice(form, on.name), cache.Entry(0, json.dumps(chosen).encode()))
    code.choose(form, best.form, on)
    return sorted(filter(None, tried.values()), key=_cost)


def _cost(one: Tried) -> float:
    return one.milliseconds


def _improved(
    best: Tried, choices: Mapping[str, Sequence[int]], timed: Callable[[Form], Tried | None]
) -> Tried:
    """The best that one choice after the other leads to."""
    while True:
        before = best
        for name in choices:
            best = min(
                [best, *filter(None, map(timed, changed(best.form, name, choices[name])))], key=_cost
            )
        if best is before:
            return best


def changed(form: Form, name: str, values: Sequence[int]) -> Iterator[Form]:
    """A form with other values of one choice, as far as they mean something for it."""
    pairs = form.layout == "columns" and form.single and not form.wide
    meant = {"states": pairs, "staged": form.layout == "columns"}
    if meant.get(name, True):
        for value in values:
            if value != getattr(form, name):
                yield replace(form, **{name: value})


def _measured(code: CardCode, call: Call, form: Form, on: Card, stream: int) -> Tried | None:
    """How a form does, if it can be had."""
    if shared_bytes(code.sizes, form) > SHARED or call.states % form.states:
        return None
    function = code.loaded(form, on)
    return None if function is None else measured(code, call, form, function, on, stream)


def measured(
    code: CardCode, call: Call, form: Form, function: Function, on: Card, stream: int = 0
) -> Tried:
    """The best of a few rounds of launches."""
    launch = Launch(call, form, function, shared_bytes(code.sizes, form), on)

    def launches() -> None:
        for _ in range(LAUNCHES):
            launch(call.addresses, stream)

    launches()
    best = min(on.milliseconds(launches, stream) for _ in range(ROUNDS)) / LAUNCHES
    at_once = on.blocks_at_once(function, form.block, launch.shared)
    return Tried(form, best, function.registers, function.local, at_once)
