"""Values stored in units of their own."""

from __future__ import annotations

import pytest

from records.rescaling import Flow, Parameters, Scales


def traced(function, constants: int):
    """A flow of a function of constants and two inputs."""
    graph = Parameters()
    given = [graph.number(1.0) for _ in range(constants)]
    return Flow(graph, function(graph, *given, graph.variable("x"), graph.variable("y")))


def costs(flow: Flow) -> tuple[int, int]:
    """Multiplications before and after the search."""
    scales = Scales(flow)
    return scales.cost(scales.solved([])), scales.cost(scales.solved(scales.search(30)))


def value(flow: Flow, sums, x: float, y: float) -> list[float]:
    """The outputs of a flow with other terms."""
    known: dict[int, float] = {}
    for k in flow.needed:
        step = flow.values[k]
        if step.factors:
            known[k] = known[step.factors[0]] * known[step.factors[1]]
        elif step.terms:
            known[k] = sum(c.value * known[ref] for c, ref in sums[k])
        else:
            known[k] = {"x": x, "y": y, "1": 1.0}[step.name]
    return [known[k] for k in flow.outputs]


def shared_sum(graph, a, b, c, x, y):
    s = x * a + y * b
    return [s * x, s * y * c + x]


def test_a_factor_of_a_shared_sum_moves_to_where_it_costs_nothing():
    before, after = costs(traced(lambda graph, a, b, x, y: [(x * a + y * a * b) * x * x * (1 / a)], 2))
    assert (before, after) == (5, 3)


def test_scaled_flows_compute_the_same():
    flow = traced(shared_sum, 3)
    scales = Scales(flow)
    plain = {k: list(flow.values[k].terms) for k in flow.needed}
    scaled = scales.scaled(scales.search(30))
    assert value(flow, scaled, 0.7, -1.3) == pytest.approx(value(flow, plain, 0.7, -1.3), rel=1e-13)
    assert scaled != plain


def test_inputs_and_outputs_keep_their_units():
    before, after = costs(traced(lambda graph, a, x, y: [x * a], 1))
    assert (before, after) == (1, 1)


def test_no_root_of_a_constant_is_taken():
    square = traced(lambda graph, a, x, y: [(x + y) * (x + y) * a], 1)
    assert costs(square) == (2, 2)


def test_a_copy_may_be_scaled_apart_and_costs_nothing_where_it_is_not():
    def function(graph, a, x, y):
        s = graph.copy(x + y)
        return [s * x, s * y]

    assert costs(traced(function, 1)) == (2, 2)


def test_equal_multiples_of_a_value_are_one_multiplication():
    flow = traced(lambda graph, a, b, x, y: [x * a + y, x * a - y, x * b], 2)
    scales = Scales(flow)
    assert scales.cost(scales.solved([])) == 2


def test_constants_have_values_of_their_own_and_inputs_have_none():
    graph = Parameters()
    a, b = graph.number(1.0), graph.number(1.0)
    assert graph.value(a) != graph.value(b)
    assert graph.value(a * b - 2.0) == pytest.approx(graph.value(a) * graph.value(b) - 2.0)
    assert graph.number(0.0) == 0
    assert graph.value(graph.variable("x") * a) is None


def test_terms_that_cancel_leave_nothing():
    flow = traced(lambda graph, a, x, y: [(x * a + y) - x * a], 1)
    assert [len(flow.values[k].terms) for k in flow.outputs] == [1]
