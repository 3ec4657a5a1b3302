"""What is known of a payload by its mass and its longest dimension, and how wrong torques can then be.

A torque that carrying takes is a sum over the points of the body, quadratic in their place r:

    y·π = ∫ (y_m + y_c·r + rᵀQr) dm

A body that the frame's origin touches, and of which no two points are further apart than L, lies within L of that
origin. Of all masses m there, a point mass is the worst, at the largest value of the quadratic on a ball, which its
dual gives exactly:

    max { b·r + rᵀQr : |r| ≤ L } = min over μ ≥ max(λ, 0) of  μL² + Σ βᵢ²/4(μ − λᵢ)        Q = V diag(λ) Vᵀ, β = Vᵀb

and every μ gives a bound. Where the centre is known, only the spread about it is open: its variance is at most L²/4
in any direction (two halves at the ends of a rod), and 3L²/8 in all (a tetrahedron).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from strobe.errors import ArgumentError
from strobe.identify.payload_regressor import PARAMETERS, UNITS, payload_regressor
from strobe.models.arguments import finite_numbers
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, Table, displayed, number
from strobe.simulate.torques import one_payload

Array = np.ndarray
HALVINGS = 60  # of the range of μ: all that double precision has
WEIGHED = 1e-3  # of the mass: how exactly a balance is trusted to weigh, in a prior
ROD, TETRAHEDRON = 1 / 4, 3 / 8  # of L²: the largest variance in one direction, and in all
SPHERE = 1 / 20  # of L²: the variance of a solid sphere in every direction


@displayed
@dataclass(frozen=True, eq=False)
class PartlyKnown:
    """A payload of given mass and longest dimension: a guess, and how far from it the truth may be."""

    robot: Robot  # without the payload
    frame: str
    mass: float  # kg
    size: float  # m, the longest dimension
    com: tuple[float, float, float] | None  # in frame axes, where it is known

    @cached_property
    def parameters(self) -> Array:
        """The ten parameters of the guess: a solid sphere of that diameter about the centre, or the origin."""
        return one_payload(self.mass, self.com or (0.0, 0.0, 0.0), None, self.size)

    def _sheet(self) -> Sheet:
        head = f"{number(self.mass)} kg, at most {number(self.size)} m long, at {self.frame} of {self.robot.name}"
        rows = [[name, float(x), *map(float, ends), unit] for name, x, ends, unit in
                zip(PARAMETERS, self.parameters, self.ranges, UNITS, strict=True)]  # fmt: skip
        return Sheet(head, [Table(["parameter", "guess", "least", "largest", "unit"], rows)])

    @property
    def carried(self) -> Robot:
        """The robot with the guess in its hand."""
        return self.robot.with_payload(
            self.mass, self.com or (0.0, 0.0, 0.0), frame=self.frame, size=self.size
        )

    @cached_property
    def ranges(self) -> Array:
        """(10, 2): between which numbers each parameter must lie."""
        m, L = self.mass, self.size
        if self.com is None:
            moment, product, offset = m * L**2, m * L**2 / 2, m * L
            middle = np.array([m, *[0.0] * 9])
            low = np.array([0.0, *[offset] * 3, *[0.0] * 3, *[product] * 3])
            high = np.array([0.0, *[offset] * 3, *[moment] * 3, *[product] * 3])
            return np.stack([middle - low, middle + high], axis=-1)
        middle = one_payload(m, self.com, None, None)
        low = np.array([0.0] * 7 + [m * L**2 * ROD / 2] * 3)
        high = np.array([0.0] * 4 + [m * L**2 * TETRAHEDRON] * 3 + [m * L**2 * ROD / 2] * 3)
        return np.stack([middle - low, middle + high], axis=-1)

    @property
    def information(self) -> Array:
        """(10, 10), for a prior: each parameter spread evenly over its range, the mass as a balance weighs it."""
        low, high = self.ranges.T
        least = WEIGHED * np.maximum(
            np.abs(self.parameters), self.mass * self.size ** np.r_[0, [1] * 3, [2] * 6]
        )
        return np.diag(1.0 / np.maximum((high - low) / np.sqrt(12), least) ** 2)

    def torque_error(self, q: Any, qd: Any, qdd: Any) -> Array:
        """(..., n): how far the torques of `carried` can be from the true ones, at most."""
        Y = payload_regressor(self.robot, q, qd, qdd, self.frame)
        b, Q = Y[..., 1:4], second_moments(Y)
        if self.com is None:
            # of the guess, about which errors are counted
            offset = Y @ self.parameters - self.mass * Y[..., 0]
            above = self.mass * _largest(b, Q, self.size) - offset
            below = self.mass * _largest(-b, -Q, self.size) + offset
        else:
            guess = SPHERE * self.size**2 * np.trace(Q, axis1=-2, axis2=-1)
            above, below = (
                self.mass * (_most_spread(sign * Q, self.size) - sign * guess) for sign in (1.0, -1.0)
            )
        return np.maximum(above, below)


def partly_known(
    robot: Robot, mass: float, size: float, *, com: Sequence[float] | None = None, frame: str | None = None
) -> PartlyKnown:
    """What is known of a payload of given mass (kg) and longest dimension (m), held at a frame (the tip).

    The frame's origin is taken to lie on or in the payload. ``com`` is its centre, where that is known too.
    """
    require_robot(robot)
    (m,), (L,) = (
        finite_numbers("the payload's mass", mass, 1),
        finite_numbers("the payload's size", size, 1),
    )
    if m <= 0:
        raise ArgumentError(f"the payload's mass is {m:g} kg; a mass is positive.")
    if L <= 0:
        raise ArgumentError(f"the payload's size is {L:g} m; its longest dimension is positive.")
    centre = None if com is None else finite_numbers("the payload's com", com, 3)
    if centre is not None and np.linalg.norm(centre) > L:
        raise ArgumentError(
            f"the payload's centre is {np.linalg.norm(centre):g} m from the frame's origin, but its longest "
            f"dimension is {L:g} m: it would not reach the hand. Name the frame that holds it."
        )
    where = robot.moving_frame(frame)
    return PartlyKnown(robot, where, m, L, None if centre is None else (centre[0], centre[1], centre[2]))


def second_moments(Y: Array) -> Array:
    """Q (..., 3, 3) of rows (..., 10): what a unit mass at r adds by its inertia is rᵀQr."""
    xx, yy, zz, xy, xz, yz = (Y[..., k] for k in range(4, 10))
    rows = [[yy + zz, -xy / 2, -xz / 2], [-xy / 2, xx + zz, -yz / 2], [-xz / 2, -yz / 2, xx + yy]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _largest(b: Array, Q: Array, radius: float) -> Array:
    """The largest value (...) of b·r + rᵀQr on a ball, by halving the range of μ."""
    curvature, V = np.linalg.eigh(Q)
    beta = np.einsum("...ij,...i->...j", V, b)
    low = np.maximum(curvature[..., -1], 0.0)
    high = low + np.linalg.norm(beta, axis=-1) / (2 * radius)
    for _ in range(HALVINGS):
        mu = (low + high) / 2
        inside = np.sum(_ratio(beta, 2 * (mu[..., None] - curvature)) ** 2, axis=-1) <= radius**2
        low, high = np.where(inside, low, mu), np.where(inside, mu, high)
    return high * radius**2 + np.sum(beta * _ratio(beta, 4 * (high[..., None] - curvature)), axis=-1)


def _ratio(a: Array, b: Array) -> Array:
    """a/b, and 0 where both vanish."""
    return np.divide(a, b, out=np.where(a == 0, 0.0, np.inf), where=b > 0)


def _most_spread(Q: Array, size: float) -> Array:
    """The largest mean (...) of dᵀQd over a body of this size, d from its centre."""
    curvature = np.maximum(np.linalg.eigvalsh(Q), 0.0)
    return size**2 * (ROD * curvature[..., 2] + (TETRAHEDRON - ROD) * curvature[..., 1])
