"""The least of a smooth function from slopes alone: L-BFGS with steps that satisfy the weak conditions of Wolfe.

    d = −H g       H from the last pairs s = Δz, y = Δg in two passes
    f(z + t d) ≤ f + c₁ t gᵀd,    g(z + t d)ᵀd ≥ c₂ gᵀd        t doubled or halved until both hold

The second keeps sᵀy above zero, where f has kinks too. Vectors are short here: libraries that would share work on
them among threads wait for each other longer than they compute.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

Array = np.ndarray
Function = Callable[[Array], tuple[float, Array]]  # the value at a point, and its slopes

PAIRS = 20
DECREASE, FLATTER = 1e-4, 0.9  # c₁ and c₂
TRIALS = 30  # of one step
SETTLED = 1e-9  # of the value: less than that is gained by no step worth taking


def descended(function: Function, start: Array, steps: int) -> Array:
    """A point from which so many steps, or none that is worth taking, lead further down."""
    z, (value, slope) = start, function(start)
    pairs: deque[tuple[Array, Array]] = deque(maxlen=PAIRS)
    for _ in range(steps):
        d = -_product(pairs, slope)
        if not slope @ d < 0:
            return z
        found = _step(
            function, z, value, float(slope @ d), d, 1.0 if pairs else 1 / float(np.linalg.norm(slope))
        )
        if found is None:
            return z
        after, below, flatter = found
        s, y = after - z, flatter - slope
        if s @ y > 1e-12 * np.linalg.norm(s) * np.linalg.norm(y):
            pairs.append((s, y))
        gained = value - below
        z, value, slope = after, below, flatter
        if gained <= SETTLED * max(1.0, abs(value)):
            return z
    return z


def _product(pairs: deque[tuple[Array, Array]], slope: Array) -> Array:
    """H g."""
    g, shares = slope.copy(), list[float]()
    for s, y in reversed(pairs):
        shares.append(float(s @ g / (s @ y)))
        g -= shares[-1] * y
    if pairs:
        s, y = pairs[-1]
        g *= (s @ y) / (y @ y)
    for (s, y), share in zip(pairs, reversed(shares), strict=True):
        g += (share - float(y @ g / (s @ y))) * s
    return g


def _step(
    function: Function, z: Array, value: float, descent: float, d: Array, t: float
) -> tuple[Array, float, Array] | None:
    """The point after a step, its value and slopes; none where nothing lies lower."""
    low, high, lower = 0.0, np.inf, None
    for _ in range(TRIALS):
        after = z + t * d
        below, slope = function(after)
        if not below <= value + DECREASE * t * descent:
            high = t
        else:
            lower = after, below, slope
            if slope @ d >= FLATTER * descent:
                return lower
            low = t
        t = (low + high) / 2 if np.isfinite(high) else 2 * low
    return lower
