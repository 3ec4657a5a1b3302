"""The golden equations of the literature, as they are printed."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.equations.closed_form import equations_of
from strobe.equations.document import SECTIONS, document, shortened_document
from strobe.equations.expression import value
from strobe.equations.notation import Notation
from strobe.equations.structural_facts import symbol_patterns
from strobe.equations.text import text, text_lines
from strobe.errors import UnknownNameError
from strobe.models.joints import Friction, Motor
from strobe.models.load import load_model
from strobe.models.model import Coupling

TEXTBOOK = Notation(mass="H", positions={"1": "θ", "2": "θ"})
TEXTBOOK_H = [
    "H11 = m1 lc1² + I1 + m2 (l1² + lc2² + 2 l1 lc2 cos θ2) + I2",
    "H12 = m2 (lc2² + l1 lc2 cos θ2) + I2",
    "H22 = m2 lc2² + I2",
    "Symmetric: entries on and above the diagonal.",
]


def shown(robot, *only, form="christoffel", notation=None, numbers=False):
    """The lines of some sections."""
    model = robot if not isinstance(robot, str) else load_model(robot)
    made = document(equations_of(model, numbers), only=only, form=form)
    lines = text_lines(replace(made, parameters=()), notation or Notation(decimals=numbers))
    return [line.strip() for line in lines if line.startswith("  ")]


def without_motors(model):
    bodies = (replace(body, joint=replace(body.joint, motor=Motor())) for body in model.bodies)
    return replace(model, bodies=tuple(bodies))


def test_planar2_reads_as_in_the_textbook():
    """Introduction to Robotics, chapter 7, equations 7.1.11 and 7.1.12 [Asada2005]."""
    arm = without_motors(load_model("planar2"))
    assert shown(arm, "M", "C", "G", "tau", notation=TEXTBOOK) == [
        *TEXTBOOK_H,
        "h = m2 l1 lc2 sin θ2",
        "C11 = −h θ̇2",
        "C12 = −h (θ̇1 + θ̇2)",
        "C21 = h θ̇1",
        "C22 = 0",
        "G1 = m1 g lc1 cos θ1 + m2 g (l1 cos θ1 + lc2 cos(θ1 + θ2))",
        "G2 = m2 g lc2 cos(θ1 + θ2)",
        "τ1 = H11 θ̈1 + H12 θ̈2 − h θ̇2² − 2 h θ̇1 θ̇2 + G1",
        "τ2 = H12 θ̈1 + H22 θ̈2 + h θ̇1² + G2",
    ]


@pytest.mark.parametrize("notation", [Notation(), TEXTBOOK])
def test_the_motor_of_planar2_stands_beside_the_matrix_of_the_textbook(notation):
    theta = "θ" if notation is TEXTBOOK else "q"
    assert shown("planar2", "M", "tau", "friction", notation=notation) == [
        *(line.replace("θ", theta) for line in TEXTBOOK_H),
        "M = H + diag(0, Ir2): the rotors of the drives add their inertia to that of the links.",
        f"h = m2 l1 lc2 sin {theta}2",
        f"τ1 = H11 {theta}̈1 + H12 {theta}̈2 − h {theta}̇2² − 2 h {theta}̇1 {theta}̇2 + G1",
        f"τ2 = H12 {theta}̈1 + H22 {theta}̈2 + h {theta}̇1² + G2 + Ir2 {theta}̈2 + F2",
        "Last stands what the drives add: rotor inertia and friction F.",
        f"F2 = v2 {theta}̇2 + f2 sat(1000 {theta}̇2)",
        "sat(x) is x between −1 and 1, and ±1 beyond.",
    ]


def test_without_drives_the_rotors_are_in_the_mass_matrix_and_friction_is_left_out():
    made = document(equations_of(load_model("planar2")), only=("M", "tau", "friction"), drives=False)
    lines = [line.strip() for line in text_lines(replace(made, parameters=()))]
    assert "M22 = m2 lc2² + I2 + Ir2" in lines
    assert "τ2 = M12 q̈1 + M22 q̈2 + h q̇1² + G2" in lines
    assert "Friction" not in lines


def test_rotors_that_couple_coordinates_are_told_entry_by_entry():
    made = document(strobe.load("planar2").in_coordinates("absolute").equations(), only=("M", "T"))
    lines = " ".join(line.strip() for line in text_lines(made))
    assert "M is H but for M11 = H11 + Ir2, M12 = H12 − Ir2, M22 = H22 + Ir2: the rotors" in lines
    assert "½ Ir2 φ̇1² − Ir2 φ̇1 φ̇2 + ½ Ir2 φ̇2²" in lines


def test_the_energies_of_planar2():
    assert shown("planar2", "T", "V") == [
        "T = ½ H11 q̇1² + H12 q̇1 q̇2 + ½ H22 q̇2² + ½ Ir2 q̇2²",
        "V = m1 g lc1 sin q1 + m2 g (l1 sin q1 + lc2 sin(q1 + q2))",
    ]


def test_spherical3_reads_as_its_closed_form():
    assert shown("spherical3", "M", "C", "G", "tau") == [
        "M11 = Iz1 + (m2 l2² + Iz2 + m3 q3² + Iz3) cos² q2 + (Ix2 + Ix3) sin² q2",
        "M22 = m2 l2² + Iy2 + m3 q3² + Iy3",
        "M33 = m3",
        "M12 = M13 = M23 = 0",
        "Symmetric: entries on and above the diagonal.",
        "E = m2 l2² − Ix2 + Iz2 + m3 q3² − Ix3 + Iz3",
        "C11 = −E sin q2 cos q2 · q̇2 + m3 q3 cos² q2 · q̇3",
        "C12 = −E sin q2 cos q2 · q̇1",
        "C13 = m3 q3 cos² q2 · q̇1",
        "C21 = E sin q2 cos q2 · q̇1",
        "C22 = m3 q3 q̇3",
        "C23 = m3 q3 q̇2",
        "C31 = −m3 q3 cos² q2 · q̇1",
        "C32 = −m3 q3 q̇2",
        "C33 = 0",
        "G1 = 0",
        "G2 = (m2 l2 + m3 q3) g cos q2",
        "G3 = m3 g sin q2",
        "τ1 = M11 q̈1 − 2 E sin q2 cos q2 · q̇1 q̇2 + 2 m3 q3 cos² q2 · q̇1 q̇3",
        "τ2 = M22 q̈2 + E sin q2 cos q2 · q̇1² + 2 m3 q3 q̇2 q̇3 + G2",
        "τ3 = M33 q̈3 − m3 q3 cos² q2 · q̇1² − m3 q3 q̇2² + G3",
    ]


def test_pendulum3_reads_as_its_closed_form():
    lines = shown("pendulum3", "M", "C", "G")
    assert lines[:6] == [
        "M11 = Iz1 + (m2 a² + Ix2) sin² q2 + Iz2 cos² q2 + m3 (l sin q2 + b sin(q2 + q3))²",
        "+ Ix3 sin²(q2 + q3) + Iz3 cos²(q2 + q3)",
        "M22 = m2 a² + Iy2 + m3 (l² + b² + 2 l b cos q3) + Iy3",
        "M23 = m3 (b² + l b cos q3) + Iy3",
        "M33 = m3 b² + Iy3",
        "M12 = M13 = 0",
    ]
    assert "k3 = m3 l b sin q3" in lines  # h is the height of this arm
    assert lines[-3:] == [
        "G1 = 0",
        "G2 = m2 g a sin q2 + m3 g (l sin q2 + b sin(q2 + q3))",
        "G3 = m3 g b sin(q2 + q3)",
    ]


def test_the_numbers_of_the_robot_take_the_place_of_names():
    assert shown("planar2", "M", "G", numbers=True) == [
        "H11 = 0.38055 + 0.18 cos q2",
        "H12 = 0.04575 + 0.09 cos q2",
        "H22 = 0.04575",
        "Symmetric: entries on and above the diagonal.",
        "M = H + diag(0, 0.05): the rotors of the drives add their inertia to that of the links.",
        "G1 = 9.4176 cos q1 + 2.20725 cos(q1 + q2)",
        "G2 = 2.20725 cos(q1 + q2)",
    ]


def test_facts_are_sentences_with_their_conditions():
    lines = shown(without_motors(load_model("planar2")), "facts")
    assert lines == [
        "M is symmetric.",
        "Ṁ − 2C is skew for C in the Christoffel and the decomposition form.",
        "Entries of M that are constant: M22.",
        "3 of 6 Christoffel symbols vanish: c111, c212, c222.",
        "M does not depend on q1.",
        "Gravity exerts no torque if and only if all of these vanish:",
        "m2 lc2",
        "m1 lc1 + m2 l1",
        "M is constant if and only if all of these vanish:",
        "m2 l1 lc2",
    ]


def test_facts_are_told_in_the_letters_of_the_reader():
    lines = shown(without_motors(load_model("planar2")), "facts", notation=TEXTBOOK)
    assert lines[:3] == [
        "H is symmetric.",
        "Ḣ − 2C is skew for C in the Christoffel and the decomposition form.",
        "Entries of H that are constant: H22.",
    ]
    assert "H does not depend on θ1." in lines
    assert shown("planar2", "facts")[0] == "H, the mass matrix without the rotors, is symmetric."


def test_many_vanishing_christoffel_symbols_are_listed_by_their_indices():
    lines = shown("stanford", "facts")
    start = lines.index("56 of 126 Christoffel symbols vanish, c_ijk with")
    assert lines[start + 1] == "i = 1: jk = 11, 33–36, 66"
    data = document(equations_of(load_model("stanford")), only=("facts",)).section("facts").data
    assert len(data["zero_christoffel_symbols"]) == 56
    assert data["zero_christoffel_symbols"][:2] == [[1, 1, 1], [1, 3, 3]]


def test_patterns_of_indices_stand_for_every_triple():
    zeros = [(0, 0, 0), (0, 1, 2), (0, 1, 3), (0, 1, 4), (2, 3, 3), (2, 3, 4), (3, 3, 3), (3, 3, 4)]
    assert list(symbol_patterns(zeros)) == ["i = 1: jk = 11, 23–25", "i = 3, 4: jk = 44, 45"]
    long = [(9, 0, 1), (9, 0, 9), (9, 0, 10), (9, 0, 11)]
    assert list(symbol_patterns(long)) == ["i = 10: jk = 12; 1,10–1,12"]


def test_a_momentum_is_conserved_only_where_nothing_rubs_and_nothing_follows():
    assert "Cyclic, with a momentum that is conserved without torque: q1." in shown("spherical3", "facts")
    arm = load_model("spherical3")
    bodies = [replace(b, joint=replace(b.joint, friction=Friction(viscous=0.1))) for b in arm.bodies]
    assert "Cyclic in the Lagrangian; friction changes the momentum: q1." in shown(
        replace(arm, bodies=tuple(bodies)), "facts"
    )
    first, second, _ = (body.joint.name for body in arm.bodies)
    followed = replace(arm, couplings=(Coupling(second, {first: 1.0}),)).weightless()
    lines = shown(replace(followed, bodies=followed.bodies[:2], frames=followed.frames[:1]), "facts")
    assert not any("conserved" in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["planar2", "planar3", "pendulum3", "spherical3", "parallelogram"])
@pytest.mark.parametrize("form", ["christoffel", "decomposition"])
def test_a_document_has_the_values_of_the_robot(robot, form):
    arm = strobe.load(robot)
    e = equations_of(arm)
    made = document(e, form=form)
    q, qd, qdd = arm.random_state(seed=5)
    state = {
        f"{x}{k + 1}": float(v)
        for x, values in (("q", q), ("qd", qd), ("qdd", qdd))
        for k, v in enumerate(values)
    }
    known = {name: entry.value for s in made.sections for entry in s.entries for name in entry.names}

    def worth(name):
        return value(known[name], {**e.parameters, **state}.__getitem__, abbreviations=known)

    n = range(arm.n)
    letter = "H" if "H11" in known else "M"
    M = np.array([[worth(f"{letter}{min(i, j) + 1}{max(i, j) + 1}") for j in n] for i in n])
    M += e.evaluate(e.rotor_matrix, q) if letter == "H" else 0.0
    C = [[worth(f"C{i + 1}{j + 1}") for j in n] for i in n]
    torques = [worth(f"tau{i + 1}") for i in n]
    np.testing.assert_allclose(M, arm.mass_matrix(q), rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(C, arm.coriolis_matrix(q, qd, form=form), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(torques, arm.inverse_dynamics(q, qd, qdd), rtol=1e-10)
    np.testing.assert_allclose([worth("T"), worth("V")], arm.energy(q, qd), rtol=1e-10)
    pose, J = arm.forward_kinematics(q), arm.jacobian(q)
    np.testing.assert_allclose([worth(x) for x in "xyz"], pose[:3, 3], atol=1e-13)
    np.testing.assert_allclose([worth(f"J6{j + 1}") for j in n], J[5], atol=1e-13)


def test_parameters_that_are_not_used_are_not_listed():
    e = equations_of(load_model("planar2"))
    assert [p.name for p in document(e, only=("G",)).parameters] == ["m1", "l1", "lc1", "m2", "lc2", "g"]
    assert document(equations_of(load_model("planar2"), numbers=True)).parameters == ()


def test_names_are_given_once_where_they_are_first_needed():
    keys = [s.key for s in document(equations_of(load_model("pendulum3"))).sections]
    assert keys == ["T", "V", "M", "names", "C", "G", "tau", "fk", "jacobian", "facts"]


def test_an_unknown_section_names_the_others():
    e = equations_of(load_model("planar2"))
    with pytest.raises(UnknownNameError, match=r'no section "D" in the equations.*\(10 sections'):
        document(e, only=("D",))
    with pytest.raises(UnknownNameError, match='no section "M" in the equations of planar2'):
        document(e, only=("G",)).section("M")
    assert document(e, only=("G",)).section("G").title == "Gravity"
    assert list(SECTIONS)[2:5] == ["M", "C", "G"]


def test_shortened_torques_are_printed_with_their_remarks():
    e = equations_of(load_model("planar2"))
    made = shortened_document(e, [e.gravity[1]], ["a remark"])
    assert text(made.sections[0].entries[0].value) == "m2 g lc2 cos(q1 + q2)"
    assert made.sections[0].remarks == ("a remark",)


def test_parameters_that_only_a_sentence_names_are_listed() -> None:
    planar = strobe.load("planar2").equations()
    listed = [parameter.name for parameter in document(planar, only=["M"]).parameters]
    assert "Ir2" in listed  # M = H + diag(0, Ir2)
