"""``strobe identify``: from logs of a robot to its inertias and friction, with error bars, and a model file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.frames import TIP
from strobe.cli.inputs import Base, Force, Gravity, Json, Lock, RobotName, Strict, numbers, open_robot
from strobe.cli.logs import Columns, Degrees, LogOptions, Topic, read_motion
from strobe.cli.options import in_options, takes, written_to
from strobe.errors import Advised, ArgumentError

if TYPE_CHECKING:
    from strobe.identify.identification import Identification
    from strobe.identify.logs import Log
    from strobe.robot import Robot


def identify(
    robot: RobotName,
    logs: Annotated[
        list[Path],
        typer.Argument(
            metavar="LOG…", help="Motions and the torques or currents they took: .csv, .mcap, .parquet."
        ),
    ],
    test: Annotated[
        list[Path] | None,
        takes("--test", "LOG", "A log that is not fitted and judges the model; may be repeated."),
    ] = None,
    gains: Annotated[
        str | None,
        takes("--gains", "NUMBERS", "N m (N) per ampere of each joint: torques from motor currents."),
    ] = None,
    loaded: Annotated[
        list[Path] | None,
        takes(
            "--loaded", "LOG", "Recorded with --load in the hand: gains are found from it; may be repeated."
        ),
    ] = None,
    load: Annotated[
        float | None, takes("--load", "KG", "The mass that the hand carried in --loaded.")
    ] = None,
    frame: Annotated[str | None, takes("--frame", "FRAME", f"What held the load; {TIP}")] = None,
    friction: Annotated[
        str | None,
        takes(
            "--friction", "TERMS", "What acts in the joints: rotor,viscous,coulomb,… instead of the usual."
        ),
    ] = None,
    estimator: Annotated[
        str, takes("--estimator", "NAME", "weighted, ordinary, robust, instrumental or total.")
    ] = "weighted",
    torque_constants: Annotated[
        str | None,
        takes("--torque-constants", "NUMBERS", "N m (N) per ampere of each motor, before its gear."),
    ] = None,
    gear: Annotated[
        str | None,
        takes("--gear", "NUMBERS", "Turns of each motor for one of its joint; with --torque-constants."),
    ] = None,
    delay: Annotated[
        float | None,
        takes("--delay", "SECONDS", "By how much efforts come after positions; else it is found."),
    ] = None,
    cutoff: Annotated[
        float | None, takes("--cutoff", "HZ", "The band that is fitted; else chosen from the motion.")
    ] = None,
    output: Annotated[Path | None, written_to("The identified robot: .urdf or .toml.")] = None,
    information: Annotated[
        Path | None,
        takes(
            "--information",
            "FILE.npz",
            "What is known, for strobe excite --known: which motion would tell more.",
        ),
    ] = None,
    report: Annotated[
        Path | None, takes("--report", "FILE.html", "A page: torques, errors, parameters, what stays open.")
    ] = None,
    columns: Columns = None,
    degrees: Degrees = False,
    topic: Topic = None,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Inertias and friction of a robot from logs, with error bars: a model for its files.

    Rates are taken from positions without delay, torques and the model pass through one band. Base parameters (the
    combinations that torques depend on) are fitted with friction, weighed by each joint's own noise; the model that
    is written has bodies that can be, nearest to what the data say. Rows that cannot be are left out and told. The
    relative residual error of a joint is |τ − τ̂| / |τ| within the band.

    \b
    Examples:
      strobe identify panda motion.csv --test other.csv -o identified.urdf --report report.html
      strobe identify arm.toml free.csv --columns t=1,q=2:7,current=14:19 --gains 14.9,13.3,11.1,10.6,11,11.5
      strobe identify arm.toml free.csv --columns t=1,q=2:7,current=14:19 --loaded held.csv --load 2.805
    """
    from strobe.files.writing import refuse
    from strobe.identify.identifying import FRICTION, identify as identified
    from strobe.models.writers import format_of

    given = [*logs, *(test or []), *(loaded or [])]
    if output is not None:
        format_of(output)
        refuse(output, inputs=[robot, *given], force=force)
    if report is not None:
        if report.suffix.lower() != ".html":
            raise ArgumentError(f"--report {report}: a report is an .html file.")
        refuse(report, inputs=[robot, *given], force=force)
    if information is not None:
        if information.suffix.lower() != ".npz":
            raise ArgumentError(f"--information {information}: what is known is kept in an .npz file.")
        refuse(information, inputs=[robot, *given], force=force)
    arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    how = LogOptions(columns, degrees, False, topic)
    words: dict[str, Any] = {
        "friction": FRICTION if friction is None else friction.replace(",", " ").split(),
        "estimator": estimator,
        "delay": delay,
    }
    for name, text in {"gains": gains, "torque_constants": torque_constants, "gear": gear}.items():
        option = f"--{name.replace('_', '-')}"
        words[name] = (
            None if text is None else numbers(option, text, arm.nv, "There is one for each joint.")
        )
    train, held, carrying = (_read(paths or [], arm, how) for paths in (logs, test, loaded))
    try:
        found = identified(
            arm, train, test=held, loaded=carrying, load=load, frame=frame, cutoff=cutoff, **words
        )
    except ArgumentError as error:
        raise ArgumentError(_in_options(error)) from None
    if information is not None:
        _inform(found, information, [robot, *given], force)
    if report is not None:
        _report(found, [*train, *held], report, [robot, *given], force)
    _present(found, output, given, robot, force, as_json)


def _in_options(said: object) -> Advised:
    """A sentence with the options of a command line in the place of Python's arguments."""
    return in_options(
        said,
        (
            "cutoff",
            "gains",
            "friction",
            "degrees",
            "estimator",
            "delay",
            "torque_constants",
            "gear",
        ),
        ("friction:", "loaded", "load ", "delay is", "gear is"),
    )


def _read(paths: Sequence[Path], robot: Robot, how: LogOptions) -> list[Log]:
    return [read_motion(path, robot, how, needs=("tau",), broken=True) for path in paths]


def _present(
    found: Identification,
    output: Path | None,
    given: Sequence[Path],
    source: str,
    force: bool,
    as_json: bool,
) -> None:
    from strobe.cli.show import note, present

    for remark in found.remarks:
        note(_in_options(remark))
    if output is not None:
        for remark in found.write(output, inputs=[source, *given], force=force):
            note(remark)
    present(_data(found, output), _shown(found, output), as_json)


def _inform(found: Identification, path: Path, inputs: Sequence[Any], force: bool) -> None:
    """Write what is known, and say which command looks for the motion that tells most beside it."""
    from strobe.cli.show import note
    from strobe.files.writing import writing_bytes
    from strobe.identify.known_information import packed

    with writing_bytes(path, inputs=inputs, force=force) as stream:
        stream.write(packed(found))
    note(
        f"the motion that tells most beside these logs: strobe excite {found.robot.name} --known {path} -o next.json"
    )


def _report(
    found: Identification, logs: Sequence[Log], report: Path, inputs: Sequence[Any], force: bool
) -> None:
    from strobe.files.writing import writing
    from strobe.identify.identification_page import page

    with writing(report, inputs=inputs, force=force) as stream:
        stream.write(page(found, logs))


def _data(found: Identification, output: Path | None) -> dict[str, Any]:
    return {
        "robot": found.robot.name,
        "cutoff": found.cutoff,
        "base_parameters": {"names": found.names, "values": found.values, "deviations": found.deviations},
        "parameters": {"names": found.robot.parameter_names, "values": found.parameters},
        "friction": {"symbols": found.symbols, "values": found.friction,
                     "deviations": found.friction_deviations},
        "gains": None
        if found.gains is None
        else {"values": found.gains.values, "deviations": found.gains.deviations, "load": found.gains.load},
        "logs": [
            {"source": log.source, "held_out": log.held_out, "rows": log.rows, "before": log.before,
             "fit": log.fit, "after": log.after, "moving": log.moving, "rate": log.rate, "kept": log.kept,
             "steps": log.steps, "delay": log.delay,
             "behind": None if log.behind is None else [log.behind.value, log.behind.deviation]}
            for log in found.logs
        ],
        "estimator": found.estimator,
        "noise": found.fit.noise,
        "white": None if found.residuals is None else found.residuals.chance,
        "crossed": found.crossed,
        "essential": [name for name, kept in zip(found.all_names, found.essential.kept, strict=True) if kept],
        "unknown": found.unknown,
        "remarks": found.remarks,
        "output": None if output is None else str(output),
    }  # fmt: skip


def _shown(found: Identification, output: Path | None) -> Iterator[Any]:
    from strobe.show.tables import table

    yield found.head
    for part in found.tables:
        yield table(part.columns, part.rows)
    if output is not None:
        yield f"written: {output}"
