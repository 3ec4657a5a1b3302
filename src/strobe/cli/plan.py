"""``strobe plan``: from a request to a motion that the arm can follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.inputs import Base, Force, Json, Lock, RobotName, Strict, numbers, open_robot
from strobe.cli.options import drawn_in, takes, written_to
from strobe.cli.outputs import Drawing
from strobe.errors import ArgumentError, StrobeError, advised

if TYPE_CHECKING:
    from strobe.robot import Robot
    from strobe.trajectory.motion import Trajectory
    from strobe.trajectory.requests import Request


def bound(name: str) -> Any:
    return takes(f"--{name}", "NUMBERS", f"Bounds on {name}: one, or one per joint.")


def plan(
    robot: RobotName,
    request: Annotated[
        Path, typer.Argument(metavar="REQUEST", help="A .toml or .json file: points to pass.")
    ],
    output: Annotated[Path | None, written_to("Where the motion goes: .json, .csv or .npz.")] = None,
    planner: Annotated[str | None, takes("--planner", "NAME", "How it is planned; see below.")] = None,
    plot: Annotated[Path | None, drawn_in("A drawing of the motion and its limits.")] = None,
    step: Annotated[float, takes("--step", "SECONDS", "Between the rows of the file.")] = 0.01,
    velocity: Annotated[str | None, bound("velocity")] = None,
    acceleration: Annotated[str | None, bound("acceleration")] = None,
    jerk: Annotated[str | None, bound("jerk")] = None,
    effort: Annotated[str | None, bound("effort")] = None,
    envelope: Annotated[
        float | None,
        takes("--envelope", "NUMBER", "How far the path may leave the lines between points."),
    ] = None,
    lock: Lock = None,
    base: Base = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """A motion through the points of a request, within the bounds of every joint.

    Bounds are the robot's own unless the request or an option gives others. What cannot be is refused with the
    point, the joint and the bound.

    \b
    A request:
      envelope = 0.02                       how far the path may leave its lines
      [bounds]
      acceleration = 5                      one number, one per joint, or a table from names
      [[points]]
      q = [0, "pi/2"]                       the joints in order, or a table from names
      [[points]]
      position = [0.4, 0.1, 0]              the hand, with rpy = [...] or quaternion = [...]
      [[points]]
      q = [1, 0]
      qd = [0, "free"]                      velocities; free if nothing is said, 0 at the ends
    \b
    Planners:
      constant-acceleration    least time at constant maximum accelerations (default)
      torque-limited           least time along a spline under torque limits
      near-minimum-time        nearly least time between two points under torque limits
      jerk-limited             least time under a bound on jerk, from point to point
      cubic, quintic           splines
      hand-line                the hand on straight lines
      blends                   straight lines, corners rounded off
    \b
    Examples:
      strobe plan panda request.toml --acceleration 5 -o traj.json --plot traj.svg
      strobe plan panda request.toml --planner torque-limited -o traj.csv --step 0.002
    """
    from strobe.cli.show import note, present, warn
    from strobe.models.default_frame import frame_meant
    from strobe.study.limit_usage import beyond
    from strobe.trajectory.figure import trajectory_figure
    from strobe.trajectory.planners import plan as planned
    from strobe.trajectory.reading import read_request

    inputs = [request, robot]
    drawing = Drawing(plot, inputs, force)
    _check_output(output, inputs, force)
    drawing.check()
    arm = open_robot(robot, lock=lock, base=base, strict=strict)
    bounds = {"velocity": velocity, "acceleration": acceleration, "jerk": jerk, "effort": effort}
    try:
        asked = read_request(arm, request, **bound_options(arm.n, bounds, envelope))
        motion = planned(arm, asked, planner)
    except StrobeError as error:
        raise ArgumentError(advised(error)) from None
    data = _told(arm, motion, asked)
    if asked.meant and (sentence := frame_meant(arm.model)):
        note(f'{sentence} frame = "…" in the request names another.')
    for sentence in motion.notes:
        note(sentence)
    for sentence in beyond(data):
        warn(sentence)
    if output is not None:
        from strobe.trajectory.files import write

        data |= {
            "output": str(output),
            "rows": write(motion, output, arm, step=step, inputs=inputs, force=force),
        }
        note(f"{data['rows']:,} rows written to {output}.")
    data |= drawing.write(lambda: trajectory_figure(arm, motion, asked.bounds))
    present(data, _shown(data), as_json)


def _check_output(output: Path | None, inputs: list[Any], force: bool) -> None:
    """Refuse, before anything is planned, a file that cannot or must not be written."""
    from strobe.files.writing import refuse
    from strobe.trajectory.files import kind_of

    if output is not None:
        kind_of(output)
        refuse(output, inputs=inputs, force=force)


def _told(robot: Robot, motion: Trajectory, asked: Request) -> dict[str, Any]:
    """The motion in numbers: when it passes the points, and what of its limits it uses."""
    from strobe.study.limit_usage import shares

    passed = zip(asked.labels, motion.points.tolist(), strict=True)
    return {
        "robot": robot.name,
        "method": motion.method,
        "frame": asked.frame,
        "duration": motion.duration,
        "points": [{"name": label, "time": time} for label, time in passed],
        "notes": list(motion.notes),
        **shares(robot, motion, asked.bounds),
    }


def bound_options(n: int, given: dict[str, str | None], envelope: float | None) -> dict[str, Any]:
    """What options say instead of the request."""
    found: dict[str, Any] = {} if envelope is None else {"envelope": envelope}
    for name, text in given.items():
        if text is not None:
            values = numbers(f"--{name}", text)
            found[name] = (
                values[0] if len(values) == 1 else numbers(f"--{name}", text, n, "One per joint, or one.")
            )
    return found


def _shown(data: dict[str, Any]) -> Iterator[Any]:
    from strobe.show.tables import remark, short
    from strobe.study.limit_usage import shares_table

    passed = ", ".join(f"{point['name']} at {short(point['time'])} s" for point in data["points"])
    yield remark(f"{data['method']}: {short(data['duration'])} s; {passed}")
    yield shares_table(data)
