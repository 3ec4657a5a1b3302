"""Parallel linkages as open chains that share their independent coordinates θ. [Decomposition2012]

    q_k = φ_k(θ)      T_k = ∂φ_k/∂θ      D = Σ T_kᵀ D_k T_k      C = Σ T_kᵀ (C_k T_k + D_k Ṫ_k)      G = Σ T_kᵀ G_k

    D θ̈ + C θ̇ + G = u

D_k, C_k and G_k are those of chain k alone. Loops need no forces, as long as every chain is a function of θ; where T
is constant Ṫ drops out. A map is written over numbers, as for `strobe.trace`.

    combined([Chain(front, lambda t: [t[0], t[1] - t[0]]), Chain(back, lambda t: [t[1], t[0] - t[1]])], θ, θ̇)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked, in_precision, precision
from strobe.compiler.runtime.traced import Traced, trace
from strobe.equations.coordinate_maps import Change
from strobe.errors import ArgumentError, ShapeError, shown
from strobe.robot import Robot, require_robot
from strobe.scalars import Num, Numbers
from strobe.show.sheet import Sheet, displayed, matrix, numbered, states

Array = np.ndarray


@displayed
@dataclass(frozen=True, eq=False)
class Chain:
    """An open chain, and its positions as a function of the shared coordinates."""

    robot: Robot
    map: Callable[[Numbers], Sequence[Num]]
    _traced: dict[int, tuple[Traced, Traced, Traced]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        require_robot(self.robot)

    def _sheet(self) -> Sheet:
        return Sheet(f"{self.robot.name} as a function of shared coordinates")

    def following(self, m: int) -> tuple[Traced, Traced, Traced]:
        """q and T as compiled functions of m coordinates θ, and Ṫ of θ and θ̇; made once."""
        if m not in self._traced:
            self._traced[m] = self._made(m)
        return self._traced[m]

    def _made(self, m: int) -> tuple[Traced, Traced, Traced]:
        change = _Shared(self.map, self.robot.coordinates.joints, m)
        q = trace(change.positions, phi=m)
        if q.shape != (self.robot.nq,):
            raise ShapeError(
                f"the map of {self.robot.name}", q.shape, f"({self.robot.nq},)", self.robot.shape_reason
            )
        return q, trace(change.T, phi=m), trace(change.T_dot, phi=m, phid=m)


@displayed
@dataclass(frozen=True, eq=False)
class Part:
    """One chain at states (...): its own matrices, and how it follows θ."""

    T: Array  # (..., n_k, m)
    T_dot: Array  # (..., n_k, m)
    D: Array  # (..., n_k, n_k)
    C: Array  # (..., n_k, n_k)
    G: Array  # (..., n_k)

    def _sheet(self) -> Sheet:
        return _matrices("one chain", self.D, self.C, self.G)


@displayed
@dataclass(frozen=True, eq=False)
class Combined:
    """The dynamics of all chains together at states (...) of m shared coordinates, and those of each."""

    D: Array  # (..., m, m)
    C: Array  # (..., m, m)
    G: Array  # (..., m)
    chains: tuple[Part, ...]

    def _sheet(self) -> Sheet:
        return _matrices(f"{len(self.chains)} chains together", self.D, self.C, self.G)


def _matrices(of: str, D: Array, C: Array, G: Array) -> Sheet:
    names = numbered("", D.shape[-1])
    head = f"the dynamics of {of} (kg m², N m; kg, N){states(D.shape[:-2])}"
    parts = {"D": (D, names), "C": (C, names), "G": (G[..., None], [""])}
    return Sheet(head, [p for name, (x, columns) in parts.items() for p in matrix(name, x, names, columns)])


def combined(chains: Sequence[Chain], theta: Any, theta_d: Any, *, form: str = "christoffel") -> Combined:
    """D, C and G of a parallel linkage at θ, θ̇ (..., m); ``form`` is that of the C of each chain."""
    if not isinstance(chains, Sequence) or not all(isinstance(chain, Chain) for chain in chains):
        raise ArgumentError(
            f"chains is {shown(chains)}; expected a list of Chain, the open chains of the linkage."
        )
    if not chains:
        raise ArgumentError("chains is empty; expected the open chains that make up the linkage.")
    x = checked("theta", theta, (), "").astype(float)
    if not x.ndim:
        raise ShapeError("theta", x.shape, "(..., m)", "it holds the coordinates that the chains share")
    xd = checked("theta_d", theta_d, x.shape[-1:], "it has as many numbers as theta").astype(float)
    parts = tuple(_part(chain, x, xd, form) for chain in chains)
    found = Combined(
        _total(_across(p.T) @ p.D @ p.T for p in parts),
        _total(_across(p.T) @ (p.C @ p.T + p.D @ p.T_dot) for p in parts),
        _total((_across(p.T) @ p.G[..., None])[..., 0] for p in parts),
        parts,
    )
    return in_precision(found, precision(theta, theta_d))


def _part(chain: Chain, theta: Array, theta_d: Array, form: str) -> Part:
    robot, m = chain.robot, theta.shape[-1]
    positions, transmission, rate = chain.following(m)
    q, T, T_dot = positions(theta), transmission(theta), rate(theta, theta_d)
    qd = (T @ theta_d[..., None])[..., 0]
    return Part(T, T_dot, robot.mass_matrix(q), robot.coriolis_matrix(q, qd, form=form), robot.gravity(q))


class _Shared(Change):
    """Joints as functions of m coordinates, of which there may be more or fewer than joints."""

    def __init__(self, map: Callable[[Numbers], Sequence[Num]], joints: Any, m: int) -> None:
        super().__init__(map, joints)
        self.__dict__["n"] = m


def _across(T: Array) -> Array:
    return np.swapaxes(T, -1, -2)


def _total(parts: Iterable[Array]) -> Array:
    return np.sum(list(parts), axis=0)
