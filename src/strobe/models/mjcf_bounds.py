"""What an MJCF file may name and ask for, checked before MuJoCo opens anything.

MuJoCo reads the files that a model names, wherever they are, and makes what it asks for, however large. Here a
model may name regular files below the folder above its own (`../meshes/hand.stl` is common), none of them hidden,
and further ones below the folders in STROBE_FILES; included models are looked at in turn. What is counted in
attributes is bounded, so that a short text cannot ask for gigabytes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path, PurePosixPath, PureWindowsPath

from strobe.models.safe_xml import Element, parse_xml
from strobe.models.text_files import file_fault, read_bytes, require_utf8

MODELS = ("include", "model")  # elements whose file is another model
MOST_MODELS = 200
MOST_BYTES = 256 * 2**20  # of one mesh, texture or height field
MOST_COPIES = 1_000  # of what is replicated, one inside the other
MOST_CELLS = 2**24  # of a height field or texture, of copies of a flexible body
MOST_EACH = 10_000  # of anything else
CELLS = {"nrow", "ncol", "width", "height"}
EACH = {"dim", "actdim", "nsample", "nkey", "nuserdata", "njmax", "nconmax"}
ARRAYS = {"hfield", "texture", "composite", "flexcomp"}  # elements in which a count has several numbers


def require_bounded(path: Path, content: bytes, folder: Path) -> None:
    """Refuse a model that names files out of bounds or asks for too much; paths are taken from a folder."""
    _Walk(folder).model(path, content)


@dataclass
class _Walk:
    """One look at a model and those it includes."""

    folder: Path  # from which MuJoCo takes paths
    seen: set[Path] = field(default_factory=set)

    def model(self, path: Path, content: bytes) -> None:
        require_utf8(path, content)
        root = parse_xml(path, re.sub(rb"\A(\xef\xbb\xbf)?\s*<\?xml.*?\?>", b"", content, flags=re.DOTALL))
        self._count(path, root, 1)
        folders = {self.folder, path.parent, *self._asset_folders(path, root)}
        for element in root.walk():
            _require_anchor(path, element)
            for name in _files(element):
                for place in self._places(path, element, name, folders):
                    if element.tag in MODELS and place not in self.seen:
                        self._next(path, element, place)

    def _next(self, path: Path, element: Element, place: Path) -> None:
        self.seen.add(place)
        if len(self.seen) > MOST_MODELS:
            raise file_fault(
                path, f"includes more than {MOST_MODELS} files, the most that are read.", element.line
            )
        self.model(place, read_bytes(place))

    # -- files --------------------------------------------------------------------------------------------

    def _asset_folders(self, path: Path, root: Element) -> Iterator[Path]:
        """Where a model says that its meshes and textures are."""
        for element in root.walk():
            if element.tag == "compiler":
                for name, value in element.attributes.items():
                    if name.endswith("dir") and value:
                        _require_relative(path, element, value)
                        yield from (self.folder / value, path.parent / value)

    def _places(self, path: Path, element: Element, name: str, folders: set[Path]) -> Iterator[Path]:
        """The files that a name may mean, each within bounds."""
        _require_relative(path, element, name)
        for folder in folders:
            place = Path(os.path.realpath(folder / name))
            if place.exists():
                self._require_near(path, element, name, place)
                yield place

    def _require_near(self, path: Path, element: Element, name: str, place: Path) -> None:
        roots = [_above(self.folder), *_allowed()]
        inside = next((place.relative_to(root) for root in roots if place.is_relative_to(root)), None)
        if inside is None or any(part.startswith(".") for part in inside.parts):
            _refuse(
                path, element, name, f"which is not below {roots[0]}, or hidden; MuJoCo is not let read it"
            )
        if not place.is_file():
            _refuse(path, element, name, "which is no regular file")
        if place.stat().st_size > MOST_BYTES:
            _refuse(path, element, name, f"which has more than {MOST_BYTES} bytes, the most that are read")

    # -- sizes --------------------------------------------------------------------------------------------

    def _count(self, path: Path, element: Element, copies: float) -> None:
        """Refuse counts beyond their bounds, those of what is inside of copies included."""
        if element.tag == "replicate":
            copies *= max(_largest(element.attributes.get("count", "1")), 1)
            _require_most(path, element, "copies", copies, MOST_COPIES)
        if element.tag in ARRAYS:
            counts = [_numbers(element.attributes.get("count", "1"))]
            counts += [_numbers(element.attributes.get(name, "1")) for name in CELLS]
            cells = prod(max(number, 1.0) for numbers in counts for number in numbers)
            _require_most(path, element, "cells", cells, MOST_CELLS)
        for name, value in element.attributes.items():
            if name in EACH or name.startswith("nuser_"):
                _require_most(path, element, name, _largest(value), MOST_EACH)
        for child in element.children:
            self._count(path, child, copies)


def _require_anchor(path: Path, element: Element) -> None:
    """Refuse a blank one: MuJoCo stumbles over it, and stands still at the model after that."""
    if element.tag == "connect" and not element.attributes.get("anchor", "0 0 0").strip():
        raise file_fault(path, "<connect> has an empty anchor; expected three numbers.", element.line)


def _files(element: Element) -> list[str]:
    """What an element names as files."""
    return [value for name, value in element.attributes.items() if "file" in name and value]


def _require_relative(path: Path, element: Element, name: str) -> None:
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor or re.match(r"\w+:", name):
        _refuse(path, element, name, "which is no relative path; MuJoCo is not let read it")


def _refuse(path: Path, element: Element, name: str, why: str) -> None:
    text = f'<{element.tag}> names "{name}", {why}. Put the file beside the model, or its folder into STROBE_FILES.'
    raise file_fault(path, text, element.line)


def _above(folder: Path) -> Path:
    """The folder above one, unless that is everything."""
    own = Path(os.path.realpath(folder))
    return own if own.parent == Path(own.anchor) else own.parent


def _allowed() -> list[Path]:
    named = os.environ.get("STROBE_FILES", "")
    return [Path(os.path.realpath(place)) for place in named.split(os.pathsep) if place]


def _numbers(text: str) -> list[float]:
    """The numbers in an attribute; none where it holds something else, of which MuJoCo complains."""
    try:
        return [float(word) for word in text.split()]
    except ValueError:
        return []


def _largest(text: str) -> float:
    return max(_numbers(text), default=0.0)


def _require_most(path: Path, element: Element, what: str, found: float, most: int) -> None:
    if not found <= most:
        raise file_fault(
            path,
            f"<{element.tag}> asks for {found:g} {what}; at most {most:,} are made for a robot.",
            element.line,
        )
