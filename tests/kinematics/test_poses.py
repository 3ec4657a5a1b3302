"""Poses as people give them, and what is refused."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strobe.errors import ArgumentError, DtypeError, ShapeError
from strobe.kinematics.poses import checked_poses, pose

P = (0.1, -0.2, 0.3)


def refused(sentence):
    return pytest.raises(ArgumentError, match=re.escape(sentence))


def test_the_same_orientation_in_four_ways_is_one_pose():
    R = Rotation.from_euler("xyz", [0.3, -0.4, 0.5])
    x, y, z, w = R.as_quat()
    seen = R.as_matrix()
    expected = np.eye(4)
    expected[:3, :3], expected[:3, 3] = R.as_matrix(), P
    for given in (
        {"quaternion": (w, x, y, z)},
        {"rpy": (0.3, -0.4, 0.5)},
        {"rotation_vector": R.as_rotvec()},
        {"waters": np.arctan2(seen[[2, 0, 1], [1, 2, 0]], np.diag(seen)[[1, 2, 0]])},
        {"quaternion": (2 * w, 2 * x, 2 * y, 2 * z), "normalise": True},
    ):
        np.testing.assert_allclose(pose(P, **given), expected, atol=1e-15)
    np.testing.assert_allclose(pose(P)[:3], np.c_[np.eye(3), P])


def test_positions_and_orientations_broadcast():
    assert pose(np.zeros((5, 1, 3)), rpy=np.zeros((4, 3))).shape == (5, 4, 4, 4)


def test_a_quaternion_of_another_length_is_refused_with_its_length():
    with refused("quaternion has length 2 instead of 1. Divide it by its length, or say normalise=True."):
        pose(P, quaternion=(2.0, 0.0, 0.0, 0.0))
    with refused("quaternion[1] has length 0.5 instead of 1."):
        pose(P, quaternion=[(1.0, 0.0, 0.0, 0.0), (0.5, 0.0, 0.0, 0.0)])
    with refused("quaternion is zero, which is no rotation."):
        pose(P, quaternion=(0.0, 0.0, 0.0, 0.0), normalise=True)


def test_two_orientations_at_once_are_refused():
    with refused("an orientation is given as quaternion and as rpy; give one of them."):
        pose(P, quaternion=(1, 0, 0, 0), rpy=(0, 0, 0))


def test_a_reflection_is_named():
    with refused("pose is no rotation but a reflection: its determinant is −1."):
        checked_poses(np.diag([1.0, 1.0, -1.0, 1.0]))


def test_a_matrix_that_stretches_is_refused_with_by_how_much():
    batch = np.stack([np.eye(4), np.diag([1.0, 1.1, 1.0, 1.0])])
    with refused("pose[1] is no rotation: RᵀR differs from the identity by 0.21"):
        checked_poses(batch)


def test_a_pose_that_multiplies_rows_is_told_from_one_that_multiplies_columns():
    with refused("the last row of pose is (0.1, -0.2, 0.3, 1); expected (0, 0, 0, 1). Points are columns"):
        checked_poses(pose(P).T)


def test_a_nan_goes_through_to_be_answered_in_its_place():
    batch = np.stack([np.eye(4), np.full((4, 4), math.nan)])
    assert np.isnan(checked_poses(batch)[1]).all()


def test_less_than_a_pose_will_do_where_less_is_asked_about():
    np.testing.assert_array_equal(checked_poses(P, "position")[:3, 3], P)
    R = pose(rpy=(0.1, 0.2, 0.3))[:3, :3]
    np.testing.assert_array_equal(checked_poses(R, "orientation")[:3, :3], R)
    with pytest.raises(ShapeError, match=re.escape("pose has shape (3,); a pose is a 4×4 matrix")):
        checked_poses(P)


def test_what_is_asked_must_be_known_and_numbers():
    with refused('what is "velocity"; expected one of pose, position, orientation.'):
        checked_poses(np.eye(4), "velocity")
    with pytest.raises(DtypeError, match="pose holds text"):
        checked_poses([["a"] * 4] * 4)
