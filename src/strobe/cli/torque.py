"""``strobe torque``: the torques behind a motion, of one state or of a whole log."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.inputs import Actuated, Base, Force, Gravity, Json, Lock, RobotName, Strict, open_robot
from strobe.cli.options import differentiating, written_to
from strobe.cli.states import (
    Accelerations,
    Formulation,
    NoFriction,
    Pose,
    Positions,
    Velocities,
    Wrench,
    WrenchFrame,
    given_loads,
    given_state,
    named_pose,
    refuse_both,
)
from strobe.errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np

    from strobe.cli.logs import Motion
    from strobe.robot import Robot

CHUNK = 4096  # rows at a time: progress can be told, memory stays small


def torque(
    robot: RobotName,
    log: Annotated[
        Path | None,
        typer.Argument(
            metavar="LOG", help="A motion: .csv, one row per instant; .json or .npz of strobe plan."
        ),
    ] = None,
    q: Positions = None,
    qd: Velocities = None,
    qdd: Accelerations = None,
    pose: Pose = None,
    output: Annotated[Path | None, written_to("Where the torques of a log go; else stdout.")] = None,
    differentiate: Annotated[bool, differentiating()] = False,
    gravity: Gravity = None,
    no_friction: NoFriction = False,
    formulation: Formulation = None,
    wrench: Wrench = None,
    frame: WrenchFrame = None,
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

    tau = M(q) qdd + C(q, qd) qd + g(q) + friction(qd) − Jᵀ wrench, in N m (N where a joint slides).
    Numbers are separated by commas or spaces; pi/2 is a number. Without --q the robot stands at its zero
    position, or in the middle of the limits of a joint that cannot reach zero.

    Of a closed chain: the torques of its actuated joints. --q is a guess that is put together; --q, --qd and --qdd
    (and the columns of a log) may be those of the actuated joints alone, which the others follow.

    \b
    Examples:
      strobe torque panda --q 0,-0.8,0,-2.4,0,1.6,0.8 --qd 0.1,0,0,0,0,0,0
      strobe torque planar2 --q 0.7 -1.1 --wrench 3,-2,0,0,0,0 --json
      strobe torque panda motion.csv -o tau.csv
      strobe torque panda traj.json -o tau.csv
      strobe torque fourbar --q 0.6 --qd 0.9 --qdd 1.5 --loops

    \b
    Columns of a log (any order; comma, semicolon or tab between them):
      q_JOINT, JOINT_q or JOINT    position        q1, q2, …      in the order of the joints
      qd_JOINT or JOINT_qd         velocity        qd1, qd2, …
      qdd_JOINT or JOINT_qdd       acceleration    qdd1, …
      t or time                    numbers, or dates with times; copied to the output, which has columns tau_JOINT
    Velocities and accelerations that a log lacks are taken from its positions and times with --differentiate: by the
    quintic spline through its rows, which smooths nothing. Without, such a log is refused.
    """
    arm = open_robot(robot, lock=lock, base=base, actuated=actuated, strict=strict)
    if loops and not (arm.model.loops or arm.model.curves):
        raise ArgumentError(f"--loops shows the forces in closed chains; {arm.name} has none.")
    how = given_loads(arm, gravity, wrench, frame, no_friction) | {"formulation": formulation}
    given = {"q": q, "qd": qd, "qdd": qdd}
    if log is None:
        if output is not None:
            raise ArgumentError("-o takes the torques of a log: strobe torque ROBOT LOG.csv -o FILE.")
        if differentiate:
            raise ArgumentError("--differentiate is for logs: strobe torque ROBOT LOG.csv --differentiate.")
        _one_state(arm, given, named_pose(arm, pose, q), how, loops, as_json)
    else:
        refuse_both(log, given | {"pose": pose})
        if loops:
            raise ArgumentError("--loops shows the forces of one state; leave out the log.")
        _whole_log(arm, robot, log, output, force, how, as_json, differentiate)


# -- one state ----------------------------------------------------------------------------------------


def _one_state(
    robot: Robot, given: dict[str, str | None], known: dict[str, Any], how: dict[str, Any], loops: bool,
    as_json: bool,
) -> None:  # fmt: skip
    from strobe.cli.show import present
    from strobe.robot import Robot
    from strobe.study import loop_forces
    from strobe.study.tables import short
    from strobe.study.terms import split, split_table

    if robot.model.is_closed or loops:
        robot = Robot(robot.model, compiled=False)  # many questions, once each: not worth compiling
    state, assumed = given_state(robot, given, known)
    data = {"joints": robot.coordinates.rate_names, **state, **split(robot, *state.values(), **how)}
    if robot.model.is_closed:
        data["actuated"] = robot.model.actuated
    where = [] if robot.nq == robot.nv else [f"q = {', '.join(map(short, state['q'].tolist()))}"]
    shown = [split_table(data), *where]
    if loops:
        data["loop_forces"] = held = loop_forces.measured(robot, *state.values(), **how)
        shown += ["", *loop_forces.shown(held)]
    acting = {} if how["frame"] is None else {"frame": how["frame"]}
    present({"robot": robot.name, "assumed": assumed, **acting, **data}, shown, as_json)


# -- a log --------------------------------------------------------------------------------------------


def _whole_log(
    robot: Robot,
    source: str,
    log: Path,
    output: Path | None,
    force: bool,
    how: dict[str, Any],
    as_json: bool,
    differentiate: bool,
) -> None:
    from strobe.cli.logs import read_motion
    from strobe.cli.show import note, print_json
    from strobe.files.writing import writing

    motion = read_motion(log, robot, differentiate)
    for remark in motion.remarks:
        note(remark)
    names = robot.coordinates.rate_names
    if output is None and not as_json:
        _write(sys.stdout, motion, names, _torques(robot, motion, how))
        return
    tau = _torques(robot, motion, how)
    result: dict[str, Any] = {
        "robot": robot.name,
        "rows": len(motion),
        "joints": names,
        "remarks": motion.remarks,
    }
    if output is not None:
        with writing(output, inputs=[log, source], force=force) as stream:
            _write(stream, motion, names, tau)
        result |= {"output": str(output), "largest": abs(tau).max(axis=0)}
    else:
        result |= {"time": motion.times, "tau": tau}
    if as_json:
        print_json(result)
    else:
        note(f"{len(motion):,} rows written to {output}.")


def _torques(robot: Robot, motion: Motion, how: dict[str, Any]) -> np.ndarray:
    """tau of every row, chunk by chunk."""
    import numpy as np

    from strobe.cli.progress import Progress

    tau = np.empty_like(motion.qd)
    with Progress("torque", len(motion), "rows") as progress:
        for start in range(0, len(motion), CHUNK):
            rows = slice(start, start + CHUNK)
            tau[rows] = robot.inverse_dynamics(motion.q[rows], motion.qd[rows], motion.qdd[rows], **how)
            progress.advance(len(tau[rows]))
    return tau


def _write(stream: Any, motion: Motion, names: Sequence[str], tau: np.ndarray) -> None:
    """Times as they were, torques with every digit."""
    from strobe.cli.progress import watched
    from strobe.files.tables import write_rows

    time = [motion.time_name] if motion.time_name is not None else []
    write_rows(stream, [[*time, *(f"tau_{name}" for name in names)]])
    rows = enumerate(watched(tau.tolist(), "writing", "rows"))
    write_rows(stream, ([*motion.times[r : r + 1], *map(repr, row)] for r, row in rows))
