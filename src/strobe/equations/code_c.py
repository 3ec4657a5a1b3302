"""The equations of motion as C99: a header, a source, a test and a Makefile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

from strobe.compiler.codegen.c import guarded, number
from strobe.compiler.codegen.c_test import FURTHER, Check, check_program, make_rules, table
from strobe.compiler.codegen.names import identifier
from strobe.equations.code import (
    GIVES,
    MEANINGS,
    READS,
    SINGLE,
    TOLERANCE,
    Cases,
    CodeWriter,
    Routine,
    Sheet,
    identifiers,
    with_remarks,
)
from strobe.equations.expression import Expression

RESERVED = (
    "q", "qd", "qdd", "p", "M", "C", "G", "tau",
    "cos", "sin", "fabs", "exp", "log", "j0", "j1", "y0", "y1", "jn", "yn",
)  # fmt: skip
MATRICES = ("M", "C")


def sources(sheet: Sheet, cases: Cases, stem: str = "") -> dict[str, str]:
    """Every file by its name; ``stem`` is that of the source, in the place of one from the robot's name."""
    code = _Code(sheet, cases, stem)
    return {
        f"{code.stem}.h": code.header(),
        f"{code.stem}.c": "\n".join(code.source()) + "\n",
        f"test_{code.stem}.c": code.test(),
        "Makefile": make_rules(code.stem),
    }


class _Code:
    def __init__(self, sheet: Sheet, cases: Cases, stem: str) -> None:
        self.sheet = sheet
        self.cases = cases
        self.n = sheet.equations.n
        self.prefix = f"strobe_{identifier(sheet.equations.name)}{sheet.suffix}"
        self.stem = stem or f"{self.prefix}_equations"
        self.names = identifiers(sheet.equations, RESERVED)
        self.writer = CodeWriter(self.names)

    @property
    def functions(self) -> list[str]:
        return [*(routine.name for routine in self.sheet.routines), *self.sheet.composed]

    # -- the header ---------------------------------------------------------------------------------

    def header(self) -> str:
        *declared, _ = [*self._struct(), *self._prototypes()]
        return guarded(identifier(self.stem), [*self.sheet.remarks, "", *PROMISES], declared)

    def _prototypes(self) -> Iterator[str]:
        for name in self.functions:
            yield from (f"/* {MEANINGS[name]} */", f"{self._declaration(name)};", "")

    def _struct(self) -> Iterator[str]:
        if not self.sheet.parameters:
            return
        yield "typedef struct {"
        for name in self.sheet.parameters:
            yield f"    double {self.names[name]}; /* {self.sheet.place(name)} */"
        yield from (f"}} {self.prefix}_parameters;", "")
        yield f"/* the values of {identifier(self.sheet.equations.name)} */"
        yield from (f"extern const {self.prefix}_parameters {self.prefix}_defaults;", "")

    def _declaration(self, name: str) -> str:
        arguments = [f"const {self.prefix}_parameters *p"] if self.sheet.parameters else []
        arguments += [f"const double {letter}[{self.n}]" for letter in READS[name]]
        arguments += [f"double {letter}{self._size(letter)}" for letter in GIVES[name]]
        return f"void {self.prefix}_{name}({', '.join(arguments)})"

    def _size(self, letter: str) -> str:
        return f"[{self.n}][{self.n}]" if letter in MATRICES else f"[{self.n}]"

    # -- the source ---------------------------------------------------------------------------------

    def source(self) -> Iterator[str]:
        yield from (f'#include "{self.stem}.h"', "", "#include <math.h>", "")
        if self.sheet.parameters:
            yield f"const {self.prefix}_parameters {self.prefix}_defaults = {{"
            yield from (
                f"    {number(value)}, /* {self.names[x]} */" for x, value in self.sheet.parameters.items()
            )
            yield from ("};", "")
        for routine in self.sheet.routines:
            yield from self._function(routine.name, self._body(routine))
        for name in self.sheet.composed:
            torques = name == "inverse_dynamics"
            yield from self._function(name, self._inverse_dynamics() if torques else self._from_all(name))

    def _function(self, name: str, body: Iterator[str]) -> Iterator[str]:
        yield from (self._declaration(name), "{")
        yield from (f"    {line}".rstrip() for line in body)
        yield from ("}", "")

    def _body(self, routine: Routine) -> Iterator[str]:
        yield from self._loads(routine)
        for remarks, step in with_remarks(routine.steps):
            yield from (f"/* {line} */" if line else "" for line in remarks)
            yield from self._statement(f"const double {self.names[step.name]}", step.expression)
        yield ""
        for letter, quantity in routine.results.items():
            for i, row in enumerate(quantity):
                if isinstance(row, list):
                    for j, x in enumerate(row):
                        yield from self._entry(letter, i, j, x)
                else:
                    yield from self._statement(f"{letter}[{i}]", row)

    def _entry(self, letter: str, i: int, j: int, x: Expression) -> Iterator[str]:
        """An entry of a matrix; M is symmetric."""
        if letter == "M" and j < i:
            yield f"M[{i}][{j}] = M[{j}][{i}];"
        else:
            yield from self._statement(f"{letter}[{i}][{j}]", x)

    def _statement(self, left: str, x: Expression) -> Iterator[str]:
        first, *others = self.writer.lines(x)
        yield f"{left} = {first}" + ("" if others else ";")
        for k, line in enumerate(others):
            yield f"    {line.strip()}" + (";" if k == len(others) - 1 else "")

    def _loads(self, routine: Routine) -> Iterator[str]:
        used = routine.names
        if self.sheet.parameters and used.isdisjoint(self.sheet.parameters):
            yield "(void)p;"
        for name in self.sheet.parameters:
            if name in used:
                yield f"const double {self.names[name]} = p->{self.names[name]};"
        for letter in READS[routine.name]:
            found = [k for k in range(self.n) if f"{letter}{k + 1}" in used]
            if not found:
                yield f"(void){letter};"
            yield from (f"const double {self.names[f'{letter}{k + 1}']} = {letter}[{k}];" for k in found)

    # -- functions that call others -----------------------------------------------------------------

    def _call(self, name: str, *arguments: str) -> str:
        given = (["p"] if self.sheet.parameters else []) + list(arguments)
        return f"{self.prefix}_{name}({', '.join(given)});"

    def _from_all(self, name: str) -> Iterator[str]:
        """One of the three quantities, out of all."""
        moving = "qd" in READS[name]
        (wanted,) = GIVES[name]
        if not moving:
            yield f"const double qd[{self.n}] = {{0.0}};"
        yield from (f"double {x}{self._size(x)};" for x in GIVES["dynamics"] if x != wanted)
        yield self._call("dynamics", "q", "qd", *GIVES["dynamics"])

    def _inverse_dynamics(self) -> Iterator[str]:
        yield f"double M[{self.n}][{self.n}], C[{self.n}][{self.n}], G[{self.n}];"
        yield "int i, j;"
        if self.sheet.apart:
            yield from (self._call(name, *READS[name], *GIVES[name]) for name in SINGLE)
        else:
            yield self._call("dynamics", "q", "qd", *GIVES["dynamics"])
        yield f"for (i = 0; i < {self.n}; i++) {{"
        yield "    double sum = G[i];"
        yield f"    for (j = 0; j < {self.n}; j++)"
        yield "        sum += M[i][j] * qdd[j] + C[i][j] * qd[j];"
        yield from ("    G[i] = sum;", "}")
        yield from (f"for (i = 0; i < {self.n}; i++)", "    tau[i] = G[i];")

    # -- the test -----------------------------------------------------------------------------------

    def test(self) -> str:
        count, scales = len(self.cases.cases), self.cases.scales
        about = [
            f"Tests the equations of {self.sheet.equations.name} at {count} states.",
            f"Expected: values that the formulation {self.cases.method} gave when this file was written.",
            f"Build: cc -std=c99 -o test_{self.stem} test_{self.stem}.c {self.stem}.c -lm",
        ]
        tables: list[str] = []
        for item in fields(self.cases.cases[0]):
            rows = [_flat(getattr(case, item.name)) for case in self.cases.cases]
            tables += table(f"double {item.name}_[{count}][{len(rows[0])}]", rows)
        if self.cases.allowed:
            tables += table(f"double allowed[{self.n}]", [[x] for x in self.cases.allowed], plain=True)
        found = ", ".join(f"{letter}{self._size(letter)}" for letter in scales)
        check = Check(
            self.prefix,
            count,
            tables,
            "\n".join(
                [
                    f"double {found};",
                    *map(self._tested, scales),
                    *map(self._compared, scales),
                    f"good = worst <= {TOLERANCE:.0e};",
                    *([BEYOND.format(n=self.n)] if self.cases.allowed else ()),
                ]
            ),
            f'"state %d: relative difference %.1e, allowed {TOLERANCE:.0e}\\n", i, worst',
            f'"{self.prefix}: {count} states, largest relative difference %.1e\\n", worst',
        )
        return check_program(self.stem, about, [check], FURTHER)

    def _tested(self, letter: str) -> str:
        """The call that gives one of the results."""
        name = next(name for name, gives in GIVES.items() if gives == (letter,))
        defaults = [f"&{self.prefix}_defaults"] if self.sheet.parameters else []
        arguments = [*defaults, *(f"{x}_[i]" for x in READS[name]), letter]
        return f"{self.prefix}_{name}({', '.join(arguments)});"

    def _compared(self, letter: str) -> str:
        first, size = (f"&{letter}[0][0]", self.n**2) if letter in MATRICES else (letter, self.n)
        return (
            f"worst = further(worst, {first}, {letter}_[i], {size}, {number(self.cases.scales[letter])});"
        )


def _flat(values: Sequence) -> list[float]:
    return [x for row in values for x in row] if isinstance(values[0], list) else list(values)


PROMISES = (
    "Nothing is allocated or kept: any number of threads may call these functions. Results are written",
    "after all arguments are read.",
)

BEYOND = """\
for (int k = 0; k < {n}; k++)
    if (!(fabs(tau[k] - exact_[i][k]) <= allowed[k])) {{
        printf("torque %d is %.3g off, allowed are %.3g\\n", k + 1, fabs(tau[k] - exact_[i][k]), allowed[k]);
        good = 0;
    }}"""
