"""A traced function: named input vectors in, an array of output nodes out.

`trace` runs a function over numbers once and keeps what it did; `Program` is what the passes rewrite and
the code generators read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import prod
from operator import attrgetter
from typing import Any

from strobe.compiler.graph.paths import ends
from strobe.scalars import Graph, Node, Stored

SUMS = ("add", "sub")
CIRCLE = ("sin", "cos")
FREE = ("input", "constant", "stored", "neg")  # what takes no step


def turns(root: Node) -> bool:
    """Whether a value needs a sine or cosine."""
    stack, seen = [root], set[Node]()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op in CIRCLE:
            return True
        stack += node.args
    return False


@dataclass(frozen=True)
class Input:
    """A vector argument: its name and how many numbers it holds."""

    name: str
    size: int


@dataclass(frozen=True)
class Program:
    """Outputs as functions of inputs, over nodes of one graph."""

    inputs: tuple[Input, ...]
    outputs: tuple[Node, ...]
    shape: tuple[int, ...]  # of the result; outputs are its entries in row-major order
    stored: tuple[Stored, ...] = ()  # what it reads by place, in the order in which code takes them

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes that the outputs need, arguments before uses."""
        seen = set(self.outputs)
        stack = list(seen)
        while stack:
            for node in stack.pop().args:
                if node not in seen:
                    seen.add(node)
                    stack.append(node)
        return tuple(sorted(seen, key=attrgetter("index")))

    @property
    def numbers(self) -> dict[str, list[Node]]:
        """The inputs as nodes of its graph."""
        graph = self.outputs[0].system
        return {
            given.name: [graph.variable(f"{given.name}[{k}]") for k in range(given.size)]
            for given in self.inputs
        }

    @cached_property
    def inputs_read(self) -> frozenset[str]:
        """The names of the inputs that any output depends on."""
        return frozenset(str(node.value).rpartition("[")[0] for node in self.nodes if node.op == "input")

    @cached_property
    def uses(self) -> Counter[Node]:
        """How often each node is an argument or an output."""
        uses = Counter(self.outputs)
        uses.update(chain.from_iterable([node.args for node in self.nodes]))
        return uses

    @cached_property
    def counts(self) -> Counter[str]:
        """How many nodes there are of each operation."""
        return Counter(node.op for node in self.nodes)

    @property
    def multiplications(self) -> int:
        return self.counts["mul"]

    @property
    def additions(self) -> int:
        return sum(self.counts[op] for op in SUMS)

    @cached_property
    def levels(self) -> dict[Node, int]:
        """The operations on the longest chain that ends with each node; a negation is none."""
        place = {node: k for k, node in enumerate(self.nodes)}
        needs = [[place[a] for a in node.args] for node in self.nodes]
        return dict(zip(self.nodes, ends(needs, [node.op not in FREE for node in self.nodes]), strict=True))

    @property
    def depth(self) -> int:
        """The operations on the longest chain of dependencies: what no number of processors undercuts."""
        return max((self.levels[node] for node in self.outputs), default=0)

    @property
    def summary(self) -> str:
        """Its size in one line."""
        counts = ", ".join(f"{count} {op}" for op, count in sorted(self.counts.items()))
        return f"{len(self.nodes)} nodes ({counts}), depth {self.depth}"

    def with_outputs(self, outputs: Sequence[Node]) -> Program:
        return replace(self, outputs=tuple(outputs))

    def let_go(self) -> None:
        """Nothing more is made on its graph; see `Graph.let_go`."""
        for output in self.outputs[:1]:
            output.system.let_go()

    def text(self) -> str:
        """One line per node under a line that sums up, for people."""
        lines = [f"# {self.summary}", *map(repr, self.nodes)]
        return "\n".join([*lines, "return " + " ".join(f"%{node.index}" for node in self.outputs)])


def trace(
    function: Callable[..., Any], inputs: Mapping[str, int], shape: tuple[int, ...], graph: Graph
) -> Program:
    """The program of a function of lists of numbers that returns nested lists of numbers."""
    numbers = {name: [graph.variable(f"{name}[{k}]") for k in range(size)] for name, size in inputs.items()}
    flat = _flatten(function(**numbers))
    if len(flat) != prod(shape):
        raise ValueError(f"the function returned {len(flat)} numbers; shape {shape} needs {prod(shape)}")
    outputs = tuple(graph.lower(x) for x in flat)
    program = Program(tuple(Input(name, size) for name, size in inputs.items()), outputs, shape)
    return replace(
        program, stored=tuple(node.value for node in program.nodes if isinstance(node.value, Stored))
    )


def _flatten(values: Any) -> list[Any]:
    if isinstance(values, list | tuple):
        return [x for value in values for x in _flatten(value)]
    return [values]
