"""Names that a model needs and nobody stated."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path

TEXT = "<text>"  # in the place of a file, where a robot is given as the text that would stand in one
NAMELESS = "robot"


def is_file(path: str | PathLike[str]) -> bool:
    """Whether a place is a file, with a folder around it and a name of its own; others are like `TEXT`."""
    name = fspath(path)
    return not (name.startswith("<") and name.endswith(">"))


def file_stem(path: str | PathLike[str]) -> str:
    """The name of a robot that states none: its file's."""
    return Path(path).stem if is_file(path) else NAMELESS


def unused_name(name: str, taken: Iterable[str]) -> str:
    """The name itself, or if it is taken, the first of name_2, name_3, … that is not."""
    known = set(taken)
    candidates = (name if k == 1 else f"{name}_{k}" for k in range(1, len(known) + 2))
    return next(candidate for candidate in candidates if candidate not in known)
