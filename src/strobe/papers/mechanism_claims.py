"""What closed chains and feet on the ground say about the claims that `papers.claims` can only state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from strobe.papers.findings import Check, Finding
from strobe.robot import Robot, load

THETA, RATES, ACCELERATIONS = (0.6, -0.35), (0.9, -1.3), (1.5, -0.7)
CRANK = 0.8


def two_serial_chains() -> Finding:
    """The parallelogram as two chains of shared coordinates, and a four-bar linkage solved from its loop."""
    from strobe.mechanisms import Chain, combined

    robot = load("parallelogram")
    open_tree = Robot(replace(robot.model, couplings=(), loops=(), golden=()))
    halves = [
        Chain(open_tree.chain("pin_on_link2"), lambda x: [x[0], x[1] - x[0]]),
        Chain(open_tree.chain("pin_on_link4"), lambda x: [x[1], x[0] - x[1]]),
    ]
    two = combined(halves, THETA, RATES)
    tau = two.D @ ACCELERATIONS + two.C @ RATES + two.G
    whole = robot.inverse_dynamics(THETA, RATES, ACCELERATIONS, friction=False)
    off = float(np.abs(tau - whole).max() / np.abs(whole).max())
    loop = _four_bar()
    figure = (
        f"parallelogram: D, C and G of its two chains give its torques to {off:.0e} (mechanisms.combined); fourbar, "
        f"whose angles are no such functions of the crank, is solved from its loop to {loop:.0e} (mechanisms.reduced)"
    )
    return Finding(figure, off < 1e-12 and loop < 1e-9)


def _four_bar() -> float:
    """How far the reduced equations of the four-bar linkage are from its torque, relative."""
    from strobe.mechanisms import reduced

    robot = load("fourbar")
    crank = robot.model.actuated[0]
    names = robot.coordinates.rate_names
    first = names.index(crank)
    q = robot.assemble(hold={crank: CRANK})
    part = reduced(robot, q, np.zeros(len(names)))
    qd = part.T[:, 0] * RATES[0]
    part = reduced(robot, q, qd)
    qdd = part.T[:, 0] * ACCELERATIONS[0] + part.T_dot[:, 0] * RATES[0]
    ours = (
        part.mass_matrix[0, 0] * ACCELERATIONS[0] + part.coriolis_matrix[0, 0] * RATES[0] + part.gravity[0]
    )
    tau = robot.inverse_dynamics(q, qd, qdd, friction=False)[first]
    return float(abs(ours - tau) / abs(tau))


def ground_reaction_is_there() -> Finding:
    """A biped: what the ground does, beside what its first joint transmits and the weight of the foot below it."""
    from strobe.mechanisms import ground_reaction

    robot = load("biped10")
    golden = robot.model.golden[0]
    state = [np.array(golden[name], dtype=float) for name in ("q", "qd", "qdd")]
    ground = ground_reaction(robot, *state, foot="stance_foot")
    rest = ground.force - robot.joint_wrenches(*state, friction=False)[0, :3]
    sideways = float(np.abs(rest[:2]).max() / np.abs(ground.force).max())
    u = np.array([0.0, 0.0, 1.0])
    point = np.cross(u, ground.moment) / (u @ ground.force)
    figure = (
        f"biped10: the ground's force is what the first joint transmits and the {rest[2]:.2f} N that the foot below "
        f"it weighs, to {sideways:.0e}; of it and its moment the zero moment point ({point[0]:.3f}, {point[1]:.3f}) "
        "m is two quotients (strobe zmp, mechanisms.ground_reaction)"
    )
    return Finding(figure, sideways < 1e-12 and bool(np.allclose(point[:2], ground.zmp[:2], atol=1e-12)))


CHECKS: Mapping[str, Check] = {"D-5": two_serial_chains, "D-6": ground_reaction_is_there}
"""By the name of the claim."""
