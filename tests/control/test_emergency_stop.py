"""An emergency stop: to rest as fast as accelerations and torques allow, and what it cannot keep is said."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.control.emergency_stop import stop
from strobe.errors import ArgumentError
from strobe.trajectory.requests import request


def bounds(robot, **given):
    return request(robot, np.zeros((2, robot.n)), lower=-np.inf, upper=np.inf, **given).bounds


@pytest.fixture(scope="module")
def panda():
    return strobe.load("panda")


@pytest.fixture(scope="module")
def planar2():
    return strobe.load("planar2")


@pytest.mark.parametrize("seed", range(8))
def test_every_joint_brakes_at_its_full_acceleration(panda, seed):
    q, qd, _ = panda.random_state(seed)
    A = np.linspace(2, 8, 7)
    motion, overruns = stop(panda, q, qd, bounds(panda, velocity=100, acceleration=A))
    assert overruns == ()
    assert motion.duration == pytest.approx((np.abs(qd) / A).max(), rel=1e-12)
    end = motion(motion.duration)
    np.testing.assert_allclose(end.q, q + qd * np.abs(qd) / (2 * A), atol=1e-12)  # v² / 2A
    np.testing.assert_allclose(end.qd, 0, atol=1e-12)
    first = motion(0.0)
    np.testing.assert_array_equal(first.q, q)
    np.testing.assert_array_equal(first.qd, qd)
    largest = np.maximum(motion.extremes(2).largest, -motion.extremes(2).least)
    np.testing.assert_allclose(largest, A, rtol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_under_torque_limits_one_motor_is_at_its_limit_and_none_is_beyond(panda, seed):
    q, qd, _ = panda.random_state(seed)
    motion, overruns = stop(panda, 0.5 * q, qd, bounds(panda, velocity=100, acceleration=np.inf), True)
    assert overruns == ()
    t = np.linspace(0, motion.duration, 4001)
    share = np.abs(panda.inverse_dynamics(*motion(t))) / panda.limits.effort
    assert share.max() <= 1
    np.testing.assert_array_less(0.985, share.max(axis=1))  # at every moment some motor gives what it can
    np.testing.assert_allclose(motion(motion.duration).qd, 0, atol=1e-12)


def test_a_slide_under_a_force_limit_stops_in_the_time_and_room_of_newtons_law(tmp_path):
    """A slide without weight under F = 10 N and m = 2 kg stops after v m / F and v² m / 2F."""
    text = """<robot name="slide"><link name="base"/><link name="a"><inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="x" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/>
      <limit lower="-9" upper="9" velocity="5" effort="10"/></joint></robot>"""
    (tmp_path / "slide.urdf").write_text(text)
    slide = strobe.load(tmp_path / "slide.urdf")
    motion, _ = stop(slide, [0.0], [3.0], bounds(slide), motors=True)
    assert motion.duration == pytest.approx(3 * 2 / 10, rel=2e-3)
    assert motion(motion.duration).q[0] == pytest.approx(9 * 2 / 20, rel=2e-3)


def test_the_brakes_are_the_accelerations_where_torques_allow_them(panda):
    q, qd, _ = panda.random_state(1)
    given = bounds(panda, velocity=100, acceleration=1.0)
    free, held = (stop(panda, 0.5 * q, 0.3 * qd, given, motors).motion for motors in (False, True))
    np.testing.assert_array_equal(free.coefficients, held.coefficients)


def test_a_joint_that_cannot_stop_in_time_is_named_with_what_it_overruns_by(planar2):
    q, qd = np.array([1.0, 0.0]), np.array([2.0, -1.0])
    given = replace(bounds(planar2, velocity=9, acceleration=4.0), upper=np.array([1.2, 2.0]))
    _, overruns = stop(planar2, q, qd, given)
    assert overruns == ('joint "joint1" overruns its upper limit 1.2 by 0.3 rad.',)  # 1 + 2² / 8 − 1.2
    given = replace(given, upper=np.array([2.0, 2.0]), lower=np.array([-2.0, -0.1]))
    assert stop(planar2, q, qd, given).overruns == (
        'joint "joint2" overruns its lower limit -0.1 by 0.025 rad.',
    )


def test_motors_too_weak_to_stop_are_named(planar2):
    weak = bounds(planar2, velocity=9, acceleration=5.0, effort=(3.0, 12.0))
    motion, overruns = stop(planar2, [0.1, 0.2], [1.0, 1.0], weak, motors=True)
    assert motion.duration == pytest.approx(0.2)  # at its accelerations all the same
    assert overruns[0].startswith('joint "joint1" needs ')
    assert overruns[0].endswith("% of its torque limit to stop.")
    with pytest.raises(ArgumentError, match="planar2 cannot be stopped: its motors do not hold it at q = "):
        stop(planar2, [0.1, 0.2], [1.0, 1.0], bounds(planar2, effort=(3.0, 12.0)), motors=True)


def test_nothing_says_how_fast_a_joint_without_bounds_may_stop():
    stanford = strobe.load("stanford")
    with pytest.raises(ArgumentError, match='joint "joint1" has no bound on its acceleration or torque'):
        stop(stanford, np.zeros(6), np.ones(6), bounds(stanford))


def test_what_stands_still_is_stopped_already(planar2):
    motion, overruns = stop(planar2, [0.3, 0.4], [0.0, 0.0], bounds(planar2))
    assert (motion.duration, overruns) == (0.0, ())
    np.testing.assert_array_equal(motion(0.0).q, [0.3, 0.4])
