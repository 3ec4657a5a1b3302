"""``strobe draw``: a robot, a link, or a motion as a figure."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.inputs import Base, Force, Gravity, Json, Lock, RobotName, Strict, open_robot
from strobe.cli.options import takes, written_to
from strobe.cli.states import Accelerations, Pose, Positions, Velocities, given_state, named_pose
from strobe.errors import ArgumentError, UnsupportedModelError, nearest

if TYPE_CHECKING:
    import numpy as np

    from strobe.robot import Robot
    from strobe.study.projection import View

State = dict[str, "np.ndarray"]
Drawn = tuple[str, dict[str, Any]]  # the figure, and its numbers

OPTIONS = {  # what belongs to some kinds only
    "--link": ("free-body",),
    "--inertial": ("free-body",),
    "--centres": ("robot",),
    "--view": ("robot", "free-body"),
}


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
    the state. Without --q, --qd and --qdd the state is the robot's published one.

    \b
    Examples:
      strobe draw stanford -o stanford.svg
      strobe draw planar2 --kind free-body --link link1 --inertial -o link1.svg
      strobe draw panda --q 0,-0.8,0,-2.4,0,1.6,0.8 --view iso -o panda.svg
    """
    from strobe.cli.show import note, print_json
    from strobe.files.writing import writing
    from strobe.robot import Robot
    from strobe.study.projection import View

    _check(kind, output, {"--link": link, "--inertial": inertial, "--centres": centres, "--view": view})
    seen = None if view is None else View.read(view)
    opened = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    if not opened.nv:
        raise UnsupportedModelError(f"{opened.name} has no joints that move: there is nothing to draw.")
    arm = Robot(opened.model, compiled=False)  # a few questions, once each: not worth compiling
    state = _state(arm, {"q": q, "qd": qd, "qdd": qdd}, named_pose(arm, pose, q), kind)
    figure, numbers = KINDS[kind](arm, state, seen, link=link, centres=centres, inertial=inertial)
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
    if kind not in KINDS:
        raise ArgumentError(f'"{kind}" is not a kind of figure: {", ".join(KINDS)}.{nearest(kind, KINDS)}')
    for option, value in given.items():
        if value and kind not in OPTIONS[option]:
            raise ArgumentError(
                f"{option} belongs to --kind {' or '.join(OPTIONS[option])}, not to {kind}."
            )
    if output is not None and output.suffix.lower() != ".svg":
        raise ArgumentError(f'figures are written as SVG; "{output}" does not end in .svg.')


def _state(arm: Robot, given: dict[str, str | None], known: State, kind: str) -> State:
    """The state as given; if nothing is, the published one where the robot has one."""
    from strobe.cli.show import note
    from strobe.study.case import Case

    if kind == "robot" and given["qd"] is None and given["qdd"] is None:
        given = {"q": given["q"]}
    published = Case.of(arm)
    if published.golden is None or known or any(text is not None for text in given.values()):
        return given_state(arm, given, known)[0]
    note(f"drawn at {published.origin}; give --q, --qd and --qdd for another.")
    return {name: getattr(published, name) for name in given}


# -- kinds of figures ---------------------------------------------------------------------------------


def _robot(arm: Robot, state: State, view: View | None, *, centres: bool, **_: Any) -> Drawn:
    from strobe.study.figure_robot import robot_figure

    return robot_figure(arm, state["q"], view=view, centres=centres), {}


def _free_body(
    arm: Robot, state: State, view: View | None, *, link: str | None, inertial: bool, **_: Any
) -> Drawn:
    from strobe.study.figure_body import drawn, free_body

    body = free_body(arm, state["q"], state["qd"], state["qdd"], link, inertial=inertial)
    loads = [
        {"name": x.name, "source": x.source, "unit": x.unit, "at": x.at, "vector": x.vector}
        for x in body.loads
    ]
    return drawn(body, view), {"link": body.name, "loads": loads}


def _effects(arm: Robot, state: State, view: View | None, **_: Any) -> Drawn:
    from strobe.study.figure_effects import drawn, effects

    skeleton, found = effects(arm, state["q"], state["qd"])
    listed = [
        {
            "kind": x.kind,
            "joints": [arm.joint_names[k] for k in x.by],
            "forces": x.forces,
            "moments": x.moments,
        }
        for x in found
    ]
    return drawn(skeleton, found), {"effects": listed}


def _motion(name: str) -> Callable[..., Drawn]:
    def figure(arm: Robot, state: State, view: View | None, **_: Any) -> Drawn:
        from strobe.study.figure_motion import FIGURES

        return FIGURES[name](arm, *state.values()), {}

    return figure


KINDS: dict[str, Callable[..., Drawn]] = {
    "robot": _robot,
    "free-body": _free_body,
    "effects": _effects,
    "torques": _motion("torques"),
    "time": _motion("time"),
    "phase": _motion("phase"),
}
