"""What must hold of a robot in other coordinates, whatever the map, tried at random states.

power       Q · φ̇ = τ · q̇                                energy     ½ φ̇ᵀ M_φ φ̇ = kinetic energy at q, q̇
motion      M_φ φ̈ + C_φ φ̇ + g_φ + friction = Q           skew       φ̇ᵀ (Ṁ_φ − 2 C_φ) φ̇ and all of it, antisymmetric
forward     φ̈ of Q is φ̈                                   there and back     φ → q → φ
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from strobe.equations.coordinates import InCoordinates
from strobe.errors import StrobeError

Array = np.ndarray

STATES = 100
EXACT, DIFFERENCED = 1e-9, 1e-5  # relative: rounding, and what differences leave
STEP = 1e-6


@dataclass(frozen=True, slots=True)
class CoordinateLaw:
    """A law, and how far from it the worst of the states is, relative to its largest side."""

    name: str
    statement: str
    error: float  # NaN where it could not be tried
    bound: float
    why: str = ""

    @property
    def holds(self) -> bool | None:
        """None where it could not be tried."""
        return None if self.why else bool(self.error <= self.bound)


def coordinate_laws(other: InCoordinates, seed: int = 0, states: int = STATES) -> tuple[CoordinateLaw, ...]:
    """The laws of a change of coordinates, at random states of φ within −1 and 1."""
    rng = np.random.default_rng(seed)
    phi, phid, phidd = (rng.uniform(-1.0, 1.0, (states, other.n)) for _ in range(3))
    q, qd, qdd = other.motion(phi, phid, phidd)
    robot = other.robot

    def power() -> tuple[Array, Array]:
        tau, Q = robot.inverse_dynamics(q, qd, qdd), other.inverse_dynamics(phi, phid, phidd)
        return (Q * phid).sum(-1), (tau * qd).sum(-1)

    def energy() -> tuple[Array, Array]:
        moving = 0.5 * np.einsum("si,sij,sj->s", phid, other.mass_matrix(phi), phid)
        return moving, robot.energy(q, qd)[..., 0]

    def motion() -> tuple[Array, Array]:
        M, C = other.mass_matrix(phi), other.coriolis_matrix(phi, phid)
        left = np.einsum("sij,sj->si", M, phidd) + np.einsum("sij,sj->si", C, phid) + other.gravity(phi)
        return left, other.inverse_dynamics(phi, phid, phidd, friction=False)

    def skew() -> tuple[Array, Array]:
        after, before = (other.mass_matrix(phi + sign * STEP * phid) for sign in (1, -1))
        N = (after - before) / (2 * STEP) - 2 * other.coriolis_matrix(phi, phid)
        return N, -np.swapaxes(N, -1, -2)

    def forward() -> tuple[Array, Array]:
        return other.forward_dynamics(phi, phid, other.inverse_dynamics(phi, phid, phidd)), phidd

    def back() -> tuple[Array, Array]:
        return other.from_positions(q), phi

    laws: tuple[tuple[str, str, Callable[[], tuple[Array, Array]], float], ...] = (
        ("power", "Q · φ̇ = τ · q̇", power, EXACT),
        ("energy", "½ φ̇ᵀ M φ̇ is the kinetic energy", energy, EXACT),
        ("motion", "M φ̈ + C φ̇ + g = Q without friction", motion, EXACT),
        ("skew", "Ṁ − 2C is skew", skew, DIFFERENCED),
        ("forward", "forward dynamics of Q gives φ̈", forward, EXACT),
        ("there and back", "φ → q → φ", back, EXACT),
    )
    return tuple(_tried(*law) for law in laws)


def _tried(
    name: str, statement: str, sides: Callable[[], tuple[Array, Array]], bound: float
) -> CoordinateLaw:
    try:
        left, right = sides()
    except StrobeError as error:
        return CoordinateLaw(name, statement, float("nan"), bound, str(error))
    scale = max(float(np.abs(left).max()), float(np.abs(right).max()), 1e-300)
    return CoordinateLaw(name, statement, float(np.abs(left - right).max()) / scale, bound)
