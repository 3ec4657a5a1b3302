"""``strobe ik``: joint positions that bring a frame to a pose."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.exit_codes import CHECK_FAILED
from strobe.cli.frames import TIP, meant_frame
from strobe.cli.inputs import Base, Json, Lock, RobotName, Strict, numbers, open_robot
from strobe.cli.options import takes
from strobe.cli.states import order
from strobe.errors import ArgumentError, UnsupportedModelError, advised, nearest

if TYPE_CHECKING:
    import numpy as np

    from strobe.robot import Robot

SOLVERS = ("auto", "analytic", "numeric")
LARGEST_POSE = 1_000_000  # bytes: it takes some hundred
TURNS = {  # how many numbers an orientation has, and which
    "quaternion": (4, "They are w x y z."),
    "rpy": (3, "They are roll pitch yaw."),
    "waters": (3, "They are αx αy αz."),
}
SEVEN = 7  # joints: the least that leave a freedom


def ik(
    robot: RobotName,
    pose: Annotated[
        str | None,
        takes(
            "--pose", "NUMBERS|FILE", "x y z roll pitch yaw (m, rad), or a .json file with a 4×4 matrix."
        ),
    ] = None,
    position: Annotated[
        str | None, takes("--position", "NUMBERS", "x y z; alone: only the position is asked for.")
    ] = None,
    quaternion: Annotated[
        str | None,
        takes("--quaternion", "NUMBERS", "w x y z; alone: only the orientation is asked for."),
    ] = None,
    rpy: Annotated[
        str | None, takes("--rpy", "NUMBERS", "Roll pitch yaw (rad), in the place of a quaternion.")
    ] = None,
    waters: Annotated[
        str | None, takes("--waters", "NUMBERS", "Waters' angles αx αy αz (rad), in the place of one.")
    ] = None,
    at: Annotated[
        str | None,
        takes("--at", "NUMBERS", "Joint positions: the pose there, and --q0 if it is not given."),
    ] = None,
    frame: Annotated[str | None, takes("--frame", "FRAME", f"The frame; {TIP}")] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every solution, not only the best.")] = False,
    solver: Annotated[str, takes("--solver", "NAME", "auto, analytic or numeric.")] = "auto",
    q0: Annotated[
        str | None, takes("--q0", "NUMBERS", "Where the robot is: the nearest solution comes first.")
    ] = None,
    lock: Lock = None,
    base: Base = None,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Joint positions that bring a frame to a pose: every branch, its residual, its limits.

    The pose is in base axes. The arm is solved in closed form where its class is recognised (spherical wrist,
    parallel axes, …), by elimination where it has six turning joints, else by search. Seven joints have infinitely
    many solutions: --all shows a family of them. Exits with 1 if no solution is within the limits.

    \b
    Examples:
      strobe ik stanford --at 0.3,0.9,0.6,-0.4,0.7,1.1 --all
      strobe ik panda --pose 0.4 0.1 0.5 pi 0 0 --q0 0,-0.8,0,-2.4,0,1.6,0.8
      strobe ik ur5 --position 0.3 0.2 0.4 --quaternion 0 1 0 0 --json
      strobe ik stanford --position 0.56 0.17 0.96 --waters -0.25 0.73 -0.98
      strobe ik arm.urdf --pose pose.json --frame tool0 --solver numeric
    """
    from strobe.cli.show import note, print_json, show
    from strobe.kinematics.inverse import every_way, inverse_kinematics
    from strobe.show.tables import remark
    from strobe.study.inverse_solutions import answer, answer_lines, answer_table

    if solver not in SOLVERS:
        raise ArgumentError(
            f'--solver "{solver}" is none of {", ".join(SOLVERS)}.{nearest(solver, SOLVERS)}'
        )
    turns = {"quaternion": quaternion, "rpy": rpy, "waters": waters}
    turns = {name: text for name, text in turns.items() if text is not None}
    apart = position or next(iter(turns.values()), None)
    _one_of({"--pose": pose, "--position or an orientation": apart, "--at": at})
    arm = open_robot(robot, lock=lock, base=base, strict=strict)
    name = meant_frame(arm, frame)
    start = _positions(arm, "--at" if q0 is None else "--q0", q0 or at)
    try:
        asked, what = _asked(arm, pose, position, turns, at, name)
        solve = every_way if every and solver == "auto" else partial(inverse_kinematics, method=solver)
        found = solve(arm, asked, name, what=what, q0=start)
    except (ArgumentError, UnsupportedModelError) as error:
        raise ArgumentError(advised(error)) from None
    data = answer(arm, name, found)
    if as_json:
        shown = data["solutions"] if every else data["solutions"][:1]
        print_json(
            {"robot": arm.name, "frame": name, "what": what, "pose": asked, **data, "solutions": shown}
        )
    else:
        show(map(remark, answer_lines(data)))
        show([answer_table(data, None if every else 1)] if data["count"] else ())
        if data["count"] > 1 and not every:
            note(f"the best of {data['count']} solutions; --all shows the others.")
        elif data["status"] == "solved" and len(data["moving"]) == SEVEN and not every and solver == "auto":
            note("one of infinitely many solutions; --all shows a family of them.")
    if data["status"] != "solved":
        raise typer.Exit(CHECK_FAILED)


def _one_of(given: dict[str, str | None]) -> None:
    """Refuse no pose, and more than one."""
    named = [option for option, text in given.items() if text is not None]
    if not named:
        raise ArgumentError(
            "say where the frame is to be: --pose x y z roll pitch yaw, --pose FILE.json, --position x y z with "
            "--quaternion w x y z (or --rpy, --waters), or --at with joint positions."
        )
    if len(named) > 1:
        raise ArgumentError(f"the pose comes from {' and from '.join(named)}; give one of them.")


def _asked(
    robot: Robot,
    pose: str | None,
    position: str | None,
    turns: dict[str, str],
    at: str | None,
    frame: str,
) -> tuple[np.ndarray, str]:
    """The pose (4, 4), and what of it is asked for."""
    from strobe.kinematics import poses

    if at is not None:
        return robot.forward_kinematics(_positions(robot, "--at", at), frame), "pose"
    if pose is not None and pose.lower().endswith(".json"):
        return poses.checked_poses(_file(Path(pose))), "pose"
    if pose is not None:
        values = numbers(
            "--pose", pose, 6, "They are x y z roll pitch yaw; a matrix comes from a .json file."
        )
        return poses.pose(values[:3], rpy=values[3:]), "pose"
    place = None if position is None else numbers("--position", position, 3, "They are x y z.")
    turned: dict[str, Any] = {
        name: numbers(f"--{name}", text, *TURNS[name]) for name, text in turns.items()
    }
    if place is None:
        return poses.pose(**turned), "orientation"
    return poses.pose(place, **turned), "pose" if turned else "position"


def _positions(robot: Robot, option: str, text: str | None) -> list[float] | None:
    """The positions behind an option, if it was given."""
    if text is None:
        return None
    return numbers(option, text, robot.nq, order(robot, "q"))


def _file(path: Path) -> np.ndarray:
    """A 4×4 matrix in a JSON file: alone, or under the key "pose"."""
    import numpy as np

    from strobe.files.reading import read_json_data

    data = read_json_data(path, LARGEST_POSE)
    matrix = data.get("pose") if isinstance(data, dict) else data
    try:
        rows = np.array(matrix, dtype=float)
    except (TypeError, ValueError, OverflowError):
        rows = np.empty(0)
    if rows.shape != (4, 4) or not np.isfinite(rows).all():
        raise ArgumentError(
            f'{path} holds no pose; expected four rows of four numbers, alone or under the key "pose".'
        )
    return rows
