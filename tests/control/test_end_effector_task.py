"""Rows of a hand's motion."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import strobe
from strobe.control.end_effector_task import EndEffectorTask, rotation_between
from strobe.errors import ArgumentError, UnknownNameError


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.0316, 0.0317, 0.5, 1.6, 3.0, np.pi - 1e-4])
def test_the_rotation_between_two_is_scipys(angle):
    axis = np.array([0.36, -0.48, 0.8])
    here = Rotation.from_rotvec((0.4, -1.1, 0.3))
    there = Rotation.from_rotvec(angle * axis) * here
    found = list(rotation_between(here.as_matrix().tolist(), there.as_matrix().tolist()))
    assert found == pytest.approx(angle * axis, rel=1e-11, abs=1e-15)


def test_a_half_turn_is_finite():
    turned = Rotation.from_rotvec((0, 0, np.pi)).as_matrix().tolist()
    assert np.isfinite(list(rotation_between(np.eye(3).tolist(), turned))).all()


@pytest.mark.parametrize(
    ("name", "rows", "redundant"),
    [
        ("planar2", ("x", "y"), False),
        ("planar3", ("x", "y", "wz"), False),
        ("stanford", ("x", "y", "z", "wx", "wy", "wz"), False),
        ("panda", ("x", "y", "z", "wx", "wy", "wz"), True),
    ],
)
def test_without_names_it_is_what_the_arm_can_move(name, rows, redundant):
    task = EndEffectorTask(strobe.load(name))
    assert (task.names, task.redundant) == (rows, redundant)


def test_rows_that_the_arm_cannot_move_are_refused_with_some_that_it_can():
    with pytest.raises(ArgumentError) as told:
        EndEffectorTask(strobe.load("planar2"), of="translation")
    assert str(told.value) == (
        'planar2 can move 2 of the 3 rows x, y, z of frame "tool" at will; name at most 2, such as '
        "of=('x', 'y')."
    )
    with pytest.raises(UnknownNameError, match='no row "up" in a Jacobian'):
        EndEffectorTask(strobe.load("planar2"), of="up")
    with pytest.raises(UnknownNameError, match='no frame "hand" in planar2'):
        EndEffectorTask(strobe.load("planar2"), frame="hand")


@pytest.mark.parametrize("of", [None, "translation"])
def test_a_frame_that_no_joint_moves_is_refused(of):
    with pytest.raises(ArgumentError, match='no joint of stanford moves frame "base"'):
        EndEffectorTask(strobe.load("stanford"), "base", of)


def test_the_drift_is_the_acceleration_of_a_hand_whose_joints_do_not_accelerate():
    robot = strobe.load("stanford")
    q, qd, _ = robot.random_state(1)
    h, task = 1e-5, EndEffectorTask(robot)
    rates = [robot.jacobian(q + k * h * qd) @ qd for k in (1, -1)]
    assert task.drift(q.tolist(), qd.tolist()) == pytest.approx((rates[0] - rates[1]) / (2 * h), abs=1e-7)
