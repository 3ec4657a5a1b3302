"""Straight lines with parabolic blends: closed forms, the distance from corners, and what is refused."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import strobe
from strobe.errors import ArgumentError
from strobe.trajectory.blends import blends
from strobe.trajectory.requests import request

CORNER = np.array([(0, 0), (1, 0.4), (1.6, 2)])
V, A = (1.0, 1.2), (0.5, 0.3)


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


def from_lines(q, points):
    """The distance of positions from the nearest line between points."""
    far = np.full(len(q), np.inf)
    for a, b in pairwise(points):
        d = b - a
        share = np.clip((q - a) @ d / max(d @ d, 1e-300), 0, 1)
        far = np.minimum(far, np.linalg.norm(q - a - share[:, None] * d, axis=1))
    return far


def test_between_two_points_it_is_the_motion_of_least_time(arm):
    motion = blends(request(arm, [(0, 0), (1, 0.4)], velocity=9, acceleration=A))
    assert motion.duration == pytest.approx(2 * math.sqrt(2))
    slower = blends(request(arm, [(0, 0), (1, 0.4)], velocity=(0.5, 9), acceleration=A))
    assert slower.duration == pytest.approx(1 / 0.5 + 0.5 / 0.5)  # the way at full speed, and one ramp


def test_the_middle_of_the_lines_is_driven_straight(arm):
    motion = blends(request(arm, [(0, 0), (2, 0), (2, 2)], velocity=0.5, acceleration=1.0))
    q = motion.sampled(count=4001)[1].q
    far = from_lines(q, np.array([(0, 0), (2, 0), (2, 2)]))
    away = np.linalg.norm(q - (2, 0), axis=1)
    assert far[away > 0.2].max() < 1e-12


def test_a_corner_is_passed_at_the_distance_that_is_told(arm):
    motion = blends(request(arm, [(0, 0), (2, 0), (2, 2)], velocity=0.5, acceleration=1.0))
    # the velocity changes by (−0.5, 0.5) within half a second
    expected = math.hypot(0.5, 0.5) * 0.5 / 8
    q = motion.sampled(count=40001)[1].q
    assert np.linalg.norm(q - (2, 0), axis=1).min() == pytest.approx(expected, rel=1e-6)
    assert motion.notes == (f"point 2 is passed at a distance of {expected:.3g}.",)


def test_an_envelope_is_kept_and_costs_less_than_driving_all_of_it_slowly(arm):
    free = blends(request(arm, CORNER, velocity=V, acceleration=A))
    for envelope in (0.05, 0.01, 0.001):
        motion = blends(request(arm, CORNER, velocity=V, acceleration=A, envelope=envelope))
        assert from_lines(motion.sampled(count=5001)[1].q, CORNER).max() <= envelope
        assert motion.duration < 2 * free.duration
        assert len(motion.points) == 3
        assert "points inserted: the path stays within" in motion.notes[-1]


points = st.lists(st.tuples(st.floats(-2, 2), st.floats(-2, 2)), min_size=2, max_size=6)


@settings(max_examples=50)
@given(points)
def test_bounds_hold_and_nothing_jumps(arm, points):
    if np.ptp(points, axis=0).max() < 1e-6:
        return
    motion = blends(request(arm, points, velocity=V, acceleration=A))
    speed, push = motion.extremes(1), motion.extremes(2)
    assert (np.maximum(-speed.least, speed.largest) <= np.array(V) * (1 + 1e-9)).all()
    assert (np.maximum(-push.least, push.largest) <= np.array(A) * (1 + 1e-9)).all()
    assert (np.diff(motion.times) > 0).all()
    h = np.diff(motion.times)[:-1, None]
    c = motion.coefficients
    np.testing.assert_allclose(
        c[:-1, :, 0] + c[:-1, :, 1] * h + c[:-1, :, 2] * h * h, c[1:, :, 0], atol=1e-9
    )
    np.testing.assert_allclose(c[:-1, :, 1] + 2 * c[:-1, :, 2] * h, c[1:, :, 1], atol=1e-9)
    np.testing.assert_allclose(motion(motion.points[[0, -1]]).q, [points[0], points[-1]], atol=1e-9)


def test_a_way_back_and_a_repeated_point_are_driven(arm):
    motion = blends(request(arm, [(0, 0), (1, 0), (1, 0), (0, 0)], velocity=V, acceleration=A))
    assert motion.notes[0] == "point 2 and point 3 are the same: no time passes between them."
    np.testing.assert_allclose(motion(motion.duration).q, (0, 0), atol=1e-12)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"times": [0, 5, 9]}, r"blends chooses its own times: leave those of the request out"),
        (
            {"qd": [(0, 0), (0.1, 0), (0, 0)]},
            r'point 2 asks joint "joint1" for velocity 0\.1, but blends chooses velocities between the ends itself',
        ),
        (
            {"qd": [(0, 0.2), (np.nan, np.nan), (0, 0)]},
            r'point 1 asks joint "joint2" for velocity 0\.2, but blends starts and ends at rest',
        ),
        ({"acceleration": None}, r'joint "joint1" has no bound on its acceleration'),
    ],
)
def test_what_blends_choose_themselves_is_not_prescribed(arm, changed, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        blends(request(arm, CORNER, **({"velocity": V, "acceleration": A} | changed)))
