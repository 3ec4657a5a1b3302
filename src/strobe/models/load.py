"""A model from whatever a user names: a built-in robot, ``random(n, seed)``, or a file by its suffix."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from os import PathLike
from pathlib import Path

from strobe.errors import ArgumentError, UnknownNameError, nearest, shown
from strobe.files.reading import decoded_head, file_fault, opened, read_bytes, require_name
from strobe.models import library
from strobe.models.model import Model

HEAD = 65536  # bytes in which the root element of an XML file must begin
ROOT = re.compile(r"<([A-Za-z_][\w.-]*)")
ASIDES = {"<!--": "-->", "<?": "?>"}  # what may stand before the first element, and how it ends
MOST_JOINTS = 1_000  # of a random robot by name
LARGEST_SNAP = 0.1  # radians: beyond this, angles that are meant become right ones


def load_model(source: str | PathLike[str], *, snap: float | None = None, strict: bool = False) -> Model:
    """The model behind a built-in name, ``random(n, seed)`` or a path to a model file."""
    _require_snap(snap)
    name = os.fspath(source)
    if name in library.built_in_names():
        return _built_in(name, snap, strict)
    if name.startswith("random("):
        return _random(name)
    path = Path(name)
    if not os.path.exists(name) and not _looks_like_a_path(name):  # of a name too long for a file too
        known = [*library.built_in_names(), "random(n, seed)"]
        raise UnknownNameError("robot", name, "the library", known, "strobe list")
    _require_file(path)
    return _reader(path)(path, snap=snap, strict=strict)


def _require_snap(snap: float | None) -> None:
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


def _toml(path: Path, *, snap: float | None, strict: bool) -> Model:
    from strobe.models.toml_reader import read_toml

    return read_toml(path, snap=snap, strict=strict)


def _urdf(path: Path, *, snap: float | None, strict: bool) -> Model:
    from strobe.models.urdf import read_urdf

    return read_urdf(path, snap=snap, strict=strict)


def _mjcf(path: Path, *, snap: float | None, strict: bool) -> Model:
    from strobe.models.mjcf import read_mjcf

    return read_mjcf(path, snap=snap, strict=strict)


Reader = Callable[..., Model]
BY_SUFFIX: dict[str, Reader] = {".toml": _toml, ".urdf": _urdf, ".xacro": _urdf}
BY_ROOT: dict[str, Reader] = {"robot": _urdf, "mujoco": _mjcf}
XML = (".xml", ".mjcf")
SUFFIXES = (*BY_SUFFIX, *XML)


def _reader(path: Path) -> Reader:
    suffix = path.suffix.lower()
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    if suffix not in XML:
        found = f"the suffix {suffix} is not one of a robot file" if suffix else "the file has no suffix"
        raise file_fault(path, f"{found}; expected {', '.join(SUFFIXES)}.{nearest(suffix, SUFFIXES)}")
    root = _root_element(path)
    if root not in BY_ROOT:
        found = f"the root element is <{root}>" if root else "no XML element was found"
        raise file_fault(path, f"{found}, expected <robot> (URDF) or <mujoco> (MJCF).")
    return BY_ROOT[root]


def _root_element(path: Path) -> str:
    """The name of the first element, read without parsing the file."""
    text = decoded_head(read_bytes(path)[:HEAD])
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
    return any(sep in name for sep in separators) or Path(name).suffix.lower() in SUFFIXES


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
    names = sorted(entry.name for entry in folder.iterdir() if entry.suffix.lower() in SUFFIXES)
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
