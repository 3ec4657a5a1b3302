"""The search finds known least values, with slopes and without."""

import numpy as np

from strobe.trajectory.cma_es import least


def search(function, start, low=-10.0, high=10.0, generations=400):
    n = len(start)
    return least(
        function, np.array(start, dtype=float), np.full(n, 0.5), np.full(n, low), np.full(n, high),
        generations=generations, rng=np.random.default_rng(0),
    )  # fmt: skip


def test_a_narrow_bent_valley_is_followed_to_its_end():
    found = search(lambda x: 100 * (x[:, 1] - x[:, 0] ** 2) ** 2 + (1 - x[:, 0]) ** 2, (-1.0, 1.0))
    np.testing.assert_allclose(found, (1, 1), atol=1e-3)


def test_kinks_do_no_harm():
    found = search(lambda x: np.abs(x - [1, -2, 3]).max(axis=1) + np.abs(x).sum(axis=1) * 0.01, np.zeros(3))
    np.testing.assert_allclose(found, (1, -2, 3), atol=2e-2)


def test_bounds_are_kept():
    found = search(lambda x: x.sum(axis=1), np.zeros(4), low=-0.3)
    np.testing.assert_allclose(found, -0.3, atol=1e-6)


def test_the_result_is_no_worse_than_the_start():
    np.testing.assert_array_equal(search(lambda x: (x**2).sum(axis=1), np.zeros(3)), np.zeros(3))
