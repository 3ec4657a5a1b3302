"""What joints transmit where loops hold the links too: that of the open tree, with the loops' forces on its links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import collected
from strobe.equations.meaning import transmissions
from strobe.mechanisms.cut_couplings import Uncoupled
from strobe.mechanisms.loop_forces import LoopForces, cut_open, loop_forces
from strobe.robot import Robot, Wrench

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Transmitted:
    """What joints transmit at states (...), and what there is to know about it."""

    wrenches: Array  # (..., bodies, 6): as `Robot.joint_wrenches` has them
    remarks: tuple[str, ...]


def transmitted(
    robot: Robot, q: Any, qd: Any, qdd: Any, *, wrench: Wrench = None, frame: str | None = None,
    gravity: Any = None, friction: bool = True,
) -> Transmitted:  # fmt: skip
    """What the joints of a robot with loops transmit, those among them that couplings keep closed."""
    sizes = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv}
    state = collected({"q": q, "qd": qd, "qdd": qdd}, sizes, robot.shape_reason)
    q, qd, qdd = (x.astype(float) for x in state.values())
    forces = loop_forces(robot, q, qd, qdd, wrench=wrench, frame=frame, gravity=gravity, friction=friction)
    opened = Uncoupled(robot)
    q, qd, qdd = opened.position(q), opened.rates(qd), opened.rates(qdd)
    loads = acting(opened.robot, q, forces, wrench, frame)
    wrenches = cut_open(opened.robot).joint_wrenches(q, qd, qdd, wrench=loads, gravity=gravity)
    return Transmitted(
        wrenches.astype(state["q"].dtype), (*transmissions(opened.robot.model), *forces.remarks)
    )


def acting(
    robot: Robot, q: Array, forces: LoopForces, wrench: Wrench = None, frame: str | None = None
) -> dict[str, Array]:
    """Wrenches by frame: those that were given, and those that loops exert on both of their links."""
    given = wrench if isinstance(wrench, Mapping) else {} if wrench is None else {frame: wrench}
    total = {robot.moving_frame(name): np.asarray(F, dtype=float) for name, F in given.items()}
    for loop in (loop for loop in robot.model.loops if loop.name in forces.wrenches):
        on_b = forces.wrenches[loop.name]
        a, b = (
            robot.forward_kinematics(q, frame=name)[..., :3, 3] for name in (loop.frame_a, loop.frame_b)
        )
        turned = on_b[..., 3:] + np.cross(b - a, on_b[..., :3])
        for name, F in ((loop.frame_b, on_b), (loop.frame_a, -np.concatenate([on_b[..., :3], turned], -1))):
            total[name] = total.get(name, 0.0) + F
    felt = set(robot.moving_frames)  # the ground bears the others
    return {name: F for name, F in total.items() if name in felt}
