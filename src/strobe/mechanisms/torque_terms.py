"""The torques of a robot with loops, term by term; of a closed chain in the coordinates of its actuated joints.

    tau_i = Σ_j M_ij qdd_j + Σ_j c_ijj qd_j² + Σ_{j<k} 2 c_ijk qd_j qd_k + (Tᵀ (g + friction − Jᵀ F))_i

M and c are those of the reduced dynamics (`reduced`), c read off C_r with unit rates of the actuated joints; T takes
their rates to those of all joints. Where couplings keep every loop closed the terms are those of the independent
joints. What joints transmit has the forces of the loops in it either way (`transmitted`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import collected, in_precision
from strobe.equations import meaning
from strobe.equations.meaning import Explanation, Term
from strobe.errors import UnsupportedModelError
from strobe.mechanisms.loop_forces import cut_open
from strobe.mechanisms.mobility import dofs_of
from strobe.mechanisms.reduced_dynamics import Reduced, reduced
from strobe.mechanisms.transmitted_wrenches import Transmitted, transmitted
from strobe.robot import Robot, Wrench

Array = np.ndarray


def explain(
    robot: Robot, q: Any, qd: Any, qdd: Any, *, wrench: Wrench = None, frame: str | None = None,
    gravity: Any = None, friction: bool = True,
) -> Explanation:  # fmt: skip
    """The torques of the actuated joints behind a motion, term by term."""
    loads: dict[str, Any] = {"wrench": wrench, "frame": frame, "gravity": gravity}
    if not robot.model.is_closed:
        found = _transmitted(robot, q, qd, qdd, **loads, friction=friction)
        return meaning.explained(
            robot, q, qd, qdd, found.wrenches, found.remarks, **loads, friction=friction
        )
    tau = robot.inverse_dynamics(q, qd, qdd, **loads, friction=friction)
    sizes = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv}
    state = collected({"q": q, "qd": qd, "qdd": qdd}, sizes, robot.shape_reason)
    q, qd, qdd = (x.astype(float) for x in state.values())
    found, tree = reduced(robot, q, qd), cut_open(robot)
    own = dofs_of(robot, found.actuated)
    across = np.swapaxes(found.T, -1, -2)
    alone = meaning.loads_of(tree, q, qd, wrench, frame, gravity, friction)
    columns = [found.mass_matrix * qdd[..., None, own], _velocity_terms(robot, q, qd[..., own], found)]
    columns += [across @ torque[..., None] for torque in alone.values()]
    held = _transmitted(robot, q, qd, qdd, **loads, friction=friction)
    names = robot.coordinates.rate_names
    explanation = Explanation(
        robot=robot.name,
        joints=tuple(names[k] for k in own),
        units=tuple(meaning.units_of(robot)[k] for k in own),
        terms=(*meaning.moving_terms(len(own)), *map(Term, alone)),
        values=np.concatenate(
            [np.broadcast_to(c, (*tau.shape[:-1], len(own), c.shape[-1])) for c in columns], -1
        ),
        tau=tau[..., own],
        hinges=tuple(body.joint.name for body in robot.model.bodies),
        wrenches=held.wrenches,
        constraints=meaning.across(tree, q, held.wrenches),
        closed=True,
        remarks=held.remarks,
    )
    return in_precision(explanation, tau.dtype)


def _transmitted(robot: Robot, q: Any, qd: Any, qdd: Any, **loads: Any) -> Transmitted:
    """What joints transmit; NaN and the reason where that is refused, while the terms of torques stand."""
    try:
        return transmitted(robot, q, qd, qdd, **loads)
    except UnsupportedModelError as error:
        batch = np.broadcast_shapes(*(np.shape(x)[:-1] for x in (q, qd, qdd)))
        return Transmitted(np.full((*batch, len(robot.model.bodies), 6), np.nan), (str(error),))


def _velocity_terms(robot: Robot, q: Array, qd_a: Array, found: Reduced) -> Array:
    """The terms of pairs of rates (..., m, pairs), from C_r at unit rates of the actuated joints."""
    units = np.swapaxes(found.T, -1, -2)
    by_rate = reduced(robot, q[..., None, :], units, found.actuated).coriolis_matrix
    return meaning.pair_terms(by_rate, qd_a)
