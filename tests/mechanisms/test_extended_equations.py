"""The block form in symbols: the values of the block form in numbers, and of the equations on a translating base."""

import numpy as np
import pytest

import strobe
from strobe.equations.closed_form import equations_of
from strobe.errors import EquationSizeError, UnsupportedModelError
from strobe.mechanisms import block_equations, block_form
from strobe.models.load import load_model
from strobe.models.toml_reader import read_toml
from strobe.scalars import cos, sin


def robot_of(text):
    return strobe.Robot(read_toml("arm.toml", text="format = 1\n" + text), compiled=False)


def test_the_blocks_of_planar2_are_those_one_writes_down_by_hand():
    e = block_equations(strobe.load("planar2"))
    m1, m2, l1, lc1, lc2, g = (e.joints.ring.variable(x) for x in ("m1", "m2", "l1", "lc1", "lc2", "g"))
    (q1, q2), (r1, r2) = e.joints.q, e.joints.qd
    near, far = m1 * lc1 + m2 * l1, m2 * lc2
    A = [
        [-near * sin(q1) - far * sin(q1 + q2), -far * sin(q1 + q2)],
        [near * cos(q1) + far * cos(q1 + q2), far * cos(q1 + q2)],
    ]
    B22 = -far * sin(q1 + q2) * (r1 + r2)
    assert all(
        x.equals(y) for row, wanted in zip(e.A, A, strict=False) for x, y in zip(row, wanted, strict=True)
    )
    assert e.B[1][1].equals(B22)
    assert e.mass.equals(m1 + m2)
    assert e.weight[1].equals((m1 + m2) * g)
    assert all(x.is_zero() for x in (*e.A[2], *e.B[2], e.weight[0], e.weight[2]))


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("name", ["pendulum3", "planar2", "parallelogram", "spherical3", "puma560"])
def test_their_values_are_those_of_the_block_form_in_numbers(name, numbers):
    robot = strobe.Robot(load_model(name), compiled=False)
    e = block_equations(robot, numbers)
    q, qd, _ = robot.random_state(1, batch=3)
    found = block_form(robot, q, qd)
    for quantity in ("mass_matrix", "coriolis_matrix", "gravity"):
        expected = getattr(found, quantity)
        assert e.evaluate(getattr(e, quantity), q, qd) == pytest.approx(
            expected, abs=1e-12 * np.abs(expected).max()
        )


def test_they_are_blocks_of_the_equations_on_a_translating_base_term_by_term():
    e = block_equations(strobe.load("pendulum3"))
    there = equations_of(strobe.load("pendulum3", base="translating"))
    q, qd = [0.3, 0.5, -0.2], [0.7, 0.1, 0.4]
    for ours, theirs in ((e.mass_matrix, there.mass_matrix), (e.coriolis_matrix, there.coriolis_matrix)):
        assert [[len(x) for x in row] for row in ours] == [[len(x) for x in row] for row in theirs]
        at = there.evaluate(theirs, [9.0, 8.0, 7.0, *q], [6.0, 5.0, 4.0, *qd])
        assert e.evaluate(ours, q, qd) == pytest.approx(at, abs=1e-15)


def test_a_base_with_mass_has_a_name_for_it():
    arm = robot_of(
        '[base]\nname = "cart"\nmass = 7\n[axes]\n[[axes.link]]\njoint = "+Rz"\nmass = 1\ncom = [0.5, 0, 0]\n'
    )
    e = block_equations(arm)
    assert e.mass.equals(e.joints.ring.variable("m0") + e.joints.ring.variable("m1"))
    text = str(e)
    assert "  Mt = m0 + m1\n" in text
    assert '  m0      7 kg    mass of link "cart"\n' in text
    assert "Mt = 8\n" in str(block_equations(arm, numbers=True))


def test_text_shows_the_blocks_and_how_they_are_put_together():
    lines = str(block_equations(strobe.load("planar2"))).splitlines()
    assert "  Mt = m1 + m2" in lines
    assert "  W2 = Mt g" in lines
    assert (
        "  q_e = (x0, y0, z0, q):  D_e = [[Mt 1, A], [Aᵀ, M]],  C_e = [[0, B], [0, C]],  G_e = [W, G]."
        in lines
    )
    assert "  A12 = −m2 lc2 sin(q1 + q2)" in lines
    assert "  B22 = −m2 lc2 sin(q1 + q2) (q̇1 + q̇2)" in lines
    assert "  C21 = h q̇1" in lines


def test_a_notebook_shows_them_unless_they_would_fill_pages():
    shown = block_equations(strobe.load("planar2"))._repr_latex_()
    assert shown is not None
    assert shown.startswith("$$D_e = \\begin{pmatrix} M_t 1 & A")
    assert r"A_{12} &= -m_{2} \, \ell_{c2} \, \sin(q_{1} + q_{2})" in shown
    assert r"W_{2} &= M_{t} \, g" in shown
    assert block_equations(strobe.load("puma560"))._repr_latex_() is None


def test_a_parameter_that_is_called_like_a_block_is_written_otherwise():
    arm = robot_of(
        '[parameters]\nA11 = 2\nW_1 = 0.5\nMt = 3\n[axes]\n[[axes.link]]\njoint = "+Rz"\nmass = "A11"\n'
        'com = ["W_1", 0, 0]\n[[axes.link]]\njoint = "+Tx"\nmass = "Mt"\n'
    )
    assert set(block_equations(arm).joints.parameters) >= {"A11_p", "W_1_p", "Mt_p"}


@pytest.mark.slow
def test_what_has_no_closed_form_is_refused_with_the_reason():
    ball = robot_of(
        '[joints]\n[[joints.link]]\nname = "ball"\nparent = "base"\njoint = "spherical"\nmass = 1\n'
    )
    with pytest.raises(
        UnsupportedModelError, match='joint "ball" is spherical, and a rotation by a quaternion'
    ):
        block_equations(ball)
    with pytest.raises(UnsupportedModelError, match="pendulum3 stands on a floating base, which its own"):
        block_equations(strobe.load("pendulum3", base="floating"))
    with pytest.raises(EquationSizeError, match="the mass matrix of random"):
        str(block_equations(strobe.random(12)))


def test_their_short_form_says_what_they_are():
    found = repr(block_equations(strobe.load("planar2"), numbers=True))
    assert found == "<extended equations of planar2: 2 degrees of freedom, its own numbers>"
