"""Torques, momenta and energies are linear in the inertial parameters, whatever method computes them."""

import numpy as np
import pytest

import strobe
from strobe.formulations import regressors, spatial_newton_euler
from strobe.models.parameters import inertial_numbers, with_inertial
from strobe.models.random_robots import random_model
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.scalars import FieldSystem

ROBOTS = {
    # standard DH: body frames lie beyond their joints; rotors, friction
    "puma560": strobe.load("puma560").model,
    "stanford": strobe.load("stanford").model,
    "tree": random_model(5, 3, kinds="RPS", tree=True),
    "floating": strobe.load("panda").with_base("floating").model,
    "coupled": strobe.load("parallelogram").model,
}


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    return Robot(ROBOTS[request.param], compiled=False)


def drawn(robot, seed=0):
    """Parameters of no body in particular, zeros of the model too."""
    return np.random.default_rng(seed).uniform(0.5, 1.5, len(robot.parameters))


def rigid(robot, parameters, q, qd, qdd):
    """The torques without drives."""
    rotor = np.zeros((1, len(robot.drive_parameters)))
    rotor[0, ::4] = robot.drive_parameters[::4]
    columns = robot.regressor(q, qd, qdd, drives=True)[..., len(parameters) :]
    tau = robot.inverse_dynamics(q, qd, qdd, parameters=parameters, friction=False)
    return tau - (columns @ rotor[0])


def test_the_torques_of_any_parameters_are_the_regressor_times_them(robot):
    q, qd, qdd = robot.random_state(seed=1, batch=4)
    parameters = drawn(robot)
    tau = robot.regressor(q, qd, qdd) @ parameters
    assert tau == pytest.approx(rigid(robot, parameters, q, qd, qdd), rel=1e-11, abs=1e-11)


def test_with_drives_it_is_all_of_inverse_dynamics_in_both_directions(robot):
    q, qd, qdd = robot.random_state(seed=2, batch=6)
    whole = np.concatenate([robot.parameters, robot.drive_parameters])
    Y = robot.regressor(q, qd, qdd, drives=True)
    assert Y @ whole == pytest.approx(robot.inverse_dynamics(q, qd, qdd), rel=1e-11, abs=1e-11)


def test_unequal_coulomb_friction_has_a_column_for_each_direction():
    puma = strobe.load("puma560")
    forwards, backwards = puma.drive_parameters.reshape(6, 4)[:, 2:].T
    assert (forwards != backwards).any()
    q, _, qdd = puma.random_state(seed=3)
    for sign in (1.0, -1.0):
        Y = Robot(puma.model, compiled=False).regressor(q, sign * np.ones(6), qdd, drives=True)
        coulomb = (Y[:, 60:] @ (puma.drive_parameters * np.tile([0, 0, 1, 1], 6))).tolist()
        assert coulomb == pytest.approx(forwards if sign > 0 else -backwards)


@pytest.mark.every("formulation")
def test_every_formulation_is_linear_in_them(formulation):
    """The torques of a weighted sum of two robots are that sum of their torques, by any method."""
    arm = Robot(ROBOTS["stanford"], compiled=False)
    q, qd, qdd = arm.random_state(seed=4)
    torques = lambda p: arm.inverse_dynamics(  # noqa: E731
        q, qd, qdd, parameters=p, formulation=formulation, friction=False
    )
    a, b = drawn(arm, 1), drawn(arm, 2)
    expected = arm.regressor(q, qd, qdd) @ (a - b)
    assert torques(a) - torques(b) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ["stanford", "tree", "floating"])
def test_the_equations_hold_exactly_for_every_robot_of_the_structure(name):
    model = ROBOTS[name].lift(FieldSystem(seed=5))
    q, qd, qdd = model.variables()
    tau = spatial_newton_euler.inverse_dynamics(model, q, qd, qdd)
    parameters = inertial_numbers(model)
    for row, torque in zip(regressors.torque_regressor(model, q, qd, qdd), tau, strict=True):
        left = torque
        for entry, parameter in zip(row, parameters, strict=True):
            left = left - entry * parameter
        assert model.system.lower(left) == 0


def test_the_momentum_is_that_of_the_mass_matrix_without_rotors(robot):
    q, qd, _ = robot.random_state(seed=6, batch=3)
    parameters = drawn(robot)
    M = robot.mass_matrix(q, parameters=parameters)
    rotors = robot.regressor(q, np.zeros_like(qd), qd, drives=True, gravity=[0, 0, 0])[
        ..., len(parameters) :
    ]
    own = robot.drive_parameters * np.tile([1, 0, 0, 0], len(robot.drive_parameters) // 4)
    expected = np.einsum("...ij,...j->...i", M, qd) - rotors @ own
    assert robot.momentum_regressor(q, qd) @ parameters == pytest.approx(expected, rel=1e-10, abs=1e-10)


def test_the_energies_are_those_of_the_bodies(robot):
    q, qd, _ = robot.random_state(seed=7, batch=3)
    parameters = drawn(robot)
    kinetic, potential = np.moveaxis(robot.energy_regressor(q, qd) @ parameters, -1, 0)
    momenta = robot.momentum_regressor(q, qd) @ parameters
    assert kinetic == pytest.approx(0.5 * (momenta * qd).sum(-1), rel=1e-11)
    assert potential == pytest.approx(robot.energy(q, qd, parameters=parameters)[..., 1], rel=1e-11)


@pytest.mark.slow
def test_a_joint_feels_no_body_that_it_does_not_carry():
    Y = np.array(Robot(ROBOTS["puma560"]).regressor(*strobe.load("puma560").random_state(seed=8)))
    for i in range(6):
        assert (Y[i, : 10 * i] == 0).all()
        assert Y[i, 10 * i :].any()


def test_zeros_are_never_computed():
    """Golden operation counts after all passes; of 490 entries 210 are zero by themselves."""
    program = strobe.load("panda").kernel(Request("regressor")).program
    assert (program.multiplications, program.additions) == (908, 688)


@pytest.mark.slow
def test_gravity_and_geometry_may_be_given():
    arm = strobe.random(3, 4, kinds="R")
    q, qd, qdd = arm.random_state(seed=9, batch=2)
    other = arm.geometry * 1.1
    expected = arm.with_parameters(geometry=other).with_gravity((1, 2, 3)).regressor(q, qd, qdd)
    found = arm.regressor(q, qd, qdd, gravity=[1.0, 2.0, 3.0], geometry=other)
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_of_a_closed_chain_it_is_that_of_the_tree():
    from dataclasses import replace

    closed = strobe.load("planar3").with_frame("there", (0.3, 0.2, 0.0), frame="base")
    closed = closed.with_loop(closed.frames[-2], "there")
    tree = Robot(replace(closed.model, loops=()), compiled=False)
    q, qd, qdd = tree.random_state(seed=1)
    assert (Robot(closed.model, compiled=False).regressor(q, qd, qdd) == tree.regressor(q, qd, qdd)).all()


def test_the_parameters_of_a_model_are_put_back_where_they_were(robot):
    again = with_inertial(robot.model, robot.parameters.tolist())
    assert inertial_numbers(again) == robot.parameters.tolist()


def test_drives_are_asked_for_by_true_or_false():
    arm = strobe.load("planar2")
    with pytest.raises(strobe.StrobeError, match="drives is 'no'; expected True or False."):
        arm.regressor([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], drives="no")
