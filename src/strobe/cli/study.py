"""``strobe study``: one robot in, a report out."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strobe.cli.exit_codes import CHECK_FAILED
from strobe.cli.inputs import Base, Force, Gravity, Json, Lock, RobotName, Strict, open_robot
from strobe.cli.options import takes, written_to
from strobe.errors import ArgumentError, OutputError

if TYPE_CHECKING:
    from strobe.study import Report

SUFFIXES = (".json", ".html")


def study(
    robot: RobotName,
    output: Annotated[Path | None, written_to("The folder; else ./study-ROBOT.", "FOLDER")] = None,
    sections: Annotated[
        str | None, takes("--sections", "NAMES", "Only these, separated by commas.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave out what takes long: proof, times.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Study a random state instead of the reference state."),
    ] = None,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    force: Force = False,
    as_text: Annotated[bool, typer.Option("--text", help="Print the report; write no file.")] = False,
    as_json: Json = False,
) -> None:
    """A report on a robot: a page to show, and all of its numbers.

    FOLDER/ROBOT.html opens in any browser without a network: the robot in three dimensions, its torques and their
    terms, equations, proof, costs and speed. FOLDER/ROBOT.json holds every number. The state is the robot's reference
    state, or a reproducible random one. --json prints the numbers, and writes files only where -o says so. Exits with
    1 if a check fails.

    Sections: view, robot, kinematics, trajectory, simulation, torques, terms, motion, wrenches, matrices, closed,
    base, legs, equations, exactness, proof, laws, counts, published, speed, approximation, control, machine.
    closed, base and legs are for closed chains, moving bases and robots with feet.

    \b
    Examples:
      strobe study stanford
      strobe study arm.urdf -o report --quick --force
      strobe study panda --sections torques,laws --text
    """
    from strobe.cli.progress import Progress
    from strobe.cli.show import present
    from strobe.study import report as studies

    _refuse_unheard({"-o": output, "--force": force, "--json": as_json} if as_text else {})
    wanted = studies.chosen(_names(sections))
    subject = open_robot(
        robot, lock=lock, base=base, gravity=gravity, strict=strict, quiet=not (as_json or as_text)
    )
    edits = [("--lock", x) for x in lock or ()] + [("--base", base), ("--gravity", gravity)]
    called = shlex.join(
        [_shown_path(robot), *(word for flag, x in edits if x is not None for word in (flag, x))]
    )
    target = (
        None if as_text or (as_json and output is None) else _target(output, subject.name, force, robot)
    )
    with Progress("study", len(studies.fitting(subject, wanted)), "sections") as progress:
        report = studies.study(
            subject, seed, progress.begin, sections=wanted, quick=quick, called=called, file=_file(robot)
        )
    if target is not None:
        _write(report, target, force, robot)
    told = report.rendered() if target is None else _told(report, target)
    present(report.numbers, told, as_json)
    if report.failed:
        raise typer.Exit(CHECK_FAILED)


def _shown_path(robot: str) -> str:
    """A robot as the commands of a page name it: of an absolute path the file alone, which says no one's folders."""
    return Path(robot).name if Path(robot).is_absolute() else robot


def _file(robot: str) -> str:
    """The path of a robot that is read from a file; nothing for one that has a name."""
    from strobe.models.formats import ENDINGS

    return robot if Path(robot).suffix.lower() in ENDINGS else ""


def _refuse_unheard(beside_text: dict[str, object]) -> None:
    """Refuse what would have no effect where a report is only printed."""
    for option, value in beside_text.items():
        if value:
            raise ArgumentError(
                f"--text prints the report and writes no file; leave out --text or {option}."
            )


def _names(sections: str | None) -> list[str]:
    """The names in a list; none where there is no list, which stands for all."""
    names = [name.strip() for name in (sections or "").split(",") if name.strip()]
    if sections is not None and not names:
        raise ArgumentError("--sections names no section; strobe study --help lists them.")
    return names


def _target(output: Path | None, name: str, force: bool, source: str) -> Path:
    """The path of the report without its suffix, in a folder that is there and takes files; asked before any work."""
    from strobe.files.writing import refuse, require_written_name
    from strobe.study.case import file_name

    stem = file_name(name)
    folder = output or Path(f"study-{stem}")
    require_written_name(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OutputError(f"cannot write into {folder}: it is a file. Name a folder.") from None
    except OSError as error:
        raise OutputError(f"cannot make the folder {folder}: {error.strerror or error}.") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(
            f"cannot write into {folder}: the folder does not take files. Name another with -o."
        )
    for suffix in SUFFIXES:
        refuse(folder / f"{stem}{suffix}", inputs=[source], force=force)
    return folder / stem


def _write(report: Report, target: Path, force: bool, source: str) -> None:
    """The numbers and the page, both whole or none: the numbers lie ready before the page is there."""
    from strobe.files.writing import writing
    from strobe.show.json_text import json_text
    from strobe.study.pages import whole_page

    kept = {"inputs": [source], "force": force}
    with writing(f"{target}.json", **kept) as numbers:
        numbers.write(json_text(report.numbers) + "\n")
        numbers.flush()
        with writing(f"{target}.html", **kept) as page:
            page.write(whole_page(report))


def _told(report: Report, target: Path) -> Sequence[object]:
    """Where the report is, and what to remember of it."""
    from strobe.show.terminal import Pieces, Text
    from strobe.study.report import SECTIONS

    lines = [Pieces([(h.figure, "bold cyan"), (f"  {h.sentence}", "")]) for h in report.headlines]
    failed = [Text(f"FAILS: {SECTIONS[key].TITLE}", style="bold red") for key in report.failed]
    where = Pieces([("The report: ", ""), (f"{target}.html", "bold")])
    return [
        Text(report.case.robot.name, style="bold"),
        *lines,
        *failed,
        "",
        where,
        Text(f"Its numbers: {target}.json"),
    ]
