"""The lines of a chain as numbers that closed forms are written over, and how they lie to each other.

Lengths are compared with the arm's size, the largest distance of an axis or of the frame from the base. What is
parallel, square or meeting within `NEARLY` is taken to be so; the residual that this leaves is for Newton's method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strobe.algebra import Vec3
from strobe.kinematics.serial_chain import Serial, array
from strobe.kinematics.subproblems import Line
from strobe.scalars import Numbers
from strobe.scalars.scalar import is_number

Array = np.ndarray

NEARLY = 1e-9  # of angles between axes, in radians, and of distances, in parts of the arm's size
SNAP = 1e-12  # what is so near to 0 or ±1 is rounding


@dataclass(frozen=True, eq=False)
class Chain:
    """Lines from the base to the hand, and the size of the arm in metres."""

    lines: tuple[Line, ...]
    size: float

    @property
    def n(self) -> int:
        return len(self.lines)

    @property
    def reversed(self) -> Chain:
        """The same lines from the hand to the base."""
        return Chain(self.lines[::-1], self.size)


def chain_of(arm: Serial) -> Chain:
    """The lines of a chain, each through its point nearest to the base."""
    size = size_of(arm)
    lines = [
        Line(name, bool(turns), _vector(axis), _vector(point - axis * (axis @ point), size))
        for name, turns, axis, point in zip(arm.names, arm.revolute, arm.axes, arm.points, strict=True)
    ]
    return Chain(tuple(lines), size)


def size_of(arm: Serial) -> float:
    """A length that lengths of the arm are compared with."""
    places = [*(p - a * (a @ p) for p, a in zip(arm.points, arm.axes, strict=True)), arm.home[:3, 3]]
    return max(max(float(np.linalg.norm(place)) for place in places), 1e-3)


def _vector(v: Array, size: float = 1.0) -> Vec3:
    """Three Python numbers, rounding taken off."""
    return Vec3(*(snapped(float(x), size) for x in v))


def snapped(x: float, size: float = 1.0) -> float:
    if abs(x) < SNAP * size:
        return 0.0
    return float(round(x)) if size == 1.0 and abs(abs(x) - 1.0) < SNAP else x


def parallel(a: Vec3, b: Vec3) -> bool:
    return float(np.linalg.norm(np.cross(array(a), array(b)))) < NEARLY


def square(a: Vec3, b: Vec3) -> bool:
    """Whether two unit vectors are perpendicular."""
    return abs(float(array(a) @ array(b))) < NEARLY


def meeting_point(lines: Sequence[Line], size: float) -> Vec3 | None:
    """The point that all lines go through, if there is one, and only one."""
    ways = [array(line.axis) for line in lines]
    across = [np.eye(3) - np.outer(a, a) for a in ways]
    points = [array(line.point) for line in lines]
    A = sum(across, np.zeros((3, 3)))
    if np.linalg.eigvalsh(A)[0] < NEARLY:
        return None
    x = np.linalg.solve(A, sum((P @ p for P, p in zip(across, points, strict=True)), np.zeros(3)))
    off = max(float(np.linalg.norm(P @ (x - p))) for P, p in zip(across, points, strict=True))
    return _vector(x, size) if off < NEARLY * size else None


def same_line(a: Line, b: Line, size: float) -> bool:
    return parallel(a.axis, b.axis) and on_line(b.point, a, size)


def on_line(x: Vec3, line: Line, size: float) -> bool:
    away = np.cross(array(line.axis), array(x) - array(line.point))
    return float(np.linalg.norm(away)) < NEARLY * size


def crossed(a: Vec3, b: Vec3) -> Vec3:
    """The unit vector perpendicular to two others that are not parallel."""
    n = np.cross(array(a), array(b))
    return _vector(n / np.linalg.norm(n))


def perpendicular(a: Vec3) -> Vec3:
    """Some unit vector perpendicular to another."""
    return crossed(a, Vec3.unit(int(np.argmin(np.abs(array(a))))))


def angle_between(a: Vec3, b: Vec3, about: Vec3) -> float:
    """The angle that turns a to b about an axis, exact at right angles."""
    u, v, w = array(a), array(b), array(about)
    angle = float(np.arctan2(w @ np.cross(u, v), u @ v - (w @ u) * (w @ v)))
    quarters = round(angle / (np.pi / 2))
    return quarters * (np.pi / 2) if abs(angle - quarters * (np.pi / 2)) < SNAP else angle


class Displacement:
    """What moves the hand from its rest to a pose, G = T · home⁻¹, over numbers."""

    def __init__(self, home: Array, pose: Numbers, inverted: bool = False) -> None:
        self.home, self.pose, self.inverted = home, pose, inverted
        r = [pose[4 * i : 4 * i + 3] for i in range(3)]
        self._rows = [Vec3(*row) for row in r]
        self._columns = [Vec3(r[0][j], r[1][j], r[2][j]) for j in range(3)]
        self._origin = Vec3(pose[3], pose[7], pose[11])

    def inverse(self) -> Displacement:
        return Displacement(self.home, self.pose, not self.inverted)

    def direction(self, v: Vec3) -> Vec3:
        """Where a direction is turned."""
        R = self.home[:3, :3]
        if self.inverted:
            return _fixed(R, _times(self._columns, v))
        return _times(self._rows, _fixed(R.T, v))

    def point(self, x: Vec3) -> Vec3:
        """Where a point is moved."""
        R, p = self.home[:3, :3], _vector(self.home[:3, 3])
        if self.inverted:
            return _fixed(R, _times(self._columns, x - self._origin)) + p
        return _times(self._rows, _fixed(R.T, x - p)) + self._origin


def _times(rows: Sequence[Vec3], v: Vec3) -> Vec3:
    return Vec3(*(row.dot(v) for row in rows))


def _fixed(R: Array, v: Vec3) -> Vec3:
    """A fixed rotation of a vector; of a fixed one rounding is taken off."""
    turned = Vec3(*(_vector(row).dot(v) for row in R))
    return turned.map(lambda x: snapped(x) if is_number(x) else x)
