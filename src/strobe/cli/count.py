"""``strobe count``: what each formulation costs, and how far it can be spread over processors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.inputs import Base, Json, Lock, RobotName, open_robot
from strobe.cli.options import takes

if TYPE_CHECKING:
    from strobe.formulations import Formulation
    from strobe.study.case import Case


def count(
    robot: RobotName,
    formulation: Annotated[
        list[str] | None, takes("--formulation", "NAME", "Count this one only; may be repeated.")
    ] = None,
    polynomials: Annotated[
        bool,
        typer.Option("--polynomials", help="Also fit the counts of general arms as polynomials in n."),
    ] = False,
    lock: Lock = None,
    base: Base = None,
    as_json: Json = False,
) -> None:
    """What inverse dynamics costs by each formulation: operations, critical path, parallel steps.

    Dense counts the equations as written, folded without this robot's zeros and ones, graph with every
    value computed once, optimised after every pass of the compiler. The last row is what a call runs that
    asks for no formulation: inertias regrouped, rotors and couplings included. A schedule gives the steps
    on 1, 2, 4, … processors, one operation each per step; sines and cosines are taken as given.

    \b
    Examples:
      strobe count puma560
      strobe count panda --formulation newton-euler --formulation modified-newton-euler --json
      strobe count stanford --polynomials
    """
    from strobe.analysis.counts import compiled, cost
    from strobe.cli.progress import Progress
    from strobe.cli.show import note, print_json, show
    from strobe.study import counts
    from strobe.study.case import Case

    subject = open_robot(robot, lock=lock, base=base)
    case = Case.of(subject)
    methods, refused = chosen(case, formulation), {} if formulation else case.refused
    found: dict[str, Any] = {}
    with Progress("count", len(methods), "formulations") as progress:
        for method in methods:
            found[method.name] = counts.plain(cost(method, subject.model))
            progress.advance(1)
    default = asdict(compiled(subject.model))
    grown = grown_polynomials(methods) if polynomials else None
    if as_json:
        more = {} if grown is None else {"polynomials": grown}
        parts = {"formulations": found, "compiled": default, "refused": refused, **more}
        print_json({"robot": subject.name, **parts})
        return
    for name, reason in refused.items():
        note(f"{name} left out: {reason}")
    if subject.model.is_closed:
        note(f"{counts.CUT}.")
    show(rendered(subject.name, found, default, grown))


def chosen(case: Case, names: list[str] | None) -> list[Formulation]:
    """The methods to count; one that is asked for by name must run on this robot."""
    from strobe.errors import UnsupportedModelError
    from strobe.formulations import formulation

    case.require_dynamics()
    methods = [formulation(name) for name in names] if names else list(case.formulations.values())
    reasons = [m.refusal(case.robot.model) for m in methods] if names else list(case.refused.values())
    faults = [reason for reason in reasons if reason is not None]
    if faults and (names or not methods):
        raise UnsupportedModelError(faults[0])
    return methods


def grown_polynomials(methods: list[Formulation]) -> dict[str, Any]:
    """Counts of general arms, fitted."""
    from strobe.analysis.counts import growth
    from strobe.cli.progress import Progress
    from strobe.study import counts

    grown: dict[str, Any] = {}
    with Progress("fit", len(methods), "formulations") as progress:
        for method in methods:
            grown[method.name] = counts.plain_growth(growth(method))
            progress.advance(1)
    return grown


def rendered(
    name: str, found: dict[str, Any], default: dict[str, int], grown: dict[str, Any] | None
) -> Iterator[Any]:
    """What a person reads."""
    from strobe.analysis.counts import LENGTHS
    from strobe.show.tables import remark
    from strobe.study import counts

    yield f"{name}: one evaluation of inverse dynamics, × multiplications and + additions"
    yield remark(
        "dense: as written; folded: without this robot's zeros and ones; graph: each value once; "
        "optimised: after every pass"
    )
    yield ""
    yield counts.operations_table(found, default)
    yield ""
    yield "steps on P processors, one operation each per step (list scheduling of the graph)"
    yield remark("the last P reaches the path, the longest chain of dependent operations: more do not help")
    yield ""
    yield counts.schedule_table(found)
    if grown is None:
        return
    yield ""
    yield f"general revolute arms of standard DH with n joints, fitted to n = {LENGTHS[0]} … {LENGTHS[-1]}"
    yield remark("exact for every n counted; * from n = 3 on")
    yield ""
    yield counts.growth_table(grown)
