"""Labels: none lies on another, none leaves the page, and where there is no room there is none."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from strobe.show.label_placement import Board


def overlap(a, b) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def test_labels_never_overlap_and_stay_on_the_page() -> None:
    board = Board(0.0, 0.0, 300.0, 200.0)
    anchors = np.random.default_rng(1).uniform([20, 20], [280, 180], size=(60, 2))
    placed = [board.place(at, 40.0, 13.0) for at in anchors]
    assert sum(middle is not None for middle in placed) > 30
    assert not any(overlap(a, b) for a, b in combinations(board.boxes, 2))
    assert all(x0 >= 0 and y0 >= 0 and x1 <= 300 and y1 <= 200 for x0, y0, x1, y1 in board.boxes)


def test_a_full_page_takes_no_more_labels() -> None:
    board = Board(0.0, 0.0, 60.0, 30.0)
    places = [board.place(np.array([30.0, 15.0]), 25.0, 13.0) for _ in range(9)]
    assert places[-1] is None


def test_a_label_lies_on_the_side_that_is_asked_for() -> None:
    for way in np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]):
        middle = Board(0.0, 0.0, 200.0, 200.0).place(np.array([100.0, 100.0]), 30.0, 13.0, towards=way)
        assert middle is not None
        assert (middle - 100.0) @ way > 0.9 * np.linalg.norm(middle - 100.0)


def test_a_label_leaves_lines_visible() -> None:
    board = Board(0.0, 0.0, 200.0, 200.0)
    line = np.array([[100.0, 100.0], [190.0, 100.0]])
    board.draw(line)
    middle = board.place(np.array([100.0, 100.0]), 30.0, 13.0, towards=np.array([1.0, 0.0]))
    assert middle is not None
    assert not (abs(middle[1] - 100.0) < 6.5 and middle[0] > 85.0)


def test_a_label_leaves_the_edges_of_a_broad_line_visible() -> None:
    board = Board(0.0, 0.0, 200.0, 200.0)
    board.draw_band(np.array([[20.0, 100.0], [180.0, 100.0]]), 16.0)
    middle = board.place(np.array([100.0, 100.0]), 30.0, 12.0)
    assert middle is not None
    assert abs(middle[1] - 100.0) >= 14.0


def test_a_label_that_would_hide_too_much_is_left_out() -> None:
    board = Board(0.0, 0.0, 200.0, 200.0)
    for y in range(0, 200, 4):
        board.draw(np.array([[0.0, y], [200.0, y]]))
    assert board.place(np.array([100.0, 100.0]), 30.0, 13.0, crowd=7.0) is None
    assert board.place(np.array([100.0, 100.0]), 30.0, 13.0, crowd=1e9) is not None
