"""Whether the formulations are the same function: `strobe.analysis.equivalence`, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from strobe.analysis import equivalence
from strobe.analysis.equivalence import Equivalence
from strobe.show.tables import remark
from strobe.study import page_parts as page
from strobe.study.case import Case
from strobe.study.refusals import reasons

TITLE = "Are they the same function?"
CUT_OPEN = True  # of closed chains the tree is looked at
HOW = "random robots of this structure, modulo a random prime near 2⁶¹: no rounding, so equal means equal"


def measure(case: Case) -> dict[str, Any]:
    """Every formulation against every other, exactly."""
    case.require_dynamics()
    selection = equivalence.select(case.robot.model, list(case.formulations))
    exact = equivalence.compare(selection.methods, case.robot.model)
    reference = selection.reference
    return {
        "reference": reference,
        "formulations": exact.names,
        "matrix": [[exact.agree(a, b) for b in exact.names] for a in exact.names],
        "refused": case.refused,
        "comparisons": {name: exact.agree(reference, name) for name in exact.names if name != reference},
        "trials": len(exact.primes),
        "primes": exact.primes,
        "degree": max(exact.degree.values(), default=0),
        "passed": exact.passed,
        "statement": [*statement(exact)],
    }


def command(case: Case) -> str:
    return f"check {case.called}"


def in_brief(data: Mapping[str, Any]) -> tuple[str, str] | None:
    """How many formulations are one function, if all are."""
    count = len(data["comparisons"]) + 1
    if not data["passed"] or count < 2:
        return None
    return (
        f"{count} = 1",
        f"{count} formulations are the same function, checked without rounding in {data['trials']} trials",
    )


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(HOW)
    yield from data["statement"]
    yield from map(remark, reasons(data["refused"]))


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    """The matrix of all pairs above what it says."""
    names, rows = data["formulations"], data["matrix"]
    head = page.tag("tr", page.tag("th"), (page.tag("th", k + 1, scope="col") for k in range(len(names))))
    body = (
        page.tag(
            "tr",
            page.tag("th", f"{i + 1}  {name}", scope="row"),
            (_cell(i, j, same) for j, same in enumerate(rows[i])),
        )
        for i, name in enumerate(names)
    )
    matrix = page.tag("table", page.tag("thead", head), page.tag("tbody", body), class_="matrix")
    return page.markup(page.tag("div", matrix, class_="wide"), page.printed(render(data)))


def _cell(i: int, j: int, same: bool) -> page.Html:
    return page.tag("td", "·" if i == j else "=" if same else "≠", class_="same" if same else "other")


def statement(exact: Equivalence) -> Iterator[str]:
    """What agreement in the field says about the formulations, and no more."""
    trials = len(exact.primes)
    for group in exact.classes():
        if len(group) > 1:
            everything = len(group) == len(exact.names)
            yield f"all {len(group)} formulations:" if everything else f"{', '.join(group)}:"
            yield (
                f"the same rational function for every robot of this structure, in {trials} trials of {trials}, "
                f"wrong with probability at most {odds(exact.probability)} per trial."
            )
    yield from (
        f"{a} ≠ {b}: they differ at a random robot." for (a, b), equal in exact.equal.items() if not equal
    )


def odds(probability: float) -> str:
    """A probability of error d/p, by the next larger power of ten."""
    if probability >= 1:
        return "d/p, for which no useful bound is known,"
    return f"d/p < {power_above(probability)}" if probability else "d/p = 0"


def power_above(probability: float) -> str:
    """The next larger power of ten."""
    return f"1e{math.floor(math.log10(probability)) + 1}"
