"""Whether the formulations are the same function: `strobe.analysis.equivalence`, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from strobe.analysis import equivalence
from strobe.analysis.equivalence import Equivalence
from strobe.study.case import Case
from strobe.study.tables import remark

TITLE = "Are they the same function?"


def measure(case: Case) -> dict[str, Any]:
    """Every formulation against every other, exactly."""
    selection = equivalence.select(case.robot.model)
    exact = equivalence.compare(selection.methods, case.robot.model)
    reference = selection.reference
    return {
        "reference": reference,
        "comparisons": {name: exact.agree(reference, name) for name in exact.names if name != reference},
        "trials": len(exact.primes),
        "primes": exact.primes,
        "degree": max(exact.degree.values(), default=0),
        "passed": exact.passed,
        "statement": [*statement(exact)],
    }


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(
        "random robots of this structure, modulo a random prime near 2⁶¹: no rounding, so equal means equal"
    )
    yield from data["statement"]


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
    return f"d/p < 1e{math.floor(math.log10(probability)) + 1}" if probability else "d/p = 0"
