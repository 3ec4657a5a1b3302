"""Each number system on its own: what it computes, what folds, what it refuses."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy

from strobe.errors import MixedNumbersError, NumberTruthError, UnsupportedOperationError, ZeroPivotError
from strobe.scalars import (
    FLOAT,
    INTERVALS,
    LANES,
    DegreeSystem,
    DenseCount,
    Dual,
    DualSystem,
    FieldSystem,
    FoldedCount,
    Graph,
    Lanes,
    Scalar,
    absolute,
    atan2,
    cos,
    less,
    maximum,
    minimum,
    quarter_turns,
    sin,
    sqrt,
    tanh,
    where,
)
from strobe.scalars.dual import RULES
from strobe.scalars.field import draw_prime, is_prime
from strobe.scalars.lanes import FUNCTIONS
from strobe.scalars.precise import PreciseSystem
from strobe.scalars.scalar import FIRST_GROUP, SECOND_GROUP
from strobe.scalars.symbol import SymbolSystem


def systems():
    """One of each, with a way to make an input."""
    return [
        FoldedCount(),
        DenseCount(),
        Graph(),
        DegreeSystem(),
        FieldSystem(7),
        DualSystem(FieldSystem(8)),
        DualSystem(Graph()),
        SymbolSystem(),
    ]


def inputs():
    """A number of every system that has numbers of its own."""
    numbers = [system.variable("x") for system in systems()]
    return [
        *numbers,
        Lanes(np.array([0.3, -0.7])),
        INTERVALS.between(0.3, 0.4),
        PreciseSystem().exact("0.3"),
    ]


@pytest.mark.parametrize("x", inputs(), ids=lambda x: str(x.system))
def test_zeros_and_ones_of_python_fold_before_the_system_sees_them(x):
    assert x + 0 is x
    assert 0.0 + x is x
    assert x - 0 is x
    assert x * 1 is x
    assert 1.0 * x is x
    assert x / 1 is x
    assert x * 0 == 0.0
    assert 0 * x == 0.0
    assert 0 / x == 0.0
    assert np.float64(1.0) * x is x  # compared by value, never by type


@pytest.mark.parametrize("x", inputs(), ids=lambda x: str(x.system))
def test_a_number_has_no_truth_value_and_says_what_to_use(x):
    with pytest.raises(NumberTruthError, match=r"use less\(\) and where\(\)"):
        bool(x)


@pytest.mark.parametrize("x", inputs(), ids=lambda x: str(x.system))
def test_numbers_of_two_systems_do_not_mix_and_the_error_names_both(x):
    other = Graph().variable("y")
    with pytest.raises(MixedNumbersError) as caught:
        x + other
    assert str(x.system) in str(caught.value)
    assert "Node" in str(caught.value)


@pytest.mark.parametrize("several", [[1.0], (1.0, 2.0)], ids=["list", "tuple"])
def test_a_number_that_meets_several_says_to_take_one(several):
    with pytest.raises(MixedNumbersError, match=r"take one of these, as in t\[0\]"):
        Graph().variable("y") * several


def test_owners_are_compared_not_only_types():
    for make in (Graph, FoldedCount, lambda: FieldSystem(1), DegreeSystem):
        with pytest.raises(MixedNumbersError):
            make().variable("x") * make().variable("x")


def test_numpy_arrays_step_back():
    with pytest.raises(TypeError):
        np.array([1.0, 2.0]) * Graph().variable("x")


def test_equality_is_identity():
    graph = Graph()
    assert graph.variable("x") is graph.variable("x")
    assert FoldedCount().variable("x") != FoldedCount().variable("x")


def test_every_operation_is_known_to_every_complete_system():
    operations = FIRST_GROUP | SECOND_GROUP
    assert set(FUNCTIONS) == operations
    assert set(RULES) == operations
    assert set(PreciseSystem().functions) == operations


# -- values -------------------------------------------------------------------------------------------


def expression(x, y):
    """Every operation once."""
    first = (x + y) * sin(x) - cos(y) / (x * x + 2.0) + (-x) * 0.5
    second = sqrt(x * x + 1.0) + atan2(y, x) + absolute(y) + minimum(x, y) * maximum(x, 0.1) + tanh(x)
    return first + where(less(x, y), second, second * y)


@pytest.mark.parametrize(("x", "y"), [(0.3, 0.9), (0.9, -0.4), (-1.2, 0.7), (-0.5, -2.0)])
def test_lanes_precise_and_dual_agree_with_floats(x, y):
    expected = expression(x, y)
    lanes = expression(Lanes(np.array([x, x])), Lanes(np.array([y, y])))
    assert LANES.lower(lanes) == pytest.approx([expected] * 2, rel=1e-15)
    precise = PreciseSystem()
    assert float(precise.lower(expression(precise.exact(x), precise.exact(y)))) == pytest.approx(expected)
    dual = DualSystem()
    assert dual.lower(expression(dual.seed(x, 1.0), y)).value == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(("x", "y"), [(0.3, 0.9), (0.9, -0.4), (-1.2, 0.7), (-0.5, -2.0)])
def test_a_dual_carries_the_derivative(x, y):
    precise, h = PreciseSystem(), "1e-15"
    step = precise.exact(h)
    for dx, dy in ((1.0, 0.0), (0.0, 1.0)):
        dual = DualSystem()
        slope = dual.lower(expression(dual.seed(x, dx), dual.seed(y, dy))).tangent
        ahead, behind = (
            expression(precise.exact(x) + s * dx, precise.exact(y) + s * dy) for s in (step, -step)
        )
        assert slope == pytest.approx(float(precise.lower((ahead - behind) / (step * 2.0))), rel=1e-13)


def test_a_dual_of_a_dual_is_a_second_derivative():
    inner = DualSystem()
    outer = DualSystem(inner)
    x = outer.seed(inner.seed(0.4, 1.0), inner.seed(1.0, 0.0))
    second = outer.lower(sin(x) * x).tangent
    assert second.tangent == pytest.approx(2 * math.cos(0.4) - 0.4 * math.sin(0.4))


def test_a_dual_of_nodes_refuses_a_bare_node():
    graph = Graph()
    dual = DualSystem(graph)
    with pytest.raises(MixedNumbersError, match="Dual of Node"):
        dual.variable("x") * graph.variable("y")


def test_float32_lanes_stay_float32():
    x = Lanes(np.array([0.3, 0.4], np.float32))
    assert LANES.lower(x * 2.0 + 1.5).dtype == np.float32
    assert LANES.lower(where(less(x, 0.35), x, 1.0)).dtype == np.float32
    assert LANES.lower(less(0.35, x) * x).dtype == np.float32


def test_precise_keeps_fifty_digits():
    system = PreciseSystem()
    third = system.lower(system.exact(1) / 3.0)
    assert str(third).startswith("0.3333333333333333333333333333333333333333333333333")
    cosine, _ = system.circle(0.7)
    assert abs(float(system.lower(cosine)) - math.cos(0.7)) < 1e-16


def test_symbols_keep_named_parameters_and_exact_decimals():
    system = SymbolSystem()
    assert str(system.lower(system.number(0.1))) == "1/10"
    x = system.variable("x")
    assert str(system.lower(sin(x) * 2.0 + x)) == "x + 2*sin(x)"


# -- the graph ----------------------------------------------------------------------------------------


def test_equal_operations_are_one_node():
    graph = Graph()
    x, y = graph.variable("x"), graph.variable("y")
    assert x * y is y * x
    assert x + y is y + x
    assert x - y is not y - x
    assert (x * 2.0) is (2.0 * x)
    assert repr(x + y) == f"%{(x + y).index} = add %0 %1"
    assert graph.counts()["mul"] == 2


# -- counting -----------------------------------------------------------------------------------------


def test_folded_counting_leaves_model_constants_alone():
    system = FoldedCount()
    x = system.variable("x")
    result = x * system.number(0.0) + x * system.number(1.0) + x * system.number(0.5)
    assert isinstance(result, Scalar)
    assert (system.multiplications, system.additions) == (1, 1)


def test_dense_counting_charges_for_zeros_but_not_for_the_model_alone():
    system = DenseCount()
    x = system.variable("x")
    a, b = system.number(0.0), system.number(1.0)
    free = a * b + a  # depends on the model only
    assert (system.multiplications, system.additions) == (0, 0)
    _ = x * free + system.rest() * b
    assert (system.multiplications, system.additions) == (2, 1)


# -- the field ----------------------------------------------------------------------------------------


def test_primes_are_primes():
    assert [n for n in range(40) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
    assert is_prime(2**61 - 1)
    assert not is_prime((2**31 - 1) * (2**19 - 1))
    assert not is_prime(3215031751)  # a strong pseudoprime to the bases 2, 3, 5 and 7
    rng = __import__("random").Random(5)
    assert all(2**60 < draw_prime(rng) < 2**61 for _ in range(5))


def test_field_arithmetic_is_exact():
    system = FieldSystem(3)
    x, y = system.variable("x"), system.variable("y")
    assert system.lower((x + y) * (x - y)) == system.lower(x * x - y * y)
    assert system.lower((x / y) * y) == system.lower(x)
    assert system.lower(x * 0.5 + x * 0.5) == system.lower(x)
    assert system.lower(0.1) == Fraction(0.1).numerator * pow(
        Fraction(0.1).denominator, -1, system.prime
    ) % (system.prime)


def test_a_field_angle_lies_on_the_circle_and_nothing_else_has_a_sine():
    system = FieldSystem(4)
    q = system.variable("q", angle=True)
    assert system.lower(sin(q) * sin(q) + cos(q) * cos(q)) == 1
    with pytest.raises(UnsupportedOperationError, match="only an input angle"):
        sin(q * 2.0)


@pytest.mark.parametrize("op", sorted(SECOND_GROUP))
def test_the_field_refuses_the_second_group_by_name(op):
    x = FieldSystem(5).variable("x")
    with pytest.raises(UnsupportedOperationError, match=f"Field cannot do {op}"):
        x.apply(op, x, x, x)


def test_a_zero_pivot_in_the_field_asks_for_another_draw():
    x = FieldSystem(6).variable("x")
    with pytest.raises(ZeroPivotError, match="draw the robot and its state again"):
        1.0 / (x - x)


def test_a_lift_to_the_field_keeps_zeros_and_right_angles_only():
    system = FieldSystem(9)
    assert system.number(0.0) == 0
    assert isinstance(system.number(1.0), Scalar)
    assert system.circle(math.pi / 2) == (0, 1)
    assert isinstance(system.circle(0.3)[0], Scalar)


# -- degrees ------------------------------------------------------------------------------------------


def test_degrees_add_under_products_and_count_an_angle_twice():
    system = DegreeSystem()
    q, x = system.variable("q", angle=True), system.variable("x")
    assert system.lower(sin(q) * x + x) == 3
    assert system.lower(sin(q) * cos(q) * x) == 5
    assert system.lower(x / (x + sin(q)) + x) == 1 + 1 + 2  # over a common denominator


def test_a_divisor_that_terms_share_is_counted_once():
    system = DegreeSystem()
    a, b, x, y = (system.variable(name) for name in "abxy")
    pivot = a * b + x  # degree 2
    reciprocal = 1.0 / pivot
    assert system.lower(x * reciprocal + y * reciprocal + a / pivot) == 1
    assert system.lower(x * reciprocal + y) == 3
    assert system.lower(x / pivot + y / b) == 3  # (x b + y pivot) / (pivot b)
    assert system.lower(pivot * reciprocal) == 2  # known only as pivot over pivot
    assert system.lower(x / pivot / pivot + y / pivot) == 3
    assert system.lower(x * 0.5 / 3.0 + y / 2.0) == 1


def test_a_pivot_below_a_pivot_cancels():
    system = DegreeSystem()
    a, b, c, x = (system.variable(name) for name in "abcx")
    second = c - b * b / a  # (a c − b²) / a
    assert system.lower(second) == 2
    assert system.lower(x / second) == 2  # x a / (a c − b²)
    assert system.lower(x / second / a) == 1
    # (b (…) + x (a c − b²)) over the second pivot alone
    assert system.lower((b / a) * (a / second) + x) == 1 + 2


def test_no_bound_is_below_the_degree_of_the_cleared_fraction():
    """Random sums, products and quotients against SymPy's numerators before anything is cancelled there."""
    rng = __import__("random").Random(3)
    names = ("x", "y", "z")
    for _ in range(40):
        system = DegreeSystem()
        pool = [(system.variable(name), sympy.Symbol(name)) for name in names]
        for _ in range(6):
            (a, A), (b, B) = rng.choice(pool), rng.choice(pool)
            op = rng.choice("+-*/")
            if B == 0 or (op == "-" and A == B):
                continue
            step = {"+": lambda u, v: u + v, "-": lambda u, v: u - v}.get(op)
            step = step or {"*": lambda u, v: u * v, "/": lambda u, v: u / v}[op]
            pool.append((step(a, b), sympy.cancel(step(A, B))))
        for degree, fraction in pool:
            numerator = sympy.fraction(fraction)[0]
            least = 0 if numerator.is_number else sympy.Poly(numerator).total_degree()
            assert system.lower(degree) >= least


def test_a_degree_bounds_the_number_of_points_where_a_wrong_identity_holds():
    """(x+y)² against x²+y² at a small prime: equal at about 2/p of all points, never above d/p."""
    prime, hits, trials = 101, 0, 4000
    system = FieldSystem(11, prime)
    for _ in range(trials):
        x, y = system.variable("x"), system.variable("y")
        hits += system.lower((x + y) * (x + y)) == system.lower(x * x + y * y)
    assert hits / trials <= 2 / prime


# -- angles -------------------------------------------------------------------------------------------


def test_right_angles_are_exact_floats_only():
    assert [quarter_turns(k * math.pi / 2) for k in (-3, -2, -1, 0, 1, 2, 3, 4)] == [1, 2, 3, 0, 1, 2, 3, 0]
    assert quarter_turns(1.5708) is None
    assert FLOAT.circle(-math.pi / 2) == (0, -1)
    assert FLOAT.circle(0.3) == (math.cos(0.3), math.sin(0.3))


def test_dual_values_are_duals_even_when_they_folded():
    dual = DualSystem()
    assert isinstance(dual.lower(0.0), Dual)


@pytest.mark.parametrize("function", [minimum, maximum])
def test_the_smaller_and_the_larger_of_something_unknown_are_unknown(function):
    for pair in ((1.0, math.nan), (math.nan, 1.0), (math.nan, math.nan)):
        assert math.isnan(function(*pair))
