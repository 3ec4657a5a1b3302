"""Least squares from triangles: the answer of all rows at once, whatever the chunks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from strobe.identify.torque_fit import Layout, fitted

LAYOUT = Layout(base=3, friction=2, joints=2)
TRUE = np.array([1.0, -2.0, 0.5, 0.3, 4.0, -0.2, 7.0])
NOISE = (0.01, 0.3)


def _rows(seed: int, count: int = 400):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(LAYOUT.joints, count, 5))
    y = [A[j] @ TRUE[LAYOUT.of(j)] + rng.normal(size=count) * NOISE[j] for j in range(2)]
    return A, y


def _triangles(A, y, cuts=()):
    triangles = LAYOUT.empty()
    for j, triangle in enumerate(triangles):
        for part, right in zip(np.split(A[j], cuts), np.split(y[j], cuts), strict=True):
            triangle.add(part, right)
    return triangles


@given(st.integers(0, 1000), st.lists(st.integers(1, 399), max_size=4).map(sorted))
def test_chunks_do_not_matter(seed: int, cuts: list[int]):
    A, y = _rows(seed)
    whole, parts = (fitted(LAYOUT, _triangles(A, y, c)) for c in ([], cuts))
    assert np.allclose(whole.values, parts.values, atol=1e-10)
    assert np.allclose(whole.covariance, parts.covariance, atol=1e-12)


def test_joints_are_weighed_by_what_is_left_of_them():
    A, y = _rows(1)
    found = fitted(LAYOUT, _triangles(A, y))
    assert found.noise == pytest.approx(NOISE, rel=0.15)
    rows = np.zeros((2, 400, 7))
    for j in range(2):
        rows[j][:, LAYOUT.of(j)] = A[j] / found.noise[j]
    right = np.concatenate([y[j] / found.noise[j] for j in range(2)])
    assert np.allclose(found.values, np.linalg.lstsq(rows.reshape(-1, 7), right)[0], atol=1e-4)


def test_errors_are_as_large_as_they_are_said_to_be():
    found = [fitted(LAYOUT, _triangles(*_rows(k))) for k in range(200)]
    z = np.array([(each.values - TRUE) / each.deviations for each in found])
    assert 0.63 < (np.abs(z) < 1).mean() < 0.73
    assert 0.93 < (np.abs(z) < 2).mean() < 0.97


def test_what_rows_leave_open_is_said_and_has_no_finite_deviation():
    A, y = _rows(2)
    A[:, :, 2] = 2 * A[:, :, 1]
    found = fitted(LAYOUT, _triangles(A, y))
    assert np.isinf(found.deviations).tolist() == [False, True, True, False, False, False, False]
    (direction,) = found.open
    assert direction[1] == pytest.approx(-2 * direction[2])


def test_a_part_of_others_stays_zero():
    A, y = _rows(3)
    A[0][:, 3] = A[0][:, 0]
    found = fitted(LAYOUT, _triangles(A, y), parts=[3])
    assert found.values[3] == 0
    assert found.deviations[3] == 0
    assert np.isfinite(found.deviations).all()


def test_rows_without_noise_are_explained_exactly():
    A, _ = _rows(4)
    found = fitted(LAYOUT, _triangles(A, [A[j] @ TRUE[LAYOUT.of(j)] for j in range(2)]))
    assert np.allclose(found.values, TRUE, atol=1e-9)
