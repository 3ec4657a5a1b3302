"""``strobe approximate``: what may be left out of the torques of a motion, and what that costs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.inputs import Base, Force, Gravity, Json, Lock, RobotName, Strict, open_robot
from strobe.cli.logs import Columns, Degrees, Differentiate, LogOptions, Topic, moved
from strobe.cli.options import drawn_in, takes
from strobe.cli.outputs import Drawing
from strobe.errors import ArgumentError
from strobe.files.tables import decimal

if TYPE_CHECKING:
    from strobe.robot import Robot
    from strobe.trajectory.motion import Trajectory

WITHIN, SAMPLES = "1%", 1000
UNITS = {
    "": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30,
}  # fmt: skip
SIZE = re.compile(r"(?P<number>.*?)\s*(?P<unit>[A-Za-z]*)")


def approximate(
    robot: RobotName,
    trajectory: Annotated[
        Path | None,
        typer.Argument(
            metavar="TRAJECTORY",
            help="A motion of strobe plan (.json, .csv, .npz), or a log: .csv, .mcap, .parquet.",
        ),
    ] = None,
    approximations: Annotated[
        str | None,
        takes("--approximations", "A,B", "Some only, beside the exact torques."),
    ] = None,
    memory: Annotated[
        str | None,
        takes("--memory", "BYTES", "What an approximation may take, like 64kB."),
    ] = None,
    within: Annotated[
        str,
        takes("--within", "SHARE", "The error that is good enough, like 1% or 0.01."),
    ] = WITHIN,
    samples: Annotated[
        int, typer.Option("--samples", min=2, help="Instants of the motion at which torques are compared.")
    ] = SAMPLES,
    ladder: Annotated[
        bool,
        typer.Option(
            "--ladder", help="What each step from equations to machine code brings; needs no TRAJECTORY."
        ),
    ] = False,
    plot: Annotated[Path | None, drawn_in("Errors over times and memories.")] = None,
    columns: Columns = None,
    degrees: Degrees = False,
    topic: Topic = None,
    differentiate: Differentiate = False,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """What may be left out of the torques of a motion, tabulated or extrapolated, and what that costs.

    Every method on one page for a robot and a motion of yours: memory, operations, nanoseconds, errors by joint,
    how far the hand strays under control; those that no other beats; and a recommendation that follows from the
    numbers by a rule that is printed with it.

    \b
    Methods:
      exact                     the robot's own inverse dynamics
      without-velocity-terms    no Coriolis and centrifugal torques
      gravity-only              what holds the robot still
      reduced-interaction       no joint feels the motion of the others
      without-distal-links      each joint feels its own link only
      locked-joints             joints that stand still in the motion, locked
      path-extrapolation-0      each fourth torque, held until the next
      path-extrapolation-1      each fourth torque, continued by a line over path length
      path-extrapolation-2      each fourth torque, continued by a parabola
      full-extrapolation        each fourth torque with its partials in q, qd and qdd
      along-trajectory          D and E stored at 40 points of the motion, the nearest taken
      along-trajectory-in-time  the same, joined by lines
      typical-trajectories      the same in a library, with derivatives
      complete-table            torques over q, qd and qdd (Albus)
      cmac                      the same, hashed into less memory and learned along the motion
      raibert                   J over q, K over q and qd
      horn-raibert              J, C and G over q
      horn-raibert-with-derivatives
                                the nearest of them, continued by partials
      fixed-point-32            integers of 32 bits, a scale for each value
      fixed-point-16            integers of 16 bits
    \b
    Examples:
      strobe plan panda request.toml --acceleration 5 -o traj.json
      strobe approximate panda traj.json --plot trade-off.svg
      strobe approximate panda traj.json --memory 64kB --within 0.5% --json
      strobe approximate panda --ladder
    """
    from strobe.approximate.figure import trade_off_figure
    from strobe.cli.show import print_json

    reading = LogOptions(columns, degrees, differentiate, topic)
    if trajectory is None:
        unheard = {"--approximations": approximations, "--memory": memory, "--plot": plot}
        unheard |= {f"--{name}": value or None for name, value in reading._asdict().items()}
        unheard |= {"--within": within if within != WITHIN else None}
        unheard |= {"--samples": samples if samples != SAMPLES else None}
        _require_ladder_alone(ladder, unheard)
    inputs = [robot, *([] if trajectory is None else [trajectory])]
    drawing = Drawing(plot, inputs, force)
    drawing.check()
    room, share = _budget(memory), _share(within)
    arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    data: dict[str, Any] = {"robot": arm.name}
    if trajectory is not None:
        motion = moved(trajectory, arm, reading)
        data |= _compared(arm, motion, _names(approximations), room, share, samples)
        data |= drawing.write(lambda: trade_off_figure(data))
    if ladder:
        data["ladder"] = _rungs(arm)
    print_json(data) if as_json else _show(data)


# -- what is asked -------------------------------------------------------------------------------------------


def _require_ladder_alone(ladder: bool, unheard: dict[str, object]) -> None:
    """Without a motion there is the ladder, and nothing else to ask for."""
    if not ladder:
        raise ArgumentError(
            "give a motion: strobe plan ROBOT REQUEST.toml -o traj.json makes one, then strobe approximate ROBOT "
            "traj.json. (--ladder needs none.)"
        )
    for option, value in unheard.items():
        if value is not None:
            raise ArgumentError(
                f"{option} is about methods on a motion; give one: strobe approximate ROBOT traj.json."
            )


def _names(methods: str | None) -> list[str] | None:
    """The methods asked for; None is all."""
    if methods is None:
        return None
    names = [word for word in re.split(r"[,\s]+", methods) if word]
    if not names:
        raise ArgumentError("--approximations names no method; strobe approximate --help lists them.")
    return names


def _budget(text: str | None) -> int | None:
    """``64kB`` in bytes."""
    if text is None:
        return None
    found = SIZE.fullmatch(text.strip())
    try:
        size = decimal(found["number"]) * UNITS[found["unit"].lower()]  # pyright: ignore[reportOptionalSubscript]
    except (ValueError, KeyError, TypeError):
        raise ArgumentError(
            f'--memory: "{text}" is no size; expected bytes, like 4096, 64kB, 1.5MB or 2MiB.'
        ) from None
    if not 1 <= size < 2**63:
        raise ArgumentError(f"--memory is {text}; expected one byte or more.")
    return int(size)


def _share(text: str) -> float:
    """``1%`` as 0.01."""
    word = text.strip()
    try:
        share = decimal(word.removesuffix("%").strip()) / (100 if word.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 < share < float("inf"):
        raise ArgumentError(f'--within: "{text}" is no share above zero; expected one like 1% or 0.01.')
    return share


# -- what is done --------------------------------------------------------------------------------------------


def _compared(
    robot: Robot,
    motion: Trajectory,
    methods: list[str] | None,
    budget: int | None,
    within: float,
    samples: int,
) -> dict[str, Any]:
    from strobe.approximate.methods import offers
    from strobe.approximate.report import trade_off
    from strobe.cli.progress import Progress
    from strobe.control.tracking_deviation import straying

    with Progress("approximate", len(offers(methods)), "methods") as progress:
        found = trade_off(
            robot,
            motion,
            methods,
            budget,
            within=within,
            samples=samples,
            tracking=straying(robot, motion),
            progress=lambda: progress.advance(1),
        )
    return found.told()


def _rungs(robot: Robot) -> list[dict[str, Any]]:
    from strobe.cli.progress import Progress
    from strobe.study.ladder import told

    with Progress("the ladder", 1, "robot"):
        return told(robot)


def _show(data: dict[str, Any]) -> None:
    from strobe.cli.show import show
    from strobe.study import ladder
    from strobe.study.approximation import shown

    show(shown(data) if "methods" in data else ())
    show(ladder.shown(data["ladder"]) if "ladder" in data else ())
