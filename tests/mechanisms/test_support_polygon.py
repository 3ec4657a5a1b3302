"""Margins to the edge of support, against distances found another way."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.spatial import ConvexHull

from strobe.mechanisms.zero_moment_point import margins

SQUARE = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


@pytest.mark.parametrize(
    ("point", "margin"),
    [
        ((0, 0), 1),
        ((0.5, 0), 0.5),
        ((1, 0), 0),
        ((1, 1), 0),
        ((1.5, 0), -0.5),
        ((2, 2), -np.sqrt(2)),
        ((-4, -5), -5),
    ],
)
def test_margins_of_a_square(point, margin):
    assert margins(np.array(point, float), SQUARE) == pytest.approx(margin, abs=1e-15)


@given(st.integers(0, 10**6), st.integers(3, 9))
def test_a_margin_is_the_distance_to_the_hull(seed, count):
    rng = np.random.default_rng(seed)
    polygon, points = rng.standard_normal((count, 2)), 2 * rng.standard_normal((5, 2))
    hull = ConvexHull(polygon)
    corners = polygon[hull.vertices]
    inside = -(hull.equations[:, :2] @ points.T + hull.equations[:, 2:]).max(axis=0)
    a, b = corners, np.roll(corners, -1, axis=0)
    share = np.clip(((points[:, None] - a) * (b - a)).sum(-1) / ((b - a) ** 2).sum(-1), 0, 1)
    distance = np.linalg.norm(points[:, None] - a - share[..., None] * (b - a), axis=-1).min(axis=1)
    assert np.allclose(margins(points, polygon), np.where(inside >= 0, inside, -distance), atol=1e-12)


def test_corners_that_repeat_or_lie_inside_change_nothing():
    more = np.concatenate([SQUARE, SQUARE, [(0.2, 0.3)]])
    points = np.random.default_rng(0).uniform(-2, 2, (50, 2))
    assert np.allclose(margins(points, more), margins(points, SQUARE))


def test_no_point_has_no_margin():
    assert np.isnan(margins(np.array([np.nan, 0.0]), SQUARE))
