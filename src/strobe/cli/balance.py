"""``strobe balance``: counterweights that take gravity away, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.exit_codes import CHECK_FAILED
from strobe.cli.inputs import Base, Force, Gravity, Json, Lock, RobotName, Strict, number, open_robot
from strobe.cli.options import takes, written_to
from strobe.errors import ArgumentError

if TYPE_CHECKING:
    from strobe.mechanisms.counterweights import Counterbalance

DISTANCE = 0.1  # m


def balance(
    robot: RobotName,
    arm: Annotated[
        list[str] | None,
        takes("--arm", "METRES|JOINT=METRES", "How far behind its axis a weight is; 0.1. May be repeated."),
    ] = None,
    purpose: Annotated[
        str,
        takes("--purpose", "NAME", "gravity: no joint bears weight; inertia: M depends less on the pose."),
    ] = "gravity",
    output: Annotated[Path | None, written_to("The robot with its weights: .urdf or .toml.")] = None,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Counterweights: which masses, where, take gravity off the joints, and what that costs in inertia.

    A short arm costs mass, a long one inertia. What masses cannot balance (a slide, a joint that a slide beyond it
    moves off balance) is told with what would do. Exits with 1 if gravity, its purpose, still acts on a joint.

    \b
    Examples:
      strobe balance planar2
      strobe balance puma560 --arm 0.15 -o balanced.urdf
      strobe balance pendulum3 --arm 0.1 --arm joint1=0.3 --purpose inertia
    """
    from strobe.cli.show import note, present
    from strobe.files.writing import refuse, writing
    from strobe.mechanisms.counterweights import counterbalance
    from strobe.models.writers import format_of, written

    if output is not None:
        format_of(output)
        refuse(output, inputs=[robot], force=force)
    opened = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    found = counterbalance(opened, _arms(arm or (), opened.joint_names), purpose)
    if output is not None:
        text, remarks = written(found.robot.model, format_of(output))
        for remark in remarks:
            note(remark)
        with writing(output, inputs=[robot], force=force) as stream:
            stream.write(text)
    present(_data(found, output), _shown(found), as_json)
    if found.loaded and purpose == "gravity":
        raise typer.Exit(CHECK_FAILED)


def _arms(given: Sequence[str], joints: Sequence[str]) -> float | dict[str, float]:
    """One distance for all joints, or one for each."""
    alone = [text for text in given if "=" not in text]
    if len(alone) > 1:
        raise ArgumentError(
            f"--arm is {' and '.join(alone)}; give one distance for all, others as JOINT=METRES."
        )
    every = number("--arm", alone[0]) if alone else DISTANCE
    named = [text.rpartition("=") for text in given if "=" in text]
    own = {name.strip(): number(f"--arm {name}", value.strip()) for name, _, value in named}
    return {**dict.fromkeys(joints, every), **own} if own else every


def _data(found: Counterbalance, output: Path | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "robot": found.original.name, "purpose": found.purpose, "weights": [asdict(w) for w in found.weights],
        "added_mass": found.added, "obstacles": [asdict(each) for each in found.obstacles],
        "gravity_vanishes": found.gravity_vanishes, "gravity_still_acts_on": found.loaded,
        "mass_matrix_is_constant": found.mass_matrix_is_constant, "joints": found.robot.coordinates.rate_names,
        "before": asdict(found.before), "after": asdict(found.after), "says": found.says,
    }  # fmt: skip
    return data if output is None else data | {"output": str(output)}


def _shown(found: Counterbalance) -> Iterator[Any]:
    from strobe.show.tables import table, three
    from strobe.show.units import efforts

    yield f"{found.original.name}, counterweights against {found.purpose}"
    if found.weights:
        rows = [[w.joint, w.link, w.mass, w.arm, *(x + 0.0 for x in w.position)] for w in found.weights]
        yield table(["behind joint", "on link", "mass kg", "arm m", "x m", "y m", "z m"], rows)
        yield ""
    units = {"N m": "N m, kg m²", "N": "N, kg"}
    names = found.robot.coordinates.rate_names
    columns = ("holding torque before", "after", "inertia before", "after", "unit")
    numbers = zip(
        found.before.gravity, found.after.gravity, found.before.inertia, found.after.inertia, strict=True
    )
    rows = [
        [name, *(three(found.rounded(x)) for x in row), units[force]]
        for name, row, force in zip(names, numbers, efforts(found.robot.coordinates.joints), strict=True)
    ]
    yield table(["joint, largest over poses", *columns], rows)
    yield ""
    yield from found.says[len(found.weights) :]
