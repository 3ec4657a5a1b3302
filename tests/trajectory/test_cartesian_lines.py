"""The hand on straight lines: published deviations, lines and turns kept, and where a line ends."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError
from strobe.kinematics.orientation import rotation_vector_matrix
from strobe.trajectory.cartesian_lines import hand_line
from strobe.trajectory.constant_acceleration import plan
from strobe.trajectory.requests import request

START = np.array([0.3, 0.9, 0.6, -0.4, 0.7, 1.1])
SHIFT = np.array([-0.1, 0.25, 0.1])
BOUNDS = {"acceleration": (1.5, 1.5, 0.8, 4, 4, 4), "velocity": (1, 1, 0.6, 2, 2, 2)}


@pytest.fixture(scope="module")
def stanford():
    return strobe.load("stanford")


def from_line(robot, motion, start):
    """The largest distance of the hand from the line, and of its orientation from the one at the start."""
    T = robot.forward_kinematics(motion.sampled(count=3001)[1].q)
    r = T[:, :3, 3] - start[:3, 3]
    share = np.clip(r @ SHIFT / (SHIFT @ SHIFT), 0, 1)
    turned = np.trace(T[:, :3, :3] @ start[:3, :3].T, axis1=1, axis2=2)
    return np.linalg.norm(r - share[:, None] * SHIFT, axis=1).max(), np.arccos(
        np.clip((turned - 1) / 2, -1, 1)
    ).max()


@pytest.mark.parametrize(
    ("parts", "deviation"), [(1, 0.0194), (2, 0.0063), (4, 0.0031), (8, 0.0016), (16, 0.0008)]
)
def test_points_on_the_line_bring_the_hand_closer_as_published(stanford, parts, deviation):
    """Stopping at every point [methods 3.8]."""
    start = stanford.forward_kinematics(START)
    poses = np.repeat(start[None], parts + 1, axis=0)
    poses[:, :3, 3] += np.linspace(0, 1, parts + 1)[:, None] * SHIFT
    q = stanford.track(poses, START).q
    motion = plan(request(stanford, q, qd=np.zeros_like(q), **BOUNDS))
    assert from_line(stanford, motion, start)[0] == pytest.approx(deviation, abs=6e-5)


@pytest.mark.slow
@pytest.mark.parametrize("envelope", [None, 0.005])
def test_the_hand_keeps_its_line_and_its_orientation(stanford, envelope):
    start = stanford.forward_kinematics(START)
    end = start.copy()
    end[:3, 3] += SHIFT
    q = [START, stanford.inverse_kinematics(end, q0=START).q[0]]
    motion = hand_line(request(stanford, q, envelope=envelope, **BOUNDS))
    place, turn = from_line(stanford, motion, start)
    assert max(place, turn) <= (envelope or 1e-3) * 1.02
    assert motion.method == "hand-line"
    assert "points inserted: tool stays within" in motion.notes[-1]
    np.testing.assert_allclose(motion(motion.points).q, q, atol=1e-6)


@pytest.mark.slow
def test_the_hand_turns_about_one_axis(stanford):
    start = stanford.forward_kinematics(START)
    end = start.copy()
    end[:3, :3] = rotation_vector_matrix(np.array([0.0, 0.0, 0.6])) @ start[:3, :3]
    q = [START, stanford.inverse_kinematics(end, q0=START).q[0]]
    motion = hand_line(request(stanford, q, envelope=0.01, **BOUNDS))
    T = stanford.forward_kinematics(motion.sampled(count=201)[1].q)
    assert np.abs(T[:, :3, 3] - start[:3, 3]).max() < 0.01
    D = T[:, :3, :3] @ start[:3, :3].T
    assert np.abs(D[:, 2, 2] - 1).max() < 1e-4  # the axis z stays


@pytest.mark.slow
def test_a_redundant_arm_may_end_where_its_line_leads_if_the_hand_was_asked_for():
    panda = strobe.load("panda")
    q0 = np.array([0, -0.8, 0, -2.4, 0, 1.6, 0.8])
    end = panda.forward_kinematics(q0)
    end[:3, 3] += (0.05, 0.1, -0.05)
    asked = request(panda, [q0, panda.inverse_kinematics(end, q0=q0).q[0]], acceleration=5, envelope=0.01)
    with pytest.raises(
        ArgumentError, match=r'point 2 is reached with joint ".*" at .* Give the pose of the hand there'
    ):
        hand_line(asked)
    motion = hand_line(replace(asked, posed=(False, True)))
    np.testing.assert_allclose(panda.forward_kinematics(motion(motion.duration).q), end, atol=1e-9)


def test_an_arm_with_two_joints_keeps_the_place_and_says_so():
    arm = strobe.load("planar2")
    motion = hand_line(request(arm, [(0.3, 0.9), (0.9, 0.4)], acceleration=5))
    assert "Its orientation follows: the arm has too few joints to keep it." in motion.notes[-1]
    p = arm.forward_kinematics(motion.sampled(count=301)[1].q)[:, :2, 3]
    along = (p[-1] - p[0]) / np.linalg.norm(p[-1] - p[0])
    off = (p - p[0]) - ((p - p[0]) @ along)[:, None] * along
    assert np.abs(off).max() < 1e-3


def test_a_point_given_twice_is_named_once():
    points = [(0.3, 0.9), (0.9, 0.4), (0.9, 0.4)]
    motion = hand_line(request(strobe.load("planar2"), points, acceleration=5))
    assert motion.notes[:-1] == ("point 2 and point 3 are the same: no time passes between them.",)


def test_where_a_line_cannot_be_followed_is_told():
    arm = strobe.load("planar2")
    sentence = (
        r"cannot follow its straight line from point 1 to point 2: between 25 % and 50 % of its length the way ends "
        r'with joint "joint2" at its upper limit 2\.6'
    )
    with pytest.raises(ArgumentError, match=sentence):
        hand_line(request(arm, [(0.3, 0.9), (-2.8, 0.4)], acceleration=5))


def test_times_are_not_taken():
    with pytest.raises(ArgumentError, match=r"hand-line chooses its own times"):
        hand_line(request(strobe.load("planar2"), [(0, 1), (1, 1)], times=[0, 9], acceleration=5))


def test_an_envelope_that_a_velocity_leads_out_of_is_refused():
    arm = strobe.load("planar2")
    asked = request(arm, [(0.3, 0.9), (0.6, 0.6)], qd=[(-1, 1), (0, 0)], acceleration=5, envelope=1e-3)
    with pytest.raises(
        ArgumentError, match=r"from point 1 to point 2 the hand leaves its line by .* leave velocities open"
    ):
        hand_line(asked)
