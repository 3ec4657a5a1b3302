"""Limits of joints, and of joints that follow them."""

import math
from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError
from strobe.kinematics.joint_ranges import ranges_of
from strobe.kinematics.solutions import SolutionStatus

LINK = """<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{name}_link"/>
<origin xyz="0.3 0 0"/><axis xyz="0 0 1"/><limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>{mimic}
</joint><link name="{name}_link"/>"""


@pytest.fixture
def fingers(tmp_path):
    """An arm with two joints in a plane, and a finger that follows the second: elbow = (0.1 − tip) / 2."""
    joints = [
        LINK.format(name="shoulder", parent="base", lower=-3, upper=3, mimic=""),
        LINK.format(name="elbow", parent="shoulder_link", lower=-2, upper=2, mimic=""),
        LINK.format(
            name="finger", parent="elbow_link", lower=-1, upper=2.1,
            mimic='<mimic joint="elbow" multiplier="-2" offset="0.1"/>',
        ),
    ]  # fmt: skip
    path = tmp_path / "fingers.urdf"
    path.write_text(f'<robot name="fingers"><link name="base"/>{"".join(joints)}</robot>')
    return strobe.load(path)


def test_a_joint_that_follows_bounds_the_one_that_it_follows(fingers):
    ranges = ranges_of(fingers)
    np.testing.assert_allclose(ranges.lower, [-3, -1.0])  # finger = 2.1
    np.testing.assert_allclose(ranges.upper, [3, 0.55])  # finger = −1
    assert ranges.within(np.array([[0.0, 0.5], [0.0, 0.6], [3.1, 0.0]])).tolist() == [True, False, False]
    assert ranges.turning.tolist() == [True, False]


def test_what_is_beyond_a_limit_is_named_with_the_limit(fingers):
    told = [str(each) for each in ranges_of(fingers).beyond(np.array([-3.5, 0.6]))]
    assert told == [
        'joint "shoulder" at -3.5, below its lower limit -3',
        'joint "finger" at -1.1, below its lower limit -1',
    ]
    assert list(ranges_of(fingers).standing(np.array([3.0, 0.55]))) == [
        'joint "shoulder" at its upper limit 3',
        'joint "elbow" at its upper limit 0.55',
    ]


@pytest.mark.parametrize("method", ["auto", "numeric"])
def test_inverse_kinematics_holds_the_limits_of_joints_that_follow(fingers, method):
    inside, outside = (fingers.forward_kinematics([0.4, x], "elbow_link") for x in (0.5, 0.7))
    good = fingers.inverse_kinematics(inside, "elbow_link", method=method)
    assert good.status == SolutionStatus.SOLVED
    np.testing.assert_allclose(good.q[0], [0.4, 0.5], atol=1e-9)
    bad = fingers.inverse_kinematics(outside, "elbow_link", method=method)
    assert bad.status != SolutionStatus.SOLVED
    assert 'joint "finger" ' in bad.reasons[0]
    assert "its lower limit -1" in bad.reasons[0] or "its limit -1 rad" in bad.reasons[0]


def test_the_middle_of_a_range_with_one_end_is_within_it():
    robot = strobe.load("planar2")
    ranges = ranges_of(robot)
    assert ranges.bounded.all()
    half = replace(ranges, lower=np.array([0.3, -math.inf]), upper=np.array([math.inf, -0.2]))
    assert half.centre.tolist() == [0.3, -0.2]


def test_motions_keep_the_limits_of_joints_that_follow(fingers):
    """The finger is bound to 1 rad/s and turns twice as fast as the elbow; at its end the elbow is at 0.55."""
    assert fingers.limits.velocity.tolist() == [1.0, 0.5]
    motion = fingers.plan([[0.0, -0.4], [0.0, 0.5]], acceleration=20.0)
    rates = np.abs(motion(np.linspace(0.0, motion.duration, 500))[1]).max(axis=0)
    assert rates[1] == pytest.approx(0.5, rel=1e-6)
    with pytest.raises(ArgumentError, match=r'"elbow".*0\.55'):
        fingers.plan([[0.0, -0.4], [0.0, 0.6]], acceleration=20.0)
