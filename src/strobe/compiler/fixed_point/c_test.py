"""The program that tests fixed point where it is built: words bit by bit, numbers by their bounds.

The expected values are given: whoever generates the code computes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from strobe.compiler.codegen.c_test import Check, check_program, make_rules, table
from strobe.compiler.fixed_point.c_source import FixedFunction, conversions, header, source


@dataclass(frozen=True)
class Expected:
    """Words by input, one row a state, with the words, return codes and exact numbers that they must give."""

    states: Mapping[str, Sequence[Sequence[int]]]
    words: Sequence[Sequence[int]]
    codes: Sequence[int]
    exact: Sequence[Sequence[float]]  # of the states as they are clamped
    route: str  # how the exact numbers were computed


def files(function: FixedFunction, expected: Expected) -> dict[str, str]:
    """Every file by its name."""
    name = function.name
    return {
        f"{name}.h": header(function),
        f"{name}.c": source(function),
        f"{name}_convert.h": conversions(function),
        f"test_{name}.c": self_test(function, expected),
        "Makefile": make_rules(name),
    }


def self_test(function: FixedFunction, expected: Expected) -> str:
    """A C program that exits with 0 if every word is as it must be, and every number within its bound."""
    count, size, word = len(expected.words), function.size, function.word
    tables: list[str] = []
    for entry, parameter in zip(function.plan.program.inputs, function.parameters, strict=True):
        declaration = f"{word} {parameter.name}[{count}][{parameter.size}]"
        tables += table(declaration, expected.states[entry.name], str)
    tables += table(f"{word} expected[{count}][{size}]", expected.words, str)
    tables += table(f"int codes[{count}][1]", [[code] for code in expected.codes], str)
    tables += table(f"double exact[{count}][{size}]", expected.exact)
    tables += table(f"double bound[1][{size}]", [function.plan.arithmetic_bounds])
    arguments = ", ".join([*(f"{p.name}[i]" for p in function.parameters), "out"])
    about = [
        f"Tests {function.name} on {count} states: words bit by bit, as they were",
        "computed where the code was written, and numbers within their bounds of the exact ones,",
        f"{expected.route}.",
    ]
    name = function.name
    check = Check(
        name,
        count,
        tables,
        EACH.format(name=name, word=word, size=size, arguments=arguments),
        '"state %d is wrong\\n", i',
        f'"{name}: %d of {count} states wrong, largest error %.2g of its bound\\n", wrong, worst',
    )
    return check_program(f"{name}_convert", about, [check])


EACH = """\
{word} out[{size}];
double results[{size}];
good = {name}({arguments}) == codes[i][0];
{name}_out_from_words(out, results);
for (int k = 0; k < {size}; k++) {{
    const double d = fabs(results[k] - exact[i][k]);
    good = good && out[k] == expected[i][k] && d <= bound[0][k] + 1e-12 * fabs(exact[i][k]);
    if (bound[0][k] > 0.0 && d > worst * bound[0][k])
        worst = d / bound[0][k];
}}"""
