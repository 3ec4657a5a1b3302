"""Long division of trigonometric polynomials is exact, and says where there is no quotient."""

from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from strobe.equations.exact_division import quotient
from strobe.equations.trig_polynomials import Waves
from strobe.scalars import cos, sin

RING = Waves(["a", "b"], ["x", "y"])
A, B, X, Y = (RING.variable(name) for name in "abxy")

pieces = st.sampled_from([cos(A), sin(A), cos(B), sin(A + B), cos(A - B * 2), X, Y, X * Y, X * cos(B)])
terms = st.tuples(st.fractions(-3, 3, max_denominator=4), pieces)
waves = st.lists(terms, min_size=1, max_size=4).map(
    lambda parts: RING.total(piece * RING.constant(c) for c, piece in parts)
)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(x=waves, y=waves)
def test_a_product_divided_by_a_factor_is_the_other(x, y):
    if not y.is_zero():
        found = quotient(RING.lower(x * y), y)
        assert found is not None
        assert found.equals(x)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(x=waves, y=waves)
def test_a_quotient_times_the_divisor_is_the_dividend(x, y):
    found = quotient(x, y)
    if found is not None:
        assert RING.lower(found * y).equals(x)


def test_sums_of_squares_divide_over_angles_too():
    one = RING.lower(cos(A) * cos(A) + sin(A) * sin(A))
    assert quotient(one, RING.lower(cos(A))) is None
    double = quotient(RING.lower(sin(A * 2)), RING.lower(sin(A)))
    assert double is not None
    assert double.equals(cos(A) * 2)
    assert quotient(RING.lower(cos(A * 2) + 1), RING.lower(cos(A))).equals(cos(A) * 2)  # pyright: ignore


@pytest.mark.parametrize("divisor", [X + 1, sin(A) + X, RING.constant(0)])
def test_what_does_not_divide_has_no_quotient(divisor):
    assert quotient(RING.lower(X * cos(A) + Y), RING.lower(divisor)) is None


def test_nothing_divided_by_something_is_nothing_and_by_a_number_a_multiple():
    assert quotient(RING.constant(0), RING.lower(X)).is_zero()  # pyright: ignore
    assert quotient(X, RING.constant(Fraction(2, 3))).equals(X * RING.constant(Fraction(3, 2)))  # pyright: ignore
