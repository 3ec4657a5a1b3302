"""The order of evaluation: arguments first, few values alive, pieces that cover everything."""

import pytest

from strobe import load
from strobe.compiler.graph.fuse import fuse
from strobe.compiler.graph.order import alive, by_need, by_room, ordered, pieces, spilled
from strobe.compiler.graph.program import trace
from strobe.compiler.runtime.kernels import Kernel
from strobe.models.random_robots import random_model
from strobe.quantities import Request
from strobe.scalars import Graph


@pytest.fixture(scope="module")
def tree():
    return torques(random_model(24, 1, kinds="R", tree=True))


@pytest.fixture(scope="module")
def chain():
    return torques(random_model(12, 1, kinds="R"))


@pytest.fixture(params=["tree", "chain"])
def program(request):
    return request.getfixturevalue(request.param)


def torques(model):
    return fuse(Kernel(model, Request("inverse_dynamics")).program)


def test_every_argument_comes_before_its_use(program):
    outputs = program.outputs
    for order in (
        by_need(outputs),
        by_need(outputs[::-1]),
        by_room(program.nodes, outputs),
        ordered(program).nodes,
    ):
        seen = set()
        for node in order:
            assert seen.issuperset(node.args)
            seen.add(node)
        assert len(seen) == len(order) == len(program.nodes)


def test_by_room_what_frees_most_comes_first_and_then_the_longest_way():
    def function(x):
        a, b = x[0] * x[1], x[2] * x[3]
        sum_, long = a + b, x[0] + x[2]
        return [sum_, ((long * x[1]) * x[2]) * x[3]]

    program = trace(function, {"x": 4}, (2,), Graph())
    order = [node for node in by_room(program.nodes, program.outputs) if node.op != "input"]
    first, second = program.outputs
    assert order[0].op == "add"  # the longest way begins here
    assert order.index(second) == 3  # every further step of it frees what it uses
    assert order[-1] is first


def test_an_arm_is_ordered_by_room():
    arm = torques(load("panda").model)
    others = arm.nodes, by_need(arm.outputs), by_need(arm.outputs[::-1])
    least = min(spilled(order, arm.outputs) for order in others)
    assert spilled(ordered(arm).nodes, arm.outputs) < 0.9 * least


def test_what_is_alive_is_what_later_steps_use():
    def function(x):
        a, b = x[0] * x[1], x[0] + x[1]
        return [a * b, a - b]

    program = trace(function, {"x": 2}, (2,), Graph())
    counts = alive(program.nodes, program.outputs)
    steps = [(node.op, count) for node, count in zip(program.nodes, counts, strict=True)]
    assert steps == [("input", 0), ("input", 0), ("mul", 1), ("add", 2), ("mul", 3), ("sub", 2)]


def test_no_order_is_taken_that_keeps_more_than_the_traced_one(program):
    found = ordered(program)
    assert spilled(found.nodes, found.outputs) <= spilled(program.nodes, program.outputs)
    assert found.counts == program.counts


def test_on_a_tree_one_limb_is_finished_before_the_next_begins(tree):
    """As traced, all limbs are open at once."""
    found = ordered(tree)
    assert max(alive(found.nodes, found.outputs)) < 0.7 * max(alive(tree.nodes, tree.outputs))


@pytest.mark.parametrize("most", [1, 7, 100, 10**6])
def test_pieces_are_the_program_in_parts_of_bounded_length(chain, most):
    parts = pieces(chain, most)
    assert [node for part in parts for node in part] == list(chain.nodes)
    assert all(0 < len(part) <= most for part in parts)


def test_a_cut_is_made_where_few_values_cross():
    def wide(x):
        """Ten powers of x, all alive at once, and their sum."""
        powers = [x]
        for _ in range(9):
            powers.append(powers[-1] * x)
        return sum(powers[1:], powers[0])

    program = trace(lambda x: [wide(wide(x[0]))], {"x": 1}, (1,), Graph())
    first, second = pieces(program, 24)
    assert len({a for node in second for a in node.args} & set(first)) == 1
