"""Mass properties of simple solids and of closed triangle meshes, from density or mass.

Solids are centred at the origin. A mesh is summed over tetrahedra between a point o and its triangles:

    V = Σ det(a, b, c) / 6        ∫ x dV = Σ det (a + b + c) / 24        s = a + b + c
    ∫ x xᵀ dV = Σ det (a aᵀ + b bᵀ + c cᵀ + s sᵀ) / 120                  I = tr(Σ) 1 − Σ

with the corners a, b, c seen from o; triangles that face o count negatively.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np

from strobe.algebra import Sym3, Vec3
from strobe.errors import ArgumentError, MissingExtraError, shown
from strobe.models.inertial import Inertial, symmetric

Array = np.ndarray


def box(size: Sequence[float], *, density: float | None = None, mass: float | None = None) -> Inertial:
    """A solid box with edges x, y, z along the axes."""
    if np.shape(size) != (3,):
        raise ArgumentError(f"the size of a box is {shown(size)}; expected three lengths x, y, z.")
    x, y, z = (_positive(f"the size of a box along {axis}", s) for axis, s in zip("xyz", size, strict=True))
    m = _mass(x * y * z, density, mass)
    return _centred(m, m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12)


def sphere(radius: float, *, density: float | None = None, mass: float | None = None) -> Inertial:
    """A solid sphere."""
    r = _positive("the radius of a sphere", radius)
    m = _mass(4 / 3 * math.pi * r**3, density, mass)
    return _centred(m, *[0.4 * m * r * r] * 3)


def cylinder(
    radius: float,
    length: float,
    axis: str = "z",
    *,
    density: float | None = None,
    mass: float | None = None,
) -> Inertial:
    """A solid cylinder along an axis."""
    r, l = _positive("the radius of a cylinder", radius), _positive("the length of a cylinder", length)
    m = _mass(math.pi * r * r * l, density, mass)
    return _round(axis, m, m * r * r / 2, m * (r * r / 4 + l * l / 12))


def capsule(
    radius: float,
    length: float,
    axis: str = "z",
    *,
    density: float | None = None,
    mass: float | None = None,
) -> Inertial:
    """A solid cylinder along an axis, ``length`` long, with a half sphere on each end."""
    r, l = _positive("the radius of a capsule", radius), _positive("the length of a capsule", length)
    middle, ends = math.pi * r * r * l, 4 / 3 * math.pi * r**3
    m = _mass(middle + ends, density, mass)
    m_middle, m_ends = m * middle / (middle + ends), m * ends / (middle + ends)
    along = m_middle * r * r / 2 + m_ends * 0.4 * r * r
    across = m_middle * (r * r / 4 + l * l / 12) + m_ends * (0.4 * r * r + l * l / 4 + 3 * l * r / 8)
    return _round(axis, m, along, across)


def mesh(
    source: str | PathLike[str] | tuple[Any, Any],
    *,
    density: float | None = None,
    mass: float | None = None,
    scale: float = 1.0,
) -> Inertial:
    """The solid inside a closed triangle mesh: a file (read by trimesh), or vertices and faces.

    Its origin and axes are the file's; ``scale`` turns the file's unit into metres.
    """
    name = "the mesh" if isinstance(source, tuple) else fspath(source)
    vertices, faces = _triangles(name, source)
    _require_closed(name, faces)
    corners = (vertices * _positive("the scale of a mesh", scale))[faces]
    volume, centre, second = _moments(corners)
    if volume <= 1e-12 * float(np.ptp(corners)) ** 3:
        raise ArgumentError(f"{name} encloses no volume; a solid has some.")
    m = _mass(volume, density, mass)
    Σ = second * (m / volume)
    return Inertial.at_com(m, Vec3(*map(float, centre)), symmetric(np.trace(Σ) * np.eye(3) - Σ))


def _triangles(name: str, source: Any) -> tuple[Array, Array]:
    """Vertices (n, 3) and faces (k, 3) of a mesh, checked."""
    if isinstance(source, tuple):
        vertices, faces = _arrays(name, source)
    else:
        vertices, faces = _read(name)
    if vertices.ndim != 2 or vertices.shape[1] != 3 or not np.all(np.isfinite(vertices)):
        raise ArgumentError(f"{name} has vertices of shape {vertices.shape}; expected finite ones, (n, 3).")
    if faces.ndim != 2 or faces.shape[1] != 3 or not len(faces):
        raise ArgumentError(f"{name} has faces of shape {faces.shape}; expected triangles, (k, 3).")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise ArgumentError(
            f"{name} has a face that names vertex {faces.max()} of {len(vertices)} (from 0)."
        )
    return vertices, faces


def _arrays(name: str, source: tuple[Any, ...]) -> tuple[Array, Array]:
    try:
        vertices, faces = source
        return np.asarray(vertices, float), np.asarray(faces, int)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(
            f"{name} is not made of numbers; expected vertices (n, 3) and faces (k, 3)."
        ) from None


def _read(path: str) -> tuple[Array, Array]:
    try:
        import trimesh
    except ImportError:
        raise MissingExtraError("reading a mesh file", "trimesh", "mesh") from None
    try:
        loaded: Any = trimesh.load_mesh(path)
    except Exception as error:  # trimesh raises whatever its parser of that format meets
        raise ArgumentError(f"{path}: not a mesh that can be read ({error}).") from None
    if not isinstance(loaded, trimesh.Trimesh):
        raise ArgumentError(f"{path}: not a triangle mesh.")
    loaded.merge_vertices()
    return np.asarray(loaded.vertices, float), np.asarray(loaded.faces, int)


def _require_closed(name: str, faces: Array) -> None:
    """Every edge is walked once in each direction: then the surface is closed and knows its inside."""
    edges = Counter((int(a), int(b)) for f in faces for a, b in zip(f, np.roll(f, -1), strict=True))
    both = Counter(tuple(sorted(edge)) for edge in edges.elements())
    ragged = sum(count != 2 for count in both.values())
    if ragged:
        raise ArgumentError(
            f"{name} is not closed: {ragged} of its {len(both)} edges do not join exactly two triangles. "
            "Close the surface, or give mass, centre and inertia yourself."
        )
    twisted = sum(count != 1 for count in edges.values())
    if twisted:
        raise ArgumentError(
            f"{name} is not consistently oriented: across {twisted} edges neighbouring triangles face "
            "opposite sides. Turn the triangles so that all face outwards."
        )


def _moments(corners: Array) -> tuple[float, Array, Array]:
    """Volume, centroid, and second moments ∫ x xᵀ dV about the centroid; inside out counts as outside."""
    near = corners.reshape(-1, 3).mean(axis=0)  # sums about a point nearby lose the fewest digits
    det, s = np.linalg.det(corners - near), (corners - near).sum(axis=1)
    volume = float(det.sum()) / 6
    if not volume:
        return 0.0, near, np.zeros((3, 3))
    centre = near + det @ s / 24 / volume
    x = corners - centre
    det, s = np.linalg.det(x), x.sum(axis=1)
    second = (np.einsum("k,kni,knj->ij", det, x, x) + np.einsum("k,ki,kj->ij", det, s, s)) / 120
    return abs(volume), centre, second * math.copysign(1.0, volume)


def _mass(volume: float, density: float | None, mass: float | None) -> float:
    if (density is None) == (mass is None):
        raise ArgumentError("give density= (kg/m³) or mass= (kg), one of the two.")
    return _positive("mass", mass) if density is None else _positive("density", density) * volume


def _positive(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise ArgumentError(f"{name} is {shown(value)}; expected a positive number.")
    return number


def _round(axis: str, m: float, along: float, across: float) -> Inertial:
    """A solid of revolution about an axis."""
    if axis not in ("x", "y", "z"):
        raise ArgumentError(f"axis is {shown(axis)}; choose x, y or z.")
    return _centred(m, *(along if axis == own else across for own in "xyz"))


def _centred(m: float, xx: float, yy: float, zz: float) -> Inertial:
    return Inertial.at_com(m, Vec3.zero(), Sym3(xx, yy, zz, 0.0, 0.0, 0.0))
