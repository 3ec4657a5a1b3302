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
    inertias: Annotated[
        bool, typer.Option("--inertias", help="Show the inertia and ten parameters of every link.")
    ] = False,
    as_json: Json = False,
) -> None:
    """What a robot is made of: joints, links with their mass properties, frames, constraints.

    I 1, I 2 and I 3 are the principal moments of inertia of a link about its centre of mass; links behind fixed
    joints count with the one that carries them. Warnings and notes of the file's reader come last; --strict refuses a
    robot with warnings.

    \b
    Examples:
      strobe info stanford
      strobe info panda --inertias
      strobe info arm.urdf --lock "finger_*=0.02" --strict
    """
    from strobe.cli.show import present
    from strobe.study import overview

    data = overview.describe(open_robot(robot, lock=lock, base=base, strict=strict, quiet=not as_json))
    tables = [overview.joints_table(data), "", overview.links_table(data), ""]
    if inertias:
        tables += [*overview.inertia_tables(data), ""]
    total = f"total mass {data['total_mass']:.6g} kg; {overview.frames_line(data, frames)}"
    present(data, (*overview.headline(data), "", *tables, total, *overview.constraints(data)), as_json)
