"""Files that a model names: regular ones below the folder above its own, none hidden, each read once.

`../meshes/hand.stl` is common, so the folder above a model's counts as near; folders in STROBE_FILES are added. `..`
takes the folder before it away, as in MuJoCo, whatever that folder is; then links are followed, and where they lead
is looked at. That path is opened without following a link once more, and the kind and size are those of what was
opened: nobody exchanges a file between the look and the reading.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 256 * 2**20  # of all files together
FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # no waiting for a pipe


class TooFar(Exception):
    """Why a file is not read: the end of a sentence that names it."""


class NearFiles:
    """The files that a model in a folder may name; what was read is counted."""

    def __init__(self, folder: Path) -> None:
        own = Path(os.path.abspath(folder))
        self.roots = [_above(Path(os.path.realpath(own))), Path(os.path.realpath(_above(own))), *_allowed()]
        self.left = MOST_BYTES

    def first(self, places: list[str]) -> Path | None:
        """The first of some places where something is, links followed; refused where it is not near."""
        for place in places:
            with suppress(OSError, ValueError):  # a name too long, or with characters that no file has
                found = Path(os.path.realpath(os.path.normpath(place)))
                if os.path.lexists(found):
                    self._require_near(found)
                    return found
        return None

    def read(self, place: Path) -> bytes:
        """The content of a file that `first` found."""
        try:
            descriptor = opened(place)
        except OSError as error:
            raise TooFar(f"which cannot be read: {error.strerror or error}") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise TooFar("which is no regular file")
        with open(descriptor, "rb") as file:
            content = file.read(self.left + 1)
        self.left -= len(content)
        if self.left < 0:
            raise TooFar(f"with which its files have more than {MOST_BYTES} bytes, the most that are read")
        return content

    def _require_near(self, place: Path) -> None:
        inside = next((place.relative_to(root) for root in self.roots if place.is_relative_to(root)), None)
        if inside is None or any(part.startswith(".") for part in inside.parts):
            raise TooFar(f"which is not below {self.roots[0]}, or hidden; MuJoCo is not let read it")


def opened(place: Path) -> int:
    """A descriptor of a path without links, folder by folder, so that none is followed that stands there since."""
    if os.open not in os.supports_dir_fd:
        return os.open(place, READING | NO_LINK)
    folder = os.open(place.anchor, FOLDER)
    try:
        for part in place.parts[1:-1]:
            inner = os.open(part, FOLDER | NO_LINK, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(place.name, READING | NO_LINK, dir_fd=folder)
    finally:
        os.close(folder)


def _above(folder: Path) -> Path:
    """The folder above one, unless that is everything."""
    return folder if folder.parent == Path(folder.anchor) else folder.parent


def _allowed() -> list[Path]:
    named = os.environ.get("STROBE_FILES", "")
    return [Path(os.path.realpath(place)) for place in named.split(os.pathsep) if place]
