"""Torques are linear in what the hand carries: golden values, and the formula of the hand's own motion."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError, UnknownNameError, UnsupportedModelError
from strobe.identify import payload_regressor

# [Waters1979] methods: a payload of 0.8 kg on the Stanford arm
PI = np.array([0.8, 0.016, -0.008, 0.048, 0.00596, 0.0072, 0.0024, 0.00016, -0.00096, 0.00048])
STATE = (
    np.array([0.3, 0.9, 0.6, -0.4, 0.7, 1.1]),
    np.array([0.2, -0.3, 0.15, 0.5, -0.4, 0.6]),
    np.array([0.5, -0.7, 0.4, 1.0, -0.9, 0.8]),
)
TORQUES = [0.311595572728, -5.06803513676, 5.29434566897, -1.40194952438, -0.686059663289, -0.0827935468534]
LOAD = (0.8, (0.02, -0.01, 0.06), (0.003, 0.004, 0.002, 0.0, 0.0, 0.0))


def S(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def L(v):
    x, y, z = v
    return np.array([[x, 0, 0, y, z, 0], [0, y, 0, x, 0, z], [0, 0, z, 0, x, y]])


def of_the_hand(robot, frame, q, qd, qdd):
    """Jᵀ blkdiag(R, R) Y with Y in hand axes, from the hand's velocity and acceleration."""
    J, R = robot.jacobian(q, frame), robot.forward_kinematics(q, frame)[:3, :3]
    rates = J @ qdd + robot.jacobian_dot(q, qd, frame) @ qd
    gravity = np.array([float(x) for x in robot.model.gravity.linear])
    a, alpha, w = R.T @ (rates[:3] - gravity), R.T @ rates[3:], R.T @ (J @ qd)[3:]
    Y = np.zeros((6, 10))
    Y[:3, 0], Y[:3, 1:4] = a, S(alpha) + S(w) @ S(w)
    Y[3:, 1:4], Y[3:, 4:] = -S(a), L(alpha) + S(w) @ L(w)
    return J.T @ np.kron(np.eye(2), R) @ Y


def test_the_golden_payload_takes_the_golden_torques():
    tau = payload_regressor(strobe.load("stanford"), *STATE) @ PI
    assert np.allclose(tau, TORQUES, rtol=0, atol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stanford", "panda", "puma560", "planar2"])
def test_it_is_the_formula_of_the_hands_motion(name):
    robot = strobe.load(name)
    q, qd, qdd = robot.random_state(seed=3)
    frame = robot.frames[-2]
    Y = payload_regressor(robot, q, qd, qdd, frame)
    assert np.allclose(Y, of_the_hand(robot, frame, q, qd, qdd), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["puma560", "biped10", "parallelogram"])
def test_it_is_what_a_payload_adds_on_robots_with_rotors_friction_branches_and_couplings(name):
    robot = strobe.load(name)
    state = robot.random_state(seed=1, batch=7)
    added = robot.with_payload(*LOAD).inverse_dynamics(*state) - robot.inverse_dynamics(*state)
    assert np.allclose(payload_regressor(robot, *state) @ PI, added, rtol=0, atol=1e-11)


@pytest.mark.slow
def test_it_is_what_a_payload_adds_with_spherical_and_floating_joints():
    robot = strobe.random(4, seed=2, kinds="SRF", tree=True)
    state = robot.random_state(seed=1, batch=3)
    frame = robot.frames[-1]
    added = robot.with_payload(*LOAD, frame=frame).inverse_dynamics(*state) - robot.inverse_dynamics(*state)
    assert np.allclose(payload_regressor(robot, *state, frame=frame) @ PI, added, rtol=0, atol=1e-10)


def test_batches_have_leading_axes():
    robot = strobe.load("planar2")
    q, qd, qdd = robot.random_state(seed=0, batch=(3, 5))
    assert payload_regressor(robot, q, qd, qdd).shape == (3, 5, 2, 10)
    assert payload_regressor(robot, q.tolist(), [0, 0], [0, 0]).shape == (3, 5, 2, 10)


def test_interpreted_robots_give_the_same():
    robot = strobe.load("planar2")
    state = robot.random_state(seed=0, batch=4)
    slow = strobe.robot.Robot(robot.model, compiled=False)
    assert np.allclose(
        payload_regressor(slow, *state), payload_regressor(robot, *state), rtol=0, atol=1e-13
    )


def test_a_frame_that_does_not_move_is_refused():
    with pytest.raises(
        ArgumentError,
        match='no joint of stanford moves frame "base". Name a frame that joints move, such as "tool"',
    ):
        payload_regressor(strobe.load("stanford"), *STATE, "base")
    with pytest.raises(UnknownNameError, match='no frame "hand" in stanford'):
        payload_regressor(strobe.load("stanford"), *STATE, "hand")


def test_wrong_sizes_and_robots_without_dynamics_are_refused():
    with pytest.raises(
        ShapeError, match="qd has shape \\(5,\\); stanford has 6 joints, expected \\(..., 6\\)"
    ):
        payload_regressor(strobe.load("stanford"), STATE[0], STATE[1][:5], STATE[2])
    with pytest.raises(UnsupportedModelError, match="rx90 has no dynamics"):
        payload_regressor(strobe.load("rx90"), *STATE)
