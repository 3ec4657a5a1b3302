"""Which terms of the torque matter, and from which speed on.

    tau_i = M_ii qdd_i + Σ_{j≠i} M_ij qdd_j + Σ_j C^i_jj qd_j² + Σ_{j≠k} C^i_jk qd_j qd_k + g_i
            inertia      coupling              centrifugal       Coriolis                    gravity

A motion run s times as fast along the same path has rates s and accelerations s² as large: inertial and
velocity terms grow alike and only gravity stays. Speed 1 is a motion with rates and accelerations of
standard deviation 1 (rad/s or m/s, and per second). Shares are of the mean magnitudes over random states,
joint by joint: terms that cancel each other in tau are not hidden. Friction is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from strobe.errors import ArgumentError
from strobe.models.loops import require_open
from strobe.robot import Robot

TERMS = ("inertia", "coupling", "centrifugal", "Coriolis", "gravity")
FASTEST = 1e50  # the square of a speed beyond that, times a torque, may be no number any more
SPEEDS = (0.1, 0.3, 1.0, 3.0, 10.0)
STATES = 256

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Significance:
    """Mean magnitudes (n,) of every term at speed 1."""

    magnitude: Mapping[str, Array]
    velocity: Array  # centrifugal and Coriolis torques together, which may cancel each other

    def shares(self, speed: float) -> dict[str, Array]:
        """The share of every term in the sum of magnitudes, by joint; zero for a joint without torque."""
        sizes = {t: x * (1.0 if t == "gravity" else speed**2) for t, x in self.magnitude.items()}
        total = sum(sizes.values(), start=np.zeros_like(self.velocity))
        return {t: np.divide(x, total, out=np.zeros_like(x), where=total > 0) for t, x in sizes.items()}

    def overall(self, speed: float) -> dict[str, float]:
        """The shares averaged over the joints that have any torque."""
        shares = self.shares(speed)
        loaded = sum(shares.values(), start=np.zeros_like(self.velocity)) > 0
        return {t: float(x[loaded].mean()) if loaded.any() else 0.0 for t, x in shares.items()}

    @property
    def overtaking(self) -> list[float | None]:
        """The speed at which the velocity torques of a joint outgrow gravity; None where they never do."""
        pairs = zip(self.magnitude["gravity"], self.velocity, strict=True)
        return [float(np.sqrt(g / v)) if v > 0 else None for g, v in pairs]


def measure(robot: Robot, states: int = STATES, seed: int = 0) -> Significance:
    """The size of every term over random states within the robot's limits."""
    require_open(robot.model, "the size of single terms")
    q, qd, qdd = robot.random_state(seed, states)
    M = robot.mass_matrix(q)
    diagonal = np.einsum("...ii,...i->...i", M, qdd)
    velocity = velocity_torques(robot, q, qd)
    centrifugal = sum(velocity_torques(robot, q, only) for only in _one_by_one(qd))
    terms = {
        "inertia": diagonal,
        "coupling": np.einsum("...ij,...j->...i", M, qdd) - diagonal,
        "centrifugal": centrifugal,
        "Coriolis": velocity - centrifugal,
        "gravity": robot.gravity(q),
    }
    noise = 1e-12 * max(float(np.abs(x).max(initial=0.0)) for x in terms.values())
    return Significance({t: _mean(x, noise) for t, x in terms.items()}, _mean(velocity, noise))


def velocity_torques(robot: Robot, q: Array, qd: Array) -> Array:
    """C(q, qd) qd."""
    return robot.inverse_dynamics(q, qd, np.zeros(robot.nv), gravity=np.zeros(3), friction=False)


def checked_speeds(speeds: Sequence[float]) -> tuple[float, ...]:
    """Speeds in growing order."""
    if not speeds:
        raise ArgumentError("there are no speeds; give one or more, such as 0.1, 1, 10.")
    for speed in speeds:
        if not 0 < speed <= FASTEST:
            raise ArgumentError(
                f"a speed is {speed:g}; expected a positive multiple of the sampled motion, up to {FASTEST:g}."
            )
    return tuple(sorted(speeds))


def _one_by_one(qd: Array) -> list[Array]:
    """The velocities with one joint moving at a time."""
    return [qd * unit for unit in np.eye(qd.shape[-1])]


def _mean(values: Array, noise: float) -> Array:
    """Mean magnitude by joint; what rounding alone leaves is zero."""
    size = np.abs(values)
    return np.where(size.max(axis=0) > noise, size.mean(axis=0), 0.0)
