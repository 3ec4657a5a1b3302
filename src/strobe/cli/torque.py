"""``strobe torque``: the torques behind a motion, of one state or of a whole log."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

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
    open_robot,
)
from strobe.cli.logs import Columns, Degrees, Differentiate, LogOptions, Recording, Topic
from strobe.cli.options import drawn_in, takes, written_to
from strobe.cli.outputs import Drawing
from strobe.cli.simulate import carried
from strobe.cli.states import (
    Accelerations,
    Formulation,
    LoadFrame,
    NoFriction,
    Pose,
    Positions,
    Velocities,
    Wrench,
    beyond_limits,
    given_loads,
    given_state,
    laden,
    named_pose,
    refuse_both,
)
from strobe.errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np

    from strobe.identify.logs import Log
    from strobe.robot import Robot

CHUNK = 4096  # rows at a time: progress can be told, memory stays small


def torque(
    robot: RobotName,
    log: Recording = None,
    q: Positions = None,
    qd: Velocities = None,
    qdd: Accelerations = None,
    pose: Pose = None,
    output: Annotated[Path | None, written_to("Where the torques of a log go; else stdout.")] = None,
    plot: Annotated[
        Path | None,
        drawn_in("Draw the torques: the terms of one state, or a log over time with effort limits."),
    ] = None,
    columns: Columns = None,
    degrees: Degrees = False,
    topic: Topic = None,
    differentiate: Differentiate = False,
    gravity: Gravity = None,
    no_friction: NoFriction = False,
    formulation: Formulation = None,
    wrench: Wrench = None,
    wrench_columns: Annotated[
        str | None,
        takes("--wrench-columns", "COLUMNS", "The wrench of each row of a log: 8:13, or six names."),
    ] = None,
    wrench_axes: Annotated[
        str, takes("--wrench-axes", "AXES", "Axes of the wrench: base, or sensor (those of the frame).")
    ] = "base",
    payload: Annotated[
        str | None, takes("--payload", "M,X,Y,Z", "A mass (kg) at a place of the frame (m).")
    ] = None,
    frame: LoadFrame = None,
    actuated: Actuated = None,
    loops: Annotated[
        bool, typer.Option("--loops", help="Also show the forces that hold closed chains together.")
    ] = False,
    lock: Lock = None,
    base: Base = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """The joint torques behind a motion, of one state or of a log.

    tau = M(q) qdd + C(q, qd) qd + g(q) + friction(qd) − Jᵀ wrench, in N m (N where a joint slides), of the robot
    with its --payload: a mass, with its centre in frame axes, or all ten parameters about the frame's origin.
    Numbers are separated by commas or spaces; pi/2 is a number. Without --q the robot stands at its zero
    position, or in the middle of the limits of a joint that cannot reach zero.

    The wrench is what the world does to the robot at the origin of --frame: the same for every row (--wrench), or as
    a wrist sensor recorded it (--wrench-columns), in base axes or in the sensor's own (--wrench-axes sensor).

    Of a closed chain: the torques of its actuated joints. --q is a guess that is put together; --q, --qd and --qdd
    (and the columns of a log) may be those of the actuated joints alone, which the others follow.

    \b
    Examples:
      strobe torque panda --q 0,-0.8,0,-2.4,0,1.6,0.8 --qd 0.1,0,0,0,0,0,0
      strobe torque planar2 --q 0.7 -1.1 --wrench 3,-2,0,0,0,0 --json
      strobe torque panda motion.csv -o tau.csv --plot tau.svg
      strobe torque panda --q 0,-0.8,0,-2.4,0,1.6,0.8 --payload 2,0,0,0.05
      strobe torque panda traj.json -o tau.csv
      strobe torque ur5 rtde.csv --differentiate -o tau.csv
      strobe torque ur5 log.csv.gz --columns t=1,q=2:7,qd=8:13 --differentiate
      strobe torque panda log.csv --wrench-columns fx,fy,fz,mx,my,mz --wrench-axes sensor --frame tool
      strobe torque fourbar --q 0.6 --qd 0.9 --qdd 1.5 --loops

    \b
    Columns of a log (any order; comma, semicolon, tab or blanks between them; gzip too):
      q_JOINT, JOINT_q or JOINT    position        q1, q2, …      in the order of the joints
      qd_JOINT or JOINT_qd         velocity        qd1, qd2, …
      qdd_JOINT or JOINT_qdd       acceleration    qdd1, …
      t or time                    numbers, or dates with times; copied to the output, which has columns tau_JOINT
    Names of PlotJuggler (/joint_states/JOINT/position), RTDE (actual_q_0) and ROS (position[0]) are known as well;
    --columns says what others mean. Angles are in rad unless a header ([deg]) or --degrees says otherwise.
    Velocities and accelerations that a log lacks are taken from its positions and times with --differentiate: by the
    quintic spline through its rows, which smooths nothing. Without, such a log is refused.
    """
    drawing = Drawing(plot, [*([log] if log else []), robot], force)
    drawing.check()
    arm = open_robot(robot, lock=lock, base=base, actuated=actuated, strict=strict)
    if loops and not (arm.model.loops or arm.model.curves):
        raise ArgumentError(f"--loops shows the forces in closed chains; {arm.name} has none.")
    if payload is not None:
        frame = meant_frame(arm, frame)
        arm = laden(arm, carried(payload), frame)
    sensed = Sensed.given(arm, log, wrench, wrench_columns, wrench_axes, frame)
    acts_at = frame if wrench is not None or not (payload or wrench_columns) else None
    how = given_loads(arm, gravity, wrench, acts_at, no_friction)
    how["formulation"] = formulation
    given = {"q": q, "qd": qd, "qdd": qdd}
    reading = LogOptions(columns, degrees, differentiate, topic)
    reading.refuse_without(log, "logs: strobe torque ROBOT LOG")
    if log is None:
        if output is not None:
            raise ArgumentError("-o takes the torques of a log: strobe torque ROBOT LOG.csv -o FILE.")
        _one_state(arm, given, named_pose(arm, pose, q), how, loops, as_json, drawing, sensed)
    else:
        refuse_both(log, given | {"pose": pose})
        if loops:
            raise ArgumentError("--loops shows the forces of one state; leave out the log.")
        _whole_log(arm, robot, log, output, force, how, as_json, reading, drawing, sensed)


@dataclass(frozen=True)
class Sensed:
    """How the wrench is given: its columns in a log, if they are there, its axes and where it acts."""

    columns: str | None
    axes: str
    frame: str | None

    @classmethod
    def given(
        cls,
        robot: Robot,
        log: Path | None,
        wrench: str | None,
        columns: str | None,
        axes: str,
        frame: str | None,
    ) -> Sensed:
        if axes != "base":
            from strobe.identify.wrench_log import AXES

            if axes not in AXES:
                raise ArgumentError(f'--wrench-axes is "{axes}"; expected {" or ".join(AXES)}.')
        if columns is not None and log is None:
            raise ArgumentError(
                "--wrench-columns are columns of a log: strobe torque ROBOT LOG; or give --wrench."
            )
        if columns is not None and wrench is not None:
            raise ArgumentError("the wrench comes from --wrench or from --wrench-columns, not from both.")
        if axes != "base" and wrench is columns is None:
            raise ArgumentError(
                "--wrench-axes says in which axes a wrench is; give --wrench or --wrench-columns too."
            )
        return cls(columns, axes, None if wrench is columns is None else meant_frame(robot, frame))

    def read(self, log: Path) -> tuple[np.ndarray | None, list[str]]:
        """The wrench of every row of a log, and the names of its columns; none where none is there."""
        from strobe.cli.progress import watched
        from strobe.identify.wrench_log import read_wrenches

        if self.columns is None:
            return None, []
        try:
            return read_wrenches(log, self.columns, watched)
        except ArgumentError as error:
            sentence = (
                str(error)
                .replace("wrench columns:", "--wrench-columns:")
                .replace("wrench=fx", "--wrench fx")
            )
            raise ArgumentError(sentence) from None

    def loads(
        self, robot: Robot, q: np.ndarray, how: dict[str, Any], rows: np.ndarray | None
    ) -> dict[str, Any]:
        """The keywords of the dynamics with the wrench of these positions, in base axes."""
        import numpy as np

        wrench = how["wrench"] if rows is None else rows
        if wrench is None or (rows is None and self.axes == "base"):
            return how
        from strobe.identify.wrench_log import in_base_axes

        wrench = np.broadcast_to(np.asarray(wrench, dtype=float), (*q.shape[:-1], 6))
        turned = wrench if self.axes == "base" else in_base_axes(robot, q, wrench, self.frame)
        return how | {"wrench": turned, "frame": self.frame}


def _one_state(
    robot: Robot, given: dict[str, str | None], known: dict[str, Any], how: dict[str, Any], loops: bool,
    as_json: bool, drawing: Drawing, sensed: Sensed,
) -> None:  # fmt: skip
    from strobe.cli.show import note, present
    from strobe.robot import Robot
    from strobe.show.tables import short
    from strobe.show.units import efforts
    from strobe.study.torque_parts import split, split_table

    if robot.model.is_closed or loops:
        robot = Robot(robot.model, compiled=False)  # many questions, once each: not worth compiling
    state, assumed = given_state(robot, given, known)
    for remark in beyond_limits(robot, state["q"]):
        note(remark)
    units = tuple(efforts(robot.coordinates.joints))
    how = sensed.loads(robot, state["q"], how, None)
    data = {
        "joints": robot.coordinates.rate_names,
        "units": units,
        **state,
        **split(robot, *state.values(), **how),
    }
    if robot.model.is_closed:
        data["actuated"] = robot.model.actuated
    where = [] if robot.coordinates.is_single else [f"q = {', '.join(map(short, state['q'].tolist()))}"]
    shown = [split_table(data), *where]
    if loops:
        from strobe.study import loop_forces

        data["loop_forces"] = held = loop_forces.measured(robot, *state.values(), **how)
        shown += ["", *loop_forces.shown(held)]
    data |= drawing.write(lambda: _terms(robot, state, how), "the torques are")
    acting = {} if how["frame"] is None else {"frame": how["frame"]}
    present({"robot": robot.name, "assumed": assumed, **acting, **data}, shown, as_json)


def _terms(robot: Robot, state: dict[str, Any], how: dict[str, Any]) -> str:
    """The terms of one state, whichever formulation the torques are by: they are the same."""
    from strobe.equations.figure_torques import term_bars
    from strobe.robot import Robot

    loads = {name: value for name, value in how.items() if name != "formulation"}
    return term_bars(Robot(robot.model, compiled=False).explain(*state.values(), **loads))


# -- a log --------------------------------------------------------------------------------------------


def _whole_log(
    robot: Robot,
    source: str,
    log: Path,
    output: Path | None,
    force: bool,
    how: dict[str, Any],
    as_json: bool,
    reading: LogOptions,
    drawing: Drawing,
    sensed: Sensed,
) -> None:
    from strobe.cli.logs import read_motion
    from strobe.cli.show import note, print_json
    from strobe.files.writing import writing

    wrenches, read = sensed.read(log)
    motion = read_motion(log, robot, reading, besides=read)
    names = robot.coordinates.rate_names
    tau = _torques(robot, motion, how, sensed, wrenches)
    drawn = drawing.write(lambda: _over_time(robot, motion, tau, log), "the torques are")
    if output is None and not as_json:
        _write(sys.stdout, motion, names, tau)
        return
    result: dict[str, Any] = {
        "robot": robot.name,
        "rows": len(motion),
        "joints": names,
        "remarks": motion.remarks,
        **({} if sensed.frame is None else {"frame": sensed.frame, "wrench_axes": sensed.axes}),
        **drawn,
    }
    if output is not None:
        with writing(output, inputs=[log, source], force=force) as stream:
            _write(stream, motion, names, tau)
        result |= {"output": str(output), "largest": abs(tau).max(axis=0)}
    else:
        result |= {"time": motion.stamps, "tau": tau}
    if as_json:
        print_json(result)
    else:
        note(f"{len(motion):,} rows written to {output}.")


def _over_time(robot: Robot, motion: Log, tau: np.ndarray, log: Path) -> str:
    from strobe.cli.explain import instants
    from strobe.equations.figure_torques import torque_lines

    times, across = instants(motion, log)
    return torque_lines(robot, times, tau, across)


def _torques(
    robot: Robot, motion: Log, how: dict[str, Any], sensed: Sensed, wrenches: np.ndarray | None
) -> np.ndarray:
    """tau of every row, chunk by chunk."""
    import numpy as np

    from strobe.cli.progress import Progress

    assert motion.qd is not None  # a log without rates is refused
    assert motion.qdd is not None
    tau = np.empty_like(motion.qd)
    with Progress("torque", len(motion), "rows") as progress:
        for start in range(0, len(motion), CHUNK):
            rows = slice(start, start + CHUNK)
            q, qd, qdd = motion.q[rows], motion.qd[rows], motion.qdd[rows]
            loads = sensed.loads(robot, q, how, None if wrenches is None else wrenches[rows])
            tau[rows] = robot.inverse_dynamics(q, qd, qdd, **loads)
            progress.advance(len(tau[rows]))
    return tau


def _write(stream: Any, motion: Log, names: Sequence[str], tau: np.ndarray) -> None:
    """Times as they were, torques with every digit."""
    from strobe.cli.progress import watched
    from strobe.files.tables import write_rows

    time = [motion.time_name] if motion.time_name is not None else []
    write_rows(stream, [[*time, *(f"tau_{name}" for name in names)]])
    rows = enumerate(watched(tau.tolist(), "writing", "rows"))
    write_rows(stream, ([*motion.stamps[r : r + 1], *map(repr, row)] for r, row in rows))
