"""Motions in files, as verbs take them: `strobe.identify.logs` in the words of a command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from strobe.cli.options import in_options, takes
from strobe.errors import Advised, ArgumentError, ModelFileError

if TYPE_CHECKING:
    from strobe.identify.logs import Log
    from strobe.robot import Robot
    from strobe.trajectory.motion import Trajectory

Recording = Annotated[
    Path | None,
    typer.Argument(
        metavar="LOG", help="A recorded motion: .csv, .mcap, .parquet; or .json, .npz of strobe plan."
    ),
]
Differentiate = Annotated[
    bool, typer.Option("--differentiate", help="Take rates that the file lacks from its positions.")
]
Columns = Annotated[
    str | None,
    takes("--columns", "MAP", "What a log does not say: t=1,q=2:8 or q_JOINT=NAME, counted from 1."),
]
Degrees = Annotated[
    bool, typer.Option("--degrees", help="Angles and their rates in the log are in degrees.")
]
Topic = Annotated[
    str | None, takes("--topic", "NAME", "Which of several series in a log: a topic, actual, target.")
]


class LogOptions(NamedTuple):
    """How a log is to be understood."""

    columns: str | None = None
    degrees: bool = False
    differentiate: bool = False
    topic: str | None = None

    def refuse_without(self, log: object, instead: str) -> None:
        """Refuse options about a log where there is none."""
        given = zip(self._fields, self, strict=True)
        for name in (name for name, value in given if log is None and value):
            raise ArgumentError(f"--{name} is for {instead}.")


def read_motion(
    path: Path,
    robot: Robot,
    how: LogOptions | None = None,
    needs: Sequence[str] = ("qd", "qdd"),
    besides: Sequence[str] = (),
    broken: bool = False,
) -> Log:
    """The motion of a robot in a file, with the rates that are needed; what was guessed is told on stderr.

    ``besides`` are columns of no joint that are read all the same: of them nothing is told. ``broken`` as in
    `read_log`.
    """
    from strobe.cli.progress import watched
    from strobe.cli.show import note
    from strobe.identify.logs import reading

    try:
        found = reading(path, robot, *(how or LogOptions()), needs=needs, watch=watched, broken=broken)
    except ModelFileError as error:
        raise ModelFileError(
            [replace(each, text=_in_options(each.text)) for each in error.faults]
        ) from None
    except ArgumentError as error:
        raise ArgumentError(_in_options(error)) from None
    read = [f'column "{name}" ' for name in besides]
    said = [_in_options(remark) for remark in found.remarks if not any(remark.startswith(x) for x in read)]
    for remark in said:
        note(remark)
    return replace(found, remarks=said)


def moved(path: Path, robot: Robot, how: LogOptions) -> Trajectory:
    """A motion of ``strobe plan``, or a log whose rows are joined; what was guessed is told on stderr."""
    from strobe.identify.logs import LOGGED, PLANNED, motion_of

    kind = path.suffix.lower()
    if kind in PLANNED:
        return _planned(path, robot, how)
    if kind not in LOGGED:
        raise ArgumentError(
            f"{path}: a motion is kept in a .json, .csv or .npz file, a recorded one in .csv, .mcap or .parquet."
        )
    return motion_of(read_motion(path, robot, how, needs=("qd",)), robot)


def _planned(path: Path, robot: Robot, how: LogOptions) -> Trajectory:
    from strobe.cli.show import note
    from strobe.identify.logs import read_planned, refuse_unheard

    try:
        refuse_unheard(path, {"columns": how.columns, "degrees": how.degrees, "topic": how.topic})
    except ArgumentError as error:
        raise ArgumentError(_in_options(error)) from None
    motion = read_planned(path, robot, how.differentiate).motion
    for remark in motion.notes if motion.method == "read" else ():
        note(remark)
    return motion


def _in_options(said: object) -> Advised:
    """A sentence with the options of a command line in the place of Python's arguments."""
    return in_options(said, ("differentiate", "degrees", "columns", "topic"), ("columns:", 'topic "'))
