"""Sums rearranged so that every product that can be is fused into an addition.

A sum whose parts are used nowhere else is taken apart into its terms and put together again: first what is not a
product, then each product by one fused multiply-add. k products and m other terms cost m − 1 additions and k
fused operations, where the tree as written may cost k multiplications and k + m − 1 additions:

    fma(a, b, c) = a b + c      fnma(a, b, c) = c − a b

A product that several sums use is fused into each of them, and never computed by itself. Counts of operations are
taken before this pass; it is for processors that fuse.
"""

from __future__ import annotations

from itertools import chain

from strobe.compiler.graph.program import SUMS, Program
from strobe.scalars import Graph, Node

Term = tuple[int, Node]  # a sign and a node of the old graph


def fuse(program: Program) -> Program:
    """The same function with fused operations, on a graph of its own."""
    return _Fuser(program).fused()


class _Fuser:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.graph = Graph()
        self.new: dict[Node, Node] = {}
        apart = (node.args for node in program.nodes if node.op not in SUMS)
        alone = {*program.outputs, *chain.from_iterable(apart)}  # what is asked for by itself
        self.inner = {  # sums that only one other sum uses: they are taken apart
            a
            for node in program.nodes
            if node.op in SUMS
            for a in node.args
            if a.op in SUMS and program.uses[a] == 1
        }
        self.free = {  # products that only sums use: they need not be computed by themselves
            node for node in program.nodes if node.op == "mul" and node not in alone
        }

    def fused(self) -> Program:
        for node in self.program.nodes:
            if node in self.inner or node in self.free:
                continue
            self.new[node] = self._rebuilt(node)
        return self.program.with_outputs([self.new[node] for node in self.program.outputs])

    def _rebuilt(self, node: Node) -> Node:
        if node.op in SUMS:
            return self._sum(self._terms(node))
        return self.graph.make(node.op, tuple(self._value(a) for a in node.args), node.value)

    def _value(self, node: Node) -> Node:
        """A node of the new graph; a product left out so far is made when something needs it alone."""
        if node not in self.new:
            self.new[node] = self.graph.make(node.op, tuple(self._value(a) for a in node.args))
        return self.new[node]

    def _terms(self, root: Node) -> list[Term]:
        terms: list[Term] = []
        stack: list[Term] = [(1, root)]
        while stack:
            sign, node = stack.pop()
            if node is root or node in self.inner:
                first, second = node.args
                stack += [(sign if node.op == "add" else -sign, second), (sign, first)]
            else:
                terms.append((sign, node))
        return terms

    def _sum(self, terms: list[Term]) -> Node:
        products = [term for term in terms if term[1] in self.free]
        others = [term for term in terms if term[1] not in self.free]
        total = self._plain(others) if others else None
        for sign, product in products:
            total = self._with(total, sign, product)
        assert total is not None
        sign, node = total
        return node if sign == 1 else self.graph.make("neg", (node,))

    def _plain(self, terms: list[Term]) -> Term:
        """The terms that are not products, added up; the sign of the first is pulled out."""
        (sign, first), *rest = terms
        total = self._value(first)
        for s, node in rest:
            total = self.graph.make("add" if s == sign else "sub", (total, self._value(node)))
        return sign, total

    def _with(self, total: Term | None, sign: int, product: Node) -> Term:
        if total is None:
            return sign, self._value(product)
        own, node = total
        a, b = (self._value(x) for x in product.args)
        return own, self.graph.make("fma" if sign == own else "fnma", (a, b, node))
