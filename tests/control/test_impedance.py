"""A hand on springs."""

import numpy as np
import pytest

import strobe
from strobe.control import Impedance, control
from strobe.control.end_effector_task import rotation_between

POSE = np.array([0.3, 0.9, 0.6, -0.4, 0.7, 1.1])
STIFFNESS = np.array([400.0, 300.0, 500.0, 20.0, 25.0, 30.0])
DAMPING = np.array([150.0, 150.0, 150.0, 1.0, 1.0, 1.0])


def held(robot, pose, controller, **how):
    motion = robot.plan([pose, pose + 1e-6], "quintic", velocity=1.0, acceleration=1.0)
    return control(robot, motion, controller, check=False, **how)


def gone(robot, run):
    """From where the hand should be to where it is, in the end: metres and radians."""
    there, here = (
        robot.forward_kinematics(run.wanted[-1, : robot.nq]),
        robot.forward_kinematics(run.q[..., -1, :]),
    )
    turns = [list(rotation_between(there.tolist(), each.tolist())) for each in here.reshape(-1, 4, 4)]
    return np.concatenate([(here - there)[..., :3, 3], np.reshape(turns, (*here.shape[:-2], 3))], axis=-1)


@pytest.mark.slow
def test_a_wrench_moves_the_hand_by_force_over_stiffness():
    robot = strobe.load("stanford")
    wrench = np.diag([4.0, -6.0, 5.0, 0.5, 0.8, -0.6])
    run = held(robot, POSE, Impedance(robot, 2e-4, STIFFNESS, DAMPING), wrench=wrench, t=12.0)
    assert gone(robot, run) == pytest.approx(wrench / STIFFNESS, abs=1e-7)


@pytest.mark.slow
def test_posture_of_a_redundant_arm_is_not_felt_at_the_hand():
    robot = strobe.load("panda")
    pose = np.array([0.1, -0.4, 0.2, -2.0, 0.1, 1.7, 0.6])
    stiffness = np.array([800.0, 800.0, 800.0, 30.0, 30.0, 30.0])
    damping = np.array([150.0, 150.0, 150.0, 6.0, 6.0, 6.0])
    wrench = np.array([8.0, 0.0, -4.0, 0.0, 0.0, 0.0])
    run = held(robot, pose, Impedance(robot, 1e-3, stiffness, damping), wrench=wrench, t=8.0)
    assert gone(robot, run) == pytest.approx(wrench / stiffness, abs=1e-5)
    assert np.abs(run.qd[-1]).max() < 1e-4


@pytest.mark.slow
def test_springs_feel_no_motion_that_is_wanted():
    robot = strobe.load("stanford")
    motion = robot.plan([POSE, POSE + 0.3], "quintic", velocity=1.0, acceleration=3.0)
    run = control(robot, motion, Impedance(robot, 1e-3), continuous=True)
    assert run.hand_error().max() < 1e-9
