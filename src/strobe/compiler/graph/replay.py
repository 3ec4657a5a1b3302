"""A program run again, on numbers of any system: what was traced once, whatever became of the function since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from strobe.compiler.graph.program import Program
from strobe.compiler.graph.rules import FUNCTIONS
from strobe.scalars import Node, Num, Numbers, Stored


def replay(program: Program, numbers: Mapping[str, Numbers]) -> Any:
    """The results of a program in nested lists, from inputs by name."""
    known: dict[Node, Num] = {
        node: number
        for name, nodes in program.numbers.items()
        for node, number in zip(nodes, numbers[name], strict=True)
    }
    rows: dict[tuple[Node, ...], list[Num]] = {}  # stored numbers, read once for all of a row
    for node in program.nodes:
        if node.op == "pick":
            known[node] = _picked(node, known, rows)
        elif node.op not in ("input", "stored"):
            known[node] = _value(node, known)
    return _nested([known[node] for node in program.outputs], program.shape)


def _value(node: Node, known: Mapping[Node, Num]) -> Num:
    if node.op == "constant":
        return node.value  # pyright: ignore[reportReturnType]  a float
    args = [known[a] for a in node.args]
    return -args[0] if node.op == "neg" else FUNCTIONS[node.op][1](*args)


def _picked(node: Node, known: Mapping[Node, Num], rows: dict[tuple[Node, ...], list[Num]]) -> Num:
    leaf, place = node.args
    k, width = node.value  # pyright: ignore[reportGeneralTypeIssues]  which of how many
    if (found := rows.get((*node.args,))) is None or len(found) != width:
        assert isinstance(leaf.value, Stored)
        found = rows[(*node.args,)] = leaf.value.row(known[place], width)
    return found[k]


def _nested(flat: list[Num], shape: tuple[int, ...]) -> Any:
    for size in reversed(shape[1:]):
        flat = [flat[k : k + size] for k in range(0, len(flat), size)]  # pyright: ignore[reportAssignmentType]
    return flat
