"""A model as text, by the name of a format; and what the format cannot hold."""

from __future__ import annotations

from pathlib import Path

from strobe.errors import ArgumentError, UnknownNameError, nearest
from strobe.models.formats import FORMATS, Written
from strobe.models.model import Model

WRITERS = {name: each.write for name, each in FORMATS.items() if each.write}


def written(model: Model, format: str) -> Written:
    """The text in a format of `WRITERS`, and remarks on what is lost."""
    if format not in WRITERS:
        raise UnknownNameError("format", format, "what can be written", list(WRITERS))
    return WRITERS[format](model)


def format_of(path: Path) -> str:
    """The format that the ending of a file names."""
    ending = path.suffix.lstrip(".").lower()
    if ending not in WRITERS:
        raise ArgumentError(
            f'the ending of "{path}" is not a format that can be written: {" or ".join(WRITERS)}.'
            f"{nearest(ending, WRITERS)}"
        )
    return ending
