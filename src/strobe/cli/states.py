"""A state of a robot and the loads on it, as options give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.inputs import numbers
from strobe.errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np

    from strobe.robot import Robot


def _list(flag: str, text: str) -> Any:
    return typer.Option(flag, metavar="NUMBERS", help=text)


Positions = Annotated[str | None, _list("--q", "Positions, in the order of the joints.")]
Velocities = Annotated[str | None, _list("--qd", "Velocities; 0 if not given.")]
Accelerations = Annotated[str | None, _list("--qdd", "Accelerations; 0 if not given.")]
Wrench = Annotated[
    str | None, _list("--wrench", "Force and moment on the robot (fx fy fz mx my mz), base axes.")
]
WrenchFrame = Annotated[
    str | None, typer.Option("--frame", help="Where the wrench acts; else the last frame.")
]
NoFriction = Annotated[bool, typer.Option("--no-friction", help="Leave friction out.")]


def given_loads(
    gravity: str | None, wrench: str | None, frame: str | None, no_friction: bool
) -> dict[str, Any]:
    """Gravity, wrench and friction as keywords of the dynamics."""
    if frame is not None and wrench is None:
        raise ArgumentError("--frame says where a wrench acts; give --wrench fx,fy,fz,mx,my,mz too.")
    return {
        "gravity": None if gravity is None else numbers("--gravity", gravity, 3),
        "friction": not no_friction,
        "wrench": None if wrench is None else numbers("--wrench", wrench, 6, "They are fx fy fz mx my mz."),
        "frame": frame,
    }


def given_state(
    robot: Robot, given: Mapping[str, str | None]
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """q, qd and qdd, and what was assumed of those that were not given (said on stderr too)."""
    import numpy as np

    from strobe.cli.show import note
    from strobe.study.tables import short

    state: dict[str, np.ndarray] = {}
    assumed: dict[str, str] = {}
    for name, text in given.items():
        size = robot.nq if name == "q" else robot.nv
        if text is not None:
            state[name] = np.array(numbers(f"--{name}", text, size, _order(robot, name)))
        elif name == "q":
            state[name] = _resting_position(robot)
            where = (
                "0 where a joint can reach it, else the middle of its limits"
                if np.any(state[name])
                else "0"
            )
            assumed[name] = f"({', '.join(map(short, state[name].tolist()))}): {where}"
        else:
            state[name] = np.zeros(size)
            assumed[name] = "0"
    if assumed:
        note("assumed " + "; ".join(f"{name} = {value}" for name, value in assumed.items()))
    return state, assumed


def _order(robot: Robot, name: str) -> str:
    from strobe.study.labels import position_labels, rate_labels

    labels = position_labels(robot) if name == "q" else rate_labels(robot)
    return f"The order of {robot.name}: {', '.join(labels)}."


def _resting_position(robot: Robot) -> np.ndarray:
    """The neutral position, moved to the middle of the limits of joints that cannot be there."""
    q = robot.neutral.copy()
    for joint in robot.coordinates.joints:
        lower, upper = joint.limits.lower, joint.limits.upper
        if joint.nq == 1 and not lower <= 0.0 <= upper:
            finite = [bound for bound in (lower, upper) if abs(bound) != float("inf")]
            q[joint.q] = sum(finite) / len(finite)
    return q
