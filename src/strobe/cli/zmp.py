"""``strobe zmp``: what the ground does to a robot along a motion, and whether the foot it stands on holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.exit_codes import CHECK_FAILED
from strobe.cli.inputs import Force, Gravity, Json, Lock, RobotName, Strict, numbers, open_robot
from strobe.cli.logs import Columns, Degrees, Differentiate, LogOptions, Topic, moved
from strobe.cli.options import drawn_in, in_options, takes
from strobe.cli.outputs import Drawing
from strobe.errors import ArgumentError, StrobeError

if TYPE_CHECKING:
    from strobe.mechanisms.zero_moment_point import GroundReaction
    from strobe.models.feet import Foot
    from strobe.robot import Robot
    from strobe.trajectory.files import Rows

CORNERS = re.compile(r"[;\s]+")


def zmp(
    robot: RobotName,
    motion: Annotated[
        Path,
        typer.Argument(
            metavar="TRAJECTORY",
            help="A motion of strobe plan (.json, .csv, .npz), or a log: .csv, .mcap, .parquet.",
        ),
    ],
    foot: Annotated[str, takes("--foot", "FRAME", "The frame of the foot that stands.")],
    sole: Annotated[
        str | None,
        takes(
            "--sole", "X,Y;X,Y;…", "Corners of its sole in the axes of that frame; X,Y,Z below its origin."
        ),
    ] = None,
    friction: Annotated[
        float | None, takes("--friction", "MU", "The coefficient of friction of the ground.")
    ] = None,
    torsion: Annotated[
        float | None,
        takes("--torsion", "M", "The moment about the vertical held by each newton of weight."),
    ] = None,
    step: Annotated[float, takes("--step", "SECONDS", "Between two looks at the motion.")] = 0.01,
    columns: Columns = None,
    degrees: Degrees = False,
    topic: Topic = None,
    differentiate: Differentiate = False,
    plot: Annotated[Path | None, drawn_in("The zero moment point and the sole from above.")] = None,
    lock: Lock = None,
    gravity: Gravity = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """What the ground does to a robot that stands on one foot: force, zero moment point, margins, friction.

    The robot is rooted on that foot, whatever its base was; the motion is told joint by joint. Exit code 1 where the
    foot does not hold: it would tip, slip, turn or lift off, and the motion is not one on this foot.

    \b
    Examples:
      strobe zmp biped10 motion.json --foot stance_foot --friction 0.6 --plot zmp.svg
      strobe zmp walker.urdf motion.csv --foot left_sole --sole "-0.1,-0.05;0.1,-0.05;0.1,0.05;-0.1,0.05" --json
    """
    from strobe.cli.show import present, warn

    inputs = [robot, motion]
    drawing = Drawing(plot, inputs, force)
    drawing.check()
    rooted = open_robot(robot, lock=lock, gravity=gravity, strict=strict).standing_on(foot)
    table = _rows(rooted, motion, step, LogOptions(columns, degrees, differentiate, topic))
    reaction = _reaction(rooted, table, foot if sole is None else _foot(foot, sole), friction, torsion)
    data = _told(rooted, foot, table, reaction)
    data |= drawing.write(lambda: _figure(rooted, foot, table, reaction))
    present(data, _shown(data), as_json)
    if not reaction.held:
        warn(reaction.sentence)
        raise typer.Exit(CHECK_FAILED)


def _foot(frame: str, text: str) -> Foot:
    """A foot from the corners of its sole."""
    from strobe.models.feet import Foot

    found = [numbers("--sole", corner) for corner in CORNERS.split(text.strip()) if corner]
    if any(len(corner) not in (2, 3) for corner in found):
        raise ArgumentError(f'--sole: "{text}" are no corners; expected X,Y;X,Y;X,Y or such with X,Y,Z.')
    deep = [(*corner, 0.0)[:3] for corner in found]
    return Foot(frame, deep)


def _rows(robot: Robot, path: Path, step: float, how: LogOptions) -> Rows:
    """The motion at instants, its joints in the order of the robot."""
    from strobe.trajectory.files import rows

    ordered = moved(path, robot, how)
    with _in_options():
        return rows(ordered, step=step)


def _reaction(
    robot: Robot, table: Rows, foot: str | Foot, friction: float | None, torsion: float | None
) -> GroundReaction:
    from strobe.mechanisms.zero_moment_point import ground_reaction

    with _in_options():
        return ground_reaction(
            robot, table.q, table.qd, table.qdd, foot=foot, friction=friction, torsion=torsion
        )


@contextmanager
def _in_options() -> Iterator[None]:
    """Sentences of the package in words of the command line."""
    try:
        yield
    except StrobeError as error:
        raise ArgumentError(in_options(error, (), ("friction is", "torsion is", "step is"))) from None


def _told(robot: Robot, foot: str, table: Rows, reaction: GroundReaction) -> dict[str, Any]:
    """The reaction at every instant, and what of it matters most."""
    from strobe.mechanisms.zero_moment_point import Footing

    names = [Footing(int(each)).name.lower() for each in reaction.status]
    return {
        "robot": robot.name,
        "foot": foot,
        "duration": float(table.t[-1]),
        "held": reaction.held,
        "status": reaction.worst.name.lower(),
        "sentence": reaction.sentence,
        "least margin": _extreme(table, reaction.margin, least=True),
        "most friction": _extreme(table, reaction.friction),
        "most twist": _extreme(table, abs(reaction.twist)),
        "least normal force": _extreme(table, _normal(robot, reaction), least=True),
        "instants": {
            "t": table.t, "force": reaction.force, "moment": reaction.moment, "zmp": reaction.zmp,
            "margin": reaction.margin, "friction": reaction.friction, "twist": reaction.twist, "status": names,
        },
    }  # fmt: skip


def _normal(robot: Robot, reaction: GroundReaction) -> Any:
    from strobe.mechanisms.zero_moment_point import upward

    return reaction.force @ upward(robot)


def _extreme(table: Rows, values: Any, least: bool = False) -> dict[str, float | None]:
    """The least or the largest of values over time, and when; nothing where there is none."""
    import numpy as np

    if np.isnan(values).all():
        return {"value": None, "t": None}
    k = int(np.nanargmin(values) if least else np.nanargmax(values))
    return {"value": float(values[k]), "t": float(table.t[k])}


def _shown(data: dict[str, Any]) -> Iterator[Any]:
    """What a person reads: the worst of every quantity, and when, and how the foot fares."""
    from strobe.show.tables import remark, short, table

    yield remark(f"{data['robot']} on {data['foot']}, {short(data['duration'])} s")
    units = {
        "least margin": "m to the edge of the sole", "most friction": "needed, tangential over normal force",
        "most twist": "N m about the vertical", "least normal force": "N",
    }  # fmt: skip
    rows = [
        (name, *("none" if x is None else short(x) for x in (data[name]["value"], data[name]["t"])), unit)
        for name, unit in units.items()
    ]
    yield table(["", "value", "at (s)", "unit"], rows)
    if data["held"]:
        yield remark(data["sentence"])


def _figure(robot: Robot, foot: str, table: Rows, reaction: GroundReaction) -> str:
    from strobe.mechanisms.figure_zmp import zmp_figure
    from strobe.mechanisms.zero_moment_point import across, center_of_mass, upward

    axes = across(upward(robot))
    title = f"{robot.name} on {foot}"
    center = center_of_mass(robot, table.q) @ axes
    return zmp_figure(title, [reaction.polygon[0] @ axes], reaction.zmp @ axes, center)
