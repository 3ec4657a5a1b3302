"""The walk over composite bodies, on numbers of other systems."""

import pytest

from strobe.equations.graph_to_steps import Book, Walk
from strobe.formulations import energy_and_momentum, kinematics, spatial_newton_euler
from strobe.models.load import load_model
from strobe.models.regroup import at_base, regrouped
from strobe.scalars import FieldSystem


@pytest.mark.parametrize("name", ["panda", "stanford", "biped10", "random(6,3)"])
def test_the_walk_is_newton_euler_on_random_robots_of_the_same_structure(name):
    model = load_model(name).lift(FieldSystem(5))
    q, qd, qdd = model.variables()
    walk = Walk(regrouped(model), q, Book())
    walk.move(qd)
    M, C, G = walk.columns()
    tau = spatial_newton_euler.inverse_dynamics(model, q, qd, qdd)
    n = range(model.nv)
    for i in n:
        found = G[i]
        for j in n:
            found = found + M[i][j] * qdd[j] + C[i][j] * qd[j]
        assert model.system.lower(found) == model.system.lower(tau[i])


@pytest.mark.parametrize("name", ["panda", "stanford", "biped10", "random(6,3)"])
def test_weights_and_frames_are_exact_on_random_robots_of_the_same_structure(name):
    model = load_model(name).lift(FieldSystem(7))
    q, qd, _ = model.variables()
    tree, lower = regrouped(model), model.system.lower
    walk = Walk(tree, q, Book())
    walk.move(qd)
    walk.gather()
    found = walk.potential_energy(at_base(model).h)
    assert lower(found) == lower(energy_and_momentum.potential_energy(model, q))
    last = tree.frames[-1]
    here, J = walk.frame(last)
    assert [*map(lower, here.p)] == [*map(lower, kinematics.frame_placement(tree, q, last).p)]
    expected = kinematics.jacobian(tree, q, last)
    assert [[*map(lower, row)] for row in J] == [[*map(lower, row)] for row in expected]
