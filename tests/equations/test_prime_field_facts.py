"""Facts decided in a prime field are those of the normal form."""

from dataclasses import replace

import pytest

import strobe
from strobe.equations import prime_field_facts as module
from strobe.equations.closed_form import equations_of
from strobe.equations.prime_field_facts import structure
from strobe.equations.structural_facts import facts
from strobe.models.load import load_model
from strobe.models.regroup import regrouped


@pytest.mark.parametrize(
    "robot", ["planar2", "planar3", "spherical3", "pendulum3", "parallelogram", "stanford", "puma560"]
)
def test_the_field_decides_as_the_normal_form_does(robot):
    equations = equations_of(load_model(robot))
    found, known = structure(equations), facts(equations)
    conditions = [[(x.cosines, x.sines) for x in facts.gravity_vanishes_if] for facts in (found, known)]
    assert conditions[0] == conditions[1]
    none = {"gravity_vanishes_if": (), "mass_is_constant_if": ()}
    assert replace(found, **none) == replace(known, **none)


def test_a_large_arm_has_its_facts_too():
    found = structure(equations_of(load_model("panda")))
    assert found.cyclic == found.conserved == (0,)
    assert found.constant_entries == ((6, 6),)
    assert len(found.zero_symbols) == 28
    assert all(found.skew.values())


def test_conditions_that_would_be_long_are_left_out(monkeypatch):
    monkeypatch.setattr(module, "BUDGET", 10)
    assert structure(equations_of(load_model("puma560"))).gravity_vanishes_if == ()


def test_the_decomposition_is_not_told_of_where_a_link_has_no_centre_of_mass():
    arm = strobe.Robot(regrouped(load_model("puma560")), compiled=False)
    assert structure(equations_of(arm)).skew == {"christoffel": True, "decomposition": False}
