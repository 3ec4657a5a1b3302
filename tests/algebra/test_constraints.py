"""Conditions on the solution of a linear system: against NumPy's whole matrix, exact fields, fifty digits."""

import numpy as np
import pytest

from strobe.algebra.constraints import Constrained
from strobe.scalars import FieldSystem, less, where
from strobe.scalars.precise import PreciseSystem

SEEDS = range(4)


def plain(pivot, diagonal):
    return pivot


def exact(left, whole):
    return 1.0 / left


def guarded(left, whole):
    return where(less(whole * 1e-12, left), 1.0 / left, 0.0)


def drawn(seed, n=6, m=3):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, n))
    return A @ A.T + np.eye(n), rng.standard_normal((m, n)), rng.standard_normal(n), rng.standard_normal(m)


def chain(n):
    return range(-1, n - 1)


def solved(M, J, r, gamma, guard=guarded, **keywords):
    x, multipliers = Constrained(M.tolist(), J.tolist(), chain(len(M)), plain, guard, **keywords).solve(
        r.tolist(), gamma.tolist()
    )
    return np.array(x), np.array(multipliers)


def kkt(M, J, r, gamma):
    """The solution by NumPy, of least multipliers where they are not determined."""
    n = len(M)
    whole = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
    found = np.linalg.lstsq(whole, np.concatenate([r, gamma]), rcond=1e-10)[0]
    return found[:n], found[n:]


@pytest.mark.parametrize("keywords", [{}, {"rank": 3}, {"rank": 3, "first": 2}])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_solution_and_the_multipliers_are_those_of_the_whole_matrix(seed, keywords):
    given = drawn(seed)
    for ours, expected in zip(solved(*given, **keywords), kkt(*given), strict=True):
        assert ours == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_that_follow_from_others_change_nothing(seed):
    M, J, r, gamma = drawn(seed)
    mix = np.random.default_rng(seed).standard_normal((2, 3))
    more, demands = (
        np.concatenate([J[:1], mix @ J, J[1:]]),
        np.concatenate([gamma[:1], mix @ gamma, gamma[1:]]),
    )
    expected, _ = kkt(M, J, r, gamma)
    for keywords in ({}, {"rank": 3}, {"rank": 3, "first": 1}):
        x, multipliers = solved(M, more, r, demands, **keywords)
        assert x == pytest.approx(expected, abs=1e-10)
        assert M @ x == pytest.approx(r + more.T @ multipliers, abs=1e-10)


def test_with_a_known_rank_rows_that_are_slightly_off_the_others_are_not_believed():
    M, J, r, gamma = drawn(5)
    noise = 1e-4 * np.random.default_rng(0).standard_normal((1, 6))
    more, demands = np.concatenate([J, J[:1] + J[1:2] + noise]), np.append(gamma, gamma[0] + gamma[1])
    expected, _ = kkt(M, J, r, gamma)
    believed, _ = solved(M, more, r, demands)
    known, _ = solved(M, more, r, demands, rank=3)
    assert np.abs(believed - expected).max() > 0.1
    assert np.abs(known - expected).max() < 1e-3


def test_the_rows_that_count_are_those_of_which_most_is_left():
    # the second says little of its own
    near = np.array([[1.0, 0.0, 0.0], [1.0, 1e-5, 0.0], [0.0, 1.0, 0.0]])
    demands = np.array([1.0, 1.0 + 2e-5 + 1e-7, 2.0])  # and is slightly wrong
    x, multipliers = solved(np.eye(3), near, np.zeros(3), demands, rank=2)
    assert x == pytest.approx([1.0, 2.0, 0.0], abs=2e-5)
    assert np.abs(multipliers).max() < 3.0


def test_without_conditions_it_is_the_plain_system():
    M, _, r, _ = drawn(1)
    x, multipliers = solved(M, np.empty((0, 6)), r, np.empty(0))
    assert x == pytest.approx(np.linalg.solve(M, r), rel=1e-12)
    assert not len(multipliers)


def test_in_a_field_both_equations_hold_exactly():
    system = FieldSystem(3)
    n, m = 5, 3
    B = [[system.draw() for _ in range(n)] for _ in range(n)]
    M = [[sum((B[i][k] * B[j][k] for k in range(n)), start=0.0) for j in range(n)] for i in range(n)]
    J = [[system.draw() for _ in range(n)] for _ in range(m)]
    r, gamma = [system.draw() for _ in range(n)], [system.draw() for _ in range(m)]
    x, multipliers = Constrained(M, J, chain(n), plain, exact).solve(r, gamma)

    def total(row, values):
        return sum((a * b for a, b in zip(row, values, strict=True)), start=0.0)

    left = [
        total(row, x) - b - total(column, multipliers)
        for row, b, column in zip(M, r, zip(*J, strict=True), strict=True)
    ]
    short = [total(row, x) - wanted for row, wanted in zip(J, gamma, strict=True)]
    assert {system.lower(each) for each in (*left, *short)} == {0}


def test_rounding_stays_near_that_of_the_data_where_the_normal_equations_would_lose_twice_the_digits():
    M, J, r, gamma = drawn(2)
    J[2] = J[0] + 1e-5 * J[2]  # conditions that are nearly the same: J M⁻¹ Jᵀ has a condition of 1e10
    system = PreciseSystem()

    def precise(values):
        return [precise(x) if np.ndim(x) else system.exact(float(x)) for x in values]

    truth, _ = Constrained(precise(M), precise(J), chain(6), plain, exact).solve(precise(r), precise(gamma))
    truth = np.array([float(system.lower(x)) for x in truth])
    ours, _ = solved(M, J, r, gamma)
    assert np.abs(ours - truth).max() < 1e-10 * np.abs(truth).max()
