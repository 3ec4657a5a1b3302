"""A program as one JavaScript function: vectors in, a flat array out, for pages that compute on their own.

    function torques(q, qd, qdd) { const t9 = q[0] * q[1], …; return [t9, …]; }

Every value is computed once, in the order of the graph, on the 64-bit numbers that JavaScript has; sine and cosine
are the browser's. Stored numbers stand before the function. Nothing but constants and names made of letters and
digits reaches the text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from strobe.compiler.codegen.names import Names
from strobe.compiler.codegen.walk import NUMBER, Walk
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
    "row": "Math.max(0, Math.min(Math.floor({}), {}))",
    "pick": "{3} === {3} ? {0}[{2} + {1}] : NaN",
}


def function(program: Program, name: str) -> str:
    """The text of a function ``name`` with one array per input; it returns the outputs in row-major order."""
    body = _Script(program, name)
    results = ", ".join(body.results())
    before = [f"const {array} = [{', '.join(map(number, x.values))}];" for x, array in body.arrays.items()]
    head = f"function {name}({', '.join(body.arguments.values())}) {{"
    return "\n".join([*before, head, *body.lines, f"return [{results}];", "}"]) + "\n"


class _Script(Walk[str]):
    language, table = "JavaScript", OPERATIONS

    def __init__(self, program: Program, name: str) -> None:
        super().__init__(program)
        names = Names()
        self.lines: list[str] = []
        self.arguments = {given.name: names.new(given.name) for given in program.inputs}
        self.arrays = {stored: f"{name}_{names.new(stored.name)}" for stored in program.stored}

    def number(self, value: float) -> str:
        return number(value)

    def read(self, entry: str) -> str:
        name, _, place = entry.rpartition("[")
        return f"{self.arguments[name]}[{place}"

    def written(self, op: str, *args: object) -> str:
        return OPERATIONS[op].format(*args)

    def keep(self, node: Node, value: str, kind: str = NUMBER) -> str:
        if node.op == "input":
            return value
        name = f"t{len(self.lines)}"
        self.lines.append(f"const {name} = {value};")
        return name

    def array(self, stored: Stored) -> str:
        return self.arrays[stored]


def number(value: float) -> str:
    """A constant with every digit; in parentheses if negative, so that no sign meets another."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "(-Infinity)"
    digits = repr(float(value)).removesuffix(".0")
    return f"({digits})" if digits.startswith("-") else digits
