"""What parameters are called, where they stand, and in which unit."""

from strobe.equations.glossary import glossary
from strobe.equations.parameters import named
from strobe.models.load import load_model


def test_parameters_come_link_by_link_with_masses_and_inertias_first():
    found = glossary(named(load_model("planar2")))
    assert list(found) == ["m1", "I1", "l1", "lc1", "m2", "I2", "Ir2", "v2", "f2", "l2", "lc2", "g"]
    assert found["Ir2"].unit == "kg m²"
    assert found["f2"].meaning == 'Coulomb friction of joint "joint2"'
    assert found["l1"].meaning == 'length, link "link1"'


def test_every_name_has_a_role_and_its_value():
    for robot in ("stanford", "puma560", "panda", "biped10", "ur5"):
        words = named(load_model(robot))
        found = glossary(words)
        assert set(found) == set(words.values), robot
        assert all(p.value == words.values[name] for name, p in found.items())


def test_fixed_angles_are_in_radians():
    words = named(load_model("panda"))
    for name in words.angles:
        assert glossary(words)[name].unit == "rad"
