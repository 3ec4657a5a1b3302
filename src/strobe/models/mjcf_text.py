"""An MJCF file as MuJoCo is handed it: texts of our own making and the contents of meshes, no names of files.

What a model includes is put where it is included; every mesh is read here and goes by a digest of its content, so
that MuJoCo, which opens nothing itself, cannot be led anywhere. Names mean what they mean to MuJoCo (backslashes
separate folders):

    include        beside the model, else beside the file that includes
    mesh           in the model's `meshdir`, else beside the included file that names it; with `strippath`, the
                   last part of its name alone
    model          beside the file that names it; its own names start there

Pictures, elevations and skins bear on no torque: a texture becomes one cell, a height field four, a skin nothing.
One element stands on a line, and all texts count their lines in turn, so that a line says which file it comes from.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NoReturn
from xml.sax.saxutils import escape

from strobe.files.reading import LARGEST, file_fault, require_size, require_utf8
from strobe.files.xml import DEEPEST, Element, parse_xml
from strobe.models.mjcf_bounds import MOST_MODELS, Made, Part, count
from strobe.models.model_files import NearFiles, TooFar

DECLARATION = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<\?xml.*?\?>", re.DOTALL)
ROOT = "mujoco"
READ = ("mesh", "flexcomp")  # elements whose file is read for the bodies it makes
DIRS = ("meshdir", "texturedir", "assetdir")
ROOM = ("memory", "njmax", "nconmax", "nstack")  # of `size`: what a simulation sets aside
ESCAPED = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
MOST_NESTED = 20  # models inside each other
SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")


@dataclass
class Handed:
    """What MuJoCo is handed, and how its answers are read: places of lines, and the user's names of files."""

    text: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    places: list[tuple[Path, int]] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def place(self, line: int) -> tuple[Path, int] | None:
        """The file and line that a line of the texts was made from."""
        return self.places[line - 1] if 0 < line <= len(self.places) else None


@dataclass
class _Model:
    """A model on its way: the file it is in, and what it has included."""

    path: Path
    folder: Path  # from which it takes names
    included: set[Path]
    meshdir: str = ""


def handed_over(path: Path, content: bytes, folder: Path | None) -> Handed:
    """A model with all it names, names taken from a folder; a `ModelFileError` where it may not have them.

    A text that lies in no folder names no files.
    """
    making = _Making(NearFiles(folder) if folder else None)
    text, _ = making.model(path, content, folder or Path())
    making.handed.text = text
    return making.handed


class _Making:
    """One model and those it attaches, each made into a text."""

    def __init__(self, near: NearFiles | None) -> None:
        self._near = near
        self.handed = Handed()
        self.strips: bool | None = None  # whether names lose their folders: the outermost model decides
        self.bytes = 0  # of all texts that were read
        self.texts = 0
        self.attached: dict[Path, tuple[str, Made] | None] = {}  # None while it is being made

    def model(self, path: Path, content: bytes, folder: Path) -> tuple[str, Made]:
        root = self._parsed(path, content)
        if root.tag != ROOT:
            raise file_fault(
                path, f"the root element is <{root.tag}>, expected <{ROOT}> (MJCF).", root.line
            )
        model = _Model(path, folder, {Path(os.path.realpath(folder / path.name))})
        (part,) = self._merged(model, root, path, None, 1)
        self._take_compiler(model, part)
        attached: dict[str, Made] = {}
        part.children = self._made(model, part, attached)
        made = count(part, attached)
        return self._written(part), made

    def _parsed(self, path: Path, content: bytes) -> Element:
        self.texts += 1
        self.bytes += len(content)
        require_size(path, content)
        if self.bytes > LARGEST:
            raise file_fault(
                path, f"with it, the model has more than {LARGEST} bytes, the most that are read."
            )
        require_utf8(path, content)  # whatever it declares: MuJoCo takes every text for that
        return parse_xml(path, DECLARATION.sub(lambda found: b"\n" * found[0].count(b"\n"), content))

    # -- what is included -----------------------------------------------------------------------------------

    def _merged(
        self, model: _Model, element: Element, path: Path, beside: Path | None, depth: int
    ) -> list[Part]:
        """An element as a part of the model; what it includes in place of an `include`."""
        part = Part(element.tag, element.attributes, path, element.line, beside)
        if element.tag == "include":
            return self._included(model, element, part, depth)
        if depth > DEEPEST:
            raise file_fault(path, f"elements nested more than {DEEPEST} deep.", element.line)
        for child in element.children:
            part.children += self._merged(model, child, path, beside, depth + 1)
        return [part]

    def _included(self, model: _Model, element: Element, part: Part, depth: int) -> list[Part]:
        name = part.attributes.get("file", "")
        if element.children or not name:
            wrong = "elements inside" if element.children else "no file"
            raise file_fault(
                part.path, f"<include> has {wrong}; expected the name of a file alone.", part.line
            )
        place = self._place(part, name, [model.folder, *([part.beside] if part.beside else [])])
        if place in model.included:
            raise file_fault(part.path, f'<include> names "{name}", which is already included.', part.line)
        model.included.add(place)
        root = self._parsed(place, self._next(part, name, place))
        if not root.children:
            raise file_fault(place, "an included file without elements; remove the <include>.", root.line)
        merged: list[Part] = []
        for child in root.children:
            merged += self._merged(model, child, place, place.parent, depth)
        return merged

    def _next(self, part: Part, name: str, place: Path) -> bytes:
        if self.texts > MOST_MODELS:
            text = f"includes more than {MOST_MODELS} files, the most that are read."
            raise file_fault(part.path, text, part.line)
        return self._content(part, name, place)

    # -- what it names --------------------------------------------------------------------------------------

    def _take_compiler(self, model: _Model, root: Part) -> None:
        """What the compiler is told of names, out of the text: the last to say something is right."""
        strips = False
        for part in (part for part in root.walk() if part.tag == "compiler"):
            said = {name: part.attributes.pop(name) for name in DIRS if name in part.attributes}
            model.meshdir = said.get("meshdir", said.get("assetdir", model.meshdir))
            if part.attributes.get("strippath") in ("true", "false"):
                strips = part.attributes.pop("strippath") == "true"
        if self.strips is None:
            self.strips = strips

    def _made(self, model: _Model, parent: Part, attached: dict[str, Made]) -> list[Part]:
        """What is inside a part, without what no torque asks for, and with contents for names of files."""
        kept: list[Part] = []
        for part in parent.children:
            if part.tag == "skin" or (part.tag == "texture" and parent.tag == "default"):
                continue
            self._hand_over(model, part, attached)
            part.children = self._made(model, part, attached)
            kept.append(part)
        return kept

    def _hand_over(self, model: _Model, part: Part, attached: dict[str, Made]) -> None:
        attributes = part.attributes
        if part.tag in ("texture", "hfield"):
            part.attributes, part.children = _stand_in(part), []
        elif part.tag in READ and attributes.get("file"):
            self._mesh(model, part, attributes["file"])
        elif part.tag == "model" and attributes.get("file"):
            self._attach(model, part, attributes["file"], attached)
        elif part.tag == "size":
            for name in ROOM:
                attributes.pop(name, None)
        elif wrong := next((name for name in attributes if "file" in name.lower()), None):
            text = f'<{part.tag}> has an attribute "{wrong}", by which it names no file; remove it.'
            raise file_fault(part.path, text, part.line)
        _require_anchor(part)

    def _mesh(self, model: _Model, part: Part, name: str) -> None:
        stem = _slashed(name).rsplit("/", 1)[-1]
        if part.tag == "mesh" and not part.attributes.get("name"):
            part.attributes["name"] = PurePosixPath(stem).stem
        _require_relative(part, model.meshdir)
        place = self._place(part, stem if self.strips else name, self._mesh_folders(model, part))
        content = self._content(part, name, place)
        part.attributes["file"] = self._filed(content, _suffix(stem), name)

    def _mesh_folders(self, model: _Model, part: Part) -> list[Path]:
        own = model.folder / _slashed(model.meshdir)
        if part.beside is None or self.strips:
            return [own]
        if part.tag == "flexcomp" and model.meshdir:  # MuJoCo forgets the folder then
            return [part.beside]
        return [own, part.beside]

    def _attach(self, model: _Model, part: Part, name: str, attached: dict[str, Made]) -> None:
        """A model that may be attached, as a text of its own."""
        place = self._place(part, name, [part.beside or model.folder])
        if place not in self.attached:
            if sum(known is None for known in self.attached.values()) >= MOST_NESTED:
                raise file_fault(part.path, f"models nested more than {MOST_NESTED} deep.", part.line)
            self.attached[place] = None
            text, made = self.model(place, self._next(part, name, place), place.parent)
            self.attached[place] = self._filed(text.encode(), ".xml", name), made
        known = self.attached[place]
        if known is None:
            raise file_fault(part.path, f'<model> names "{name}", which has this one inside.', part.line)
        part.attributes["file"] = known[0]
        attached[part.attributes.get("name", "") or known[1].name] = known[1]

    def _filed(self, content: bytes, suffix: str, name: str) -> str:
        """The name that a content goes by, which another content never had: MuJoCo keeps meshes by their names."""
        filed = hashlib.sha256(content).hexdigest()[:32] + suffix
        self.handed.files[filed] = content
        self.handed.names[filed] = name
        return filed

    def _near_files(self, part: Part, name: str) -> NearFiles:
        if self._near is None:
            text = (
                f'<{part.tag}> names the file "{name}", and a text has no files around it; save it as a file beside '
                "them, or load the mujoco.MjModel that is made of them."
            )
            raise file_fault(part.path, text, part.line)
        return self._near

    def _place(self, part: Part, name: str, folders: list[Path]) -> Path:
        near = self._near_files(part, name)
        _require_relative(part, name)
        try:
            found = near.first([os.path.join(folder, _slashed(name)) for folder in folders])
        except TooFar as why:
            _refuse(part, name, str(why))
        if found is None:
            raise file_fault(part.path, f'<{part.tag}> names "{name}", which is not there.', part.line)
        return found

    def _content(self, part: Part, name: str, place: Path) -> bytes:
        try:
            return self._near_files(part, name).read(place)
        except TooFar as why:
            _refuse(part, name, str(why))

    # -- the text -------------------------------------------------------------------------------------------

    def _written(self, root: Part) -> str:
        """A model as text, one element on a line, behind as many lines as the texts before it have."""
        lines: list[str] = []
        before = len(self.handed.places)
        pending: list[Part | str] = [root]
        while pending:
            part = pending.pop()
            if isinstance(part, str):
                lines[-1] += part
                continue
            stated = "".join(
                f' {name}="{escape(value, ESCAPED)}"' for name, value in part.attributes.items()
            )
            lines.append(f"<{part.tag}{stated}{'>' if part.children else '/>'}")
            self.handed.places.append((part.path, part.line))
            if part.children:
                pending += [f"</{part.tag}>", *reversed(part.children)]
        return "\n" * before + "\n".join(lines) + "\n"


def _stand_in(part: Part) -> dict[str, str]:
    """What stands for a picture, or for elevations: no mass is found from either."""
    stated = part.attributes
    name = stated.get("name") or PurePosixPath(_slashed(stated.get("file", ""))).stem
    kept = {key: stated[key] for key in ("type", "size") if key in stated} | (
        {"name": name} if name else {}
    )
    if part.tag == "hfield":
        return {**kept, "nrow": "2", "ncol": "2"}
    return {**kept, "builtin": "flat", "width": "1", "height": "1"}


def _require_anchor(part: Part) -> None:
    """Refuse a blank one: MuJoCo stumbles over it, and stands still at the model after that."""
    if part.tag == "connect" and not part.attributes.get("anchor", "0 0 0").strip():
        raise file_fault(part.path, "<connect> has an empty anchor; expected three numbers.", part.line)


def _slashed(name: str) -> str:
    """A name as MuJoCo takes it apart."""
    return name.replace("\\", "/")


def _suffix(name: str) -> str:
    """By which MuJoCo tells what kind of mesh it is."""
    found = SUFFIX.search(name)
    return found[0] if found else ""


def _require_relative(part: Part, name: str) -> None:
    if _slashed(name).startswith("/") or ":" in name:  # of an address, a drive, a stream
        _refuse(part, name, "which is no relative path; MuJoCo is not let read it")


def _refuse(part: Part, name: str, why: str) -> NoReturn:
    text = f'<{part.tag}> names "{name}", {why}. Put the file beside the model, or its folder into STROBE_FILES.'
    raise file_fault(part.path, text, part.line)
