"""Triangles of a COLLADA file (.dae), as the scene of the file places them, in metres.

A scene is a tree of nodes; each has transformations, one after the other, and instances of geometries or of other
nodes. A geometry has its positions in a source and faces as indices into it: triangles, strips, fans, or polygons,
which are cut into fans. Axes are those of the file whatever it calls up, as tools for robots take them; skins that
bend are refused.

Nodes may instance nodes, so that a small file can stand for a scene without end: what is visited is counted.
"""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np

from strobe.files.reading import file_fault
from strobe.files.xml import Element, parse_xml

Array = np.ndarray

MOST_NODES = 10_000  # of a scene, with what is instanced
MOST_FACES = 2_000_000  # triangles
DEEPEST = 100  # nodes in nodes
LENGTHS = {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}
PRIMITIVES = ("triangles", "polylist", "polygons", "tristrips", "trifans")


def read_collada(path: Path | str, content: bytes) -> tuple[Array, Array]:
    """Vertices (n, 3) in metres and faces (k, 3), or a `ModelFileError` that says why there are none."""
    root = parse_xml(path, content, texts=True)
    try:
        with np.errstate(all="ignore"):  # what overflows is refused below
            scene = _Scene(root)
            scene.walk()
            return scene.joined()
    except (ValueError, KeyError, IndexError) as error:
        raise file_fault(path, f"no COLLADA mesh that can be read: {error}.") from None


class _Scene:
    """What the nodes of a scene hold, piece by piece."""

    def __init__(self, root: Element) -> None:
        self.root = root
        self.named = {each.attributes["id"]: each for each in root.walk() if "id" in each.attributes}
        self.geometries: dict[str, tuple[Array, Array]] = {}
        self.parts: list[tuple[Array, Array]] = []
        self.nodes = self.faces = 0

    def walk(self) -> None:
        found = _inside(self.root, "scene", "instance_visual_scene")
        scene = (
            self._target(found) if found else _inside(self.root, "library_visual_scenes", "visual_scene")
        )
        if scene is None:
            raise ValueError("it has no scene")
        metre = _metres(self.root)
        for node in scene.all("node"):
            self._node(node, np.diag([metre, metre, metre, 1.0]), 0)

    def joined(self) -> tuple[Array, Array]:
        if not self.parts:
            raise ValueError("its scene has no triangles")
        starts = np.cumsum([0, *(len(vertices) for vertices, _ in self.parts)])
        faces = [faces + start for (_, faces), start in zip(self.parts, starts, strict=False)]
        return np.concatenate([vertices for vertices, _ in self.parts]), np.concatenate(faces)

    def _node(self, node: Element, above: Array, depth: int) -> None:
        self.nodes += 1
        if self.nodes > MOST_NODES or depth > DEEPEST:
            raise ValueError(f"its scene has more than {MOST_NODES:,} nodes, or nodes {DEEPEST} deep")
        own = above
        for child in node.children:  # transformations apply in the order in which they stand
            own = own @ _transformation(child)
        for child in node.children:
            if child.tag == "node":
                self._node(child, own, depth + 1)
            elif child.tag == "instance_node":
                self._node(self._target(child), own, depth + 1)
            elif child.tag == "instance_geometry":
                self._place(*self._geometry(child), own)
            elif child.tag == "instance_controller":
                raise ValueError("it has skins that bend")

    def _place(self, vertices: Array, faces: Array, own: Array) -> None:
        self.faces += len(faces)
        if self.faces > MOST_FACES:
            raise ValueError(f"it has more than {MOST_FACES:,} triangles")
        placed = vertices @ own[:3, :3].T + own[:3, 3]
        if not np.isfinite(placed).all():
            raise ValueError("its scene has no size")
        if len(faces):
            self.parts.append((placed, faces))

    def _geometry(self, instance: Element) -> tuple[Array, Array]:
        url = instance.attributes["url"]
        if url not in self.geometries:
            self.geometries[url] = self._mesh(self._target(instance))
        return self.geometries[url]

    def _mesh(self, geometry: Element) -> tuple[Array, Array]:
        """The positions of a mesh that its faces use, and these."""
        mesh = geometry.first("mesh")
        shapes = [each for each in mesh.children if each.tag in PRIMITIVES] if mesh else []
        parts = [part for each in shapes if len((part := self._primitive(each))[1])]
        if not parts:
            return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
        starts = np.cumsum([0, *(len(positions) for positions, _ in parts)])
        faces = np.concatenate([part[1] + start for part, start in zip(parts, starts, strict=False)])
        used, faces = np.unique(faces, return_inverse=True)
        return np.concatenate([part[0] for part in parts])[used], faces.reshape(-1, 3)

    def _primitive(self, shape: Element) -> tuple[Array, Array]:
        inputs = shape.all("input")
        stride = 1 + max((_whole(each, "offset") for each in inputs), default=0)
        vertex = next((each for each in inputs if each.attributes.get("semantic") == "VERTEX"), None)
        if vertex is None or stride > 64:
            raise ValueError("faces say no vertices")
        positions = self._positions(self._target(vertex, "source"))
        faces = _faces(shape, stride, _whole(vertex, "offset"))
        if len(faces) and (faces.min() < 0 or faces.max() >= len(positions)):
            raise ValueError("faces of vertices that are not there")
        return positions, faces

    def _positions(self, vertices: Element) -> Array:
        """The rows of the source that vertices take their positions from."""
        given = [each for each in vertices.all("input") if each.attributes.get("semantic") == "POSITION"]
        if not given:
            raise ValueError("vertices without a POSITION")
        source = self._target(given[0], "source")
        accessor = _inside(source, "technique_common", "accessor")
        numbers = source.first("float_array")
        if accessor is None or numbers is None:
            raise ValueError("positions without numbers")
        stride, count = _whole(accessor, "stride", 1), _whole(accessor, "count")
        values = _numbers(numbers)[_whole(accessor, "offset") :][: stride * count]
        if stride < 3 or len(values) != stride * count or not np.isfinite(values).all():
            raise ValueError("positions that are not three numbers each")
        return values.reshape(count, stride)[:, :3]

    def _target(self, element: Element, name: str = "url") -> Element:
        """What an address within the file leads to; there is no other file."""
        address = element.attributes.get(name, "")
        if not address.startswith("#") or address[1:] not in self.named:
            raise ValueError(f"nothing in the file is called {address[:60]!r}")
        return self.named[address[1:]]


def _faces(shape: Element, stride: int, offset: int) -> Array:
    """The triangles of a primitive, as indices of positions."""
    runs = [_numbers(each, int).reshape(-1, stride)[:, offset] for each in shape.all("p")]
    if not runs:
        return np.zeros((0, 3), np.int64)
    if shape.tag == "triangles":
        return np.concatenate(runs).reshape(-1, 3)
    if shape.tag == "tristrips":
        return np.concatenate([_strip(run) for run in runs])
    if shape.tag == "polylist":
        counted = shape.first("vcount")
        counts = _numbers(counted, int) if counted else np.zeros(0, np.int64)
        return _fans(np.concatenate(runs), counts)
    return _fans(np.concatenate(runs), np.array([len(run) for run in runs]))


def _fans(corners: Array, counts: Array) -> Array:
    """Polygons of so many corners each, cut into triangles from their first corner."""
    if (counts < 0).any() or (counts > len(corners)).any() or counts.sum() != len(corners):
        raise ValueError("polygons of other corners than there are")
    firsts = np.cumsum(counts) - counts
    cuts = np.maximum(counts - 2, 0)
    first = np.repeat(firsts, cuts)
    step = np.arange(cuts.sum()) - np.repeat(np.cumsum(cuts) - cuts, cuts)
    return np.stack([corners[first], corners[first + step + 1], corners[first + step + 2]], axis=-1)


def _strip(run: Array) -> Array:
    """Each corner with the two before it, every second turned."""
    faces = np.stack([run[:-2], run[1:-1], run[2:]], axis=-1)
    faces[1::2, :2] = faces[1::2, 1::-1]
    return faces


def _transformation(element: Element) -> Array:
    found = np.eye(4)
    if element.tag in ("skew", "lookat"):
        raise ValueError(f"a node with a {element.tag}")
    if element.tag not in LENGTHS:
        return found
    values = _numbers(element)
    if len(values) != LENGTHS[element.tag] or not np.isfinite(values).all():
        raise ValueError(f"a {element.tag} of {len(values)} numbers")
    if element.tag == "matrix":
        return values.reshape(4, 4)
    if element.tag == "translate":
        found[:3, 3] = values
    elif element.tag == "scale":
        found[:3, :3] = np.diag(values)
    else:
        found[:3, :3] = _turn(values[:3], math.radians(values[3]))
    return found


def _turn(axis: Array, angle: float) -> Array:
    length = float(np.linalg.norm(axis))
    if not length:
        return np.eye(3)
    x, y, z = axis / length
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def _metres(root: Element) -> float:
    """How many metres the unit of the file has."""
    unit = _inside(root, "asset", "unit")
    found = float(unit.attributes.get("meter", "1")) if unit else 1.0
    if not 0 < found < math.inf:
        raise ValueError(f"a unit of {found} m")
    return found


def _inside(element: Element, *tags: str) -> Element | None:
    found: Element | None = element
    for tag in tags:
        found = found.first(tag) if found else None
    return found


def _whole(element: Element, name: str, otherwise: int = 0) -> int:
    found = int(element.attributes.get(name, str(otherwise)))
    if not 0 <= found < 2**31:
        raise ValueError(f"a {name} of {found}")
    return found


def _numbers(element: Element, kind: type = float) -> Array:
    """The numbers of a text; a word among them is an error."""
    if not element.text.strip():
        return np.zeros(0, kind)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # of what is no number, before NumPy 2.3
        try:
            return np.fromstring(element.text, kind, sep=" ")
        except (DeprecationWarning, ValueError):
            raise ValueError(f"words where {element.tag} has numbers") from None
