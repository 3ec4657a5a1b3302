"""How much rows tell: the information AᵀA of several numbers at once, as one number to bring down, with its slopes.

    information   −½ log det(M + WᵀW) / p     the mean logarithm of standard errors, or less
    condition     log of the largest over the smallest singular value of W, its columns scaled to length one: the
                  largest value of C as (tr Cᴾ)^(1/P), which has slopes where two are equal, as they soon are

M is what was known before; V = ∂f/∂W.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Array = np.ndarray
Weighed = tuple[float, Array]  # f, and V as large as W

TOGETHER = 64  # rows in one product: of larger ones threads wait for each other longer than they multiply
POWER = 16
NOTHING = 1e-13  # of the information in a column: what keeps it from being none


@dataclass(frozen=True, slots=True, eq=False)
class Prospect:
    """What would be known after a motion."""

    information: Array  # (p, p)

    @property
    def deviations(self) -> Array:
        """The standard errors that are to be expected (p,); infinite where nothing is told."""
        scale = np.sqrt(np.diag(self.information))
        if not (scale > 0).all():
            return np.full(len(scale), np.inf)
        values, vectors = np.linalg.eigh(self.information / np.outer(scale, scale))
        with np.errstate(divide="ignore"):
            return np.sqrt((vectors**2 / np.maximum(values, 0.0)).sum(axis=1)) / scale

    @property
    def condition(self) -> float:
        """Of the rows, with columns scaled to length one."""
        scale = np.sqrt(np.diag(self.information))
        if not (scale > 0).all():
            return np.inf
        values = np.linalg.eigvalsh(self.information / np.outer(scale, scale))
        return float(np.sqrt(values[-1] / values[0])) if values[0] > 0 else np.inf

    @property
    def size(self) -> float:
        """log det of the information."""
        sign, size = np.linalg.slogdet(self.information)
        return float(size) if sign > 0 else -np.inf


def gram(W: Array) -> Array:
    """WᵀW."""
    total = np.zeros((W.shape[1], W.shape[1]))
    for k in range(0, len(W), TOGETHER):
        rows = W[k : k + TOGETHER]
        total += rows.T @ rows
    return total


def _times(W: Array, A: Array) -> Array:
    """W A."""
    return np.concatenate([W[k : k + TOGETHER] @ A for k in range(0, len(W), TOGETHER)])


def determinant(W: Array, known: Array) -> Weighed:
    """−½ log det(M + WᵀW) / p."""
    M = known + gram(W)
    M[np.diag_indices_from(M)] += NOTHING * (1 + np.diag(M))
    size, p = np.linalg.slogdet(M)[1], len(M)
    return -0.5 * float(size) / p, _times(W, np.linalg.inv(M) / -p)


def condition(W: Array, known: Array) -> Weighed:
    """The smooth condition of M + WᵀW with its columns scaled; what was known before is among its rows."""
    M = known + gram(W)
    M[np.diag_indices_from(M)] += NOTHING * (1 + np.diag(M))
    scale = np.sqrt(np.diag(M))
    C = M / np.outer(scale, scale)
    above, wide = _largest(C)
    inverse = np.linalg.inv(C)
    below, narrow = _largest(inverse)
    G = (wide - inverse @ narrow @ inverse) / 2  # ∂f/∂C
    own = (G * C).sum(axis=1)  # what the scales take back
    slope = G / np.outer(scale, scale) - np.diag(own / scale**2)
    return (above + below) / 2, _times(W, 2 * slope)


def _largest(C: Array) -> tuple[float, Array]:
    """log of (tr Cᴾ)^(1/P), which is the largest of C's values but for a little more, and its slopes by C."""
    size = float(np.trace(C))
    A = C / size
    A2 = A @ A
    A4 = A2 @ A2
    A8 = A4 @ A4
    A15 = A8 @ A4 @ A2 @ A
    total = float((A15 * A.T).sum())
    return float(np.log(size)) + float(np.log(total)) / POWER, A15 / (size * total)


OBJECTIVES: dict[str, Callable[[Array, Array], Weighed]] = {
    "information": determinant,
    "condition": condition,
}
