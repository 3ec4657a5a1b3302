"""Closed forms of the robots of the literature, and laws that hold term by term."""

import math

import numpy as np
import pytest

import strobe
from strobe.equations.closed_form import equations_of, predicted_terms, require_writable, terms
from strobe.errors import ArgumentError, EquationSizeError, UnsupportedModelError
from strobe.formulations import FORMULATIONS, composite_coriolis, strobing
from strobe.models.load import load_model
from strobe.models.toml_reader import read_toml
from strobe.scalars import cos, sin


def symbols(equations, names):
    return [equations.ring.variable(name) for name in names.split()]


def assert_equal(found, expected):
    """Nested lists of waves, entry by entry."""
    for x, y in zip(found, expected, strict=True):
        if isinstance(x, list):
            assert_equal(x, y)
        else:
            assert x.equals(y), (x.terms, y)


def planar2():
    e = equations_of(load_model("planar2"))
    return e, symbols(e, "m1 m2 I1 I2 l1 lc1 lc2 g Ir2"), e.q, e.qd


def test_planar2_is_the_arm_of_the_textbook():
    e, (m1, m2, I1, I2, l1, lc1, lc2, g, Ir2), (q1, q2), (qd1, qd2) = planar2()
    H11 = m1 * lc1 * lc1 + I1 + m2 * (l1 * l1 + lc2 * lc2 + 2 * l1 * lc2 * cos(q2)) + I2
    H12 = m2 * (lc2 * lc2 + l1 * lc2 * cos(q2)) + I2
    h = m2 * l1 * lc2 * sin(q2)
    G1 = m1 * lc1 * g * cos(q1) + m2 * g * (lc2 * cos(q1 + q2) + l1 * cos(q1))
    assert_equal(e.mass_matrix, [[H11, H12], [H12, m2 * lc2 * lc2 + I2 + Ir2]])
    assert_equal(e.velocity_torques, [-h * qd2 * qd2 - 2 * h * qd1 * qd2, h * qd1 * qd1])
    assert_equal(e.gravity, [G1, m2 * g * lc2 * cos(q1 + q2)])
    assert_equal(e.christoffel_symbols, [[[0 * h, -h], [-h, -h]], [[h, 0 * h], [0 * h, 0 * h]]])


def test_spherical3_is_the_arm_of_the_paper():
    e = equations_of(load_model("spherical3"))
    m2, m3, l2, g = symbols(e, "m2 m3 l2 g")
    Iz1, Ix2, Iy2, Iz2, Ix3, Iy3, Iz3 = symbols(e, "Iz1 Ix2 Iy2 Iz2 Ix3 Iy3 Iz3")
    (_, q2, r), (qd1, qd2, rd) = e.q, e.qd
    across = Iz2 + Iz3 + m2 * l2 * l2 + m3 * r * r
    E = across - Ix2 - Ix3
    c2, s2 = cos(q2), sin(q2)
    D11 = Iz1 + (Ix2 + Ix3) * s2 * s2 + across * c2 * c2
    zero = e.ring.constant(0)
    D22 = Iy2 + Iy3 + m2 * l2 * l2 + m3 * r * r
    assert_equal(e.mass_matrix, [[D11, zero, zero], [zero, D22, zero], [zero, zero, m3]])
    a, b = E * s2 * c2, m3 * r * c2 * c2
    C = [
        [b * rd - a * qd2, -a * qd1, b * qd1],
        [a * qd1, m3 * r * rd, m3 * r * qd2],
        [-b * qd1, -m3 * r * qd2, zero],
    ]
    assert_equal(e.coriolis_matrix, C)
    assert_equal(e.decomposition_matrix, C)
    assert_equal(e.gravity, [zero, (m2 * l2 + m3 * r) * g * c2, m3 * g * s2])


def test_pendulum3_is_the_pendulum_of_the_paper():
    e = equations_of(load_model("pendulum3"))
    l, a, b, m2, m3, g = symbols(e, "l a b m2 m3 g")
    Iz1, Ix2, Iy2, Iz2, Ix3, Iy3, Iz3 = symbols(e, "Iz1 Ix2 Iy2 Iz2 Ix3 Iy3 Iz3")
    _, q2, q3 = e.q
    s2, s23, c23 = sin(q2), sin(q2 + q3), cos(q2 + q3)
    out = l * s2 + b * s23
    D11 = Iz1 + (Ix2 + m2 * a * a) * s2 * s2 + Iz2 * cos(q2) * cos(q2)
    D11 = D11 + Ix3 * s23 * s23 + Iz3 * c23 * c23 + m3 * out * out
    D22 = Iy2 + m2 * a * a + Iy3 + m3 * (l * l + b * b + 2 * l * b * cos(q3))
    D23, D33 = Iy3 + m3 * (b * b + l * b * cos(q3)), Iy3 + m3 * b * b
    zero = e.ring.constant(0)
    assert_equal(e.mass_matrix, [[D11, zero, zero], [zero, D22, D23], [zero, D23, D33]])
    assert_equal(e.gravity, [zero, g * (m2 * a * s2 + m3 * out), g * m3 * b * s23])


def test_parallelogram_has_the_closed_form_of_its_two_independent_angles():
    e = equations_of(load_model("parallelogram"))
    m1, m2, m3, m4, l1, l3, lc1, lc2, lc3, lc4, g = symbols(e, "m1 m2 m3 m4 l1 l3 lc1 lc2 lc3 lc4 g")
    I1, I2, I3, I4 = symbols(e, "I1 I2 I3 I4")
    (q1, q2), (qd1, qd2) = e.q, e.qd
    K = m2 * l1 * lc2 + m4 * l3 * lc4
    D11 = I1 + m1 * lc1 * lc1 + m2 * l1 * l1 + I4 + m4 * lc4 * lc4
    D22 = I2 + m2 * lc2 * lc2 + I3 + m3 * lc3 * lc3 + m4 * l3 * l3
    across, zero = K * cos(q2 - q1), e.ring.constant(0)
    assert_equal(e.mass_matrix, [[D11, across], [across, D22]])
    assert_equal(e.coriolis_matrix, [[zero, -K * sin(q2 - q1) * qd2], [K * sin(q2 - q1) * qd1, zero]])
    G1, G2 = m1 * lc1 + m2 * l1 + m4 * lc4, m2 * lc2 + m3 * lc3 + m4 * l3
    assert_equal(e.gravity, [G1 * g * cos(q1), G2 * g * cos(q2)])


SIZES = {  # terms of M, C, G, τ
    "planar2": (15, 4, 4, 22),
    "planar3": (53, 32, 10, 85),
    "spherical3": (18, 27, 3, 39),
    "pendulum3": (31, 43, 4, 64),
    "parallelogram": (14, 4, 6, 24),
    "stanford": (1660, 8457, 66, 6723),
    "stanford-c": (1159, 6408, 46, 4972),
    "puma560": (2001, 11640, 49, 8774),
    "ur5": (1228, 4276, 52, 3851),
}


@pytest.mark.parametrize("robot", SIZES)
def test_the_number_of_terms_is_known(robot):
    e = equations_of(load_model(robot))
    found = (terms(e.mass_matrix), terms(e.coriolis_matrix), terms([e.gravity]), terms([e.torques]))
    assert found == SIZES[robot]


@pytest.mark.parametrize("robot", ["planar3", "spherical3", "stanford", "ur5"])
def test_torques_are_those_of_newton_and_euler_term_by_term(robot):
    e = equations_of(load_model(robot))
    tau = FORMULATIONS["spatial-newton-euler"].inverse_dynamics(e.model, e.q, e.qd, e.qdd)
    assert_equal(e.torques, [e.ring.lower(t) for t in tau])


@pytest.mark.parametrize("robot", ["planar3", "stanford"])
def test_both_coriolis_matrices_are_those_of_composite_bodies(robot):
    e = equations_of(load_model(robot))
    for form in ("christoffel", "decomposition"):
        C = composite_coriolis.coriolis_matrix(e.model, e.q, e.qd, form)
        assert_equal(e.coriolis(form), [[e.ring.lower(x) for x in row] for row in C])


def test_the_coriolis_matrix_strobed_from_a_formulation_has_the_same_terms():
    e = equations_of(load_model("pendulum3"))
    method = FORMULATIONS["lagrange-jacobian"].inverse_dynamics
    C = strobing.coriolis_matrix(method, e.model, e.q, e.qd)
    assert_equal(e.coriolis_matrix, [[e.ring.lower(x) for x in row] for row in C])


@pytest.mark.parametrize("robot", ["planar2", "stanford"])
def test_lagrange_s_equations_give_the_torques(robot):
    e = equations_of(load_model(robot))
    names, ring = range(1, e.n + 1), e.ring
    for i, tau in zip(names, e.torques, strict=True):
        momentum = e.kinetic_energy.derivative(f"qd{i}")
        rate = ring.total(
            [momentum.derivative(f"q{k}") * e.qd[k - 1] for k in names]
            + [momentum.derivative(f"qd{k}") * e.qdd[k - 1] for k in names]
        )
        assert tau.equals(rate - (e.kinetic_energy - e.potential_energy).derivative(f"q{i}"))


@pytest.mark.parametrize("name", ["puma560", "stanford", "parallelogram", "panda"])
def test_frames_are_where_the_robot_says(name):
    robot = strobe.Robot(load_model(name), compiled=False)
    e = equations_of(robot)
    q, qd, _ = robot.random_state(seed=3, batch=5)
    for frame in (None, robot.frames[1]):
        T = e.evaluate(e.forward_kinematics(frame), q)
        J = e.evaluate(e.jacobian(frame), q)
        assert np.allclose(T, robot.forward_kinematics(q, frame=frame or robot.frames[-1]), atol=1e-12)
        assert np.allclose(J, robot.jacobian(q, frame=frame or robot.frames[-1]), atol=1e-12)


@pytest.mark.parametrize("name", ["planar2", "parallelogram", "puma560"])
def test_energies_are_those_of_the_robot(name):
    robot = strobe.Robot(load_model(name), compiled=False)
    e = equations_of(robot)
    q, qd, _ = robot.random_state(seed=4, batch=5)
    found = e.evaluate([e.kinetic_energy, e.potential_energy], q, qd)
    assert np.allclose(found, robot.energy(q, qd), rtol=1e-12)


def test_the_linear_jacobian_is_the_derivative_of_the_position():
    e = equations_of(load_model("puma560"))
    T, J = e.forward_kinematics(), e.jacobian()
    for k in range(e.n):
        assert_equal([row[3].derivative(f"q{k + 1}") for row in T[:3]], [row[k] for row in J[:3]])


def test_viscous_friction_is_apart_from_the_torques():
    e = equations_of(load_model("planar2"))
    (v2,) = symbols(e, "v2")
    assert_equal(e.viscous_friction, [e.ring.constant(0), v2 * e.qd[1]])
    assert "v2" not in e.torques[1].variables()
    assert e.drives[1].forwards == pytest.approx(1.0)


def test_with_its_own_numbers_a_robot_has_no_parameters():
    e = equations_of(load_model("planar2"), numbers=True)
    assert e.parameters == {}
    assert e.mass_matrix[1][1].as_fraction() == pytest.approx(0.04575 + 0.05)
    assert e.mass_matrix[0][1].variables() == {"q2"}


def test_a_state_may_be_a_list_and_parameters_come_from_the_model():
    e = equations_of(load_model("planar2"))
    golden = load_model("planar2").golden[0]
    assert e.evaluate(e.gravity, golden["q"]) == pytest.approx(golden["G"], rel=1e-11)
    assert e.evaluate(e.velocity_torques, golden["q"], golden["qd"]) == pytest.approx(
        golden["h"], rel=1e-11
    )


def test_a_quaternion_is_refused_by_the_name_of_its_joint():
    text = '[joints]\n[[joints.link]]\nname = "ball"\nparent = "base"\njoint = "spherical"\nmass = 1\n'
    with pytest.raises(
        UnsupportedModelError, match='joint "ball" is spherical, and a rotation by a quaternion'
    ):
        equations_of(read_toml("ball.toml", text="format = 1\n" + text))


def test_a_robot_without_joints_has_no_equations():
    with pytest.raises(UnsupportedModelError, match="still has no joints: there are no equations"):
        equations_of(read_toml("still.toml", text="format = 1\n" + "[joints]\n"))


GEAR = """
[[couplings]]
joint = "joint2"
terms = {{ joint1 = {factor} }}
[axes]
[[axes.link]]
joint = "{first}"
mass = 1
com = [0.1, 0, 0]
[[axes.link]]
joint = "+Rz"
d = [0.3, 0, 0]
mass = 1
com = [0.2, 0, 0]
"""


def test_a_gear_of_an_integer_ratio_is_a_multiple_angle():
    e = equations_of(read_toml("gear.toml", text="format = 1\n" + GEAR.format(factor=2, first="+Rz")))
    m2, a2, c2x = symbols(e, "m2 a2 c2x")
    m1, c1x = symbols(e, "m1 c1x")
    turned = m2 * (a2 * a2 + 9 * c2x * c2x + 6 * a2 * c2x * cos(2 * e.q[0]))
    assert_equal(e.mass_matrix, [[m1 * c1x * c1x + turned]])


@pytest.mark.parametrize(("factor", "first"), [("0.5", "+Rz"), ("2", "+Tx")])
def test_a_gear_of_another_ratio_is_refused_by_the_name_of_its_joint(factor, first):
    model = read_toml("gear.toml", text="format = 1\n" + GEAR.format(factor=factor, first=first))
    with pytest.raises(
        UnsupportedModelError, match='joint "joint2" turns with "joint1", but not by an integer'
    ):
        equations_of(model)


def test_a_robot_of_which_only_the_geometry_is_known_has_frames_but_no_mass_matrix():
    e = equations_of(load_model("rx90"))
    assert e.forward_kinematics()[2][3].variables() == {"q2", "q3", "D3", "RL4"}
    with pytest.raises(UnsupportedModelError, match="rx90 has no dynamics: only its geometry is known"):
        _ = e.mass_matrix


def test_an_unknown_form_is_an_error():
    with pytest.raises(ArgumentError, match='form is "other"; expected one of christoffel, decomposition'):
        equations_of(load_model("planar2")).coriolis("other")


def test_too_many_terms_are_refused_before_they_are_worked_out():
    e = equations_of(load_model("panda"), most=50_000)
    with pytest.raises(EquationSizeError) as error:
        _ = e.mass_matrix
    assert str(error.value) == (
        "the mass matrix of panda would have about 124,104 terms, fully expanded; at most 50,000 are worked out. "
        "Use strobe.equations.readable.readable(robot), which names intermediate results, or the model's own numbers "
        "(numbers=True)."
    )
    e = equations_of(load_model("planar3"), most=100)
    with pytest.raises(
        EquationSizeError, match="the Coriolis matrix of planar3 would have about 159 terms"
    ):
        _ = e.torques


def test_more_terms_than_can_be_written_out_are_refused_by_their_number(monkeypatch):
    monkeypatch.setattr("strobe.equations.closed_form.WRITABLE", 80)
    e = equations_of(load_model("planar3"))
    assert (terms(e.mass_matrix), terms(e.coriolis_matrix)) == (53, 32)
    require_writable(e, ("M", "G"))
    for asked in (("C",), ("tau",), ("M", "C", "G")):
        with pytest.raises(EquationSizeError) as error:
            require_writable(e, asked)
        assert str(error.value).startswith(
            "the equations of planar3 would have about 85 terms, fully expanded; at most 80 are worked out. Use "
        )


def test_work_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("strobe.equations.closed_form.WORK", 100)
    e = equations_of(load_model("stanford"))
    for quantity, ask in (
        ("the potential energy", lambda: e.potential_energy),
        ("the mass matrix", lambda: e.mass_matrix),
        ("the forward kinematics", e.forward_kinematics),
        ("the Jacobian", e.jacobian),
    ):
        with pytest.raises(EquationSizeError, match=f"{quantity} of stanford would have more terms than"):
            ask()
    assert e.ring.budget == math.inf


@pytest.mark.slow
def test_a_robot_too_large_to_predict_is_refused_and_has_equations_with_numbers():
    model = load_model("random(6,1)")
    with pytest.raises(EquationSizeError, match="would have more terms than can be predicted"):
        _ = equations_of(model).mass_matrix
    assert terms(equations_of(model, numbers=True).mass_matrix) == 109


@pytest.mark.parametrize("robot", ["puma560", "stanford", "biped10", "stanford-c", "ur5"])
def test_the_predicted_size_is_right_within_a_factor_of_three(robot):
    e = equations_of(load_model(robot))
    ratio = terms(e.mass_matrix) / predicted_terms(e)
    assert 1 / 3 < ratio < 3


def test_equations_introduce_themselves():
    assert repr(equations_of(load_model("planar2"))) == (
        "<equations of planar2: 2 degrees of freedom, 12 named parameters>"
    )
    assert repr(equations_of(load_model("planar2"), numbers=True)).endswith("freedom, its own numbers>")
