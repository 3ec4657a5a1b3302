"""A schedule is legal, and between its two bounds."""

import pytest
from hypothesis import given, settings, strategies as st

import strobe
from strobe.analysis.schedule import DataFlow
from strobe.errors import ArgumentError
from strobe.formulations import FORMULATIONS
from strobe.scalars import Graph, cos, sin


def traced(name, robot):
    graph = Graph()
    model = strobe.load(robot).model.lift(graph)
    return DataFlow.of(FORMULATIONS[name].inverse_dynamics(model, *model.variables()))


def inputs(count):
    graph = Graph()
    return [graph.variable(f"x{k}") for k in range(count)]


def test_a_sum_of_four_products_has_a_known_schedule():
    """((ab + cd) + (ef + gh)): four products, two sums, one sum."""
    a, b, c, d, e, f, g, h = inputs(8)
    flow = DataFlow.of([(a * b + c * d) + (e * f + g * h)])
    assert (flow.work, flow.path, flow.multiplication_path, flow.addition_path, flow.width) == (
        7,
        3,
        1,
        2,
        4,
    )
    assert {p: flow.length(p) for p in (1, 2, 3, 4, None)} == {1: 7, 2: 4, 3: 4, 4: 3, None: 3}
    assert flow.lengths() == {1: 7, 2: 4, 4: 3}
    assert flow.parallelism == pytest.approx(7 / 3)


def test_the_longest_way_to_the_end_goes_first():
    """A chain of four sums beside four single products: on two processors the chain must start at once."""
    x = inputs(10)
    chain = x[0] + x[1] + x[2] + x[3] + x[4]
    flow = DataFlow.of([x[5] * x[6], x[6] * x[7], x[7] * x[8], x[8] * x[9], chain])
    assert (flow.work, flow.path, flow.length(2)) == (8, 4, 4)


def test_negations_inputs_constants_sines_and_cosines_take_no_step():
    x, y = inputs(2)
    assert DataFlow.of([-sin(x), cos(y), x, 0.0]).work == 0
    flow = DataFlow.of([-(-(sin(x) * 3.0) + cos(x + y))])
    assert (flow.work, flow.path) == (2, 2)  # the product and the sum; x + y only feeds a cosine
    assert DataFlow.of([]).lengths() == {1: 0}


def test_a_value_that_no_result_needs_is_no_work():
    x, y = inputs(2)
    unused = x * y
    assert unused.system.counts()["mul"] == 1
    assert DataFlow.of([x + y]).work == 1


def test_a_value_used_twice_is_computed_once():
    x, y = inputs(2)
    square = (x + y) * (x + y)
    flow = DataFlow.of([square, square + x])
    assert (flow.work, flow.needs) == (3, ((), (0,), (1,)))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=60))
@settings(max_examples=60)
def test_every_schedule_lies_between_its_bounds(steps):
    values = inputs(3)
    for product, i, j in steps:
        x, y = values[i % len(values)], values[j % len(values)]
        values.append(x * y if product else x + y)
    flow = DataFlow.of(values)
    assert flow.length(1) == flow.work
    assert flow.length(None) == flow.length(flow.work) == flow.path
    for processors in (2, 3, 5, 8):
        shortest = max(flow.path, -(-flow.work // processors))
        assert shortest <= flow.length(processors) <= flow.work / processors + flow.path


@pytest.mark.every("formulation")
def test_a_formulations_schedule_lies_between_its_bounds(formulation):
    flow = traced(formulation, "planar3")
    lengths = flow.lengths()
    assert lengths[1] == flow.work
    assert lengths[max(lengths)] == flow.path
    assert sorted(lengths.values(), reverse=True) == list(lengths.values())
    assert all(length >= max(flow.path, -(-flow.work // p)) for p, length in lengths.items())
    assert max(flow.multiplication_path, flow.addition_path) <= flow.path <= flow.work


def test_modified_newton_euler_on_the_puma_has_its_golden_path():
    flow = traced("modified-newton-euler", "puma560")
    assert (flow.work, flow.path, flow.multiplication_path, flow.addition_path) == (410, 37, 14, 23)


def test_no_processors_is_refused_in_a_sentence():
    with pytest.raises(ArgumentError, match="a schedule on 0 processors; expected 1 or more"):
        DataFlow.of([]).length(0)
