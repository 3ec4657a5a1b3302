"""Every row of the tables: it fires, and what it gives has the value of what it takes away."""

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from strobe.compiler.graph.program import trace
from strobe.compiler.graph.rules import FORMS, FUNCTIONS, RULES, rules
from strobe.compiler.graph.simplify import Builder, simplify
from strobe.scalars import Graph
from strobe.scalars.functions import absolute, less, maximum, minimum, sqrt, tanh, where
from strobe.scalars.scalar import FIRST_GROUP, SECOND_GROUP

RATIONAL = ("add", "sub", "mul", "div", "abs", "min", "max", "less", "where")  # exact on fractions
ROWS = [pytest.param(op, rule, id=f"{op}: {rule.text}") for op, rows in RULES.items() for rule in rows]

fractions = st.fractions(-50, 50, max_denominator=20)


def pool():
    """A builder with values that bring out every row: constants, inputs, multiples, absolute values, signs."""
    builder = Builder(Graph())
    x, y = ((1, builder.graph.variable(name)) for name in "xy")
    constants = [builder.constant(c) for c in (0.0, 1.0, 0.5, 4.0)]
    composed = [
        builder.apply("mul", constants[3], x),
        builder.apply("mul", constants[2], x),
        builder.apply("abs", y),
        builder.apply("less", x, y),
    ]
    values = [*constants, x, y, *composed]
    return builder, [*values, *((-sign, node) for sign, node in values)]


def evaluate(node, inputs, number):
    """The value of a node over one kind of number."""
    if node.op == "constant":
        return number(node.value)
    if node.op == "input":
        return inputs[node.value]
    args = [evaluate(a, inputs, number) for a in node.args]
    return -args[0] if node.op == "neg" else number(FUNCTIONS[node.op][1](*args))


@cache
def uses(op, rule):
    """A builder, and arguments of its graph that this row is the first to hold for."""
    builder, values = pool()
    found = {}
    for args in product(values, repeat=FUNCTIONS[op][0]):
        _, made, nodes = FORMS[op](builder, *args)
        first = next((r for r in rules(made, *(x.op for x in nodes)) if r.holds(*nodes)), None)
        if first is rule:
            found[nodes] = None
    return builder, list(found)


def test_every_operation_has_a_form_and_a_value():
    assert set(FORMS) == set(FUNCTIONS) == set(RULES) == (FIRST_GROUP | SECOND_GROUP) - {"neg"}


@pytest.mark.parametrize(("op", "rule"), ROWS)
def test_every_row_fires(op, rule):
    assert uses(op, rule)[1]


@pytest.mark.slow
@pytest.mark.parametrize(("op", "rule"), [row for row in ROWS if row.values[0] in RATIONAL])
@given(x=fractions, y=fractions)
@settings(max_examples=20)
def test_every_row_keeps_the_exact_value(op, rule, x, y):
    builder, found = uses(op, rule)
    for nodes in found:
        values = [evaluate(n, {"x": x, "y": y}, Fraction) for n in nodes]
        if op == "div" and values[1] == 0:  # 0 / 0: what vanishes by structure is 0
            continue
        sign, node = rule.result(builder, *nodes)
        assert sign * evaluate(node, {"x": x, "y": y}, Fraction) == FUNCTIONS[op][1](*values)


VANISHING = ("0 y = 0", "0 / y = 0", "x − x = 0")  # by structure: 0 for every number
MERGING = ("c (d z) = (c d) z", "c z + d z = (c + d) z", "c z − d z = (c − d) z")
EXACT = [row for row in ROWS if row.values[0] in RATIONAL and row.values[1].text not in VANISHING + MERGING]
EXTREMES = [np.float64(x) for x in (math.inf, -math.inf, math.nan, 1.7e308, -5e-324, 0.0, 0.1)]


@pytest.mark.parametrize(("op", "rule"), EXACT)
def test_every_other_row_is_exact_for_infinity_and_nan_and_at_the_ends_of_the_range(op, rule):
    builder, found = uses(op, rule)
    # what is made of them merges nothing
    plain = [nodes for nodes in found if all(n.op != "mul" for n in nodes)]
    assert plain
    with np.errstate(all="ignore"):
        for nodes, x, y in product(plain, EXTREMES, EXTREMES):
            values = [evaluate(n, {"x": x, "y": y}, np.float64) for n in nodes]
            sign, node = rule.result(builder, *nodes)
            after = sign * evaluate(node, {"x": x, "y": y}, np.float64)
            np.testing.assert_array_equal(after, FUNCTIONS[op][1](*values))


@pytest.mark.parametrize(("op", "rule"), ROWS)
def test_no_row_makes_more_than_the_operation_it_takes_the_place_of(op, rule):
    builder, found = uses(op, rule)
    for nodes in found:
        known = len(builder.graph.nodes)
        _, node = rule.result(builder, *nodes)
        made = [n for n in builder.graph.nodes[known:] if n.op != "constant"]
        assert len(made) <= 1
        assert node.op != "neg"


@pytest.mark.slow
@pytest.mark.parametrize("op", FORMS)
@given(st.tuples(*[st.floats(0.1, 20.0)] * 3), st.tuples(*[st.sampled_from((1, -1))] * 3))
def test_signs_go_where_the_value_allows_to_the_last_bit(op, numbers, signs):
    count, function = FUNCTIONS[op]
    builder = Builder(Graph())
    inputs = [builder.graph.variable(f"x{k}") for k in range(count)]
    values = dict(zip(inputs, numbers, strict=False))
    sign, made, nodes = FORMS[op](builder, *zip(signs, inputs, strict=False))
    if op == "sqrt" and signs[0] < 0:
        assert nodes[0].op == "neg"
        return
    plain = [-values[n.args[0]] if n.op == "neg" else values[n] for n in nodes]
    given_ = [s * x for s, x in zip(signs, numbers[:count], strict=False)]
    assert sign * FUNCTIONS[made][1](*plain) == function(*given_)


def left(function, size=2):
    """What an expression becomes: its operations, without inputs and constants."""
    program = simplify(trace(lambda x: [function(*x)], {"x": size}, (1,), Graph()))
    return {op: n for op, n in program.counts.items() if op not in ("input", "constant")}


@pytest.mark.parametrize(
    ("function", "operations"),
    [
        (lambda x, y: (-x) * (-y), {"mul": 1}),
        (lambda x, y: x - (-y), {"add": 1}),
        (lambda x, y: 3.0 * x + 0.5 * x, {"mul": 1}),
        (lambda x, y: 3.0 * x - 0.5 * x + y, {"mul": 1, "add": 1}),
        (lambda x, y: tanh(-x) + tanh(x), {}),
        (lambda x, y: absolute(absolute(-x)), {"abs": 1}),
        (lambda x, y: absolute(x) * absolute(x), {"mul": 1}),
        (lambda x, y: minimum(-x, -y) + maximum(y, x), {}),
        (lambda x, y: minimum(-x, -x) + x, {}),
        (lambda x, y: less(-x, -y) - less(y, x), {}),
        (lambda x, y: where(less(x, x), x, -y) + y, {}),
        (lambda x, y: where(less(x, y), -y, -y) + y, {}),
        (lambda x, y: x / 8.0, {"mul": 1}),
        (lambda x, y: x / 10.0, {"div": 1}),
        (lambda x, y: sqrt(x) * sqrt(x), {"sqrt": 1, "mul": 1}),
        (lambda x, y: sqrt(x * x), {"sqrt": 1, "mul": 1}),
        (lambda x, y: x / x, {"div": 1}),
    ],
)
def test_what_is_exact_is_reduced_and_what_is_not_stays(function, operations):
    assert left(function) == operations


def test_a_division_by_the_smallest_number_is_no_multiplication_by_infinity():
    assert left(lambda x, y: x / 5e-324) == {"div": 1}


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: sqrt((x - x) - 1.0),
        lambda x, y: 1.0 / ((x - x) + (y - y)),
        lambda x, y: minimum((x - x) + 1.0, math.nan),
    ],
    ids=["a root of −1", "a division by 0", "NaN"],
)
def test_what_has_no_value_in_python_is_left_to_the_processor(function):
    assert sum(left(function).values()) == 1
