"""Rewriting to a normal form: signs pulled out, arguments ordered, constants folded, equal values shared.

Every node becomes a pair (sign, node) of a new graph by the tables of `rules`, so that a·b and (−a)·b, or a − b and
b − a, are one operation. What is not needed is left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter

from strobe.compiler.graph.program import Program
from strobe.compiler.graph.rules import FORMS, Signed, rules, value
from strobe.scalars import Graph, Node

OP = attrgetter("op")


def simplify(program: Program) -> Program:
    """The same function in normal form, on a graph of its own."""
    return rewritten(program, {})


Value = Callable[["Builder", Mapping[Node, Signed]], Signed]  # of a node, by those before it


def rewritten(program: Program, others: Mapping[Node, Value]) -> Program:
    """The same results in normal form on a graph of its own, where some nodes have other values than their own."""
    builder, asked = Builder(Graph()), set(program.outputs)
    known: dict[Node, Signed] = {}
    results: dict[Node, Node] = {}
    for node in program.nodes:
        if node in others:
            known[node] = others[node](builder, known)
        else:
            known[node] = builder.rebuild(node, [known[a] for a in node.args])
        if node in asked:  # a result takes its sign where it is made, so that it need not wait for the end
            results[node] = builder.plain(known[node])
    return program.with_outputs([results[node] for node in program.outputs])


class Builder:
    """Makes nodes in normal form."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def rebuild(self, node: Node, args: list[Signed]) -> Signed:
        """The normal form of one node whose arguments are in normal form."""
        if node.op in FORMS:
            return self.apply(node.op, *args)
        if node.op in ("input", "stored"):
            return 1, self.graph.make(node.op, (), node.value)
        if node.op == "pick":
            (_, stored), place = args
            return 1, self.graph.make("pick", (stored, self.plain(place)), node.value)
        if node.op == "constant":
            return self.constant(value(node))
        ((sign, x),) = args
        return -sign, x  # of a negation

    def constant(self, value: float) -> Signed:
        return (-1 if value < 0 else 1), self.graph.constant(abs(value))

    def apply(self, op: str, *args: Signed) -> Signed:
        """An operation on values in normal form, by the first rule that holds or as a node."""
        sign, op, nodes = FORMS[op](self, *args)
        for _, _, holds, result in rules(op, *map(OP, nodes)):
            if holds(*nodes):
                own, node = result(self, *nodes)
                return sign * own, node
        return sign, self.graph.make(op, nodes)

    def plain(self, signed: Signed) -> Node:
        """The value as one node; a negative constant stays a constant."""
        sign, x = signed
        if sign == 1:
            return x
        return self.graph.constant(-value(x)) if x.op == "constant" else self.graph.make("neg", (x,))
