"""Articulated bodies undo inverse dynamics exactly, bound their pivots and cost less on long chains."""

import math

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime.kernels import Kernel
from strobe.formulations import articulated_body, spatial_newton_euler
from strobe.models.random_robots import random_model
from strobe.models.regroup import regrouped
from strobe.models.toml_reader import read_toml
from strobe.quantities import Request
from strobe.quantities.dynamics import long_supports
from strobe.scalars import FieldSystem


@pytest.mark.parametrize("kinds", ["R", "RP", "RPS", "RPSF"])
@pytest.mark.parametrize("inertia", [0, 3])
def test_torques_of_the_accelerations_are_the_torques_with_and_without_rotors(kinds, inertia):
    for seed in range(4):
        system = FieldSystem(seed)
        model = random_model(2 + seed, seed, kinds=kinds, tree=True).lift(system)
        q, qd, tau = model.variables()
        rotor = [inertia * system.variable("rotor") for _ in tau]
        for tree in (model, regrouped(model)):
            qdd = articulated_body.forward_dynamics(tree, q, qd, tau, rotor)
            again = spatial_newton_euler.inverse_dynamics(model, q, qd, qdd)
            totals = [t + a * r for t, a, r in zip(again, qdd, rotor, strict=True)]
            assert [system.lower(x) for x in totals] == [system.lower(x) for x in tau]


@pytest.mark.parametrize("seed", range(4))
def test_no_diagonal_entry_of_the_mass_matrix_exceeds_its_bound(seed):
    robot = strobe.Robot(random_model(5, seed, kinds="RPSF", tree=True), compiled=False)
    q, _, _ = robot.random_state(seed)
    bounds = np.array(articulated_body.inertia_bounds(robot.model, q.tolist()))
    diagonal = np.diagonal(robot.mass_matrix(q))
    assert (diagonal <= bounds * (1 + 1e-12)).all()


def test_both_ways_to_accelerations_agree_and_a_pivot_that_vanishes_is_nan():
    link = '[[dh.link]]\njoint = "revolute"\na = 0.5\n'
    head = 'format = 1\nname = "rod"\n[dh]\nconvention = "standard"\n'
    arm = strobe.Robot(read_toml("rod.toml", text=head + link * 2 + "mass = 1.0\n"))
    states = np.array([[0.3, 0.4], [0.3, 0.0], [0.3, np.pi]])  # the last two are singular
    args = states, np.ones((3, 2)), np.ones((3, 2))
    both = [arm.forward_dynamics(*args, formulation=name) for name in (None, "articulated-body")]
    assert both[1][0] == pytest.approx(both[0][0], rel=1e-10)
    assert all(np.isnan(qdd[1:]).any(axis=1).all() for qdd in both)


def test_long_chains_and_humanoids_take_articulated_bodies_and_arms_the_mass_matrix():
    assert not long_supports(strobe.load("panda").model)
    assert not long_supports(random_model(12, 1, kinds="R"))
    assert long_supports(random_model(14, 1, kinds="R"))


@pytest.mark.slow
def test_the_default_is_the_cheaper_one():
    for n in (6, 16):
        model = random_model(n, 1, kinds="R")
        cost = {}
        for name in (None, "composite-body", "articulated-body"):
            program = Kernel(model, Request("forward_dynamics", name)).program
            cost[name] = program.multiplications + program.additions
        assert cost[None] <= min(cost.values()), n
        assert math.isfinite(cost[None])
