"""Views: what is to the right, what is up, and that everything fits."""

from __future__ import annotations

import numpy as np
import pytest

from strobe.errors import ArgumentError
from strobe.show.projection import NAMED, Screen, View, clearest

X, Y, Z = np.eye(3)


@pytest.mark.parametrize(
    ("name", "right", "up"), [("front", Y, Z), ("side", X, Z), ("top", X, Y)], ids=["front", "side", "top"]
)
def test_the_named_views_show_the_axes_one_expects(name, right, up) -> None:
    axes = View.read(name).axes
    assert np.allclose(axes[0], right, atol=1e-12)
    assert np.allclose(axes[1], up, atol=1e-12)


def test_iso_shows_all_three_axes_equally_long() -> None:
    seen = np.linalg.norm(View.read("iso").axes[:2], axis=0)
    assert np.allclose(seen, np.sqrt(2 / 3))


@pytest.mark.parametrize("angles", [(0.0, 0.0), (-60.0, 22.0), (131.0, -47.0), (-90.0, 90.0)])
def test_the_axes_of_a_view_are_right_handed_and_of_unit_length(angles) -> None:
    axes = View(*angles).axes
    assert np.allclose(axes @ axes.T, np.eye(3))
    assert np.linalg.det(axes) == pytest.approx(1.0)


@pytest.mark.parametrize("direction", [X, -Y, Z, -Z, np.array([1.0, -2.0, 0.5])])
def test_what_a_view_faces_points_at_the_viewer(direction) -> None:
    assert np.allclose(View.facing(direction).axes @ direction, [0.0, 0.0, np.linalg.norm(direction)])


def test_a_view_is_read_and_written_in_the_same_words() -> None:
    assert [str(View.read(name)) for name in NAMED] == list(NAMED)
    assert View.read(" -60, 25 ") == View(-60.0, 25.0)
    assert str(View(-60.0, 25.0)) == "-60,25"


@pytest.mark.parametrize("text", ["frnt", "1", "1,2,3", "0,91", "nan,0", "a,b", ""])
def test_what_is_not_a_view_is_said(text) -> None:
    with pytest.raises(ArgumentError) as caught:
        View.read(text)
    assert f'"{text}" is not a view; expected front, side, top, iso, or azimuth and elevation' in str(
        caught.value
    )


def test_all_points_lie_in_the_box_and_touch_it() -> None:
    points = np.random.default_rng(0).normal(size=(30, 3))
    box = (10.0, 20.0, 110.0, 90.0)
    seen = Screen.around(View(-60.0, 22.0), points, box)(points)
    low, high = seen.min(axis=0), seen.max(axis=0)
    assert (low >= [10.0 - 1e-9, 20.0 - 1e-9]).all()
    assert (high <= [110.0 + 1e-9, 90.0 + 1e-9]).all()
    assert np.isclose(high - low, [100.0, 70.0]).any()


def test_up_in_space_is_up_on_the_page() -> None:
    screen = Screen.around(View.read("side"), np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0]]), (0, 0, 50, 50))
    assert np.allclose(screen(np.zeros(3)), [0.0, 50.0])
    assert np.allclose(screen(np.array([1.0, 7.0, 1.0])), [50.0, 0.0])


def test_one_point_alone_is_drawn_at_the_scale_of_the_least_length() -> None:
    assert Screen.around(View(0.0, 0.0), np.zeros((1, 3)), (0, 0, 50, 50), least=0.5).scale == 100.0


def test_what_is_nearer_to_the_viewer_is_less_deep() -> None:
    screen = Screen(View.read("top"), 1.0, np.zeros(2))
    assert screen.depth(np.array([0.0, 0.0, 2.0])) > screen.depth(np.array([5.0, 5.0, 1.0]))


def test_the_clearest_view_does_not_look_along_the_only_line() -> None:
    along = View(-60.0, 22.0).axes[2]
    chosen = clearest(np.zeros((1, 3)), along[None], np.zeros((1, 3)))
    assert np.linalg.norm(chosen.axes[:2] @ along) > 0.9
