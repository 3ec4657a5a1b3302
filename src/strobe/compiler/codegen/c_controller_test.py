"""The program that tests a controller where it is built: a recorded run, period by period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from strobe.compiler.codegen.c_controller import CController, Member, header, source
from strobe.compiler.codegen.c_test import Check, Rows, check_program, make_rules, table


@dataclass(frozen=True)
class Recorded:
    """A run: what was read and wanted every period, the torques that came of it, and the memory at its ends."""

    start: Sequence[float]  # of the arguments of the start, one after another
    readings: Rows
    wanted: Rows
    torques: Rows
    first: Sequence[float]  # memory
    last: Sequence[float]
    tolerance: float  # of torques and memory at the end, as a part of one more than their size; none: the same bits
    route: str


def files(controller: CController, recorded: Recorded) -> dict[str, str]:
    """Every file by its name."""
    name = controller.name
    return {
        f"{name}.h": header(controller),
        f"{name}.c": source(controller),
        f"test_{name}.c": self_test(controller, recorded),
        "Makefile": make_rules(name, exact=True),
    }


def self_test(controller: CController, recorded: Recorded) -> str:
    """A C program that exits with 0 if the run is what it was."""
    name, count = controller.name, len(recorded.readings)
    rows = {
        "readings": recorded.readings, "wanted": recorded.wanted, "torques": recorded.torques,
        "starting": [recorded.start],
    }  # fmt: skip
    if controller.kept:
        rows |= {"first": [recorded.first], "last": [recorded.last]}
    tables = [
        line
        for key, values in rows.items()
        for line in table(f"double {key}[{len(values)}][{len(values[0])}]", values)
    ]
    exact, tolerance = recorded.tolerance == 0.0, f"{recorded.tolerance:.0e}"
    own = sum(member.size for member in controller.sensing)  # before it lies what sensors keep
    starts, arguments = 0, ["&state"]
    for member in controller.start:
        arguments.append(f"&starting[0][{starts}]")
        starts += member.size
    about = [
        f"Tests {name}_step on a recorded run of {count} periods: torques and memory must be",
        "the same bits." if exact else f"within {tolerance} of one more than their size.",
        f"Recorded: {recorded.route}.",
    ]
    begun = _each(controller.memory, "wrong += !close_to(state.{name}[k], first[0][{place}], 1e-9);", own)
    check = Check(
        name,
        count,
        tables,
        EACH.format(
            name=name,
            torques=controller.torques,
            readings=_each(controller.readings, "state.{name}[k] = readings[i][{place}];"),
            wanted=_each(controller.reference, "reference.{name}[k] = wanted[i][{place}];"),
        ),
        '"period %d: the torques differ\\n", i',
        f'"{name}: {count} periods, %d wrong, largest difference of a torque %.2g\\n", wrong, worst',
        before=BEFORE.format(
            name=name,
            tolerance=tolerance,
            start=", ".join(arguments),
            begun=begun,
            memory=_each(controller.kept, "state.{name}[k] = first[0][{place}];"),
        ),
        after=_each(controller.kept, "wrong += !close_to(state.{name}[k], last[0][{place}], tolerance);"),
    )
    return check_program(name, about, [check], CLOSE)


def _each(members: Sequence[Member], statement: str, at: int = 0) -> str:
    """A loop for every member, whose numbers lie one after another in a row from a place on."""
    lines: list[str] = []
    place = at
    for m in members:
        lines.append(f"for (int k = 0; k < {m.size}; k++)")
        lines.append(f"    {statement.format(name=m.name, place=f'{place} + k')}")
        place += m.size
    return "\n".join(lines)


CLOSE = """\
static int close_to(double x, double y, double tolerance)
{
    return x == y || (x != x && y != y) || fabs(x - y) <= tolerance * (1.0 + fabs(y));
}
"""

BEFORE = """\
const double tolerance = {tolerance};
{name}_state state;
{name}_reference reference;
{name}_start({start});
{begun}
if (wrong)
    printf("the memory at the start differs in %d numbers\\n", wrong);
{memory}"""

EACH = """\
double tau[{torques}];
{readings}
{wanted}
{name}_step(&state, &reference, tau);
for (int k = 0; k < {torques}; k++) {{
    const double d = fabs(tau[k] - torques[i][k]);
    good = good && close_to(tau[k], torques[i][k], tolerance);
    if (d > worst)
        worst = d;
}}"""
