"""Feet: frames that stand on the ground, and the soles they stand on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from strobe.errors import ArgumentError, counted, shown

Array = np.ndarray

LEAST_AREA = 1e-9  # m², of a sole on which one can stand


@dataclass(frozen=True, slots=True)
class Foot:
    """A frame and the corners of its sole, (x, y) or (x, y, z) in the axes of the frame, metres."""

    frame: str
    sole: tuple[tuple[float, float, float], ...]

    def __init__(self, frame: str, sole: Sequence[Sequence[float]]) -> None:
        object.__setattr__(self, "frame", frame)
        object.__setattr__(self, "sole", corners(sole, f'the sole of foot "{frame}"'))

    @classmethod
    def rectangle(
        cls, frame: str, back: float, front: float, right: float, left: float, z: float = 0.0
    ) -> Foot:
        """A foot whose sole reaches from ``back`` to ``front`` along x and from ``right`` to ``left`` along y."""
        return cls(frame, [(back, right, z), (front, right, z), (front, left, z), (back, left, z)])

    @property
    def middle(self) -> Array:
        """The mean of the corners (3,), in the axes of the frame."""
        return np.mean(self.sole, axis=0)


def corners(sole: Any, name: str) -> tuple[tuple[float, float, float], ...]:
    """Three or more corners that span an area, each with its height (zero where none is given)."""
    try:
        points: Array = np.array(sole, dtype=float)
    except (TypeError, ValueError):
        points = np.array(np.nan)
    if points.ndim != 2 or points.shape[1] not in (2, 3) or not np.isfinite(points).all():
        raise ArgumentError(f"{name} is {shown(sole)}; expected corners (x, y) or (x, y, z) in metres.")
    if len(points) < 3:
        raise ArgumentError(f"{name} has {counted(len(points), 'corner')}; a sole needs three or more.")
    points = np.column_stack([points, np.zeros((len(points), 3 - points.shape[1]))])
    edges = points[1:] - points[0]
    area = max(np.linalg.norm(np.cross(a, b)) for a, b in combinations(edges, 2))
    if area < LEAST_AREA:
        raise ArgumentError(f"the corners of {name} lie on a line; a sole needs an area to stand on.")
    return tuple((x, y, z) for x, y, z in points.tolist())
