"""Least squares over torques, joint by joint and chunk by chunk: what is kept is a triangle for each joint.

    [A_j  y_j] = Q_j R_j        Σ_j w_j² |A_j x − y_j|² = Σ_j w_j² |R_j (x, −1)|²

whatever the number of rows; weights of joints, bounds and priors then cost nothing. The columns of a joint are those
of the base regressor, which all joints share, and the terms of its own friction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Array = np.ndarray

LEAST = 1e-9  # singular values below this part of the largest are rounding
ZERO = 1e-6  # so are entries of an open direction, of length 1
TINY = 1e-24  # of a variance: rows without noise have some


@dataclass(slots=True, eq=False)
class Triangle:
    """R of the rows (A, y) of one joint."""

    R: Array  # (p + 1, p + 1)
    rows: float = 0.0  # how many independent ones they are worth

    def add(self, A: Array, y: Array, worth: float = 1.0) -> None:
        size = len(self.R)
        self.R = np.asarray(np.linalg.qr(np.vstack([self.R, np.column_stack([A, y])]), mode="r"))[:size]
        self.rows += len(y) * worth

    def join(self, other: Triangle) -> None:
        """Take the rows of another one too."""
        self.R = np.asarray(np.linalg.qr(np.vstack([self.R, other.R]), mode="r"))[: len(self.R)]
        self.rows += other.rows

    def residual(self, x: Array) -> float:
        """|A x − y|²."""
        left = self.R @ np.append(x, -1.0)
        return float(left @ left)

    @property
    def size(self) -> float:
        """|y|²."""
        return float(self.R[:, -1] @ self.R[:, -1])


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where unknowns stand: base parameters first, then the friction of each joint."""

    base: int
    friction: int  # of each joint
    joints: int

    @property
    def unknowns(self) -> int:
        return self.base + self.friction * self.joints

    def of(self, joint: int) -> Array:
        """The unknowns that a joint's rows depend on."""
        first = self.base + joint * self.friction
        return np.r_[0 : self.base, first : first + self.friction]

    def empty(self) -> list[Triangle]:
        size = self.base + self.friction + 1
        return [Triangle(np.zeros((size, size))) for _ in range(self.joints)]


@dataclass(frozen=True, slots=True, eq=False)
class TorqueFit:
    """The unknowns that fit best, and how well they are known."""

    values: Array  # (unknowns,), 0 where they are part of others
    covariance: Array  # (unknowns, unknowns), of what the rows decide
    open: Array  # (·, unknowns), directions that change no row
    noise: Array  # (joints,), the standard deviation of a row
    rows: (
        Array  # (·, unknowns + 1), what all data say: a triangle in units of the noise, and its right side
    )

    @property
    def deviations(self) -> Array:
        """(unknowns,): standard deviations, infinite where rows leave an unknown open."""
        left = np.abs(self.open).max(axis=0, initial=0.0) > ZERO
        return np.where(left, np.inf, np.sqrt(np.diag(self.covariance)))


def fitted(
    layout: Layout, triangles: Sequence[Triangle], parts: Sequence[int] = (), rounds: int = 5,
    noise: Array | None = None,
) -> TorqueFit:  # fmt: skip
    """Weighted least squares, with the noise of each joint from what is left of its own rows, unless it is given.

    ``parts`` are unknowns that others hold already, and that stay 0.
    """
    free = np.setdiff1d(np.arange(layout.unknowns), parts)
    if noise is not None:
        return _whole(layout, triangles, noise, free)
    noise = np.array([np.sqrt(t.size / max(t.rows, 1)) or 1.0 for t in triangles])
    for _ in range(rounds):
        noise = left_over(triangles, _whole(layout, triangles, noise, free), layout, len(free))
    return _whole(layout, triangles, noise, free)


def ordinary(layout: Layout, triangles: Sequence[Triangle], parts: Sequence[int] = ()) -> TorqueFit:
    """Least squares in which every joint weighs the same, with error bars by the noise of each."""
    free = np.setdiff1d(np.arange(layout.unknowns), parts)
    even = np.ones(layout.joints)
    found = _whole(layout, triangles, even, free)
    noise = left_over(triangles, found, layout, len(free))
    rows = stacked(layout, triangles, even / np.maximum(noise, 1e-300))  # R σ, joint by joint
    spread = rows[:, :-1] @ found.covariance
    all_rows = stacked(layout, triangles, np.full(layout.joints, np.sqrt(np.mean(noise**2)) or 1.0))
    return TorqueFit(found.values, spread.T @ spread, found.open, noise, all_rows)


def left_over(triangles: Sequence[Triangle], found: TorqueFit, layout: Layout, free: int) -> Array:
    """The standard deviation of a row of each joint, by what is left of it."""
    spare = max(1 - (free - len(found.open)) / max(sum(t.rows for t in triangles), 1.0), LEAST)
    left = [t.residual(found.values[layout.of(j)]) for j, t in enumerate(triangles)]
    pairs = zip(left, triangles, strict=True)
    return np.sqrt([max(x / max(t.rows * spare, 1.0), TINY) for x, t in pairs])


def _whole(layout: Layout, triangles: Sequence[Triangle], noise: Array, free: Array) -> TorqueFit:
    return TorqueFit(*_solved(layout, triangles, noise, free), noise, stacked(layout, triangles, noise))


def _solved(
    layout: Layout, triangles: Sequence[Triangle], noise: Array, free: Array
) -> tuple[Array, Array, Array]:
    """The unknowns, their covariance, and the directions that are left open."""
    rows = stacked(layout, triangles, noise)
    A, y = rows[:, free], rows[:, -1]
    scale = np.linalg.norm(A, axis=0)
    scale[scale == 0] = 1.0
    U, s, V = np.linalg.svd(A / scale, full_matrices=False)
    seen = s > LEAST * s[0]
    along = V[seen] / scale
    x, open_ = np.zeros(layout.unknowns), np.zeros((int((~seen).sum()), layout.unknowns))
    covariance = np.zeros((layout.unknowns, layout.unknowns))
    x[free] = along.T @ (U.T[seen] @ y / s[seen])
    covariance[np.ix_(free, free)] = (along.T / s[seen] ** 2) @ along
    open_[:, free] = V[~seen] / scale
    open_ /= np.linalg.norm(open_, axis=1, keepdims=True)
    return x, covariance, open_


def stacked(layout: Layout, triangles: Sequence[Triangle], noise: Array) -> Array:
    """The triangles of all joints in their own units of noise, below each other."""
    rows = []
    for j, triangle in enumerate(triangles):
        whole = np.zeros((len(triangle.R), layout.unknowns + 1))
        whole[:, np.append(layout.of(j), -1)] = triangle.R / noise[j]
        rows.append(whole)
    return np.vstack(rows)
