"""Armstrong's forward recursion: what inverse dynamics undoes, and what it does not take."""

import pytest

import strobe
from strobe.analysis.equivalence import round_trips
from strobe.errors import UnsupportedModelError
from strobe.formulations import armstrong_forward, articulated_body
from strobe.models.random_robots import random_model
from strobe.scalars import DenseCount


@pytest.mark.parametrize(("n", "kinds"), [(1, "S"), (3, "S"), (1, "F"), (4, "SF")])
def test_inverse_dynamics_undoes_it_on_trees_of_joints_that_turn_freely(n, kinds):
    found = round_trips(random_model(n, 1, kinds=kinds, tree=True), trials=1)
    assert found["armstrong"].holds
    assert found["articulated-body"].holds


def test_it_costs_less_than_articulated_bodies_where_it_applies():
    model = random_model(6, 0, kinds="S")
    costs = []
    for method in (armstrong_forward, articulated_body):
        count = DenseCount()
        lifted = model.lift(count)
        q, qd, tau = lifted.variables()
        method.forward_dynamics(lifted, q, qd, tau)
        costs.append((count.multiplications, count.additions))
    assert costs[0] < costs[1]


def test_joints_with_an_axis_are_refused_with_the_method_that_takes_them():
    model = strobe.load("planar2").model
    assert "armstrong" not in round_trips(model, trials=1)
    with pytest.raises(
        UnsupportedModelError, match=r'joint "joint1" of planar2 is revolute.*Use articulated-body\.'
    ):
        armstrong_forward.forward_dynamics(model, [0.0] * 2, [0.0] * 2, [0.0] * 2)
