"""``strobe payload``: what a hand carries, from a log with torques or by its mass and size; test forces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from strobe.cli.exit_codes import CHECK_FAILED
from strobe.cli.frames import TIP, meant_frame
from strobe.cli.inputs import Base, Force, Gravity, Json, Lock, RobotName, Strict, numbers, open_robot
from strobe.cli.logs import Columns, Degrees, Differentiate, LogOptions, Topic
from strobe.cli.options import takes, written_to
from strobe.cli.states import order
from strobe.errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np

    from strobe.identify.payload import Payload
    from strobe.identify.payload_bounds import PartlyKnown
    from strobe.identify.payload_forces import ForceTests
    from strobe.robot import Robot

POSES = 8  # in which an arm is held for test forces
NOISE = 3.0  # standard deviations by which no body has what is found, and that may still be noise
STATES = 1000  # random ones, in which the torques of a bound are taken


def payload(
    robot: RobotName,
    log: Annotated[
        Path | None,
        typer.Argument(metavar="LOG", help="A motion and the torques it took: .csv, .mcap, .parquet."),
    ] = None,
    frame: Annotated[str | None, takes("--frame", "FRAME", f"What holds it; {TIP}")] = None,
    joints: Annotated[
        str | None, takes("--joints", "NAMES", "Whose torques count (* and ? match); all in the log.")
    ] = None,
    noise: Annotated[
        str | None, takes("--noise", "NUMBERS", "Standard deviation of a torque: one, or one per joint.")
    ] = None,
    mass: Annotated[float | None, takes("--mass", "KG", "What is known of it before: its mass …")] = None,
    size: Annotated[float | None, takes("--size", "METRES", "… and its longest dimension.")] = None,
    tests: Annotated[
        bool,
        typer.Option("--test-forces", help="What small test forces to apply, and what they would tell."),
    ] = False,
    at: Annotated[
        list[str] | None, takes("--at", "NUMBERS", "A pose for test forces; may be repeated. Else eight.")
    ] = None,
    push: Annotated[float, takes("--push", "N m|N", "The size of a test force.")] = 0.05,
    acceleration_noise: Annotated[
        float | None, takes("--acceleration-noise", "NUMBER", "Of readings in test forces, rad/s² or m/s².")
    ] = None,
    output: Annotated[Path | None, written_to("The robot with what was found: .urdf or .toml.")] = None,
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
    """What a robot carries: mass, centre and inertia from the torques of a motion, and what they leave open.

    ROBOT is the arm as it is without the payload, friction included. ± is one standard deviation. With --mass and
    --size but no log: how far from a ball of that size the payload may be, and torques then be wrong. Exits with 1 if
    no body has what was found, by more than three standard deviations.

    \b
    Examples:
      strobe payload stanford log.csv --noise 0.2,0.2,0.5,0.05,0.05,0.02
      strobe payload panda log.csv --joints "joint[567]" --noise 0.1 --mass 0.8 --size 0.15
      strobe payload panda --mass 0.8 --size 0.15
      strobe payload stanford --test-forces --noise 0.05 --acceleration-noise 0.02
    \b
    Columns of a log are those of strobe torque, and of torques tau_JOINT, JOINT_tau, JOINT_effort or tau1, tau2, …
    Readings of test forces are such a log, too: rows at rest with qd 0, the accelerations and torques read.
    """
    from strobe.files.writing import refuse
    from strobe.models.writers import format_of

    known = {"--mass": mass, "--size": size}
    if len({value is None for value in known.values()}) > 1:
        raise ArgumentError("--mass and --size belong together: what is known of a payload is both.")
    if output is not None:
        format_of(output)
        refuse(output, inputs=[robot, *([log] if log else [])], force=force)
    _refuse(
        {
            "the payload comes from a log; --test-forces says what to do before there is one.": tests
            and log,
            "--at and --acceleration-noise belong to --test-forces.": not tests
            and (at or acceleration_noise),
            "-o writes the robot with what a log tells: strobe payload ROBOT LOG.csv -o FILE.": output
            and not log,
            "--joints says whose torques of a log count.": joints and not log,
            "give a log with torques, --mass and --size, or --test-forces.": not (
                log or tests or mass is not None
            ),
            "--mass and --size are known before a log, or without one; test forces need neither.": tests
            and mass is not None,
        }
    )
    reading = LogOptions(columns, degrees, differentiate, topic)
    reading.refuse_without(log, "logs: strobe payload ROBOT LOG")
    arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    where = meant_frame(arm, frame)
    before = None if mass is None or size is None else _partly(arm, mass, size, where)
    if tests:
        _tell_tests(arm, where, at or [], push, noise, acceleration_noise, as_json)
    elif log is None:
        assert before is not None
        _tell_bounds(before, as_json)
    else:
        _identify(arm, robot, log, where, joints, noise, before, reading, output, force, as_json)


def _refuse(wrong: dict[str, object]) -> None:
    for sentence, found in wrong.items():
        if found:
            raise ArgumentError(sentence)


def _partly(robot: Robot, mass: float, size: float, frame: str) -> PartlyKnown:
    from strobe.identify.payload_bounds import partly_known

    return partly_known(robot, mass, size, frame=frame)


def _noise(robot: Robot, text: str | None) -> np.ndarray | float | None:
    import numpy as np

    if text is None:
        return None
    values = numbers("--noise", text)
    if len(values) not in (1, robot.nv):
        raise ArgumentError(
            f"--noise has {len(values)} numbers, expected 1 or {robot.nv}. {order(robot, 'qd')}"
        )
    return values[0] if len(values) == 1 else np.array(values)


# -- from a log ---------------------------------------------------------------------------------------


def _identify(
    robot: Robot, source: str, log: Path, frame: str, joints: str | None, noise: str | None,
    before: PartlyKnown | None, reading: LogOptions, output: Path | None, force: bool, as_json: bool,
) -> None:  # fmt: skip
    import numpy as np

    from strobe.cli.logs import read_motion
    from strobe.cli.show import present
    from strobe.identify.payload import identify_payload

    motion = read_motion(log, robot, reading, ("qd", "qdd", "tau"))
    if motion.tau is None:
        known = ", ".join(f'"tau_{name}"' for name in robot.coordinates.rate_names[:4])
        raise ArgumentError(f"{log}: no column holds torques; expected {known} or some of them.")
    felt = np.isfinite(motion.tau[:1]).ravel()  # a column has numbers alone, or is not there
    tau = np.where(felt, motion.tau, 0.0)
    chosen = _chosen(robot, joints, [name for name, has in zip(motion.joints, felt, strict=True) if has])
    try:
        found = identify_payload(
            robot, motion.q, motion.qd, motion.qdd, tau, frame=frame, joints=chosen, noise=_noise(robot, noise),
            prior=cast(Any, before),
        )  # fmt: skip
    except ArgumentError as error:
        raise ArgumentError(str(error).replace("give noise=.", "give --noise.")) from None
    data = {"robot": robot.name, "rows": len(motion), "joints": list(chosen)} | _data(found)
    if output is not None:
        _write(robot, found, source, log, output, force)
        data["output"] = str(output)
    present(data, _shown(robot, found, len(motion)), as_json)
    if found.impossible_by > NOISE:
        raise typer.Exit(CHECK_FAILED)


def _chosen(robot: Robot, joints: str | None, read: Sequence[str]) -> list[str]:
    """The joints whose torques count: those named, which the log must have, or all that it has."""
    from strobe.identify.payload_readings import owners

    has = [
        joint
        for joint, name in zip(owners(robot), robot.coordinates.rate_names, strict=True)
        if name in read
    ]
    if joints is None:
        return list(dict.fromkeys(has))
    named = robot.matching_joints([name for name in joints.replace(",", " ").split() if name])
    if missing := [name for name in named if name not in has]:
        raise ArgumentError(
            f"the log has no torques of {', '.join(missing)}; it has those of {', '.join(has)}."
        )
    return list(named)


def _write(robot: Robot, found: Payload, source: str, log: Path, output: Path, force: bool) -> None:
    from strobe.cli.show import note
    from strobe.files.writing import writing
    from strobe.models.checks import nearest_valid
    from strobe.models.inertial import symmetric
    from strobe.models.writers import format_of, written

    if found.unseen:
        why = " ".join(found.unseen)
        raise ArgumentError(f"{output} is not written: {why} Give --mass and --size, or more torques.")
    if found.impossible_by > NOISE:
        why = " ".join(found.faults)
        raise ArgumentError(
            f"{output} is not written: {why} Check the log, and the robot without the payload."
        )
    inertia = found.inertia
    if found.faults:
        inertia = [float(cast(float, x)) for x in nearest_valid(symmetric(inertia))]
        note("no body has the inertia found, by less than its noise: the nearest that one has is written.")
    loaded = robot.with_payload(found.mass, found.com.tolist(), inertia, frame=found.frame)
    text, remarks = written(loaded.model, format_of(output))
    for remark in remarks:
        note(remark)
    with writing(output, inputs=[source, log], force=force) as stream:
        stream.write(text)


def _data(found: Payload) -> dict[str, Any]:
    from strobe.identify.payload_regressor import PARAMETERS, UNITS

    decided = not found.unseen
    return {
        "frame": found.frame, "parameters": found.parameters, "deviations": found.deviations,
        "names": PARAMETERS, "units": UNITS, "rank": found.rank, "condition": found.condition,
        "decided": [bool(x) for x in found.fit.decided],
        "mass": found.mass if found.fit.decided[0] else None,
        "com": found.com if found.fit.decided[:4].all() else None,
        "inertia": found.inertia if decided else None, "seen": found.seen, "unseen": found.unseen,
        "faults": found.faults,
        "impossible_by_deviations": found.impossible_by, "notes": _notes(found), "left_rms": found.rms,
    }  # fmt: skip


def _notes(found: Payload) -> tuple[str, ...]:
    return tuple(note.replace("give noise=.", "give --noise.") for note in found.notes)


def _shown(robot: Robot, found: Payload, rows: int) -> Iterator[Any]:
    from strobe.show.tables import table, three

    yield (
        f"payload at {found.frame} of {robot.name}: {found.rank} of 10 combinations decided by {rows:,} rows of "
        f"torques of {', '.join(found.joints)}"
    )
    yield _parameters(found)
    yield ""
    decided = found.fit.decided
    if decided[:4].all() and found.mass > 0:
        yield f"centre of mass: {_vector(found.com)} m in the axes of {found.frame}"
    if decided.all() and found.mass > 0:
        I = found.inertia
        yield table(
            ["inertia about it, kg m²", "x", "y", "z"],
            [[axis, *map(float, I[k])] for k, axis in enumerate("xyz")],
        )
    if found.unseen:
        yield "what the torques decide:"
        yield from (f"  {sentence}" for sentence in found.seen)
        yield "what they leave open:"
    yield from (f"  {sentence}" for sentence in _notes(found))
    units = {joint.name: "N" if joint.slides else "N m" for joint in robot.coordinates.joints}
    left = zip(found.joints, found.rms, strict=False)
    yield table(
        ["joint", "left of its torque, rms", "unit"], [[n, three(float(x)), units[n]] for n, x in left]
    )


def _parameters(found: Payload, values: bool = True) -> Any:
    """The ten parameters with their deviations."""
    from strobe.identify.payload_regressor import PARAMETERS, UNITS
    from strobe.show.tables import table, three

    rows = []
    for name, value, spread, open_, unit in zip(
        PARAMETERS, found.parameters, found.deviations, ~found.fit.decided, UNITS, strict=True
    ):
        if open_:
            rows.append([name, *(["left open"] if values else []), "left open" if not values else "", unit])
        else:
            rows.append([name, *([f"{value:.6g}"] if values else []), f"{three(float(spread)):g}", unit])
    return table(["parameter", *(["value"] if values else []), "±", "unit"], rows)


def _vector(x: np.ndarray) -> str:
    return f"({', '.join(f'{v:.6g}' for v in x)})"


# -- mass and size ------------------------------------------------------------------------------------


def _tell_bounds(known: PartlyKnown, as_json: bool) -> None:
    import numpy as np

    from strobe.cli.show import present
    from strobe.identify.payload_regressor import PARAMETERS, UNITS
    from strobe.show.tables import table, three
    from strobe.show.units import efforts

    robot = known.robot
    state = robot.random_state(0, STATES)
    error = known.torque_error(*state).max(axis=0)
    largest = np.abs(known.carried.inverse_dynamics(*state)).max(axis=0)
    units = efforts(robot.coordinates.joints)
    named = zip(PARAMETERS, known.parameters, known.ranges, UNITS, strict=True)
    ranges = [
        [name, float(guess), float(low), float(high), unit] for name, guess, (low, high), unit in named
    ]
    names = robot.coordinates.rate_names
    rows = [
        [*row]
        for row in zip(names, map(three, error.tolist()), map(three, largest.tolist()), units, strict=True)
    ]
    parts = [
        f"a payload of {known.mass:g} kg, at most {known.size:g} m long, held at {known.frame} of {robot.name}",
        table(["parameter", "as a ball", "at least", "at most", "unit"], ranges),
        "",
        table(
            [f"joint, over {STATES} random states", "torque wrong by at most", "largest torque", "unit"],
            rows,
        ),
    ]
    data = {
        "robot": robot.name, "frame": known.frame, "mass": known.mass, "size": known.size, "names": PARAMETERS,
        "units": UNITS, "guess": known.parameters, "ranges": known.ranges, "joints": names, "torque_error": error,
        "largest_torque": largest, "torque_units": units, "states": STATES,
    }  # fmt: skip
    present(data, parts, as_json)


# -- test forces --------------------------------------------------------------------------------------


def _tell_tests(
    robot: Robot, frame: str, at: list[str], push: float, noise: str | None, acceleration_noise: float | None,
    as_json: bool,
) -> None:  # fmt: skip
    from strobe.cli.show import present
    from strobe.identify.payload_forces import force_tests

    poses = [numbers("--at", text, robot.nq, order(robot, "q")) for text in at]
    if (noise is None) != (acceleration_noise is None):
        raise ArgumentError("give --noise (of torques) and --acceleration-noise, or neither of them.")
    tests = force_tests(robot, poses or robot.random_state(0, POSES)[0], size=push, frame=frame)
    found = tests.prospect(_noise(robot, noise), acceleration_noise)
    data = {
        "robot": robot.name, "frame": frame, "poses": tests.poses, "forces": tests.forces, "steps": tests.steps,
        "notes": tests.notes, "rank": found.rank, "unseen": found.unseen,
        "deviations": None if noise is None else found.deviations,
    }  # fmt: skip
    present(data, _tests_shown(tests, found, noise is not None), as_json)


def _tests_shown(tests: ForceTests, found: Payload, known: bool) -> Iterator[Any]:
    from strobe.show.tables import table

    joints = tests.robot.coordinates.joints
    units = [unit for joint in joints for unit in joint.position_units]
    names = [
        f"{name} {unit}".strip()
        for name, unit in zip(tests.robot.coordinates.position_names, units, strict=True)
    ]
    yield f"test forces (N m, N) that tell what {tests.frame} of {tests.robot.name} carries"
    yield f"  at each pose {tests.each}"
    yield table(["pose", *names], [[k, *map(float, q)] for k, q in enumerate(tests.poses, 1)])
    yield from tests.notes
    yield ""
    yield f"what they tell of a payload that is light beside the hand: {found.rank} of 10 combinations"
    if known:
        yield _parameters(found, values=False)
    else:
        yield "how surely, --noise and --acceleration-noise would say."
    yield from (f"  {sentence}" for sentence in found.unseen)
