"""Laws of mechanics on this robot: `strobe.analysis.laws`, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from strobe.analysis import laws
from strobe.analysis.laws import Verdict
from strobe.show.tables import remark, table
from strobe.study.case import Case
from strobe.study.exactness import odds

TITLE = "Laws of mechanics, checked here"
CUT_OPEN = True  # of closed chains the tree is looked at

# Degrees of freedom, along each of which there are derivatives: in a whole study and in a quick one.
LARGEST = {False: 16, True: 8}

MARKS = {True: "holds", False: "does not hold", None: "not defined"}


def measure(case: Case) -> dict[str, Any]:
    """Every law with its verdict, or the reason why it does not apply."""
    case.require_dynamics()
    case.require_at_most(LARGEST[case.quick], "The laws", f"Run: strobe check {case.called}")
    found = laws.measure(case.robot)
    return {"laws": [asdict(law) for law in found], "passed": not any(law.broken for law in found)}


def command(case: Case) -> str:
    return f"check {case.called}"


def in_brief(data: Mapping[str, Any]) -> tuple[str, str]:
    """How many laws hold, of those that are defined for this robot."""
    defined = [law["holds"] for law in data["laws"] if law["holds"] is not None]
    return (
        f"{sum(defined)} of {len(defined)}",
        "laws of mechanics hold on this robot, checked without rounding where they can be",
    )


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark("exactly, at a random robot of this structure, unless it says float64")
    yield table(["law", "", "how sure"], rows([Verdict(**law) for law in data["laws"]]))


def rows(found: Sequence[Verdict]) -> list[list[str]]:
    """Law, verdict, and what the verdict rests on."""
    return [[law.law, "FAILS" if law.broken else MARKS[law.holds], _ground(law)] for law in found]


def _ground(law: Verdict) -> str:
    if law.why:
        return law.why
    if law.degree is not None:
        trials = f" per trial, in {len(law.primes)} trials" if len(law.primes) > 1 else ""
        return f"wrong with probability at most {odds(law.degree / min(law.primes))}{trials}"
    return f"smallest λmin/λmax {law.least:.0e}, in float64 at {laws.STATES} random states"
