"""Whether two formulations are the same function: exact arithmetic on random robots of this structure.

A lift to a prime field keeps the robot's zeros and right angles and draws everything else at random.
Two different rational functions of degree d agree at a random point with probability at most d/p
(Schwartz and Zippel), p being the prime.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from strobe.errors import UnsupportedModelError, ZeroPivotError
from strobe.models.model import Model
from strobe.scalars import DegreeSystem, FieldSystem
from strobe.study.case import Case
from strobe.study.tables import remark

TITLE = "Are they the same function?"

TRIALS = 3
REDRAWS = 10  # a zero pivot has probability about 1/p: ten in a row mean a mistake


def measure(case: Case) -> dict[str, Any]:
    """Every formulation against the first, exactly."""
    case.require_dynamics()
    (reference, first), *others = case.formulations.items()
    if not others:
        raise UnsupportedModelError(
            f"{case.robot.name} allows only {reference}: there is nothing to compare it with."
        )
    comparisons = {name: compare(first, module, case.robot.model) for name, module in others}
    passed = all(c["equal"] for c in comparisons.values())
    return {"reference": reference, "comparisons": comparisons, "trials": TRIALS, "passed": passed}


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(
        "random robots of this structure, modulo a random prime near 2⁶¹: no rounding, so equal means equal"
    )
    for name, c in data["comparisons"].items():
        if c["equal"]:
            yield f"{name} = {data['reference']}, in {data['trials']} trials of {data['trials']}."
            d, p = c["degree"], min(c["primes"])
            yield "They are the same rational function for every robot of this structure,"
            yield f"wrong with probability at most d/p = {d}/{p} < {_above(d / p)} per trial."
        else:
            yield f"{name} ≠ {data['reference']}: they differ at a random robot of this structure."


def _above(probability: float) -> str:
    """The next larger power of ten."""
    return f"1e{math.floor(math.log10(probability)) + 1}" if probability else "any number"


def compare(first: ModuleType, second: ModuleType, model: Model) -> dict[str, Any]:
    """Equality at random points, the primes used and the degree of the difference."""
    trials = [_trial(first, second, model, seed) for seed in range(TRIALS)]
    return {
        "equal": all(equal for equal, _ in trials),
        "primes": [prime for _, prime in trials],
        "degree": degree(first, second, model),
    }


def degree(first: ModuleType, second: ModuleType, model: Model) -> int:
    """A bound on the degree of the difference of two formulations."""
    system = DegreeSystem()
    return max(system.lower(x - y) for x, y in zip(*_both(first, second, model, system), strict=True))


def _trial(first: ModuleType, second: ModuleType, model: Model, seed: int) -> tuple[bool, int]:
    for redraw in range(REDRAWS):
        system = FieldSystem(seed=seed + redraw * TRIALS)
        try:
            x, y = _both(first, second, model, system)
        except ZeroPivotError:
            continue
        return [*map(system.lower, x)] == [*map(system.lower, y)], system.prime
    raise ZeroPivotError


def _both(first: ModuleType, second: ModuleType, model: Model, system: Any) -> tuple[list[Any], list[Any]]:
    """Both formulations on the same robot at the same state."""
    lifted = model.lift(system)
    state = lifted.variables()
    return first.inverse_dynamics(lifted, *state), second.inverse_dynamics(lifted, *state)
