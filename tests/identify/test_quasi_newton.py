"""Descent from slopes alone, to where what is least is known."""

import numpy as np
import pytest

from strobe.identify.quasi_newton import descended


def rosenbrock(z):
    x, y = z[:-1], z[1:]
    slope = np.zeros_like(z)
    slope[:-1] = -400 * x * (y - x**2) - 2 * (1 - x)
    slope[1:] += 200 * (y - x**2)
    return float((100 * (y - x**2) ** 2 + (1 - x) ** 2).sum()), slope


def test_the_floor_of_a_bent_valley_is_found():
    assert descended(rosenbrock, np.full(6, -1.2), 400) == pytest.approx(np.ones(6), abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_the_least_of_a_quadratic_is_where_its_slopes_vanish(seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(12, 8)), rng.normal(size=12)
    found = descended(
        lambda z: (0.5 * float((A @ z - b) @ (A @ z - b)), A.T @ (A @ z - b)), np.zeros(8), 200
    )
    assert found == pytest.approx(np.linalg.lstsq(A, b, rcond=None)[0], abs=1e-3)


def test_where_the_slopes_vanish_nothing_moves():
    start = np.array([1.0, 1.0])
    assert (descended(rosenbrock, start, 10) == start).all()


def test_a_kink_is_come_close_to():
    found = descended(
        lambda z: (float(np.abs(z[0]) + 0.5 * z[1] ** 2), np.array([np.sign(z[0]), z[1]])),
        np.array([3.0, 2.0]),
        100,
    )
    assert np.abs(found[0]) < 0.1


def test_steps_into_where_nothing_is_defined_are_taken_back():
    found = descended(
        lambda z: (float(z[0] - np.log(z[0])) if z[0] > 0 else np.nan, np.array([1 - 1 / z[0]])),
        np.array([0.01]),
        50,
    )
    assert found == pytest.approx([1.0], abs=1e-3)
