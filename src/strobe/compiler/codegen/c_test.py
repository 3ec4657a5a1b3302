"""Programs of C that test generated code where it is built, and the Makefile that builds both: one writer for all.

A test is rows of numbers in tables, what is done with each row, and what is said. The expected values are given:
whoever generates the code computes them by another route.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from strobe.compiler.codegen.c import Function, block_comment, number

Rows = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Check:
    """The test of one function. Texts of C, in which i is the row, and ``worst`` and ``wrong`` are for all rows."""

    name: str
    count: int  # of rows
    tables: Sequence[str]  # lines, of `table`
    each: str  # what is done with a row; it says whether that is ``good``
    told: str  # arguments of printf, of a row that is not good
    summary: str  # and of all
    about: str = ""
    before: str = ""  # all rows
    after: str = ""

    def lines(self) -> list[str]:
        """A function of C that tells how many rows are wrong."""
        return [
            *(block_comment([self.about]) if self.about else ()),
            f"static int test_{self.name}(void)",
            "{",
            *(f"    {line}" for line in self.tables if line),
            "    double worst = 0.0;",
            "    int i, wrong = 0;",
            *_inside(self.before),
            f"    for (i = 0; i < {self.count}; i++) {{",
            "        int good = 1;",
            *_inside(self.each, 2),
            "        if (!good)",
            f"            printf({self.told});",
            "        wrong += !good;",
            "    }",
            *_inside(self.after),
            f"    printf({self.summary});",
            "    return wrong;",
            "}",
            "",
        ]


def _inside(text: str, deep: int = 1) -> list[str]:
    return [f"{'    ' * deep}{line}" for line in text.splitlines()]


def check_program(header: str, about: Sequence[str], checks: Sequence[Check], helpers: str = "") -> str:
    """A C program that exits with 0 if no row of any check is wrong; ``header`` is the stem of what it includes."""
    lines = [
        *block_comment(about),
        f'#include "{header}.h"',
        "",
        "#include <math.h>",
        "#include <stdio.h>",
        "",
        *([helpers] if helpers else ()),
        *(line for check in checks for line in check.lines()),
        "int main(void)",
        "{",
        "    int wrong = 0;",
        *(f"    wrong += test_{check.name}();" for check in checks),
        "    return wrong ? 1 : 0;",
        "}",
    ]
    return "\n".join(lines) + "\n"


FURTHER = """\
/* the largest difference so far, as a part of what counts as large; once it is not a number, it stays so */
static double further(double worst, const double *found, const double *expected, int size, double scale)
{
    for (int k = 0; k < size; k++) {
        const double d = fabs(found[k] - expected[k]) / scale;
        if (worst == worst && !(d <= worst))
            worst = d;
    }
    return worst;
}
"""


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
    """A test of functions whose results must be within a tolerance; ``name`` is the stem of the header."""
    about = [
        f"Tests {', '.join(function.name for function, _ in tested)}.",
        "A result passes if no number is off by more than a part of the scale, which is the largest number",
        "of the result, or a thousandth of what is usual among all results where that is more.",
    ]
    return check_program(name or tested[0][0].name, about, [_check(*each) for each in tested], FURTHER)


def _check(function: Function, expected: Expected) -> Check:
    name, count, size = function.name, len(expected.results), function.size
    tables: list[str] = []
    for given, parameter in zip(function.program.inputs, function.parameters, strict=True):
        declaration = f"{function.real} {parameter.name}[{count}][{parameter.size}]"
        tables += table(declaration, expected.states[given.name], partial(number, single=function.single))
    tables += table(f"double expected[{count}][{size}]", expected.results)
    tables += table(f"double scale[{count}]", [[scale] for scale in expected.scales], plain=True)
    tolerance = f"{expected.tolerance:.0e}"
    words = {"real": function.real, "name": name, "size": size, "tolerance": tolerance}
    arguments = ", ".join([*(f"{p.name}[i]" for p in function.parameters), "out"])
    return Check(
        name,
        count,
        tables,
        EACH.format(arguments=arguments, **words),
        f'"{name}, state %d: relative difference %.3g, allowed {tolerance}\\n", i, difference',
        f'"{name}: %d of {count} states wrong, largest relative difference %.2g\\n", wrong, worst',
        f"{count} states. Expected: {expected.route}. Tolerance: {expected.tolerance:.1g}",
    )


EACH = """\
{real} out[{size}];
double found[{size}], difference;
{name}({arguments});
for (int k = 0; k < {size}; k++)
    found[k] = (double)out[k];
difference = further(0.0, found, expected[i], {size}, scale[i]);
good = difference <= {tolerance};
if (worst == worst && !(difference <= worst))
    worst = difference;"""


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
