"""``strobe draw``: a robot, a link, or a motion as a figure."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.inputs import Base, Force, Gravity, Json, Lock, RobotName, Strict, open_robot
from strobe.cli.options import takes, written_to
from strobe.cli.states import Accelerations, Pose, Positions, Velocities, given_state, named_pose
from strobe.errors import ArgumentError, nearest

if TYPE_CHECKING:
    import numpy as np

    from strobe.robot import Robot

State = dict[str, "np.ndarray"]


def draw(
    robot: RobotName,
    kind: Annotated[
        str, takes("--kind", "KIND", "robot, free-body, effects, torques, time or phase.")
    ] = "robot",
    q: Positions = None,
    qd: Velocities = None,
    qdd: Accelerations = None,
    pose: Pose = None,
    link: Annotated[str | None, takes("--link", "NAME", "The link of a free-body diagram.")] = None,
    view: Annotated[
        str | None, takes("--view", "VIEW", "front, side, top, iso, or AZIMUTH,ELEVATION in degrees.")
    ] = None,
    centres: Annotated[bool, typer.Option("--centres", help="Mark the centres of mass.")] = False,
    inertial: Annotated[
        bool, typer.Option("--inertial", help="Add the inertial force and moment to a free body.")
    ] = False,
    output: Annotated[Path | None, written_to("The file to write.", "FILE.svg")] = None,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Draw a robot as SVG: its pose, a link cut free, a motion.

    robot: links, joints and frames, with the table of a DH robot. free-body: the forces and moments on a link.
    effects: centrifugal and Coriolis forces of a planar arm. torques, time, phase: a swing of two seconds through
    the state. Without --q, --qd and --qdd the state is the robot's reference state.

    \b
    Examples:
      strobe draw stanford -o stanford.svg
      strobe draw planar2 --kind free-body --link link1 --inertial -o link1.svg
      strobe draw panda --q 0,-0.8,0,-2.4,0,1.6,0.8 --view iso -o panda.svg
    """
    from strobe.cli.show import note, print_json
    from strobe.files.writing import writing
    from strobe.robot import Robot
    from strobe.show.projection import View
    from strobe.study.figures import drawn, require_joints

    _check(kind, output, {"link": link, "inertial": inertial, "centres": centres, "view": view})
    seen = None if view is None else View.read(view)
    opened = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    require_joints(opened)
    arm = Robot(opened.model, compiled=False)  # a few questions, once each: not worth compiling
    state = _state(arm, {"q": q, "qd": qd, "qdd": qdd}, named_pose(arm, pose, q), kind)
    figure, numbers = drawn(arm, state, kind, seen, link=link, centres=centres, inertial=inertial)
    if output is not None:
        with writing(output, inputs=[robot], force=force) as stream:
            stream.write(figure)
    if as_json:
        content = {"svg": figure} if output is None else {"output": str(output)}
        print_json({"robot": arm.name, "kind": kind, **state, **numbers, **content})
    elif output is None:
        sys.stdout.write(figure)
    else:
        note(f"{arm.name} is drawn in {output}.")


def _check(kind: str, output: Path | None, given: dict[str, Any]) -> None:
    """Refuse what cannot be drawn before anything is read."""
    from strobe.study.figures import KINDS, require_fitting

    if kind not in KINDS:
        raise ArgumentError(f'"{kind}" is not a kind of figure: {", ".join(KINDS)}.{nearest(kind, KINDS)}')
    require_fitting(kind, given, "--{}")
    if output is not None and output.suffix.lower() != ".svg":
        raise ArgumentError(f'figures are written as SVG; "{output}" does not end in .svg.')


def _state(arm: Robot, given: dict[str, str | None], known: State, kind: str) -> State:
    """The state as given; if nothing is, the reference state where the robot has one."""
    from strobe.cli.show import note
    from strobe.study.case import Case

    if kind == "robot" and given["qd"] is None and given["qdd"] is None:
        given = {"q": given["q"]}
    reference = Case.of(arm)
    if reference.golden is None or known or any(text is not None for text in given.values()):
        return given_state(arm, given, known)[0]
    note(f"drawn at {reference.origin}; give --q, --qd and --qdd for another.")
    return {name: getattr(reference, name) for name in given}
