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


@dataclass(slots=True, eq=False)
class Triangle:
    """R of the rows (A, y) of one joint."""

    R: Array  # (p + 1, p + 1)
    rows: int = 0

    def add(self, A: Array, y: Array) -> None:
        size = len(self.R)
        self.R = np.linalg.qr(np.vstack([self.R, np.column_stack([A, y])]), mode="r")[:size]
        self.rows += len(y)

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

    values: Array  # (unknowns,)
    information: Array  # the inverse of their covariance
    noise: Array  # (joints,), the standard deviation of a row
    rank: int

    @property
    def covariance(self) -> Array:
        return np.linalg.pinv(self.information, hermitian=True)


def fitted(layout: Layout, triangles: Sequence[Triangle], rounds: int = 5) -> TorqueFit:
    """Weighted least squares, with the noise of each joint from what is left of its own rows."""
    noise = np.array([np.sqrt(t.size / max(t.rows, 1)) or 1.0 for t in triangles])
    x, rank = np.zeros(layout.unknowns), 0
    for _ in range(rounds):
        x, rank = _solved(layout, triangles, noise)
        spare = 1 - rank / sum(t.rows for t in triangles)
        noise = np.array(
            [np.sqrt(t.residual(x[layout.of(j)]) / (t.rows * spare)) for j, t in enumerate(triangles)]
        )
    return TorqueFit(x, information(layout, triangles, noise), noise, rank)


def _solved(layout: Layout, triangles: Sequence[Triangle], noise: Array) -> tuple[Array, int]:
    rows = stacked(layout, triangles, noise)
    A, y = rows[:, :-1], rows[:, -1]
    scale = np.linalg.norm(A, axis=0)
    scale[scale == 0] = 1.0
    x, _, rank, _ = np.linalg.lstsq(A / scale, y, rcond=1e-10)
    return x / scale, int(rank)


def stacked(layout: Layout, triangles: Sequence[Triangle], noise: Array) -> Array:
    """The triangles of all joints in their own units of noise, below each other."""
    rows = []
    for j, triangle in enumerate(triangles):
        whole = np.zeros((len(triangle.R), layout.unknowns + 1))
        whole[:, np.append(layout.of(j), -1)] = triangle.R / noise[j]
        rows.append(whole)
    return np.vstack(rows)


def information(layout: Layout, triangles: Sequence[Triangle], noise: Array) -> Array:
    A = stacked(layout, triangles, noise)[:, :-1]
    return A.T @ A
