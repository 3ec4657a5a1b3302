"""The program that tests a generated function where it is built, and the Makefile that builds both.

The expected values are given: whoever generates the code computes them by another route.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from strobe.codegen.c import Function, block_comment, number

Rows = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Expected:
    """States by input name, one row each, and the results they must give."""

    states: Mapping[str, Rows]
    results: Rows
    scales: Sequence[float]  # what counts as large in each result
    tolerance: float  # largest difference allowed, as a part of the scale
    route: str  # how the results were computed


def self_test(function: Function, expected: Expected) -> str:
    """A C program that exits with 0 if every result is within the tolerance."""
    single, real, count = function.single, function.real, len(expected.results)
    tables: list[str] = []
    for given, parameter in zip(function.program.inputs, function.parameters, strict=True):
        declaration = f"{real} {parameter.name}[{count}][{parameter.size}]"
        tables += table(declaration, expected.states[given.name], partial(number, single=single))
    tables += table(f"double expected[{count}][{function.size}]", expected.results)
    tables += table(f"double scale[{count}]", [[scale] for scale in expected.scales], plain=True)
    arguments = ", ".join(f"{p.name}[i]" for p in function.parameters)
    about = [
        f"Tests {function.name} on {count} states.",
        f"Expected: {expected.route}.",
        f"Tolerance: {expected.tolerance:.1g} of the scale, which is the largest number of the result,",
        "or a thousandth of what is usual among all results where that is more.",
    ]
    lines = [
        *block_comment(about),
        f'#include "{function.name}.h"',
        "",
        "#include <math.h>",
        "#include <stdio.h>",
        "",
        *tables,
        MAIN.format(
            name=function.name,
            real=real,
            size=function.size,
            count=count,
            arguments=f"{arguments}, out" if arguments else "out",
            tolerance=f"{expected.tolerance:.0e}",
        ),
    ]
    return "\n".join(lines)


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


MAIN = """\
int main(void)
{{
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
            printf("state %d: relative difference %.3g, allowed {tolerance}\\n", i, difference);
            wrong++;
        }}
        if (worst == worst && !(difference <= worst))
            worst = difference;
    }}
    printf("{name}: %d of {count} states wrong, largest relative difference %.2g\\n", wrong, worst);
    return wrong ? 1 : 0;
}}
"""

MAKEFILE = """\
# `make test` builds the function and its test, and runs it.
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
