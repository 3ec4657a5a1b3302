"""Computed torque for the hand."""

import numpy as np
import pytest

import strobe
from strobe.approximate import Exact
from strobe.control import OperationalSpace, control
from strobe.errors import ArgumentError, ShapeError

START, GOAL = np.array([0, 0.6, 0.4, 0, 0.5, 0]), np.array([0.6, 1.0, 0.6, 0.5, 0.9, 0.7])


@pytest.fixture(scope="module")
def stanford():
    return strobe.load("stanford")


@pytest.fixture(scope="module")
def motion(stanford):
    return stanford.plan([START, GOAL], "quintic", velocity=1.0, acceleration=3.0)


def apart(run, robot):
    """From where the hand is to where it should be."""
    wanted, here = (robot.forward_kinematics(q)[..., :3, 3] for q in (run.wanted[:, : robot.nq], run.q))
    return wanted - here


@pytest.mark.slow
def test_the_hand_follows_to_rounding(stanford, motion):
    run = control(stanford, motion, OperationalSpace(stanford, 1e-3), continuous=True)
    assert run.hand_error().max() < 1e-9
    assert np.abs(run.error).max() < 1e-7


@pytest.mark.slow
def test_the_error_of_the_hand_dies_with_the_poles_it_was_given(stanford, motion):
    q0 = START + np.array([0.02, -0.03, 0.01, 0.05, -0.04, 0.03])
    run = control(stanford, motion, OperationalSpace(stanford, 1e-3), q0=q0, continuous=True)
    t = run.times[:, None]
    found = apart(run, stanford)
    assert found == pytest.approx(
        found[0] * (1 + 20 * t) * np.exp(-20 * t), abs=1e-6 * np.abs(found[0]).max()
    )


@pytest.mark.slow
def test_the_hand_does_not_notice_the_posture_of_a_redundant_arm():
    robot = strobe.load("panda")
    start = np.array([0.1, -0.4, 0.2, -2.0, 0.1, 1.7, 0.6])
    motion = robot.plan([start, start + 0.2], "quintic", velocity=1.0, acceleration=3.0)
    idle = np.linalg.svd(robot.jacobian(start))[2][-1]  # a motion that the hand does not see, at first
    q0 = start + 1e-3 * idle
    run = control(robot, motion, OperationalSpace(robot, 1e-3), q0=q0, t=1.5, continuous=True)
    assert run.hand_error().max() < 1.01 * run.hand_error()[0] + 1e-12
    assert run.hand_error()[-1] < 1e-9
    assert np.abs(run.error[0]).max() > 1e-4
    assert np.abs(run.error[-1]).max() < 1e-8  # the posture comes back too


@pytest.mark.slow
def test_a_model_stands_for_the_dynamics(stanford, motion):
    own, strobed = (
        control(stanford, motion, OperationalSpace(stanford, 2e-3, model=model), t=0.1, check=False)
        for model in (None, Exact(stanford))
    )
    assert strobed.q == pytest.approx(own.q, abs=1e-12)


def test_at_a_singular_pose_torques_stay_finite():
    robot = strobe.load("planar2")
    motion = robot.plan([(0.3, 0.0), (0.3, 1e-6)], "quintic", velocity=1.0, acceleration=1.0)  # stretched
    run = control(robot, motion, OperationalSpace(robot, 1e-3, damping=1e-3), t=0.5, check=False)
    assert np.isfinite(run.tau).all()
    assert np.abs(run.error).max() < 1e-2


def test_gains_are_one_for_each_row(stanford):
    with pytest.raises(
        ShapeError, match=r"kp has shape \(6,\); the task has rows x, y, z, expected \(\.\.\., 3\)"
    ):
        OperationalSpace(stanford, 1e-3, kp=[1.0] * 6, of="translation")
    with pytest.raises(ArgumentError, match="damping has -1; expected finite numbers, 0 or more."):
        OperationalSpace(stanford, 1e-3, damping=-1.0)
