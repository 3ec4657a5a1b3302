"""A program as one JavaScript function: vectors in, a flat array out, for pages that compute on their own.

    function torques(q, qd, qdd) { const t9 = q[0] * q[1], …; return [t9, …]; }

Every value is computed once, in the order of the graph, on the 64-bit numbers that JavaScript has; sine and cosine
are the browser's. Stored numbers stand before the function. Nothing but constants and names made of letters and
digits reaches the text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from strobe.compiler.codegen.names import Names
from strobe.compiler.graph.program import Program
from strobe.scalars import Node, Stored

OPERATIONS: Mapping[str, str] = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "neg": "-{}",
    "less": "+({} < {})",
    "where": "{} !== 0 ? {} : {}",
    **{name: f"Math.{name}({{}})" for name in ("sin", "cos", "sqrt", "tanh", "abs", "floor")},
    **{name: f"Math.{name}({{}}, {{}})" for name in ("atan2", "min", "max")},
    "pick": "{1} === {1} ? {0}[{2} + Math.max(0, Math.min(Math.floor({1}), {0}.length - {3}))] : NaN",
}


def function(program: Program, name: str) -> str:
    """The text of a function ``name`` with one array per input; it returns the outputs in row-major order."""
    names = Names()
    arguments = {given.name: names.new(given.name) for given in program.inputs}
    arrays = {stored: f"{name}_{names.new(stored.name)}" for stored in program.stored}
    text = _texts(program, arguments, arrays)
    values: dict[Node, str] = {}
    steps: list[str] = []
    for node in program.nodes:
        values[node] = text[node.op](node) if node.op in text else f"t{len(steps)}"
        if node.op not in text:
            own = node.value if isinstance(node.value, tuple) else ()
            expression = OPERATIONS[node.op].format(*(values[a] for a in node.args), *own)
            steps.append(f"const {values[node]} = {expression};")
    results = ", ".join(values[node] for node in program.outputs)
    before = [f"const {array} = [{', '.join(map(number, x.values))}];" for x, array in arrays.items()]
    lines = [
        *before,
        f"function {name}({', '.join(arguments.values())}) {{",
        *steps,
        f"return [{results}];",
        "}",
    ]
    return "\n".join(lines) + "\n"


def number(value: float) -> str:
    """A constant with every digit; in parentheses if negative, so that no sign meets another."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "(-Infinity)"
    digits = repr(float(value)).removesuffix(".0")
    return f"({digits})" if digits.startswith("-") else digits


def _texts(
    program: Program, arguments: Mapping[str, str], arrays: Mapping[Stored, str]
) -> dict[str, Callable[[Node], str]]:
    """What stands for itself: constants, stored numbers, and entries of the arguments."""
    places = {
        f"{given.name}[{k}]": f"{arguments[given.name]}[{k}]"
        for given in program.inputs
        for k in range(given.size)
    }
    return {
        "constant": lambda node: number(float(node.value)),  # pyright: ignore[reportArgumentType]
        "stored": lambda node: arrays[node.value],  # pyright: ignore[reportArgumentType]
        "input": lambda node: places[str(node.value)],
    }
