"""A model as text, by the name of a format; and what the format cannot hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from strobe.errors import ArgumentError, UnknownNameError, nearest
from strobe.models.model import Model

Written = tuple[str, list[str]]  # the text, and remarks on what is lost


def _urdf(model: Model) -> Written:
    from strobe.models.urdf_writer import write_urdf

    return write_urdf(model)


def _toml(model: Model) -> Written:
    from strobe.models.toml_writer import write_toml

    return write_toml(model), []


WRITERS: dict[str, Callable[[Model], Written]] = {"urdf": _urdf, "toml": _toml}
FORMATS = tuple(WRITERS)


def written(model: Model, format: str) -> Written:
    """The text in a format of `FORMATS`, and remarks on what is lost."""
    if format not in WRITERS:
        raise UnknownNameError("format", format, "what can be written", list(FORMATS))
    return WRITERS[format](model)


def format_of(path: Path) -> str:
    """The format that the ending of a file names."""
    ending = path.suffix.lstrip(".").lower()
    if ending not in FORMATS:
        raise ArgumentError(
            f'the ending of "{path}" is not a format that can be written: {" or ".join(FORMATS)}.'
            f"{nearest(ending, FORMATS)}"
        )
    return ending
