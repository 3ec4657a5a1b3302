"""Golden sizes: a lost folding fails here."""

import pytest

import strobe
from strobe.formulations import FORMULATIONS, newton_euler, spatial_newton_euler
from strobe.models.random_robots import random_model
from strobe.models.toml_reader import read_toml
from strobe.scalars import DenseCount, FoldedCount, Graph
from strobe.scalars.scalar import FIRST_GROUP


def trace(module, model):
    graph = Graph()
    lifted = model.lift(graph)
    for tau in module.inverse_dynamics(lifted, *lifted.variables()):
        graph.lower(tau)
    return graph


def test_a_seven_joint_arm_traces_to_its_golden_size():
    counts = trace(spatial_newton_euler, strobe.load("panda").model).counts()
    assert (counts["mul"], counts["add"] + counts["sub"], counts["sin"], counts["cos"]) == (573, 465, 7, 7)


def dh_arm(n):
    """A revolute arm in standard DH whose every parameter is there."""
    link = """
    [[dh.link]]
    joint = "revolute"
    a = 0.3
    alpha = 0.4
    d = 0.1
    mass = 1.0
    com = [0.1, 0.2, 0.3]
    inertia = [1, 1, 1, 0.1, 0.1, 0.1]
    """
    head = 'format = 1\nname = "arm"\n[dh]\nconvention = "standard"\n'
    return read_toml("arm.toml", text=head + link * n)


@pytest.mark.parametrize("n", [2, 3, 6, 8])
def test_newton_euler_as_written_costs_what_the_papers_ledger_says(n):
    """124n − 24 multiplications and 101n − 24 additions for revolute arms with full inertia tensors."""
    system = DenseCount()
    model = dh_arm(n).lift(system)
    newton_euler.inverse_dynamics(model, *model.variables())
    assert (system.multiplications, system.additions) == (124 * n - 24, 101 * n - 24)


def test_a_dense_count_does_not_see_the_robots_zeros():
    system = DenseCount()
    model = strobe.load("puma560").model.lift(system)
    newton_euler.inverse_dynamics(model, *model.variables())
    assert (system.multiplications, system.additions) == (720, 582)


@pytest.mark.every("formulation")
def test_formulations_use_the_first_group_of_operations_only(formulation):
    for seed in range(3):
        system = FoldedCount()
        model = random_model(4, seed).lift(system)
        FORMULATIONS[formulation].inverse_dynamics(model, *model.variables())
        assert set(system.tally) <= FIRST_GROUP
