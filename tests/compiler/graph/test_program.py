"""What a program knows of itself: its size, its depth, its longest chain, its text."""

from hypothesis import given, settings, strategies as st

from strobe.compiler.graph.paths import ends, remaining
from strobe.compiler.graph.program import Program, trace
from strobe.compiler.runtime.kernels import Kernel
from strobe.models.load import load_model
from strobe.quantities import Request
from strobe.scalars import Graph, sin


def traced(function, size):
    return trace(function, {"x": size}, (len(function([1.5] * size)),), Graph())


def test_a_chain_is_as_deep_as_it_is_long_and_a_balanced_sum_is_not():
    chain = traced(lambda x: [x[0] + x[1] + x[2] + x[3]], 4)
    tree = traced(lambda x: [(x[0] + x[1]) + (x[2] + x[3])], 4)
    assert (chain.additions, chain.depth) == (3, 3)
    assert (tree.additions, tree.depth) == (3, 2)


def test_negations_inputs_and_constants_take_no_step():
    assert traced(lambda x: [-x[0], 2.0], 1).depth == 0
    assert traced(lambda x: [-(-(x[0]) * 3.0)], 1).depth == 1
    assert Program((), (), (0,)).depth == 0


def test_the_longest_chain_ends_at_the_deepest_output():
    program = traced(lambda x: [x[0] * x[1], sin(x[0] * x[1]) - x[2] * x[2]], 3)
    assert [program.levels[node] for node in program.outputs] == [1, 3]
    assert program.depth == 3


def test_a_value_that_no_output_needs_makes_nothing_deeper():
    def wasteful(x):
        sin(sin(sin(x[0])))
        return [x[0] + 1.0]

    assert traced(wasteful, 1).depth == 1


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=60))
@settings(max_examples=60)
def test_every_operation_comes_one_level_after_the_deepest_it_needs(steps):
    def function(x):
        values = list(x)
        for product, i, j in steps:
            a, b = values[i % len(values)], values[j % len(values)]
            values.append(a * b if product else a - b)
        return values[-3:]

    program = trace(function, {"x": 3}, (3,), Graph())
    assert program.depth == max(program.levels.values())
    for node in program.nodes:
        before = max((program.levels[needed] for needed in node.args), default=0)
        assert program.levels[node] == before + (node.op in ("mul", "sub"))


def test_ends_and_what_remains_of_a_chain_with_a_shortcut():
    """0 → 1 → 3 and 2 → 3, the second step twice as long as the others."""
    needs, durations = [(), (0,), (), (1, 2)], [1, 2, 1, 1]
    assert ends(needs, durations) == [1, 3, 1, 4]
    assert remaining(needs, durations) == [4, 3, 2, 1]


def test_the_text_begins_with_the_size_and_ends_with_the_outputs():
    lines = traced(lambda x: [x[0] * x[1] + 2.0], 2).text().splitlines()
    assert lines[0] == "# 5 nodes (1 add, 1 constant, 2 input, 1 mul), depth 2"
    assert lines[1:-1] == [
        "%0 = input x[0]",
        "%1 = input x[1]",
        "%2 = mul %0 %1",
        "%3 = constant 2.0",
        "%4 = add %2 %3",
    ]
    assert lines[-1] == "return %4"


def test_the_depth_of_the_pandas_torques_is_golden():
    program = Kernel(load_model("panda"), Request("inverse_dynamics")).program
    assert program.depth == 45
