"""Every robot on every base: one law of motion, compiled as interpreted; and quaternions that are no orientation."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import strobe
from strobe.cli.app import app
from strobe.equations.closed_form import equations_of
from strobe.equations.readable import readable
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.models.bases import change_base, mobility
from strobe.models.edits import attach_payload
from strobe.models.library import built_in_names
from strobe.models.load import load_model
from strobe.models.toml_reader import read_toml
from strobe.robot import Robot

DYNAMIC = [name for name in built_in_names() if not load_model(name).kinematic_only]
MOVING = ("translating", "floating")
CALLS = {
    "inverse_dynamics": lambda r, q, qd, x: r.inverse_dynamics(q, qd, x),
    "forward_dynamics": lambda r, q, qd, x: r.forward_dynamics(q, qd, x),
    "mass_matrix": lambda r, q, qd, x: r.mass_matrix(q),
    "coriolis_matrix": lambda r, q, qd, x: r.coriolis_matrix(q, qd),
    "gravity": lambda r, q, qd, x: r.gravity(q),
    "bias": lambda r, q, qd, x: r.bias(q, qd),
    "energy": lambda r, q, qd, x: r.energy(q, qd),
    "momentum": lambda r, q, qd, x: r.momentum(q, qd),
    "center_of_mass": lambda r, q, qd, x: r.center_of_mass(q),
    "centroidal_momentum_matrix": lambda r, q, qd, x: r.centroidal_momentum_matrix(q),
    "centroidal_momentum_matrix_dot": lambda r, q, qd, x: r.centroidal_momentum_matrix_dot(q, qd),
    "centroidal_momentum_bias": lambda r, q, qd, x: r.centroidal_momentum_bias(q, qd),
    "joint_wrenches": lambda r, q, qd, x: r.joint_wrenches(q, qd, x),
    "forward_kinematics": lambda r, q, qd, x: r.forward_kinematics(q)[..., :3, :],
    "jacobian": lambda r, q, qd, x: r.jacobian(q),
    "integrate": lambda r, q, qd, x: r.integrate(q, qd, 0.1),
    "difference": lambda r, q, qd, x: r.difference(q, r.neutral),
}


def along(matrix, rates):
    return np.einsum("...ij,...j->...i", matrix, rates)


def close(found, expected, tolerance=1e-11):
    return np.abs(found - expected).max() <= tolerance * max(1.0, np.abs(expected).max())


def cart(base):
    """A planar arm on a cart of its own mass."""
    heavy = attach_payload(load_model("planar2"), 3.0, (0.1, 0.0, 0.2), frame="base", size=0.5)
    return change_base(heavy, base)


# -- dynamics -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("base", MOVING)
@pytest.mark.parametrize("name", DYNAMIC)
def test_every_built_in_robot_has_one_law_of_motion_on_a_base_that_moves(name, base):
    robot = Robot(change_base(load_model(name), base), compiled=False)
    q, qd, qdd = robot.random_state(1, batch=2)
    M, bias = robot.mass_matrix(q), robot.bias(q, qd)
    assert close(along(robot.coriolis_matrix(q, qd), qd) + robot.gravity(q), bias)
    assert close(along(robot.centroidal_momentum_matrix(q), qd), robot.momentum(q, qd))
    assert close(0.5 * np.einsum("...i,...ij,...j", qd, M, qd), robot.energy(q, qd)[..., 0])
    if not robot.model.is_closed:
        assert close(robot.inverse_dynamics(q, qd, qdd, friction=False), along(M, qdd) + bias)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "names"), [("floating", CALLS), ("translating", ["forward_dynamics", "coriolis_matrix"])]
)
def test_quantities_are_compiled_as_they_are_interpreted(base, names):
    compiled, interpreted = Robot(cart(base)), Robot(cart(base), compiled=False)
    state = compiled.random_state(2, batch=3)
    for name in names:
        assert close(CALLS[name](compiled, *state), CALLS[name](interpreted, *state)), name


@pytest.mark.parametrize("base", MOVING)
def test_a_robot_that_is_let_go_falls_as_one(base):
    robot = Robot(cart(base), compiled=False)
    q, *_ = robot.random_state(3)
    falls = robot.forward_dynamics(q, np.zeros(robot.nv), np.zeros(robot.nv))
    changes = robot.centroidal_momentum_matrix(q) @ falls
    mass = sum(float(body.inertial.m) for body in robot.model.bodies)
    assert changes == pytest.approx([0, -9.81 * mass, 0, 0, 0, 0], abs=1e-9)


def test_the_base_a_file_asks_for_is_the_one_it_gets():
    text = 'format = 1\n[base]\ntype = "{}"\nmass = 2\n[axes]\n[[axes.link]]\njoint = "+Rz"\nmass = 1\n'
    for base, joints in {"fixed": 1, "translating": 4, "floating": 2}.items():
        model = read_toml("arm.toml", text=text.format(base))
        assert (mobility(model)[0], len(model.bodies)) == (base, joints)


def test_a_base_of_another_kind_is_refused_with_the_kinds_there_are():
    with pytest.raises(ArgumentError, match=r"^base is 'flying'; choose fixed, translating or floating\.$"):
        strobe.load("planar2", base="flying")


def test_the_command_line_puts_a_robot_on_another_base():
    shown = CliRunner().invoke(app, ["torque", "pendulum3", "--base", "translating", "--json"])
    assert shown.exit_code == 0
    assert json.loads(shown.stdout)["tau"] == pytest.approx([0, 0, 44.145, 0, 0, 0])


# -- equations ----------------------------------------------------------------------------------------


def test_the_equations_on_a_translating_base_are_in_blocks():
    e = equations_of(strobe.load("pendulum3", base="translating"))
    m1, m2, m3, g = (e.ring.variable(name) for name in ("m1", "m2", "m3", "g"))
    for i in range(3):
        for j in range(3):
            assert e.mass_matrix[i][j].equals(m1 + m2 + m3 if i == j else e.ring.constant(0))
        assert all(row[i].is_zero() for row in e.coriolis_matrix)
    assert e.gravity[2].equals((m1 + m2 + m3) * g)
    assert "  M11 = M22 = M33 = m1 + m2 + m3\n" in str(e)


@pytest.mark.parametrize("make", [equations_of, readable])
def test_a_floating_base_has_no_equations_and_the_sentence_says_what_has(make):
    with pytest.raises(UnsupportedModelError) as error:
        make(strobe.load("pendulum3", base="floating"))
    told = str(error.value)
    assert told.startswith('pendulum3: joint "base" is floating')
    assert (
        "Put the robot on a fixed or translating base, or describe it by sliding and turning joints" in told
    )


# -- quaternions of another length than one -----------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("size", "told"), [(0.0, "zero"), (1e-200, "zero"), (0.7, "0.7"), (1.0015, "1.0015")]
)
def test_a_quaternion_that_is_no_orientation_is_refused_by_its_row(compiled, size, told):
    robot = Robot(cart("floating"), compiled)
    q, qd, x = robot.random_state(4, batch=3)
    sound = {name: call(robot, q, qd, x) for name, call in CALLS.items()}
    off = q.copy()
    off[1, 3:7] *= size
    for name, call in CALLS.items():
        for again in range(2):
            for _ in range(2 * again):  # from the second call on a builtin answers
                call(robot, q, qd, x)
                call(robot, q[0], qd[0], x[0])
            with pytest.raises(
                ArgumentError, match=rf'^q0?\[1\] has a quaternion of length {told} in joint "base"'
            ):
                call(robot, off, qd, x)
            with pytest.raises(
                ArgumentError, match=rf'^q0? has a quaternion of length {told} in joint "base"'
            ):
                call(robot, off[1], qd[1], x[1])
        assert np.array_equal(call(robot, q, qd, x), sound[name])


@pytest.mark.parametrize("compiled", [True, False])
def test_what_is_not_a_number_passes_and_rounded_orientations_are_taken(compiled):
    robot = Robot(cart("floating"), compiled)
    q, qd, x = robot.random_state(4, batch=3)
    q[1, 4] = np.nan
    q[2, 3:7] *= 1.0009
    for _ in range(3):
        tau = robot.inverse_dynamics(q, qd, x)
        assert np.isnan(tau[1]).any()
        assert np.isfinite(tau[[0, 2]]).all()


ZERO = "0,0,0,0,0,0,0,0.1,0.2"


@pytest.mark.parametrize("verb", ["torque", "explain", "draw", "simulate"])
def test_the_command_line_refuses_a_quaternion_of_length_zero_by_its_joint(verb):
    shown = CliRunner().invoke(app, [verb, "planar2", "--base", "floating", "--q", ZERO])
    assert shown.exit_code == 2
    assert (
        '--q has a quaternion of length zero in joint "base"; expected w, x, y, z of an orientation, such as '
        "1, 0, 0, 0." in shown.output
    )


def test_torques_are_not_explained_where_a_quaternion_is_none():
    robot = Robot(cart("floating"), compiled=False)
    q = robot.neutral.copy()
    q[3] = 0.0
    with pytest.raises(ArgumentError, match='^q has a quaternion of length zero in joint "base"'):
        robot.explain(q, np.zeros(robot.nv), np.zeros(robot.nv))
