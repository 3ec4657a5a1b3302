"""Newton-Euler over second moments: the same torques as the reference, whatever was regrouped and whatever acts."""

from __future__ import annotations

import pytest

from strobe.algebra import Force, Vec3
from strobe.formulations import formulation, newton_euler_armstrong, newton_euler_moments
from strobe.models.load import load_model
from strobe.models.random_robots import random_model
from strobe.models.regroup import regrouped
from strobe.papers.arm_patterns import PATTERNS, arm
from strobe.scalars import FieldSystem

ROBOTS = {
    **{name: load_model(name) for name in ("panda", "puma560", "stanford", "ur5", "biped10", "spherical3")},
    **{name: arm(PATTERNS[name]) for name in ("PUMA 560", "UR")},
    **{f"tree {seed}": random_model(7, seed, kinds="RPS", tree=True) for seed in (1, 2, 3)},
}  # fmt: skip


@pytest.mark.parametrize("flat", [None, False, True])
@pytest.mark.parametrize("name", ROBOTS)
def test_torques_are_those_of_the_reference_in_a_prime_field(name, flat):
    system = FieldSystem(5)
    lifted = ROBOTS[name].lift(system)
    state = lifted.variables()
    expected = formulation("spatial-newton-euler").inverse_dynamics(lifted, *state)
    model = lifted if flat is None else regrouped(lifted, flat)
    found = newton_euler_moments.inverse_dynamics(model, *state)
    assert [system.lower(x) for x in found] == [system.lower(x) for x in expected]


@pytest.mark.parametrize("name", ["panda", "biped10", "tree 1"])
def test_forces_from_outside_act_on_held_bodies_too(name):
    system = FieldSystem(6)
    lifted = ROBOTS[name].lift(system)
    state = lifted.variables()
    outside = {
        body.index: Force(*(Vec3(*(system.draw() for _ in range(3))) for _ in range(2)))
        for body in lifted.bodies
    }
    expected, found = (
        method.inverse_dynamics(lifted, *state, outside)
        for method in (newton_euler_armstrong, newton_euler_moments)
    )
    assert [system.lower(x) for x in found] == [system.lower(x) for x in expected]


@pytest.mark.parametrize("axis", range(3))
def test_flat_regrouping_leaves_no_second_moment_along_a_joint(axis):
    model = next(
        m for m in (random_model(4, seed, kinds="R") for seed in range(20)) if m.joints[-1].axis == axis
    )
    for body in regrouped(model, flat=True).bodies:
        moments = newton_euler_moments._moments(body.inertia)
        assert (tuple(moments.diagonal)[body.joint.axis], moments.m) == (0.0, 0.0)
