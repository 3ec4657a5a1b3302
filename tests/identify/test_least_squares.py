"""Linear least squares: what is found, how sure it is, what is left open."""

import numpy as np
import pytest

from strobe.errors import ArgumentError
from strobe.identify.least_squares import least_squares

RNG = np.random.default_rng(0)
A = RNG.normal(size=(40, 4)) * [1.0, 1e3, 1e-4, 1.0]  # columns in very different units
X = np.array([2.0, -0.003, 5e3, 0.7])


def test_exact_rows_give_the_unknowns_back_whatever_their_units():
    fit = least_squares(A, A @ X)
    assert np.allclose(fit.values, X, rtol=1e-13)
    assert (fit.rank, fit.condition < 5) == (4, True)
    assert fit.decided.all()
    assert np.array_equal(fit.seen, np.eye(4))


def test_the_covariance_is_the_inverse_of_the_normal_equations():
    fit = least_squares(A, A @ X, unit_noise=True)
    assert np.allclose(fit.covariance @ (A.T @ A), np.eye(4))
    assert np.allclose(fit.information, A.T @ A)


def test_noise_that_is_not_known_is_taken_from_the_residual():
    y = A @ X + 0.1 * np.random.default_rng(1).normal(size=40)
    fit = least_squares(A, y)
    left = y - A @ fit.values
    assert fit.variance == pytest.approx(left @ left / 36)
    assert 0.05 < np.sqrt(fit.variance) < 0.2
    assert np.allclose(fit.covariance, fit.variance * np.linalg.inv(A.T @ A))


def test_what_no_row_sees_is_given_in_reduced_form():
    direction = np.array([1.0, 0.0, -3.0, 0.5])
    B = A - np.outer(A @ direction, direction) / (direction @ direction)
    fit = least_squares(B, B @ X)
    assert fit.rank == 3
    assert np.allclose(fit.unseen, [direction], rtol=1e-6)
    assert fit.decided.tolist() == [False, True, False, False]
    assert np.isinf(fit.deviations).tolist() == [True, False, True, True]
    assert np.allclose(fit.seen @ direction, 0.0, atol=1e-6)
    assert np.allclose(fit.seen @ fit.values, fit.seen @ X, rtol=1e-6)


def test_a_column_of_zeros_is_an_unknown_that_is_not_seen():
    B = A.copy()
    B[:, 2] = 0.0
    assert np.array_equal(least_squares(B, B @ X).unseen, [[0.0, 0.0, 1.0, 0.0]])


def test_rows_of_zeros_decide_nothing():
    fit = least_squares(np.zeros((5, 3)), np.zeros(5))
    assert fit.rank == 0
    assert np.array_equal(fit.unseen, np.eye(3))
    assert np.array_equal(fit.values, np.zeros(3))


def test_few_rows_still_have_all_unseen_directions():
    fit = least_squares(A[:2], A[:2] @ X)
    assert fit.unseen.shape == (2, 4)
    assert np.allclose(
        (A[:2] / np.abs(A[:2]).max(axis=0)) @ (fit.unseen * np.abs(A[:2]).max(axis=0)).T, 0, atol=1e-6
    )


def test_two_halves_one_after_the_other_say_what_the_whole_says():
    y = A @ X + np.random.default_rng(2).normal(size=40)
    whole, first = (least_squares(A[:k], y[:k], unit_noise=True) for k in (40, 3))
    both = least_squares(A[3:], y[3:], unit_noise=True, prior=(first.values, first.information))
    assert first.rank == 3
    assert np.allclose(both.values, whole.values)
    assert np.allclose(both.covariance, whole.covariance)


def test_a_prior_needs_noise_that_is_known():
    with pytest.raises(ArgumentError, match="a prior is weighed against the noise of the rows"):
        least_squares(A, A @ X, prior=(X, np.eye(4)))


def test_the_stated_covariance_is_that_of_repeated_experiments():
    rng = np.random.default_rng(3)
    found = np.array(
        [least_squares(A, A @ X + rng.normal(size=40), unit_noise=True).values for _ in range(400)]
    )
    spread = least_squares(A, A @ X, unit_noise=True)
    assert np.allclose(found.std(axis=0) / spread.deviations, 1.0, atol=0.15)
    assert np.allclose(spread.deviation(np.eye(4)), spread.deviations)
