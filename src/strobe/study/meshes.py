"""The shapes of a URDF's links as triangles that a page can carry: few, and in few bytes.

Meshes of CAD have millions of triangles; a page shows some thousands. Vertices within one cell of a grid become one,
their mean, and triangles that collapse go (vertex clustering); the cells are made larger until few enough are left.
What is left is written as 16-bit numbers, a step of which is a 65,535th of a link.

Files are read under the rules of `model_files`, STL and OBJ by trimesh (extra ``mesh``), COLLADA by `collada`. A link
whose visual mesh cannot be read is drawn by its collision shape, and where that cannot be either, by lines between
its joints.
"""

from __future__ import annotations

import io
import math
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from strobe.errors import MissingExtraError, StrobeError
from strobe.files.collada import read_collada
from strobe.models.model import Model
from strobe.models.model_files import TooFar
from strobe.models.urdf_shapes import Meshes, Shape, read_shapes

Array = np.ndarray

READ = (".stl", ".obj", ".dae")
LARGEST_FILE = 32 * 2**20  # bytes, of a mesh
LARGEST_ALL = 128 * 2**20  # bytes, of all meshes of a robot
MOST_FACES = 2_000_000  # of a robot, before it is made smaller
CARRIED = 16_000  # triangles of a page: about 200 kB
UNREADABLE = "a file is no mesh that can be read"
SAME = 1e-6  # of a body: vertices so near are one
AROUND, ALONG = 24, 12  # of a cylinder and a sphere: sides


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """Vertices (n, 3) and faces (k, 3)."""

    vertices: Array
    faces: Array

    def moved(self, matrix: Array, scale: Sequence[float] = (1.0, 1.0, 1.0)) -> Triangles:
        return Triangles((self.vertices * scale) @ matrix[:3, :3].T + matrix[:3, 3], self.faces)


def joined(parts: Iterable[Triangles]) -> Triangles:
    """Several as one."""
    parts = list(parts)
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    faces = [part.faces + start for part, start in zip(parts, starts, strict=False)]
    return Triangles(np.concatenate([p.vertices for p in parts]), np.concatenate(faces))


# -- a robot ------------------------------------------------------------------------------------------


def carried(file: Path | str, tree: Model) -> tuple[list[dict[str, Any]], list[str]]:
    """Per body its triangles as the view takes them, in the axes of its own joint; and what was left out."""
    try:
        shapes = read_shapes(file)
    except StrobeError:
        return [], []
    found, told = drawn(shapes, Meshes(file), tree)
    small = few(found)
    before, after = (sum(len(t.faces) for t in each.values()) for each in (found, small))
    if before > CARRIED:
        told.append(f"Its {before:,} triangles are drawn as {after:,}: a page carries {CARRIED:,} at most.")
    return [packed(body, each) for body, each in small.items()], told


def drawn(shapes: Sequence[Shape], files: Meshes, tree: Model) -> tuple[dict[int, Triangles], list[str]]:
    """The triangles of every body that has shapes, and sentences about links that are drawn otherwise."""
    reader = _Reader(files)
    links = {frame.name: frame for frame in reversed(tree.frames)}
    bodies: dict[int, list[Triangles]] = {}
    for link in dict.fromkeys(shape.link for shape in shapes):
        own = reader.link([shape for shape in shapes if shape.link == link]) if link in links else None
        if own is not None:
            frame = links[link]
            bodies.setdefault(frame.body, []).append(own.moved(_matrix(frame.placement)))
    return {body: joined(parts) for body, parts in bodies.items()}, reader.told()


class _Reader:
    """Links as triangles; it remembers what it could not read, and why."""

    def __init__(self, files: Meshes) -> None:
        self.files = files
        self.files.near.left = LARGEST_ALL
        self.faces = 0
        self.known: dict[str, Triangles | str] = {}
        self.instead: Counter[str] = Counter()  # links drawn by their collision shapes, by reason
        self.without: Counter[str] = Counter()  # links drawn by lines

    def link(self, shapes: Sequence[Shape]) -> Triangles | None:
        """The visual shapes of a link, or else its collision shapes."""
        why = ""
        for role in ("visual", "collision"):
            parts = [self._triangles(shape) for shape in shapes if shape.role == role]
            good = [part for part in parts if isinstance(part, Triangles)]
            if good and len(good) == len(parts):
                self.instead.update([why] if why else [])
                return joined(good)
            why = why or next((part for part in parts if isinstance(part, str)), "")
        self.without.update([why] if why else [])
        return None

    def _triangles(self, shape: Shape) -> Triangles | str:
        """A shape in the axes of its link, or why it cannot be drawn."""
        if shape.kind == "mesh":
            if shape.file not in self.known:
                self.known[shape.file] = self._mesh(shape.file)
            found = self.known[shape.file]
            return found if isinstance(found, str) else found.moved(_matrix(shape.placement), shape.size)
        return SOLIDS[shape.kind](*shape.size).moved(_matrix(shape.placement))

    def _mesh(self, name: str) -> Triangles | str:
        suffix = Path(name).suffix.lower()
        if suffix not in READ:
            return f"meshes of the kind {suffix or 'without a suffix'} are not read"
        try:
            content = self.files.read(name)
        except TooFar as error:
            return f"files are {error}" if str(error) == "not there" else f"a file is {error}"
        if len(content) > LARGEST_FILE:
            return f"a file has more than {LARGEST_FILE // 2**20} MiB"
        found = parsed(content, suffix)
        if isinstance(found, Triangles):
            self.faces += len(found.faces)
            if self.faces > MOST_FACES:
                return f"the meshes have more than {MOST_FACES:,} triangles"
        return found

    def told(self) -> list[str]:
        """What was drawn otherwise, a sentence for every reason."""
        return [
            *(_sentence(count, "its collision shape", why) for why, count in self.instead.items()),
            *(_sentence(count, "lines between joints", why) for why, count in self.without.items()),
        ]


def _sentence(count: int, how: str, why: str) -> str:
    many = how.replace("its collision shape", "their collision shapes")
    return (
        f"{count} links are drawn by {many}: {why}." if count > 1 else f"1 link is drawn by {how}: {why}."
    )


def parsed(content: bytes, suffix: str) -> Triangles | str:
    """The triangles of an STL, OBJ or COLLADA file, or why there are none; no other file is opened."""
    if suffix == ".dae":
        try:
            return _whole(*read_collada("mesh", content))
        except StrobeError:
            return UNREADABLE
    try:
        import trimesh
    except ImportError:
        return str(MissingExtraError("reading a mesh file", "trimesh", "mesh")).rstrip(".")
    try:
        options: dict[str, Any] = {"skip_materials": True} if suffix == ".obj" else {}
        loaded: Any = trimesh.load_mesh(io.BytesIO(content), file_type=suffix[1:], process=False, **options)
        vertices, faces = np.asarray(loaded.vertices, float), np.asarray(loaded.faces, np.int64)
    except Exception:  # trimesh raises whatever its parser of that format meets
        return UNREADABLE
    return _whole(vertices, faces)


def _whole(vertices: Array, faces: Array) -> Triangles | str:
    """Triangles, if they are such and of a size that robots have."""
    whole = len(faces) and faces.min() >= 0 and faces.max() < len(vertices) and np.isfinite(vertices).all()
    if not whole or np.abs(vertices).max() > 1e6:
        return UNREADABLE
    return Triangles(vertices, faces)


# -- solids of the format -----------------------------------------------------------------------------


def _box(x: float, y: float, z: float) -> Triangles:
    corners = np.array([(i, j, k) for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)])
    quads = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    return Triangles(corners * (x, y, z), np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))


def _turned(profile: Sequence[tuple[float, float]]) -> Triangles:
    """Points (radius, height) turned about z."""
    angles = np.arange(AROUND) * (2 * math.pi / AROUND)
    around = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    rings = [np.column_stack([r * around, np.full(AROUND, h)]) for r, h in profile]
    k = np.arange(AROUND)
    faces: list[Array] = []
    for s in range(len(profile) - 1):
        a, b = s * AROUND + k, s * AROUND + (k + 1) % AROUND
        faces += [np.stack([a, b, b + AROUND], axis=-1), np.stack([a, b + AROUND, a + AROUND], axis=-1)]
    return Triangles(np.concatenate(rings), np.concatenate(faces))


def _cylinder(radius: float, length: float) -> Triangles:
    half = length / 2
    return _turned([(0.0, -half), (radius, -half), (radius, half), (0.0, half)])


def _sphere(radius: float) -> Triangles:
    angles = np.linspace(0.0, math.pi, ALONG + 1)
    return _turned([(radius * math.sin(a), -radius * math.cos(a)) for a in angles])


SOLIDS = {"box": _box, "cylinder": _cylinder, "sphere": _sphere}


# -- few triangles, few bytes -------------------------------------------------------------------------


def few(bodies: Mapping[int, Triangles], most: int = CARRIED) -> dict[int, Triangles]:
    """The same bodies with at most so many triangles together, all of them as fine as each other."""
    found = {body: clustered(each, SAME * _extent(each)) for body, each in bodies.items()}
    cell = math.sqrt(0.5 * sum(_area(each) for each in found.values()) / most)
    while sum(len(each.faces) for each in found.values()) > most:
        found = {body: clustered(each, cell) for body, each in bodies.items()}
        cell *= 1.2
    return {body: each for body, each in found.items() if len(each.faces)}


def clustered(mesh: Triangles, cell: float) -> Triangles:
    """Vertices of one cell of a grid as one, their mean; without the triangles that collapse."""
    cells = np.floor((mesh.vertices - mesh.vertices.min(axis=0)) / (cell or 1.0)).astype(np.int64)
    _, own, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    own = own.reshape(-1)
    means = np.stack([np.bincount(own, weights=x) for x in mesh.vertices.T], axis=-1) / counts[:, None]
    faces = own[mesh.faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    _, first = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    return Triangles(means, faces[np.sort(first)])


def _extent(mesh: Triangles) -> float:
    return float(np.ptp(mesh.vertices, axis=0).max())


def _area(mesh: Triangles) -> float:
    a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
    return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=-1).sum())


def packed(body: int, mesh: Triangles) -> dict[str, Any]:
    """Vertices and faces as 16-bit numbers in base 64: x = low + step · number."""
    used, faces = np.unique(mesh.faces, return_inverse=True)
    vertices = mesh.vertices[used]
    low = vertices.min(axis=0)
    step = _extent(Triangles(vertices, faces)) / 65535 or 1.0
    numbers = np.rint((vertices - low) / step).astype("<u2")
    return {
        "body": body,
        "low": low.tolist(),
        "step": step,
        "v": b64encode(numbers.tobytes()).decode("ascii"),
        "f": b64encode(faces.reshape(-1).astype("<u2").tobytes()).decode("ascii"),
    }


def _matrix(pose: Any) -> Array:
    return np.array([[float(x) for x in row] for row in pose.matrix().rows])
