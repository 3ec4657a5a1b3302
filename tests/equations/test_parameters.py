"""Names of constants: those of the model file, and systematic ones for everything else."""

import pytest

from strobe.equations.parameters import named
from strobe.errors import ParameterNameError
from strobe.formulations import FORMULATIONS
from strobe.models.load import load_model
from strobe.models.regroup import regrouped
from strobe.models.toml_reader import read_toml

ARM = """
[parameters]
{parameters}
[axes]
[[axes.link]]
joint = "+Rz"
d = [0, 0, {height}]
mass = {mass}
com = [{com}, 0, 0]
inertia = [0.1, 0.1, 0.1, 0, 0, 0]
[[axes.link]]
joint = "+Ry"
d = [0.5, 0, 0]
mass = 2.5
"""


def arm(parameters="L = 0.3", height='"L"', mass="1", com="0.2"):
    text = ARM.format(parameters=parameters, height=height, mass=mass, com=com)
    return read_toml("arm.toml", text="format = 1\n" + text)


def test_parameters_of_the_model_file_keep_their_names():
    words = named(load_model("planar2"))
    assert list(words.values) == [
        "m1", "m2", "I1", "I2", "l1", "lc1", "l2", "lc2", "g", "Ir2", "v2", "f2",
    ]  # fmt: skip
    assert words.values["lc2"] == 0.15
    assert words.places["lc2"] == "the parameter of that name in the model file"


def test_everything_else_is_named_after_its_place():
    words = named(load_model("puma560"))
    expected = {
        "m2": 17.4, "c2x": -0.3638, "I2yy": 0.524, "a2": 0.4318, "d4": 0.4318, "g": 9.81,
        "fp1": 62.6111 * 0.395, "fn1": 62.6111 * 0.435, "v4": 76.0364**2 * 71.2e-6,
    }  # fmt: skip
    assert {name: words.values[name] for name in expected} == pytest.approx(expected)
    assert words.values["Ir1"] == 62.6111**2 * 200e-6
    assert words.places["c2x"] == 'the centre of mass of link "link2" along x'
    assert words.places["fn1"] == 'the Coulomb friction backwards of joint "joint1"'


def test_zeros_and_right_angles_are_structure_and_have_no_name():
    words = named(load_model("puma560"))
    assert not {"m1", "c4x", "I2xy", "alpha1", "theta1"} & set(words.values)
    assert words.angles == ()


def test_masses_come_before_inertias_lengths_and_gravity():
    words = list(named(load_model("puma560")).values)
    order = [words.index(name) for name in ("m6", "I1yy", "I6zz", "d1", "c6z", "g", "Ir1")]
    assert order == sorted(order)


@pytest.mark.parametrize("robot", ["planar2", "puma560", "panda", "parallelogram", "random(5,2)"])
def test_naming_changes_no_number(robot):
    model = load_model(robot)
    n = model.nv
    state = [0.1 * k - 0.2 for k in range(n)], [0.3] * n, [-0.4] * n
    method = FORMULATIONS["spatial-newton-euler"].inverse_dynamics
    assert method(named(model).model, *state) == pytest.approx(method(model, *state), rel=1e-12)


def test_a_number_one_that_is_no_direction_has_a_name():
    assert named(arm()).values["m1"] == 1


def test_a_constant_that_divides_by_a_parameter_is_named_after_its_place():
    words = named(arm("L = 0.3\nk = 2.0\nM = 3.0", com='"L / k"', mass='"M * L + 1"'))
    assert words.values["c1x"] == 0.15
    assert "k" not in words.values
    assert "m1" not in words.values


def test_gravity_along_no_axis_has_three_components():
    text = ARM.format(parameters="", height=0.3, mass=1, com=0.2) + "[base]\ngravity = [1, 2, -9]\n"
    words = named(read_toml("tilted.toml", text="format = 1\n" + text))
    assert {name: words.values[name] for name in ("gx", "gy", "gz")} == {"gx": 1, "gy": 2, "gz": -9}


def test_an_oblique_axis_has_one_angle_for_the_way_in_and_the_way_out():
    text = """
    [joints]
    [[joints.link]]
    name = "arm"
    parent = "base"
    joint = "revolute"
    axis = [0, 3, 4]
    mass = 1
    """
    words = named(read_toml("oblique.toml", text="format = 1\n" + text))
    assert words.angles == ("beta1",)


def test_a_link_without_a_centre_of_mass_is_named_by_its_first_moments():
    words = named(regrouped(load_model("puma560")))
    assert {"mc2x", "mc3y"} <= set(words.values)


def test_a_name_for_two_things_is_an_error_that_names_both():
    with pytest.raises(ParameterNameError) as error:
        named(arm("m2 = 0.3", height='"m2"'))
    assert str(error.value) == (
        'arm: the name "m2" stands for two things, the parameter of that name in the model file and the mass of '
        'link "link2". Rename the parameter in the model file, or give the other number a name of its own there.'
    )
    with pytest.raises(
        ParameterNameError, match='"q1" stands for two things, the position q1 and the parameter'
    ):
        named(arm("q1 = 0.3", height='"q1"'))


def test_two_lengths_of_one_link_along_one_axis_are_told_apart():
    text = """
    [joints]
    [[joints.link]]
    name = "arm"
    parent = "base"
    joint = "revolute"
    axis = [0, 0, 1]
    before = { xyz = [0.1, 0, 0] }
    after = { xyz = [0.2, 0, 0] }
    mass = 1
    """
    words = named(read_toml("two.toml", text="format = 1\n" + text))
    assert (words.values["a1"], words.values["a1_2"]) == (0.1, 0.2)
