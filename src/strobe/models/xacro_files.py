"""Files that a xacro file names: which it may read, and the packages it calls them by.

It may read what lies below the folders that are searched for packages (four above it), below those of ROS and below
what STROBE_FILES names; nothing hidden, no pipe, no device, nothing too large. A text lies
nowhere and may read nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from strobe.errors import ModelFileError
from strobe.files import reading
from strobe.files.reading import LARGEST
from strobe.models.expressions import ExpressionError
from strobe.models.model_files import opened

LEVELS = 4  # folders above a xacro file that are searched for the packages it names
SUFFIXES = ("", "_description", "_support")  # what a package's name and its folder's may differ by
PACKAGE = "package.xml"
MOST_FOLDERS = 20_000  # of ROS that are searched for a package
PATTERN = frozenset("*?[")
LONGEST_PATTERN = 255  # characters, as many as a file's name has


class Surroundings:
    """What lies around one xacro file; nothing does around a text."""

    def __init__(self, path: Path | None) -> None:
        self.is_text = path is None
        self.path = Path(os.path.realpath(path or ""))
        around = [folder for folder in list(self.path.parents)[:LEVELS] if folder != Path(folder.anchor)]
        self.of_ros = [*_named("ROS_PACKAGE_PATH"), *_named("AMENT_PREFIX_PATH")]
        allowed = [*around, *self.of_ros, *_named("STROBE_FILES")]
        self.allowed = [Path(os.path.realpath(folder)) for folder in allowed]
        self._packages: dict[str, Path] | None = None

    # -- reading ---------------------------------------------------------------------------------------------

    def read(self, path: Path) -> bytes:
        """The content of a file that may be read; FileNotFoundError where there is none."""
        self._require_file(path.name)
        try:
            place = Path(os.path.realpath(path))
            self._require_near(place)
            if not place.exists():
                raise FileNotFoundError(str(path))
            descriptor = opened(place)  # links are followed already
            with open(descriptor, "rb") as file:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise ExpressionError(f"{path} is no regular file; expected one.")
                content = file.read(LARGEST + 1)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise ExpressionError(f"{path} cannot be read: {error.strerror or error}.") from None
        if len(content) > LARGEST:
            raise ExpressionError(f"{path} has more than {LARGEST} bytes, the most that are read.")
        return content

    def matching(self, path: Path) -> list[Path]:
        """The files that a name stands for: itself, or those beside it that fit its pattern."""
        self._require_file(path.name)
        if not PATTERN & set(path.name):
            if PATTERN & set(str(path.parent)):
                raise ExpressionError(
                    f"\"{path}\" has a pattern in a folder's name; expected one in the file's."
                )
            return [path]
        if len(path.name) > LONGEST_PATTERN:
            raise ExpressionError(
                f"a pattern of {len(path.name):,} characters; at most {LONGEST_PATTERN} are read."
            )
        folder = Path(os.path.realpath(path.parent))
        self._require_near(folder / "any")
        names = sorted(name for name in _listed(folder) if fnmatchcase(name, path.name))
        return [path.parent / name for name in names if not name.startswith(".")]

    def _require_file(self, name: str) -> None:
        if self.is_text:
            raise ExpressionError(
                f'it names "{name}", and a text has no files around it; save it as a .xacro file beside them.'
            )

    def _require_near(self, place: Path) -> None:
        inside = [
            place.relative_to(folder).parts for folder in self.allowed if place.is_relative_to(folder)
        ]
        if not inside or any(part.startswith(".") for part in min(inside, key=len)):
            raise ExpressionError(
                f"it wants to read {place}, which is not near it, or hidden; put the file beside it, or its folder "
                "into STROBE_FILES."
            )

    # -- packages ---------------------------------------------------------------------------------------------

    def package(self, name: str) -> str:
        """The folder of a package, of the nearest one that has its name."""
        self._require_file(f"$(find {name})")
        if self._packages is None:
            self._packages = self._around()
        found = self._packages.get(name) or self._above(name) or self._in_ros(name)
        if found is None:
            raise ExpressionError(
                f'needs the package "{name}"; put its folder beside the one of this file, or into ROS_PACKAGE_PATH.'
            )
        self._packages[name] = found
        return str(found)

    def _around(self) -> dict[str, Path]:
        """Folders near the file under every package name that they may stand for; the nearest wins."""
        found: dict[str, Path] = {}
        for folder in list(self.path.parents)[:LEVELS]:
            near = [folder / name for name in sorted(_listed(folder))]
            for each in (folder, *(child for child in near if child.is_dir())):
                stem = each.name.removesuffix("_description").removesuffix("_support")
                for suffix in SUFFIXES:
                    found.setdefault(stem + suffix, each)
        return found

    def _above(self, name: str) -> Path | None:
        """A folder above the file whose package.xml gives it this name."""
        for folder in list(self.path.parents)[:LEVELS]:
            if f"<name>{name}</name>" in _head(folder / PACKAGE):
                return folder
        return None

    def _in_ros(self, name: str) -> Path | None:
        for place in self.of_ros:
            for folder in (place, place / name, place / "share" / name):
                if folder.name == name and (folder / PACKAGE).is_file():
                    return folder
        searched = _folders(self.of_ros)
        return next(
            (folder for folder in searched if folder.name == name and (folder / PACKAGE).is_file()), None
        )


def _named(variable: str) -> list[Path]:
    """The folders of an environment variable: absolute ones, for others depend on where a command is called."""
    places = os.environ.get(variable, "").split(os.pathsep)
    return [Path(place) for place in places if os.path.isabs(place)]


def _listed(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _head(path: Path) -> str:
    """The beginning of a regular file as text, or nothing."""
    try:
        with reading.opened(path) as file:
            return file.read(65_536).decode("utf-8", "replace").replace(" ", "")
    except (OSError, ModelFileError):
        return ""


def _folders(places: list[Path]) -> Iterator[Path]:
    """All folders below some, so many at most."""
    count = 0
    for place in places:
        for folder, below, _ in os.walk(place):
            below[:] = sorted(name for name in below if not name.startswith("."))
            yield Path(folder)
            count += 1
            if count == MOST_FOLDERS:
                return
