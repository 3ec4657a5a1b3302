"""Derivatives of programs: forwards, backwards and in fifty digits alike, and no zero is ever computed."""

import mpmath
import pytest

from strobe.compiler.graph.derivatives import WAYS, backwards, costs, derivative, forwards
from strobe.compiler.graph.passes import optimised
from strobe.compiler.graph.program import trace
from strobe.compiler.graph.simplify import simplify
from strobe.scalars import (
    Graph,
    Stored,
    absolute,
    atan2,
    cos,
    floor,
    less,
    maximum,
    minimum,
    sin,
    sqrt,
    tanh,
    where,
)
from strobe.scalars.precise import PreciseSystem

TABLE = Stored([1.0, 4.0, 9.0])
OPERATIONS = {
    "add": lambda x: [x[0] + x[1]],
    "sub": lambda x: [x[0] - x[1]],
    "mul": lambda x: [x[0] * x[1]],
    "square": lambda x: [x[0] * x[0]],
    "div": lambda x: [x[0] / x[1]],
    "neg": lambda x: [-x[0], x[0] * x[1]],
    "sin": lambda x: [sin(x[0] * x[1])],
    "cos": lambda x: [cos(x[0] + x[1])],
    "sqrt": lambda x: [sqrt(x[0] * x[0] + x[1] * x[1])],
    "atan2": lambda x: [atan2(x[0], x[1])],
    "abs": lambda x: [absolute(x[0]) * x[1]],
    "tanh": lambda x: [tanh(x[0] * x[1])],
    "min": lambda x: [minimum(x[0], x[1]) * x[0]],
    "max": lambda x: [maximum(x[0], x[1]) * x[0]],
    "where": lambda x: [where(less(x[0], x[1]), x[0] * x[1], sin(x[0]))],
    "floor": lambda x: [floor(x[0]) * x[1]],
}


def traced(function, size=2):
    return simplify(trace(function, {"x": size}, (len(function([0.5] * size)),), Graph()))


def directions(size):
    return [{"x": [float(i == k) for i in range(size)]} for k in range(size)]


def run(program, x):
    """A program on Python floats."""
    from strobe.compiler.graph.rules import FUNCTIONS

    values = {}
    for node in program.nodes:
        args = [values[a] for a in node.args]
        if node.op == "constant":
            values[node] = node.value
        elif node.op == "input":
            values[node] = x[int(node.value[2:-1])]
        else:
            values[node] = -args[0] if node.op == "neg" else FUNCTIONS[node.op][1](*args)
    return [values[node] for node in program.outputs]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("x", [[0.7, 1.9], [-1.3, 0.4], [2.6, -0.8]])
def test_every_operation_has_the_derivative_of_fifty_digits(name, way, x):
    function, system = OPERATIONS[name], PreciseSystem()
    found = run(derivative(traced(function), directions(2), way), x)
    h = system.exact(mpmath.mpf(10) ** -15)
    wanted = []
    for k in (0, 1):
        ends = []
        for sign in (1.0, -1.0):
            moved = [system.exact(v) + (h * sign if i == k else 0.0) for i, v in enumerate(x)]
            ends.append(function(moved))
        wanted.append([float(system.lower((a - b) / (h * 2.0))) for a, b in zip(*ends, strict=True)])
    flat = [wanted[k][i] for i in range(len(wanted[0])) for k in (0, 1)]
    assert found == pytest.approx(flat, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("way", WAYS)
def test_the_result_has_a_last_axis_of_directions(way):
    program = derivative(traced(lambda x: [x[0] * x[1], x[1]]), directions(2), way)
    assert program.shape == (2, 2)
    assert run(program, [3.0, 5.0]) == [5.0, 3.0, 0.0, 1.0]


@pytest.mark.parametrize("way", WAYS)
def test_a_direction_may_move_several_inputs_at_rates_that_depend_on_them(way):
    program = traced(lambda x: [x[0] * x[0] + x[1]])
    turning = [{"x": [-program.numbers["x"][1], program.numbers["x"][0]]}]
    assert run(derivative(program, turning, way), [3.0, 5.0]) == [2 * 3.0 * -5.0 + 3.0]


@pytest.mark.parametrize("way", WAYS)
def test_what_does_not_depend_on_a_direction_costs_nothing(way):
    def independent(x):
        return [sin(x[k]) * x[k] for k in range(6)]

    program = optimised(derivative(traced(independent, 6), directions(6), way))
    assert program.multiplications == 6
    assert program.additions == 6
    assert sum(node.op == "constant" for node in program.outputs) == 30


@pytest.mark.parametrize("way", WAYS)
def test_stored_numbers_are_steps_and_have_no_derivative(way):
    program = derivative(traced(lambda x: [TABLE.at(x[0]) * x[1]]), directions(2), way)
    by_place, by_factor = program.outputs
    assert by_place.value == 0.0
    assert by_factor.op == "pick"


def test_many_inputs_go_backwards_and_many_results_forwards():
    def total(x):
        result = x[0] * x[0]
        for entry in x[1:]:
            result = result * sin(entry)
        return [result]

    many = traced(total, 8)
    cost = costs(many, directions(8))
    assert cost[backwards] < cost[forwards]
    fan = traced(lambda x: [sin(x[0] * k) * cos(x[0]) for k in (2.0, 3.0, 4.0, 5.0)], 1)
    cost = costs(fan, directions(1))
    assert cost[forwards] < cost[backwards]
    ways = {way: optimised(derivative(many, directions(8), way)) for way in WAYS}
    assert ways[backwards].multiplications < ways[forwards].multiplications
    x = [0.3 * k + 0.1 for k in range(8)]
    assert run(ways[backwards], x) == pytest.approx(run(ways[forwards], x), rel=1e-14)


def test_a_derivative_can_be_differentiated_again():
    once = derivative(traced(lambda x: [x[0] * x[0] * x[0] * x[1]]), directions(2))
    twice = derivative(once, directions(2))
    assert twice.shape == (1, 2, 2)
    x, y = 2.0, 7.0
    assert run(twice, [x, y]) == pytest.approx([6 * x * y, 3 * x * x, 3 * x * x, 0.0])


@pytest.mark.parametrize("chosen", [where, lambda c, x, y: minimum(x, y), lambda c, x, y: maximum(x, y)])
def test_what_is_chosen_among_values_without_slopes_goes_forwards_only(chosen):
    for steep in (lambda x: sqrt(x[1]), lambda x: 1.0 / x[1], lambda x: atan2(x[1], x[2]) * x[3]):
        program = traced(lambda x, steep=steep: [chosen(less(x[0], 1.0), steep(x), x[2])], 4)
        assert list(costs(program, directions(4))) == [forwards]
    program = traced(lambda x: [chosen(less(x[0], 1.0), x[1] * x[2], sin(x[1])) / (2.0 + x[3] * x[3])], 4)
    assert list(costs(program, directions(4))) == [forwards, backwards]
