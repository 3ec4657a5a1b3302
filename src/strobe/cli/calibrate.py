"""``strobe calibrate``: from measured poses to where a robot's joints are, with error bars, and a model file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.frames import TIP
from strobe.cli.inputs import Base, Force, Gravity, Json, Lock, RobotName, Strict, numbers, open_robot
from strobe.cli.options import in_options, takes, written_to
from strobe.errors import ArgumentError

if TYPE_CHECKING:
    from strobe.identify.calibration import Calibration


def calibrate(
    robot: RobotName,
    poses: Annotated[
        Path,
        typer.Argument(
            metavar="POSES", help="Joint positions and what was measured at each: .csv, .parquet."
        ),
    ],
    test: Annotated[
        Path | None, takes("--test", "POSES", "Readings that are not fitted and judge the result.")
    ] = None,
    frame: Annotated[str | None, takes("--frame", "FRAME", f"What carries the target; {TIP}")] = None,
    parameters: Annotated[
        str | None,
        takes("--parameters", "KIND", "dh or origins, of each joint; else as the robot is given."),
    ] = None,
    noise: Annotated[
        str | None,
        takes("--noise", "NUMBERS", "Of one number: m, of poses with rad; else from what is left."),
    ] = None,
    output: Annotated[Path | None, written_to("The calibrated robot: .urdf or .toml.")] = None,
    degrees: Annotated[bool, typer.Option("--degrees", help="Angles in the file are in degrees.")] = False,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Where a robot's joints are, from measured poses, positions or distances of a target at its hand.

    Columns are q1 to qn or the joints' names, and x, y, z, with qw, qx, qy, qz or roll, pitch, yaw (turns about fixed
    axes x, y, z) or neither, or distance from a fixed point. Where the base stands for what measures, and where the
    target is fixed, is found too. Moves that no reading can tell apart are combined, and named.

    \b
    Examples:
      strobe calibrate puma560 poses.csv -o calibrated.urdf
      strobe calibrate arm.urdf tracker.csv --test other.csv --frame flange --degrees -o calibrated.urdf
      strobe calibrate ur5 wire.csv --noise 2e-5 --json
    """
    from strobe.files.writing import refuse
    from strobe.identify.calibrating import calibrate as calibrated
    from strobe.identify.pose_readings import read_poses
    from strobe.models.writers import format_of

    given = [robot, poses, *([test] if test else [])]
    if output is not None:
        format_of(output)
        refuse(output, inputs=given, force=force)
    arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    read, other = (
        None if path is None else read_poses(path, arm, degrees=degrees) for path in (poses, test)
    )
    assert read is not None
    words: dict[str, Any] = {"frame": frame, "parameters": parameters, "test": other}
    if noise is not None:
        words["noise"] = numbers(
            "--noise", noise, 2 if read[1].ndim == 3 else 1, "Of one number: m, and rad of poses."
        )
    try:
        found = calibrated(arm, *read, **words)
    except ArgumentError as error:
        raise ArgumentError(in_options(error, ("parameters", "noise"), ("parameters", "noise"))) from None
    _present(found, output, given, force, as_json)


def _present(found: Calibration, output: Path | None, given: list[Any], force: bool, as_json: bool) -> None:
    from strobe.cli.show import note, present

    for remark in found.remarks:
        note(remark)
    if output is not None:
        _write(found, output, given, force)
    present(_data(found, output), _shown(found, output), as_json)


def _write(found: Calibration, output: Path, given: list[Any], force: bool) -> None:
    from strobe.cli.show import note
    from strobe.files.writing import writing
    from strobe.models.writers import format_of, written

    text, remarks = written(found.calibrated.model, format_of(output))
    for remark in remarks:
        note(remark)
    with writing(output, inputs=given, force=force) as stream:
        stream.write(text)


def _data(found: Calibration, output: Path | None) -> dict[str, Any]:
    return {
        "robot": found.robot.name,
        "frame": found.frame,
        "kind": found.kind,
        "moves": {"names": found.names, "values": found.values, "deviations": found.deviations},
        "base": {"placement": found.base, "deviations": found.base_deviations},
        "tool": {"placement": found.tool, "deviations": found.tool_deviations},
        "noise": found.fit.noise,
        "misses": [
            {"held_out": m.held_out, "count": m.count, "before": m.before, "after": m.after} for m in found.misses
        ],
        "parts": found.parts,
        "open": found.open,
        "remarks": found.remarks,
        "output": None if output is None else str(output),
    }  # fmt: skip


def _shown(found: Calibration, output: Path | None) -> Iterator[Any]:
    from strobe.show.tables import table

    yield found.head
    for part in found.tables:
        yield table(part.columns, part.rows)
    yield from found.unknown
    if output is not None:
        yield f"written: {output}"
