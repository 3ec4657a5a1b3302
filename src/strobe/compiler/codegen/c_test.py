"""The program that tests a generated function where it is built, and the Makefile that builds both.

The expected values are given: whoever generates the code computes them by another route.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from strobe.compiler.codegen.c import Function, block_comment, number

Rows = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Expected:
    """States by input name, one row each, and the results they must give."""

    states: Mapping[str, Rows]
    results: Rows
    scales: Sequence[float]  # what counts as large in each result
    tolerance: float  # largest difference allowed, as a part of the scale
    route: str  # how the results were computed


Tested = tuple[Function, Expected]


def self_test(*tested: Tested, name: str = "") -> str:
    """A C program that exits with 0 if every result is within its tolerance; ``name`` is the stem of the header."""
    first = tested[0][0]
    about = [
        f"Tests {', '.join(function.name for function, _ in tested)}.",
        "A result passes if no number is off by more than a part of the scale, which is the largest number",
        "of the result, or a thousandth of what is usual among all results where that is more.",
    ]
    calls = [f"    wrong += test_{function.name}();" for function, _ in tested]
    lines = [
        *block_comment(about),
        f'#include "{name or first.name}.h"',
        "",
        "#include <math.h>",
        "#include <stdio.h>",
        "",
        *(line for function, expected in tested for line in _checked(function, expected)),
        "int main(void)",
        "{",
        "    int wrong = 0;",
        *calls,
        "    return wrong ? 1 : 0;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _checked(function: Function, expected: Expected) -> list[str]:
    """A function of C that tells how many results of another one are wrong."""
    real, count = function.real, len(expected.results)
    tables: list[str] = []
    for given, parameter in zip(function.program.inputs, function.parameters, strict=True):
        declaration = f"{real} {parameter.name}[{count}][{parameter.size}]"
        tables += table(declaration, expected.states[given.name], partial(number, single=function.single))
    tables += table(f"double expected[{count}][{function.size}]", expected.results)
    tables += table(f"double scale[{count}]", [[scale] for scale in expected.scales], plain=True)
    arguments = ", ".join([*(f"{p.name}[i]" for p in function.parameters), "out"])
    told = f"{count} states. Expected: {expected.route}. Tolerance: {expected.tolerance:.1g}"
    body = CHECK.format(
        name=function.name,
        real=real,
        size=function.size,
        count=count,
        arguments=arguments,
        tolerance=f"{expected.tolerance:.0e}",
    )
    inner = [f"    {line}".rstrip() for line in tables if line]
    return [*block_comment([told]), f"static int test_{function.name}(void)", "{", *inner, body]


def table(
    declaration: str, rows: Rows, written: Callable[[float], str] = number, plain: bool = False
) -> list[str]:
    """A constant array, a row in a line; ``plain`` where it has one axis only."""
    texts = [", ".join(map(written, row)) for row in rows]
    body = [f"    {text}," if plain else f"    {{{text}}}," for text in texts]
    return [f"static const {declaration} = {{", *body, "};", ""]


def make_rules(name: str, exact: bool = False) -> str:
    """The Makefile of a source and its test, run by `make test`; exact, a compiler may fuse nothing by itself."""
    flags = (" -ffp-contract=off", "off") if exact else ("", "fast")
    return MAKEFILE.format(name=name, contract=flags[0], quick=flags[1])


CHECK = """\
    double worst = 0.0;
    int i, k, wrong = 0;
    for (i = 0; i < {count}; i++) {{
        {real} out[{size}];
        double difference = 0.0;
        {name}({arguments});
        for (k = 0; k < {size}; k++) {{
            const double d = fabs((double)out[k] - expected[i][k]) / scale[i];
            if (difference == difference && !(d <= difference)) /* once not a number, it stays so */
                difference = d;
        }}
        if (!(difference <= {tolerance})) {{
            printf("{name}, state %d: relative difference %.3g, allowed {tolerance}\\n", i, difference);
            wrong++;
        }}
        if (worst == worst && !(difference <= worst))
            worst = difference;
    }}
    printf("{name}: %d of {count} states wrong, largest relative difference %.2g\\n", wrong, worst);
    return wrong;
}}
"""

MAKEFILE = """\
# `make test` builds the code and its test, and runs it.
# For speed: make CFLAGS="-O3 -march=native -ffp-contract={quick}" test

CFLAGS ?= -O2 -std=c99 -Wall -Wextra -Wpedantic -Wconversion{contract}

.PHONY: all test clean

all: {name}.o

test: test_{name}
	./test_{name}

{name}.o: {name}.c {name}.h
	$(CC) $(CFLAGS) -c -o $@ {name}.c

test_{name}: test_{name}.c {name}.o
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ test_{name}.c {name}.o -lm

clean:
	rm -f {name}.o test_{name}
"""
