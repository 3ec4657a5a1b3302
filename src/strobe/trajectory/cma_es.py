"""The least value of a function of some dozens of numbers that has kinks and no slopes worth using [Hansen2001].

A cloud of points is drawn around a centre, the better half moves the centre (the best ones most), and the shape of
the cloud follows the steps that did well: its covariance C by the steps themselves and by their path, its size by
whether the path of steps, freed of the shape, is longer than a path at random would be.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray

SMALL = 1e-4  # a cloud of this part of its first size has come to rest


def least(
    function: Callable[[Array], Array], start: Array, spread: Array, low: Array, high: Array, *,
    generations: int, rng: np.random.Generator,
) -> Array:  # fmt: skip
    """The best point (n,) met, within bounds, by a function of points (count, n); it is no worse than the start."""
    n = len(start)
    count = 4 + 2 * int(3 * np.log(n))
    weights = np.log(count // 2 + 0.5) - np.log(np.arange(1, count // 2 + 1))
    weights /= weights.sum()
    mu = 1 / (weights**2).sum()  # how many points the weighted ones are worth
    rate_s, rate_c = (mu + 2) / (n + mu + 5), (4 + mu / n) / (n + 4 + 2 * mu / n)
    rate_one = 2 / ((n + 1.3) ** 2 + mu)
    rate_mu = min(1 - rate_one, 2 * (mu - 2 + 1 / mu) / ((n + 2) ** 2 + mu))
    damping = 1 + rate_s + 2 * max(0.0, np.sqrt((mu - 1) / (n + 1)) - 1)
    usual = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))  # the length of a step at random

    centre, size, C = start.copy(), 1.0, np.eye(n)
    path_s, path_c = np.zeros(n), np.zeros(n)
    best, value = start, float(function(start[None])[0])
    for k in range(generations):
        squares, axes = np.linalg.eigh(C)
        root = np.sqrt(np.maximum(squares, 1e-20))
        drawn = (rng.normal(size=(count, n)) * root) @ axes.T
        points = np.clip(centre + size * spread * drawn, low, high)
        values = function(points)
        order = np.argsort(values)
        if values[order[0]] < value:
            best, value = points[order[0]], float(values[order[0]])
        steps = ((points - centre) / (size * spread))[order[: len(weights)]]
        step = weights @ steps
        centre = centre + size * spread * step

        path_s = (1 - rate_s) * path_s + np.sqrt(rate_s * (2 - rate_s) * mu) * (
            axes @ (axes.T @ step / root)
        )
        length = np.linalg.norm(path_s)
        steady = length / np.sqrt(1 - (1 - rate_s) ** (2 * (k + 1))) < (1.4 + 2 / (n + 1)) * usual
        path_c = (1 - rate_c) * path_c + steady * np.sqrt(rate_c * (2 - rate_c) * mu) * step
        C = (
            (1 - rate_one - rate_mu) * C
            + rate_one * np.outer(path_c, path_c)
            + rate_mu * (steps.T * weights) @ steps
        )
        size *= np.exp(rate_s / damping * (length / usual - 1))
        if size < SMALL:
            break
    return best
