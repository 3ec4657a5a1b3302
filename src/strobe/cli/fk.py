"""``strobe fk``: where frames are, how they are turned and how they move, of one state or of a whole log."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.frames import TIP, meant_frame
from strobe.cli.inputs import Base, Force, Json, Lock, RobotName, Strict, open_robot
from strobe.cli.logs import Columns, Degrees, Differentiate, LogOptions, Recording, Topic
from strobe.cli.options import takes, written_to
from strobe.cli.states import Pose, Positions, given_state, named_pose, refuse_both
from strobe.errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np

    from strobe.identify.logs import Log
    from strobe.kinematics.end_effector import Hand
    from strobe.robot import Robot

WAYS = {  # of writing an orientation down: name of its angles, what a row is called, unit
    "rpy": ("roll, pitch, yaw", "rad"),
    "waters": ("Waters' angles αx, αy, αz", "rad"),
    "rotation-vector": ("rotation vector", "rad"),
    "quaternion": ("quaternion w, x, y, z", "1"),
}
UNITS = {
    "position": "m", "velocity": "m/s", "angular_velocity": "rad/s", "rpy": "rad", "waters": "rad",
    "rotation_vector": "rad", "quaternion": "1", "pose": "m in its last column",
}  # fmt: skip
PLACE = ("x", "y", "z", "roll", "pitch", "yaw")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")


def fk(
    robot: RobotName,
    log: Recording = None,
    q: Positions = None,
    qd: Annotated[str | None, takes("--qd", "NUMBERS", "Velocities: how the frame moves, too.")] = None,
    pose: Pose = None,
    frame: Annotated[list[str] | None, takes("--frame", "FRAME", f"May be repeated; {TIP}")] = None,
    every: Annotated[bool, typer.Option("--all-frames", help="Every frame of the robot.")] = False,
    twist: Annotated[bool, typer.Option("--twist", help="Of a log: how the frames move, too.")] = False,
    columns: Columns = None,
    degrees: Degrees = False,
    topic: Topic = None,
    differentiate: Differentiate = False,
    output: Annotated[Path | None, written_to("Where the poses of a log go; else stdout.")] = None,
    lock: Lock = None,
    base: Base = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Where a frame is and how it is turned, in base axes: forward kinematics.

    Position (m), rotation matrix, quaternion (w x y z), roll pitch yaw with R = Rz(yaw) Ry(pitch) Rx(roll), Waters'
    angles and the rotation vector (rad); with --qd the velocity of the frame's origin (m/s) and its angular velocity
    (rad/s). The last line, or the JSON as a file, is what strobe ik takes back.

    \b
    Examples:
      strobe fk panda --q 0,-0.8,0,-2.4,0,1.6,0.8
      strobe fk stanford --q 0.3,0.9,0.6,-0.4,0.7,1.1 --qd 1,0,0,0,0,0
      strobe fk biped10 --frame stance_foot --frame swing_foot
      strobe fk panda motion.csv --twist -o poses.csv

    \b
    Columns of a log are those of strobe torque; positions are enough without --twist. Columns written:
      the time, then x, y, z (m), roll, pitch, yaw (rad), with --twist vx, vy, vz (m/s), wx, wy, wz (rad/s);
      of several frames each behind the name of its frame: tool_x, …
    """
    arm = open_robot(robot, lock=lock, base=base, strict=strict)
    frames = _frames(arm, frame, every)
    reading = LogOptions(columns, degrees, differentiate, topic)
    reading.refuse_without(log, "logs: strobe fk ROBOT LOG")
    if log is None:
        if output is not None or twist:
            raise ArgumentError("-o and --twist are for logs: strobe fk ROBOT LOG.csv -o FILE.")
        same = [robot, *(word for pair in lock or () for word in ("--lock", pair))]
        same += [] if base is None else ["--base", base]
        _one_state(arm, same, frames, {"q": q, "qd": qd}, named_pose(arm, pose, q), as_json)
    else:
        refuse_both(log, {"q": q, "qd": qd, "pose": pose})
        if differentiate and not twist:
            raise ArgumentError(
                "--differentiate finds the velocities of --twist; poses need positions alone."
            )
        _whole_log(arm, robot, log, frames, twist, reading, output, force, as_json)


def _frames(robot: Robot, named: Sequence[str] | None, every: bool) -> list[str]:
    """The frames that are asked about."""
    if every and named:
        raise ArgumentError("--all-frames are those of --frame too; give one of them.")
    if every:
        return list(robot.frames)
    return [robot.model.frame(name).name for name in named] if named else [meant_frame(robot, None)]


# -- one state ----------------------------------------------------------------------------------------


def _one_state(
    robot: Robot, same: Sequence[str], frames: Sequence[str], given: dict[str, str | None], known: dict[str, Any],
    as_json: bool,
) -> None:  # fmt: skip
    from strobe.cli.show import present
    from strobe.robot import Robot

    robot = Robot(robot.model, compiled=False)  # asked once: not worth compiling
    if given["qd"] is None:
        del given["qd"]
    state, assumed = given_state(robot, given, known)
    hands = {name: robot.hand(state["q"], state.get("qd"), name, "rpy") for name in frames}
    told = [_data(name, hand) for name, hand in hands.items()]
    one = {"frame": frames[0], "pose": told[0]["pose"]} if len(frames) == 1 else {}
    data = {"robot": robot.name, "assumed": assumed, **state, "units": UNITS, **one, "frames": told}
    shown = _alone(robot, same, *hands.items()) if len(frames) == 1 else _together(robot, hands)
    present(data, shown, as_json)


def _data(frame: str, hand: Hand) -> dict[str, Any]:
    """A frame as data; angles that do not exist there are none."""
    ways = {name.replace("-", "_"): hand.named_by(name).angles for name in WAYS}
    moving = {} if hand.velocity is None else {
        "velocity": hand.velocity, "angular_velocity": hand.angular_velocity,
    }  # fmt: skip
    return {
        "frame": frame, "pose": hand.pose, "position": hand.position, "rotation": hand.orientation, **ways, **moving,
    }  # fmt: skip


def _alone(robot: Robot, same: Sequence[str], named: tuple[str, Hand]) -> Iterator[Any]:
    """Everything about one frame, and what brings it back there."""
    from strobe.show.tables import remark, table, tidy

    frame, hand = named
    rows: list[list[Any]] = [["position", "m", *tidy(hand.position), None]]
    for name, (title, unit) in WAYS.items():
        rows.append(_padded([title, unit, *_angles(hand, name)]))
    R = tidy(hand.orientation)
    rows += [[f"rotation matrix, row {k + 1}", "1", *R[k], None] for k in range(3)]
    if hand.velocity is not None:
        rows.append(["velocity", "m/s", *tidy(hand.velocity), None])
        rows.append(["angular velocity", "rad/s", *tidy(hand.angular_velocity), None])
    yield f"{frame} of {robot.name}, in {_axes(robot)} axes"
    yield table(["", "unit", "", "", "", ""], rows)
    words = ["strobe", "ik", *same, "--frame", frame, "--pose", *map(_digits, _six(hand))]
    yield remark(f"back to the joints: {shlex.join(words)}")


def _axes(robot: Robot) -> str:
    """Whose axes poses are in: a base that moves has others than the world in which it moves."""
    first = robot.coordinates.joints[:1]
    return "world" if first and first[0].is_free else "base"


def _angles(hand: Hand, name: str) -> list[Any]:
    """Named angles to read; a word where they do not exist."""
    from strobe.show.tables import tidy

    other = hand.named_by(name)
    return tidy(other.angles) if other.defined.all() else ["not defined here"]


def _padded(row: list[Any], size: int = 6) -> list[Any]:
    return [*row, *[None] * (size - len(row))]


def _together(robot: Robot, hands: dict[str, Hand]) -> Iterator[Any]:
    """One row per frame."""
    from strobe.show.tables import table, tidy

    moving = any(hand.velocity is not None for hand in hands.values())
    units = ["m"] * 3 + ["rad"] * 3 + ["m/s"] * 3 + ["rad/s"] * 3
    columns = [f"{name} {unit}" for name, unit in zip((*PLACE, *TWIST), units, strict=True)]
    rows = [
        [name, *tidy(hand.position), *tidy(hand.angles), *(tidy(hand.twist) if moving else [])]
        for name, hand in hands.items()
    ]
    yield f"frames of {robot.name}, in {_axes(robot)} axes"
    yield table(["frame", *columns[: 12 if moving else 6]], rows)


def _six(hand: Hand) -> list[float]:
    """x y z roll pitch yaw."""
    return [*hand.position.tolist(), *hand.angles.tolist()]


def _digits(x: float) -> str:
    """A number with as many digits as rounding leaves."""
    return f"{round(x, 14) + 0.0:.14g}"


# -- a log --------------------------------------------------------------------------------------------


def _whole_log(
    robot: Robot, source: str, log: Path, frames: Sequence[str], twist: bool, reading: LogOptions,
    output: Path | None, force: bool, as_json: bool,
) -> None:  # fmt: skip
    from strobe.cli.logs import read_motion
    from strobe.cli.show import note, print_json
    from strobe.files.writing import refuse, writing
    from strobe.mechanisms.states import require_closed

    if output is not None:
        refuse(output, inputs=[log, source], force=force)
    motion = read_motion(log, robot, reading, ("qd",) if twist else ())
    if robot.model.is_closed:
        moving = {} if motion.qd is None or not twist else {"qd": motion.qd}
        require_closed(robot, {"q": motion.q, **moving})
    hands = {name: robot.hand(motion.q, motion.qd if twist else None, name, "rpy") for name in frames}
    if output is not None:
        with writing(output, inputs=[log, source], force=force) as stream:
            _write(stream, motion, hands)
    if as_json:
        data = {"output": str(output)} if output else {"time": motion.stamps, "frames": _rows(hands)}
        print_json(
            {"robot": robot.name, "rows": len(motion), "remarks": motion.remarks, "units": UNITS, **data}
        )
    elif output is None:
        _write(sys.stdout, motion, hands)
    else:
        note(f"{len(motion):,} rows written to {output}.")


def _rows(hands: dict[str, Hand]) -> list[dict[str, Any]]:
    return [_data(name, hand) for name, hand in hands.items()]


def _write(stream: Any, motion: Log, hands: dict[str, Hand]) -> None:
    """Times as they were, poses with every digit."""
    import numpy as np

    from strobe.files.tables import write_rows

    time = [motion.time_name] if motion.time_name is not None else []
    parts: list[np.ndarray] = []
    header: list[str] = []
    for name, hand in hands.items():
        moving = hand.velocity is not None
        before = f"{name}_" if len(hands) > 1 else ""
        header += [f"{before}{word}" for word in (*PLACE, *(TWIST if moving else ()))]
        parts += [hand.position, hand.angles, *([hand.twist] if moving else [])]
    write_rows(stream, [[*time, *header]])
    rows = enumerate(np.concatenate(parts, axis=-1).tolist())
    write_rows(stream, ([*motion.stamps[r : r + 1], *map(repr, row)] for r, row in rows))
