"""Wrenches from outside: as forces on bodies and through the transposed Jacobian they are the same, exactly."""

import pytest

from strobe.formulations import articulated_body, kinematics, newton_euler_armstrong
from strobe.models.edits import add_frame
from strobe.models.model import ROOT
from strobe.models.random_robots import random_model
from strobe.scalars.field import FieldSystem

TREES = [("R", 1, False), ("RP", 2, True), ("RPSF", 3, True), ("RSF", 4, True)]


def loaded(kinds, seed, tree, count):
    """A random robot over a field, its state, and loads on frames that stand off their bodies."""
    model = random_model(5, seed, kinds=kinds, tree=tree)
    for k, frame in enumerate((model.frames[-1], model.frames[2], model.frames[-1])):
        model = add_frame(model, f"load {k}", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), frame=frame.name)
    system = FieldSystem(seed)
    lifted = model.lift(system).proximal()
    loads = [(lifted.frame(f"load {k}"), [system.draw() for _ in range(6)]) for k in range(count)]
    return system, lifted, lifted.variables(), loads


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(("kinds", "seed", "tree"), TREES)
def test_forces_on_bodies_and_the_transposed_jacobian_give_the_same_torques(kinds, seed, tree, count):
    system, model, (q, qd, qdd), loads = loaded(kinds, seed, tree, count)
    outside = kinematics.forces_on_bodies(model, q, loads)
    within = newton_euler_armstrong.inverse_dynamics(model, q, qd, qdd, outside)
    around = newton_euler_armstrong.inverse_dynamics(model, q, qd, qdd)
    for frame, wrench in loads:
        torques = kinematics.joint_torques(model, q, frame, wrench)
        around = [t - x for t, x in zip(around, torques, strict=True)]
    assert [system.lower(x) for x in within] == [system.lower(x) for x in around]


@pytest.mark.parametrize(("kinds", "seed", "tree"), TREES)
def test_articulated_bodies_feel_the_same_forces(kinds, seed, tree):
    system, model, (q, qd, qdd), loads = loaded(kinds, seed, tree, 2)
    outside = kinematics.forces_on_bodies(model, q, loads)
    tau = newton_euler_armstrong.inverse_dynamics(model, q, qd, qdd, outside)
    again = articulated_body.forward_dynamics(model, q, qd, tau, outside=outside)
    assert [system.lower(x) for x in again] == [system.lower(x) for x in qdd]


def test_placements_that_are_known_give_the_same_forces():
    system, model, (q, _, _), loads = loaded("RPS", 5, True, 1)
    placed = kinematics.body_placements(model.bodies, q)
    given, found = (
        kinematics.forces_on_bodies(model, q, loads, known)[loads[0][0].body] for known in (placed, None)
    )
    assert [system.lower(x) for x in (*given.force, *given.moment)] == [
        system.lower(x) for x in (*found.force, *found.moment)
    ]


def test_a_load_on_the_base_moves_nothing():
    model = random_model(2, 1)
    base = next(frame for frame in model.frames if frame.body == ROOT)
    assert kinematics.forces_on_bodies(model, [0.1, 0.2], [(base, [1.0] * 6)]) == {}
