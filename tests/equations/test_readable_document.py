"""The readable grade as a document: every section of the closed forms, with the values of the robot."""

import re

import numpy as np
import pytest

import strobe
from strobe.equations.document import SECTIONS
from strobe.equations.expression import value
from strobe.equations.notation import Notation
from strobe.equations.readable_document import readable_document
from strobe.equations.text import text_lines
from strobe.errors import UnknownNameError
from strobe.models.load import load_model
from strobe.models.toml_reader import read_toml

HALF = """
format = 1
[joints]
[[joints.link]]
name = "upper"
joint_name = "joint1"
parent = "base"
joint = "revolute"
axis = [0, 0, 1]
mass = 2
com = [0.3, 0, 0.1]
[[joints.link]]
name = "lower"
joint_name = "joint2"
parent = "upper"
joint = "revolute"
axis = [0, 1, 0]
before = { xyz = [0.5, 0, 0] }
mass = 1
com = [0.2, 0.1, 0]
friction = { viscous = 0.2, coulomb = 0.3 }
[[couplings]]
joint = "joint2"
terms = { joint1 = 0.5 }
"""


def interpreted(name):
    return strobe.Robot(load_model(name), compiled=False)


def entries_at(made, parameters, q, qd, qdd):
    """The value of every left-hand side."""
    state = zip(("q", "qd", "qdd"), (q, qd, qdd), strict=True)
    known = {f"{x}{k + 1}": float(v) for x, values in state for k, v in enumerate(values)} | parameters
    for section in sorted(made.sections, key=lambda s: (s.key in ("T", "tau"), s.key != "steps")):
        for entry in section.entries:
            known |= dict.fromkeys(entry.names, value(entry.value, known.__getitem__))
    return known


def place(letter, i, j):
    return f"{letter}{i + 1}{',' if max(i, j) > 8 else ''}{j + 1}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "form", "numbers"),
    [
        ("planar2", "christoffel", True),
        ("planar2", "decomposition", False),
        ("parallelogram", "christoffel", False),
        ("stanford", "decomposition", True),
        ("puma560", "christoffel", False),
        ("puma560", "decomposition", True),
        ("panda", "christoffel", True),
        ("biped10", "decomposition", False),
    ],
)
def test_every_section_has_the_values_of_the_robot(name, form, numbers):
    arm = interpreted(name)
    made = readable_document(arm, numbers, form=form)
    q, qd, qdd = arm.random_state(seed=4)
    worth = entries_at(made, {p.name: p.value for p in made.parameters}, q, qd, qdd)
    n = range(arm.n)
    np.testing.assert_allclose([worth["T"], worth["V"]], arm.energy(q, qd), rtol=1e-10)
    np.testing.assert_allclose(
        [[worth[place("M", min(i, j), max(i, j))] for j in n] for i in n], arm.mass_matrix(q), atol=1e-12
    )
    C = [[worth[place("C", i, j)] for j in n] for i in n]
    np.testing.assert_allclose(C, arm.coriolis_matrix(q, qd, form=form), atol=1e-12)
    np.testing.assert_allclose([worth[f"G{i + 1}"] for i in n], arm.gravity(q), atol=1e-11)
    np.testing.assert_allclose(
        [worth[f"tau{i + 1}"] for i in n], arm.inverse_dynamics(q, qd, qdd), atol=1e-10
    )
    T = arm.forward_kinematics(q)
    np.testing.assert_allclose([worth[x] for x in "xyz"], T[:3, 3], atol=1e-13)
    R = [[worth[place("R", i, j)] for j in range(3)] for i in range(3)]
    np.testing.assert_allclose(R, T[:3, :3], atol=1e-13)
    J = [[worth[place("J", i, j)] for j in n] for i in range(6)]
    np.testing.assert_allclose(J, arm.jacobian(q), atol=1e-12)


@pytest.mark.slow
def test_the_sections_are_those_of_the_closed_forms():
    keys = list(dict.fromkeys(s.key for s in readable_document(interpreted("puma560")).sections))
    assert keys == ["steps", *SECTIONS, "notes"]


def test_a_section_brings_what_it_is_written_over_and_no_other_steps():
    arm = interpreted("stanford")
    gravity, energy = (readable_document(arm, only=[key]) for key in ("G", "T"))
    assert {s.key for s in gravity.sections} == {"steps", "G", "notes"}
    assert {s.key for s in energy.sections} == {"steps", "T", "M", "notes"}
    titles = [s.title for s in gravity.sections]
    assert "Gravity in axes of the links" in titles
    assert "Velocities of the links" not in titles


@pytest.mark.slow
def test_another_frame_and_form_may_be_asked_for():
    made = readable_document(interpreted("panda"), only=["fk", "C"], form="decomposition", frame="link3")
    assert made.section("fk").title.startswith('Placement of the frame "link3"')
    assert made.section("C").title == "Coriolis matrix, decomposition form"


def test_facts_of_a_large_arm_are_those_of_its_closed_form():
    lines = [line.strip() for line in text_lines(readable_document(interpreted("puma560"), only=["facts"]))]
    assert "Entries of M that vanish: M56." in lines
    assert "Cyclic in the Lagrangian; friction changes the momentum: q1." in lines
    assert "i = 2: jk = 12, 13, 22, 66" in lines
    assert "Decided exactly at 2 random robots of this structure, modulo primes of 61 bits:" in " ".join(
        lines
    )
    assert "m2 (a2 + c2x) + m3 a2 + m4 a2 + m5 a2 + m6 a2" in lines


def test_with_numbers_facts_have_no_conditions():
    (facts,) = [
        s
        for s in readable_document(interpreted("panda"), True, only=["facts"]).sections
        if s.key == "facts"
    ]
    assert facts.conditions == ()
    assert facts.data["cyclic"] == [1]


def test_equal_entries_share_a_line_and_those_that_vanish_stand_last():
    last = readable_document(interpreted("puma560"), only=["jacobian"]).section("jacobian").entries[-1]
    assert last.names[0] == "J15"
    assert len(last.names) == 11


def test_rotors_in_the_mass_matrix_are_told():
    assert readable_document(interpreted("puma560"), only=["M"]).section("M").remarks[-1] == (
        "The inertia of the rotors of the drives is part of it."
    )
    assert len(readable_document(interpreted("panda"), only=["M"]).section("M").remarks) == 1


def test_an_unknown_section_names_the_others():
    with pytest.raises(UnknownNameError, match=re.escape('no section "D" in the equations.')):
        readable_document(interpreted("panda"), only=["D"])


def test_a_joint_that_follows_by_half_is_written_with_its_friction_but_its_facts_are_not_decided():
    arm = strobe.Robot(read_toml("half.toml", text=HALF), compiled=False)
    made = readable_document(arm, numbers=True)
    q, qd, qdd = arm.random_state(seed=1)
    assert entries_at(made, {}, q, qd, qdd)["tau1"] == pytest.approx(arm.inverse_dynamics(q, qd, qdd)[0])
    lines = [line.strip() for line in text_lines(made, Notation(decimals=True))]
    assert "F1 = 0.05 q̇1 + 0.15 sat(500 q̇1)" in lines
    assert any(line.startswith('Not decided: half: joint "joint2" turns with "joint1"') for line in lines)
