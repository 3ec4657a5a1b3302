"""A chain of lines on arrays, held against the robot that it was read from."""

import numpy as np
import pytest

import strobe
from strobe.kinematics.screws import error, inverse, newton, placement, placement_and_jacobian, rigid, turn
from strobe.kinematics.serial_chain import serial

DRAW = np.random.default_rng(0)


@pytest.mark.parametrize("name", ["stanford", "panda", "ur5", "puma560"])
def test_lines_carry_the_frame_where_the_robot_does(name):
    robot = strobe.load(name)
    chain = serial(robot)
    q = DRAW.uniform(-2, 2, (20, robot.n))
    T, J = placement_and_jacobian(chain, q[:, chain.columns])
    np.testing.assert_allclose(T, robot.forward_kinematics(q), atol=1e-12)
    np.testing.assert_allclose(placement(chain, q[:, chain.columns]), T, atol=1e-14)
    np.testing.assert_allclose(J, robot.jacobian(q)[..., chain.columns], atol=1e-12)


def test_the_error_is_the_step_and_the_rotation_vector_between_two_frames():
    axis = np.array([0.6, 0.0, -0.8])
    for angle in (0.0, 1e-10, 0.3, 3.0, np.pi):
        asked = rigid(turn(axis, np.array(angle)), np.array([1.0, 2.0, 3.0]))
        gap = error(np.eye(4), asked)
        np.testing.assert_allclose(gap[:3], [1, 2, 3])
        assert np.linalg.norm(gap[3:]) == pytest.approx(angle, abs=1e-14)
        assert min(np.abs(gap[3:] - s * angle * axis).max() for s in (1, -1)) < 1e-9


def test_the_inverse_undoes_a_motion():
    T = rigid(turn(np.array([0.0, 0.6, 0.8]), np.array(0.7)), np.array([1.0, -2.0, 0.5]))
    np.testing.assert_allclose(inverse(T) @ T, np.eye(4), atol=1e-15)


def test_newton_reaches_poses_close_by_to_rounding_and_says_how_close_it_came():
    chain = serial(strobe.load("panda"))
    q = DRAW.uniform(-1, 1, (50, 7))
    poses = placement(chain, q)
    found, residual = newton(chain, q + 0.05 * DRAW.normal(size=q.shape), poses)
    assert residual.max() < 1e-13
    np.testing.assert_allclose(
        np.linalg.norm(error(placement(chain, found), poses), axis=-1), residual, atol=1e-14
    )


def test_newton_keeps_the_best_place_it_met_where_a_pose_is_out_of_reach():
    chain = serial(strobe.load("panda"))
    pose = np.eye(4)
    pose[0, 3] = 5.0
    q, residual = newton(chain, np.full((1, 7), 0.3), pose[None])
    assert np.isfinite(q).all()
    assert 3.0 < residual[0] < 6.5
