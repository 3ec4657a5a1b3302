"""How much inertia a joint or the hand has to move: what makes gains of one arm fit another.

A stiffness k = ω² I and a damping d = 2 ω I give an inertia I a double pole at −ω.
"""

from __future__ import annotations

import numpy as np

from strobe.control.end_effector_task import EndEffectorTask
from strobe.robot import Robot
from strobe.robot.recent import Recent

Array = np.ndarray
POSES = 256  # random ones, within the limits
BANDWIDTH = 20.0  # rad/s, of gains that nobody gave


def joint_inertias(robot: Robot) -> Array:
    """The largest M_ii (nv,) of every joint over random poses: what it moves while the others stand still."""
    return np.diagonal(_mass_matrices(robot), axis1=-2, axis2=-1).max(axis=0)


def sampled_inertias(robot: Robot, period: float) -> Array:
    """The inertia I (nv,) that springs ω² I and dampers 2 ω I of a period are made for: the largest M_ii if possible.

    A mode M v δ = I v dies where ω T δ < 1; half of that is allowed. Joints that can turn about nearly the same line,
    as the first and the third of a Panda, make a δ of a hundred: they get I by what they move while others are free.
    """
    known = robot.kept("sampled inertias", Recent)
    return known(period, lambda: _sampled_inertias(robot, period)).copy()


def _sampled_inertias(robot: Robot, period: float) -> Array:
    robot.require("forward_dynamics")  # refuses a joint that moves no inertia
    M, most = _mass_matrices(robot), 0.5 / (BANDWIDTH * period)
    found = joint_inertias(robot)
    if _lightest(M, found) > most:
        free = np.diagonal(np.linalg.inv(M), axis1=-2, axis2=-1).max(axis=0)
        found = np.minimum(found, most / 2 / free)  # two joints share a light mode
    return found * min(1.0, most / _lightest(M, found))


def _lightest(M: Array, inertia: Array) -> float:
    """The largest δ."""
    return float(np.linalg.eigvals(np.linalg.solve(M, np.diag(inertia))).real.max())


def _mass_matrices(robot: Robot) -> Array:
    return robot.mass_matrix(robot.random_state(0, POSES)[0])


def hand_inertias(robot: Robot, task: EndEffectorTask) -> Array:
    """1/(J M⁻¹ Jᵀ)_ii of every row of a task, the median over random poses: what the hand weighs if pushed."""
    q = robot.random_state(0, POSES)[0]
    J = robot.jacobian(q, task.frame)[..., task.rows, :]
    moved = np.linalg.solve(robot.mass_matrix(q), np.swapaxes(J, -1, -2))
    mobility = np.einsum("...ij,...ji->...i", J, moved)
    return 1.0 / np.median(mobility, axis=0)
