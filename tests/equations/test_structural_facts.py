"""Facts about the structure of equations, decided term by term."""

import pytest

from strobe.equations.closed_form import equations_of
from strobe.equations.structural_facts import facts, is_skew
from strobe.models.load import load_model
from strobe.models.toml_reader import read_toml
from strobe.scalars import cos


def known(robot):
    equations = equations_of(load_model(robot))
    return equations, facts(equations)


def product(equations, names):
    value = 1
    for name in names.split():
        value = equations.ring.variable(name) * value
    return value


def test_the_textbook_arm_turns_about_its_first_joint_without_changing_its_inertia():
    e, found = known("planar2")
    assert found.absent_from_mass == (0,)
    assert found.cyclic == ()
    assert found.zero_entries == ()
    assert found.constant_entries == ((1, 1),)
    assert found.symbols == 6
    assert found.zero_symbols == ((0, 0, 0), (1, 0, 1), (1, 1, 1))


def test_the_textbook_arm_is_balanced_by_two_conditions():
    e, found = known("planar2")
    first, second = found.gravity_vanishes_if
    assert first.equals(product(e, "m2 lc2"))
    assert second.equals(product(e, "m1 lc1") + product(e, "m2 l1"))
    (decoupled,) = found.mass_is_constant_if
    assert decoupled.equals(product(e, "m2 l1 lc2"))


def test_the_parallelogram_has_a_constant_mass_matrix_where_two_products_cancel():
    e, found = known("parallelogram")
    (condition,) = found.mass_is_constant_if
    assert condition.equals(product(e, "m2 l1 lc2") + product(e, "m4 l3 lc4"))
    assert len(found.gravity_vanishes_if) == 2


def test_the_conditions_are_met_where_they_vanish():
    e, found = known("pendulum3")
    assert len(found.gravity_vanishes_if) == 2
    balanced = {"b": 0, "a": 0, "l": 0}
    assert all(condition.substitute(balanced).is_zero() for condition in found.gravity_vanishes_if)
    assert all(torque.substitute(balanced).is_zero() for torque in e.gravity)
    assert not all(torque.substitute({"b": 0}).is_zero() for torque in e.gravity)


def test_an_azimuth_is_cyclic_and_carries_no_weight():
    for robot in ("spherical3", "pendulum3", "stanford", "puma560"):
        _, found = known(robot)
        assert found.cyclic == (0,)
        assert 0 in found.without_gravity


def test_the_spherical_arm_has_a_diagonal_mass_matrix():
    _, found = known("spherical3")
    assert found.zero_entries == ((0, 1), (0, 2), (1, 2))
    assert found.constant_entries == ((2, 2),)


def test_puma560_lacks_28_of_126_christoffel_symbols():
    _, found = known("puma560")
    assert (found.symbols, len(found.zero_symbols)) == (126, 28)


@pytest.mark.parametrize("robot", ["planar3", "spherical3", "parallelogram", "stanford"])
def test_mass_matrices_are_symmetric_and_both_coriolis_matrices_skew(robot):
    _, found = known(robot)
    assert found.symmetric
    assert found.skew == {"christoffel": True, "decomposition": True}


def test_the_textbook_s_coefficients_are_no_christoffel_symbols():
    e = equations_of(load_model("planar2"))
    M, n = e.mass_matrix, range(2)
    C = [
        [
            e.ring.total(
                (M[i][j].derivative(f"q{k + 1}") - M[j][k].derivative(f"q{i + 1}") / 2) * e.qd[k] for k in n
            )
            for j in n
        ]
        for i in n
    ]
    h = [e.ring.total(entry * rate for entry, rate in zip(row, e.qd, strict=True)) for row in C]
    assert all(x.equals(y) for x, y in zip(h, e.velocity_torques, strict=True))
    assert not is_skew(e, C)


def test_a_fixed_angle_stays_in_the_conditions():
    text = """
    [joints]
    [[joints.link]]
    name = "arm"
    parent = "base"
    joint = "revolute"
    axis = [0, 0, 1]
    before = { rpy = [0.3, 0, 0] }
    mass = 2
    com = [0.5, 0, 0]
    """
    e = equations_of(read_toml("slope.toml", text="format = 1\n" + text))
    (condition,) = facts(e).gravity_vanishes_if
    m1, c1x, alpha1 = (e.ring.variable(name) for name in ("m1", "c1x", "alpha1"))
    assert condition.equals(m1 * c1x * cos(alpha1 - 1.5707963267948966))


def test_with_numbers_a_condition_that_cannot_be_met_is_the_number_one():
    e = equations_of(load_model("planar2"), numbers=True)
    (condition,) = facts(e).gravity_vanishes_if
    assert condition.equals(1)
