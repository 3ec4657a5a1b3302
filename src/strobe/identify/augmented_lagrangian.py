"""The least of a smooth function within smooth bounds, by an augmented Lagrangian.

    minimise f(z)  subject to  −1 ≤ u_i(z) ≤ 1

    L(z) = f + (1/2ρ) Σ [max(0, λ⁺ + ρ(u − 1))² + max(0, λ⁻ − ρ(u + 1))² − λ⁺² − λ⁻²]

L is brought down by steps of `quasi_newton`; then λ± become what stands in the brackets, and ρ grows where bounds are
still broken. No clock decides when to stop, so that the same question has the same answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from strobe.identify.quasi_newton import descended

Array = np.ndarray

STIFFEST = 1e5
GROWS = 3.0
PROGRESS = 0.5  # of the largest excess: what a round must leave at most, or ρ grows


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """What is minimised at one point: f, the bounded u, and how weights of both become a slope."""

    value: float
    bounded: Array  # u (m,)
    slope: Callable[[Array], Array]  # ∂(f + w·u)/∂z for weights w (m,)


def least(
    at: Callable[[Array], Bounded], start: Array, *, rounds: int = 10, steps: int = 80, stiffness: float = 1.0
) -> Array:  # fmt: skip
    """The point where f is least, from a start on."""
    z, rho = start.copy(), stiffness
    size = len(at(z).bounded)
    above, below = np.zeros(size), np.zeros(size)
    excess = np.inf
    for _ in range(rounds):

        def lagrangian(
            z: Array, above: Array = above, below: Array = below, rho: float = rho
        ) -> tuple[float, Array]:
            found = at(z)
            up = np.maximum(0.0, above + rho * (found.bounded - 1))
            down = np.maximum(0.0, below - rho * (found.bounded + 1))
            cost = (up @ up + down @ down - above @ above - below @ below) / (2 * rho)
            return found.value + float(cost), found.slope(up - down)

        z = descended(lagrangian, z, steps)
        u = at(z).bounded
        above, below = np.maximum(0.0, above + rho * (u - 1)), np.maximum(0.0, below - rho * (u + 1))
        left = float(np.abs(u).max(initial=0.0)) - 1
        if left > PROGRESS * excess:
            rho = min(rho * GROWS, STIFFEST)
        excess = max(left, 0.0)
    return z
