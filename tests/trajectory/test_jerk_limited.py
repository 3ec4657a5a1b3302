"""Motions under a bound on jerk: Ruckig's durations against closed forms, exact pieces, and what is refused."""

import math
import sys

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, MissingExtraError
from strobe.trajectory.jerk_limited import jerk_limited
from strobe.trajectory.requests import request

pytest.importorskip("ruckig", reason="ruckig is not installed")

V, A, J = (1.0, 1.2), (0.5, 0.3), 2.0


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


def test_from_rest_to_rest_the_least_time_is_known(arm):
    motion = jerk_limited(request(arm, [(0, 0), (1, 0.1)], velocity=9, acceleration=0.5, jerk=J))
    ramp = 0.5 / J  # in which the acceleration is built up
    assert motion.duration == pytest.approx(ramp + math.sqrt(ramp**2 + 4 / 0.5), rel=1e-9)


def test_pieces_meet_in_position_velocity_and_acceleration(arm):
    qd = [(0, 0), (0.3, 0.2), (0, 0)]
    motion = jerk_limited(
        request(arm, [(0, 0), (1, 0.4), (1.6, 2)], qd=qd, velocity=V, acceleration=A, jerk=J)
    )
    h, c = np.diff(motion.times)[:-1, None], motion.coefficients
    c0, c1, c2, c3 = np.moveaxis(c[:-1], -1, 0)
    np.testing.assert_allclose(c0 + c1 * h + c2 * h**2 + c3 * h**3, c[1:, :, 0], atol=1e-9)
    np.testing.assert_allclose(c1 + 2 * c2 * h + 3 * c3 * h**2, c[1:, :, 1], atol=1e-9)
    np.testing.assert_allclose(2 * c2 + 6 * c3 * h, 2 * c[1:, :, 2], atol=1e-9)
    there = motion(motion.points)
    np.testing.assert_allclose(there.q, [(0, 0), (1, 0.4), (1.6, 2)], atol=1e-9)
    np.testing.assert_allclose(there.qd, qd, atol=1e-9)


def test_all_bounds_hold_between_samples(arm):
    motion = jerk_limited(request(arm, [(0, 0), (2, -1.4)], velocity=V, acceleration=A, jerk=J))
    for order, bound in ((1, V), (2, A), (3, (J, J))):
        found = motion.extremes(order)
        assert (np.maximum(-found.least, found.largest) <= np.array(bound) * (1 + 1e-9)).all()


def test_a_time_that_is_long_enough_is_kept(arm):
    motion = jerk_limited(request(arm, [(0, 0), (1, 0.4)], times=[0, 5], acceleration=A, jerk=J))
    assert motion.duration == pytest.approx(5)


@pytest.mark.parametrize("size", [1e-7, 1e5])
def test_motions_of_any_size_are_the_same_motion(arm, size):
    """Lengths and rates times a size; and times longer than Ruckig takes for itself."""
    asked = {"velocity": np.array(V), "acceleration": np.array(A), "jerk": np.array([J, J])}
    usual = jerk_limited(request(arm, [(0, 0), (2, -1.4)], **asked))
    scaled = {name: bound * size for name, bound in asked.items()} | {"lower": -9 * size, "upper": 9 * size}
    other = jerk_limited(request(arm, np.array([(0, 0), (2, -1.4)]) * size, **scaled))
    np.testing.assert_allclose(other.coefficients, usual.coefficients * size, rtol=1e-9, atol=1e-12 * size)
    slow = {name: bound / 1e4**order for order, (name, bound) in enumerate(asked.items(), 1)}
    later = jerk_limited(request(arm, [(0, 0), (2, -1.4)], **slow))
    assert later.duration == pytest.approx(1e4 * usual.duration, rel=1e-9)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"jerk": None}, r'joint "joint1" has no bound on its jerk\. Give jerk='),
        ({"acceleration": None}, r'joint "joint1" has no bound on its acceleration'),
        (
            {"q": [(0, 0), (1, 0), (2, 0)]},
            r'point 2 leaves the velocity of joint "joint1" open; .* prescribe it \(0 stops there\)',
        ),
        ({"times": [0, 2]}, r"from point 1 to point 2 in 2 s: the joints have no motion of this duration"),
        ({"envelope": 0.1}, r"jerk-limited motions keep no envelope"),
        (
            {"velocity": (3e-7, 1e-7)},
            r"from point 1 to point 2: Ruckig finds no motion \(bounds on .* are too far apart\)\.",
        ),
        (
            {"q": [(3.0, 0), (2.9, 0)], "qd": [(0.9, 0), (0, 0)]},
            r'from point 1 to point 2 joint "joint1" would go to 3\.9\d*, above its upper bound 3\.1',
        ),
    ],
)
def test_what_it_cannot_do_is_refused(arm, changed, sentence):
    options = {"q": [(0, 0), (1, 0.4)], "velocity": V, "acceleration": A, "jerk": J} | changed
    with pytest.raises(ArgumentError, match=sentence):
        jerk_limited(request(arm, options.pop("q"), **options))


def test_without_ruckig_it_says_what_to_install(arm, monkeypatch):
    monkeypatch.setitem(sys.modules, "ruckig", None)
    with pytest.raises(
        MissingExtraError, match=r'needs the package ruckig.*pip install "strobe-dynamics\[plan\]"'
    ):
        jerk_limited(request(arm, [(0, 0), (1, 0.4)], acceleration=A, jerk=J))
