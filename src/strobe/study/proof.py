"""From Newton-Euler to Lagrange: how many identities of the proof were checked on arms like this one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from strobe.papers import proof
from strobe.show.tables import remark, table
from strobe.study.case import Case

TITLE = "The proof, step by step"
SLOW = True

TRIALS = 1
LARGEST = 8  # joints


def measure(case: Case) -> dict[str, Any]:
    """The sections of the proof with their verdicts."""
    case.require_dynamics()
    proof.refuse(case.robot.model)
    case.require_at_most(LARGEST, "The walks through the proof", f"Run: strobe prove {case.called}")
    found = proof.prove(case.robot.model, TRIALS, 0, lambda: None)
    data = found.as_dict()
    return {"steps": [_step(section) for section in data["sections"]], "passed": found.passed}


def _step(section: Mapping[str, Any]) -> dict[str, Any]:
    verdicts = Counter(line["verdict"] for line in section["lines"])
    return {
        "title": section["title"],
        "holds": verdicts["holds"],
        "fails": verdicts["fails"],
        "other": len(section["lines"]) - verdicts["holds"] - verdicts["fails"],
        "comparisons": sum(line["comparisons"] or 0 for line in section["lines"]),
    }


def command(case: Case) -> str:
    return f"prove {case.called}"


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(
        "identities between the two, exactly, modulo random primes, on arms with this geometry and on general ones"
    )
    columns = ("title", "holds", "fails", "other", "comparisons")
    names = ["step", "hold", "fail", "not applicable", "comparisons"]
    yield table(names, [[row[name] for name in columns] for row in data["steps"]])
