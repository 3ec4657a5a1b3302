"""Fixed placements over floats kept as short chains of known turns and shifts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from strobe.algebra import Mat3, Pose, Shift, Spin, Turn, Vec3
from strobe.models.assembly import SNAP, snapped
from strobe.models.expressions import Expression, negated

ORTHOGONAL = 1e-6  # by which the rows of a rotation may fail to be of length one and at right angles


def factored(rotation: Pose, tolerance: float = SNAP) -> Pose:
    """A rotation over floats as known turns Rz Ry Rx, those within a tolerance of a right angle exact."""
    roll, pitch, yaw = (snapped(angle, tolerance) for angle in rotation.rpy())
    return Pose.at(rpy=(roll, pitch, yaw))


def is_placement(T: np.ndarray) -> bool:
    """Whether a 4×4 array is a rotation and a shift."""
    R = T[:3, :3]
    if not np.isfinite(T).all():
        return False
    return bool(np.abs(R @ R.T - np.eye(3)).max() < ORTHOGONAL and np.linalg.det(R) > 0)


def from_matrix(T: np.ndarray, tolerance: float = SNAP) -> Pose:
    """A 4×4 array that is a placement as a shift and known turns."""
    rows = [Vec3(*(float(x) for x in row)) for row in T[:3, :3]]
    turned = factored(Pose((Spin(Mat3(*rows)),)), tolerance)
    return (Pose((Shift(Vec3(*(float(x) for x in T[:3, 3]))),)) @ turned).trimmed()


def joined(pose: Pose) -> Pose:
    """The same fixed placement with neighbouring steps of one kind summed and idle ones gone."""
    steps: list[Any] = []
    for step in pose.trimmed().steps:
        both = _sum(steps[-1], step) if steps else None
        if both is None:
            steps.append(step)
        elif both.is_identity():
            steps.pop()
        else:
            steps[-1] = both
    return Pose(tuple(steps))


def inverted(pose: Pose) -> Pose:
    """The placement of the outer frame seen from the inner one, named parameters kept."""
    return Pose(tuple(_inverse(step) for step in reversed(pose.steps)))


def _inverse(step: Any) -> Any:
    if isinstance(step, Shift):
        return Shift(step.p.map(negated))  # pyright: ignore[reportArgumentType]
    if isinstance(step, Turn) and step.angle is not None:
        return Turn(step.axis, step.c, -step.s if step.s else 0.0, negated(step.angle))  # pyright: ignore
    return step.inverse()


def _sum(first: Any, second: Any) -> Shift | Turn | None:
    """Two steps as one, where they are of one kind and no named parameter gets lost."""
    if isinstance(first, Shift) and isinstance(second, Shift):
        named = any(isinstance(x, Expression) for x in (*first.p, *second.p))
        return None if named else Shift(first.p + second.p)
    if isinstance(first, Turn) and isinstance(second, Turn) and first.axis == second.axis:
        angles = first.angle, second.angle
        if all(isinstance(angle, float | int) and not isinstance(angle, Expression) for angle in angles):
            return Turn.by(first.axis, snapped(math.fsum(angles)))  # pyright: ignore[reportArgumentType]
    return None
