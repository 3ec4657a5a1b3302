"""How far an arm strays with the torques of an approximation."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.approximate import (
    AlongTrajectory,
    Exact,
    GravityOnly,
    LockedJoints,
    PathExtrapolation,
    WithoutVelocityTerms,
)
from strobe.control import control, straying
from strobe.errors import SimulationWarning
from strobe.models.inertial import Inertial
from strobe.models.joints import Motor
from strobe.robot import Robot


@pytest.fixture(scope="module")
def robot():
    return strobe.load("stanford")


@pytest.fixture(scope="module")
def motion(robot):
    return robot.plan(
        [(0, 0.6, 0.4, 0, 0.5, 0), (1.2, 1.3, 0.8, 1, -0.6, 1.5)],
        velocity=(1, 1, 0.6, 2, 2, 2),
        acceleration=(1.5, 1.5, 0.8, 4, 4, 4),
    )


@pytest.fixture(scope="module")
def strays(robot, motion):
    return straying(robot, motion)


def test_the_exact_torques_lead_as_the_controller_does_that_feeds_them_forward(robot, motion, strays):
    run = control(robot, motion, "feed-forward-pd", check=False)
    assert strays(Exact(robot)) == pytest.approx(run.hand_error().max(), rel=0.02)


@pytest.mark.slow
def test_what_is_left_out_of_the_torques_is_seen_at_the_hand(robot, motion, strays):
    exact, slow, still = (strays(method(robot)) for method in (Exact, WithoutVelocityTerms, GravityOnly))
    assert exact < 1e-4
    run = control(
        robot, motion, "feed-forward-pd", gains={"model": WithoutVelocityTerms(robot)}, check=False
    )
    assert slow == pytest.approx(run.hand_error().max(), rel=0.02)
    assert 10 * exact < slow < still


def test_methods_that_know_nothing_beside_the_motion_can_be_asked(robot, motion, strays):
    exact = strays(Exact(robot))
    for method in (PathExtrapolation(robot, order=1, every=4), AlongTrajectory(robot, motion, 40)):
        assert exact * 0.9 < strays(method) < 2 * exact


def test_joints_whose_torques_are_not_given_are_held_by_their_brakes(robot):
    """The rest of the arm is led as by exact torques; without a brake the still joint would sag on its spring."""
    wrist = robot.joint_names[4]
    motion = robot.plan(
        [(0, 0.6, 0.4, 0, 0.5, 0), (1.2, 1.3, 0.8, 1, 0.5, 1.5)], velocity=1, acceleration=2
    )
    strays, held = straying(robot, motion), LockedJoints(robot, {wrist: 0.5})

    class Loose(Exact):
        def inverse_dynamics(self, q, qd, qdd):
            return held.inverse_dynamics(q, qd, qdd)

    exact = strays(Exact(robot))
    assert strays(held) < 2 * exact < strays(Loose(robot))


def test_an_arm_that_is_lost_strays_without_end(robot, motion):
    class Wrong(Exact):
        def inverse_dynamics(self, q, qd, qdd):
            return np.full(np.shape(q), 1e14)

    with pytest.warns(SimulationWarning, match="steps"):
        assert straying(robot, motion)(Wrong(robot)) == np.inf


def test_an_arm_that_cannot_be_simulated_has_no_answer():
    robot = strobe.load("planar2")
    first, last = robot.model.bodies
    last = replace(last, inertial=Inertial.zero(), joint=replace(last.joint, motor=Motor()))
    light = Robot(replace(robot.model, bodies=(first, last), golden=()))
    motion = light.plan([(0, 0), (1, 1)], velocity=1, acceleration=1)
    assert straying(light, motion)(Exact(light)) is None
