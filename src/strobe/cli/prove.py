"""``strobe prove``: from Newton-Euler to Lagrange, one checked identity after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.exit_codes import CHECK_FAILED
from strobe.cli.inputs import Json, Lock, RobotName, Strict, open_robot
from strobe.errors import counted

if TYPE_CHECKING:
    from strobe.robot import Robot


def prove(
    robot: RobotName,
    lock: Lock = None,
    strict: Strict = False,
    trials: Annotated[
        int,
        typer.Option("--trials", min=1, max=1000, help="Random arms per family, each with a fresh prime."),
    ] = 3,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Draw other arms and other primes.")] = 0,
    as_json: Json = False,
) -> None:
    """The proof that Newton-Euler and Lagrange are one, step by step.

    Every identity is checked exactly, modulo random primes, on arms with the robot's own geometry and on general
    arms with its joint types, and whether the rules it names give it. Exits with 1 if one fails.

    \b
    Examples:
      strobe prove puma560
      strobe prove planar2 --trials 10
      strobe prove stanford --json
    """
    from strobe.cli.progress import Progress
    from strobe.cli.show import present
    from strobe.papers import proof

    subject = open_robot(robot, lock=lock, strict=strict)
    proof.refuse(subject.model)
    with Progress("prove", proof.steps(subject.model, trials), "walks") as progress:
        found = proof.prove(subject.model, trials, seed, lambda: progress.advance(1))
    data = {**found.as_dict(), "links": _links(subject)}
    present(data, _rendered(data), as_json)
    if not found.passed:
        raise typer.Exit(CHECK_FAILED)


def _links(robot: Robot) -> dict[str, Any]:
    """4.35 in numbers: what each link asks of each joint, at the robot's reference state or a random one."""
    from strobe.errors import UnsupportedModelError
    from strobe.papers import proof
    from strobe.study.case import Case

    case = Case.of(robot)
    expand, expand_rates = robot.coordinates.expand, robot.coordinates.expand_rates
    q, qd, qdd = ([float(x) for x in values] for values in (case.q, case.qd, case.qdd))
    try:
        table = proof.contributions(robot.model, (expand(q), expand_rates(qd), expand_rates(qdd)))
    except UnsupportedModelError as error:
        return {"skipped": str(error)}
    bodies = robot.model.bodies
    names = {
        "joints": list(robot.model.joint_names),
        "units": ["N m" if body.joint.angular else "N" for body in bodies],
        "links": [body.name for body in bodies],
    }
    return {"state": case.origin, **names, **table}


def _rendered(data: Mapping[str, Any]) -> Iterator[Any]:
    from strobe.show.tables import remark
    from strobe.show.terminal import Text

    yield Text(f"From Newton-Euler to Lagrange, for {data['robot']}", style="bold")
    yield remark(
        "← what gives a line: other lines, or facts (listed in docs/proof.md); each line was tried on arms of "
        "which nothing else is true"
    )
    yield remark(
        "[R]: joints up to link i revolute · [R_i], [R_j]: joint i (j, k) revolute · [P]: prismatic · else: any"
    )
    for section in data["sections"]:
        yield ""
        yield Text(section["title"], style="bold cyan")
        yield remark(f"checked on {' and on '.join(section['families'])}")
        for line in section["lines"]:
            yield from _line(line)
    yield from _link_table(data["links"])
    yield from _conclusion(data)


def _line(line: Mapping[str, Any]) -> Iterator[Any]:
    from strobe.show.terminal import Pieces, Text

    mark, style = {"holds": ("✓", "green"), "fails": ("✗ FAILS", "bold red")}.get(
        line["verdict"], ("–", "yellow")
    )
    count = f" {line['comparisons']:,}" if line["comparisons"] else ""
    if line["failed"]:
        count = f" {line['failed']:,} of{count}"
    assume = "" if line["assume"] == "any" else f"  [{line['assume']}]"
    rule = f"  ← {line['rule']}" if line["rule"] else ""
    yield Pieces(
        [
            (f"{line['id']:<14} ", "bold"),
            (line["statement"], ""),
            (f"{assume}{rule}  ", "dim"),
            (f"{mark}{count}", style),
        ]
    )
    if line["follows"] is False:
        yield Text(f"{'':<15}does NOT follow from the rules it names", style="bold red")
    if line["reason"]:
        yield Text(f"{'':<15}not applicable: {line['reason']}", style="yellow")
        return
    if line["note"]:
        yield Text(f"{'':<15}{line['note']}", style="dim")
    for form in line["false_forms"]:
        yield Text(f"{'':<15}{_false(form)}", style="dim")


def _false(form: Mapping[str, Any]) -> str:
    """What became of a form that must not hold."""
    who = "as printed" if form["printed"] else "not so"
    if not form["comparisons"]:
        return f"{who}: {form['text']}: nothing to try it on here"
    if not form["failed"]:
        return f"{who}: {form['text']}: cannot be told apart on an arm like this"
    return f"{who}: {form['text']}: fails, {form['failed']:,} of {form['comparisons']:,}"


def _link_table(links: Mapping[str, Any]) -> Iterator[Any]:
    from strobe.show.tables import remark, table, tidy
    from strobe.show.terminal import Text

    yield ""
    yield Text("4.35 in numbers: what each link asks of each joint", style="bold cyan")
    if "skipped" in links:
        yield Text(f"not shown: {links['skipped']}", style="yellow")
        return
    yield remark(f"at {links['state']}; without motors and friction")
    rows = tidy([*links["newton_euler"], links["torque"]])
    shown = [[name, *row[: k + 1], *[None] * (len(row) - k - 1)]
             for k, (name, row) in enumerate(zip(links["links"], rows, strict=False))]  # fmt: skip
    named = [f"{name} ({unit})" for name, unit in zip(links["joints"], links["units"], strict=True)]
    yield table(["link", *named], [*shown, ["torque", *rows[-1]]])
    yield remark(f"the trace form gives the same entries to {links['relative_difference']:.1e} (relative)")


def _conclusion(data: Mapping[str, Any]) -> Iterator[Any]:
    from strobe.show.terminal import Text
    from strobe.study.exactness import power_above

    lines = [line for section in data["sections"] for line in section["lines"]]
    held = sum(line["verdict"] == "holds" for line in lines)
    failed = [line["id"] for line in lines if line["verdict"] == "fails"]
    loose = [line["id"] for line in lines if line["follows"] is False]
    absent = sum(line["verdict"] == "not applicable" for line in lines)
    yield ""
    yield Text("What this shows", style="bold cyan")
    if failed:
        yield Text(
            f"{len(failed)} of {held + len(failed)} identities FAIL: {', '.join(failed)}.", style="bold red"
        )
        yield "A failure is certain: the two sides differ at a drawn arm. Nothing is proven."
        return
    if loose:
        yield Text(f"Not given by the rules they name: {', '.join(loose)}.", style="bold red")
        yield "The identities hold, the reasons do not: nothing is proven."
        return
    rest = f" ({absent} not applicable)" if absent else ""
    trials = f"{counted(data['trials'], 'trial')} on each family of arms"
    yield f"{held} identities{rest}, {data['comparisons']:,} comparisons, {trials}, without rounding."
    given = sum(bool(line["follows"]) for line in lines)
    yield f"{given} of them follow from the rules they name; the others are exact derivatives, or modules that run."
    yield "The two sides of each are the same rational function, for every robot of these families: any lengths,"
    yield "angles, masses, inertias, gravity and motion. Link by link, the two ask the same of every joint."
    d, p = data["degree"], min(data["primes"])
    yield f"Each is wrong with probability at most d/p = {d}/{p} < {power_above(d / p)} per trial."
