"""Essential parameters: what is left out costs what the algebra says, and chance decides."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

from strobe.identify.essential import essential


def _fit(seed: int, true: np.ndarray, rows: int = 200):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rows, len(true))) @ (np.eye(len(true)) + 0.3 * rng.normal(size=(len(true),) * 2))
    y = A @ true + rng.normal(size=rows)
    C = np.linalg.inv(A.T @ A)
    return A, y, C @ A.T @ y, C


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1000))
def test_what_remains_is_the_fit_without_the_rest(seed: int):
    A, y, x, C = _fit(seed, np.array([3.0, 0.0, -2.0, 0.05, 0.0, 8.0]))
    found = essential(x, C, np.zeros(6, dtype=bool))
    kept = found.kept
    again = np.linalg.lstsq(A[:, kept], y)[0]
    assert np.allclose(found.values[kept], again)
    assert not found.values[~kept].any()
    assert np.allclose(found.deviations[kept], np.sqrt(np.diag(np.linalg.inv(A[:, kept].T @ A[:, kept]))))


def test_parameters_that_are_nothing_are_left_out_and_large_ones_never():
    true = np.array([3.0, 0.0, -2.0, 0.0, 0.0, 8.0])
    kept = [essential(*_fit(seed, true)[2:], np.zeros(6, dtype=bool)).kept for seed in range(100)]
    assert np.all(np.array(kept)[:, [0, 2, 5]])
    assert np.mean(np.array(kept)[:, [1, 3, 4]]) < 0.12


def test_what_is_fixed_is_not_asked():
    _, _, x, C = _fit(1, np.zeros(4))
    assert essential(x, C, np.array([True, False, False, True])).kept[[0, 3]].all()
