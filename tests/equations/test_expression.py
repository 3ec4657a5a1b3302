"""Small trees: building, length, values."""

from fractions import Fraction

import pytest

from strobe.equations.expression import (
    ONE,
    ZERO,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    Trig,
    inside,
    length,
    opposite,
    product,
    signed,
    symbols,
    total,
    value,
)

a, b, c = map(Symbol, "abc")
wave = Trig("cos", (("q1", 1), ("q2", -1)))


def number(x):
    return Number(Fraction(x))


def test_products_are_flat_with_one_number_in_front():
    assert product((a, number(2), product((number(3), b)))) == Product((number(6), a, b))
    assert product((number("1/2"), number(2), a)) == a
    assert product(()) == ONE
    assert product((a, number(0))) == ZERO


def test_sums_are_flat_and_begin_with_a_positive_term():
    minus = product((number(-1), a))
    assert total((minus, b, c)) == Sum((b, minus, c))
    assert total((minus, b), sorting=False) == Sum((minus, b))
    assert total((Sum((a, b)), ZERO, c)) == Sum((a, b, c))
    assert total((ZERO,)) == ZERO


def test_opposites_and_signs():
    x = total((a, product((number(-2), b))))
    assert opposite(opposite(x)) == x
    mostly_negative = total((product((number(-1), a)), product((number(-1), b)), c), sorting=False)
    assert signed(mostly_negative) == Product((number(-1), opposite(mostly_negative)))
    assert signed(x) == x


@pytest.mark.parametrize(
    ("x", "signs"),
    [
        (number(1), 0),
        (number(2), 1),
        (number("1/2"), 3),
        (a, 1),
        (wave, 3),
        (Trig("sin", (("q1", 2),)), 3),
        (Power(a, 2), 1),
        (Sum((a, b)), 3),
        (Product((a, Sum((b, c)))), 6),
        (Power(Sum((a, b)), 2), 5),
    ],
)
def test_the_length_counts_what_a_reader_takes_in(x, signs):
    assert length(x) == signs
    assert inside(x) == signs + 2 * isinstance(x, Sum)


def test_values_work_out_names_of_abbreviations_and_every_kind_of_node():
    x = Sum((Product((number("1/2"), Power(a, 3))), wave, Symbol("h")))
    numbers = {"a": 2.0, "q1": 0.7, "q2": 0.2}
    found = value(x, numbers.__getitem__, abbreviations={"h": Product((number(3), a))})
    assert found == pytest.approx(4.0 + 0.8775825618903728 + 6.0)
    assert symbols(x) == {"a", "q1", "q2", "h"}
