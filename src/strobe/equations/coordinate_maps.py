"""A change of coordinates over numbers: the positions of joints as a function q = map(φ), and its derivatives.

    T = ∂q/∂φ        q̇ = T φ̇        q̈ = T φ̈ + Ṫ φ̇        Q = Tᵀ τ

Dual numbers give them exactly, and fold what does not depend on φ. Where a joint has a quaternion the map gives that,
of any length, and T leads to the velocity of the joint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from strobe.algebra.rows import dot
from strobe.models.joints import Joint
from strobe.scalars import DualSystem, Graph, Num, Numbers
from strobe.scalars.scalar import is_number

Map: TypeAlias = Callable[[Numbers], Sequence[Num]]
Matrix: TypeAlias = Sequence[Numbers]  # by rows


@dataclass(frozen=True, slots=True)
class Linear:
    """x ↦ A x + b."""

    rows: tuple[tuple[float, ...], ...]
    offset: tuple[float, ...]

    def __call__(self, x: Numbers) -> list[Num]:
        return [dot(x, row) + b for row, b in zip(self.rows, self.offset, strict=True)]

    def inverse(self) -> Linear:
        back = np.linalg.inv(self.rows)
        return Linear(rows(back), tuple((-back @ self.offset).tolist()))


@dataclass(frozen=True, eq=False)
class Change:
    """The positions of joints as a function of φ, how these joints move, and the way back if it is known."""

    map: Map
    joints: tuple[Joint, ...]
    inverse: Map | None = None

    @cached_property
    def n(self) -> int:
        """Degrees of freedom, which are as many coordinates."""
        return sum(joint.nv for joint in self.joints)

    def positions(self, phi: Numbers) -> list[Num]:
        """q."""
        return list(self.map(phi))

    def from_positions(self, q: Numbers) -> list[Num]:
        """φ, by the inverse of the map."""
        assert self.inverse is not None
        return list(self.inverse(q))

    def velocity(self, phi: Numbers, phid: Numbers) -> list[Num]:
        """T φ̇."""
        q, qd = _with_rates(self.map, phi, phid)
        return [rate for joint in self.joints for rate in joint.velocity(q, qd)]

    def acceleration(self, phi: Numbers, phid: Numbers, phidd: Numbers) -> list[Num]:
        """T φ̈ + Ṫ φ̇."""
        n = self.n
        return _with_rates(lambda x: self.velocity(x[:n], x[n:]), [*phi, *phid], [*phid, *phidd])[1]

    def T(self, phi: Numbers) -> list[list[Num]]:
        """∂q/∂φ, by rows."""
        return transposed([self.velocity(phi, unit) for unit in self._units()])

    def T_dot(self, phi: Numbers, phid: Numbers) -> list[list[Num]]:
        """The rate of T while φ moves with φ̇."""

        def column(unit: Numbers) -> list[Num]:
            return _with_rates(lambda x: self.velocity(x, unit), phi, phid)[1]

        return transposed([column(unit) for unit in self._units()])

    def motion(self, phi: Numbers, phid: Numbers, phidd: Numbers) -> list[Num]:
        """q, q̇ and q̈, one after the other."""
        qd, qdd = self.velocity(phi, phid), self.acceleration(phi, phid, phidd)
        return [*self.positions(phi), *qd, *qdd]

    def forces(self, phi: Numbers, tau: Numbers) -> list[Num]:
        """Q = Tᵀ τ."""
        return [dot(tau, column) for column in transposed(self.T(phi))]

    def _units(self) -> list[list[float]]:
        return [[float(i == j) for i in range(self.n)] for j in range(self.n)]

    @cached_property
    def linear(self) -> Linear | None:
        """The map as a matrix, where it is one and every joint has one number."""
        if not all(joint.additive for joint in self.joints):
            return None
        graph = Graph()
        T = self.T([graph.variable(f"phi[{k}]") for k in range(self.n)])
        if not all(is_number(entry) for row in T for entry in row):
            return None
        return Linear(rows(T), tuple(map(float, self.positions([0.0] * self.n))))  # pyright: ignore[reportArgumentType]


def _with_rates(function: Map, x: Numbers, xd: Numbers) -> tuple[list[Num], list[Num]]:
    """The value of a function and its rate while its argument moves."""
    system = DualSystem()
    results = [system.lower(y) for y in function([system.seed(a, b) for a, b in zip(x, xd, strict=True)])]
    return [y.value for y in results], [y.tangent for y in results]


# -- matrices over numbers ----------------------------------------------------------------------------


def transposed(A: Matrix) -> list[list[Num]]:
    return [list(column) for column in zip(*A, strict=True)]


def product(A: Matrix, B: Matrix) -> list[list[Num]]:
    columns = transposed(B)
    return [[dot(row, column) for column in columns] for row in A]


def rows(matrix: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, row)) for row in matrix)
