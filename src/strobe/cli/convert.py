"""``strobe convert``: a robot as a file of another format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strobe.cli.frames import TIP, meant_frame
from strobe.cli.inputs import Base, Force, Gravity, Json, Lock, RobotName, Strict, open_robot
from strobe.cli.options import takes, written_to
from strobe.errors import ArgumentError, either, nearest
from strobe.models.writers import WRITERS, written

if TYPE_CHECKING:
    from strobe.robot import Robot

FORMATS = (*WRITERS, "dh")


def convert(
    robot: RobotName,
    output: Annotated[Path | None, written_to("The file to write.")] = None,
    to: Annotated[
        str | None, takes("--to", "FORMAT", f"{either(FORMATS)}; by default the ending of FILE.")
    ] = None,
    frame: Annotated[
        str | None, takes("--frame", "FRAME", f"With --to dh: the end of the chain; {TIP}")
    ] = None,
    modified: Annotated[
        bool, typer.Option("--modified", help="With --to dh: the modified convention (Craig's) only.")
    ] = False,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write a robot as URDF or TOML, or its Denavit-Hartenberg tables.

    What the format cannot hold is said on stderr. --to dh prints the standard and the modified table of a chain of
    joints, each with a comparison with the robot; -o FILE.toml writes it as a robot file whose links are the rows.

    \b
    Examples:
      strobe convert stanford -o stanford.urdf
      strobe convert arm.urdf --lock "finger_*=0" --to toml
      strobe convert panda --to dh --frame flange
      strobe convert arm.urdf --to dh --modified -o arm.toml
    """
    from strobe.cli.show import note, print_json
    from strobe.files.writing import writing

    kind = _format(output, to)
    if kind != "dh" and (frame is not None or modified):
        raise ArgumentError("--frame and --modified belong to --to dh, a Denavit-Hartenberg table.")
    arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    if kind == "dh" and output is None:
        _show_tables(arm, frame, modified, as_json)
        return
    model = arm.model
    text, remarks = _table_file(arm, frame, modified) if kind == "dh" else written(model, kind)
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
    if to is None and output is None:
        files = either([f"-o FILE.{ending}" for ending in WRITERS])
        raise ArgumentError(f"say where to: {files}, or --to {either(FORMATS)} to print it.")
    if to is not None:
        kind, known, given = to, FORMATS, f'--to "{to}"'
    else:
        kind, known, given = (
            Path(output or "").suffix.lstrip("."),
            FORMATS[:-1],
            f'the ending of "{output}"',
        )
    if kind.lower() in known:
        return kind.lower()
    raise ArgumentError(
        f"{given} is not a format that can be written: {either(known)}.{nearest(kind, known)}"
    )


# -- Denavit-Hartenberg tables -------------------------------------------------------------------------


def _show_tables(robot: Robot, frame: str | None, modified: bool, as_json: bool) -> None:
    from strobe.cli.show import print_json, say
    from strobe.kinematics.denavit_hartenberg import CONVENTIONS, denavit_hartenberg

    tip = meant_frame(robot, frame)
    tables = [denavit_hartenberg(robot, tip, each) for each in CONVENTIONS[modified:]]
    if as_json:
        print_json(
            {"robot": robot.name, "format": "dh", **{each.convention: each.data() for each in tables}}
        )
    else:
        say("\n\n".join(map(str, tables)))


def _table_file(robot: Robot, frame: str | None, modified: bool) -> tuple[str, list[str]]:
    """The robot file of a table, and what is to be said about it."""
    from strobe.kinematics.denavit_hartenberg import denavit_hartenberg

    table = denavit_hartenberg(robot, meant_frame(robot, frame), "modified" if modified else "standard")
    exact = table.exactness
    within = f"within {exact.position:.2g} m and {exact.rotation:.2g} rad of the model"
    left_out = [fault.text for fault in table.chain.notes if fault not in robot.notes]
    return table.toml(), [f'the table has "{table.frame}" {within}.', *table.remarks, *left_out]
