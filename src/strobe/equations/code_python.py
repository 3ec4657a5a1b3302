"""The equations of motion as one Python module that needs the standard library only."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from strobe.compiler.codegen.names import remark
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
    *keyword.kwlist, "q", "qd", "qdd", "p", "M", "C", "G", "tau", "N", "math", "sys", "Parameters", "DEFAULTS",
    "CASES", "TOLERANCE", "SCALES", "ALLOWED", "dataclass", *READS,
)  # fmt: skip
TOGETHER = 7  # names that one line takes out of a vector


def source(sheet: Sheet, cases: Cases) -> str:
    """The text of the module."""
    return "\n".join(_Module(sheet, cases).lines()) + "\n"


class _Module:
    def __init__(self, sheet: Sheet, cases: Cases) -> None:
        self.sheet = sheet
        self.cases = cases
        self.equations = sheet.equations
        self.named = bool(sheet.parameters)
        self.names = identifiers(self.equations, RESERVED)
        self.writer = CodeWriter(self.names, "math.")

    def lines(self) -> Iterator[str]:
        yield '"""' + remark(self.sheet.remarks[0])
        yield from (remark(line) for line in self.sheet.remarks[1:])
        yield "Run this file to test it."
        yield '"""'
        yield from ("", "import math", "import sys")
        if self.named:
            yield from ("from dataclasses import dataclass", *self._parameters())
        yield from ("", f"N = {self.equations.n}  # degrees of freedom")
        for routine in self.sheet.routines:
            yield from ("", "", *self._routine(routine))
        for name in self.sheet.composed:
            yield from ("", "", *self._composed(name))
        yield from ("", "", *self._test())

    # -- parameters ---------------------------------------------------------------------------------

    def _parameters(self) -> Iterator[str]:
        yield from ("", "", "@dataclass(frozen=True)", "class Parameters:")
        yield f'    """The constants of the robot, with the values of {remark(self.equations.name)}."""'
        yield ""
        for name, value in self.sheet.parameters.items():
            yield f"    {self.names[name]}: float = {value!r}  # {self.sheet.place(name)}"
        yield from ("", "", "DEFAULTS = Parameters()")

    def _signature(self, *reads: str) -> str:
        return ", ".join([*reads, *(["p=DEFAULTS"] if self.named else [])])

    # -- functions ----------------------------------------------------------------------------------

    def _routine(self, routine: Routine) -> Iterator[str]:
        yield f"def {routine.name}({self._signature(*READS[routine.name])}):"
        yield f'    """{MEANINGS[routine.name]}"""'
        yield from (f"    {line}".rstrip() for line in self._body(routine))
        yield f"    return {', '.join(routine.results)}"

    def _body(self, routine: Routine) -> Iterator[str]:
        yield from self._loads(routine)
        for remarks, step in with_remarks(routine.steps):
            yield from (f"# {line}" if line else "" for line in remarks)
            yield from self._assigned(self.names[step.name], step.expression)
        yield ""
        for letter, quantity in routine.results.items():
            yield from self._array(letter, quantity)

    def _loads(self, routine: Routine) -> Iterator[str]:
        """The parts of vectors and parameters that are used."""
        used, n = routine.names, range(self.equations.n)
        vectors = [[(f"{x}{k + 1}", f"{x}[{k}]") for k in n] for x in READS[routine.name]]
        parameters = [(x, f"p.{self.names[x]}") for x in self.sheet.parameters]
        for group in (*vectors, parameters):
            pairs = [(self.names[name], value) for name, value in group if name in used]
            for some in (pairs[k : k + TOGETHER] for k in range(0, len(pairs), TOGETHER)):
                yield f"{', '.join(name for name, _ in some)} = {', '.join(value for _, value in some)}"

    def _assigned(self, name: str, x: Expression) -> Iterator[str]:
        parts = self.writer.lines(x)
        if len(parts) == 1:
            yield f"{name} = {parts[0]}"
        else:
            yield from (f"{name} = (", *(f"    {part.strip()}" for part in parts), ")")

    def _array(self, letter: str, quantity: Sequence[Any]) -> Iterator[str]:
        yield f"{letter} = ["
        for row in quantity:
            if not isinstance(row, list):
                yield f"    {self.writer.write(row)},"
            else:
                yield f"    [{', '.join(map(self.writer.write, row))}],"
        yield "]"

    def _composed(self, name: str) -> Iterator[str]:
        """A function that calls those above."""
        tail = ", p" if self.named else ""
        yield f"def {name}({self._signature(*READS[name])}):"
        yield f'    """{MEANINGS[name]}"""'
        if name != "inverse_dynamics":
            rates = "qd" if "qd" in READS[name] else "[0.0] * N"
            yield f"    return dynamics(q, {rates}{tail})[{SINGLE.index(name)}]"
            return
        if self.sheet.apart:
            yield f"    M, C, G = mass_matrix(q{tail}), coriolis_matrix(q, qd{tail}), gravity(q{tail})"
        else:
            yield f"    M, C, G = dynamics(q, qd{tail})"
        yield "    return [G[i] + sum(M[i][j] * qdd[j] + C[i][j] * qd[j] for j in range(N)) for i in range(N)]"

    # -- the test -----------------------------------------------------------------------------------

    def _test(self) -> Iterator[str]:
        yield f"# States and what they must give, computed by the formulation {self.cases.method}."
        yield f"TOLERANCE = {TOLERANCE!r}  # of what counts as large in each result"
        yield f"SCALES = {dict(self.cases.scales)!r}"
        yield "CASES = ["
        for case in self.cases.cases:
            yield "    {"
            for item in fields(case):
                yield f'        "{item.name}": {getattr(case, item.name)!r},'
            yield "    },"
        yield "]"
        if self.cases.allowed:
            yield f"ALLOWED = {list(self.cases.allowed)!r}  # difference to the exact torques, joint by joint"
        results = {GIVES[name]: name for name in READS}
        calls = [
            f'            "{x}": {results[x,]}({", ".join(READS[results[x,]])}),' for x in self.cases.scales
        ]
        beyond = BEYOND if self.cases.allowed else ""
        yield TEST.format(name=remark(self.equations.name), calls="\n".join(calls), beyond=beyond)


BEYOND = """\
        for joint, (a, b, most) in enumerate(zip(found["tau"], case["exact"], ALLOWED)):
            if not abs(a - b) <= most:
                print(f"torque {joint + 1} is {abs(a - b):.3g} off, allowed are {most:.3g}")
                return False
"""

TEST = """

def _flat(values):
    return [x for value in values for x in _flat(value)] if isinstance(values, list) else [values]


def _test():
    worst = 0.0
    for case in CASES:
        q, qd, qdd = case["q"], case["qd"], case["qdd"]
        found = {{
{calls}
        }}
        for name, scale in SCALES.items():
            for a, b in zip(_flat(found[name]), _flat(case[name])):
                difference = abs(a - b) / scale
                if worst == worst and not difference <= worst:  # once it is not a number, it stays so
                    worst = difference
{beyond}    print(f"{name}: {{len(CASES)}} states, largest relative difference {{worst:.1e}}")
    return worst <= TOLERANCE


if __name__ == "__main__":
    sys.exit(0 if _test() else 1)"""
