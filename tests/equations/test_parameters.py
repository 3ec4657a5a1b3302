"""Names of constants: those of the model file, and systematic ones for everything else."""

from typing import Any

import pytest

from strobe.equations.closed_form import equations_of
from strobe.equations.code import python_source
from strobe.equations.document import document
from strobe.equations.glossary import glossary
from strobe.equations.latex import latex_source
from strobe.equations.notation import Notation, is_derived
from strobe.equations.parameters import named
from strobe.equations.text import text_lines
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


@pytest.mark.parametrize(
    "name",
    "M11 C12 G1 H11 F2 V T x tau1 q1 qd2 q_1 c12 s1 theta1 phi2 m2 M cos sin sat satp diag".split(),  # noqa: SIM905
)
def test_a_parameter_that_would_be_printed_like_something_else_gets_another_name(name):
    words = named(arm(f"{name} = 0.3", height=f'"{name}"'))
    assert words.renamed == {f"{name}_p": name}
    assert words.values[f"{name}_p"] == 0.3
    assert glossary(words)[f"{name}_p"].meaning == f'length, link "link1" ({name} in the model file)'


@pytest.mark.parametrize("name", ["L", "D", "f12", "N01", "r01", "vc1", "rc2", "omega_1", "e1", "p2", "T1"])
def test_letters_of_derivations_are_free_for_parameters_elsewhere(name):
    robot = arm(f"{name} = 0.3", height=f'"{name}"')
    assert named(robot).renamed == {}
    assert named(robot, is_derived).renamed == {f"{name}_p": name}


def test_the_mass_of_a_link_keeps_its_name_beside_a_parameter_that_has_it_too():
    words = named(arm("m2 = 0.3", height='"m2"'))
    assert (words.values["m2"], words.values["m2_p"]) == (2.5, 0.3)


@pytest.mark.parametrize(
    ("parameters", "height", "com", "expected"),
    [
        ("l_1 = 0.3\nl__1 = 0.2", "l_1", "l__1", {"l_1_p": "l__1"}),
        ("l1 = 0.3\nl_1 = 0.2", "l1", "l_1", {"l_1_p": "l_1"}),
        ("_ = 0.3\n__x = 0.2", "_", "__x", {"p": "_", "x_p": "__x"}),
        ("M11 = 0.3\nM11_p = 0.2", "M11", "M11_p", {"M11_p": "M11", "M11_p_p": "M11_p"}),
        ("L = 0.3\nk = 0.2", "L", "k", {}),
    ],
)
def test_no_two_parameters_are_printed_alike(parameters, height, com, expected):
    words = named(arm(parameters, height=f'"{height}"', com=f'"2 * {com} - {height}"'))
    assert words.renamed == expected
    names = {old: new for new, old in words.renamed.items()}
    expression: Any = words.model.bodies[0].inertial.com.x  # pyright: ignore[reportOptionalMemberAccess]
    assert {names.get(height, height), names.get(com, com)} == expression.names
    assert expression == pytest.approx(2 * 0.2 - 0.3)
    printed = [Notation(mass="H").read(name) for name in (*words.values, "M11", "x")]
    assert len(set(printed)) == len(printed)


def test_a_name_is_written_the_same_way_everywhere():
    robot = arm("V = 0.3", height="0.1", com='"V"')
    made = document(equations_of(robot))
    source = latex_source(made)
    assert "V_{p}" in source
    assert "(V in the model file)" in source
    assert '("V_p", 0.3)' in str([(p.name, p.value) for p in made.parameters]).replace("'", '"')
    assert any("V_p" in line for line in text_lines(made))
    assert "V_p" in python_source(robot)


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
