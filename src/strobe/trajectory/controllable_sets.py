"""The fastest way along a line under limits on speed and acceleration: which speeds still lead to its end [Pham2018].

Let x be the square of the speed. Between two places a width apart x is linear in the distance if the acceleration is
constant, and what a limit at either of them says is linear in both ends' values:

    low ≤ α x0 + β x1 ≤ high,        0 ≤ x ≤ top

Backwards from the end, each place has an interval of x from which the next one's can be reached (a linear program
in two unknowns, solved by eliminating x1); forwards, the largest x that stays in these intervals is the fastest.
Elimination pairs every row with every other: it does not depend on what comes after, so it is done for all places at
once, and what is left for the two sweeps is a line or two each.

Standing still must keep the limits everywhere, low ≤ 0 ≤ high: then all intervals that lead to rest begin at zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Array = np.ndarray

NOTHING = 1e-12  # a coefficient this part of its partner is rounding
ROUNDING = 1e-9  # an x this part outside a set is at its edge
SLACK = 1e-10  # the part by which the sweep forwards stays below what is just possible


class Rows(NamedTuple):
    """Limits of N steps on B lines: α, β, low and high (N, B, R), and the largest x (N + 1, B) at each place."""

    alpha: Array
    beta: Array
    low: Array
    high: Array
    top: Array

    def upright(self) -> Rows:
        """The same limits with β ≥ 0."""
        down = self.beta < 0
        alpha, beta = (np.where(down, -each, each) for each in (self.alpha, self.beta))
        return Rows(
            alpha,
            beta,
            np.where(down, -self.high, self.low),
            np.where(down, -self.low, self.high),
            self.top,
        )

    def reversed(self) -> Rows:
        """The limits of the same line walked back."""
        return Rows(self.beta[::-1], self.alpha[::-1], self.low[::-1], self.high[::-1], self.top[::-1])


class Sets(NamedTuple):
    """The least and the largest x (N + 1, B) from which the end is reached; none where the largest is less."""

    least: Array
    largest: Array

    @property
    def possible(self) -> Array:
        """Whether there is an x from which the end of each line (B,) is reached."""
        return np.all(self.least <= self.largest * (1 + ROUNDING), axis=0)

    def hold(self, start: Array) -> Array:
        """Whether the end of each line is reached from an x (B,)."""
        above, below = self.least[0] <= start * (1 + ROUNDING), start <= self.largest[0] * (1 + ROUNDING)
        return self.possible & above & below


def attainable(rows: Rows) -> Array:
    """The largest x0 (N, B) of every step for which some x1 keeps its limits: β ≥ 0 (`upright`)."""
    zero, one = np.zeros_like(rows.alpha[..., :1]), np.ones_like(rows.alpha[..., :1])
    alpha, beta, low, high = (  # x1 itself is one more row, 0 ≤ x1 ≤ top
        np.concatenate(pair, axis=-1)
        for pair in (
            (rows.alpha, zero),
            (rows.beta, one),
            (rows.low, zero),
            (rows.high, rows.top[1:, :, None]),
        )
    )
    best = rows.top[:-1].copy()
    ratio = np.empty_like(alpha)
    for j in range(alpha.shape[-1]):
        # β_k x1 ≤ high_k − α_k x0 and β_j x1 ≥ low_j − α_j x0, for all k at once
        alpha_j, beta_j, low_j = alpha[..., j, None], beta[..., j, None], low[..., j, None]
        slope = alpha * beta_j
        slope -= alpha_j * beta
        rest = high * beta_j
        rest -= low_j * beta
        ratio.fill(np.inf)
        np.divide(rest, slope, out=ratio, where=slope > 0)
        np.minimum(best, ratio.min(axis=-1), out=best)
    return best


def controllable(rows: Rows, end: Array) -> Sets:
    """From which x (N + 1, B) an x (B,) at the end is reached: β ≥ 0 (`upright`)."""
    alpha, beta, low, high, _ = rows
    falling, rising = alpha < -NOTHING * beta, alpha > NOTHING * beta
    size = np.where(falling | rising, np.abs(alpha), 1.0)
    slope = beta / size
    # slope · least − below ≤ x0 ≤ slope · largest + above of rows with α < 0, x0 ≤ beyond − slope · least of others
    above = np.where(falling, -low / size, np.inf)
    below = np.where(falling, high / size, np.inf)
    beyond = np.where(rising, high / size, np.inf)
    sets = Sets(np.zeros_like(rows.top), np.empty_like(rows.top))
    sets.least[-1] = sets.largest[-1] = end
    sets.largest[:-1] = attainable(rows)
    for i in range(len(alpha) - 1, -1, -1):
        least, largest = sets.least[i + 1], sets.largest[i + 1]
        here = (slope[i] * largest[:, None] + above[i]).min(axis=-1)
        if least.any():
            moved = slope[i] * least[:, None]
            here = np.minimum(here, (beyond[i] - moved).min(axis=-1))
            np.maximum((moved - below[i]).max(axis=-1), 0.0, out=sets.least[i])
        np.minimum(sets.largest[i], here, out=sets.largest[i])
    return sets


def fastest(rows: Rows, sets: Sets, start: Array) -> Array:
    """The largest x (N + 1, B) everywhere, from an x (B,) that the sets hold: β ≥ 0 (`upright`)."""
    alpha, beta, _, high, _ = rows
    used = beta > NOTHING * np.abs(alpha)
    size = np.where(used, beta, 1.0)
    slope, most = np.where(used, alpha / size, 0.0), np.where(used, high / size, np.inf)
    ceiling = np.maximum(sets.largest * (1 - SLACK), sets.least)
    x = np.empty_like(rows.top)
    x[0] = start
    for i in range(len(alpha)):
        there = (most[i] - slope[i] * x[i][:, None]).min(axis=-1)
        x[i + 1] = np.maximum(np.minimum(there, ceiling[i + 1]), sets.least[i + 1])
    return x
