"""One step of damped least squares: against NumPy's linear algebra on the robot's own Jacobian."""

import numpy as np
import pytest

import strobe
from strobe.kinematics.damped_least_squares import Task
from strobe.kinematics.damped_step import ROWS
from strobe.kinematics.initial_guesses import seeds_of
from strobe.kinematics.poses import twelve
from strobe.kinematics.screws import error
from strobe.robot import Robot

DAMPING = np.array([1e-20, 0.01, 1e-6])
WHATS = ("pose", "position", "orientation")


def task_for(robot, what="pose", bounded=True):
    weights = np.linspace(1.0, 2.0, 6)[ROWS[what]]
    return Task(
        robot, robot.frames[-1], what, weights, bounded, 1e-10, seeds_of(robot, robot.frames[-1]).reach
    )


def missing(robot, q, poses):
    """What a step takes for the error: its rotation has the length 2 sin(θ/2)."""
    e = error(robot.forward_kinematics(q), poses)
    angle = np.linalg.norm(e[:, 3:], axis=-1, keepdims=True)
    e[:, 3:] *= 2 * np.sin(angle / 2) / angle
    return e


def damped(J, e, square):
    lam = DAMPING[1] * square + DAMPING[2]
    return np.linalg.solve(J.T @ J + lam * np.eye(J.shape[1]), J.T @ e)


def some(robot, count=20):
    q = robot.random_state(1, count)[0]
    near = q + 0.2 * np.random.default_rng(2).standard_normal(q.shape)
    return q, robot.forward_kinematics(near)


@pytest.mark.slow
@pytest.mark.parametrize("what", WHATS)
@pytest.mark.parametrize("name", ["panda", "ur5", "planar2", "stanford"])
def test_a_step_without_bounds_is_the_damped_least_squares_of_numpy(name, what):
    robot = strobe.load(name)
    task = task_for(robot, what, bounded=False)
    q, poses = some(robot)
    found = task.step(q, twelve(poses), DAMPING)
    e = missing(robot, q, poses)[:, ROWS[what]] * task.rows
    J = robot.jacobian(q)[:, ROWS[what]] * task.rows[:, None]
    expected = [damped(*each) for each in zip(J, e, found[:, -1], strict=True)]
    np.testing.assert_allclose(found[:, :-1] - q, expected, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found[:, -1], (e**2).sum(-1), rtol=1e-9)


def test_a_joint_at_a_bound_that_is_driven_out_rests_and_the_others_do_its_work():
    robot = strobe.load("panda")
    task = task_for(robot)
    q, poses = some(robot, 200)
    q = np.clip(q, robot.limits.lower, robot.limits.upper)
    q[:, 3] = robot.limits.upper[3]
    e = missing(robot, q, poses) * task.rows
    J = robot.jacobian(q) * task.rows[:, None]
    out = np.einsum("nij,ni->nj", J, e)[:, 3] > 0
    assert 10 < out.sum() < 190
    both = task.step(q, twelve(poses), DAMPING)
    found, square = both[:, :-1], both[:, -1]
    assert (found[out, 3] == q[out, 3]).all()
    assert (found[~out, 3] < q[~out, 3]).mean() > 0.5
    free = [0, 1, 2, 4, 5, 6]
    for k in np.flatnonzero(out)[:20]:
        move = damped(J[k][:, free], e[k], square[k])
        expected = np.clip(q[k, free] + move, robot.limits.lower[free], robot.limits.upper[free])
        np.testing.assert_allclose(found[k, free], expected, rtol=1e-6, atol=1e-9)


def test_a_step_never_leaves_the_bounds():
    robot = strobe.load("panda")
    q, poses = robot.random_state(3, 500)[0], robot.forward_kinematics(robot.random_state(4, 500)[0])
    after = task_for(robot).step(q, twelve(poses))[:, :-1]
    assert ((after >= robot.limits.lower) & (after <= robot.limits.upper)).all()
    at_bound = (after == robot.limits.lower) | (after == robot.limits.upper)
    assert at_bound.any()


def test_a_pose_that_is_reached_stays():
    robot = strobe.load("ur5")
    q = robot.random_state(5, 10)[0]
    found = task_for(robot).step(q, twelve(robot.forward_kinematics(q)))
    assert (found[:, :-1] == q).all()
    assert (found[:, -1] < 1e-25).all()


def test_half_a_turn_away_is_no_rest():
    robot = strobe.load("ur5")
    q = robot.random_state(6)[0]
    pose = robot.forward_kinematics(q)
    pose[:3, :3] = pose[:3, :3] @ np.diag([1.0, -1.0, -1.0])
    assert task_for(robot).step(q[None], twelve(pose)[None])[0, -1] > 0.9


def test_of_a_pull_only_the_part_that_the_frame_does_not_notice_is_followed():
    robot = strobe.load("panda")
    task = task_for(robot, bounded=False)
    q = robot.random_state(7, 20)[0]
    pull = 1e-4 * np.random.default_rng(8).standard_normal(q.shape)
    mobility = np.linspace(0.5, 2.0, 7)
    moved = task.pulled(q, twelve(robot.forward_kinematics(q)), pull, mobility)[:, :-1] - q
    J = robot.jacobian(q)
    assert np.abs(np.einsum("nij,nj->ni", J, moved)).max() < 1e-4 * np.abs(moved).max()
    for k in range(len(q)):  # the projection that is square in the metric of the mobility
        M = np.diag(mobility**2)
        projected = pull[k] - M @ J[k].T @ np.linalg.solve(J[k] @ M @ J[k].T, J[k] @ pull[k])
        np.testing.assert_allclose(moved[k], projected, rtol=1e-4, atol=1e-8)


@pytest.mark.slow
def test_quaternions_keep_their_length():
    robot = strobe.random(5, 2, kinds="RSF")
    q, other = (robot.random_state(seed, 10)[0] for seed in (1, 2))
    after = task_for(robot, bounded=False).step(q, twelve(robot.forward_kinematics(other)))[:, :-1]
    quaternions = [joint for joint in robot.coordinates.joints if joint.nq > 1]
    assert quaternions
    for joint in quaternions:
        parts = after[:, joint.q + joint.nq - 4 : joint.q + joint.nq]
        np.testing.assert_allclose(np.linalg.norm(parts, axis=-1), 1.0, rtol=1e-12)


def test_interpreted_and_compiled_steps_are_the_same():
    robot = strobe.load("puma560")
    q, poses = some(robot)
    plain = task_for(Robot(robot.model, compiled=False)).step(q, twelve(poses))
    np.testing.assert_allclose(task_for(robot).step(q, twelve(poses)), plain, rtol=1e-10, atol=1e-12)
