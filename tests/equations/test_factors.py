"""Polynomials over atoms: what is found multiplies back."""

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from strobe.equations import factors
from strobe.equations.expression import Trig

ATOMS = ["a", "b", "m", Trig("cos", (("q1", 1),)), Trig("sin", (("q1", 1), ("q2", 1)))]
monomials = st.dictionaries(st.sampled_from(ATOMS), st.integers(1, 2), max_size=3).map(factors.monomial)
numbers = st.integers(-4, 4).filter(bool).map(Fraction)
sums = st.dictionaries(monomials, numbers, min_size=1, max_size=4)


@pytest.mark.slow
@given(sums, sums)
def test_a_product_is_divided_exactly(p, q):
    assert factors.quotient(factors.product(p, q), q) == p


@pytest.mark.slow
@given(sums)
def test_a_square_has_its_root(p):
    root = factors.square_root(factors.product(p, p))
    assert root is not None
    assert root in (p, {m: -c for m, c in p.items()})


@given(sums)
def test_what_is_called_a_square_root_is_one(p):
    root = factors.square_root(p)
    assert root is None or factors.product(root, root) == p


@pytest.mark.slow
@given(sums, sums)
def test_two_sums_multiply_back(p, q):
    whole = factors.product(p, q)
    found = factors.two_sums(whole) if len(whole) > 1 else None
    assert found is None or factors.product(*found) == whole


def test_two_sums_are_found_where_one_lacks_an_atom():
    p = {factors.monomial({"a": 1}): Fraction(1), factors.monomial({"b": 1}): Fraction(2)}
    q = {factors.monomial({"a": 1}): Fraction(1), factors.monomial({"m": 1}): Fraction(-1)}
    found = factors.two_sums(factors.product(p, q))
    assert found is not None
    assert sorted(map(len, found)) == [2, 2]


@given(sums)
def test_the_common_factor_leaves_coprime_integers(p):
    number, shared = factors.common_factor(p)
    rest = factors.without_common_factor(p)
    assert factors.scaled(rest, shared, number) == p
    assert factors.common_factor(rest) == (1, factors.UNIT)


def test_what_does_not_divide_is_refused():
    p = {factors.monomial({"a": 1}): Fraction(1), factors.UNIT: Fraction(1)}
    q = {factors.monomial({"a": 1}): Fraction(1), factors.UNIT: Fraction(2)}
    assert factors.quotient(p, q) is None
    assert factors.square_root(p) is None
    assert factors.square_root({factors.UNIT: Fraction(-4)}) is None
