"""What a controller believes: everything that it computes with follows from torques, exact or approximate."""

import numpy as np
import pytest

import strobe
from strobe.approximate import Exact, GravityOnly, HornRaibert, WithoutVelocityTerms
from strobe.control import AccelerationServo, ComputedTorque, OperationalSpace
from strobe.control.controller_model import Belief
from strobe.errors import ArgumentError

ROBOTS = ("planar2", "stanford", "puma560", "biped10")


def beliefs(robot):
    return Belief(robot), Belief(robot, Exact(robot))


def state(robot, seed):
    q, v, a = (x.tolist() for x in robot.random_state(seed))
    return q, v, robot.random_state(seed + 1)[1].tolist(), a


@pytest.mark.parametrize("name", ROBOTS)
def test_two_velocities_meet_in_the_christoffel_matrix(name):
    robot = strobe.Robot(strobe.load(name).model, compiled=False)
    q, v, w, a = state(robot, 3)
    C = robot.coriolis_matrix(q, v)
    expected = robot.mass_matrix(q) @ a + C @ w + robot.gravity(q)
    for belief in beliefs(robot):
        assert belief.mixed(q, v, w, a) == pytest.approx(expected, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("name", ROBOTS)
def test_momentum_drifts_by_the_transposed_christoffel_matrix(name):
    robot = strobe.Robot(strobe.load(name).model, compiled=False)
    q, v, _, _ = state(robot, 5)
    expected = robot.coriolis_matrix(q, v).T @ v
    for belief in beliefs(robot):
        assert belief.momentum_drift(q, v) == pytest.approx(expected, rel=1e-10, abs=1e-10)
        assert np.array(belief.mass_matrix(q)) == pytest.approx(robot.mass_matrix(q), rel=1e-10, abs=1e-11)


def test_friction_is_no_part_of_gravity_or_of_rigid_torques():
    robot = strobe.load("planar2")  # joint 2 has viscous and Coulomb friction
    q, v, _, a = state(robot, 7)
    for belief in beliefs(robot):
        assert belief.gravity(q) == pytest.approx(robot.gravity(q), abs=1e-13)
        rigid = robot.inverse_dynamics(q, v, a, friction=False)
        assert belief.rigid(q, v, a) == pytest.approx(rigid, abs=1e-12)
        assert belief.torques(q, v, a) == pytest.approx(robot.inverse_dynamics(q, v, a), abs=1e-12)


def test_a_table_is_asked_at_the_nearest_state_that_it_holds():
    robot = strobe.load("planar2")
    belief = Belief(robot, HornRaibert(robot, 9, [(0.0, 1.0), (0.0, 1.0)]))
    v, a = [0.3, 0.2], [1.0, 2.0]
    edge, beside = belief.rigid([0.5, 1.0], v, a), belief.rigid([0.5, 1.2], v, a)
    assert (
        beside == edge == pytest.approx(robot.inverse_dynamics([0.5, 1.0], v, a, friction=False), rel=1e-2)
    )
    assert np.isnan(belief.torques([0.5, float("nan")], v, a)).any()
    friction = np.subtract(belief.torques([0.5, 0.5], v, a), belief.rigid([0.5, 0.5], v, a))
    assert friction == pytest.approx(belief.friction(v))


def test_the_model_of_another_robot_is_refused():
    robot, other = strobe.load("planar2"), strobe.load("stanford")
    with pytest.raises(ArgumentError) as told:
        ComputedTorque(robot, 1e-3, model=WithoutVelocityTerms(other))
    assert str(told.value) == (
        "the model is one of stanford; the controller is for planar2. Make the model for the same robot."
    )
    with pytest.raises(
        ArgumentError, match="the model is one of another planar2; the controller is for planar2"
    ):
        ComputedTorque(robot, 1e-3, model=Exact(robot.with_payload(0.3)))


def test_a_model_of_an_equal_robot_is_taken():
    model = Exact(strobe.load("planar2"))
    assert ComputedTorque(strobe.load("planar2"), 1e-3, model=model).model is model


def test_what_is_no_formula_is_refused():
    with pytest.raises(ArgumentError, match="the model is a str, which is no formula over numbers"):
        ComputedTorque(strobe.load("planar2"), 1e-3, model="exact")


@pytest.mark.parametrize("kind", [OperationalSpace, AccelerationServo])
def test_a_model_without_inertia_cannot_be_inverted(kind):
    robot = strobe.load("planar2")
    with pytest.raises(ArgumentError, match='the model "gravity-only" of planar2 has no inertia'):
        kind(robot, 1e-3, model=GravityOnly(robot))
