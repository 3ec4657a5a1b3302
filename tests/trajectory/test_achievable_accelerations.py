"""Accelerations that are always achievable: closed forms, and torques of states that were not looked at."""

import itertools

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError
from strobe.trajectory.achievable_accelerations import largest_acceleration


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


def needed(robot, found, qd, count=20_000, q=None):
    """The largest part of its limit that any joint needs in random states, accelerating in the worst directions."""
    rng = np.random.default_rng(99)
    low, high = found.ranges.q.T if q is None else q
    position = rng.uniform(low, high, size=(count, robot.n))
    speed = qd * np.sign(rng.normal(size=position.shape))
    signs = np.array(list(itertools.product((-1, 1), repeat=robot.n)))[rng.integers(2**robot.n, size=count)]
    tau = robot.inverse_dynamics(position, speed, signs * found.acceleration)
    return (np.abs(tau) / robot.limits.effort).max()


def test_a_slide_accelerates_by_what_gravity_leaves(tmp_path):
    text = """<robot name="lift"><link name="base"/>
    <link name="a"><inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="z" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
      <limit lower="0" upper="1" velocity="1" effort="30"/><dynamics damping="1" friction="0.5"/></joint></robot>"""
    path = tmp_path / "lift.urdf"
    path.write_text(text)
    found = largest_acceleration(strobe.load(path))
    np.testing.assert_allclose(found.acceleration, (30 - 2 * 9.81 - 1 - 0.5) / 2, rtol=1e-6)
    np.testing.assert_allclose(found.proven, 1.0, atol=1e-5)


def test_they_are_achievable_in_states_that_were_not_looked_at(arm):
    found = largest_acceleration(arm, qd=1.0, prove=False)
    assert 0.9 < needed(arm, found, 1.0) <= 1 + 1e-6


@pytest.mark.slow
def test_they_are_those_of_an_arm_with_seven_joints():
    panda = strobe.load("panda")
    found = largest_acceleration(panda, qd=0.5, prove=False)
    assert needed(panda, found, 0.5) <= 1 + 1e-6
    np.testing.assert_allclose(found.share.max(), 1.0, rtol=1e-6)


def test_the_worst_states_use_up_the_torque(arm):
    found = largest_acceleration(arm, qd=1.0, prove=False)
    for j in range(2):
        M = np.abs(arm.mass_matrix(found.q[j]))
        held = np.abs(arm.inverse_dynamics(found.q[j], found.qd[j], np.zeros(2)))
        np.testing.assert_allclose(
            (M @ found.acceleration + held)[j] / arm.limits.effort[j], found.share[j]
        )
    np.testing.assert_allclose(found.share, 1.0, rtol=1e-5)


def test_what_is_proven_is_no_more_than_what_was_found(arm):
    found = largest_acceleration(arm, qd=1.0)
    assert 0.9 < found.proven <= 1.0
    assert found.told.endswith("% of them proven for every angle.")


def test_narrower_ranges_leave_more(arm):
    wide, narrow = (largest_acceleration(arm, qd=speed, prove=False) for speed in (3.0, 0.1))
    assert np.prod(narrow.acceleration) > np.prod(wide.acceleration)


def test_a_shape_gives_the_proportions(arm):
    found = largest_acceleration(arm, qd=1.0, shape=(1.0, 2.0), prove=False)
    np.testing.assert_allclose(found.acceleration[1] / found.acceleration[0], 2.0, rtol=1e-12)
    assert 0.9 < needed(arm, found, 1.0) <= 1 + 1e-6


@pytest.mark.slow
def test_equations_too_long_to_prove_anything_are_said():
    found = largest_acceleration(
        strobe.load("panda"), qd=0.1, q=[(x, x) for x in (0, -0.5, 0, -2, 0, 1.5, 0.5)]
    )
    assert found.proven == 0.0
    assert "nothing of it proven" in found.told


def test_where_nothing_is_left_the_state_and_the_joint_are_named(arm):
    with pytest.raises(
        ArgumentError,
        match=r'no acceleration is always achievable: at q = \(.*\) and qd = \(.*\) joint "\w+" needs .* % of its '
        r"torque limit without accelerating. Narrow the range of q or qd, or allow more torque.",
    ):
        largest_acceleration(arm, qd=1.0, effort=5.0)


def test_bad_input_is_refused(arm):
    with pytest.raises(ArgumentError, match=r'joint "\w+" of puma560 has no limit on its torque'):
        largest_acceleration(strobe.load("puma560"))
    with pytest.raises(ShapeError, match="shape has shape"):
        largest_acceleration(arm, shape=(1.0,))
    with pytest.raises(ArgumentError, match="expected numbers of zero or more, not all of them zero."):
        largest_acceleration(arm, shape=(0.0, 0.0))
