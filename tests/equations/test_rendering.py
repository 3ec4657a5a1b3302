"""What is written says what is meant: brackets where they are needed, in the one walk that all languages share."""

from fractions import Fraction
from math import cos, sin

import pytest
from hypothesis import given, strategies as st

from strobe.equations import expression as ex
from strobe.equations.code import CodeWriter
from strobe.equations.expression import Number, Power, Product, Sum, Symbol, Trig
from strobe.equations.text import TextWriter

NAMES = {"a": 0.7, "b": -1.3, "c": 2.1, "q1": 0.4, "q2": -0.9}

leaves = st.one_of(
    st.sampled_from([Symbol(name) for name in "abc"]),
    st.fractions(-3, 3, max_denominator=4).filter(bool).map(Number),
    st.builds(Trig, st.sampled_from(["cos", "sin"]), st.just((("q1", 1), ("q2", -2)))),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda x: Sum(tuple(x))),
        st.lists(inner, min_size=2, max_size=3).map(lambda x: Product(tuple(x))),
        st.builds(Power, inner, st.integers(2, 3)),
        inner.map(ex.opposite),
    ),
    max_leaves=8,
)


@pytest.mark.slow
@given(trees)
def test_written_code_has_the_value_of_the_expression(x):
    written = CodeWriter({name: name for name in NAMES}).write(x)
    found = eval(written, {"cos": cos, "sin": sin}, dict(NAMES))
    assert found == pytest.approx(ex.value(x, NAMES.__getitem__), rel=1e-12, abs=1e-12)


a, b, c = map(Symbol, "abc")


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (Sum((a, Product((Number(Fraction(-1)), Sum((b, c)))))), "a − (b + c)"),
        (Power(Product((Sum((a, b)), c)), 2), "((a + b) c)²"),
        (Power(Power(a, 2), 2), "(a²)²"),
        (Product((a, Number(Fraction(-2)))), "a (−2)"),
        (Sum((a, Product((Number(Fraction(-2)), b)))), "a − 2 b"),
    ],
)
def test_brackets_stand_where_they_are_needed(x, expected):
    assert TextWriter().write(x) == expected
