"""What depends on some inputs only, taken out of a program: computed once where those inputs stay the same.

    y = f(x, c)   becomes   k = before(c),   y = after(x, k)

The coefficients k are the values that only c decides and that something else uses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from strobe.compiler.graph.program import Input, Program
from strobe.scalars import Graph, Node

COEFFICIENTS = "coefficients"  # the input of what is left that they become


@dataclass(frozen=True)
class Hoisted:
    """A program in two: the coefficients, and what is left, which takes them as its last input."""

    before: Program
    after: Program


def hoist(program: Program, names: Iterable[str]) -> Hoisted:
    """What depends on the inputs of these names only, and the rest."""
    given, places = tuple(names), {}
    own = [x for x in program.inputs if x.name in given]
    free = _decided(program, {f"{x.name}[{k}]" for x in own for k in range(x.size)})
    graph, made = Graph(), dict[Node, Node]()
    for node in program.nodes:
        if node not in free:
            args = tuple(_argument(graph, a, made, places) for a in node.args)
            made[node] = graph.make(node.op, args, node.value)
    outputs = tuple(_argument(graph, node, made, places) for node in program.outputs)
    before = Program(tuple(own), tuple(places), (len(places),))
    rest = tuple(x for x in program.inputs if x not in own)
    after = replace(program, inputs=(*rest, Input(COEFFICIENTS, len(places))), outputs=outputs)
    return Hoisted(before, after)


def _decided(program: Program, inputs: set[str]) -> set[Node]:
    """The nodes that need nothing but these inputs and constants."""
    free: set[Node] = set()
    for node in program.nodes:
        own = node.op == "constant" or (node.op == "input" and node.value in inputs)
        if own or (node.args and all(a in free for a in node.args)):
            free.add(node)
    return free


def _argument(graph: Graph, node: Node, made: dict[Node, Node], places: dict[Node, int]) -> Node:
    """A node of the rest: made there, a constant, or a coefficient, with a place from its first use on."""
    if node in made:
        return made[node]
    if node.op == "constant":
        return graph.make("constant", (), node.value)
    return graph.variable(f"{COEFFICIENTS}[{places.setdefault(node, len(places))}]")
