"""In which axes, and at which point, the motion of a frame is told.

    aligned    (ṗ, ω)               at the frame's origin, base axes
    local      (Rᵀ ṗ, Rᵀ ω)         at the frame's origin, its own axes
    world      (ṗ + p × ω, ω)       of the point that is passing the base's origin, base axes

Each takes the columns of a Jacobian as well as a velocity, which is one more column. The rate of what is told follows
by the product rule, Ṙ = ω × R: it is what J qdd + J̇ qd gives, in each of the three.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from strobe.algebra import Vec3
from strobe.formulations.kinematics import Moving, Placed

Told = tuple[Vec3, Vec3]  # linear, angular
ALIGNED = "aligned"  # as they are worked out


@dataclass(frozen=True, slots=True)
class Reference:
    """How a column (linear, angular) that belongs to a frame's origin in base axes is told, and how its rate is."""

    column: Callable[[Placed, Told], Told]
    rate: Callable[[Placed, Moving, Told, Told], Told]


def _aligned(placed: Placed, column: Told) -> Told:
    return column


def _aligned_rate(placed: Placed, moving: Moving, column: Told, rate: Told) -> Told:
    return rate


def _local(placed: Placed, column: Told) -> Told:
    linear, angular = column
    return placed.R.T @ linear, placed.R.T @ angular


def _local_rate(placed: Placed, moving: Moving, column: Told, rate: Told) -> Told:
    (linear, angular), (linear_d, angular_d), w = column, rate, moving.w
    return _local(placed, (linear_d - w.cross(linear), angular_d - w.cross(angular)))


def _world(placed: Placed, column: Told) -> Told:
    linear, angular = column
    return linear + placed.p.cross(angular), angular


def _world_rate(placed: Placed, moving: Moving, column: Told, rate: Told) -> Told:
    (_, angular), (linear_d, angular_d) = column, rate
    return linear_d + moving.p_d.cross(angular) + placed.p.cross(angular_d), angular_d


REFERENCES = {
    ALIGNED: Reference(_aligned, _aligned_rate),
    "local": Reference(_local, _local_rate),
    "world": Reference(_world, _world_rate),
}
