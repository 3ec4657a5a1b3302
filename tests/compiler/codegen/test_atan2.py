"""Our angle of a point as vector code, against fifty digits and the C library."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import strobe
from strobe.scalars import atan2

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1.7e308, -1.7e308, 5e-324, 1e-300]


@pytest.fixture(scope="module")
def angle():
    return strobe.trace(lambda y, x: [atan2(y[0], x[0])], y=1, x=1)


def test_the_error_is_below_two_units_in_the_last_place(angle):
    rng = np.random.default_rng(0)
    y, x = rng.standard_normal((2, 4000, 1)) * 10.0 ** rng.uniform(-6, 6, (2, 4000, 1))
    y[:50], x[50:100] = x[:50] * (np.sqrt(2) - 1), y[50:100]  # where octants meet
    got = angle(y, x)[:, 0]
    with mpmath.workdps(40):
        exact = [mpmath.atan2(mpmath.mpf(a), mpmath.mpf(b)) for a, b in zip(y[:, 0], x[:, 0], strict=True)]
        ulps = [abs(float(mpmath.mpf(g) - e)) / np.spacing(abs(g)) for g, e in zip(got, exact, strict=True)]
    assert max(ulps) < 2.0


def test_zeros_infinities_and_nan_are_those_of_the_c_library(angle):
    y, x = np.meshgrid(SPECIAL, SPECIAL)
    got, expected = angle(y[..., None].copy(), x[..., None].copy())[..., 0], np.arctan2(y, x)
    np.testing.assert_allclose(got, expected, rtol=5e-16)
    known = ~np.isnan(expected)
    assert (np.signbit(got) == np.signbit(expected))[known].all()


def test_single_precision_is_rounded_once(angle):
    y, x = np.random.default_rng(1).standard_normal((2, 1000, 1)).astype(np.float32)
    got = angle(y, x)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, np.arctan2(y.astype(float), x.astype(float)), rtol=6.1e-8)
