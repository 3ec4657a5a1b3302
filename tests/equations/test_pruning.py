"""What an edit does to a program, what it is thought to cost, and the way up the ladder."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import strobe
from strobe.compiler.graph.program import trace
from strobe.equations.pruning import Edit, Pruning, edited, operations, possible_edits, replay, strobes
from strobe.equations.torque_bounds import Ranges, largest_torques, ranges_of
from strobe.quantities import Request
from strobe.scalars import Graph, cos, sin


def program(function):
    return trace(function, {"q": 3}, (1,), Graph())


def value(program, *q):
    (found,) = replay(program, {f"q[{k}]": x for k, x in enumerate(q)})
    return found


def edit(node, argument=None, constant=0.0) -> Edit:
    return Edit(node, argument, constant, np.zeros(1), 1)


@pytest.fixture(scope="module")
def pruning() -> Pruning:
    robot = strobe.Robot(strobe.load("spherical3").model, compiled=False)
    ranges = ranges_of(robot)
    exact = robot.kernel(Request("inverse_dynamics", friction=False)).program
    return Pruning(exact, ranges, largest_torques(robot, ranges))


def test_leaving_out_either_side_of_a_difference_keeps_the_sign_of_the_other() -> None:
    difference = program(lambda q: [q[0] - q[1]])
    (node,) = difference.outputs
    assert value(edited(difference, [edit(node, 0)]), 5.0, 3.0, 0.0) == 5.0
    assert value(edited(difference, [edit(node, 1)]), 5.0, 3.0, 0.0) == -3.0


def test_a_value_becomes_a_constant_and_what_only_it_needed_is_gone() -> None:
    product = program(lambda q: [(q[0] * q[1]) * q[2]])
    inner = next(node for node in product.nodes if node.op == "mul" and node not in product.outputs)
    shorter = edited(product, [edit(inner, constant=-4.0)])
    assert value(shorter, 5.0, 3.0, 2.0) == -8.0
    assert operations(shorter) == 1


def test_strobing_adds_up_the_magnitudes_of_the_parts() -> None:
    robot = strobe.load("planar2")
    ranges = ranges_of(robot, qd=[2.0, 3.0], qdd=[5.0, 7.0])
    flashes = strobes(ranges, positions=4)
    x = {name: lanes.values for name, lanes in flashes.inputs.items()}
    torque = 11 - x["qdd[0]"] + 4 * x["qd[1]"] ** 2 - 6 * x["qd[0]"] * x["qd[1]"]
    assert flashes.worst(torque) == pytest.approx(11 + 5 + 4 * 9 + 6 * 6)


def test_an_edit_of_a_sum_costs_what_it_is_thought_to_cost(pruning) -> None:
    """A torque is linear in the terms of the sum that it is: first order is exact there."""
    found = [
        e
        for e in possible_edits(pruning.program, pruning.strobes, pruning.largest)
        if e.node in pruning.program.outputs and e.argument is not None
    ]
    assert found
    for e in found:
        assert pruning.errors(edited(pruning.program, [e])) == pytest.approx(e.error, rel=1e-9, abs=1e-12)


def test_a_value_used_with_both_signs_costs_their_difference() -> None:
    """x enters linearly, x sin q − x cos q: leaving it out costs |x (sin q − cos q)|, to any order."""

    def torque(q, qd, qdd):
        x = qd[0] * qd[0]
        return [x * sin(q[0]) - x * cos(q[0])]

    exact = trace(torque, {"q": 1, "qd": 1, "qdd": 1}, (1,), Graph())
    ranges = Ranges(np.array([[0.0, 0.7]]), np.array([[-3.0, 3.0]]), np.array([[-1.0, 1.0]]))
    pruning = Pruning(exact, ranges, np.ones(1))
    (square,) = {node for node in exact.nodes if node.op == "mul" and len(set(node.args)) == 1}
    (left_out,) = (e for e in possible_edits(exact, pruning.strobes, np.ones(1)) if e.node is square)
    q = pruning.strobes.inputs["q[0]"].values
    assert left_out.error == pytest.approx(9.0 * np.abs(np.sin(q) - np.cos(q)).max(), rel=1e-12)
    assert pruning.errors(edited(exact, [left_out])) == pytest.approx(left_out.error, rel=1e-12)


def test_every_step_saves_operations(pruning) -> None:
    counts = [operations(step) for step in pruning.steps(0.2)]
    assert len(counts) > 3
    assert all(b < a for a, b in pairwise(counts))


def test_the_last_step_is_within_the_tolerance(pruning) -> None:
    assert (pruning.errors(pruning.steps(0.2)[-1]) <= 0.2).all()


def test_the_way_does_not_depend_on_how_far_it_goes(pruning) -> None:
    short, long = ([step.text() for step in pruning.steps(within)] for within in (0.02, 0.2))
    assert 1 < len(short) < len(long)
    assert long[: len(short)] == short


def test_a_tolerance_below_the_ladder_leaves_nothing_out(pruning) -> None:
    assert pruning.steps(0.9e-4) == [pruning.program]
