"""`Node`: an expression graph, hash-consed, one table per trace.

Equal operations on equal arguments are one node, so a formulation that computes something twice pays
once. Nodes compare by identity; sums and products are ordered by number.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from strobe.scalars.scalar import Num, Scalar, System, is_number
from strobe.scalars.stored import Stored

COMMUTATIVE = frozenset({"add", "mul"})


class Graph(System):
    """One trace: its nodes in the order of their making, which is an order of evaluation."""

    name = "Node"

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._known: defaultdict[str, dict[object, Node]] = defaultdict(dict)  # by operation and arguments

    def variable(self, name: str, angle: bool = False) -> Node:
        return self.make("input", (), name)

    def constant(self, value: float) -> Node:
        return self.make("constant", (), float(value))

    def make(self, op: str, args: tuple[Node, ...], value: object = None) -> Node:
        """The node of this operation: the existing one if there is one."""
        known = self._known[op]
        key = args if value is None else (args, value)
        node = known.get(key)
        if node is None:
            node = known[key] = self._added(op, args, value)
        return node

    def _added(self, op: str, args: tuple[Node, ...], value: object) -> Node:
        node = Node(self, len(self.nodes), op, args, value)
        self.nodes.append(node)
        return node

    def let_go(self) -> None:
        """Nothing is made here any more: nodes that nobody holds go at once, without the collector of garbage.

        A graph and its nodes hold each other; left alone, they stay until the collector looks through everything.
        """
        del self.nodes, self._known

    def lower(self, x: Num) -> Node:
        return self.constant(x) if is_number(x) else x  # pyright: ignore[reportReturnType]

    def counts(self) -> Counter[str]:
        """How many nodes there are of each operation."""
        return Counter(node.op for node in self.nodes)


class Node(Scalar):
    """One value of a graph: an input, a constant, or an operation on earlier nodes."""

    __slots__ = ("args", "index", "op", "value")

    system: Graph

    def __init__(self, system: Graph, index: int, op: str, args: tuple[Node, ...], value: object) -> None:
        self.system = system
        self.index = index
        self.op = op
        self.args = args
        self.value = value

    def apply(self, op: str, *args: Num) -> Node:
        graph = self.system
        nodes = tuple([a if isinstance(a, Node) and a.system is graph else self.admit(a) for a in args])
        if op in COMMUTATIVE and nodes[0].index > nodes[1].index:
            nodes = nodes[::-1]
        return graph.make(op, nodes)

    def pick(self, stored: Stored, width: int) -> list[Num]:
        """Nodes whose value says which number it is of a row, and how long that is."""
        leaf = self.system.make("stored", (), stored)
        return [self.system.make("pick", (leaf, self), (k, width)) for k in range(width)]

    def literal(self, x: float) -> Node:
        return self.system.constant(x)

    def __repr__(self) -> str:
        own = [] if self.value is None else [str(self.value)]
        return " ".join([f"%{self.index} =", self.op, *(f"%{a.index}" for a in self.args), *own])
