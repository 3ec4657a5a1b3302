"""Motions through points: what they pass, what they keep, what they refuse."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import strobe
from strobe.errors import ArgumentError
from strobe.trajectory.constant_acceleration import plan
from strobe.trajectory.envelope import deviations
from strobe.trajectory.requests import request
from strobe.trajectory.via_points import chosen_velocities, in_proportion

CORNER = np.array([(0, 0), (1, 0.4), (1.6, 2)])
V, A = (1.0, 1.2), (0.5, 0.3)


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


def corner(arm, parts=1, **options):
    """The corner path of the spec, each leg cut into parts."""
    shares = np.arange(1, parts + 1) / parts
    points = [
        CORNER[:1],
        *(a + shares[:, None] * (b - a) for a, b in pairwise(CORNER)),
    ]
    return request(arm, np.concatenate(points), velocity=V, acceleration=A, **options)


def test_a_motion_passes_its_points_at_their_velocities(arm):
    qd = [(0.1, 0.0), (0.2, 0.3), (np.nan, -0.2), (0, 0)]
    asked = request(arm, [(0, 0), (0.4, 0.2), (0.1, 0.5), (0, 0)], qd=qd, velocity=V, acceleration=A)
    motion = plan(asked)
    there = motion(motion.points)
    np.testing.assert_allclose(there.q, asked.q, atol=1e-12)
    given = ~np.isnan(asked.qd)
    # Where the acceleration jumps the motion holds the later piece's, at the end the earlier one's: both meet in qd.
    np.testing.assert_allclose(there.qd[given], asked.qd[given], atol=1e-12)


def test_position_and_velocity_have_no_jumps(arm):
    motion = plan(corner(arm, 3))
    inner = motion.times[1:-1]
    before, after = motion(inner - 1e-9), motion(inner)
    np.testing.assert_allclose(before.q, after.q, atol=1e-8)
    np.testing.assert_allclose(before.qd, after.qd, atol=1e-8)


@pytest.mark.parametrize(
    ("parts", "deviation", "duration"),
    [
        (1, 0.061470, 7.447),
        (2, 0.030735, 10.532),
        (4, 0.015367, 14.895),
        (8, 0.007684, 21.064),
        (16, 0.003842, 29.789),
    ],
)
def test_stopping_at_every_point_deviates_in_proportion_and_takes_the_root_of_their_number(
    arm, parts, deviation, duration
):
    """The published deviations were sampled; the exact ones are a sixth of a per cent larger [methods 3.8]."""
    asked = corner(arm, parts, qd=np.zeros((2 * parts + 1, 2)))
    motion = plan(asked)
    assert motion.duration == pytest.approx(duration, abs=1e-3)
    far = deviations(motion, asked.q).max()
    assert far == pytest.approx(deviation, rel=2e-3)
    assert far * parts == pytest.approx(0.0615714, rel=1e-5)


def test_velocities_in_proportion_give_the_published_times(arm):
    for parts, duration in ((1, 5.857), (2, 6.127)):
        asked = corner(arm, parts)
        motion = plan(corner(arm, parts, qd=in_proportion(asked)))
        assert motion.duration == pytest.approx(duration, abs=1e-3)


def test_chosen_velocities_take_less_time_than_those_in_proportion(arm):
    for parts in (1, 2, 4, 8):
        asked = corner(arm, parts)
        chosen = plan(corner(arm, parts, qd=chosen_velocities(asked))).duration
        proportional = plan(corner(arm, parts, qd=in_proportion(asked))).duration
        stopping = plan(corner(arm, parts, qd=np.zeros_like(asked.q))).duration
        assert chosen < 0.98 * proportional < 0.95 * stopping


def test_denser_points_come_closer_to_the_lines(arm):
    far = []
    for parts in (1, 2, 4, 8, 16, 32):
        asked = corner(arm, parts)
        far.append(deviations(plan(asked), asked.q).max())
    assert all(later < 0.7 * earlier for earlier, later in pairwise(far))


def test_an_envelope_is_kept_by_inserting_points(arm):
    for envelope in (0.05, 0.01):
        motion = plan(corner(arm, envelope=envelope))
        t, state = motion.sampled(count=5001)
        far = np.full(len(t), np.inf)
        for a, b in pairwise(CORNER):
            share = np.clip((state.q - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
            far = np.minimum(far, np.linalg.norm(state.q - a - share[:, None] * (b - a), axis=1))
        assert far.max() <= envelope
        assert "points inserted" in motion.notes[-1]


@pytest.mark.slow
def test_an_envelope_that_a_velocity_leads_out_of_is_refused(arm):
    with pytest.raises(ArgumentError, match=r"velocity prescribed at point 2 leads away"):
        plan(corner(arm, qd=[(0, 0), (np.nan, -0.5), (0, 0)], envelope=0.01))


def test_ramps_that_are_short_beside_the_whole_motion_are_not_lost(arm):
    motion = plan(request(arm, [(0, 0), (1, 0.5)], velocity=1e-6, acceleration=5))
    assert motion.duration == pytest.approx(1e6)
    np.testing.assert_array_equal(motion([0.0, motion.duration]).qd, 0.0)


def test_bounds_hold_between_samples(arm):
    motion = plan(corner(arm, 4))
    speed, push = motion.extremes(1), motion.extremes(2)
    for j in range(2):
        assert max(-speed.least[j], speed.largest[j]) <= V[j] * (1 + 1e-12)
        assert max(-push.least[j], push.largest[j]) <= A[j] * (1 + 1e-12)


points = st.lists(st.tuples(st.floats(-2.5, 2.5), st.floats(-2.5, 2.5)), min_size=2, max_size=7)


@pytest.mark.slow
@settings(max_examples=60)
@given(points, st.data())
def test_any_points_are_passed_within_bounds(arm, points, data):
    doubled = data.draw(st.lists(st.integers(0, len(points) - 1), max_size=2))
    for k in doubled:
        points.insert(k, points[k])  # the same point twice
    asked = request(arm, points, velocity=V, acceleration=A)
    motion = plan(asked)
    np.testing.assert_allclose(motion(motion.points).q, asked.q, atol=1e-9)
    assert (np.abs(motion(motion.points).qd[[0, -1]]) <= 1e-9).all()
    speed, push, place = motion.extremes(1), motion.extremes(2), motion.extremes(0)
    assert (np.maximum(-speed.least, speed.largest) <= np.array(V) * (1 + 1e-9)).all()
    assert (np.maximum(-push.least, push.largest) <= np.array(A) * (1 + 1e-9)).all()
    assert (place.least >= asked.q.min(axis=0) - 1e-9).all()  # what chooses its speeds does not overshoot
    assert (place.largest <= asked.q.max(axis=0) + 1e-9).all()


def test_points_that_are_the_same_take_no_time_and_are_named(arm):
    motion = plan(request(arm, [(0, 0), (0, 0), (1, 0.4)], velocity=V, acceleration=A))
    assert motion.duration == pytest.approx(2 * math.sqrt(2))
    assert motion.notes == ("point 1 and point 2 are the same: no time passes between them.",)
    still = plan(request(arm, [(0.3, 0.1), (0.3, 0.1)], velocity=V, acceleration=A))
    assert still.duration == 0.0
    np.testing.assert_array_equal(still(0.0).q, [0.3, 0.1])


def test_given_times_are_kept(arm):
    motion = plan(request(arm, CORNER, times=[2.0, 6.0, 12.0], velocity=V, acceleration=A))
    np.testing.assert_allclose(motion.points, [0, 4, 10])
    np.testing.assert_allclose(motion(motion.points).q, CORNER, atol=1e-12)


def test_figure_5_is_a_motion_of_two_parabolas():
    arm = strobe.load("planar2").lock({"joint2": 0.0})
    asked = request(arm, [[1], [5]], qd=[[1], [-1]], velocity=3, acceleration=0.5, lower=-1, upper=9)
    motion = plan(asked)
    assert motion.duration == pytest.approx(4 * math.sqrt(3), abs=1e-13)
    np.testing.assert_allclose(motion.times, [0, 2 * (math.sqrt(3) - 1), 4 * math.sqrt(3)])
    at_c, at_d = motion(2 * (math.sqrt(3) - 1)), motion(4 * math.sqrt(3) - 2)
    np.testing.assert_allclose([at_c.q[0], at_c.qd[0]], [3, math.sqrt(3)], atol=1e-12)
    np.testing.assert_allclose([at_d.q[0], at_d.qd[0]], [6, 0], atol=1e-12)


# -- refusals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"q": [(0, 0)]}, r"the request has 1 point; a motion needs two or more\."),
        ({"q": [(0, 0), (4, 0)]}, r'point 2 puts joint "joint1" at 4, above its upper bound 3\.1\.'),
        (
            {"q": [(0, -2.7), (0, 0)]},
            r'point 1 puts joint "joint2" at -2\.7, below its lower bound -2\.6\.',
        ),
        ({"q": [(0, 0), (np.nan, 0)]}, r'point 2 puts joint "joint1" at nan; expected a finite number\.'),
        ({"q": [(0, 0, 0), (1, 0, 0)]}, r"q has shape \(2, 3\).*one column per joint \(joint1, joint2\)"),
        ({"q": [("a", 0), (1, 0)]}, r"q holds something that is no number"),
        (
            {"velocity": (0, 1)},
            r'the velocity bound of joint "joint1" is 0; expected a number above zero\.',
        ),
        ({"acceleration": (1, -1)}, r'the acceleration bound of joint "joint2" is -1'),
        ({"acceleration": None}, r'joint "joint1" has no bound on its acceleration\. Give acceleration='),
        ({"acceleration": np.inf}, r'joint "joint1" has no bound on its acceleration'),
        ({"acceleration": {"elbow": 1}}, r'no joint "elbow" in acceleration'),
        ({"qd": [(0, 0), (1.5, 0)]}, r'point 2 asks joint "joint1" for velocity 1\.5; its bound is 1\.'),
        (
            {"times": [1.0, 0.5]},
            r"point 2 has time 0\.5 s, after point 1 at 1 s; expected times that go forwards",
        ),
        ({"times": [1.0, np.nan]}, r"point 2 has no time, but others have"),
        ({"times": [-np.inf, 0.0]}, r"point 2 has time 0 s, after point 1 at -inf s"),
        ({"labels": ["here"]}, r"labels has shape \(1,\); there is one per point, expected \(2,\)\."),
        (
            {"times": [0.0, 0.5]},
            r'from point 1 to point 2 in 0\.5 s: joint "joint1" needs 2\.82843 s at least\.',
        ),
        ({"envelope": 0.0}, r"envelope is 0; expected a distance above zero\."),
        ({"envelope": "wide"}, r"envelope holds something that is no number; expected a distance\."),
        ({"lower": 2.0, "upper": 1.0}, r'the bounds of joint "joint1" leave it no place: from 2 to 1\.'),
    ],
)
def test_what_cannot_be_is_refused_with_the_point_the_joint_and_the_bound(arm, changed, sentence):
    given = {"q": [(0, 0), (1, 0.4)], "velocity": V, "acceleration": A} | changed
    with pytest.raises(ArgumentError.__mro__[1], match=sentence):
        plan(request(arm, given.pop("q"), **given))


def test_a_velocity_that_leaves_no_room_to_stop_is_refused_with_where_it_would_go():
    arm = strobe.load("planar2").lock({"joint2": 0.0})
    asked = request(arm, [[1], [8.5]], qd=[[1], [-1]], velocity=3, acceleration=0.5, lower=-1, upper=9)
    sentence = (
        r'from point 1 to point 2 joint "joint1" would have to turn back at 9\.5, beyond its upper bound 9'
    )
    with pytest.raises(ArgumentError, match=sentence):
        plan(asked)


def test_a_time_in_the_gap_is_refused_with_both_sides_of_it():
    arm = strobe.load("planar2").lock({"joint2": 0.0})
    asked = request(arm, [[1], [1.5]], qd=[[1], [1]], times=[0, 2], velocity=3, acceleration=0.5)
    with pytest.raises(
        ArgumentError, match=r"arrives within 0\.535898 s, or turns back and takes 7\.4641 s or more"
    ):
        plan(asked)


def test_quaternions_are_not_planned():
    with pytest.raises(ArgumentError, match=r"joints with quaternions"):
        request(strobe.load("planar2").with_base("floating"), [[0.0] * 9] * 2)


def test_a_plan_does_not_depend_on_the_plans_before_it():
    used = strobe.load("ur5")
    q = used.random_state(3, 12)[0]
    for k, bounds in enumerate([(1.0, 2.0), (0.7, 5.0), (1.0, 2.0)]):
        for a, b in pairwise(q[4 * k : 4 * k + 4]):
            words = dict(zip(("velocity", "acceleration"), bounds, strict=True))
            found, fresh = used.plan([a, b], **words), strobe.load("ur5").plan([a, b], **words)
            assert found.coefficients.tobytes() == fresh.coefficients.tobytes()
            assert found.times.tobytes() == fresh.times.tobytes()
