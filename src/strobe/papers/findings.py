"""What a claim's check finds, and what the checks on robots share: random states, exact numbers, plain arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strobe.formulations import newton_euler
from strobe.models.inertial import Inertial
from strobe.models.model import Model
from strobe.scalars import FieldSystem, Numbers

ARMS = range(20)  # seeds of random arms
ROUNDING = 1e-12
ID = newton_euler.inverse_dynamics


@dataclass(frozen=True, slots=True)
class Finding:
    """What came out, in words, whether it bears out the verdict, and which part of the claim was not looked at."""

    figure: str
    holds: bool
    unchecked: str = ""


Check = Callable[[], Finding]
"""A function that looks at the facts behind one claim."""


def state_of(model: Model, seed: int) -> tuple[list[float], list[float], list[float]]:
    """Random positions, rates and accelerations."""
    rng = np.random.default_rng(seed)
    q, qd, qdd = (rng.uniform(-2, 2, model.nv).tolist() for _ in range(3))
    return q, qd, qdd


def golden(model: Model, key: str) -> list[float]:
    """A vector of the robot's reference state."""
    return list(model.golden[0][key])  # pyright: ignore[reportArgumentType]


def only(model: Model, kept: set[int]) -> Model:
    """The same robot with the mass of these links alone."""
    bodies = tuple(b if b.index in kept else replace(b, inertial=Inertial.zero()) for b in model.bodies)
    return replace(model, bodies=bodies)


def array(rows: Any) -> np.ndarray:
    """Numbers as an array of floats."""
    return np.array(rows, dtype=float)


def lowered(system: FieldSystem, numbers: Numbers) -> list[int]:
    """Exact numbers as what they are modulo the prime."""
    return [system.lower(x) for x in numbers]


def skew_residual(N: np.ndarray) -> float:
    """How far a matrix is from skew."""
    return float(np.abs(N + N.T).max())


def same_or_not(what: str, equal: dict[str, bool]) -> Finding:
    """Whether something holds in every case; if not, the cases in which it does not."""
    wrong = [name for name, each in equal.items() if not each]
    return Finding(f"NOT {what}: {', '.join(wrong)}" if wrong else what, not wrong)
