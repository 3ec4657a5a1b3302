"""What a file calls its parts, and the meshes that it names: whether other tools will find them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from strobe.files.xml import Element
from strobe.models.assembly import Assembly
from strobe.models.expressions import ExpressionError
from strobe.models.findings import DOUBTFUL, NOTE, Finding
from strobe.models.xacro_files import Surroundings

PLAIN = re.compile(r"[A-Za-z_][\w./-]*", re.ASCII)
PACKAGE = re.compile(r"package://([^/]+)/(.*)")
ADDRESS = re.compile(r"[a-z][a-z0-9+.]+://")


def judged(data: Assembly, document: Element | None) -> Iterator[Finding]:
    """What is wrong with the names and the meshes of a file."""
    named = [("link", link.name, link.where) for link in data.links]
    named += [("joint", joint.name, joint.where) for joint in data.joints]
    for kind, name, where in named:
        if not PLAIN.fullmatch(name):
            cure = "Letters, digits and _ are safe everywhere: ROS, C, file names."
            yield Finding(NOTE, "names", f'{kind} "{name}"', where, "has a name that other tools may not take",
                          cure=cure)  # fmt: skip
    twins = Counter(name.lower() for _, name, _ in named)
    both = {kind: {name for k, name, _ in named if k == kind} for kind in ("link", "joint")}
    for name in sorted(both["link"] | both["joint"]):
        if (
            twins[name.lower()] > 1
            and name != name.lower()
            and name.lower() in both["link"] | both["joint"]
        ):
            yield Finding(NOTE, "names", f'"{name}"', "", "differs from another name by its case alone")
    if document is not None:
        yield from _meshes(Path(data.faults.path), document)


def _meshes(path: Path, document: Element) -> Iterator[Finding]:
    """The meshes that are not where the file says."""
    around = Surroundings(path)
    unknown: dict[str, int] = {}
    for name, element in _named_meshes(document):
        place = _place(path, name, around)
        if isinstance(place, str):
            unknown[place] = unknown.get(place, 0) + 1
        elif place is not None and not _exists(place):
            cure = "Drawings and collisions lack it; dynamics do not need it."
            yield Finding(DOUBTFUL, "meshes", f'mesh "{name}"', element.where, "is not there", cure=cure)
    for package, count in unknown.items():
        cure = "Its folder near the file, or ROS_PACKAGE_PATH, would help."
        yield Finding(NOTE, "meshes", f'package "{package}"', "", "is not found, so its meshes were not looked for",
                      f"{count} of them", cure)  # fmt: skip


def _named_meshes(document: Element) -> Iterable[tuple[str, Element]]:
    """Each mesh once, where it is named first."""
    found: dict[str, Element] = {}
    for link in document.all("link"):
        for shape in (*link.all("visual"), *link.all("collision")):
            for mesh in (mesh for geometry in shape.all("geometry") for mesh in geometry.all("mesh")):
                found.setdefault(mesh.attributes.get("filename", "").strip(), mesh)
    return [(name, element) for name, element in found.items() if name]


def _place(path: Path, name: str, around: Surroundings) -> Path | str | None:
    """Where a mesh should be; the name of a package that is not found; nothing where nobody can look."""
    if package := PACKAGE.fullmatch(name):
        try:
            return Path(around.package(package[1])) / package[2]
        except ExpressionError:
            return package[1]
    name = name.removeprefix("file://")
    return None if ADDRESS.match(name) else path.parent / name


def _exists(place: Path) -> bool:
    try:
        return os.path.isfile(place)
    except (OSError, ValueError):
        return False
