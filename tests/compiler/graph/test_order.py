"""The order of evaluation: arguments first, few values alive, pieces that cover everything."""

import pytest

from strobe.compiler.graph.fuse import fuse
from strobe.compiler.graph.order import alive, by_need, ordered, pieces, spilled
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
    for order in (by_need(program.outputs), by_need(program.outputs[::-1]), ordered(program).nodes):
        seen = set()
        for node in order:
            assert seen.issuperset(node.args)
            seen.add(node)
        assert len(seen) == len(order) == len(program.nodes)


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
