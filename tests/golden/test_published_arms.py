"""Two published arms and one published mistake to twelve digits, by every formulation, with a load in the hand.

The planar arm is the textbook's, whose closed form the values equal. The Stanford arm is that of R. Paul's tables;
"as shipped" are the data that Corke's Robotics Toolbox for Python 1.5.0 carries, whose fifth link no body can be.
Torques were confirmed by Pinocchio and by the toolbox itself, motors left out.
"""

import numpy as np
import pytest

from strobe.algebra import Force, Vec3
from strobe.errors import UnsupportedModelError
from strobe.formulations import FORMULATIONS, decomposition, strobing
from strobe.models.load import load_model
from strobe.models.toml_reader import read_toml

PLANAR = """
format = 1
name = "planar"
[base]
gravity = [0, -9.81, 0]
[dh]
convention = "standard"
inertia_at = "com"
[[dh.link]]
joint = "revolute"
a = 1
mass = 2
com = [-0.5, 0, 0]
inertia = [0.01, 0.17, 0.17, 0, 0, 0]
[[dh.link]]
joint = "revolute"
a = 0.8
mass = 1.5
com = [-0.4, 0, 0]
inertia = [0.008, 0.084, 0.084, 0, 0, 0]
"""

# joint, d, a, alpha, theta, mass, centre of mass, principal moments about it
SHIPPED_LINKS = (
    ("revolute", 0.412, 0, "-pi/2", 0, 9.29, [0, 0.0175, -0.1105], [0.276, 0.255, 0.071]),
    ("revolute", 0.154, 0, "pi/2", 0, 5.01, [0, -1.054, 0], [0.108, 0.018, 0.1]),
    ("prismatic", 0, 0.0203, "0", "-pi/2", 4.25, [0, 0, -6.447], [2.51, 2.51, 0.006]),
    ("revolute", 0, 0, "-pi/2", 0, 1.08, [0, 0.092, -0.054], [0.002, 0.001, 0.001]),
    ("revolute", 0, 0, "pi/2", 0, 0.63, [0, 0.566, 0.003], [0.003, 0.0004, 0]),
    ("revolute", 0, 0, "0", 0, 0.51, [0, 0, 1.554], [0.013, 0.013, 0.0003]),
)


def as_shipped():
    text = (
        'format = 1\nname = "shipped"\nphysical = "known-violation"\n'
        '[dh]\nconvention = "standard"\ninertia_at = "com"\n'
    )
    for joint, d, a, alpha, theta, mass, com, moments in SHIPPED_LINKS:
        own = f'theta = "{theta}"\n' if joint == "prismatic" else f"d = {d}\n"
        text += (
            f'[[dh.link]]\njoint = "{joint}"\n{own}a = {a}\nalpha = "{alpha}"\n'
            f"mass = {mass}\ncom = {com}\ninertia = {[*moments, 0, 0, 0]}\n"
        )
    return read_toml("shipped.toml", text=text)


PLANAR_STATE = [0.3, -0.7], [0.5, 1.1], [-0.4, 0.9]
STANFORD_STATE = (
    [0.1, -0.5, 0.6, 0.7, -0.3, 0.2],
    [0.5, -0.3, 0.2, 1.0, -0.8, 0.6],
    [1.0, 0.7, -0.5, 0.4, 0.9, -1.1],
)
HAND = Force(Vec3(0.1, 0.2, -0.3), Vec3(1.0, -2.0, 3.0))  # moment and force exerted by the hand, last frame
SHIPPED_TAU = [62.1593517758, 16.7376081, 55.9110439405, -0.81564293094, 7.68159448498, -0.000161071398657]

WITH_TOOL = [name for name, method in FORMULATIONS.items() if method.tool]


@pytest.fixture(scope="module")
def planar():
    return read_toml("planar.toml", text=PLANAR)


def agree(value, golden):
    np.testing.assert_allclose(np.array(value, float), golden, rtol=1e-10, atol=1e-12)


@pytest.mark.every("formulation")
def test_the_planar_arm_has_its_torques_and_their_three_parts(planar, formulation):
    ID, (q, qd, qdd) = FORMULATIONS[formulation].inverse_dynamics, PLANAR_STATE
    zeros, still = [0.0, 0.0], planar.weightless()
    agree(ID(planar, q, qd, qdd), [29.0837686523, 5.30317023267])
    agree(ID(planar, q, zeros, zeros), [28.8509924065, 5.4213650107])
    agree(ID(still, q, zeros, qdd), [-0.660109468763, -0.0215621249483])
    agree(ID(still, q, qd, zeros), [0.892885714511, -0.0966326530857])


@pytest.mark.every("formulation")
def test_the_planar_arm_has_its_mass_matrix_and_symbols(planar, formulation):
    ID, (q, qd, _) = FORMULATIONS[formulation].inverse_dynamics, PLANAR_STATE
    agree(strobing.mass_matrix(ID, planar, q), [[3.41181062474, 0.782905312371], [0.782905312371, 0.324]])
    C = strobing.christoffel(ID, planar, q)
    h = 0.386530612343
    agree([[C[j][k][0] for k in range(2)] for j in range(2)], [[0, h], [h, h]])
    agree([[C[j][k][1] for k in range(2)] for j in range(2)], [[-h, 0], [0, 0]])
    agree(decomposition.coriolis_matrix(planar, q, qd), [[h * 1.1, h * 1.6], [-h * 0.5, 0]])


@pytest.mark.every("formulation")
def test_the_stanford_arm_as_shipped_has_the_toolboxs_torques(formulation):
    agree(FORMULATIONS[formulation].inverse_dynamics(as_shipped(), *STANFORD_STATE), SHIPPED_TAU)


def test_the_arm_as_shipped_is_known_to_be_impossible():
    notes = [note.text for note in as_shipped().notes]
    assert any('link "link5"' in text for text in notes)


@pytest.mark.every("formulation", where=lambda method: method.tool)
def test_a_wrench_in_the_hand_adds_to_the_torques(planar, formulation):
    method = FORMULATIONS[formulation]
    agree(method.with_tool(planar, *PLANAR_STATE, HAND), [25.0098665904, 3.40317023267])
    golden = [1.69493459966, 6.43904251821, 55.9923228347, -0.35203877975, 0.926284901536, -0.300161071399]
    agree(method.with_tool(load_model("stanford-c"), *STANFORD_STATE, HAND), golden)


def test_five_formulations_know_a_tool():
    assert WITH_TOOL == [
        "newton-euler-base",
        "newton-euler-orin",
        "newton-euler",
        "newton-euler-hat",
        "modified-newton-euler",
    ]


@pytest.mark.every("formulation", where=lambda method: not method.tool)
def test_a_formulation_without_a_tool_says_which_have_one(planar, formulation):
    with pytest.raises(UnsupportedModelError) as caught:
        FORMULATIONS[formulation].with_tool(planar, *PLANAR_STATE, HAND)
    assert str(caught.value) == (
        f"{formulation} has no tool wrench; its paper leaves it out. Methods that have one: {', '.join(WITH_TOOL)}."
    )
