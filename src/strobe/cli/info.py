"""``strobe info``: what a robot is made of."""

from __future__ import annotations

from typing import Annotated

import typer

from strobe.cli.inputs import Base, Json, Lock, RobotName, Strict, open_robot


def info(
    robot: RobotName,
    lock: Lock = None,
    base: Base = None,
    strict: Strict = False,
    frames: Annotated[bool, typer.Option("--frames", help="List every frame.")] = False,
    as_json: Json = False,
) -> None:
    """What a robot is made of: joints, links, frames, constraints.

    Warnings and notes of the file's reader come last; --strict refuses a robot with warnings.

    \b
    Examples:
      strobe info stanford
      strobe info arm.urdf --lock "finger_*=0.02" --strict
    """
    from strobe.cli.show import present
    from strobe.study import overview

    data = overview.describe(open_robot(robot, lock=lock, base=base, strict=strict, quiet=not as_json))
    tables = (overview.joints_table(data), "", overview.links_table(data), "")
    total = f"total mass {data['total_mass']:.6g} kg; {overview.frames_line(data, frames)}"
    present(data, (*overview.headline(data), "", *tables, total, *overview.constraints(data)), as_json)
