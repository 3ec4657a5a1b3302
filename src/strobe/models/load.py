"""A model from whatever a user has: a name, a file, the text of one, or another library's model.

    panda                a built-in robot, or ``random(n, seed)``
    arm.urdf             a file, by its suffix; a `Path` is one always
    <robot …>…           a text: bytes, or a str that begins with < or has several lines
    pinocchio.Model …    an object, known by the names of its class: no library is imported for that

A text is URDF (xacro too) or MJCF by its first element, and TOML without one.
"""

from __future__ import annotations

import os
import re
from os import PathLike
from pathlib import Path
from typing import Any

from strobe.errors import ArgumentError, UnknownNameError, either, nearest, shown
from strobe.files.reading import decoded_head, file_fault, opened, read_bytes, require_name
from strobe.models import library
from strobe.models.formats import ENDINGS, FORMATS, XML, Reader
from strobe.models.model import Model
from strobe.models.names import TEXT

HEAD = 65536  # bytes in which the root element of an XML file must begin
ROOT = re.compile(r"<([A-Za-z_][\w.-]*)")
ASIDES = {"<!--": "-->", "<?": "?>"}  # what may stand before the first element, and how it ends
MOST_JOINTS = 1_000  # of a random robot by name
LARGEST_SNAP = 0.1  # radians: beyond this, angles that are meant become right ones


def load_model(source: Any, *, snap: float | None = None, strict: bool = False) -> Model:
    """The model behind a name, a path, the text of a model file, or the model of another library."""
    require_snap(snap)
    if is_text(source):
        return _text_reader(source)(TEXT, text=source, snap=snap, strict=strict)
    if not isinstance(source, str | PathLike):
        return _object_reader(source)(source, snap=snap, strict=strict)
    name = os.fspath(source)
    if name in library.built_in_names():
        return _built_in(name, snap, strict)
    if name.startswith("random("):
        return _random(name)
    path = Path(name)
    if not os.path.exists(name) and not _looks_like_a_path(name):  # of a name too long for a file too
        if name.startswith("random"):
            return _random(name)  # which says how one is written
        raise UnknownNameError("robot", name, "the library", library.built_in_names(), "strobe list")
    _require_file(path)
    return _reader(path)(path, snap=snap, strict=strict)


def require_snap(snap: float | None) -> None:
    if snap is None or (isinstance(snap, int | float) and 0 <= snap <= LARGEST_SNAP):
        return
    raise ArgumentError(
        f"snap is {shown(snap)}; expected an angle from 0 to {LARGEST_SNAP} rad, within which an angle counts as "
        "a right one (1e-4 is usual)."
    )


def _built_in(name: str, snap: float | None, strict: bool) -> Model:
    from strobe.models.toml_reader import read_toml

    return read_toml(f"{name}.toml", text=library.built_in_text(name), snap=snap, strict=strict)


def _random(text: str) -> Model:
    from strobe.models.random_robots import random_model

    found = re.fullmatch(r"random\(\s*(\d{1,6})\s*(?:,\s*(?:seed\s*=\s*)?(\d{1,18})\s*)?\)", text)
    if not found:
        raise ArgumentError(
            f'"{text}" is not a random robot; write random(n) or random(n, seed), such as random(6, 1).'
        )
    if int(found[1]) > MOST_JOINTS:
        raise ArgumentError(
            f'"{text}" has too many joints; a random robot by name has at most {MOST_JOINTS:,}.'
        )
    return random_model(int(found[1]), int(found[2] or 0))


# -- files ------------------------------------------------------------------------------------------


Readers = dict[str, Reader]
BY_ENDING: Readers = {ending: each.read for each in FORMATS.values() for ending in each.endings}
BY_ROOT: Readers = {each.root: each.read for each in FORMATS.values() if each.root}
BY_CLASS: Readers = {name: each.read for each in FORMATS.values() for name in each.classes}


def is_urdf(name: str) -> bool:
    """Whether a file, refused where there is none, is read as URDF; not what names a robot of the library."""
    if name in library.built_in_names() or name.startswith("random(") or not _looks_like_a_path(name):
        return False
    _require_file(Path(name))
    return _reader(Path(name)) is FORMATS["urdf"].read


def _reader(path: Path) -> Reader:
    suffix = path.suffix.lower()
    if suffix in BY_ENDING:
        return BY_ENDING[suffix]
    if suffix not in XML:
        found = f"the suffix {suffix} is not one of a robot file" if suffix else "the file has no suffix"
        raise file_fault(path, f"{found}; expected {', '.join(ENDINGS)}.{nearest(suffix, ENDINGS)}")
    return _by_root(path, decoded_head(read_bytes(path)[:HEAD]))


def _by_root(path: Path | str, head: str) -> Reader:
    root = _root_element(head)
    if root not in BY_ROOT:
        found = f"the root element is <{root}>" if root else "no XML element was found"
        known = [f"<{each.root}> ({each.title})" for each in FORMATS.values() if each.root]
        raise file_fault(path, f"{found}, expected {either(known)}.")
    return BY_ROOT[root]


def _root_element(text: str) -> str:
    """The name of the first element, read without parsing the whole."""
    place = text.find("<")
    while place >= 0:
        if found := ROOT.match(text, place):
            return found[1]
        end = next((end for start, end in ASIDES.items() if text.startswith(start, place)), "<")
        after = text.find(end, place + 1)
        place = text.find("<", after) if after >= 0 else -1
    return ""


def _looks_like_a_path(name: str) -> bool:
    separators = [os.sep, *([os.altsep] if os.altsep else [])]
    return any(sep in name for sep in separators) or Path(name).suffix.lower() in ENDINGS


def _require_file(path: Path) -> None:
    """Refuse what is not a readable file, in a sentence that helps to find the right one."""
    require_name(path)
    try:
        if path.is_dir():
            raise file_fault(path, f"a folder, expected a robot file.{_robot_files(path)}")
        if not path.exists():
            raise file_fault(path, f"no such file.{_similar(path)}")
    except OSError as error:  # a name too long, a folder that may not be searched
        raise file_fault(path, f"cannot be read: {error.strerror or error}.") from None
    with opened(path):
        pass


def _robot_files(folder: Path) -> str:
    names = sorted(entry.name for entry in folder.iterdir() if entry.suffix.lower() in ENDINGS)
    more = ", …" if len(names) > 6 else ""
    return f" It holds {', '.join(names[:6])}{more}." if names else " It holds no robot file."


def _similar(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f" The folder {folder} does not exist either."
    hint = nearest(path.name, [entry.name for entry in folder.iterdir()])
    stem = (
        ""
        if path.stem not in library.built_in_names()
        else f' The built-in robot is loaded as "{path.stem}".'
    )
    return hint + stem


# -- texts ------------------------------------------------------------------------------------------


def is_text(source: object) -> bool:
    """Whether a source is what stands in a file, and no name of one."""
    return isinstance(source, bytes) or (
        isinstance(source, str) and (_is_xml(source) or "\n" in source.strip())
    )


def _is_xml(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def _text_reader(source: str | bytes) -> Reader:
    head = decoded_head(source[:HEAD]) if isinstance(source, bytes) else source[:HEAD]
    if _is_xml(head):
        return _by_root(TEXT, head)
    if "\n" not in head.strip():
        raise ArgumentError(
            f"source is {shown(source)}; expected the text of a robot file, or its name as a str."
        )
    return FORMATS["toml"].read


# -- objects ----------------------------------------------------------------------------------------


def _object_reader(source: object) -> Reader:
    for cls in type(source).__mro__:
        if reader := BY_CLASS.get(f"{cls.__module__.partition('.')[0]}.{cls.__name__}"):
            return reader
    rows = " Rows of a DH table are read by strobe.from_dh." if isinstance(source, list | tuple) else ""
    known = either([each.title for each in FORMATS.values() if each.classes])
    raise ArgumentError(
        f"source is of type {type(source).__name__}; expected the name, the path or the text of a robot, or a "
        f"{known}.{rows}"
    )
