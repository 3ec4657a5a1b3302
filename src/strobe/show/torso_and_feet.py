"""What lines between joints do not show of a walking robot: its torso and its feet, as solids with flat faces.

A sole is known by its corners: a foot is the pyramid on it with the ankle as its top. Of a torso the mass properties
are known: it is drawn as the box that has the same mass and the same inertia. With principal moments A, B, C about
the centre of mass its edges are √(6 (B + C − A) / m) along the axis of A, and so on around.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from strobe.algebra import Vec3
from strobe.models.feet import Foot
from strobe.models.model import ROOT, Body, Model
from strobe.scalars import Num

Array = np.ndarray

HEAVY = 0.2  # of what moves: a link that weighs so much
ASIDE = 0.5  # of its longest line: so far from its lines is the centre of mass of a torso
CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A convex body fixed to a link (ROOT for the base); faces go round against the clock, seen from outside."""

    body: int
    points: Array  # (k, 3)
    faces: tuple[tuple[int, ...], ...]


def limbs(tree: Model) -> list[Solid]:
    """Torso and feet, in the axes of each link's own joint, of a robot whose feet are known; else none."""
    if not tree.feet:
        return []
    return [*_torsos(tree), *(_foot(tree, foot) for foot in tree.feet)]


def _foot(tree: Model, foot: Foot) -> Solid:
    """The sole, and faces from its edges to the ankle."""
    frame = tree.frame(foot.frame)
    sole = np.array([_floats(frame.placement.point(Vec3(*corner))) for corner in foot.sole])
    k = len(sole)
    faces = [tuple(range(k)), *((i, (i + 1) % k, k) for i in range(k))]
    return _outward(frame.body, np.concatenate([sole, _ankle(tree, frame.body)[None]]), faces)


def _ankle(tree: Model, body: int) -> Array:
    """The joint that carries a foot, or of one that the robot stands on the first joint that it carries."""
    carried = [_floats(other.before.translation) for other in tree.bodies if other.parent == body]
    return carried[0] if body == ROOT and carried else np.zeros(3)


def _torsos(tree: Model) -> Iterator[Solid]:
    """The boxes of heavy links whose mass is not along their lines."""
    moving = sum(_mass(body) for body in tree.bodies)
    for body in tree.bodies:
        com, central = body.inertial.com, body.inertial.central
        if com is None or central is None or not _aside(tree, body, _floats(com)):
            continue
        if _mass(body) >= HEAVY * moving:
            yield from _box(body, _floats(com), np.array([_floats(row) for row in central.matrix()]))


def _box(body: Body, com: Array, central: Array) -> Iterator[Solid]:
    """The box of the same mass and inertia; none for an inertia that no box has."""
    moments, axes = np.linalg.eigh(central)
    squares = 6.0 * (moments.sum() - 2.0 * moments) / _mass(body)
    if np.all(squares > 0):
        yield _outward(body.index, com + (CORNERS * np.sqrt(squares)) @ axes.T, SIDES)


def _mass(body: Body) -> float:
    return float(body.inertial.m)  # pyright: ignore[reportArgumentType]


def _aside(tree: Model, body: Body, com: Array) -> bool:
    """Whether a centre of mass is far from the lines to the joints that a link carries."""
    ends = [_floats(other.before.translation) for other in tree.bodies if other.parent == body.index]
    longest = max((float(np.linalg.norm(end)) for end in ends), default=0.0)
    return longest > 0 and min(_distance(end, com) for end in ends) > ASIDE * longest


def _distance(end: Array, point: Array) -> float:
    """From a point to the line between the origin and an end."""
    share = np.clip(point @ end / max(float(end @ end), 1e-300), 0.0, 1.0)
    return float(np.linalg.norm(point - share * end))


def _outward(body: int, points: Array, faces: tuple[tuple[int, ...], ...] | list[tuple[int, ...]]) -> Solid:
    """The solid, its faces turned so that they are seen from outside."""
    middle = points.mean(axis=0)

    def turned(face: tuple[int, ...]) -> tuple[int, ...]:
        a, b, c = points[list(face[:3])]
        return face if np.cross(b - a, c - a) @ (a - middle) > 0 else face[::-1]

    return Solid(body, points, tuple(map(turned, faces)))


def _floats(v: Vec3 | Sequence[Num]) -> Array:
    return np.array([float(x) for x in v])  # pyright: ignore[reportArgumentType]
