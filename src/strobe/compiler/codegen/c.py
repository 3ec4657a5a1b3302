"""Programs as portable C99: one header, one source, functions without state.

A function allocates nothing, keeps nothing between calls and may run in any number of threads. It reads every
number it needs before it writes the first one, so the result may lie over an argument. Sines and cosines come from
our own kernel; the mathematics library is called only for square roots, arc tangents, hyperbolic tangents and
rounding down. Stored numbers are constants of the source. In single precision nothing is computed in double.

A fused function does what compiled code on a processor that fuses does, operation by operation: multiply-adds with
one rounding (`fma`), and its sines, cosines and arc tangents. Built without contractions of a compiler's own
(-ffp-contract=off) both give the same bits; only angles beyond 2²⁰, hyperbolic tangents and the signs of zeros may
differ.

Several functions of one precision share a header, a source and the helpers that they need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from strobe.compiler.codegen.c_statements import Statements
from strobe.compiler.codegen.constants import c_number as number
from strobe.compiler.codegen.names import Names, remarks
from strobe.compiler.graph.fuse import fuse
from strobe.compiler.graph.program import Program

__all__ = [
    "UNKNOWN", "Function", "Origin", "Parameter", "Statements", "block_comment", "guarded", "header", "number",
    "preamble", "source",
]  # fmt: skip

AXES = ("MATRICES", "ROWS", "COLUMNS")  # of a result with two or three


@dataclass(frozen=True)
class Parameter:
    """A vector argument of the function: its name in C, its size, and what it holds."""

    name: str
    size: int
    meaning: str  # in lines


@dataclass(frozen=True)
class Origin:
    """Where code comes from: what made it of which robot, in lines; sizes of the robot; a stamp of all that."""

    lines: tuple[str, ...] = ()
    prefix: str = ""  # of the robot's own macros
    sizes: Mapping[str, int] = field(default_factory=dict)
    stamp: str = ""  # the same for the same input, no date in it

    @property
    def made(self) -> tuple[str, ...]:
        """What made it, and the stamp."""
        return self.lines[:1]

    def macros(self, name: str) -> list[str]:
        """The stamp of a file by its stem, and the sizes of the robot."""
        if not self.stamp:
            return []
        sizes = (f"#define {self.prefix}_{key} {size}" for key, size in self.sizes.items())
        return [f'#define {name.upper()}_STAMP "{self.stamp}"', *sizes, ""]


UNKNOWN = Origin()


@dataclass(frozen=True)
class Function:
    """What is generated: a program under a name, in one precision, with its explanation."""

    name: str  # an identifier; also the stem of every file
    program: Program
    single: bool = False
    about: tuple[str, ...] = ()  # lines of its comment
    meanings: Mapping[str, str] | None = None  # of inputs and "out", by name, each in lines
    fused: bool = False  # the operations of compiled code, in double precision
    origin: Origin = UNKNOWN

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

    @property
    def macros(self) -> dict[str, int]:
        """The lengths of all arguments, and the axes of the result where it has several."""
        given = {f"{p.name}_size": p.size for p in self.parameters} | {"out_size": self.size}
        shape = self.program.shape
        axes = zip(AXES[-len(shape) :], shape, strict=False) if len(shape) > 1 else ()
        given |= {f"out_{axis}": size for axis, size in axes}
        return {f"{self.name}_{key}".upper(): size for key, size in given.items()}

    def declaration(self) -> str:
        """The prototype without its semicolon."""
        arguments = [f"const {self.real} {p.name}[{p.size}]" for p in self.parameters]
        return f"void {self.name}({', '.join([*arguments, f'{self.real} out[{self.size}]'])})"

    def explanation(self) -> list[str]:
        """What it computes, and what every number of its arguments is."""
        told, shape = self.meanings or {}, self.program.shape
        order = f"{' x '.join(map(str, shape))}, row by row\n" if len(shape) > 1 else ""
        out = Parameter("out", self.size, order + told.get("out", "the result"))
        lines = [*self.about, ""] if self.about else []
        for p, way in (*((p, "in") for p in self.parameters), (out, "out")):
            first, *rest = p.meaning.split("\n")
            lines += [f"{f'{p.name}[{p.size}]':<8} {way:<3}  {first}".rstrip(), *(f"    {x}" for x in rest)]
        return lines

    def remarks(self) -> list[str]:
        """What a reader of the code should know, in lines that are safe in any comment."""
        return remarks([*self.origin.lines, *([""] if self.origin.lines else ()), *self.explanation()])


def header(*functions: Function, name: str = "") -> str:
    """The .h file, for C and C++, of functions of one origin; ``name`` is its stem where there are several."""
    first = functions[0]
    promises = [*PROMISES, *(SINGLE_PROMISES if first.single else ())]
    body = first.origin.macros(name or first.name)
    for function in functions:
        body += block_comment(function.explanation())
        body += [f"#define {key} {size}" for key, size in function.macros.items()]
        body += [f"{function.declaration()};", ""]
    told = [*first.origin.lines, ""] if first.origin.lines else []
    return guarded(name or first.name, [*told, *promises], body[:-1])


def source(*functions: Function, name: str = "") -> str:
    """The .c file."""
    first = functions[0]
    needed: dict[str, str] = {}
    stored: list[str] = []  # arrays have names of the whole file
    bodies = [body_lines(function, needed, stored) for function in functions]
    lines = [
        *(block_comment(first.origin.made) if first.origin.made else ()),
        f'#include "{name or first.name}.h"',
        "",
        *preamble(first.fused, first.single),
        *needed.values(),
        *(line for body in bodies for line in (*body, "")),
    ]
    return "\n".join(lines)


def body_lines(function: Function, needed: dict[str, str], stored: list[str]) -> list[str]:
    """The lines of one function; what it needs before is added to what there is."""
    names, places = Names(stored), dict[str, str]()
    program = function.program
    for given, parameter in zip(program.inputs, function.parameters, strict=True):
        names.new(parameter.name)
        places |= {f"{given.name}[{k}]": f"{parameter.name}[{k}]" for k in range(given.size)}
    computed = fuse(program) if function.fused else program
    body = Statements(computed, places, names, needed, single=function.single, fused=function.fused)
    stored += body.stored
    unused = [
        f"(void){parameter.name};"
        for given, parameter in zip(program.inputs, function.parameters, strict=True)
        if given.name not in program.inputs_read
    ]
    stores = [f"out[{k}] = {value};" for k, value in enumerate(body.results())]
    count = f"{program.multiplications} multiplications, {program.additions} additions"
    return [
        *block_comment([*function.about[:1], count]),
        function.declaration(),
        "{",
        *(f"    {line}" for line in (*unused, *body.lines, *stores)),
        "}",
    ]


def preamble(fused: bool = False, single: bool = False) -> list[str]:
    """What statements need before anything else: headers, and compilers refused that compute otherwise."""
    headers = [f"#include <{name}>" for name in ("float.h", "math.h", "stdint.h")]
    guards = [*GUARDS, *(SINGLE_GUARDS if single else DOUBLE_GUARDS), *(FUSED_GUARDS if fused else ())]
    return [*headers, "", *guards, ""]


def guarded(name: str, about: Sequence[str], body: Sequence[str], includes: Sequence[str] = ()) -> str:
    """A header for C and C++, read once."""
    guard = f"{name.upper()}_H"
    lines = [
        *block_comment(about),
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        *([*includes, ""] if includes else []),
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        *body,
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def block_comment(lines: Sequence[str]) -> list[str]:
    """A comment of several lines, each made harmless; long ones go on below."""
    rows = [f" * {line}".rstrip() for line in remarks(lines)]
    return ["/*", *rows, " */"]


GUARDS = """\
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "compile without -ffast-math: infinities and what is not a number must be seen"
#endif""".splitlines()

DOUBLE_GUARDS = """\
#if FLT_RADIX != 2 || DBL_MANT_DIG != 53 || DBL_MAX_EXP != 1024
#error "double must be the 64-bit number of IEEE 754"
#endif""".splitlines()

SINGLE_GUARDS = """\
#if FLT_RADIX != 2 || FLT_MANT_DIG != 24 || FLT_MAX_EXP != 128
#error "float must be the 32-bit number of IEEE 754"
#endif""".splitlines()

FUSED_GUARDS = """\
#if FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2
#error "every operation must be rounded to double at once; on x86 compile with -msse2 -mfpmath=sse"
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif""".splitlines()

PROMISES = (
    "Units are SI, angles radians. Nothing is allocated or kept: any number of threads may call at once.",
    "All arguments are read before out is written, so out may lie over one of them.",
    "What is not a number, or an infinite angle, gives NaN where the result depends on it.",
)
SINGLE_PROMISES = (
    "Everything is computed in single precision, sines and cosines too: these are within one unit in",
    "the last place for every finite angle.",
)
