"""Steps between marks."""

import numpy as np
import pytest

from strobe.errors import ArgumentError
from strobe.simulate.time_grid import grid


def test_steps_are_equal_between_marks_and_end_at_each():
    g = grid(0.0, 1.0, 0.3, np.array([0.5, 0.5, 2.0, -1.0]))
    t, h, inside = g.steps(np.arange(g.total + 1))
    assert t.tolist() == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])
    assert h.tolist() == pytest.approx([0.25] * 4 + [0.0])
    assert inside.tolist() == pytest.approx([0.125, 0.375, 0.625, 0.875, 0.875])
    assert g.number_at(np.array([0.0, 0.5, 1.0])).tolist() == [0, 2, 4]
    assert g.step == pytest.approx(0.25)


def test_a_whole_number_of_steps_is_not_made_one_more_by_rounding():
    for n in (3, 7, 10, 49, 1000, 30_000):
        assert grid(0.0, n * 0.1, 0.1, np.empty(0)).total == n
    marks = np.arange(1, 1000) * 1e-3
    assert grid(0.0, 1.0, 1e-3, marks).total == 1000


def test_marks_that_nearly_coincide_are_one():
    g = grid(0.0, 1.0, 0.5, np.array([0.3, 0.1 + 0.2, 1.0 - 1e-16, 1e-17]))
    assert g.marks.tolist() == pytest.approx([0.0, 0.3, 1.0])


def test_a_grid_of_very_many_steps_takes_no_memory():
    g = grid(0.0, 1e7, 1e-3, np.empty(0))
    assert g.total == 10**10
    assert g.steps(np.array([10**10 - 1])).t[0] == pytest.approx(1e7 - 1e-3, abs=1e-8)


def test_a_step_that_can_never_get_there_is_refused():
    with pytest.raises(ArgumentError, match="^step is 1e-20 s, too short for a run from 0 to 1 s"):
        grid(0.0, 1.0, 1e-20, np.empty(0))
