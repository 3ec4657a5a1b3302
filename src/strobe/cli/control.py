"""``strobe control``: how an arm follows a request under a controller, or under several side by side."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.drawn_robots import DrawRobots, Seed, in_place, refuse_seed, shown as spread_shown, spread
from strobe.cli.exit_codes import CHECK_FAILED
from strobe.cli.frames import TIP, meant_frame
from strobe.cli.inputs import (
    SEPARATORS,
    Base,
    Force,
    Gravity,
    Json,
    Lock,
    RobotName,
    Strict,
    number,
    numbers,
    open_robot,
)
from strobe.cli.logs import Columns, Degrees, Differentiate, LogOptions, Topic, moved
from strobe.cli.options import drawn_in, in_options, takes, written_to
from strobe.cli.outputs import Drawing, SensorsWritten, sensors_for, write_run
from strobe.cli.plan import bound, bound_options
from strobe.cli.progress import Progress
from strobe.cli.simulate import carried
from strobe.cli.states import MotorLimits, NoFriction
from strobe.errors import Advised, ArgumentError, StrobeError, UnknownNameError

if TYPE_CHECKING:
    from strobe.control.request_timeline import Timeline
    from strobe.control.sensors import Sensors
    from strobe.control.tracking_result import Tracked
    from strobe.robot import Robot
    from strobe.trajectory.motion import Trajectory

LEAST_RANGE = 1e-3  # rad, m and so on, of a sensor whose joint stands still


def control(
    robot: RobotName,
    request: Annotated[
        Path,
        typer.Argument(
            metavar="REQUEST", help="Points to pass (.toml, .json), or a motion: of strobe plan, or a log."
        ),
    ],
    columns: Columns = None,
    degrees: Degrees = False,
    topic: Topic = None,
    differentiate: Differentiate = False,
    controller: Annotated[
        str, typer.Option("--controller", "-c", metavar="NAME", help="What makes the torques; see below.")
    ] = "computed-torque",
    compare: Annotated[
        str | None, takes("--compare", "A,B,C", "Several controllers, side by side.")
    ] = None,
    gain: Annotated[
        list[str] | None,
        takes("--gain", "NAME=NUMBERS", "One number, or one per joint; may be repeated."),
    ] = None,
    approximation: Annotated[
        str | None,
        takes("--approximation", "NAME", "In place of exact dynamics; strobe approximate."),
    ] = None,
    rate: Annotated[float, takes("--rate", "HZ", "Of the controller.")] = 1000.0,
    plant_rate: Annotated[
        float | None,
        takes("--plant-rate", "HZ", "Of the arm's integrator; a multiple."),
    ] = None,
    trajectory_rate: Annotated[
        float | None,
        takes("--trajectory-rate", "HZ", "How often what is wanted is told; a part."),
    ] = None,
    delay: Annotated[float, takes("--delay", "SECONDS", "From measuring to torque.")] = 0.0,
    sensor_bits: Annotated[
        str | None,
        takes("--sensor-bits", "BITS", "Of encoders; or position=16,velocity=12,acceleration=10."),
    ] = None,
    payload: Annotated[
        str | None,
        takes("--payload", "M,X,Y,Z", "A load that the controller does not know of."),
    ] = None,
    frame: Annotated[
        str | None, takes("--frame", "FRAME", f"The hand, and where a payload is; {TIP}")
    ] = None,
    limits: MotorLimits = False,
    tolerance: Annotated[
        float | None,
        takes("--tolerance", "RAD|M", "How far a joint may be off, else exit 1: 0.5."),
    ] = None,
    stop_at: Annotated[float | None, takes("--stop-at", "SECONDS", "An emergency stop.")] = None,
    planner: Annotated[
        str | None, takes("--planner", "NAME", "How it is planned; strobe plan --help.")
    ] = None,
    velocity: Annotated[str | None, bound("velocity")] = None,
    acceleration: Annotated[str | None, bound("acceleration")] = None,
    effort: Annotated[str | None, bound("effort")] = None,
    duration: Annotated[
        float | None, takes("--duration", "SECONDS", "How long; else as the motion takes.")
    ] = None,
    output: Annotated[
        Path | None,
        written_to("Where the run goes: .npz or .csv."),
    ] = None,
    sensors: SensorsWritten = None,
    plot: Annotated[Path | None, drawn_in("A drawing of errors and torques.")] = None,
    draw_robots: DrawRobots = None,
    seed: Seed = None,
    no_friction: NoFriction = False,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """How an arm follows a request: how far hand and joints are off, what it takes, and what a step costs.

    The request is planned as by strobe plan; the arm is simulated and may carry what the controller does not know of.

    --draw-robots lets the same controllers drive arms that might be this one, by what strobe identify wrote of it
    into its TOML file, while they believe in the arm itself.

    \b
    Controllers:
      joint-pd              a spring and a damper at every joint, no model
      joint-pid             the same and an integral
      pd-gravity            weight carried by the model
      feed-forward-pd       the torques of the motion wanted, and PD for what is missed
      computed-torque       the dynamics cancelled by the model (default)
      operational-space     the same for the hand
      impedance             the hand on springs and dampers
      slotine-li            learns what the hand carries while it moves
      acceleration-servo    changes the torque until the measured acceleration is the one wanted
      momentum-observer     any controller, with what disturbs the arm estimated and taken off
    \b
    Examples:
      strobe control stanford request.toml --acceleration 2 --plot out.svg
      strobe control panda traj.json --compare joint-pd,pd-gravity,computed-torque --payload 1 --json
      strobe control panda request.toml --acceleration 5 --approximation without-velocity-terms --rate 500
      strobe control panda request.toml --acceleration 5 --gain kp=100 --gain kd=20 --limits -o out.npz
    """
    from strobe.control.figure import control_figure
    from strobe.control.files import write

    refuse_seed(draw_robots, seed)
    names = _names(controller, compare)
    inputs = [request, robot]
    drawing = Drawing(plot, inputs, force)
    _check_output(output, len(names), inputs, force)
    read = sensors_for(output, sensors)
    _check_drawing(drawing, len(names))
    arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    reading = LogOptions(columns, degrees, differentiate, topic)
    hand = _hand(arm, frame, payload is not None)
    bounds = bound_options(
        arm.n, {"velocity": velocity, "acceleration": acceleration, "effort": effort}, None
    )
    how = {
        "rate": rate, "plant_rate": plant_rate, "trajectory_rate": trajectory_rate, "delay": delay, "limits": limits,
        "tolerance": tolerance, "t": duration, "friction": not no_friction, "frame": hand,
        "payload": None if payload is None else carried(payload),
    }  # fmt: skip
    try:
        line = _planned(arm, request, planner, bounds, stop_at, limits, reading)
        gains = gains_of(names, gain or ())
        if approximation is not None:
            _approximate(arm, line.motion, approximation, gains)
        if sensor_bits is not None:
            how["sensors"] = _sensors(arm, line.motion, sensor_bits)
        with Progress("controlling", len(names), "controllers") as progress:
            runs = {name: _run(arm, line, name, gains[name], how, progress) for name in names}
    except StrobeError as error:
        raise ArgumentError(_in_options(error)) from None
    data = _told(arm, line.motion, runs, rate, hand)
    if draw_robots is not None:
        for name, loop in zip(names, data["loops"], strict=True):
            off = partial(_astray, arm=arm, line=line, name=name, gains=gains[name], how=how, frame=hand)
            loop["drawn"] = spread(arm, draw_robots, seed, off)
    first = runs[names[0]]
    if read is not None:
        first = replace(first, **read.seen(first.times, first.q, first.qd, first.tau))
    data |= write_run(first, write, output, inputs, force)
    data |= drawing.write(lambda: control_figure(runs))
    _report(data, as_json)


# -- what is asked -------------------------------------------------------------------------------------


def _names(controller: str, compare: str | None) -> list[str]:
    """The controllers asked for, each once."""
    from strobe.control.methods import offer

    words = [controller] if compare is None else [word for word in SEPARATORS.split(compare) if word]
    if not words:
        raise ArgumentError("--compare names no controller; strobe control --help lists them.")
    return list(dict.fromkeys(offer(word).name for word in words))


def _hand(robot: Robot, frame: str | None, loaded: bool) -> str | None:
    """The frame that is watched and carries a load; none where the farthest off of several tips is watched."""
    from strobe.cli.show import note
    from strobe.models.default_frame import tip_or_none

    if frame is not None or loaded or tip_or_none(robot.model) is not None:
        return meant_frame(robot, frame)
    note(f"the hand is the one farthest off of {', '.join(robot.tips)}; --frame names one.")
    return None


def _check_output(output: Path | None, loops: int, inputs: list[Any], force: bool) -> None:
    """Refuse, before anything is simulated, a file that cannot or must not be written."""
    from strobe.control.files import kind_of
    from strobe.files.writing import refuse

    if output is not None:
        kind_of(output)
        if loops > 1:
            raise ArgumentError("-o keeps one loop; give --controller in place of --compare.")
        refuse(output, inputs=inputs, force=force)


def _check_drawing(drawing: Drawing, loops: int) -> None:
    """Refuse, before anything is simulated, a drawing that cannot or must not be made."""
    from strobe.show.svg import SERIES

    drawing.check()
    if drawing.path is not None and loops > len(SERIES):
        raise ArgumentError(f"--plot draws {len(SERIES)} controllers at most; compare fewer.")


def gains_of(names: list[str], pairs: Sequence[str]) -> dict[str, dict[str, Any]]:
    """``kp=400`` for every controller; of several, each takes those that it knows."""
    from strobe.control.methods import offer

    known = {name: offer(name).gains for name in names}
    found: dict[str, dict[str, Any]] = {name: {} for name in names}
    for pair in pairs:
        word, equals, value = (part.strip() for part in pair.partition("="))
        if not (word and equals and value):
            raise ArgumentError(f'--gain takes NAME=NUMBERS, for example kp=400, and got "{pair}".')
        takers = [name for name in names if word in known[name]] or names[:1]  # which says that it does not
        for name in takers:
            found[name][word] = _gain(word, value, known[name].get(word))
    return found


def _gain(word: str, text: str, otherwise: Any) -> Any:
    """Numbers, or a name where one is expected."""
    if word == "model":
        raise ArgumentError("--gain model: an approximation is named by --approximation.")
    if word == "of":
        return tuple(SEPARATORS.split(text)) if SEPARATORS.search(text) else text
    if word == "frame" or isinstance(otherwise, str):
        return text
    values = numbers(f"--gain {word}", text)
    return values[0] if len(values) == 1 else values


def _approximate(robot: Robot, motion: Trajectory, name: str, gains: dict[str, dict[str, Any]]) -> None:
    """Let the controllers that believe in a model believe in another one."""
    from strobe.approximate.method import Formula
    from strobe.approximate.methods import METHODS
    from strobe.control.methods import offer

    believing = [each for each in gains if "model" in offer(each).gains]
    if not believing:
        raise ArgumentError(f"--approximation: {', '.join(gains)} uses no model of the arm.")
    if name not in METHODS:
        raise UnknownNameError("approximation", name, "strobe", list(METHODS))
    if METHODS[name].family == "fixed point":
        raise ArgumentError(
            f"--approximation {name}: integers take the place of a whole controller, not of its model; see "
            "strobe.control.FixedController."
        )
    made = METHODS[name].make(robot, motion, None)
    if not isinstance(made, Formula):
        raise ArgumentError(
            f"--approximation {name} knows torques along a motion only; a loop needs what holds beside it too, such "
            "as without-velocity-terms or horn-raibert."
        )
    for each in believing:
        gains[each]["model"] = made


def _sensors(robot: Robot, motion: Trajectory, text: str) -> Sensors:
    """Sensors of so many bits over the range of every joint; what none is named for is a difference of readings."""
    from strobe.control.sensor import DIFFERENCE, QUANTITIES, Sensor
    from strobe.control.sensors import Sensors

    pairs = [pair.partition("=") for pair in SEPARATORS.split(text) if pair]
    if not pairs:
        raise ArgumentError("--sensor-bits names no sensor; expected a number of bits, such as 16.")
    bits = {name if equals else QUANTITIES[0]: value if equals else name for name, equals, value in pairs}
    found: dict[str, Sensor] = {}
    for order, name in enumerate(QUANTITIES):
        if name in bits:
            count = number(f"--sensor-bits {name}", bits.pop(name))
            found[name] = Sensor(bits=count, range=_range(robot, motion, order))
        elif order:
            found[name] = Sensor(source=DIFFERENCE)
    if bits:
        raise ArgumentError(
            f'--sensor-bits: "{next(iter(bits))}" is no sensor; expected {", ".join(QUANTITIES)}.'
        )
    position, velocity, acceleration = (found.get(name, Sensor()) for name in QUANTITIES)
    return Sensors(position, velocity, acceleration)


def _range(robot: Robot, motion: Trajectory, order: int) -> tuple[Any, Any]:
    """What a sensor covers: a joint's limits; without limits a turn, and half as much again as the motion takes."""
    import numpy as np

    limits, reach = robot.limits, motion.extremes(order)
    turn = np.array([np.pi if joint.turns and not order else 0.0 for joint in robot.coordinates.joints])
    far = np.maximum(turn, 1.5 * np.maximum(reach.largest, -reach.least)) + (turn == 0) * LEAST_RANGE
    low, high = (
        (limits.lower, limits.upper),
        (-limits.velocity, limits.velocity),
        (-limits.acceleration, limits.acceleration),
    )[order]
    return np.where(np.isfinite(low), low, -far), np.where(np.isfinite(high), high, far)


def _planned(
    robot: Robot,
    path: Path,
    method: str | None,
    bounds: dict[str, Any],
    stop_at: float | None,
    limits: bool,
    how: LogOptions,
) -> Timeline:
    """The motion that a file asks for or holds, stopped where that is asked for."""
    from strobe.control.request_timeline import Planning
    from strobe.identify.logs import LOGGED
    from strobe.trajectory.files import holds_motion

    asked: Any = path
    if path.suffix.lower() in LOGGED or holds_motion(path):
        if method is not None:
            raise ArgumentError(f"--planner: {path} holds a motion that is planned already.")
        asked = moved(path, robot, how)
    else:
        how.refuse_without(None, f"recorded motions; {path} holds a request")
    return Planning(robot, method, bounds, limits).timeline(asked, stop_at)


# -- what is done --------------------------------------------------------------------------------------


def _run(
    robot: Robot, line: Timeline, name: str, gains: dict[str, Any], how: dict[str, Any], progress: Progress
) -> Tracked:
    """One loop; what it warns of is told at once."""
    from strobe.cli.show import warn
    from strobe.control.tracking import control as controlled
    from strobe.errors import ControlWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ControlWarning)
        run = controlled(robot, line, name, gains=gains, **how)
    progress.advance(1)
    for each in caught:
        warn(f"{name}: {_in_options(each.message)}")
    said = {str(each.message) for each in caught}
    return replace(run, notes=tuple(note for note in run.notes if note not in said))


def _astray(
    plant: Robot, arm: Robot, line: Timeline, name: str, gains: dict[str, Any], how: dict[str, Any], frame: str | None
) -> Any:  # fmt: skip
    """How far the hand and the joints of a drawn robot are off, at most, under the controller of the other one."""
    import numpy as np

    from strobe.control.tracking import control as controlled
    from strobe.errors import ControlWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ControlWarning)
        run = controlled(arm, line, name, gains=gains, plant=plant, **how)
    return np.append(run.hand_error(frame).max(), np.abs(run.error).max(axis=0))


def _told(
    robot: Robot, motion: Trajectory, runs: dict[str, Tracked], rate: float, frame: str | None
) -> dict[str, Any]:
    """The motion and its loops as data, with advice for a command line."""
    from strobe.control.step_cost import cost
    from strobe.equations.meaning import units_of
    from strobe.models.default_frame import hands
    from strobe.study.control_loops import joints, told

    loops = [told(run, cost(run.controller), frame) for run in runs.values()]
    for loop in loops:
        loop["notes"] = [_in_options(note) for note in loop["notes"]]
    return {
        "robot": robot.name, "frame": hands(robot.model) if frame is None else frame, "planner": motion.method,
        "duration": motion.duration, "rate": rate,
        "joints": joints(next(iter(runs.values()))), "units": units_of(robot),
        "notes": list(motion.notes), "loops": loops,
    }  # fmt: skip


def _in_options(said: object) -> Advised:
    return in_options(
        said, ("plant_rate", "trajectory_rate", "rate", "limits"), ("plant_rate is", "trajectory_rate is")
    )


def _report(data: dict[str, Any], as_json: bool) -> None:
    """What there is to say, and the exit that the loops deserve."""
    from strobe.cli.show import note, present, warn
    from strobe.control.status import TrackingStatus
    from strobe.study.control_loops import shown

    bad = False
    for sentence in data["notes"]:
        note(sentence)
    for loop in data["loops"]:
        for sentence in loop["notes"]:
            note(f"{loop['controller']}: {sentence}")
        if loop["status"] != TrackingStatus.DONE.name.lower():
            bad = True
            warn(f"{loop['controller']}: {TrackingStatus[loop['status'].upper()].sentence}")
    names = ["hand (m)", *in_place(data)]
    drawn = [
        spread_shown(loop["drawn"], f"{loop['controller']}: largest error", names)
        for loop in data["loops"]
        if "drawn" in loop
    ]
    present(data, [*shown(data), *drawn], as_json)
    if bad:
        raise typer.Exit(CHECK_FAILED)
