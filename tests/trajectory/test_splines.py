"""Splines through points: closed forms, SciPy's own, bounds that hold exactly, and what is refused."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.interpolate import CubicSpline

import strobe
from strobe.errors import ArgumentError
from strobe.trajectory.requests import request
from strobe.trajectory.splines import cubic, quintic

CORNER = np.array([(0, 0), (1, 0.4), (1.6, 2)])
V, A = (1.0, 1.2), (0.5, 0.3)


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


def used(motion, order):
    found = motion.extremes(order)
    return np.maximum(-found.least, found.largest)


@pytest.mark.parametrize(
    ("plan", "factor"),
    [(cubic, 6.0), (quintic, 10 / math.sqrt(3))],  # the largest acceleration of a way 1 in time 1
)
def test_between_two_points_at_rest_the_least_time_is_known(arm, plan, factor):
    motion = plan(request(arm, [(0, 0), (1, 0.4)], velocity=9, acceleration=(0.5, 9)))
    assert motion.duration == pytest.approx(math.sqrt(factor * 1.0 / 0.5), rel=1e-12)
    assert motion.method == plan.__name__


@pytest.mark.parametrize(("plan", "factor"), [(cubic, 1.5), (quintic, 1.875)])
def test_a_bound_on_velocity_decides_where_it_is_narrower(arm, plan, factor):
    motion = plan(request(arm, [(0, 0), (1, 0.4)], velocity=(0.2, 9), acceleration=9))
    assert motion.duration == pytest.approx(factor / 0.2, rel=1e-12)


@pytest.mark.parametrize(("plan", "factor"), [(cubic, 12.0), (quintic, 60.0)])
def test_a_bound_on_jerk_is_kept_too(arm, plan, factor):
    motion = plan(request(arm, [(0, 0), (1, 0.4)], acceleration=1e6, jerk=2.0))
    assert motion.duration == pytest.approx((factor / 2) ** (1 / 3), rel=1e-9)


def test_a_cubic_with_times_is_the_one_that_scipy_finds(arm):
    times = np.array([0.0, 3.0, 8.0])
    motion = cubic(request(arm, CORNER, times=times + 1, velocity=9, acceleration=9))
    theirs = CubicSpline(times, CORNER, bc_type="clamped")
    t = np.linspace(0, 8, 101)
    np.testing.assert_allclose(motion(t).q, theirs(t), atol=1e-12)
    np.testing.assert_allclose(motion(t).qdd, theirs(t, 2), atol=1e-12)


@pytest.mark.parametrize(("plan", "smooth"), [(cubic, 2), (quintic, 4)])
def test_derivatives_are_continuous_between_pieces(arm, plan, smooth):
    motion = plan(request(arm, [*CORNER, (0.3, 0.1), (0, 0)], velocity=V, acceleration=A))
    length = np.diff(motion.times)[:-1, None]
    for order in range(smooth + 1):
        p = np.arange(order, motion.coefficients.shape[2])
        factor = np.array([math.perm(k, order) for k in p])
        ends = (motion.coefficients[:-1, :, order:] * factor * length[..., None] ** (p - order)).sum(
            axis=-1
        )
        starts = motion.coefficients[1:, :, order] * math.factorial(order)
        np.testing.assert_allclose(ends, starts, atol=1e-9 * 10**order)


def test_a_quintic_begins_and_ends_without_acceleration(arm):
    motion = quintic(request(arm, CORNER, velocity=V, acceleration=A))
    np.testing.assert_allclose(motion(np.array([0.0, motion.duration])).qdd, 0, atol=1e-9)


@pytest.mark.parametrize("plan", [cubic, quintic])
def test_some_bound_is_used_up_and_none_exceeded(arm, plan):
    motion = plan(request(arm, CORNER, velocity=V, acceleration=A))
    shares = np.concatenate([used(motion, 1) / V, used(motion, 2) / A])
    assert shares.max() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("plan", [cubic, quintic])
def test_prescribed_velocities_are_met(arm, plan):
    qd = [(0.1, 0), (0.3, np.nan), (0, 0.1)]
    asked = request(arm, CORNER, qd=qd, velocity=V, acceleration=A)
    motion = plan(asked)
    there = motion(motion.points)
    np.testing.assert_allclose(there.q, CORNER, atol=1e-9)
    np.testing.assert_allclose(there.qd[~np.isnan(asked.qd)], [0.1, 0, 0.3, 0, 0.1], atol=1e-9)
    assert (used(motion, 1) <= np.array(V) * (1 + 1e-9)).all()
    assert (used(motion, 2) <= np.array(A) * (1 + 1e-9)).all()


points = st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=2, max_size=6)


@pytest.mark.slow
@settings(max_examples=40)
@given(points, st.sampled_from([cubic, quintic]))
def test_any_points_are_passed_within_bounds(arm, points, plan):
    if np.ptp(points, axis=0).max() < 1e-6:
        return
    asked = request(arm, points, velocity=V, acceleration=A, lower=-99, upper=99)
    motion = plan(asked)
    np.testing.assert_allclose(motion(motion.points).q, asked.q, atol=1e-7)
    assert (used(motion, 1) <= np.array(V) * (1 + 1e-9)).all()
    assert (used(motion, 2) <= np.array(A) * (1 + 1e-9)).all()


@pytest.mark.parametrize("seed", range(8))
def test_legs_of_many_lengths_under_bounds_of_many_sizes_are_balanced(seed):
    rng, robot = np.random.default_rng(seed), strobe.load("panda")
    V, A = 10 ** rng.uniform(-1, 1, (2, 7))
    asked = request(robot, rng.normal(size=(7, 7)), velocity=V, acceleration=A, lower=-1e3, upper=1e3)
    motion = quintic(asked)
    np.testing.assert_allclose(motion(motion.points).q, asked.q, atol=1e-8)
    assert max((used(motion, 1) / V).max(), (used(motion, 2) / A).max()) == pytest.approx(1, abs=1e-9)


def test_points_that_nearly_repeat_one_another_are_passed(arm):
    asked = request(arm, [(0, 0), (1, 0.4), (1 + 1e-9, 0.4), (1.6, 2)], velocity=V, acceleration=A)
    motion = cubic(asked)
    np.testing.assert_allclose(motion(motion.points).q, asked.q, atol=1e-9)


def test_a_point_that_repeats_the_one_before_is_left_out_and_named(arm):
    motion = cubic(request(arm, [(0, 0), (1, 0.4), (1, 0.4), (1.6, 2)], velocity=V, acceleration=A))
    assert motion.notes == ("point 2 and point 3 are the same: no time passes between them.",)
    assert motion.points[1] == motion.points[2]
    assert len(motion.points) == 4


def test_a_point_repeated_at_a_later_time_is_a_pause(arm):
    motion = cubic(
        request(arm, [(0, 0), (1, 0.4), (1, 0.4)], times=[0, 4, 6], qd=np.zeros((3, 2)), acceleration=9)
    )
    np.testing.assert_allclose(motion(np.linspace(4, 6, 5)).q, [(1, 0.4)] * 5, atol=1e-12)


def test_an_envelope_is_kept(arm):
    motion = cubic(request(arm, CORNER, velocity=V, acceleration=A, envelope=0.02))
    q = motion.sampled(count=2001)[1].q
    far = np.full(len(q), np.inf)
    for a, b in pairwise(CORNER):
        share = np.clip((q - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        far = np.minimum(far, np.linalg.norm(q - a - share[:, None] * (b - a), axis=1))
    assert far.max() <= 0.02
    assert len(motion.points) == 3


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {"acceleration": None},
            r'"joint1" has no bound on its acceleration\. Give .*, or the times of the points\.',
        ),
        (
            {"times": [0, 1, 2]},
            r'from point 1 to point 2 joint "joint1" would need velocity 1\.\d+; its bound is 1\. Allow more time',
        ),
        (
            {"upper": {"joint1": 1.01}, "q": [(0, 0), (1, 0), (1, 0.5), (1, 1)]},
            r'"joint1" would go to 1\.0\d+, above',
        ),
        ({"q": [(0, 0), (0, 0), (0, 0)]}, r"all 3 points are the same; this method needs two that differ"),
        (
            {"q": [(0, 0), (1, 0), (1, 0)], "qd": [(0, 0), (0.2, 0), (0.1, 0)]},
            r'point 2 and point 3 are the same, but ask joint "joint1" for velocities 0\.2 and 0\.1',
        ),
        (
            {"times": [0, 4, 4]},
            r"point 2 and point 3 are different, but have the same time 4 s",
        ),
    ],
)
def test_what_a_spline_cannot_do_is_refused_with_where(arm, changed, sentence):
    options = {"q": CORNER, "velocity": V, "acceleration": A} | changed
    with pytest.raises(ArgumentError, match=sentence):
        cubic(request(arm, options.pop("q"), **options))
