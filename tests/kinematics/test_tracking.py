"""Paths of the joints: continuous, on one branch, and honest about where they end."""

import math

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError
from strobe.kinematics.poses import pose
from strobe.kinematics.solutions import SolutionStatus
from strobe.kinematics.tracking import track

START = np.array([0.3, 0.9, 0.6, -0.4, 0.7, 1.1])


@pytest.fixture(scope="module")
def stanford():
    return strobe.load("stanford")


def circle(robot, q, count=60, radius=0.05):
    poses = np.tile(robot.forward_kinematics(q), (count, 1, 1))
    angle = np.linspace(0, 2 * math.pi, count)
    poses[:, 0, 3] += radius * np.sin(angle)
    poses[:, 1, 3] += radius * (1 - np.cos(angle))
    return poses


def test_a_closed_path_of_the_hand_is_a_closed_path_of_a_regular_arm(stanford):
    poses = circle(stanford, START)
    path = track(stanford, poses, START)
    assert path.complete
    assert path.status == SolutionStatus.SOLVED
    assert path.reason == ""
    assert path.reached == len(poses)
    assert np.abs(stanford.forward_kinematics(path.q) - poses).max() < 1e-10
    np.testing.assert_allclose(path.q[0], START, atol=1e-9)
    np.testing.assert_allclose(path.q[-1], START, atol=1e-8)
    assert np.abs(np.diff(path.q, axis=0)).max() < 0.05
    assert (path.pieces == 1).all()


def test_the_joints_move_as_the_inverse_jacobian_says(stanford):
    poses = circle(stanford, START, 400)
    path = track(stanford, poses, START)
    moves = np.diff(path.q, axis=0)
    shifts = np.diff(poses[:, :3, 3], axis=0)
    middle = stanford.jacobian((path.q[1:] + path.q[:-1]) / 2)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", middle, moves)[:, :3], shifts, atol=1e-7)


def test_a_long_way_is_divided_and_stays_on_its_branch(stanford):
    q1 = START + np.array([1.2, 0.3, 0.4, 0.5, 0.6, -0.8])
    poses = stanford.forward_kinematics(np.array([START, q1]))
    path = track(stanford, poses, START)
    assert path.complete
    assert path.pieces[1] > 3
    np.testing.assert_allclose(path.q[1], q1, atol=1e-8)
    finer = track(stanford, poses, START, step=0.02)
    assert finer.pieces[1] > 2 * path.pieces[1]
    np.testing.assert_allclose(finer.q[1], path.q[1], atol=1e-8)


def test_every_branch_stays_itself(stanford):
    other = np.array([-2.20831678165, -0.9, 0.6, 2.52710465619, 1.13463337514, 0.800425582443])  # same pose
    poses = circle(stanford, START)
    path = track(stanford, poses, other)
    assert path.complete
    np.testing.assert_allclose(path.q[-1], other, atol=1e-8)


def test_a_path_ends_at_a_limit_and_says_at_which(stanford):
    poses = np.tile(stanford.forward_kinematics(START), (50, 1, 1))
    poses[:, 2, 3] += np.linspace(0, 2.0, 50)
    path = track(stanford, poses, START)
    assert not path.complete
    assert path.status == SolutionStatus.NOT_CONVERGED
    assert 0 < path.reached < 50
    assert np.isfinite(path.q[: path.reached]).all()
    assert np.isnan(path.q[path.reached :]).all()
    assert path.reason.startswith(f"poses[{path.reached}] is not reached: the path ends ")
    assert path.reason.endswith(
        f' % of the way from poses[{path.reached - 1}], with joint "joint3" at its upper limit 1.27.'
    )
    assert path.q[path.reached - 1, 2] < 1.27
    assert track(stanford, poses, START, limits=False).complete


def test_without_limits_a_path_may_begin_outside_of_them(stanford):
    outside = START + np.array([0, 0, 0.8, 0, 0, 0])
    poses = circle(stanford, outside, 10)
    path = track(stanford, poses, outside, limits=False)
    assert path.complete
    np.testing.assert_allclose(path.q[0], outside, atol=1e-8)
    assert track(stanford, poses, outside).reached == 0


@pytest.mark.slow
def test_a_path_whose_first_pose_nothing_reaches_has_no_poses(stanford):
    path = track(stanford, pose(np.array([[0.1, 0.0, 0.8], [0.1, 0.0, 0.9]])))
    assert path.reached == 0
    assert path.status == SolutionStatus.UNREACHABLE
    assert path.reason.startswith("poses[0]: unreachable: the wrist lies 0.054 m inside the cylinder")


def test_a_path_ends_where_its_branch_ends():
    robot = strobe.load("planar2")
    poses = pose(np.linspace([0.4, 0.2, 0.0], [1.4, 0.2, 0.0], 20))
    path = track(robot, poses, [0.1, 1.2], what="position")
    assert 0 < path.reached < 20
    assert path.reason.endswith(", at the edge of what this branch reaches.")
    assert np.linalg.norm(poses[path.reached, :3, 3]) > np.linalg.norm(
        robot.forward_kinematics([0, 0])[:3, 3]
    )


def test_through_a_singular_pose_no_joint_jumps():
    robot = strobe.load("planar2")
    poses = pose(np.linspace([0.3, 0.001, 0.0], [-0.3, 0.001, 0.0], 5))  # past the first joint, very near
    path = track(robot, poses, [0.1, 2.0], what="position", step=0.1)
    whole = path.q[: path.reached]
    assert np.abs(robot.forward_kinematics(whole)[:, :3, 3] - poses[: path.reached, :3, 3]).max() < 1e-9
    if not path.complete:
        assert "poses[" in path.reason


def test_of_several_starts_the_first_that_gets_through_is_taken(stanford):
    poses = np.tile(stanford.forward_kinematics(START), (30, 1, 1))
    poses[:, 2, 3] += np.linspace(0, 0.3, 30)
    nowhere = np.full(6, np.nan)
    path = track(stanford, poses, [nowhere, START])
    assert path.complete
    np.testing.assert_allclose(path.q[0], START, atol=1e-9)


@pytest.mark.slow
def test_without_a_start_one_is_found(stanford):
    assert track(stanford, circle(stanford, START, 20)).complete
    panda = strobe.load("panda")
    q = np.array([0.2, 0.3, -0.2, -1.9, 0.1, 2.0, 0.4])
    path = track(panda, circle(panda, q, 20))
    assert path.complete
    assert ((path.q >= panda.limits.lower) & (path.q <= panda.limits.upper)).all()
    assert np.abs(np.diff(path.q, axis=0)).max() < 0.2


def test_a_path_from_a_start_that_leads_nowhere_has_no_poses():
    robot = strobe.load("planar2")
    path = track(robot, [[3.0, 0.0, 0.0]], [0.1, 0.2], what="position")
    assert path.reached == 0
    assert path.status == SolutionStatus.UNREACHABLE
    assert path.reason == (
        'poses[0] is 3 m away from joint "joint1"; frame "tool" gets at most 0.75 m away from it.'
    )


def test_a_bad_pose_ends_a_path(stanford):
    poses = circle(stanford, START, 6)
    poses[3, 0, 3] = np.inf
    path = track(stanford, poses, START)
    assert path.status == SolutionStatus.INVALID
    assert path.reached == 3
    assert path.reason == "poses[3] holds a NaN or an infinity."


def test_what_is_no_path_is_refused(stanford):
    poses = circle(stanford, START, 6)
    with pytest.raises(ShapeError) as refused:
        track(stanford, poses[0], START)
    assert (
        str(refused.value) == "poses has shape (4, 4); a path is one sequence of poses, expected (T, 4, 4)."
    )
    with pytest.raises(ArgumentError, match="step is -1; expected a positive number"):
        track(stanford, poses, START, step=-1)
    with pytest.raises(ArgumentError) as refused:
        track(stanford, poses, [[np.nan] * 6])
    assert str(refused.value) == "q0 holds no position without a NaN or an infinity."
    with pytest.raises(ShapeError, match="it is one position or several"):
        track(stanford, poses, np.zeros((1, 1, 6)))
