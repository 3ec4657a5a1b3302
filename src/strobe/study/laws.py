"""Laws of mechanics on this robot: `strobe.analysis.laws`, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from strobe.analysis import laws
from strobe.analysis.laws import Verdict
from strobe.study.case import Case
from strobe.study.exactness import odds
from strobe.study.tables import remark, table

TITLE = "Laws of mechanics, checked here"

MARKS = {True: "holds", False: "FAILS", None: "not defined"}


def measure(case: Case) -> dict[str, Any]:
    """Every law with its verdict, or the reason why it does not apply."""
    found = laws.measure(case.robot)
    return {"laws": [asdict(law) for law in found], "passed": all(law.holds is not False for law in found)}


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark("exactly, at a random robot of this structure, unless a residual is given")
    yield table(["law", "", "how sure"], rows([Verdict(**law) for law in data["laws"]]))


def rows(found: Sequence[Verdict]) -> list[list[str]]:
    """Law, verdict, and what the verdict rests on."""
    return [[law.law, MARKS[law.holds], _ground(law)] for law in found]


def _ground(law: Verdict) -> str:
    if law.why:
        return law.why
    if law.degree is not None:
        return f"wrong with probability at most {odds(law.degree / min(law.primes))}"
    return f"residual {law.residual:.0e} in float64, bound {law.bound:.0e}"
