"""Torques fed forward: the planned motion comes out again, as exactly as lines between rows allow."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError
from strobe.simulate import simulate
from strobe.simulate.feed_forward import EXACT, feed_forward


@pytest.mark.parametrize("method", ["constant-acceleration", "quintic"])
def test_a_planned_motion_is_followed_under_its_own_torques(method):
    robot = strobe.load("stanford")
    points = [
        [0.3, 0.9, 0.6, -0.4, 0.7, 1.1],
        [0.5, 0.7, 0.7, 0.1, 0.5, 0.8],
        [0.4, 0.8, 0.65, 0, 0.4, 0.9],
    ]
    motion = robot.plan(points, method, velocity=2, acceleration=4)
    table = feed_forward(robot, motion)
    start = motion(0.0)
    run = simulate(robot, start.q, start.qd, table, motion.duration, step=2e-3)
    np.testing.assert_allclose(run.q, motion(run.times).q, atol=5e-4)
    np.testing.assert_allclose(run.tau[-1], robot.inverse_dynamics(*motion(motion.duration)), atol=1e-6)


def test_lines_between_rows_are_as_exact_as_said_also_in_the_ramp_of_coulomb_friction():
    robot = strobe.load("planar2")
    motion = robot.plan([(0, 0.3), (1, 0.6), (0.2, 1.4)], velocity=2, acceleration=(4, 8))
    table = feed_forward(robot, motion)
    t = np.sort(np.random.default_rng(0).uniform(0, motion.duration, 4000))
    lines = np.stack([np.interp(t, table.times, tau) for tau in table.values.T], axis=1)
    tau = robot.inverse_dynamics(*motion(t))
    assert (np.abs(lines - tau).max(axis=0) < 5 * EXACT * np.abs(tau).max(axis=0)).all()


def test_a_joint_that_feels_nothing_asks_for_no_rows():
    robot = strobe.load("stanford")
    motion = robot.plan([[0, 0, 0.6, 0, 0, 0], [0, 0, 0.8, 0, 0, 0]], velocity=2, acceleration=4)
    assert len(feed_forward(robot, motion).times) < 1000


def test_friction_and_the_order_of_joints_are_those_of_the_robot():
    robot = strobe.load("planar2")
    motion = robot.plan([(0, 0.3), (1, 0.6)], velocity=2, acceleration=4)
    table = feed_forward(robot, motion, friction=False)
    np.testing.assert_allclose(table.values, robot.inverse_dynamics(*motion(table.times), friction=False))
    turned = replace(
        motion, joint_names=motion.joint_names[::-1], coefficients=motion.coefficients[:, ::-1]
    )
    np.testing.assert_array_equal(feed_forward(robot, turned, friction=False).values, table.values)
    still = replace(motion, times=np.zeros_like(motion.times))
    with pytest.raises(
        ArgumentError, match="the motion has no duration: there is nothing to feed forward."
    ):
        feed_forward(robot, still)
