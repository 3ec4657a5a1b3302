"""Which solution comes first, and in which turn an angle is given."""

from __future__ import annotations

import itertools
import math

import pytest

from strobe.kinematics.ranking import TURN, Limit, exchanges, ranked

FREE = Limit(-math.inf, math.inf, True)


@pytest.mark.parametrize("n", range(1, 10))
def test_the_network_sorts_every_pattern_of_zeros_and_ones(n):
    """Which proves that it sorts everything (the zero-one principle)."""
    network = list(exchanges(n))
    for pattern in itertools.product((0, 1), repeat=n):
        row = list(pattern)
        for i, j in network:
            row[i], row[j] = min(row[i], row[j]), max(row[i], row[j])
        assert row == sorted(pattern)


def test_eight_places_take_nineteen_exchanges():
    assert len(list(exchanges(8))) == 19


@pytest.mark.parametrize(
    ("limit", "q", "near", "expected"),
    [
        (FREE, 3.0, -3.0, 3.0 - TURN),
        (FREE, -3.0, 3.0, TURN - 3.0),
        (Limit(-TURN, TURN, True), -1.0, 5.0, TURN - 1.0),  # within and nearest
        (Limit(-2.0, 2.0, True), 1.0, -5.0, 1.0),  # the other turn is outside
        (Limit(3.0, 8.0, True), -1.0, 0.0, TURN - 1.0),  # only another turn is inside
        (Limit(-math.inf, math.inf, False), 9.0, 0.0, 9.0),  # slides have no turns
    ],
)
def test_an_angle_is_given_in_the_turn_within_the_limits_and_nearest(limit, q, near, expected):
    assert limit.nearest(q, near) == pytest.approx(expected)


def test_solutions_within_the_limits_come_first_then_the_nearest_and_empty_places_last():
    limits = [Limit(-1.0, 1.0, False)]
    rows = ranked([[0.9, 1.0], [1.5, 2.0], [math.nan, 3.0], [-0.2, 4.0], [1.2, 5.0]], [0.0], limits)
    assert [row[-1] for row in rows] == [4.0, 1.0, 5.0, 2.0, 3.0]
    assert rows[2][1] == pytest.approx(0.2)  # how far outside
