"""The sweeps against linear programs of the whole line, solved at once."""

import numpy as np
import pytest
from scipy.optimize import linprog

from strobe.trajectory.controllable_sets import Rows, attainable, controllable, fastest


def drawn(seed, steps=12, rows=6, lines=1):
    """Rows that standing still keeps, some with hardly any inertia."""
    rng = np.random.default_rng(seed)
    shape = (steps, lines, rows)
    alpha, beta = rng.normal(size=shape) - 0.5, rng.normal(size=shape) + 0.5
    beta[rng.uniform(size=shape) < 0.1] = 0.0
    low, high = -rng.uniform(0.1, 1, size=shape), rng.uniform(0.1, 1, size=shape)
    top = rng.uniform(0.5, 3, size=(steps + 1, lines))
    return Rows(alpha, beta, low, high, top).upright()


def matrix(rows, line=0):
    """All limits of one line as A x ≤ b."""
    A, b = [], []
    steps = len(rows.alpha)
    for i in range(steps):
        for r in range(rows.alpha.shape[-1]):
            row = np.zeros(steps + 1)
            row[i], row[i + 1] = rows.alpha[i, line, r], rows.beta[i, line, r]
            A += [row, -row]
            b += [rows.high[i, line, r], -rows.low[i, line, r]]
    return np.array(A), np.array(b)


def extreme(rows, i, end, sign=1, line=0):
    """The largest (or least) x at a place from which the end is reached."""
    A, b = matrix(rows, line)
    kept = np.arange(len(A)) >= i * 2 * rows.alpha.shape[-1]
    cost = np.zeros(A.shape[1])
    cost[i] = -sign
    bounds = [(0, t) for t in rows.top[:, line]]
    bounds[-1] = (end, end)
    found = linprog(cost, A[kept], b[kept], bounds=bounds)
    return found.x[i] if found.success else None


@pytest.mark.parametrize("seed", range(6))
def test_sets_are_those_of_the_linear_program(seed):
    rows = drawn(seed)
    sets = controllable(rows, np.zeros(1))
    for i in range(len(rows.alpha)):
        np.testing.assert_allclose(sets.largest[i, 0], extreme(rows, i, 0.0), rtol=1e-7, atol=1e-9)
        assert sets.least[i, 0] == 0.0


@pytest.mark.parametrize("seed", range(6))
def test_an_end_that_is_passed_at_a_speed_has_least_speeds_before_it(seed):
    rows = drawn(seed)
    end = 0.3 * extreme(rows, len(rows.alpha), rows.top[-1, 0]) if seed % 2 else 0.2
    sets = controllable(rows, np.array([end]))
    if not sets.possible.all():
        assert extreme(rows, 0, end) is None
        return
    for i in range(len(rows.alpha)):
        np.testing.assert_allclose(sets.largest[i, 0], extreme(rows, i, end), rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(sets.least[i, 0], extreme(rows, i, end, -1), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_the_sweep_forwards_keeps_all_limits(seed):
    rows = drawn(seed)
    x = fastest(rows, controllable(rows, np.zeros(1)), np.zeros(1))[:, 0]
    A, b = matrix(rows)
    assert (A @ x <= b + 1e-8).all()
    assert (x <= rows.top[:, 0]).all()
    assert x[0] == x[-1] == 0.0


def test_the_fastest_way_under_one_limit_is_up_and_down():
    # |x1 − x0| ≤ 1 for every step
    ones = np.ones((10, 1, 1))
    rows = Rows(-ones, ones, -ones, ones, np.full((11, 1), 100.0))
    x = fastest(rows, controllable(rows, np.zeros(1)), np.zeros(1))[:, 0]
    np.testing.assert_allclose(x, [0, 1, 2, 3, 4, 5, 4, 3, 2, 1, 0], rtol=1e-9)


def test_lines_side_by_side_do_not_see_each_other():
    many = [drawn(seed) for seed in range(3)]
    together = Rows(*(np.concatenate(parts, axis=1) for parts in zip(*many, strict=True)))
    sets = controllable(together, np.zeros(3))
    x = fastest(together, sets, np.zeros(3))
    for k, rows in enumerate(many):
        alone = controllable(rows, np.zeros(1))
        np.testing.assert_array_equal(sets.largest[:, k], alone.largest[:, 0])
        np.testing.assert_array_equal(x[:, k], fastest(rows, alone, np.zeros(1))[:, 0])


def test_a_line_walked_back_has_its_sets_reversed():
    rows = drawn(3)
    back = controllable(rows.reversed().upright(), np.zeros(1))
    A, b = matrix(rows)
    cost = np.zeros(A.shape[1])
    cost[-1] = -1
    bounds = [(0, t) for t in rows.top[:, 0]]
    bounds[0] = (0, 0)
    np.testing.assert_allclose(back.largest[0, 0], -linprog(cost, A, b, bounds=bounds).fun, rtol=1e-7)


def test_what_is_attainable_does_not_depend_on_the_signs_of_rows():
    rows = drawn(1)
    flipped = Rows(-rows.alpha, -rows.beta, -rows.high, -rows.low, rows.top)
    np.testing.assert_array_equal(attainable(rows), attainable(flipped.upright()))
