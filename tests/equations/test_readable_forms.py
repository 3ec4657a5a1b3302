"""Forms that are read: each is converted back to the normal form, where equal functions have equal terms."""

from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from strobe.equations import product_forms
from strobe.equations.closed_form import equations_of
from strobe.equations.expression import length, value
from strobe.equations.readable_forms import Forms, Order, order_of
from strobe.equations.text import text
from strobe.equations.trig_polynomials import Waves
from strobe.models.load import load_model
from strobe.scalars import cos, sin

ANGLES = ("q1", "q2", "q3")
RING = Waves(ANGLES, ("m1", "m2", "I1", "a", "b", "d", "q4", "g", "qd1", "qd2"))
ORDER = Order(
    RING.names,
    gather=("m1", "I1", "m2"),
    gravity=frozenset({"g"}),
    state=frozenset({*ANGLES, "q4", "qd1", "qd2"}),
    rates=frozenset({"qd1", "qd2"}),
)
m1, m2, I1, a, b, d, q4, g, qd1, qd2 = map(RING.variable, RING.names[3:])
q1, q2, q3 = map(RING.variable, ANGLES)


def back(x, ring=RING):
    """An expression in normal form."""
    return ring.lower(value(x, ring.variable, ring.constant))


def printed(x):
    found = Forms(ORDER).form(RING.lower(x))
    assert back(found).equals(x)
    return text(found)


factor = st.sampled_from(
    [
        m1,
        m2,
        I1,
        a,
        b,
        d,
        q4,
        g,
        qd1,
        qd2,
        cos(q1),
        sin(q2),
        cos(q1 + q2),
        sin(2 * q1 - q3),
        cos(2 * q2),
        a + b,
    ]
)
term = st.tuples(
    st.fractions(-3, 3, max_denominator=4).filter(bool), st.lists(factor, min_size=1, max_size=4)
)


def multiplied(number, parts):
    result = RING.constant(number)
    for part in parts:
        result = result * part
    return result


@pytest.mark.slow
@settings(max_examples=200)
@given(st.lists(term, min_size=0, max_size=6))
def test_a_form_is_the_same_function(terms):
    x = RING.total(multiplied(*each) for each in terms)
    assert back(Forms(ORDER).form(x)).equals(x)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(term, min_size=1, max_size=4), st.lists(term, min_size=1, max_size=3))
def test_a_form_of_a_product_of_sums_is_the_same_function(left, right):
    x, y = (RING.total(multiplied(*each) for each in terms) for terms in (left, right))
    assert back(Forms(ORDER).form(RING.lower(x * y))).equals(x * y)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(term, min_size=1, max_size=5))
def test_numbers_of_a_model_are_never_put_in_front_of_a_sum(terms):
    x = RING.total(multiplied(*each) for each in terms)
    order = Order(RING.names, state=ORDER.state, rates=ORDER.rates, decimals=True)
    assert back(Forms(order).form(x)).equals(x)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (m1 * (a * cos(q1) + b * cos(q1 + q2)) * g, "m1 g (a cos q1 + b cos(q1 + q2))"),
        (I1 * sin(q1) * sin(q1) + m1 * a * a * sin(q1) * sin(q1), "(m1 a² + I1) sin² q1"),
        (m1 * (a * sin(q1) + b * sin(q1 + q2)) * (a * sin(q1) + b * sin(q1 + q2)),
         "m1 (a sin q1 + b sin(q1 + q2))²"),
        (m1 * (a * sin(q1) + b * sin(q1 + q2)) * (a * cos(q1) + b * cos(q1 + q2)),
         "m1 (a sin q1 + b sin(q1 + q2)) (a cos q1 + b cos(q1 + q2))"),
        (I1 * (1 - sin(q1) * sin(q1) * cos(q2) * cos(q2)), "I1 (1 − sin² q1 cos² q2)"),
        (a * cos(q1) * sin(q2) * cos(q3), "a cos q1 sin q2 cos q3"),
        (m1 * (a + q4) * (a + q4) * sin(q1) * sin(q1), "m1 (a + q4)² sin² q1"),
        (m1 * (a - b) * cos(q1), "m1 (a − b) cos q1"),
        (m1 * (a * a + a * b * cos(q1)), "m1 (a² + a b cos q1)"),
        (m1 * (a * b * sin(q1) + a * d * sin(q2)), "m1 a (b sin q1 + d sin q2)"),
        (I1 * sin(q1) * cos(q1), "I1 sin q1 cos q1"),
        (I1 * sin(2 * q1), "I1 sin 2q1"),
        (-a * cos(q1) - b * cos(q2), "−a cos q1 − b cos q2"),
        (b * cos(q2) - a * cos(q1), "b cos q2 − a cos q1"),
        (m1 * a * cos(q1) * (qd1 + qd2), "m1 a cos q1 · (q̇1 + q̇2)"),
        (-m1 * a * qd1 * qd2 + I1 * qd1 * qd1, "I1 q̇1² − m1 a q̇1 q̇2"),
        (m1 * RING.constant(Fraction(1, 2)), "½ m1"),
    ],
)  # fmt: skip
def test_textbook_forms(x, expected):
    assert printed(x) == expected


def test_zero_and_constants():
    assert printed(RING.constant(0)) == "0"
    assert printed(RING.constant(Fraction(-3, 4))) == "−¾"


@pytest.mark.parametrize("robot", ["planar2", "planar3", "spherical3", "pendulum3", "parallelogram"])
@pytest.mark.parametrize("numbers", [False, True])
def test_every_small_arm_is_printed_as_it_is(robot, numbers):
    e = equations_of(load_model(robot), numbers)
    forms = Forms(order_of(e))
    quantities = [*e.mass_matrix, *e.coriolis_matrix, *e.decomposition_matrix, e.gravity, e.torques]
    quantities += [*e.forward_kinematics(), *e.jacobian(), [e.kinetic_energy, e.potential_energy]]
    for x in (x for row in quantities for x in row):
        assert back(forms.form(x), e.ring).equals(x)


@pytest.mark.slow
def test_the_stanford_arm_is_printed_as_it_is_in_fewer_than_two_signs_a_term():
    e = equations_of(load_model("stanford"))
    forms = Forms(order_of(e))
    waves = [*e.mass_matrix[1], *e.gravity, *e.forward_kinematics()[0]]
    found = [forms.form(x) for x in waves]
    for x, y in zip(waves, found, strict=True):
        assert back(y, e.ring).equals(x)
    assert sum(map(length, found)) < 2 * sum(map(len, waves))
    assert (
        text(found[2])
        == "−m4 c4z cos q4 − m5 (c5y cos q4 + c5z sin q4 sin q5) − m6 (d6 + c6z) sin q4 sin q5"
    )


def test_waves_with_one_coefficient_become_one_product():
    x = RING.lower(8 * cos(q1) * sin(q2) * cos(q3))
    assert len(x) == 4
    paired = product_forms.paired({frozenset({(w, 1)}): c for w, c in waves_of(x)}, ORDER.place)
    assert len(paired) == 1


def waves_of(x):
    from strobe.equations.expression import Trig

    return [(Trig(t.function, t.frequencies), t.coefficient) for t in x.terms]
