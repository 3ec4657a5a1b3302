"""The readable grade: right, short, and every name explained."""

import re
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import strobe
from strobe.equations.expression import Number, symbols
from strobe.equations.readable import ALL, entry_names, readable
from strobe.equations.steps import CONSTANTS
from strobe.equations.verification import exact_readable, verify_readable
from strobe.errors import ArgumentError, UnknownNameError, UnsupportedModelError
from strobe.models.load import load_model
from strobe.models.toml_reader import read_toml

ARMS = [
    "planar2",
    "spherical3",
    "pendulum3",
    "stanford",
    "puma560",
    "ur5",
    "panda",
    "parallelogram",
    "biped10",
]
GENERAL = [(7, 1, "R", False), (5, 2, "RP", False), (6, 4, "RP", True)]


def general(n, seed, kinds, tree):
    return strobe.random(n, seed=seed, kinds=kinds, tree=tree).model


def interpreted(name):
    return strobe.Robot(load_model(name), compiled=False)


@cache
def equations_of(name, numbers=True):
    """Of a built-in robot, or of an arm of GENERAL; looked at by many tests, changed by none."""
    return readable(load_model(name) if isinstance(name, str) else general(*name), numbers)


def values_at(equations, q, qd):
    state = {f"q{k + 1}": float(x) for k, x in enumerate(q)} | {
        f"qd{k + 1}": float(x) for k, x in enumerate(qd)
    }
    return [np.array(x, dtype=float) for x in equations.values({**equations.parameters, **state})]


def worst(robot, equations):
    q, qd, _ = robot.random_state(seed=7)
    expected = robot.mass_matrix(q), robot.coriolis_matrix(q, qd), robot.gravity(q)
    pairs = zip(values_at(equations, q, qd), expected, strict=True)
    return max(abs(a - b).max() / (abs(b).max() or 1.0) for a, b in pairs)


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [True, False])
@pytest.mark.parametrize("name", ARMS)
def test_the_steps_give_the_matrices_of_the_robot(name, numbers):
    assert worst(interpreted(name), equations_of(name, numbers)) < 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [True, False])
@pytest.mark.parametrize(("n", "seed", "kinds", "tree"), GENERAL)
def test_general_arms_and_trees_are_right_too(n, seed, kinds, tree, numbers):
    arm = n, seed, kinds, tree
    robot = strobe.Robot(general(*arm), compiled=False)
    assert worst(robot, equations_of(arm, numbers)) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_named_parameters_are_exact_in_a_prime_field(name):
    assert all(exact_readable(equations_of(name, False)).values())


def test_both_comparisons_pass_against_compiled_formulations():
    robot = strobe.load("planar2")
    found = verify_readable(readable(robot, numbers=False), robot)
    assert found.passed
    assert len(found.exact) == 2
    assert list(found.errors) == ["lagrange-jacobian", "spatial-newton-euler", "robot"]
    with_numbers = verify_readable(readable(robot), robot)
    assert with_numbers.passed
    assert not with_numbers.exact


def test_a_wrong_step_is_found():
    robot = interpreted("stanford")
    equations = readable(robot, numbers=False)
    left = equations.written.results
    wrong = (left[1], left[0], *left[2:])
    object.__setattr__(equations.written, "results", wrong)
    assert not any(exact_readable(equations).values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "numbers", "multiplications", "additions"),
    [
        ("panda", True, 818, 679),
        ("panda", False, 827, 679),
        ("puma560", True, 405, 320),
        ("puma560", False, 445, 359),
        ("stanford", True, 275, 203),
        ("random(7,1,R)", True, 1608, 1192),
        ("random(7,1,R)", False, 1608, 1192),
    ],
)
def test_how_many_operations_all_three_take(name, numbers, multiplications, additions):
    equations = equations_of(GENERAL[0] if name.startswith("random") else name, numbers)
    assert (equations.multiplications, equations.additions) == (multiplications, additions)


@pytest.mark.slow
def test_equations_introduce_themselves_and_are_printed():
    found = equations_of("panda")
    assert (
        repr(found)
        == "<equations of panda over 527 named intermediate results: 818 multiplications, 679 additions>"
    )
    lines = str(readable(load_model("planar2"), numbers=False, asked=("G",))).splitlines()
    assert lines[0] == "Parameters"
    assert "  G2 = −h2x g2y" in lines
    assert not any("M11" in line for line in lines)


def test_operations_on_parameters_alone_are_counted_apart():
    assert equations_of("panda").constant_operations.multiplications == 0
    assert equations_of("panda", False).constant_operations.multiplications == 82


def test_every_step_uses_earlier_names_only_and_has_a_meaning():
    for name, numbers in (("panda", True), ("puma560", False)):
        equations = equations_of(name, numbers)
        known = {f"{letter}{k + 1}" for letter in ("q", "qd") for k in range(equations.n)} | {
            *equations.parameters
        }
        for step in equations.steps:
            assert symbols(step.expression) <= known, step.name
            assert step.name not in known
            assert step.meaning
            known.add(step.name)
        results = [*(x for row in (*equations.M, *equations.C) for x in row), *equations.G]
        assert set().union(*map(symbols, results)) <= known


def test_every_step_is_needed():
    equations = equations_of("panda")
    used = set().union(
        *map(symbols, equations.written.results), *(symbols(s.expression) for s in equations.steps)
    )
    assert {step.name for step in equations.steps} <= used


def test_names_say_what_and_where():
    meanings = {step.name: step.meaning for step in equations_of("puma560", False).steps}
    assert meanings["c3"] == "angle of joint 3, cosine"
    assert meanings["w4x"] == "angular velocity, frame 4, x"
    assert meanings["H3y"] == "first moment of links 3 to 6, frame 3, y"
    assert meanings["J5xx"] == "inertia of links 5 to 6, frame 5, xx"
    assert meanings["A4_2y"] == "angular momentum of links 4 to 6 per unit rate of joint 4, frame 2, y"
    assert meanings["N4_1z"] == "moment for column 4 of C, frame 1, z"
    assert meanings["H4_3ax"] == "first moment of links 4 to 6, from frame 4 to 3, turned by joint 4, x"
    assert meanings["K2xx"] == "inertia of link 2, frame 2, xx"


def test_sections_come_one_after_the_other():
    sections = list(dict.fromkeys(step.section for step in equations_of("puma560", False).steps))
    assert sections == [
        "Constants",
        "Sines and cosines",
        "Velocities of the links",
        "Gravity in axes of the links",
        "The links beyond each joint as one body",
        "Momentum and forces per unit rate of each joint, carried inwards",
    ]
    steps = equations_of("panda").steps
    order = [step.section for step in steps]
    assert order == sorted(order, key=list(dict.fromkeys(order)).index)


def test_long_numbers_get_names_and_short_ones_stay():
    steps = {step.name: step for step in equations_of("panda").steps}
    assert steps["K7xx"].section == CONSTANTS
    assert not any(re.fullmatch(r"r\d[xyz]", name) for name in steps)  # 0.316 and the like are short


def test_the_mass_matrix_is_symmetric_by_construction():
    equations = equations_of("panda")
    assert all(equations.M[i][j] is equations.M[j][i] for i in range(7) for j in range(7))


def test_oblique_arms_are_told_about_their_frames():
    general = equations_of(GENERAL[0])
    assert "Its z is the axis of joint i, its x goes across to the next joint." in general.notes[0]
    assert "Its z" not in equations_of("panda").notes[0]


def test_parameters_of_an_oblique_arm_are_those_of_frames_laid_anew():
    robot = interpreted("random(4,1)")
    equations = readable(robot, numbers=False)
    assert "Parameters are those of these frames" in equations.notes[-1]
    assert all(exact_readable(equations).values())
    assert worst(robot, equations) < 1e-12


def test_an_arm_whose_file_names_its_parameters_keeps_its_frames():
    text = """
    format = 1
    [parameters]
    heavy = 2.0
    [joints]
    [[joints.link]]
    name = "one"
    parent = "base"
    joint = "revolute"
    axis = [0, 0, 1]
    mass = "heavy"
    com = [0.1, 0.2, 0.3]
    [[joints.link]]
    name = "two"
    parent = "one"
    joint = "revolute"
    before = { xyz = [0.1, 0, 0.2], rpy = [0.3, 0.4, 0.5] }
    axis = [0, 0, 1]
    mass = 1
    com = [0.1, 0.2, 0.3]
    """
    equations = readable(read_toml("arm.toml", text=text), numbers=False)
    assert equations.parameters["heavy"] == 2.0
    assert "Its z" not in equations.notes[0]


def test_joints_with_more_than_one_degree_of_freedom_are_refused():
    with pytest.raises(UnsupportedModelError, match='"joint1" is floating; the readable equations'):
        readable(strobe.random(2, seed=0, kinds="F"))


def test_a_robot_without_dynamics_or_joints_is_refused(tmp_path):
    file = tmp_path / "rock.urdf"
    file.write_text('<robot name="rock"><link name="stone"/></robot>')
    with pytest.raises(
        UnsupportedModelError, match="rock has no joints: there are no equations to write down"
    ):
        readable(strobe.load(file))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "numbers", "form"),
    [
        ("spherical3", True, "decomposition"),
        ("parallelogram", True, "christoffel"),
        ("parallelogram", False, "decomposition"),
        ("puma560", False, "christoffel"),
        ("random(4,1)", False, "decomposition"),
    ],
)
def test_energies_frames_friction_and_both_coriolis_matrices_are_those_of_the_robot(name, numbers, form):
    robot = strobe.Robot(load_model(name), compiled=False)
    found = verify_readable(readable(robot, numbers, ALL, form=form), robot, states=4)
    assert list(found.errors["robot"]) == [*ALL, "friction"]
    assert found.worst < 1e-12
    assert all(found.exact.values())


def test_a_wrong_potential_energy_or_frame_is_found():
    robot = interpreted("spherical3")
    for key in ("V", "fk", "jacobian"):
        equations = readable(robot, asked=[key])
        first, *others = equations.written.results
        object.__setattr__(equations.written, "results", (Number(Fraction(7, 3)), *others))
        assert verify_readable(equations, robot).worst > 1e-3, (key, first)


def test_what_is_asked_for_decides_which_steps_there_are():
    frames = readable(load_model("panda"), asked=["fk"])
    assert {step.section for step in frames.steps} == {"Sines and cosines", "Frames in base axes"}
    assert frames.asked == ("fk",)
    assert frames.frame == "tool"
    with pytest.raises(UnknownNameError, match='no quantity "M" in the readable equations of panda'):
        assert frames.M


def test_a_frame_keeps_its_place_where_link_frames_are_laid_anew():
    robot = strobe.Robot(strobe.random(5, seed=2, kinds="RP").model, compiled=False)
    for frame in robot.frames:
        asked = ["fk", "jacobian"] if frame in robot.moving_frames else ["fk"]
        found = readable(robot, asked=asked, frame=frame)
        assert verify_readable(found, robot, states=2).worst < 1e-12


def test_names_of_entries_are_in_rows():
    assert entry_names("M", 2) == ["M11", "M12", "M22"]
    assert entry_names("fk", 2)[:4] == ["x", "y", "z", "R11"]
    assert entry_names("jacobian", 10)[9:11] == ["J1,10", "J21"]
    assert entry_names("V", 3) == ["V"]


def test_an_unknown_form_is_refused():
    with pytest.raises(ArgumentError, match='form is "other"; expected one of christoffel, decomposition.'):
        readable(load_model("panda"), form="other")
