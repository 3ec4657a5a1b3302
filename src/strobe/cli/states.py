"""A state of a robot and the loads on it, as options give them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.inputs import SEPARATORS, number, numbers
from strobe.errors import ArgumentError, counted

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
PositionRange = Annotated[
    str | None, typer.Option("--q-range", metavar="RANGES", help="For --within: where the joints are.")
]
VelocityRange = Annotated[
    str | None, typer.Option("--qd-range", metavar="RANGES", help="For --within: how fast they move.")
]
AccelerationRange = Annotated[
    str | None, typer.Option("--qdd-range", metavar="RANGES", help="For --within: how fast that changes.")
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


def given_range(robot: Robot, option: str, text: str) -> list[tuple[float, float]]:
    """Lower and upper end for every coordinate, from one range for all or one for each."""
    ranges = [_ends(option, word) for word in SEPARATORS.split(text.strip("[]() \t")) if word]
    if len(ranges) not in (1, robot.nv):
        raise ArgumentError(
            f"{option} has {counted(len(ranges), 'range')}, expected 1 or {robot.nv}. {_order(robot, 'qd')}"
        )
    return ranges if len(ranges) == robot.nv else ranges * robot.nv


def _ends(option: str, word: str) -> tuple[float, float]:
    """``-1:2``, or ``2`` for -2 to 2."""
    lower, colon, upper = word.partition(":")
    if colon:
        return number(option, lower), number(option, upper)
    size = abs(number(option, word))
    return -size, size


def refuse_both(log: Path, given: Mapping[str, str | None]) -> None:
    """Raise where a state is given beside a log."""
    if any(text is not None for text in given.values()):
        raise ArgumentError(f"the motion comes from {log} or from --q, --qd and --qdd, not from both.")


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
