"""Joints that follow others, and the dynamics in the actuated ones alone."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, OpenLoopError
from strobe.mechanisms import complete, loop_forces, reduced
from strobe.mechanisms.mobility import dofs_of, driving_sets
from strobe.models.edits import add_frame, add_loop
from strobe.models.random_robots import random_model

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


@pytest.mark.parametrize("kind", ["point", "full"])
def test_links_that_float_and_turn_follow_and_lead_at_the_rate_of_differences(kind):
    model = random_model(4, 6, kinds="FRR", tree=True)
    model = add_frame(model, "hand", (0.1, 0.2, 0.3), (0.3, 0.2, 0.1), frame=model.bodies[2].name)
    model = add_frame(model, "wall", (0.2, 0.1, 0.4), (0.1, -0.4, 0.2), frame=model.base_name)
    robot = strobe.Robot(add_loop(model, "wall", "hand", kind), compiled=False)
    q, qd, _ = robot.random_state(1)
    h = 1e-5
    for names in driving_sets(robot)[:2]:
        ahead, behind = (reduced(robot, *state, names).T for state in moved(robot, q, qd, h))
        found = reduced(robot, q, qd, names).T_dot
        assert found == pytest.approx((ahead - behind) / (2 * h), abs=1e-6 * (1 + np.abs(found).max()))


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


def test_matrices_are_in_the_order_in_which_the_actuated_joints_are_named():
    robot = strobe.Robot(strobe.load("fivebar").model, compiled=False)
    q, qd, _ = robot.random_state(6)
    forwards, backwards = reduced(robot, q, qd), reduced(robot, q, qd, ["b1", "a1"])
    assert backwards.actuated == ("b1", "a1")
    assert backwards.mass_matrix == pytest.approx(forwards.mass_matrix[::-1, ::-1], abs=1e-13)
    assert backwards.coriolis_matrix == pytest.approx(forwards.coriolis_matrix[::-1, ::-1], abs=1e-12)
    assert backwards.gravity == pytest.approx(forwards.gravity[::-1], abs=1e-12)
    assert pytest.approx(forwards.T[:, ::-1], abs=1e-12) == backwards.T


def test_rates_by_patterns_are_those_of_the_joints_they_stand_for():
    robot = strobe.Robot(strobe.load("fivebar").model, compiled=False)
    q = robot.random_state(7)[0]
    named = complete(robot, q, {"a1": 0.4, "b1": 0.4}, {"b1": 1.0})
    for ours, theirs in zip(complete(robot, q, {"?1": 0.4}, {"b1": 1.0}), named, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-14)
    assert named[0][[0, 2]].tolist() == [0.4, 0.4]


def test_what_is_not_a_number_leaves_the_rest_of_a_batch_alone():
    robot = strobe.Robot(strobe.load("fivebar").model, compiled=False)
    q, qd, qdd = robot.random_state(8, batch=3)
    expected = reduced(robot, q, qd), loop_forces(robot, q, qd, qdd)
    q[1, 0] = np.nan
    found = reduced(robot, q, qd), loop_forces(robot, q, qd, qdd)
    for ours, theirs in (
        (found[0].coriolis_matrix, expected[0].coriolis_matrix),
        (found[1].multipliers, expected[1].multipliers),
    ):
        assert np.isnan(ours[1]).all()
        assert ours[[0, 2]] == pytest.approx(theirs[[0, 2]], abs=1e-12)
    assert found[1].undetermined == expected[1].undetermined
    assert np.isnan(complete(robot, q[1], {"a1": 1.0, "b1": 0.0})[0][[1, 3]]).all()
