"""A model as text, by the name of a format; and what the format cannot hold."""

from __future__ import annotations

from pathlib import Path

from strobe.errors import ArgumentError, nearest
from strobe.models.model import Model

FORMATS = ("urdf", "toml")


def written(model: Model, format: str) -> tuple[str, list[str]]:
    """The text, and remarks on what is lost."""
    if format == "urdf":
        from strobe.models.urdf_writer import write_urdf

        return write_urdf(model)
    from strobe.models.toml_writer import write_toml

    return write_toml(model), []


def format_of(path: Path) -> str:
    """The format that the ending of a file names."""
    ending = path.suffix.lstrip(".").lower()
    if ending not in FORMATS:
        raise ArgumentError(
            f'the ending of "{path}" is not a format that can be written: {" or ".join(FORMATS)}.'
            f"{nearest(ending, FORMATS)}"
        )
    return ending
