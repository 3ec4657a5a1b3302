"""Which terms of the torque matter."""

import numpy as np
import pytest

import strobe
from strobe.analysis import significance
from strobe.errors import ArgumentError


def test_the_terms_add_up_to_the_torque():
    robot = strobe.random(4, 3)
    q, qd, qdd = robot.random_state(0, 1)
    found = significance.measure(robot, states=1)
    velocity = significance.velocity_torques(robot, q, qd)
    assert np.allclose(found.velocity, np.abs(velocity[0]))
    gravity = np.abs(robot.gravity(q)[0])
    assert np.allclose(found.magnitude["gravity"], gravity)
    inertia = np.abs(np.diag(robot.mass_matrix(q)[0]) * qdd[0])
    assert np.allclose(found.magnitude["inertia"], inertia)


def test_shares_sum_to_one_and_gravity_fades_with_speed():
    found = significance.measure(strobe.load("panda"), states=32)
    shares = [found.overall(speed) for speed in (0.01, 1.0, 100.0)]
    assert all(sum(share.values()) == pytest.approx(1.0) for share in shares)
    gravity = [share["gravity"] for share in shares]
    assert gravity[0] > gravity[1] > gravity[2]
    assert gravity[2] < 1e-3


def test_the_velocity_terms_equal_gravity_at_the_speed_where_they_overtake_it():
    found = significance.measure(strobe.load("puma560"), states=32)
    for g, v, speed in zip(found.magnitude["gravity"], found.velocity, found.overtaking, strict=True):
        assert speed is None if v == 0 else v * speed**2 == pytest.approx(g)


def test_a_first_joint_along_gravity_carries_no_weight_and_one_joint_has_no_velocity_terms():
    assert significance.measure(strobe.load("panda"), states=8).overtaking[0] == 0.0
    pendulum = significance.measure(strobe.random(1, 3, kinds="R"), states=8)
    assert pendulum.overtaking == [None]
    assert pendulum.overall(1.0)["Coriolis"] == 0.0


def test_the_planar_arm_has_the_textbook_terms():
    """Joint 2 feels no Coriolis torque, joint 1 no centrifugal torque of its own rate."""
    found = significance.measure(strobe.load("planar2"), states=16)
    assert found.magnitude["Coriolis"][1] == 0.0
    assert found.magnitude["Coriolis"][0] > 0.0
    assert found.magnitude["centrifugal"][1] > 0.0


def test_speeds_must_be_positive():
    assert significance.checked_speeds([3, 1]) == (1, 3)
    with pytest.raises(ArgumentError, match="a speed is -1"):
        significance.checked_speeds([-1.0])
    with pytest.raises(ArgumentError, match="there are no speeds"):
        significance.checked_speeds([])
