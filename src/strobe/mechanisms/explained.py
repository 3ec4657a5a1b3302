"""The torques of a closed chain, term by term, in the coordinates of its actuated joints.

    tau_i = Σ_j M_ij qdd_j + Σ_j c_ijj qd_j² + Σ_{j<k} 2 c_ijk qd_j qd_k + (Tᵀ (g + friction − Jᵀ F))_i

M and c are those of the reduced dynamics (`reduced`), c read off C_r with unit rates of the actuated joints; T takes
their rates to those of all joints. What the joints transmit is what they would in the open tree, with the forces of
the loops acting on its links.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from strobe.equations import meaning
from strobe.equations.meaning import Explanation, Term
from strobe.mechanisms.diagnosis import dofs_of
from strobe.mechanisms.loop_forces import LoopForces, cut_open, loop_forces
from strobe.mechanisms.reduced import Reduced, reduced
from strobe.robot import Robot, Wrench
from strobe.runtime.arrays import collected

Array = np.ndarray


def explain(
    robot: Robot, q: Any, qd: Any, qdd: Any, *, wrench: Wrench = None, frame: str | None = None,
    gravity: Any = None, friction: bool = True,
) -> Explanation:  # fmt: skip
    """The torques of the actuated joints behind a motion, term by term."""
    loads: dict[str, Any] = {"wrench": wrench, "frame": frame, "gravity": gravity}
    tau = robot.inverse_dynamics(q, qd, qdd, **loads, friction=friction)
    sizes = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv}
    q, qd, qdd = (
        x.astype(float) for x in collected({"q": q, "qd": qd, "qdd": qdd}, sizes, robot._why).values()
    )
    found, tree = reduced(robot, q, qd), cut_open(robot)
    own = dofs_of(robot, found.actuated)
    across = np.swapaxes(found.T, -1, -2)
    alone = meaning.loads_of(tree, q, qd, wrench, frame, gravity, friction)
    columns = [found.mass_matrix * qdd[..., None, own], _velocity_terms(robot, q, qd[..., own], found)]
    columns += [across @ torque[..., None] for torque in alone.values()]
    forces = loop_forces(robot, q, qd, qdd, tau, **loads, friction=friction)
    wrenches = tree.joint_wrenches(
        q, qd, qdd, wrench=acting(robot, q, forces, wrench, frame), gravity=gravity
    )
    names = robot.coordinates.rate_names
    return Explanation(
        robot=robot.name,
        joints=tuple(names[k] for k in own),
        units=tuple(meaning.units_of(robot)[k] for k in own),
        terms=(*meaning.moving_terms(len(own)), *map(Term, alone)),
        values=np.concatenate(
            [np.broadcast_to(c, (*tau.shape[:-1], len(own), c.shape[-1])) for c in columns], -1
        ),
        tau=tau[..., own],
        hinges=tuple(body.joint.name for body in robot.model.bodies),
        wrenches=wrenches,
        constraints=meaning.across(tree, q, wrenches),
        closed=True,
    )


def _velocity_terms(robot: Robot, q: Array, qd_a: Array, found: Reduced) -> Array:
    """The terms of pairs of rates (..., m, pairs), from C_r at unit rates of the actuated joints."""
    units = np.swapaxes(found.T, -1, -2)
    by_rate = reduced(robot, q[..., None, :], units, found.actuated).coriolis_matrix
    return meaning.pair_terms(by_rate, qd_a)


def acting(
    robot: Robot, q: Array, forces: LoopForces, wrench: Wrench = None, frame: str | None = None
) -> dict[str, Array]:
    """Wrenches by frame: those that were given, and those that loops exert on both of their links."""
    given = wrench if isinstance(wrench, Mapping) else {} if wrench is None else {frame: wrench}
    total = {robot._frame(name): np.asarray(F, dtype=float) for name, F in given.items()}
    for loop in (loop for loop in robot.model.loops if loop.name in forces.wrenches):
        on_b = forces.wrenches[loop.name]
        a, b = (
            robot.forward_kinematics(q, frame=name)[..., :3, 3] for name in (loop.frame_a, loop.frame_b)
        )
        turned = on_b[..., 3:] + np.cross(b - a, on_b[..., :3])
        for name, F in ((loop.frame_b, on_b), (loop.frame_a, -np.concatenate([on_b[..., :3], turned], -1))):
            total[name] = total.get(name, 0.0) + F
    return total
