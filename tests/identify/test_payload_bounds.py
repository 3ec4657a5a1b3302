"""Mass and longest dimension: what they leave open, and how wrong torques can then be."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError
from strobe.identify import partly_known, payload_regressor
from strobe.simulate.torques import one_payload

STATE = (
    np.array([0.3, 0.9, 0.6, -0.4, 0.7, 1.1]),
    np.array([0.2, -0.3, 0.15, 0.5, -0.4, 0.6]),
    np.array([0.5, -0.7, 0.4, 1.0, -0.9, 0.8]),
)
MASS, CENTRE, MOMENTS = 0.8, (0.02, -0.01, 0.06), (0.003, 0.004, 0.002, 0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def arm():
    return strobe.load("stanford")


@pytest.fixture(scope="module")
def truth(arm):
    return arm.with_payload(MASS, CENTRE, MOMENTS).inverse_dynamics(*STATE)


def unit(rng):
    d = rng.normal(size=3)
    return d / np.linalg.norm(d)


def test_where_the_mass_is_matters_more_than_how_it_is_spread(arm, truth):
    point, hand = (arm.with_payload(MASS, c).inverse_dynamics(*STATE) - truth for c in (CENTRE, (0, 0, 0)))
    assert round(np.abs(point).max(), 4) == 0.0056
    assert round(np.abs(hand[3:]).max(), 2) == 0.35


@pytest.mark.parametrize("com", [None, CENTRE])
def test_the_true_torque_is_within_the_bound(arm, truth, com):
    known = partly_known(arm, MASS, 0.15, com=com)
    off = np.abs(known.carried.inverse_dynamics(*STATE) - truth)
    assert np.all(off <= known.torque_error(*STATE) + 1e-12)


def test_a_point_mass_somewhere_reaches_the_bound(arm):
    known, rng = partly_known(arm, MASS, 0.15), np.random.default_rng(0)
    Y = payload_regressor(arm, *STATE)
    places = [unit(rng) * 0.15 * rng.uniform() ** 0.1 for _ in range(4000)]
    worst = np.max(
        [np.abs(Y @ (one_payload(MASS, p, None, None) - known.parameters)) for p in places], axis=0
    )
    bound = known.torque_error(*STATE)
    assert np.all(worst <= bound + 1e-12)
    assert np.all(worst >= 0.97 * bound)


def test_no_body_of_that_size_about_a_known_centre_breaks_the_bound(arm):
    known, rng = partly_known(arm, MASS, 0.2, com=CENTRE), np.random.default_rng(0)
    Y, bound = payload_regressor(arm, *STATE), known.torque_error(*STATE)
    reached = np.zeros(6)
    for _ in range(1000):
        d = unit(rng) * 0.1
        if rng.uniform() < 0.5:  # a rod with its mass at the ends
            points = [d, -d]
        else:  # a random body, as large as it may be
            points = rng.normal(size=(5, 3)) * [1, rng.uniform(), rng.uniform()]
            points = (points - points.mean(axis=0)) * 0.2
            points = points / max(np.linalg.norm(a - b) for a in points for b in points) * 0.2
        body = sum(one_payload(MASS / len(points), np.add(CENTRE, p), None, None) for p in points)
        reached = np.maximum(reached, np.abs(Y @ (body - known.parameters)))
    assert np.all(reached <= bound + 1e-12)
    moved = bound > 1e-9
    assert np.all(reached[moved] > 0.5 * bound[moved])


@pytest.mark.parametrize("com", [None, CENTRE])
def test_the_parameters_of_every_body_lie_in_the_ranges(arm, com):
    known, rng = partly_known(arm, MASS, 0.1, com=com), np.random.default_rng(0)
    low, high = known.ranges.T
    for _ in range(200):
        ends = unit(rng) * 0.05
        place = CENTRE if com else unit(rng) * 0.05
        body = sum(one_payload(MASS / 2, np.add(place, e), None, None) for e in (ends, -ends))
        assert np.all(low - 1e-12 <= body)
        assert np.all(body <= high + 1e-12)


def test_batches_have_leading_axes_and_the_bound_grows_with_the_size(arm):
    state = arm.random_state(seed=0, batch=(2, 3))
    small, large = (partly_known(arm, MASS, size).torque_error(*state) for size in (0.1, 0.2))
    assert small.shape == (2, 3, 6)
    assert np.all(small < large)


def test_a_tiny_body_leaves_nothing_open(arm):
    assert np.all(partly_known(arm, MASS, 1e-6).torque_error(*STATE) < 1e-4)


@pytest.mark.parametrize(
    ("mass", "size", "com", "sentence"),
    [
        (0.0, 0.1, None, "the payload's mass is 0 kg; a mass is positive."),
        (-1.0, 0.1, None, "the payload's mass is -1 kg; a mass is positive."),
        (1.0, 0.0, None, "the payload's size is 0 m; its longest dimension is positive."),
        (1.0, float("nan"), None, "the payload's size is nan; expected a finite number."),
        (1.0, 0.1, (0, 0), "the payload's com is (0, 0); expected 3 finite numbers."),
        (
            1.0,
            0.1,
            (0, 0, 0.5),
            "the payload's centre is 0.5 m from the frame's origin, but its longest dimension is 0.1 m: it would not "
            "reach the hand. Name the frame that holds it.",
        ),
    ],
)
def test_payloads_that_cannot_be_are_refused(arm, mass, size, com, sentence):
    with pytest.raises(ArgumentError) as error:
        partly_known(arm, mass, size, com=com)
    assert str(error.value) == sentence
