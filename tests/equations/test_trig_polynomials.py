"""Trigonometric polynomials in normal form: one function, one set of terms."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from strobe.equations.trig_polynomials import Evaluation, Shape, Term, TooManyProducts, Waves
from strobe.errors import MixedNumbersError, UnknownNameError, UnsupportedOperationError
from strobe.formulations import FORMULATIONS
from strobe.models.load import load_model
from strobe.scalars import FieldSystem, Graph, cos, sin, sqrt

RING = Waves(["a", "b"], ["m", "x"])
A, B, M, X = (RING.variable(name) for name in RING.names)
POINT = {"a": 0.7, "b": -1.3, "m": 2.5, "x": 0.4}


def test_the_sum_of_the_squares_of_cosine_and_sine_is_the_number_one():
    assert (cos(A) * cos(A) + sin(A) * sin(A)).equals(1)
    assert (cos(A) * cos(A) + sin(A) * sin(A) - 1).is_zero()


def test_addition_theorems_are_equalities_of_terms():
    assert cos(A - B).equals(cos(A) * cos(B) + sin(A) * sin(B))
    assert sin(A + B).equals(sin(A) * cos(B) + cos(A) * sin(B))
    assert sin(B - A).equals(-sin(A - B))
    assert cos(A + A).equals(2 * cos(A) * cos(A) - 1)


def test_a_product_of_waves_is_a_sum_of_waves_with_the_first_frequency_positive():
    assert (M * sin(B) * cos(A)).terms == [
        Term(Fraction(-1, 2), (("m", 1),), "sin", (("a", 1), ("b", -1))),
        Term(Fraction(1, 2), (("m", 1),), "sin", (("a", 1), ("b", 1))),
    ]


def test_terms_come_without_waves_first_and_count_as_the_length():
    value = X * X * cos(B) + M - X / 3
    assert [term.function for term in value.terms] == ["1", "1", "cos"]
    assert value.terms[1].coefficient == Fraction(-1, 3)
    assert len(value) == 3


def test_a_decimal_is_the_fraction_it_was_written_as():
    assert (RING.constant(0.1) * 3).as_fraction() == Fraction(3, 10)
    assert M.as_fraction() is None


expressions = st.recursive(
    st.sampled_from([M, X, A, cos(A), sin(A), cos(B), sin(B), RING.constant(0.5), sin(A - 2 * B)]),
    lambda inner: st.tuples(st.sampled_from(["+", "-", "*"]), inner, inner).map(
        lambda t: {"+": t[1] + t[2], "-": t[1] - t[2], "*": t[1] * t[2]}[t[0]]
    ),
    max_leaves=6,
)


@given(expressions, expressions)
def test_values_of_sums_and_products_are_sums_and_products_of_values(x, y):
    at_x, at_y = (RING.lower(z).evaluate(POINT) for z in (x, y))
    assert RING.lower(x + y).evaluate(POINT) == pytest.approx(at_x + at_y, abs=1e-9)
    assert RING.lower(x * y).evaluate(POINT) == pytest.approx(at_x * at_y, abs=1e-9)


@given(expressions, st.sampled_from(RING.names))
def test_a_derivative_is_the_slope_of_the_values(x, name):
    x, h = RING.lower(x), 1e-5
    ahead, behind = (x.evaluate(POINT | {name: POINT[name] + step}) for step in (h, -h))
    slope = (ahead - behind) / (2 * h)
    assert x.derivative(name).evaluate(POINT) == pytest.approx(slope, abs=1e-5 * (1 + abs(slope)))


@given(expressions)
def test_substituting_and_evaluating_agree(x):
    x = RING.lower(x)
    exchanged = x.substitute({"a": B - A + math.pi / 2, "b": A, "m": X * cos(B), "x": 3})
    a, b = POINT["a"], POINT["b"]
    there = {"a": b - a + math.pi / 2, "b": a, "m": POINT["x"] * math.cos(b), "x": 3}
    assert exchanged.evaluate(POINT) == pytest.approx(x.evaluate(there), rel=1e-9, abs=1e-9)


def test_a_substituted_variable_is_gone():
    value = M * sin(A + B) + X
    assert value.variables() == {"a", "b", "m", "x"}
    assert value.substitute({"a": 0.0, "m": 2}).variables() == {"b", "x"}


def test_a_batch_is_evaluated_as_arrays():
    value = M * sin(A + B) * sin(B) + X
    a = np.linspace(-3, 3, 7)
    expected = 2.5 * np.sin(a - 1.3) * np.sin(-1.3) + 0.4
    assert np.allclose(value.evaluate(POINT | {"a": a}), expected, rtol=0, atol=1e-14)


def test_a_fixed_angle_that_is_not_a_right_one_stays_on_the_circle():
    c, s = RING.circle(0.3)
    assert (c * c + s * s).equals(1)
    assert float(c.as_fraction()) == pytest.approx(math.cos(0.3), abs=2e-16)


def test_an_angle_may_be_turned_by_a_right_angle_exactly():
    assert cos(A + math.pi / 2).equals(-sin(A))
    assert sin(A - math.pi).equals(-sin(A))


def test_multiples_of_one_function_have_one_primitive_wave():
    value = M * cos(A) * Fraction(4, 3) - X * sin(2 * B) * Fraction(2, 5)
    base, factor = value.primitive()
    assert {t.coefficient for t in base.terms} == {10, -3}
    assert base.terms[0].coefficient > 0
    assert value.equals(base * RING.constant(factor))
    other, opposite = (value * RING.constant(Fraction(-7, 2))).primitive()
    assert other.key == base.key
    assert opposite == factor * Fraction(-7, 2)
    assert value.key != base.key


def test_what_is_not_a_trigonometric_polynomial_is_refused_by_name():
    with pytest.raises(UnsupportedOperationError, match=r"Wave cannot do sqrt"):
        sqrt(M)
    with pytest.raises(
        UnsupportedOperationError, match=r"Wave cannot do div: only sums, products, quotients"
    ):
        X / M
    with pytest.raises(UnsupportedOperationError, match=r"sin or cos of 1/2·a"):
        cos(A / 2)
    with pytest.raises(UnsupportedOperationError, match=r"m is not one of its angles"):
        sin(M)
    with pytest.raises(UnsupportedOperationError, match=r"sin or cos of a product"):
        sin(A * B)
    with pytest.raises(UnsupportedOperationError, match=r"a wave already"):
        sin(cos(A))


def test_exponents_beyond_their_field_are_refused_and_not_mixed_up():
    power = X
    for _ in range(6):
        power = power * power
    assert power.terms[0].powers == (("x", 64),)
    with pytest.raises(UnsupportedOperationError, match=r"an exponent would pass 127"):
        power * power


def test_a_long_product_that_cancels_is_not_refused():
    value = M
    for _ in range(200):
        value = value * cos(A) * 2 - value * 2 * cos(A) + M
    assert value.equals(M)


def test_numbers_of_two_rings_do_not_mix_and_unknown_names_are_told():
    with pytest.raises(MixedNumbersError):
        Waves(["a"]).variable("a") + A
    with pytest.raises(UnknownNameError, match='no variable "c" in these equations'):
        A.derivative("c")
    with pytest.raises(UnknownNameError, match='no value "m" in the values given'):
        M.evaluate({"a": 1.0})


def test_evaluation_runs_over_other_number_systems():
    value = M * sin(A + 2 * B) + X * cos(A) / 3
    graph = Graph()
    node = Evaluation({name: graph.variable(name) for name in RING.names})(value)
    assert node.system is graph
    field = FieldSystem(seed=1)
    a, b = (field.variable(name, angle=True) for name in "ab")
    m, x = field.draw(), field.draw()
    found = Evaluation({"a": a, "b": b, "m": m, "x": x}, number=Fraction)(value)
    c2, s2 = cos(b) * cos(b) - sin(b) * sin(b), 2 * sin(b) * cos(b)
    expected = m * (sin(a) * c2 + cos(a) * s2) + x * cos(a) / 3
    assert found.residue == expected.residue


def test_a_formulation_runs_on_waves_as_on_any_number():
    model = load_model("planar2")
    ring = Waves(["q1", "q2"], [*model.parameters, "qd1", "qd2", "qdd1", "qdd2"])
    lifted = model.lift(ring)
    state = lifted.variables()
    tau = {name: method.inverse_dynamics(lifted, *state) for name, method in FORMULATIONS.items() if name}
    reference = tau["lagrange-jacobian"]
    assert all(x.equals(y) for found in tau.values() for x, y in zip(found, reference, strict=True))
    m2, l1, lc2, qd1 = map(ring.variable, ("m2", "l1", "lc2", "qd1"))
    centrifugal = reference[1].substitute({"qd2": 0, "qdd1": 0, "qdd2": 0})
    gravity = centrifugal.substitute({"qd1": 0})
    assert (centrifugal - gravity).equals(m2 * l1 * lc2 * sin(ring.variable("q2")) * qd1 * qd1)


def test_collecting_gives_coefficients_free_of_the_chosen_variables():
    value = M * cos(A - B) * X + M * sin(B) + 3 * X
    groups = value.collect(["a", "x"])
    cosine, sine = (Shape((("x", 1),), f, (("a", 1),)) for f in ("cos", "sin"))
    assert groups[cosine].equals(M * cos(B))
    assert groups[sine].equals(M * sin(B))
    assert groups[Shape((("x", 1),))].equals(3)
    assert groups[Shape()].equals(M * sin(B))


@given(expressions)
def test_collected_parts_add_up(x):
    x = RING.lower(x)
    parts = []
    for shape, coefficient in x.collect(["b", "m"]).items():
        assert coefficient.variables().isdisjoint({"b", "m"})
        angle = RING.total(RING.variable(name) * k for name, k in shape.frequencies)
        wave = {"1": 1, "cos": cos(angle), "sin": sin(angle)}[shape.function]
        for name, e in shape.powers:
            for _ in range(e):
                wave = RING.variable(name) * wave
        parts.append(coefficient * wave)
    assert RING.total(parts).equals(x)


def test_a_ring_with_a_budget_stops_when_it_is_spent():
    a = Waves(["a"], budget=10).variable("a")
    long = cos(a) + a + 1
    long * long
    with pytest.raises(TooManyProducts):
        long * long
