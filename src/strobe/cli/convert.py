"""``strobe convert``: a robot as a file of another format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strobe.cli.inputs import Base, Force, Gravity, Json, Lock, RobotName, Strict, open_robot
from strobe.errors import ArgumentError, nearest

if TYPE_CHECKING:
    from strobe.models.model import Model

FORMATS = ("urdf", "toml")


def convert(
    robot: RobotName,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="FORMAT", help="urdf or toml; by default the ending of FILE."),
    ] = None,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write a robot as URDF or TOML.

    What the format cannot hold is said on stderr.

    \b
    Examples:
      strobe convert stanford -o stanford.urdf
      strobe convert arm.urdf --lock "finger_*=0" --to toml
    """
    from strobe.cli.show import note, print_json
    from strobe.runtime.files import writing

    kind = _format(output, to)
    model = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict).model
    text, remarks = _written(model, kind)
    for remark in remarks:
        note(remark)
    if output is not None:
        with writing(output, inputs=[robot], force=force) as stream:
            stream.write(text)
    if as_json:
        content = {"text": text} if output is None else {"output": str(output)}
        print_json({"robot": model.name, "format": kind, "remarks": remarks, **content})
    elif output is None:
        sys.stdout.write(text)


def _format(output: Path | None, to: str | None) -> str:
    kind = to if to is not None else (output.suffix.lstrip(".") if output else "")
    if kind.lower() in FORMATS:
        return kind.lower()
    if not kind and output is None:
        raise ArgumentError("say where to: -o FILE.urdf or -o FILE.toml, or --to urdf to print it.")
    given = f'--to "{to}"' if to is not None else f'the ending of "{output}"'
    raise ArgumentError(
        f"{given} is not a format that can be written: urdf or toml.{nearest(kind, FORMATS)}"
    )


def _written(model: Model, kind: str) -> tuple[str, list[str]]:
    """The text, and what the format could not hold."""
    if kind == "urdf":
        from strobe.models.urdf_writer import write_urdf

        return write_urdf(model)
    from strobe.models.toml_writer import write_toml

    return write_toml(model), []
