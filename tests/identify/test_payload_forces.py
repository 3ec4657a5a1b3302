"""Small test forces find a payload, if not only the wrist is asked."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError, UnknownNameError
from strobe.identify import force_tests, payload_regressor

PI = np.array([0.8, 0.016, -0.008, 0.048, 0.00596, 0.0072, 0.0024, 0.00016, -0.00096, 0.00048])
LOAD = (0.8, (0.02, -0.01, 0.06), (0.003, 0.004, 0.002, 0.0, 0.0, 0.0))
WRIST = ["joint4", "joint5", "joint6"]


@pytest.fixture(scope="module")
def arm(stanford):
    return stanford


@pytest.fixture(scope="module")
def loaded(arm):
    return arm.with_payload(*LOAD)


@pytest.fixture(scope="module")
def experiment(arm):
    """Eight poses with three tests of 0.05 N m each."""
    return force_tests(arm, arm.random_state(seed=2, batch=8)[0])


def test_the_three_joints_nearest_the_hand_are_tested(experiment):
    assert experiment.tested.tolist() == [3, 4, 5]
    assert np.array_equal(experiment.forces, 0.05 * np.eye(6)[3:])


def test_readings_are_those_of_an_arm_that_starts_from_rest(experiment, loaded):
    holding, qdd = experiment.readings(loaded)
    assert np.allclose(holding, loaded.gravity(experiment.poses))
    tau = loaded.inverse_dynamics(np.repeat(experiment.poses[:, None], 3, 1), np.zeros((8, 3, 6)), qdd)
    assert np.allclose(tau, holding[:, None] + experiment.forces, atol=1e-12)


def test_all_joints_together_find_the_payload_exactly(experiment, loaded):
    found = experiment.evaluate(*experiment.readings(loaded))
    assert found.rank == 10
    assert np.allclose(found.parameters, PI, rtol=0, atol=1e-12)


def test_rows_of_forces_have_rank_ten_and_a_condition_near_forty(experiment, arm, loaded):
    accelerations = experiment.readings(loaded)[1]
    qdd = np.concatenate([np.zeros((8, 1, 6)), accelerations], axis=1)
    q = np.repeat(experiment.poses[:, None], 4, axis=1)
    rows = payload_regressor(arm, q, np.zeros_like(q), qdd).reshape(-1, 10)
    assert np.linalg.matrix_rank(rows) == 10
    assert np.linalg.cond(rows) == pytest.approx(39.8, abs=0.1)  # 32 to 42 at other draws of eight poses


def test_the_equations_of_the_wrist_alone_leave_one_combination_open(experiment, loaded):
    found = experiment.evaluate(*experiment.readings(loaded), joints=WRIST)
    assert found.rank == 9
    assert np.allclose(found.fit.unseen, [[1, 0, 0, -0.263, 0.069169, 0.069169, 0, 0, 0, 0]], atol=1e-9)
    assert experiment.evaluate(*experiment.readings(loaded), joints=["joint3", *WRIST]).rank == 10


def test_pushing_a_joint_of_the_planar_arm_finds_what_the_plane_shows():
    robot = strobe.load("planar2")
    experiment = force_tests(robot, [[0.3, 0.4], [1.0, -1.2], [2.0, 0.5]], ["joint2"], 0.2)
    found = experiment.evaluate(*experiment.readings(robot.with_payload(*LOAD)))
    assert found.rank == 4
    assert np.allclose(found.parameters[[0, 1, 2, 6]], PI[[0, 1, 2, 6]], atol=1e-11)


def test_the_stated_uncertainty_is_honest(experiment, loaded):
    holding, qdd = experiment.readings(loaded)
    rng = np.random.default_rng(0)
    torque, acceleration = np.array([0.05, 0.05, 0.1, 0.02, 0.02, 0.01]), 0.02
    distances = []
    for _ in range(60):
        found = experiment.evaluate(
            holding + torque * rng.normal(size=holding.shape),
            qdd + acceleration * rng.normal(size=qdd.shape),
            torque_noise=torque,
            acceleration_noise=acceleration,
        )
        error = found.parameters - PI
        distances.append(error @ found.information @ error)
    assert abs(np.mean(distances) - 10) < 4 * np.sqrt(20 / 60)  # χ² with ten degrees of freedom


def test_noise_keeps_what_the_wrist_leaves_open_open(experiment, loaded):
    found = experiment.evaluate(
        *experiment.readings(loaded), joints=WRIST, torque_noise=0.1, acceleration_noise=0.1
    )
    assert found.rank == 9
    assert np.allclose(found.fit.seen @ found.parameters, found.fit.seen @ PI, atol=1e-9)


def test_what_to_do_is_said_pose_by_pose(arm):
    experiment = force_tests(arm, [0, 0.6, 0.4, 0, 0.5, 0], ["joint3", "joint6"], [0.5, 0.01])
    assert experiment.steps == (
        "hold the arm at q = (0, 0.6, 0.4, 0, 0.5, 0); read the torques that hold it; add 0.5 more at joint3, then "
        "0.01 more at joint6, from rest each time, and read all accelerations.",
    )
    assert experiment.notes == ()


def test_a_test_that_friction_would_swallow_is_said():
    puma = strobe.load("puma560")
    notes = force_tests(puma, np.zeros(6)).notes
    assert len(notes) == 3
    assert notes[0].endswith("more than its test of 0.05: it would not start to move. Test harder.")
    assert force_tests(puma, np.zeros(6), size=5.0).notes == ()


@pytest.mark.parametrize("size", [0.0, [0.05, 0.05], float("nan"), "much"])
def test_sizes_that_do_not_fit_are_refused(arm, size):
    with pytest.raises(ArgumentError, match="^size is "):
        force_tests(arm, np.zeros(6), size=size)


def test_poses_joints_and_frames_that_are_none_are_refused(arm):
    with pytest.raises(ShapeError, match="q has shape \\(2, 5\\); stanford has 6 joints"):
        force_tests(arm, np.zeros((2, 5)))
    with pytest.raises(
        ArgumentError, match="poses has shape \\(2, 2, 6\\); expected \\(P, 6\\), one row per pose"
    ):
        force_tests(arm, np.zeros((2, 2, 6)))
    with pytest.raises(UnknownNameError, match='no joint "wrist" in stanford'):
        force_tests(arm, np.zeros(6), ["wrist"])
    with pytest.raises(ArgumentError, match='no joint of stanford moves frame "base"'):
        force_tests(arm, np.zeros(6), frame="base")


def test_readings_that_do_not_fit_are_refused(experiment, loaded):
    holding, qdd = experiment.readings(loaded)
    with pytest.raises(
        ShapeError, match="holding has shape \\(6,\\); there are 8 poses, expected \\(8, 6\\)"
    ):
        experiment.evaluate(holding[0], qdd)
    with pytest.raises(
        ShapeError, match="qdd has shape \\(8, 6\\); there are 8 poses with 3 tests each, expected"
    ):
        experiment.evaluate(holding, qdd[:, 0])
    with pytest.raises(ArgumentError, match="give torque_noise and acceleration_noise, or neither of them"):
        experiment.evaluate(holding, qdd, torque_noise=0.1)
    with pytest.raises(ArgumentError, match="acceleration_noise is -1; a standard deviation is positive"):
        experiment.evaluate(holding, qdd, torque_noise=0.1, acceleration_noise=-1)
    gap = qdd.copy()
    gap[1, 2, 3] = np.nan
    with pytest.raises(ArgumentError, match="qdd is nan at sample 1, 2, joint joint4;"):
        experiment.evaluate(holding, gap)
