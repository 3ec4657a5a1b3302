"""A program as one JavaScript function: vectors in, a flat array out, for pages that compute on their own.

    function torques(q, qd, qdd) { const t9 = q[0] * q[1], …; return [t9, …]; }

Every value is computed once, in the order of the graph, on the 64-bit numbers that JavaScript has; sine and cosine
are the browser's. Nothing but constants and names made of letters and digits reaches the text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from strobe.codegen.names import Names
from strobe.graph.program import Program
from strobe.scalars import Node

OPERATIONS: Mapping[str, str] = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "neg": "-{}",
    "less": "+({} < {})",
    "where": "{} !== 0 ? {} : {}",
    **{name: f"Math.{name}({{}})" for name in ("sin", "cos", "sqrt", "tanh", "abs")},
    **{name: f"Math.{name}({{}}, {{}})" for name in ("atan2", "min", "max")},
}


def function(program: Program, name: str) -> str:
    """The text of a function ``name`` with one array per input; it returns the outputs in row-major order."""
    names = Names()
    arguments = {given.name: names.new(given.name) for given in program.inputs}
    text = _texts(program, arguments)
    values: dict[Node, str] = {}
    steps: list[str] = []
    for node in program.nodes:
        values[node] = text[node.op](node) if node.op in text else f"t{len(steps)}"
        if node.op not in text:
            expression = OPERATIONS[node.op].format(*(values[a] for a in node.args))
            steps.append(f"const {values[node]} = {expression};")
    results = ", ".join(values[node] for node in program.outputs)
    lines = [f"function {name}({', '.join(arguments.values())}) {{", *steps, f"return [{results}];", "}"]
    return "\n".join(lines) + "\n"


def number(value: float) -> str:
    """A constant with every digit; in parentheses if negative, so that no sign meets another."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "(-Infinity)"
    digits = repr(float(value)).removesuffix(".0")
    return f"({digits})" if digits.startswith("-") else digits


def _texts(program: Program, arguments: Mapping[str, str]) -> dict[str, Callable[[Node], str]]:
    """What stands for itself: constants, and entries of the arguments."""
    places = {
        f"{given.name}[{k}]": f"{arguments[given.name]}[{k}]"
        for given in program.inputs
        for k in range(given.size)
    }
    return {
        "constant": lambda node: number(float(node.value)),  # pyright: ignore[reportArgumentType]
        "input": lambda node: places[str(node.value)],
    }
