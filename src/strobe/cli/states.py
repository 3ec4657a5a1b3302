"""A state of a robot and the loads on it, as options give them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.frames import TIP, meant_frame
from strobe.cli.inputs import SEPARATORS, number, numbers
from strobe.cli.options import takes
from strobe.errors import ArgumentError, counted

if TYPE_CHECKING:
    import numpy as np

    from strobe.robot import Robot

Positions = Annotated[str | None, takes("--q", "NUMBERS", "Positions, in the order of the joints.")]
Velocities = Annotated[str | None, takes("--qd", "NUMBERS", "Velocities; 0 if not given.")]
Pose = Annotated[str | None, takes("--pose", "NAME", "At a pose that the model names.")]
Accelerations = Annotated[str | None, takes("--qdd", "NUMBERS", "Accelerations; 0 if not given.")]
Wrench = Annotated[
    str | None,
    takes("--wrench", "NUMBERS", "Force and moment on the robot (fx fy fz mx my mz), base axes."),
]
WrenchFrame = Annotated[str | None, takes("--frame", "FRAME", f"Where the wrench acts; {TIP}")]
LoadFrame = Annotated[str | None, takes("--frame", "FRAME", f"Where wrench and payload act; {TIP}")]
MotorLimits = Annotated[bool, typer.Option("--limits", help="Motors give no more than they can.")]
PositionRange = Annotated[str | None, takes("--q-range", "RANGES", "For --within: where the joints are.")]
VelocityRange = Annotated[str | None, takes("--qd-range", "RANGES", "For --within: how fast they move.")]
AccelerationRange = Annotated[
    str | None, takes("--qdd-range", "RANGES", "For --within: how fast that changes.")
]
Formulation = Annotated[str | None, takes("--formulation", "NAME", "The equations, e.g. newton-euler.")]
NoFriction = Annotated[bool, typer.Option("--no-friction", help="Leave friction out.")]


def given_loads(
    robot: Robot, gravity: str | None, wrench: str | None, frame: str | None, no_friction: bool
) -> dict[str, Any]:
    """Gravity, wrench and friction as keywords of the dynamics."""
    if frame is not None and wrench is None:
        raise ArgumentError("--frame says where a wrench acts; give --wrench fx,fy,fz,mx,my,mz too.")
    return {
        "gravity": None if gravity is None else numbers("--gravity", gravity, 3),
        "friction": not no_friction,
        "wrench": None if wrench is None else numbers("--wrench", wrench, 6, "They are fx fy fz mx my mz."),
        "frame": None if wrench is None else meant_frame(robot, frame),
    }


def laden(robot: Robot, load: Sequence[float], frame: str) -> Robot:
    """The robot with a payload at a frame: its mass and centre, or its ten parameters about the origin there."""
    if len(load) == 4:
        return robot.with_payload(load[0], load[1:], frame=frame)
    from strobe.algebra import Inertia, Sym3, Vec3
    from strobe.models.inertial import Inertial

    body = Inertial.of(Inertia(load[0], Vec3(*load[1:4]), Sym3(*load[4:])))
    if body.com is None or body.central is None:
        raise ArgumentError("--payload has first moments but no mass; give its mass.")
    com, central = ([float(x) for x in part] for part in (body.com, body.central))  # pyright: ignore
    return robot.with_payload(load[0], com, central, frame=frame)


def given_range(robot: Robot, option: str, text: str) -> list[tuple[float, float]]:
    """Lower and upper end for every coordinate, from one range for all or one for each."""
    ranges = [_ends(option, word) for word in SEPARATORS.split(text.strip("[]() \t")) if word]
    if len(ranges) not in (1, robot.nv):
        raise ArgumentError(
            f"{option} has {counted(len(ranges), 'range')}, expected 1 or {robot.nv}. {order(robot, 'qd')}"
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
    robot: Robot, given: Mapping[str, str | None], known: Mapping[str, Any] | None = None
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """q, qd and qdd, and what was assumed of those that were not given (said on stderr too).

    ``known`` holds values that come from elsewhere, a pose or the start of a motion.
    """
    from strobe.cli.closed_chains import ClosedState
    from strobe.cli.show import note

    known = known or {}
    if robot.model.is_closed:
        closed = ClosedState(robot, given, known)
        state, assumed = closed.state, closed.assumed
    else:
        left = {name: text for name, text in given.items() if text is not None or name not in known}
        state, assumed = _free_state(robot, left)
    if assumed:
        note("assumed " + "; ".join(f"{name} = {value}" for name, value in assumed.items()))
    return {name: state.get(name, known.get(name)) for name in (*given, *known)}, assumed  # pyright: ignore


def beyond_limits(robot: Robot, q: np.ndarray) -> Iterator[str]:
    """What is said of a position outside the limits."""
    for joint in robot.coordinates.joints:
        low, high = joint.limits.lower, joint.limits.upper
        if joint.nq == 1 and not low - 1e-9 <= q[joint.q] <= high + 1e-9:
            (unit,) = joint.position_units
            yield f'joint "{joint.name}" is at {q[joint.q]:g}, outside its limits {low:g} to {high:g} {unit}.'


def _free_state(
    robot: Robot, given: Mapping[str, str | None]
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """q, qd and qdd of joints that nothing binds, zero where no numbers are given, and what was assumed."""
    import numpy as np

    from strobe.compiler.runtime.arrays import require_turns
    from strobe.show.tables import short
    from strobe.study.sample_motion import reachable_zero

    state: dict[str, np.ndarray] = {}
    assumed: dict[str, str] = {}
    for name, text in given.items():
        size = robot.nq if name == "q" else robot.nv
        if text is not None:
            state[name] = np.array(numbers(f"--{name}", text, size, order(robot, name)))
            if name == "q":
                require_turns("--q", state[name], robot.coordinates.joints)
        elif name == "q":
            state[name] = reachable_zero(robot)
            values = ", ".join(map(short, state[name].tolist()))
            reached = f"({values}): 0 where a joint can reach it, else the middle of its limits"
            assumed[name] = reached if np.any(state[name]) else "0"
        else:
            state[name] = np.zeros(size)
            assumed[name] = "0"
    return state, assumed


def named_pose(robot: Robot, pose: str | None, q: str | None = None) -> dict[str, np.ndarray]:
    """Positions that the model has a name for, if one is asked for."""
    import numpy as np

    from strobe.errors import UnknownNameError

    if pose is None:
        return {}
    if q is not None:
        raise ArgumentError("the robot stands at --pose or at --q, not at both.")
    poses = {name: places for name, places in robot.model.poses.items() if len(places) == robot.nq}
    if not poses:
        raise ArgumentError(f"{robot.name} names no poses; give --q.")
    if pose not in poses:
        raise UnknownNameError("pose", pose, robot.name, list(poses))
    return {"q": np.array(poses[pose], dtype=float)}


def names_of(robot: Robot, quantity: str) -> tuple[str, ...]:
    """One name per number of q, or of a velocity, an acceleration or torques."""
    return robot.coordinates.position_names if quantity == "q" else robot.coordinates.rate_names


def order(robot: Robot, quantity: str) -> str:
    """In which order numbers are given."""
    return f"The order of {robot.name}: {', '.join(names_of(robot, quantity))}."
