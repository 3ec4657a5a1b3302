"""``strobe simulate``: given torques, how does the arm move."""

from __future__ import annotations

import warnings
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.closed_chains import driving_torques
from strobe.cli.drawn_robots import DrawRobots, Seed, in_place, refuse_seed, shown as spread_shown, spread
from strobe.cli.exit_codes import CHECK_FAILED
from strobe.cli.frames import meant_frame
from strobe.cli.inputs import (
    Actuated,
    Base,
    Force,
    Gravity,
    Json,
    Lock,
    RobotName,
    Strict,
    numbers,
    open_robot,
)
from strobe.cli.logs import Columns, Degrees, Differentiate, LogOptions, Topic, moved
from strobe.cli.options import drawn_in, in_options, takes, written_to
from strobe.cli.outputs import Drawing, SensorsWritten, sensors_for, write_run
from strobe.cli.states import (
    Formulation,
    LoadFrame,
    MotorLimits,
    NoFriction,
    Pose,
    Positions,
    Velocities,
    Wrench,
    given_state,
    named_pose,
    order,
)
from strobe.errors import ArgumentError, on_command_line

if TYPE_CHECKING:
    from strobe.robot import Robot
    from strobe.simulate.run import Run
    from strobe.simulate.torques import TimeSeries
    from strobe.trajectory.motion import Trajectory


def simulate(
    robot: RobotName,
    q: Positions = None,
    qd: Velocities = None,
    pose: Pose = None,
    torque: Annotated[
        str | None,
        takes("--torque", "NUMBERS|FILE", "Constant, or a .csv or .npz file over time; else 0."),
    ] = None,
    trajectory: Annotated[
        Path | None,
        takes("--trajectory", "FILE", "Feed forward the torques of a motion of strobe plan, or of a log."),
    ] = None,
    columns: Columns = None,
    degrees: Degrees = False,
    topic: Topic = None,
    differentiate: Differentiate = False,
    duration: Annotated[
        float | None, takes("--duration", "SECONDS", "How long; else as long as the file says.")
    ] = None,
    step: Annotated[
        float | None, takes("--step", "SECONDS", "Chosen from speeds and modes if not given.")
    ] = None,
    integrator: Annotated[
        str, takes("--integrator", "NAME", "How the motion is integrated; see below.")
    ] = "rk4",
    output: Annotated[Path | None, written_to("Where the run goes: .npz, .csv or .mcap.")] = None,
    sensors: SensorsWritten = None,
    plot: Annotated[Path | None, drawn_in("A drawing of energies and joints.")] = None,
    stops: Annotated[
        bool, typer.Option("--stops", help="Joint limits act, as springs and dampers.")
    ] = False,
    limits: MotorLimits = False,
    payload: Annotated[str | None, takes("--payload", "M,X,Y,Z", "A mass at a place of the frame.")] = None,
    wrench: Wrench = None,
    frame: LoadFrame = None,
    hold: Annotated[
        bool,
        typer.Option("--hold", help="Torques of a file are held until the next row, not joined by lines."),
    ] = False,
    every: Annotated[int | None, takes("--every", "K", "Keep each k-th step.")] = None,
    conserve_energy: Annotated[
        bool, typer.Option("--conserve-energy", help="Let the energy change by the work done only.")
    ] = False,
    estimate_error: Annotated[
        bool,
        typer.Option("--estimate-error", help="Estimate the error by a second run with half the step."),
    ] = False,
    formulation: Formulation = None,
    resume: Annotated[
        Path | None, takes("--resume", "FILE.npz", "Go on where an interrupted run stopped.")
    ] = None,
    draw_robots: DrawRobots = None,
    seed: Seed = None,
    no_friction: NoFriction = False,
    actuated: Actuated = None,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """How a robot moves under torques, gravity, friction and what else acts on it.

    Without --torque and --trajectory no motor acts: the robot falls. Limits of joints act only with --stops and
    --limits; a run that leaves them is told. Ctrl-C keeps what is done: it is written and told, and with
    --resume and all else as it was the run goes on from there with the same bits.

    A closed chain is put together at the start and kept so after every step; --q, --qd and --torque may be those of
    its actuated joints alone.

    --draw-robots does the same with robots that might be this one, by what strobe identify wrote of it into its TOML
    file, and tells where they end; torques are those of the robot itself.

    \b
    Integrators:
      rk4                   fixed steps, order 4 (default)
      rk8                   fixed steps, order 8
      semi-implicit-euler   fixed steps, order 1
      rk45, dop853          steps chosen by SciPy, within 1e-8
      radau, bdf, lsoda     the same for stiff motions
    \b
    A file of torques:
      .csv                  columns t and tau_JOINT, as strobe torque and -o write them
      .npz                  arrays t and tau, as strobe plan and -o write them
    \b
    Examples:
      strobe simulate pendulum3 --q 0.3,0.8,0.4 --duration 10 -o out.npz --plot out.svg
      strobe simulate panda --trajectory traj.json --limits -o out.csv
      strobe simulate planar2 --torque 3 -1 --duration 2 --stops --json
      strobe simulate fourbar --q 0.6 --duration 10 --plot fourbar.svg
    """
    from strobe.simulate.files import write

    read = sensors_for(output, sensors)
    inputs = [path for path in (robot, trajectory, _file(torque), resume) if path is not None]
    drawing = Drawing(plot, inputs, force)
    _check_output(output, inputs, force)
    drawing.check()
    _refuse_contradictions(
        {
            "torques come from --torque or from --trajectory, not from both.": torque is not None
            and trajectory is not None,
            "--hold is for the torques of a file: --torque FILE.csv or FILE.npz.": hold
            and _file(torque) is None,
            "--frame says where a wrench or a payload acts; give --wrench or --payload too.": frame
            is not None
            and wrench is None
            and payload is None,
        }
    )
    refuse_seed(draw_robots, seed)
    reading = LogOptions(columns, degrees, differentiate, topic)
    reading.refuse_without(trajectory, "the motion of --trajectory")
    arm = open_robot(robot, lock=lock, base=base, gravity=gravity, actuated=actuated, strict=strict)
    friction = not no_friction
    loaded = None if wrench is None and payload is None else meant_frame(arm, frame)
    planned = None if trajectory is None else moved(trajectory, arm, reading)
    drive = (
        _torque(arm, torque, hold) if planned is None else _fed_forward(arm, planned, friction, duration)
    )
    where = {} if planned is None else _start_of(planned)
    where |= named_pose(arm, pose, q)
    state, assumed = given_state(arm, {"q": q, "qd": qd}, where)
    how = {
        "step": step, "stops": stops, "limits": limits, "friction": friction, "every": every, "error": estimate_error,
        "conserve_energy": conserve_energy, "formulation": formulation, "frame": loaded,
        "payload": None if payload is None else carried(payload),
        "wrench": None if wrench is None else numbers("--wrench", wrench, 6, "They are fx fy fz mx my mz."),
        "resume": None if resume is None else _checkpoint(resume, arm),
    }  # fmt: skip
    run, said = _simulated(arm, state["q"], state["qd"], drive, _duration(duration, drive), integrator, how)
    if not len(run.times):
        raise KeyboardInterrupt
    acting = {} if loaded is None else {"frame": loaded}
    files = write_run(
        run if read is None else read.sensed(run), write, output, inputs, force
    ) | drawing.write(run.plot)
    data = {"assumed": assumed, **acting} | files | _told(run)
    if draw_robots is not None:
        end = partial(_end, run=run, state=state, drive=drive, how=how)
        data["drawn"] = spread(arm, draw_robots, seed, end)
    _report(run, data, said, as_json)


# -- what is asked -------------------------------------------------------------------------------------


def _file(torque: str | None) -> Path | None:
    """The file that --torque names, if it does not give numbers."""
    known = torque is not None and Path(torque).suffix.lower() in (".csv", ".npz")
    return Path(torque) if known else None  # pyright: ignore[reportArgumentType]


def _refuse_contradictions(found: dict[str, bool]) -> None:
    """Refuse options that do not go together, each with its sentence."""
    for sentence, holds in found.items():
        if holds:
            raise ArgumentError(sentence)


def _check_output(output: Path | None, inputs: list[Any], force: bool) -> None:
    """Refuse, before anything is simulated, a file that cannot or must not be written."""
    from strobe.files.writing import refuse
    from strobe.simulate.files import kind_of, mcap_writer

    if output is not None:
        if kind_of(output) == ".mcap":
            mcap_writer()
        refuse(output, inputs=inputs, force=force)


def _torque(robot: Robot, torque: str | None, hold: bool) -> list[float] | TimeSeries | None:
    if (file := _file(torque)) is not None:
        from strobe.simulate.files import read_torques

        return read_torques(file, robot, "zero-order" if hold else "linear")
    if torque is None:
        return None
    if Path(torque).is_file():
        raise ArgumentError(f"--torque {torque}: torques over time are read from a .csv or .npz file.")
    if robot.model.is_closed:
        return driving_torques(robot, torque)
    return numbers("--torque", torque, robot.nv, order(robot, "tau"))


def _fed_forward(robot: Robot, motion: Trajectory, friction: bool, t: float | None) -> TimeSeries:
    from strobe.simulate.feed_forward import feed_forward

    until = t if t is not None and t > 0 else None  # another one is refused where the run begins
    return feed_forward(robot, motion, until, friction=friction)


def _start_of(motion: Trajectory) -> dict[str, Any]:
    start = motion(0.0)
    return {"q": start.q, "qd": start.qd}


def carried(text: str) -> list[float]:
    values = numbers("--payload", text)
    if len(values) not in (1, 4, 10):
        raise ArgumentError(
            f"--payload has {len(values)} numbers, expected 1 (mass), 4 (with its centre) or 10."
        )
    return values + [0.0] * 3 if len(values) == 1 else values


def _duration(t: float | None, drive: Any) -> float:
    if t is not None:
        if not isfinite(t):
            raise ArgumentError(f"--duration is {t}; expected a number of seconds above zero.")
        return t
    times = getattr(drive, "times", None)
    if times is None:
        raise ArgumentError("give --duration SECONDS: how long the run lasts.")
    return float(times[-1])


def _checkpoint(path: Path, robot: Robot) -> Any:
    from strobe.cli.show import warn
    from strobe.simulate.files import read

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = read(path, robot).checkpoint
    if found is None:
        said = str(caught[0].message) if caught else f"{path}: the run holds no state to go on from."
        raise ArgumentError(said)
    for each in caught:
        warn(str(each.message))
    return found


# -- what is done --------------------------------------------------------------------------------------


def _simulated(
    robot: Robot, q: Any, qd: Any, drive: Any, t: float, method: str, how: dict[str, Any]
) -> tuple[Run, list[str]]:
    """The run, with progress and warnings told on stderr at once, and what was told."""
    from strobe.cli.progress import Progress
    from strobe.cli.show import warn
    from strobe.errors import SimulationWarning
    from strobe.simulate.simulation import simulate as simulated

    said: list[str] = []
    with warnings.catch_warnings(), Progress("simulating", round(1000 * t), "ms") as progress:
        warnings.simplefilter("always", SimulationWarning)

        def show(message: Warning | str, *_: Any) -> None:
            said.append(_in_options(message.args[0] if isinstance(message, Warning) else message))
            warn(said[-1])

        def watch(now: float) -> None:
            progress.advance(round(1000 * now) - progress.done)

        warnings.showwarning = show
        return simulated(robot, q, qd, drive, t, method, watch=watch, **how), said


def _end(robot: Robot, run: Run, state: dict[str, Any], drive: Any, how: dict[str, Any]) -> Any:
    """Where a drawn robot ends under the torques of the other one, in the same steps."""
    from strobe.errors import SimulationWarning
    from strobe.simulate.simulation import simulate as simulated

    own = {
        **how,
        "error": False,
        "resume": None,
        "every": None,
        "step": run.step if isfinite(run.step) else None,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        return simulated(robot, state["q"], state["qd"], drive, float(run.times[-1]), run.method, **own).q[
            -1
        ]


def _told(run: Run) -> dict[str, Any]:
    """What there is to say, with advice for a command line."""
    from strobe.study.simulation_tables import told

    data = told(run)
    return data | {"notes": [_in_options(note) for note in data["notes"]]}


def _in_options(note: str) -> str:
    return on_command_line(in_options(note, ("stops", "limits")))


def _report(run: Run, data: dict[str, Any], said: list[str], as_json: bool) -> None:
    """What there is to say of a run besides what was, and the exit that it deserves."""
    from strobe.cli.show import note, present, warn
    from strobe.simulate.run import RunStatus
    from strobe.study.simulation_tables import shown

    for sentence in data["notes"]:
        if sentence not in said:
            note(sentence)
    if run.status != RunStatus.DONE:
        warn(f"after {data['reached']:.6g} s {RunStatus(int(run.status)).sentence}")
    if run.status == RunStatus.INTERRUPTED and isfinite(run.step):
        note(_how_to_go_on(data.get("output", "")))
    drawn = [spread_shown(data["drawn"], "end", in_place(data))] if "drawn" in data else []
    present(data, [*shown(data), *drawn], as_json)
    if run.status == RunStatus.INTERRUPTED:
        raise KeyboardInterrupt
    if run.status != RunStatus.DONE:
        raise typer.Exit(CHECK_FAILED)


def _how_to_go_on(output: str) -> str:
    if Path(output).suffix.lower() != ".npz":
        return "only -o FILE.npz keeps a state that --resume could go on from."
    return f"the same command with --resume {output} and another -o goes on from there."
