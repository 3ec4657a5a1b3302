"""One walk over a program for every language: a renderer is a table of operations, and how its language declares.

    table      operation → how it is written, from what its arguments are called
    number     a constant, and `read` an entry of the inputs
    written    an operation by its row of the table
    keep       a value under a name of its own, or as it is where it rather stands in its only use

The walk decides the rest: arguments before uses, sine and cosine of an angle together where the table has a `circle`,
where a row of stored numbers begins once for all its numbers, and comparisons as flags where the table tells these
from numbers (`flag` makes one of a number, `truth` a number of one). An operation without a row is refused by name.

A value is text, or whatever stands for it in a language: of WebAssembly, the instructions that put it on the stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

from strobe.compiler.graph.program import CIRCLE, Program
from strobe.errors import UnsupportedOperationError
from strobe.scalars import Node, Stored

Value = TypeVar("Value")

LEAVES = ("input", "constant", "stored")
NUMBER, PLACE, FLAG = "number", "place", "flag"  # what a kept value is


class Walk(Generic[Value]):
    """The values of one program in one language."""

    language: str
    table: Mapping[str, Any]

    def __init__(self, program: Program) -> None:
        self.program = program
        self.values: dict[Node, Value] = {}
        self.flags: dict[Node, Value] = {}
        self.circles: dict[Node, tuple[Value, Value]] = {}
        self.rows: dict[tuple[Node, Node, int], Value] = {}
        require_rows(self.language, self.table, program)

    # -- what a language says -----------------------------------------------------------------------

    def number(self, value: float) -> Value:
        """A constant."""
        raise NotImplementedError

    def read(self, entry: str) -> Value:
        """An entry of the inputs, such as q[3]."""
        raise NotImplementedError

    def written(self, op: str, *args: Any) -> Value:
        """An operation on what its arguments are called."""
        raise NotImplementedError

    def keep(self, node: Node, value: Value, kind: str = NUMBER) -> Value:
        """What stands for a value from here on."""
        return value

    def circle(self, angle: Node) -> tuple[Value, Value]:
        """Sine and cosine of an angle; asked for once."""
        raise NotImplementedError

    def array(self, stored: Stored) -> Any:
        """Where stored numbers are."""
        raise NotImplementedError

    def order(self) -> Iterable[Node]:
        """The nodes whose values are computed in turn; others are when they are first used."""
        return self.program.nodes

    # -- the walk -----------------------------------------------------------------------------------

    def results(self) -> list[Value]:
        """What the outputs are, after everything they need is written."""
        for node in self.order():
            if node.op not in ("stored", "constant"):
                self.value(node)
        return [self.value(node) for node in self.program.outputs]

    def value(self, node: Node) -> Value:
        if node.op == "constant":
            return self.number(float(node.value))  # pyright: ignore[reportArgumentType]
        if node not in self.values:
            self.values[node] = self._made(node)
        return self.values[node]

    def _made(self, node: Node) -> Value:
        if node.op in CIRCLE and "circle" in self.table:
            angle = node.args[0]
            if angle not in self.circles:
                self.circles[angle] = self.circle(angle)
            return self.circles[angle][node.op == "cos"]
        if node.op == "less" and "flag" in self.table:
            return self.written("truth", self.flag(node))
        return self.keep(node, self._computed(node))

    def _computed(self, node: Node) -> Value:
        if node.op == "input":
            return self.read(str(node.value))
        if node.op == "pick":
            return self._picked(node)
        if node.op == "where" and "flag" in self.table:
            condition, *either = node.args
            chosen = [self.value(a) for a in either]
            return self.written("where", self.flag(condition), *chosen)
        return self.written(node.op, *(self.value(a) for a in node.args))

    def flag(self, node: Node) -> Value:
        """Whether a number is not zero."""
        if node not in self.flags:
            if node.op == "less":
                compared = self.written("less", *(self.value(a) for a in node.args))
                self.flags[node] = self.keep(node, compared, FLAG)
            else:
                self.flags[node] = self.written("flag", self.value(node))
        return self.flags[node]

    def _picked(self, node: Node) -> Value:
        """A stored number, or the place itself where that is no number."""
        (leaf, at), (k, width) = node.args, node.value  # pyright: ignore[reportGeneralTypeIssues]
        stored = leaf.value
        assert isinstance(stored, Stored)
        x = self.value(at)
        if (leaf, at, width) not in self.rows:
            begins = self.written("row", x, stored.size - width)
            self.rows[leaf, at, width] = self.keep(node, begins, PLACE)
        return self.written("pick", self.array(stored), self.rows[leaf, at, width], k, x)


def require_rows(language: str, table: Mapping[str, Any], program: Program) -> None:
    """Refuse a program with an operation that a language has no row for."""
    for op in program.counts:
        if op not in LEAVES and op not in table and not (op in CIRCLE and "circle" in table):
            raise UnsupportedOperationError(language, op, "its table of operations has no row for it.")
