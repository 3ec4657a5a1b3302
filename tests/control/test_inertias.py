"""Extremes of inertia over all poses: closed forms, and more random poses than the search tried."""

import numpy as np
import pytest

import strobe
from strobe.control.inertias import inertias


def eigenvalues(robot, q, D):
    return np.linalg.eigvals(robot.mass_matrix(q) / D[:, None]).real


@pytest.fixture(scope="module", params=["planar2", "stanford", "panda", "spherical3"])
def robot(request):
    return strobe.load(request.param)


def test_the_extremes_of_a_planar_arm_are_those_of_its_closed_form():
    robot = strobe.load("planar2")
    q2 = np.linspace(-2.6, 2.6, 20001)
    M = robot.mass_matrix(np.stack([0 * q2, q2], axis=1))
    found = inertias(robot)
    stretched = 2 * 0.18**2 + 0.03 + 1.5 * (0.4 + 0.15) ** 2 + 0.012
    assert found.highest == pytest.approx([stretched, 1.5 * 0.15**2 + 0.012 + 0.05])
    assert found.lowest[0] == pytest.approx((M[:, 0, 0] - M[:, 0, 1] ** 2 / M[:, 1, 1]).min(), rel=1e-6)
    assert found.lowest[1] == pytest.approx((M[:, 1, 1] - M[:, 0, 1] ** 2 / M[:, 0, 0]).min(), rel=1e-6)
    assert found.weight == pytest.approx([9.81 * (2 * 0.18 + 1.5 * 0.55), 9.81 * 1.5 * 0.15])


@pytest.mark.slow
def test_no_pose_has_more_inertia_than_the_bound_nor_less_than_the_lightest(robot):
    found, (q, _, _) = inertias(robot), robot.random_state(7, 20000)
    values = eigenvalues(robot, q, found.bound)
    assert values.max() <= 1 + 1e-6
    assert values.min() >= (1 - 1e-6) / found.lightest
    own = np.diagonal(robot.mass_matrix(q), axis1=1, axis2=2)
    assert (own <= found.highest * (1 + 1e-9)).all()


@pytest.mark.slow
def test_the_lightest_mode_is_that_of_its_pose_which_is_within_the_limits(robot):
    found = inertias(robot)
    assert 1 / eigenvalues(robot, found.where, found.bound).min() == pytest.approx(found.lightest)
    assert (found.where >= robot.limits.lower).all()
    assert (found.where <= robot.limits.upper).all()


@pytest.mark.slow
def test_the_same_robot_has_the_same_extremes_every_time():
    first, again = (inertias(strobe.load("stanford")) for _ in range(2))
    assert (first.highest == again.highest).all()
    assert first.lightest == again.lightest


def test_joints_that_do_not_pull_on_each_other_have_no_coupling():
    assert inertias(strobe.load("spherical3")).coupling == pytest.approx(1, abs=1e-9)
