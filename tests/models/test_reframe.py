"""Link frames laid anew: the same robot, with at most one oblique turn between neighbours."""

import numpy as np
import pytest

import strobe
from strobe.algebra import Shift, Turn
from strobe.models.load import load_model
from strobe.models.reframe import oblique_turns, reframed

ARMS = ["random(7,1)", "random(7,2)", "random(5,3)", "panda", "stanford", "ur5", "planar3", "biped10"]


def interpreted(model):
    return strobe.Robot(model, compiled=False)


@pytest.mark.parametrize("name", ARMS)
def test_torques_stay_what_they_were(name):
    robot = interpreted(load_model(name))
    q, qd, qdd = robot.random_state(seed=3, batch=5)
    expected = robot.inverse_dynamics(q, qd, qdd)
    found = interpreted(reframed(robot.model)).inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * abs(expected).max())


def test_trees_with_sliding_joints_stay_the_same_robot():
    robot = interpreted(strobe.random(8, seed=5, kinds="RP", tree=True).model)
    q, qd, qdd = robot.random_state(seed=1, batch=5)
    expected = robot.inverse_dynamics(q, qd, qdd)
    found = interpreted(reframed(robot.model)).inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * abs(expected).max())


def test_neighbours_on_a_chain_differ_by_one_oblique_turn():
    general = strobe.random(7, seed=1, kinds="R").model
    assert oblique_turns(general) == 24
    assert oblique_turns(reframed(general)) == 6


def test_every_joint_acts_along_z_and_origins_have_no_y():
    model = reframed(strobe.random(7, seed=1, kinds="R").model)
    assert all((joint.axis, joint.sign) == (2, 1) for joint in model.joints)
    for body in model.bodies[1:]:
        shift, turn, *own = body.before.steps
        assert isinstance(shift, Shift)
        assert shift.p.y == 0
        assert isinstance(turn, Turn)
        assert turn.axis == 0
        assert [step.axis for step in own] == [2]


def test_right_angles_and_parallel_axes_stay_exact():
    assert oblique_turns(load_model("panda")) == oblique_turns(reframed(load_model("panda"))) == 0
    parallel = reframed(load_model("planar3"))
    assert all(isinstance(step, Shift) for body in parallel.bodies[1:] for step in body.before.steps)


def test_a_fixed_turn_about_the_joint_itself_is_free():
    model = reframed(strobe.random(3, seed=1, kinds="R").model)
    assert all(body.before.steps[-1].axis == body.joint.axis for body in model.bodies)
    assert oblique_turns(model) == 2
