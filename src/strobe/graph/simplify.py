"""Rewriting to a normal form: signs pulled out, arguments ordered, constants folded, equal values shared.

Every node becomes a pair (sign, node) of a new graph:

    −x                 (−s, x)
    x · y              (s t, x·y)                      constants first, then by number
    x + y              (s, x + y) or (s, x − y)        ordered by number, the sign of the first pulled out
    x + x = 2x,  x − x = 0,  0 and ±1 and constant arguments fold

so that a·b and (−a)·b, or a − b and b − a, are one operation. What is not needed is left behind.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import frexp

from strobe.graph.program import Program
from strobe.scalars import Graph, Node
from strobe.scalars.functions import absolute, atan2, cos, less, maximum, minimum, sin, sqrt, tanh, where

Signed = tuple[int, Node]

SMALLEST_NORMAL, LARGEST = sys.float_info.min, sys.float_info.max

FUNCTIONS: dict[str, Callable[..., object]] = {
    "sin": sin, "cos": cos, "sqrt": sqrt, "tanh": tanh, "abs": absolute, "atan2": atan2,
    "min": minimum, "max": maximum, "less": less, "where": where,
}  # fmt: skip


def simplify(program: Program) -> Program:
    """The same function in normal form, on a graph of its own."""
    builder = Builder(Graph())
    known: dict[Node, Signed] = {}
    for node in program.nodes:
        known[node] = builder.rebuild(node, [known[a] for a in node.args])
    return program.with_outputs([builder.plain(known[node]) for node in program.outputs])


class Builder:
    """Makes nodes in normal form."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def rebuild(self, node: Node, args: list[Signed]) -> Signed:
        """The normal form of one node whose arguments are in normal form."""
        op = node.op
        if op == "input":
            return 1, self.graph.make("input", (), node.value)
        if op == "constant":
            return self.constant(node.value)  # pyright: ignore[reportArgumentType]
        if op == "neg":
            ((sign, x),) = args
            return -sign, x
        if op == "add":
            return self.sum(*args)
        if op == "sub":
            (first, (sign, y)) = args
            return self.sum(first, (-sign, y))
        if op == "mul":
            return self.product(*args)
        if op == "div":
            return self.quotient(*args)
        return self.function(op, args)

    def constant(self, value: float) -> Signed:
        return (-1 if value < 0 else 1), self.graph.constant(abs(value))

    def sum(self, first: Signed, second: Signed) -> Signed:
        (s, x), (t, y) = first, second
        if x.op == "constant" and y.op == "constant":
            return self.constant(s * _value(x) + t * _value(y))
        if is_zero(x):
            return second
        if is_zero(y):
            return first
        if x is y:
            return self.product((s, x), self.constant(2.0)) if s == t else self.constant(0.0)
        if x.index > y.index:
            (s, x), (t, y) = (t, y), (s, x)
        return s, self.graph.make("add" if s == t else "sub", (x, y))

    def product(self, first: Signed, second: Signed) -> Signed:
        (s, x), (t, y) = first, second
        if y.op == "constant":
            x, y = y, x
        if x.op == "constant":
            if y.op == "constant":
                sign, node = self.constant(_value(x) * _value(y))
                return s * t * sign, node
            if _value(x) in (0.0, 1.0):
                return (1, x) if _value(x) == 0.0 else (s * t, y)
            if (
                y.op == "mul" and y.args[0].op == "constant"
            ):  # c (d z) = (c d) z, unless c d leaves the range
                merged = _value(x) * _value(y.args[0])
                if SMALLEST_NORMAL <= merged <= LARGEST:
                    return s * t, self.graph.make("mul", (self.graph.constant(merged), y.args[1]))
        elif x.index > y.index:
            x, y = y, x
        return s * t, self.graph.make("mul", (x, y))

    def quotient(self, first: Signed, second: Signed) -> Signed:
        (s, x), (t, y) = first, second
        if is_zero(x) and not is_zero(y):
            return 1, x
        if y.op == "constant" and _value(y) != 0.0:
            if x.op == "constant":
                return s * t, self.graph.constant(_value(x) / _value(y))
            if _is_power_of_two(_value(y)):  # exact
                return self.product(first, (t, self.graph.constant(1.0 / _value(y))))
        return s * t, self.graph.make("div", (x, y))

    def function(self, op: str, args: list[Signed]) -> Signed:
        if all(x.op == "constant" for _, x in args):
            value = FUNCTIONS[op](*(s * _value(x) for s, x in args))
            return self.constant(value)  # pyright: ignore[reportArgumentType]
        if op == "sin":
            ((s, x),) = args
            return s, self.graph.make("sin", (x,))
        if op in ("cos", "abs"):
            return 1, self.graph.make(op, (args[0][1],))
        return 1, self.graph.make(op, tuple(self.plain(a) for a in args))

    def plain(self, signed: Signed) -> Node:
        """The value as one node; a negative constant stays a constant."""
        sign, x = signed
        if sign == 1:
            return x
        return self.graph.constant(-_value(x)) if x.op == "constant" else self.graph.make("neg", (x,))


def _value(node: Node) -> float:
    assert isinstance(node.value, float)
    return node.value


def is_zero(node: Node) -> bool:
    return node.op == "constant" and node.value == 0.0


def _is_power_of_two(x: float) -> bool:
    return frexp(x)[0] == 0.5
