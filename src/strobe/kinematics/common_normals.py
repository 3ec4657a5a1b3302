"""The common normals of a sequence of lines: the x axes of Denavit-Hartenberg frames, and what is free about them.

    lines that cross or pass each other    one normal, its direction free
    parallel lines                         a normal wherever one likes along them
    one and the same line                  that, and any direction across

What is free follows a guide: a point near which, and a direction towards which, the normal is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

Array = np.ndarray

# The normal of two lines at an angle ε stands about 1/ε away: in double precision it is as uncertain as the error
# of calling the lines parallel where ε is the square root of the rounding.
PARALLEL = 1e-8
TOUCHING = 1e-12  # of the size of the robot: lines this close meet, directions with this cosine are square
UNDECIDED = 1e-9  # cosine below which a guide says nothing about a direction


class Line(NamedTuple):
    """A directed line, and what it is the axis of."""

    point: Array
    z: Array
    name: str


class Guide(NamedTuple):
    """Where a normal would be welcome: what has a choice follows it."""

    point: Array
    x: Array


@dataclass(frozen=True, eq=False)
class Normal:
    """The common normal of two lines: its feet on both and its direction."""

    near: Array
    far: Array
    x: Array
    sine: float  # of the angle between the lines
    case: str  # "crossing", "parallel" or "coincident"
    own: bool  # whether it is the x axis of one of the robot's own frames


def common_normals(
    lines: Sequence[Line], start: Guide, own: Sequence[Sequence[Guide]], end: Guide
) -> list[Normal]:
    """One normal from every line to the next; ``own`` lists the robot's frames that it may belong to."""
    size = _size(lines)
    normals: list[Normal] = []
    guide = start
    for k, (first, second) in enumerate(pairwise(lines)):
        fitting = next((frame for frame in own[k] if _fits(frame, first, second, size)), None)
        if fitting is None and k == len(own) - 1:
            guide = Guide(end.point, guide.x)
        normals.append(_normal(first, second, fitting or guide, fitting is not None, size))
        guide = Guide(normals[-1].far, normals[-1].x)
    return normals


def _size(lines: Sequence[Line]) -> float:
    """The largest distance between points on the lines, or one where they all meet."""
    points = np.array([line.point for line in lines])
    return float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0


def _fits(frame: Guide, first: Line, second: Line, size: float) -> bool:
    """Whether the x axis of a frame is a common normal already."""
    askew = np.linalg.norm(np.cross(first.z, second.z))
    square = TOUCHING if askew > PARALLEL else max(TOUCHING, float(askew))
    return all(
        abs(frame.x @ line.z) <= square
        and abs((line.point - frame.point) @ np.cross(frame.x, line.z)) <= TOUCHING * size
        for line in (first, second)
    )


def _normal(first: Line, second: Line, guide: Guide, own: bool, size: float) -> Normal:
    across = np.cross(first.z, second.z)
    sine = float(np.linalg.norm(across))
    if sine > PARALLEL:
        near, far = _feet(first, second, across)
        return Normal(near, far, _towards(across / sine, guide.x, far - near), sine, "crossing", own)
    near = first.point + first.z * ((guide.point - first.point) @ first.z)
    offset = _square_to(second.point - near, first.z)
    distance = float(np.linalg.norm(offset))
    if distance > TOUCHING * size:
        x = _towards(offset / distance, guide.x, offset)
        return Normal(near, near + offset, x, sine, "parallel", own)
    x = _square_to(guide.x, first.z)
    return Normal(near, near, x / np.linalg.norm(x), sine, "coincident", own)


def _feet(first: Line, second: Line, across: Array) -> tuple[Array, Array]:
    """The points of two lines that are nearest to each other."""
    between = second.point - first.point
    s, t = (np.cross(between, z) @ across / (across @ across) for z in (second.z, first.z))
    return first.point + s * first.z, second.point + t * second.z


def _towards(x: Array, guide: Array, otherwise: Array) -> Array:
    """The direction or its opposite: whichever goes with the guide, or if that is square to it, with another."""
    along = x @ guide
    if abs(along) < UNDECIDED:
        along = x @ otherwise
    return -x if along < -UNDECIDED else x


def _square_to(v: Array, z: Array) -> Array:
    return v - z * (v @ z)
