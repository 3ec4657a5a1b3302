"""Derivatives of a program as a program, forwards or backwards, without the zeros of its structure.

    forwards     with every value its rate along every direction that moves it:  ẋ = Σ ∂x/∂a · ȧ
    backwards    for every result the share that every value has in it:          ā = Σ ∂x/∂a · x̄

What an operation does to rates is written once, in `scalars.dual`. Each row is linear in the rates, so that with the
share of a result in the place of one argument's rate it gives the share of that argument.

A rate exists only where a value depends on a direction, a share only where a result depends on a value that moves.
Counting both, by the arguments of operations, tells which way makes fewer operations before either is gone.

Backwards, a branch that is not taken has the share 0 and still multiplies it by slopes of its own, which may be
infinite there: 0 · ∞. Forwards, its rates are left aside. Where branches may have no slope it is forwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from strobe.compiler.graph.program import Program
from strobe.scalars import Node, Num, Numbers
from strobe.scalars.dual import RULES, Direction
from strobe.scalars.scalar import is_number

Rates = dict[int, Num]  # by direction
# for every direction the inputs that move, by the names of their nodes
Moving = Sequence[Mapping[str, Num]]
Way = Callable[[Program, Moving], list[Rates]]
# what changes with its arguments in steps, or never
CONSTANT = ("constant", "stored", "pick", "less", "floor")

STEEP = ("div", "sqrt", "atan2")  # what may have infinite slopes, or none
CHOOSING = ("where", "min", "max")


def derivative(program: Program, directions: Sequence[Direction], way: Way | None = None) -> Program:
    """The rates of all results along all directions, which are a last axis; the cheapest way if none is named."""
    way = way or _cheapest(program, directions)
    rows = way(program, _by_node(directions))
    graph, count = program.outputs[0].system, len(directions)
    outputs = [graph.lower(row.get(k, 0.0)) for row in rows for k in range(count)]
    return replace(program, outputs=tuple(outputs), shape=(*program.shape, count))


def _cheapest(program: Program, directions: Sequence[Direction]) -> Way:
    possible = costs(program, directions)
    return min(possible, key=possible.__getitem__)


def costs(program: Program, directions: Sequence[Direction]) -> dict[Way, int]:
    """About how many operations each safe way makes: the rates, or shares, of all arguments that move."""
    moved, needing = _moved(program, _by_node(directions)), _needing(program)
    ahead = back = 0
    for node in program.nodes:
        arguments = sum(1 for a in node.args if moved[a])
        ahead += arguments * moved[node].bit_count()
        back += arguments * needing[node].bit_count()
    return {forwards: ahead} if _guards(program, moved) else {forwards: ahead, backwards: back}


def forwards(program: Program, moving: Moving) -> list[Rates]:
    """The rates of every result, from the inputs on."""
    rates: dict[Node, Rates] = {}
    for node in program.nodes:
        if node.op == "input":
            rates[node] = {k: d[str(node.value)] for k, d in enumerate(moving) if str(node.value) in d}
        elif node.op in CONSTANT:
            rates[node] = {}
        else:
            moved = dict.fromkeys(k for a in node.args for k in rates[a])
            every = ((k, rate_of(node, [rates[a].get(k, 0.0) for a in node.args])) for k in moved)
            rates[node] = {k: rate for k, rate in every if not is_zero(rate)}
    return [rates[node] for node in program.outputs]


def backwards(program: Program, moving: Moving) -> list[Rates]:
    """The rates of every result, from the results back."""
    moved = _moved(program, moving)
    nodes = [node for node in reversed(program.nodes) if moved[node]]
    return [_rates_of(output, nodes, moved, moving) for output in program.outputs]


WAYS: tuple[Way, ...] = (forwards, backwards)


def _by_node(directions: Sequence[Direction]) -> Moving:
    return [
        {
            f"{name}[{k}]": rate
            for name, rates in each.items()
            for k, rate in enumerate(rates)
            if not is_zero(rate)
        }
        for each in directions
    ]


def _rates_of(output: Node, nodes: Sequence[Node], moved: Mapping[Node, int], moving: Moving) -> Rates:
    """The rates of one result, by the shares of all values in it; ``nodes`` are those that move, the last first."""
    shares: dict[Node, Num] = {output: 1.0}
    rates: Rates = {}
    for node in nodes:
        share = shares.pop(node, 0.0)
        if is_zero(share):
            continue
        if node.op == "input":
            for k in _bits(moved[node]):
                rates[k] = rates.get(k, 0.0) + moving[k][str(node.value)] * share
            continue
        for place, a in enumerate(node.args):
            if moved[a]:
                alone: list[Num] = [0.0] * len(node.args)
                alone[place] = share
                shares[a] = shares.get(a, 0.0) + rate_of(node, alone)
    return rates


def rate_of(node: Node, rates: Numbers) -> Num:
    """The rate of a node whose arguments move at these rates."""
    parts: list[Num] = []
    for a, rate in zip(node.args, rates, strict=True):
        parts += (a, rate)
    return RULES[node.op](*parts)[1]


def _moved(program: Program, moving: Moving) -> dict[Node, int]:
    """By node the directions that move it, one bit each."""
    of_input: dict[str, int] = {}
    for k, direction in enumerate(moving):
        for name in direction:
            of_input[name] = of_input.get(name, 0) | 1 << k
    moved: dict[Node, int] = {}
    for node in program.nodes:
        bits = of_input.get(str(node.value), 0) if node.op == "input" else 0
        for a in () if node.op in CONSTANT else node.args:
            bits |= moved[a]
        moved[node] = bits
    return moved


def _guards(program: Program, moved: Mapping[Node, int]) -> bool:
    """Whether something is chosen among values that may have no slope where they are not taken."""
    steep: set[Node] = set()
    for node in program.nodes:
        if moved[node] and (node.op in STEEP or not steep.isdisjoint(node.args)):
            if node.op in CHOOSING:
                return True
            steep.add(node)
    return False


def _needing(program: Program) -> dict[Node, int]:
    """By node the results that change with it, one bit each."""
    needing = dict.fromkeys(program.nodes, 0)
    for k, output in enumerate(program.outputs):
        needing[output] |= 1 << k
    for node in reversed(program.nodes):
        for a in () if node.op in CONSTANT else node.args:
            needing[a] |= needing[node]
    return needing


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def is_zero(x: Num) -> bool:
    return is_number(x) and x == 0
