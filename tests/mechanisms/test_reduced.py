"""Joints that follow others, and the dynamics in the actuated ones alone."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, OpenLoopError
from strobe.mechanisms import complete, reduced
from strobe.mechanisms.diagnosis import dofs_of

BUILT_IN = ["fourbar", "slider-crank", "fivebar", "delta"]


@pytest.fixture(scope="module", params=BUILT_IN)
def robot(request):
    return strobe.Robot(strobe.load(request.param).model, compiled=False)


def products(A, x):
    return np.einsum("...ij,...j->...i", A, x)


def moved(robot, q, qd, h):
    """Closed positions on both sides of q along qd, and velocities there."""
    found = [robot.assemble(robot.integrate(q, qd, s * h), limits=False) for s in (1, -1)]
    return [(place, robot.closed_velocities(place, qd)) for place in found]


def test_all_rates_follow_from_those_of_the_actuated_joints(robot):
    q, qd, qdd = robot.random_state(1, batch=(2, 3))
    own = dofs_of(robot, robot.model.actuated)
    names = robot.model.actuated
    rates, accelerations = (
        dict(zip(names, np.moveaxis(x[..., own], -1, 0), strict=True)) for x in (qd, qdd)
    )
    found = complete(robot, q, rates, accelerations)
    assert found[0] == pytest.approx(qd, abs=1e-10)
    assert found[1] == pytest.approx(qdd, abs=1e-8)
    coasting = complete(robot, q, rates)[1]
    assert np.abs(coasting[..., own]).max() == 0
    assert products(robot.loop_jacobian(q), coasting) == pytest.approx(-robot.loop_bias(q, qd), abs=1e-9)


def test_the_rate_of_the_transmission_is_that_of_differences(robot):
    q, qd, _ = robot.random_state(2, batch=3)
    h = 1e-5
    ahead, behind = (reduced(robot, *state).T for state in moved(robot, q, qd, h))
    found = reduced(robot, q, qd)
    assert found.T_dot == pytest.approx(
        (ahead - behind) / (2 * h), abs=1e-6 * (1 + np.abs(found.T_dot).max())
    )
    assert products(found.T, qd[..., dofs_of(robot, found.actuated)]) == pytest.approx(qd, abs=1e-10)


def test_the_equations_in_actuated_joints_give_the_torques_of_inverse_dynamics(robot):
    q, qd, qdd = robot.random_state(3, batch=5)
    found, own = reduced(robot, q, qd), dofs_of(robot, robot.model.actuated)
    tau = (
        products(found.mass_matrix, qdd[:, own])
        + products(found.coriolis_matrix, qd[:, own])
        + found.gravity
    )
    expected = robot.inverse_dynamics(q, qd, qdd, friction=False)[:, own]
    assert tau == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("form", ["christoffel", "decomposition"])
def test_the_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(robot, form):
    q, qd, _ = robot.random_state(4)
    h = 1e-5
    ahead, behind = (reduced(robot, *state).mass_matrix for state in moved(robot, q, qd, h))
    N = (ahead - behind) / (2 * h) - 2 * reduced(robot, q, qd, form=form).coriolis_matrix
    assert pytest.approx(-N.T, abs=1e-7 * (1 + np.abs(N).max())) == N


def test_the_work_of_a_motion_does_not_depend_on_who_leads():
    robot = strobe.Robot(strobe.load("fourbar").model, compiled=False)
    q, qd, _ = robot.random_state(5, batch=4)
    energies = []
    for k, joint in enumerate(robot.joint_names):
        found = reduced(robot, q, qd, [joint])
        energies.append(found.mass_matrix[:, 0, 0] * qd[:, k] ** 2 / 2)
    assert energies[0] == pytest.approx(robot.energy(q, qd)[..., 0], rel=1e-10)
    assert energies[1] == pytest.approx(energies[0], rel=1e-9)
    assert energies[2] == pytest.approx(energies[0], rel=1e-9)


def test_dead_points_and_bad_arguments_are_refused():
    robot = strobe.Robot(strobe.load("slider-crank").model, compiled=False)
    q = np.array([np.arcsin(0.01 / 0.26), 0.0, np.sqrt(0.26**2 - 0.01**2)])  # crank and rod on one line
    with pytest.raises(
        ArgumentError, match="slider-crank stands at a dead point of piston: with them still"
    ):
        complete(robot, q, {"piston": 1.0})
    with pytest.raises(ArgumentError, match='is given for "rod", but no rate; expected those of crank'):
        complete(robot, q, {"crank": 1.0}, {"rod": 1.0})
    with pytest.raises(ArgumentError, match="too many"):
        complete(robot, q, {"crank": 1.0, "rod": 1.0})
    with pytest.raises(OpenLoopError, match='loop "pin" is open'):
        complete(robot, q + 0.1, {"crank": 1.0})
    with pytest.raises(
        ArgumentError, match="planar2 has no closed chain; its own coordinates are independent"
    ):
        reduced(strobe.load("planar2"), [0, 0], [0, 0])
