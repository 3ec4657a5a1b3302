"""Estimators of what torques are linear in: which rows weigh how much, and what rates that are wrong do.

    ordinary       min Σ |A x − y|²                   every joint weighs the same
    weighted       min Σ_j |A_j x − y_j|² / σ_j²      each by what is left of it
    robust         the same with weights ψ(u)/u of every row, u = (A x − y)/σ: Huber's, then Tukey's
    instrumental   Σ Zᵀ(A x − y) = 0                  A from one half of the positions, Z from the other
    total          (Σ AᵀA − DᵀD) x = Σ Aᵀy            D half of what the two halves differ by

Noise of positions is in A, and draws what multiplies it towards nothing. Every other row of a log, and those between
them, are two readings of one motion whose errors are not the same: products of the two are free of them, and what
they differ by says how large they are. Both estimators are without that bias; the second is least squares over all
rows with the errors of A taken out, which is total least squares with known errors of A.

Where a joint hardly moves, the error of its rate may turn its Coulomb friction round: such rows weigh less, as if
what may be wrong with them were noise. All passes keep a triangle for each joint and part of the log (`torque_fit`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from strobe.identify.even_samples import Stretch
from strobe.identify.torque_fit import Layout, TorqueFit, Triangle, fitted, left_over, ordinary
from strobe.identify.torque_rows import Readings, Rows

Array = np.ndarray
Weigh = Callable[[Rows], Array]

ESTIMATORS = ("weighted", "ordinary", "robust", "instrumental", "total")
HALVED = ("instrumental", "total")
ROUNDS = 4  # in which friction under load and the load find each other
WEIGHINGS = 5  # in which joints find their weights
FOLDS = 5  # parts of the rows, one of which is left out at a time
HUBER, TUKEY = 1.345, 4.685  # standard deviations: 95 % of what least squares tell of normal noise
HUBERS, TUKEYS = 6, 3  # passes of each
SURE = 0.9  # a weight below it is one that another pass makes a difference to


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """What rows say, and by parts of them."""

    fit: TorqueFit
    folds: list[list[Triangle]]  # by part of the rows, then joint


def estimated(
    readings: Readings, parts: Sequence[int], estimator: str, weighings: int = WEIGHINGS
) -> Estimate:
    """Base parameters and friction of the rows of logs; of instrumental and total ones, where they begin."""
    layout, model = readings.model.layout, readings.model
    found, weigh = None, _evenly
    for _ in range(ROUNDS if model.needs_load else 1):
        folds = _folds(readings, None if found is None else found.fit.values, weigh)
        found = _solved(layout, folds, parts, estimator, weighings)
        weigh = _sureness(readings, found.fit)
    assert found is not None
    if not model.needs_load and _matters(readings, weigh):
        found = _solved(layout, _folds(readings, None, weigh), parts, estimator, weighings)
        weigh = _sureness(readings, found.fit)
    return _robust(readings, parts, found, weigh) if estimator == "robust" else found


def _solved(
    layout: Layout, folds: list[list[Triangle]], parts: Sequence[int], estimator: str, weighings: int
) -> Estimate:
    triangles = merged(layout, folds)
    if estimator == "ordinary":
        return Estimate(ordinary(layout, triangles, parts), folds)
    return Estimate(fitted(layout, triangles, parts, weighings), folds)


def merged(layout: Layout, folds: Sequence[Sequence[Triangle]]) -> list[Triangle]:
    """The triangles of several parts as one for each joint."""
    triangles = layout.empty()
    for fold in folds:
        for triangle, part in zip(triangles, fold, strict=True):
            triangle.join(part)
    return triangles


def _folds(readings: Readings, values: Array | None, weigh: Weigh) -> list[list[Triangle]]:
    """Triangles by part: stretches take turns, and where there are few, pieces of them do."""
    layout = readings.model.layout
    folds = [layout.empty() for _ in range(FOLDS)]
    turn = 0
    for rows in readings.rows(values):
        weights = np.sqrt(weigh(rows))
        for some in np.array_split(np.arange(len(rows.times)), FOLDS):
            for j, triangle in enumerate(folds[turn % FOLDS]):
                A, y, kept = rows.of(j, some)
                w = weights[kept, j]
                triangle.add(A * w[:, None], y * w, rows.worth)
            turn += 1
    return folds


def _evenly(rows: Rows) -> Array:
    return np.ones_like(rows.effort)


def _sureness(readings: Readings, fit: TorqueFit) -> Weigh:
    """Weights by how much of a row the error of a rate may turn round, against the noise."""
    model, layout = readings.model, readings.model.layout
    if not model.jumps:
        return _evenly
    own = fit.values[layout.base :].reshape(layout.joints, layout.friction)
    jumps = np.abs(own[:, model.jumps]).sum(axis=1) / np.maximum(fit.noise, 1e-300)
    return lambda rows: 1 / (1 + (rows.unsure * jumps) ** 2)


def _matters(readings: Readings, weigh: Weigh) -> bool:
    return weigh is not _evenly and any((weigh(rows) < SURE).any() for rows in readings.rows())


def beside(
    readings: Readings, changes: Callable[[Stretch, Rows], Array], parts: Sequence[int]
) -> tuple[Array, Array]:
    """The factor of one more column (M, n) of each joint, found beside all others, and its standard deviation."""
    layout = readings.model.layout
    wider = Layout(layout.base, layout.friction + 1, layout.joints)
    triangles = wider.empty()
    for piece, rows in readings.pairs():
        changed, every = changes(piece, rows), np.arange(len(rows.times))
        for j, triangle in enumerate(triangles):
            A, y, kept = rows.of(j, every)
            triangle.add(np.column_stack([A, changed[kept, j]]), y, rows.worth)
    b, f = layout.base, layout.friction
    inner = [k if k < b else b + (k - b) // f * (f + 1) + (k - b) % f for k in parts]
    found = fitted(wider, triangles, inner, WEIGHINGS)
    places = b + f + (f + 1) * np.arange(layout.joints)
    return found.values[places], found.deviations[places]


# -- robust -----------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Seen:
    """What a pass sums up of residuals in units of their scale, joint by joint."""

    rows: Array
    clipped: Array  # of min(u², k²)
    weight: Array
    bent: Array  # of ψ²
    slope: Array  # of ψ′


def _robust(readings: Readings, parts: Sequence[int], begun: Estimate, sure: Weigh) -> Estimate:
    """Huber's weights with a scale found beside them, then Tukey's, which give far rows none."""
    layout, n = readings.model.layout, readings.model.layout.joints
    found, scale, folds = begun, begun.fit.noise.copy(), begun.folds
    clipped = _clipped(HUBER)
    for k in range(HUBERS + TUKEYS):
        seen = _Seen(*(np.zeros(n) for _ in range(5)))
        psi = _huber if k < HUBERS else _tukey

        def weigh(
            rows: Rows, fit: TorqueFit = found.fit, seen: _Seen = seen, scale: Array = scale, psi=psi
        ) -> Array:
            u = (rows.effort - rows.torques(fit.values)) / (scale * np.sqrt(rows.worth))
            weight, slope = psi(u)
            certain, tells = sure(rows), rows.tells
            u = u * np.sqrt(certain)
            seen.rows += tells.sum(axis=0)
            seen.clipped += (np.minimum(u**2, HUBER**2) * tells).sum(axis=0)
            seen.weight += (weight * tells).sum(axis=0)
            seen.bent += ((weight * u) ** 2 * tells).sum(axis=0)
            seen.slope += (slope * tells).sum(axis=0)
            return weight * certain

        folds = _folds(readings, found.fit.values, weigh)
        count = np.maximum(seen.rows, 1.0)
        flat = np.maximum(seen.slope / count, 0.05)
        noise = scale * np.sqrt(seen.weight / count * seen.bent / count) / flat
        triangles = merged(layout, folds)
        found = Estimate(fitted(layout, triangles, parts, noise=np.maximum(noise, 1e-12)), folds)
        if k < HUBERS:
            scale = np.maximum(scale * np.sqrt(seen.clipped / count / clipped), 1e-12)
    return found


def _huber(u: Array) -> tuple[Array, Array]:
    """ψ(u)/u and ψ′."""
    size = np.abs(u)
    return np.minimum(1.0, HUBER / np.maximum(size, 1e-300)), (size <= HUBER).astype(float)


def _tukey(u: Array) -> tuple[Array, Array]:
    t = np.minimum((u / TUKEY) ** 2, 1.0)
    return (1 - t) ** 2, (1 - t) * (1 - 5 * t)


def _clipped(k: float) -> float:
    """E min(z², k²) of a normal z."""
    inside = 2 * norm.cdf(k) - 1
    return float(inside - 2 * k * norm.pdf(k) + k**2 * (1 - inside))


# -- errors of positions ----------------------------------------------------------------------------


def unbiased(
    layout: Layout,
    halves: Sequence[tuple[Rows, Rows]],
    parts: Sequence[int],
    estimator: str,
    begun: TorqueFit,
) -> TorqueFit:
    """What two readings of every motion say without the bias that errors of positions make."""
    p = layout.base + layout.friction
    triangles = [Triangle(np.zeros((2 * p + 1, 2 * p + 1))) for _ in range(layout.joints)]
    for one, other in halves:
        for j, triangle in enumerate(triangles):
            both = one.tells[:, j] & other.tells[:, j]
            (A, y), (Z, _) = one.columns(j, both), other.columns(j, both)
            triangle.add(np.column_stack([Z, A]), y, one.worth)
    free = np.setdiff1d(np.arange(layout.unknowns), parts)
    size, noise = layout.unknowns, begun.noise
    found = begun
    for _ in range(WEIGHINGS):
        X, b, V = np.zeros((size, size)), np.zeros(size), np.zeros((size, size))
        for j, triangle in enumerate(triangles):
            Z, A, y = (
                triangle.R[:, :p] / noise[j],
                triangle.R[:, p:-1] / noise[j],
                triangle.R[:, -1] / noise[j],
            )
            if estimator == "total":
                mean, apart = (A + Z) / 2, (A - Z) / 2
                blocks = mean.T @ mean - apart.T @ apart, mean.T @ y, mean.T @ mean
            else:
                blocks = Z.T @ A, Z.T @ y, Z.T @ Z
            own = layout.of(j)
            X[np.ix_(own, own)] += blocks[0]
            b[own] += blocks[1]
            V[np.ix_(own, own)] += blocks[2]
        found = _moments(layout, X, b, V, free, noise, begun)
        joints = [Triangle(_joined(t.R, p), t.rows) for t in triangles]
        noise = left_over(joints, found, layout, len(free))
    return found


def _joined(R: Array, p: int) -> Array:
    """The triangle of the mean of two readings and the right side."""
    whole = np.column_stack([(R[:, :p] + R[:, p:-1]) / 2, R[:, -1]])
    return np.asarray(np.linalg.qr(whole, mode="r"))


def _moments(
    layout: Layout, X: Array, b: Array, V: Array, free: Array, noise: Array, begun: TorqueFit
) -> TorqueFit:
    """The x of X x = b with V the covariance of what is on the right side, as a fit."""
    own = np.ix_(free, free)
    scale = np.sqrt(np.diag(V)[free])
    scale[scale == 0] = 1.0
    U, s, W = np.linalg.svd(X[own] / np.outer(scale, scale))
    kept = s > 1e-12 * s[0]
    inverse = (W[kept].T / s[kept]) @ U[:, kept].T / np.outer(scale, scale)
    values, covariance = np.zeros(layout.unknowns), np.zeros_like(X)
    values[free] = inverse @ b[free]
    covariance[own] = inverse @ V[own] @ inverse.T
    return TorqueFit(values, covariance, begun.open, noise, _informed(X, b, V))


def _informed(X: Array, b: Array, V: Array) -> Array:
    """Rows of least squares that say what X x = b says, V the covariance of its right side."""
    scale = np.sqrt(np.diag(V))
    scale[scale == 0] = 1.0
    w, Q = np.linalg.eigh(V / np.outer(scale, scale))
    kept = w > 1e-14 * w[-1]
    whiten = (Q[:, kept] / np.sqrt(w[kept])).T / scale
    return np.column_stack([whiten @ X, whiten @ b])
