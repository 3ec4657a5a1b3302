"""Linear least squares that says what the data cannot tell.

    y = A x + e,    e of unit variance,    x̂ = argmin |A x − y|²,    cov x̂ = (AᵀA)⁻¹

Columns are scaled to unit length first, so that units do not decide what counts as small. Where A has lost rank, the
directions of x that change no row are `unseen`, in reduced form: each begins with a 1 where the others have 0. Every
number of x that begins none of them, with the multiples of those that do, is then one combination that is `seen`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from strobe.errors import ArgumentError

Array = np.ndarray
LEAST = 1e-9  # singular values below this part of the largest are rounding
ZERO = 1e-8  # so are entries of an unseen direction, against its largest


@dataclass(frozen=True, eq=False)
class Solution:
    """What rows say about k unknowns."""

    values: Array  # (k,), one that fits best: of all those the one nearest to zero
    information: Array  # (k, k), the inverse of the covariance; singular where something is unseen
    covariance: Array  # (k, k), of what is seen
    condition: float  # of the scaled columns, over what is seen
    unseen: Array  # (k − rank, k), directions that change no row
    residual: Array  # y − A x, row by row
    # of a row: 1 where the noise was known, else from the residual (NaN if no row is left over)
    variance: float

    @property
    def rank(self) -> int:
        return len(self.values) - len(self.unseen)

    @cached_property
    def leading(self) -> list[int]:
        """The unknowns that begin the unseen directions."""
        return [int(np.flatnonzero(row)[0]) for row in self.unseen]

    @cached_property
    def seen(self) -> Array:
        """(rank, k): combinations of the unknowns that the rows decide."""
        rest = [k for k in range(len(self.values)) if k not in self.leading]
        weights = np.eye(len(self.values))[rest]
        weights[:, self.leading] = -self.unseen[:, rest].T
        return weights

    @property
    def decided(self) -> Array:
        """(k,): which unknowns the rows decide by themselves."""
        return ~np.any(self.unseen != 0, axis=0)

    @property
    def deviations(self) -> Array:
        """(k,): the standard deviation of every unknown, infinite where the rows leave it open."""
        return np.where(self.decided, np.sqrt(np.diag(self.covariance)), np.inf)

    def deviation(self, weights: Any) -> Array:
        """The standard deviation (...) of combinations (..., k) that are seen."""
        w = np.asarray(weights, dtype=float)
        return np.sqrt(np.einsum("...i,ij,...j->...", w, self.covariance, w))


def least_squares(
    A: Array, y: Array, *, unit_noise: bool = False, prior: tuple[Array, Array] | None = None
) -> Solution:
    """The unknowns x (k,) behind y (N,) = A (N, k) x + noise.

    With ``unit_noise`` every row has standard deviation 1; without, one for all is taken from the residual.
    ``prior`` is what was known before: values (k,) and their information (k, k).
    """
    if prior is not None and not unit_noise:
        raise ArgumentError("a prior is weighed against the noise of the rows: the noise must be known.")
    rows, right = (A, y) if prior is None else _with_prior(A, y, *prior)
    scale = np.linalg.norm(rows, axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    U, s, V = _svd(rows / scale)
    rank = int(np.sum(s > LEAST * s[0])) if s[0] > 0 else 0
    along = V[:rank] / scale
    values = along.T @ (U.T[:rank] @ right / s[:rank])
    residual = y - A @ values
    left = len(y) - rank
    variance = 1.0 if unit_noise else float(residual @ residual) / left if left > 0 else np.nan
    return Solution(
        values,
        rows.T @ rows / variance if variance else rows.T @ rows,
        variance * (along.T / s[:rank] ** 2) @ along,
        float(s[0] / s[rank - 1]) if rank else np.inf,
        _unseen(V[rank:], scale),
        residual,
        variance,
    )


def _with_prior(A: Array, y: Array, values: Array, information: Array) -> tuple[Array, Array]:
    """The rows, and those that a prior is worth."""
    weights, V = np.linalg.eigh(information)
    rows = np.sqrt(np.maximum(weights, 0.0))[:, None] * V.T
    return np.vstack([A, rows]), np.concatenate([y, rows @ values])


def _svd(A: Array) -> tuple[Array, Array, Array]:
    """U, s, V with all k rows of V, however few rows A has."""
    missing = max(A.shape[1] - A.shape[0], 0)
    U, s, V = np.linalg.svd(np.vstack([A, np.zeros((missing, A.shape[1]))]), full_matrices=False)
    return U[: A.shape[0]], s, V


def _unseen(Z: Array, scale: Array) -> Array:
    """A basis of scaled directions in reduced form, in units: leading ones, zeros in the columns of the others'."""
    Z, done = Z.copy(), 0
    for k in range(Z.shape[1]):
        if done == len(Z):
            break
        best = done + int(np.argmax(np.abs(Z[done:, k])))
        if abs(Z[best, k]) < ZERO:
            Z[done:, k] = 0.0
            continue
        Z[[done, best]] = Z[[best, done]]
        Z[done] /= Z[done, k]
        others = np.arange(len(Z)) != done
        Z[others] -= np.outer(Z[others, k], Z[done])
        done += 1
    Z[np.abs(Z) < ZERO * np.abs(Z).max(axis=1, keepdims=True, initial=0.0)] = 0.0
    directions = Z / scale
    return np.array([row / row[np.flatnonzero(row)[0]] for row in directions]).reshape(Z.shape)
