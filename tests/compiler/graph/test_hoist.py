"""A program in two: what some inputs decide alone, and the rest."""

import numpy as np

import strobe
from strobe.compiler.graph.hoist import COEFFICIENTS, hoist
from strobe.compiler.graph.passes import optimised
from strobe.compiler.graph.program import trace
from strobe.quantities import Request
from strobe.scalars import Graph, cos, sin


def function(x, c, d):
    spread = c[0] * c[1] + 2.0
    return [x[0] * spread + sin(d[0]) * x[1], c[0] * c[1], x[0] - x[1]]


def program():
    return optimised(trace(function, {"x": 2, "c": 2, "d": 1}, (3,), Graph()))


def value(program, **numbers):
    """A program run on numbers, node by node."""
    rules = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "sin": np.sin, "neg": np.negative}
    known = {}
    for node in program.nodes:
        if node.op == "input":
            name, place = str(node.value)[:-1].split("[")
            known[node] = numbers[name][int(place)]
        elif node.op == "constant":
            known[node] = node.value
        else:
            known[node] = rules[node.op](*(known[a] for a in node.args))
    return [float(known[node]) for node in program.outputs]


def test_the_parts_together_are_the_whole():
    parts = hoist(program(), ["c", "d"])
    x, c, d = [0.3, -1.2], [2.0, 0.7], [0.9]
    coefficients = value(parts.before, c=c, d=d)
    assert value(parts.after, x=x, **{COEFFICIENTS: coefficients}) == function(x, c, d)


def test_the_rest_knows_nothing_of_what_was_taken_out():
    parts = hoist(program(), ["c", "d"])
    assert [given.name for given in parts.before.inputs] == ["c", "d"]
    assert [given.name for given in parts.after.inputs] == ["x", COEFFICIENTS]
    assert parts.after.counts["sin"] == 0
    assert parts.before.counts["sin"] == 1
    assert parts.before.shape == (3,)  # the factor of x0, the sine, and the product that is a result


def test_nothing_is_taken_out_of_what_depends_on_everything():
    whole = trace(lambda x, c: [x[0] * cos(x[1])], {"x": 2, "c": 1}, (1,), Graph())
    parts = hoist(whole, ["c"])
    assert parts.before.outputs == ()
    assert parts.after.multiplications == whole.multiplications


def test_with_parameters_taken_out_a_full_arm_costs_what_it_costs_with_constants():
    """Golden: the Panda's parameters are all different from zero, so that nothing folds with constants either."""
    arm = strobe.load("panda")
    constants = arm.kernel(Request("inverse_dynamics", friction=False)).program
    inputs = arm.kernel(Request("inverse_dynamics", friction=False, parameters="runtime")).program
    rest = hoist(inputs, ["parameters"]).after
    assert (rest.multiplications, rest.additions) == (constants.multiplications, constants.additions)
    assert (rest.multiplications, rest.additions) == (287, 270)
    assert {given.name: given.size for given in rest.inputs}[COEFFICIENTS] == 45
