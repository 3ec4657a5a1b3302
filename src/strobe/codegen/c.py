"""A program as portable C99: one header, one source, one function without state.

The function allocates nothing, keeps nothing between calls and may run in any number of threads. It reads every
number it needs before it writes the first one, so the result may lie over an argument. Sines and cosines come from
our own kernel; the mathematics library is called only for square roots, arc tangents and hyperbolic tangents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from strobe.codegen.c_sincos import sincos_source
from strobe.codegen.constants import to_single
from strobe.codegen.names import Names, remark
from strobe.graph.program import Program
from strobe.scalars import Node

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


@dataclass(frozen=True)
class Parameter:
    """A vector argument of the function: its name in C, its size, and what it holds."""

    name: str
    size: int
    meaning: str


@dataclass(frozen=True)
class Function:
    """What is generated: a program under a name, in one precision, with its explanation."""

    name: str  # an identifier; also the stem of every file
    program: Program
    single: bool = False
    about: tuple[str, ...] = ()  # lines of the header's comment
    meanings: Mapping[str, str] | None = None  # of inputs and "out", by name

    @property
    def real(self) -> str:
        return "float" if self.single else "double"

    @property
    def size(self) -> int:
        """How many numbers the result has."""
        return prod(self.program.shape)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        names, told = Names(), self.meanings or {}
        return tuple(
            Parameter(names.new(i.name), i.size, told.get(i.name, "")) for i in self.program.inputs
        )

    def declaration(self) -> str:
        """The prototype without its semicolon."""
        arguments = [f"const {self.real} {p.name}[{p.size}]" for p in self.parameters]
        return f"void {self.name}({', '.join([*arguments, f'{self.real} out[{self.size}]'])})"

    def remarks(self) -> list[str]:
        """What a reader of the code should know, in lines that are safe in any comment."""
        told = self.meanings or {}
        shape = " x ".join(map(str, self.program.shape))
        width = max(len(p.name) for p in (*self.parameters, Parameter("out", 0, "")))
        rows = [f"{p.name:<{width}}  {p.size:>4}  {p.meaning}" for p in self.parameters]
        order = f": {shape}, row by row" if len(self.program.shape) > 1 else ""
        rows.append(f"{'out':<{width}}  {self.size:>4}  {told.get('out', 'the result')}{order}")
        return [remark(line) for line in (*self.about, "", *rows)]


def header(function: Function) -> str:
    """The .h file, for C and C++."""
    guard = f"{function.name.upper()}_H"
    lines = [
        *block_comment([*function.remarks(), "", *PROMISES]),
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        f"{function.declaration()};",
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def source(function: Function) -> str:
    """The .c file."""
    body = _Body(function)
    program = function.program
    count = f"{program.multiplications} multiplications, {program.additions} additions"
    lines = [
        *block_comment([*function.about[:1], count]),
        f'#include "{function.name}.h"',
        "",
        *(f"#include <{name}>" for name in ("float.h", "math.h", "stdint.h", "string.h")),
        "",
        *GUARDS,
        "",
        *body.helpers,
        function.declaration(),
        "{",
        *(f"    {line}" for line in body.lines),
        "}",
    ]
    return "\n".join(lines) + "\n"


def block_comment(lines: Sequence[str]) -> list[str]:
    """A comment of several lines, each made harmless."""
    rows = [f" * {remark(line)}".rstrip() for line in lines]
    return ["/*", *rows, " */"]


def number(value: float, single: bool = False) -> str:
    """A constant with every digit that matters; in parentheses if negative."""
    if single:
        value = to_single(value)
    real = "float" if single else "double"
    if math.isnan(value):
        return f"({real})NAN"
    if math.isinf(value):
        return f"({real})INFINITY" if value > 0 else f"(-({real})INFINITY)"
    digits = f"{_shortest(value)}f" if single else repr(value)
    return f"({digits})" if digits.startswith("-") else digits


def _shortest(value: float) -> str:
    """The fewest digits that read back as the same number of single precision."""
    texts = (f"{value:.{digits}g}" for digits in range(1, 18))
    text = next(text for text in texts if to_single(float(text)) == value)
    return text if any(sign in text for sign in ".e") else f"{text}.0"


class _Body:
    """The statements of a function: angles first met are turned at once, single-use products stand in their sums."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.real = function.real
        self.lines: list[str] = []
        self.helpers: list[str] = []
        self._names = Names()
        self._values: dict[Node, str] = {}
        self._circles: dict[Node, tuple[str, str]] = {}
        self._needed: dict[str, str] = {}
        self._load()
        for node in function.program.nodes:
            if node not in self._values:
                self._compute(node)
        stores = [self._values[node] for node in function.program.outputs]
        self.lines += [f"out[{k}] = {value};" for k, value in enumerate(stores)]
        self.helpers += self._needed.values()

    def _load(self) -> None:
        used = {str(node.value): node for node in self.function.program.nodes if node.op == "input"}
        for parameter in self.function.parameters:
            self._names.new(parameter.name)
        for given, parameter in zip(self.function.program.inputs, self.function.parameters, strict=True):
            found = [k for k in range(given.size) if f"{given.name}[{k}]" in used]
            if not found:
                self.lines.append(f"(void){parameter.name};")
            for k in found:
                self._values[used[f"{given.name}[{k}]"]] = self._keep(
                    f"{parameter.name}[{k}]", f"{parameter.name}_{k}"
                )

    def _keep(self, expression: str, name: str) -> str:
        name = self._names.new(name)
        self.lines.append(f"const {self.real} {name} = {expression};")
        return name

    def _compute(self, node: Node) -> None:
        if node.op == "constant":
            self._values[node] = number(float(node.value), self.function.single)  # pyright: ignore[reportArgumentType]
            return
        if node.op in ("sin", "cos"):
            self._values[node] = self._circle(node.args[0])[node.op == "cos"]
            return
        expression = self._expression(node)
        inline = node.op in ("mul", "neg") and self._used_once_in_a_sum(node)
        self._values[node] = f"({expression})" if inline else self._keep(expression, f"t{node.index}")

    def _used_once_in_a_sum(self, node: Node) -> bool:
        return self.function.program.uses[node] == 1 and node in self._terms

    @cached_property
    def _terms(self) -> set[Node]:
        nodes = self.function.program.nodes
        return {arg for node in nodes if node.op in ("add", "sub") for arg in node.args}

    def _circle(self, angle: Node) -> tuple[str, str]:
        if angle not in self._circles:
            self._need("circle", sincos_source(self.real))
            pair = self._names.new(f"s{angle.index}"), self._names.new(f"c{angle.index}")
            self.lines.append(f"{self.real} {pair[0]}, {pair[1]};")
            self.lines.append(f"sine_cosine({self._values[angle]}, &{pair[0]}, &{pair[1]});")
            self._circles[angle] = pair
        return self._circles[angle]

    def _need(self, name: str, text: str) -> None:
        self._needed.setdefault(name, text)

    def _expression(self, node: Node) -> str:
        args = [self._values[a] for a in node.args]
        if node.op in INFIX:
            return f"{args[0]} {INFIX[node.op]} {args[1]}"
        if node.op in HELPERS:
            self._need(node.op, HELPERS[node.op].format(real=self.real))
        return FUNCTIONS[node.op](self.function.single, *args)


def _library(name: str) -> Callable[..., str]:
    """A function of the mathematics library, which has an f at its end for single precision."""
    return lambda single, *args: f"{name}{'f' if single else ''}({', '.join(args)})"


def _truth(single: bool, x: str, y: str) -> str:
    return f"({x} < {y}) ? {number(1.0, single)} : {number(0.0, single)}"


FUNCTIONS: dict[str, Callable[..., str]] = {
    "neg": lambda single, x: f"-{x}",
    "sqrt": _library("sqrt"),
    "tanh": _library("tanh"),
    "atan2": _library("atan2"),
    "abs": _library("fabs"),
    "min": lambda single, x, y: f"smaller({x}, {y})",
    "max": lambda single, x, y: f"larger({x}, {y})",
    "less": _truth,
    "where": lambda single, condition, x, y: f"({condition} != {number(0.0, single)}) ? {x} : {y}",
}

HELPERS = {  # unlike fmin and fmax: what is not a number stays so
    "min": """\
static inline {real} smaller({real} x, {real} y)
{{
    return (x < y || x != x) ? x : y;
}}
""",
    "max": """\
static inline {real} larger({real} x, {real} y)
{{
    return (x > y || x != x) ? x : y;
}}
""",
}

GUARDS = """\
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "compile without -ffast-math: infinities and what is not a number must be seen"
#endif
#if FLT_RADIX != 2 || DBL_MANT_DIG != 53 || DBL_MAX_EXP != 1024
#error "double must be the 64-bit number of IEEE 754"
#endif""".splitlines()

PROMISES = (
    "Units are SI, angles radians. Nothing is allocated or kept: any number of threads may call it.",
    "All arguments are read before out is written, so out may lie over one of them.",
    "What is not a number, or an infinite angle, gives NaN where the result depends on it.",
)
