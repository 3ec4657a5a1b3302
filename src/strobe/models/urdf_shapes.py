"""The shapes of a URDF's links, for drawing: boxes, cylinders, spheres, and meshes by the name of their file.

Dynamics needs none of them and reading a model opens none. What a shape says wrongly leaves that shape out. A mesh is
named by a path beside the file or as ``package://NAME/…``: the folder of that name is looked for among those above
the file and beside them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from strobe.algebra import Pose
from strobe.files.reading import read_bytes
from strobe.files.xml import Element, parse_xml
from strobe.models.model_files import NearFiles, TooFar
from strobe.models.xacro import expanded

LEVELS = 4  # folders above a file that are searched for a package
MOST = 4_000  # shapes
SCHEMES = ("package://", "model://")
SIZES = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",), "mesh": ("scale",)}


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape fixed to a link; ``size`` holds edges, radius and length, radius, or the scale of a mesh."""

    link: str
    role: str  # visual or collision
    kind: str  # one of `SIZES`
    placement: Pose
    size: tuple[float, ...]
    file: str = ""


def read_shapes(path: Path | str) -> list[Shape]:
    """Every shape that a URDF (or xacro) file states and that can be understood."""
    root = parse_xml(path, read_bytes(Path(path)))
    if Path(path).suffix.lower() == ".xacro":
        root = expanded(Path(path), root)
    found = [
        shape
        for link in root.all("link")
        for role in ("visual", "collision")
        for element in link.all(role)
        if (shape := _shape(link.attributes.get("name", ""), role, element))
    ]
    return found[:MOST]


def _shape(link: str, role: str, element: Element) -> Shape | None:
    geometry, origin = element.first("geometry"), element.first("origin")
    stated = next((child for child in geometry.children if child.tag in SIZES), None) if geometry else None
    if stated is None:
        return None
    xyz, rpy = (_numbers(origin, name, 3) for name in ("xyz", "rpy"))
    size = tuple(x for name in SIZES[stated.tag] for x in _numbers(stated, name, 0))
    size = size or ((1.0, 1.0, 1.0) if stated.tag == "mesh" else ())
    if len(size) != {"box": 3, "cylinder": 2, "sphere": 1, "mesh": 3}[stated.tag]:
        return None
    placement = Pose.at((xyz[0], xyz[1], xyz[2]), (rpy[0], rpy[1], rpy[2]))
    return Shape(link, role, stated.tag, placement, size, stated.attributes.get("filename", ""))


def _numbers(element: Element | None, name: str, count: int) -> tuple[float, ...]:
    """The finite numbers of an attribute; zeros where there are none, or not so many as there should be."""
    words = element.attributes.get(name, "").split() if element else []
    try:
        values = tuple(float(word) for word in words[:16])
    except ValueError:
        values = ()
    good = all(math.isfinite(x) and abs(x) < 1e6 for x in values) and (not count or len(values) == count)
    return values if good and values else (0.0,) * count


class Meshes:
    """The mesh files that a model may name: `NearFiles` by the names of a URDF."""

    def __init__(self, path: Path | str) -> None:
        self.folder = Path(os.path.abspath(path)).parent
        self.near = NearFiles(self.folder)

    def read(self, name: str) -> bytes:
        """The content of a mesh, or `TooFar` with the reason."""
        places = [*self._places(name)]
        try:
            place = self.near.first(places)
        except TooFar:
            raise TooFar("outside of the folder above the model's, or hidden") from None
        if place is None:
            raise TooFar("not there")
        return self.near.read(place)

    def _places(self, name: str) -> Iterator[str]:
        scheme = next((scheme for scheme in SCHEMES if name.startswith(scheme)), None)
        if scheme is None:
            if os.path.isabs(name) or ":" in name or "\\" in name:
                raise TooFar("named by an address or an absolute path")
            yield str(self.folder / name)
            return
        package, _, rest = name.removeprefix(scheme).partition("/")
        for above in [self.folder, *self.folder.parents][: LEVELS + 1]:
            if above.name == package:
                yield str(above / rest)
            yield str(above / package / rest)
