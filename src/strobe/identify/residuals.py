"""Whether what is left of torques is white noise, and what it does to error bars where it is not.

    c_l = Σ_t r_t r_{t+l} / N        Q = N (N + 2) Σ_l (c_l − E c_l)² / (c_0² (N − l)) ~ χ²

E c_l is what white noise would have left: the band makes neighbours a little alike, and what was fitted takes some
of it away, E c_l = σ² (ρ_l − tr(C Σ A_tᵀ A_{t+l}) / N). Where a joint's Q is too large for chance, the same lags make
its rows worth less: C becomes C + C (Σ_l w_l (c_l − E c_l) Σ_t A_tᵀ A_{t+l} + its transpose) C / σ⁴, and nothing is
known better by it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import chi2

from strobe.errors import counted
from strobe.identify.torque_fit import LEAST, TorqueFit
from strobe.identify.torque_rows import Readings
from strobe.show.sheet import displayed

Array = np.ndarray

LAGS = 12  # kept rows that are looked at after each
LOOKED_AT = 20_000  # kept rows, from the first
CHANCE = 0.01  # below it, what is left of a joint is not taken as white
FEWEST = 4  # rows for each lag


@displayed
@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """What is left of the torques of each joint, from row to row."""

    chance: Array  # (joints,): that white noise looks so; NaN where rows are too few
    likeness: Array  # (joints, LAGS): autocorrelation beyond that of white noise in the band

    @property
    def white(self) -> Array:
        """(joints,): whether each can be noise."""
        return ~(self.chance < CHANCE)

    def __str__(self) -> str:
        told = "; ".join(f"joint {j + 1}: {100 * x:.1f} %" for j, x in enumerate(self.chance))
        white = f"white in {self.white.sum()} of {counted(len(self.chance), 'joint')}"
        return f"residuals, {white}\nas unlike white noise by chance: {told}"


def judged(readings: Readings, fit: TorqueFit) -> tuple[Residuals, TorqueFit]:
    """Whether residuals are white, and the fit with error bars that hold where they are not."""
    layout = readings.model.layout
    n = layout.joints
    c, pairs, expected = np.zeros((n, LAGS + 1)), np.zeros((n, LAGS + 1)), np.zeros((n, LAGS + 1))
    size = layout.base + layout.friction
    M = np.zeros((n, LAGS + 1, size, size))
    seen = 0
    for rows in readings.rows(fit.values):
        left = (rows.effort - rows.torques(fit.values)) / fit.noise
        for j in range(n):
            A, _ = rows.columns(j, slice(None))
            m = rows.tells[:, j].astype(float)
            A, r = A * (m / fit.noise[j])[:, None], left[:, j] * m
            for lag in range(LAGS + 1 if len(r) > LAGS else 0):
                here, there = slice(0, len(r) - lag), slice(lag, None)
                c[j, lag] += r[here] @ r[there]
                pairs[j, lag] += m[here] @ m[there]
                M[j, lag] += A[here].T @ A[there]
                expected[j, lag] += rows.band.likeness(lag) * (m[here] @ m[there]) * rows.worth
        seen += len(rows.times)
        if seen > LOOKED_AT:
            break
    chance, likeness = np.full(n, np.nan), np.zeros((n, LAGS))
    extra = np.zeros((layout.unknowns, layout.unknowns))
    for j in range(n):
        if pairs[j, LAGS] < FEWEST * LAGS:
            continue
        own = layout.of(j)
        C = fit.covariance[np.ix_(own, own)]
        taken = np.einsum("ab,lba->l", C, M[j])
        beyond = (c[j] - expected[j] + taken)[1:] / max(c[j, 0], 1e-300)
        count, lags = pairs[j, 0], np.arange(1, LAGS + 1)
        Q = count * (count + 2) * float((beyond**2 / (count - lags)).sum())
        chance[j], likeness[j] = float(chi2.sf(Q, LAGS)), beyond
        if chance[j] < CHANCE:
            weights = 1 - lags / (LAGS + 1)
            S = np.einsum("l,lab->ab", weights * beyond, M[j][1:])
            extra[np.ix_(own, own)] += S + S.T
    return Residuals(chance, likeness), _widened(fit, extra) if extra.any() else fit


def _widened(fit: TorqueFit, extra: Array) -> TorqueFit:
    """The fit with what colour adds to its covariance; no direction is known better than by white noise."""
    free = np.flatnonzero(np.diag(fit.covariance) > 0)
    covariance = np.zeros_like(fit.covariance)
    root, _ = _roots(fit.rows[:, [*free, -1]])
    more, turned = _more(root, extra[np.ix_(free, free)])
    spread = root @ (turned * np.sqrt(more))
    covariance[np.ix_(free, free)] = spread @ spread.T
    root, rows = _roots(fit.rows)
    more, turned = _more(root, extra)
    return replace(fit, covariance=covariance, rows=(turned / np.sqrt(more)).T @ rows)


def _more(root: Array, extra: Array) -> tuple[Array, Array]:
    """By which factors variances grow along which directions of a root of the covariance."""
    values, vectors = np.linalg.eigh(root.T @ extra @ root)
    return 1 + np.maximum(values, 0.0), vectors


def _roots(rows: Array) -> tuple[Array, Array]:
    """A root of the covariance that rows have, and as many rows as say the same, which it makes independent."""
    A, y = rows[:, :-1], rows[:, -1]
    scale = np.linalg.norm(A, axis=0)
    scale[scale == 0] = 1.0
    U, s, V = np.linalg.svd(A / scale, full_matrices=False)
    seen = s > LEAST * s[0]
    whole = np.column_stack([s[seen, None] * V[seen] * scale, U[:, seen].T @ y])
    return (V[seen] / scale).T / s[seen], whole
