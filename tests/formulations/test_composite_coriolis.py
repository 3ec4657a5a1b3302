"""The Coriolis matrix by composite bodies is the one that strobing reads off, exactly and for fewer operations."""

import pytest

import strobe
from strobe.compiler.runtime.kernels import Kernel
from strobe.errors import UnsupportedModelError
from strobe.formulations import composite_coriolis, decomposition, spatial_newton_euler, strobing
from strobe.models.random_robots import random_model
from strobe.models.regroup import regrouped
from strobe.quantities import Request
from strobe.scalars import FieldSystem


def lowered(system, matrix):
    return [[system.lower(entry) for entry in row] for row in matrix]


@pytest.mark.slow
@pytest.mark.parametrize("kinds", ["R", "RP", "RPS", "RPSF"])
def test_it_equals_the_strobed_matrix_on_random_trees(kinds):
    for seed in range(5):
        system = FieldSystem(seed)
        model = random_model(2 + seed % 4, seed, kinds=kinds, tree=True).lift(system)
        q, qd, _ = model.variables()
        strobed = strobing.coriolis_matrix(spatial_newton_euler.inverse_dynamics, model, q, qd)
        for tree in (model, regrouped(model)):
            assert lowered(system, composite_coriolis.coriolis_matrix(tree, q, qd)) == lowered(
                system, strobed
            )


@pytest.mark.parametrize("form", decomposition.FORMS)
def test_both_forms_equal_those_of_the_decomposition(form):
    for seed in range(4):
        system = FieldSystem(seed)
        model = random_model(4, seed, kinds="RP", tree=True).lift(system)
        q, qd, _ = model.variables()
        ours = composite_coriolis.coriolis_matrix(model, q, qd, form)
        theirs = decomposition.coriolis_matrix(model, q, qd, form)
        assert lowered(system, ours) == lowered(system, theirs)


@pytest.mark.parametrize("form", decomposition.FORMS)
def test_carried_in_base_axes_it_is_the_same(form):
    for seed in range(4):
        system = FieldSystem(seed)
        model = random_model(4, seed, kinds="RPSF", tree=True).lift(system)
        q, qd, _ = model.variables()
        usual, level = (
            composite_coriolis.coriolis_matrix(model, q, qd, form, way) for way in (False, True)
        )
        assert lowered(system, usual) == lowered(system, level)


@pytest.mark.slow
def test_long_oblique_chains_are_carried_in_base_axes_for_less():
    short, long = (random_model(n, 1, kinds="R") for n in (25, 26))
    few, many = (Kernel(model, Request("coriolis_matrix")).program for model in (long, short))
    assert few.multiplications < 0.6 * many.multiplications


def test_the_other_form_needs_centres_of_mass():
    model = regrouped(strobe.load("panda").model)
    with pytest.raises(UnsupportedModelError, match="a first moment without mass"):
        composite_coriolis.coriolis_matrix(model, [0.1] * 7, [0.1] * 7, "decomposition")


@pytest.mark.slow
def test_it_costs_a_fifth_of_strobing():
    model = strobe.load("panda").model
    direct = Kernel(model, Request("coriolis_matrix")).program
    strobed = Kernel(model, Request("coriolis_matrix", "newton-euler-armstrong")).program
    assert direct.multiplications <= 843
    assert direct.additions <= 668
    assert direct.multiplications < 0.21 * strobed.multiplications
