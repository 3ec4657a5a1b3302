"""Common factors: fewer multiplications, never more additions or instructions, the same exact value."""

import random
from fractions import Fraction
from functools import cache
from itertools import pairwise
from operator import add, mul, neg, sub, truediv

import mpmath
import pytest
from hypothesis import given, settings, strategies as st

from strobe.compiler.graph.factor import factor
from strobe.compiler.graph.fuse import fuse
from strobe.compiler.graph.passes import optimised
from strobe.compiler.graph.program import trace
from strobe.compiler.graph.simplify import simplify
from strobe.models.load import load_model
from strobe.models.random_robots import random_model
from strobe.quantities import QUANTITIES, Request
from strobe.scalars import Graph

APPLY = {
    "add": add,
    "sub": sub,
    "mul": mul,
    "div": truediv,
    "neg": neg,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
}
INSTRUCTIONS = ("mul", "add", "sub", "div", "fma", "fnma")


def run(program, inputs, constant):
    """A program on any numbers, by the names of its inputs."""
    values = {}
    for node in program.nodes:
        if node.op == "constant":
            values[node] = constant(node.value)
        elif node.op == "input":
            values[node] = inputs[node.value]
        else:
            values[node] = APPLY[node.op](*(values[a] for a in node.args))
    return [values[node] for node in program.outputs]


def traced(function, size):
    return simplify(trace(function, {"x": size}, (len(function([1.5] * size)),), Graph()))


def operations(program):
    return program.multiplications, program.additions


@pytest.mark.parametrize(
    ("function", "size", "before", "after"),
    [
        (lambda x: [x[0] * x[1] + x[0] * x[2]], 3, (2, 1), (1, 1)),
        (lambda x: [x[0] * x[1] - x[3] - x[0] * x[2]], 4, (2, 2), (1, 2)),
        (lambda x: [3.0 * x[0] + x[1] + 3.0 * x[2]], 3, (2, 2), (1, 2)),
        (lambda x: [x[0] * (x[1] * x[2]) + x[3] * (x[2] * x[0])], 4, (4, 1), (2, 1)),
        (lambda x: [x[0] * (x[1] + x[2]) - x[0] * x[3]], 4, (2, 2), (1, 2)),
        (lambda x: [x[0] * x[1] + x[0] * x[2] + x[3] * x[1] + x[3] * x[2]], 4, (4, 3), (1, 2)),
        (lambda x: [x[0] * x[0] - x[0] * x[1]], 2, (2, 1), (1, 1)),
    ],
)
def test_what_terms_have_in_common_is_multiplied_once(function, size, before, after):
    plain = traced(function, size)
    factored = optimised(plain)
    assert (operations(plain), operations(factored)) == (before, after)
    x = {f"x[{k}]": Fraction(3 * k + 2, 7) for k in range(size)}
    assert run(factored, x, Fraction) == run(plain, x, Fraction)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: [x[0] * x[1] + x[2] * x[3]],
        lambda x: [x[0] * x[1] + x[0] * x[2], x[0] * x[1], x[0] * x[2]],
        lambda x: [x[0] * x[1] + x[0]],
    ],
    ids=["nothing in common", "the products are needed anyway", "a term that is no product"],
)
def test_where_nothing_is_saved_the_program_stays_as_it_is(function):
    plain = traced(function, 4)
    assert factor(plain) is plain


def test_a_product_of_very_many_factors_is_no_hindrance():
    def function(x):
        left, right = x[0], x[1]
        for _ in range(3000):
            left, right = left * x[2], right * x[2]
        return [left + right]

    assert factor(traced(function, 3)).multiplications < 6000


steps = st.lists(
    st.tuples(st.sampled_from("+-*"), st.integers(0, 99), st.integers(0, 99)), min_size=5, max_size=50
)


@pytest.mark.slow
@given(steps, st.lists(st.fractions(-9, 9, max_denominator=5), min_size=3, max_size=3))
@settings(max_examples=100)
def test_any_sums_of_products_keep_their_exact_value(steps, x):
    def function(x):
        pool = [*x, 2.0 * x[0], 0.5 * x[1]]
        for op, i, j in steps:
            a, b = pool[i % len(pool)], pool[j % len(pool)]
            pool.append(a + b if op == "+" else a - b if op == "-" else a * b)
        return pool[-4:]

    start = trace(function, {"x": 3}, (4,), Graph())
    inputs = {f"x[{k}]": value for k, value in enumerate(x)}
    expected = run(start, inputs, Fraction)
    left = []
    optimised(start, lambda done, program: left.append(program))
    assert all(run(program, inputs, Fraction) == expected for program in left)
    for before, after in pairwise(left):
        assert after.multiplications < before.multiplications
        assert after.additions <= before.additions


ROBOTS = {
    "panda": load_model("panda"),
    "puma560": load_model("puma560"),
    "random": random_model(5, 3, tree=True),
}


@cache
def graphs(name, quantity):
    """The graph of a quantity as it is traced, and after all passes."""
    model, request, graph = ROBOTS[name], Request(quantity, friction=False), Graph()
    lifted = model.lift(graph)
    start = trace(
        lambda **v: request.evaluate(lifted, **v), request.inputs(model), request.shape(model), graph
    )
    return start, optimised(start)


OTHERS = (  # use more than arithmetic
    "integrate",
    "difference",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "hybrid_dynamics",
    "mass_matrix_inverse",
)
RATIONAL = [name for name in QUANTITIES if name not in OTHERS and not name.startswith("loop_")]


@pytest.mark.slow
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("name", ROBOTS)
def test_no_quantity_costs_more_operations_or_instructions(name, quantity):
    start, after = graphs(name, quantity)
    before = simplify(start)
    assert after.multiplications <= before.multiplications
    assert after.additions <= before.additions
    counts = [fuse(program).counts for program in (before, after)]
    assert sum(counts[1][op] for op in INSTRUCTIONS) <= sum(counts[0][op] for op in INSTRUCTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("name", ROBOTS)
def test_no_quantity_divides_twice_by_the_same_value(name, quantity):
    _, after = graphs(name, quantity)
    denominators = [node.args[1] for node in after.nodes if node.op == "div"]
    assert len(denominators) == len(set(denominators))


@pytest.mark.slow
@pytest.mark.parametrize("quantity", RATIONAL)
@pytest.mark.parametrize("name", ROBOTS)
def test_every_quantity_stays_the_same_but_for_the_rounding_of_constants(name, quantity):
    before, after = graphs(name, quantity)
    rng = random.Random(quantity)
    with mpmath.workdps(50):
        inputs = {node.value: mpmath.mpf(rng.uniform(-2, 2)) for node in before.nodes if node.op == "input"}
        one, other = (run(program, inputs, mpmath.mpf) for program in (before, after))
        assert max(abs(a - b) for a, b in zip(one, other, strict=True)) <= 1e-15 * max(map(abs, one))


@pytest.mark.parametrize(
    ("name", "quantity", "before", "after"),
    [
        ("panda", "energy", (192, 141), (172, 141)),
        ("panda", "forward_dynamics", (626, 527), (622, 525)),
        ("puma560", "energy", (104, 67), (96, 67)),
        ("puma560", "forward_kinematics", (61, 31), (58, 31)),
    ],
)
def test_what_factoring_saves_on_a_robot_is_golden(name, quantity, before, after):
    start, left = graphs(name, quantity)
    assert (operations(simplify(start)), operations(left)) == (before, after)
