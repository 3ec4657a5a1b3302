"""Paths without time: what they pass, where they stop, how far they leave their corners."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from strobe.errors import ArgumentError, ShapeError
from strobe.trajectory.path import polyline, spline

POINTS = np.array([(0, 0), (1, 0.5), (2, 0), (2.5, 2)])


@pytest.mark.parametrize("made", [spline, polyline])
def test_a_path_passes_its_points(made):
    path = made(POINTS)
    np.testing.assert_allclose(path(path.points).q, POINTS, atol=1e-14)


def test_a_spline_has_no_jumps_up_to_the_second_derivative():
    path = spline(POINTS)
    ends = path.within([0.0, 1.0])
    for each in ends:
        np.testing.assert_allclose(each[:-1, 1], each[1:, 0], atol=1e-12)
    np.testing.assert_allclose(ends.qdd[[0, -1], [0, 1]], 0.0, atol=1e-12)  # natural


def test_the_derivatives_are_those_of_the_curve():
    path, s, h = spline(POINTS), np.linspace(0.1, 3.9, 50), 1e-5
    np.testing.assert_allclose((path(s + h).q - path(s - h).q) / (2 * h), path(s).qd, atol=1e-8)
    np.testing.assert_allclose((path(s + h).qd - path(s - h).qd) / (2 * h), path(s).qdd, atol=1e-8)


def test_corners_without_a_blend_are_stops_and_straight_points_are_not():
    path = polyline([(0, 0), (1, 0), (2, 0), (2, 1)])
    assert path.stops.tolist() == [False, False, True, False]


def test_a_blend_passes_its_corner_at_the_deviation_asked_for():
    path = polyline([(0, 0), (1, 0), (1, 1)], 0.05)
    assert not path.stops.any()
    off = np.linalg.norm(path(path.points[1]).q - (1, 0))
    np.testing.assert_allclose(off, 0.05, rtol=1e-12)
    s = np.linspace(0, path.length, 2001)
    away = np.minimum(np.abs(path(s).q[:, 1]), np.abs(path(s).q[:, 0] - 1))
    assert away.max() <= 0.05


def test_a_blend_has_no_jump_in_its_direction():
    path = polyline(POINTS, 0.1)
    ends = path.within([0.0, 1.0])
    for each in ends[:2]:
        np.testing.assert_allclose(each[:-1, 1], each[1:, 0], atol=1e-12)


def test_blends_of_short_legs_share_them():
    path = polyline([(0, 0), (0.1, 0), (0.1, 0.1), (0.2, 0.1)], 10.0)
    off = np.linalg.norm(path(path.points[1:3]).q - [(0.1, 0), (0.1, 0.1)], axis=1)
    np.testing.assert_allclose(off, 0.05 * np.sqrt(2) / 4, rtol=1e-12)


@pytest.mark.parametrize("made", [spline, lambda points: polyline(points, 0.05)])
def test_a_way_back_is_a_stop_at_its_very_point(made):
    path = made([(0, 0), (1, 1), (0.5, 0.5), (0, 2)])
    turn = path.points[1]
    assert path.stops[np.searchsorted(path.knots, turn)]
    np.testing.assert_allclose(path(turn).q, (1, 1), atol=1e-14)
    assert path.extremes().largest[0] == 1.0


def test_a_point_given_twice_is_passed_once_and_said():
    path = spline([(0, 0), (1, 0.5), (1, 0.5), (2, 0)])
    assert path.points[1] == path.points[2]
    assert path.notes == ("point 2 and point 3 are the same: the path passes them at once.",)
    named = spline([(0, 0), (1, 0.5), (1, 0.5), (2, 0)], ("home", "above", "box", "end"))
    assert named.notes == ("above and box are the same: the path passes them at once.",)


def test_a_place_is_told_by_the_names_of_the_points_around_it():
    path = polyline([(0, 0), (2, 0), (2, 4)], labels=("home", "above", "box"))
    assert path.place(1.0) == "at 1 of 6 along the path, between home and above,"
    assert path.divided(50).place(5.0) == "at 5 of 6 along the path, between above and box,"
    assert polyline([(0, 0), (2, 0)]).place(1.0) == "at 1 of 2 along the path, between point 1 and point 2,"


def test_a_path_may_have_no_length():
    path = polyline([(1, 2), (1, 2)])
    assert path.length == 0.0
    assert path(0.0).q.tolist() == [1.0, 2.0]


def test_cutting_a_path_changes_its_pieces_and_not_its_curve():
    path = polyline(POINTS, 0.1)
    finer, s = path.divided(57), np.linspace(0, path.length, 333)
    assert 57 <= len(finer.widths) <= 57 + 2 * 8
    assert set(path.knots) <= set(finer.knots)
    for one, other in zip(path(s), finer(s), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_extremes_are_where_the_curve_has_them():
    path = spline([(0, 0), (1, -1), (2, 3), (0.5, 0)])
    found, s = path.extremes(), np.linspace(0, path.length, 100_001)
    q = path(s).q
    np.testing.assert_allclose(found.least, q.min(axis=0), atol=1e-8)
    np.testing.assert_allclose(found.largest, q.max(axis=0), atol=1e-8)
    np.testing.assert_allclose(path(found.largest_at).q.diagonal(), found.largest, atol=1e-12)
    np.testing.assert_allclose(path(found.least_at).q.diagonal(), found.least, atol=1e-12)


numbers = st.floats(-3, 3)
rows = st.lists(st.tuples(numbers, numbers), min_size=2, max_size=8)


@settings(max_examples=60, deadline=None)
@given(rows, st.floats(0, 0.5))
def test_any_points_make_a_path_that_passes_them_within_its_deviation(points, deviation):
    points = np.array(points)
    scale = 1e-8 * (1 + np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    for path, off in ((spline(points), 0.0), (polyline(points, deviation), deviation)):
        assert (path.widths >= 0).all()
        assert np.isfinite(path.coefficients).all()
        missed = np.linalg.norm(path(path.points).q - points, axis=1)
        assert missed.max() <= off + scale


# -- the hand -----------------------------------------------------------------------------------------


# -- bad input ----------------------------------------------------------------------------------------


def test_what_is_no_path_is_refused():
    with pytest.raises(ShapeError, match="a path needs two points or more, one per row"):
        spline([(0, 0)])
    with pytest.raises(
        ArgumentError, match="point 2 holds a NaN or an infinity; expected finite positions."
    ):
        spline([(0, 0), (np.nan, 1)])
    with pytest.raises(ArgumentError, match="the shelf holds a NaN or an infinity"):
        polyline([(0, 0), (np.nan, 1)], labels=("home", "the shelf"))
    with pytest.raises(ArgumentError, match="deviation is -1; expected a distance, zero or more."):
        polyline(POINTS, -1)
    with pytest.raises(ArgumentError, match="place 9 is outside the path, which goes from 0 to"):
        spline(POINTS)(9.0)
