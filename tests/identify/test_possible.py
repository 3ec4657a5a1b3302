"""The nearest parameters that bodies can have: possible always, and the optimum by its own conditions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize

from strobe.identify.possible import (
    ENTRIES,
    Bounds,
    is_possible,
    nearest_possible,
    plain_bodies,
    pseudo_inertia,
)

NONE = Bounds(np.zeros((0, 10)), np.zeros(0))
BALL = plain_bodies([0.4])


def _points(seed: int, count: int = 30) -> np.ndarray:
    """Ten parameters of a body of points, by their sums."""
    rng = np.random.default_rng(seed)
    m, r = rng.uniform(0.05, 0.2, count), rng.normal(size=(count, 3)) * [0.1, 0.2, 0.05] + 0.1
    J = np.einsum(
        "k,kij->ij",
        m,
        np.einsum("kl,kl->k", r, r)[:, None, None] * np.eye(3) - np.einsum("ki,kj->kij", r, r),
    )
    return np.array([m.sum(), *(m @ r), *np.diag(J), J[0, 1], J[0, 2], J[1, 2]])


def test_the_pseudo_inertia_is_the_second_moment_of_the_mass():
    rng = np.random.default_rng(5)
    m, r = rng.uniform(0.1, 1, 8), rng.normal(size=(8, 3))
    J = np.einsum(
        "k,kij->ij",
        m,
        np.einsum("kl,kl->k", r, r)[:, None, None] * np.eye(3) - np.einsum("ki,kj->kij", r, r),
    )
    h = np.column_stack([r, np.ones(8)])
    ten = np.array([m.sum(), *(m @ r), *np.diag(J), J[0, 1], J[0, 2], J[1, 2]])
    assert np.allclose(pseudo_inertia(ten), np.einsum("k,ki,kj->ij", m, h, h))
    assert is_possible(ten)
    assert not is_possible(ten - [0, 0, 0, 0, 10, 0, 0, 0, 0, 0])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 3), st.floats(0.01, 1e6), st.integers(0, 30))
def test_whatever_rows_say_bodies_can_be(seed: int, bodies: int, weight: float, rows: int):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rows, 10 * bodies)) * weight
    prior = plain_bodies([0.3] * bodies)
    bounds = Bounds(np.zeros((0, 10 * bodies)), np.zeros(0))
    found = nearest_possible(A, rng.normal(size=rows) * weight * 10, prior, bounds, prior.ravel())
    assert is_possible(found.values)


def test_where_rows_say_nothing_what_was_known_stays():
    found = nearest_possible(np.zeros((0, 10)), np.zeros(0), BALL, NONE, _points(0))
    assert np.allclose(found.values, BALL[0], atol=1e-4)


def test_a_body_that_can_be_is_found_where_rows_decide():
    A, true = np.random.default_rng(1).normal(size=(60, 10)) * 1e4, _points(1)
    found = nearest_possible(A, A @ true, BALL, NONE, BALL.ravel())
    assert np.allclose(found.values, true, atol=1e-4)


def test_it_is_the_optimum_that_another_method_finds():
    rng = np.random.default_rng(2)
    A = rng.normal(size=(12, 10)) * 10
    y = A @ (_points(2) - [0, 0, 0, 0, 0.8, 0, 0, 0, 0, 0]) + rng.normal(size=12)  # of no body
    known = np.linalg.inv(pseudo_inertia(BALL[0]))

    def cost(L: np.ndarray) -> float:
        root = np.zeros((4, 4))
        root[np.tril_indices(4)] = L
        P = root @ root.T
        return 0.5 * np.sum((A @ _ten(P) - y) ** 2) + np.trace(known @ P) - np.linalg.slogdet(P)[1]

    start = np.linalg.cholesky(pseudo_inertia(BALL[0]))[np.tril_indices(4)]
    other = minimize(cost, start, method="BFGS", options={"gtol": 1e-9, "maxiter": 5000})
    found = nearest_possible(A, y, BALL, NONE, BALL.ravel())
    P = pseudo_inertia(found.values)
    own = 0.5 * np.sum((A @ found.values - y) ** 2) + np.trace(known @ P) - np.linalg.slogdet(P)[1]
    assert own <= other.fun + 1e-6
    assert own == pytest.approx(other.fun, abs=1e-3)


def _ten(P: np.ndarray) -> np.ndarray:
    """The ten parameters of a pseudo-inertia."""
    basis = ENTRIES.reshape(10, 16)
    return np.linalg.lstsq(basis.T, P.ravel())[0]


def test_bounds_hold_and_those_that_do_not_bind_do_not_matter():
    rng = np.random.default_rng(3)
    A = np.block(
        [[rng.normal(size=(40, 10)), np.zeros((40, 2))], [np.zeros((40, 10)), rng.normal(size=(40, 2))]]
    )
    y = A @ np.array([*_points(3), 2.0, -1.0])
    bounds = Bounds(np.eye(12)[10:], np.zeros(2))
    found = nearest_possible(A * 100, y * 100, BALL, bounds, np.array([*BALL[0], 1.0, 1.0])).values
    free = np.linalg.lstsq(A[40:, 10:11], y[40:])[0]
    assert 0 < found[11] < 1e-6
    assert found[10] == pytest.approx(free[0], rel=1e-4)
