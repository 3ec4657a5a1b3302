"""Exact polynomials: read and written as papers print them, fitted only where they are certain."""

from fractions import Fraction

import pytest

from strobe.analysis.polynomials import N, Polynomial, fit, mixed, through
from strobe.errors import ArgumentError

PRINTED = [
    "32½n⁴+86 5/12n³+171¼n²+53⅓n−128",
    "106½n²+620¼n−512",
    "n³+n²+2n",
    "−½n+3",
    "7,051",
    "830n−592",
    "0",
]


@pytest.mark.parametrize("text", PRINTED)
def test_a_polynomial_prints_as_it_was_read(text):
    assert str(Polynomial.parse(text)) == text


def test_improper_fractions_are_read_and_printed_mixed():
    assert str(Polynomial.parse("81/6n³+165/2n²+5n")) == "13½n³+82½n²+5n"


@pytest.mark.parametrize("text", ["", "3x", "n^2", "2n²+"])
def test_what_is_not_a_polynomial_is_refused_with_an_example(text):
    with pytest.raises(ArgumentError, match="106½n²"):
        Polynomial.parse(text)


def test_values_are_exact():
    waters = Polynomial.parse("106½n²+620¼n−512")
    assert waters(6) == Fraction(14087, 2)
    assert isinstance(Polynomial.parse("½n²+½n")(7), int)


def test_sums_over_j_are_polynomials_again():
    assert str(N.summed()) == "½n²+½n"
    cubes = (N**3).summed()
    assert all(cubes(n) == sum(j**3 for j in range(1, n + 1)) for n in range(10))


def test_arithmetic_is_that_of_the_values():
    p, q = N * 3 - 1, (N**2 + 2) / 3
    for n in range(5):
        assert (p + q)(n) == p(n) + q(n)
        assert (p * q)(n) == p(n) * q(n)
        assert (5 - p)(n) == 5 - p(n)


def test_a_fit_needs_a_point_that_it_was_not_made_from():
    squares = {n: n * n for n in range(2, 6)}
    assert fit(squares) == N**2
    assert fit({n: squares[n] for n in (2, 3, 4)}) is None
    assert fit(squares | {6: 37}) is None
    assert fit(squares, spare=2) is None


def test_points_in_any_order_give_the_same_polynomial():
    p = N**3 - N * 2 + 7
    assert through({n: p(n) for n in (5, 1, 8, 2)}) == p


def test_numbers_are_mixed():
    assert [mixed(Fraction(5, 12)), mixed(Fraction(-1037, 12)), mixed(7051)] == [
        "5/12",
        "−86 5/12",
        "7,051",
    ]
