"""``strobe study``: one robot in, a report out."""

from __future__ import annotations

from typing import Annotated

import typer

from strobe.cli.exits import CHECK_FAILED
from strobe.cli.inputs import Base, Gravity, Json, Lock, RobotName, Strict, open_robot


def study(
    robot: RobotName,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Study a random state instead of the published one.")
    ] = None,
    as_json: Json = False,
) -> None:
    """A report on a robot: torques, costs, exactness, laws.

    The state is the robot's published one, or a reproducible random one. Exits with 1 if a check fails.

    \b
    Examples:
      strobe study stanford
      strobe study arm.urdf --seed 3 --json
    """
    from strobe.cli.progress import Progress
    from strobe.cli.show import console, print_json
    from strobe.study import SECTIONS
    from strobe.study import study as studied

    subject = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict, quiet=not as_json)
    with Progress("study", len(SECTIONS), "sections") as progress:
        report = studied(subject, seed, lambda: progress.advance(1))
    if as_json:
        print_json({"robot": subject.name, "passed": not report.failed, "sections": report.sections})
    else:
        out = console()
        for part in report.rendered():
            out.print(part)
    if report.failed:
        raise typer.Exit(CHECK_FAILED)
