"""Conditions of closed chains: what they measure, and derivatives exact off the closed positions too."""

from dataclasses import replace

import numpy as np
import pytest

from strobe.formulations.loop_constraints import closures, facing, residuals
from strobe.models.couplings import coordinates
from strobe.models.edits import add_frame
from strobe.models.loops import CLOSURES, add_loop, conditions
from strobe.models.model import Coupling, Curve, Loop
from strobe.models.random_robots import random_model
from strobe.models.random_states import random_positions
from strobe.robot import Robot
from strobe.scalars import DualSystem
from strobe.scalars.precise import PreciseSystem

KINDS = [*CLOSURES]
JOINTS = [("R", False), ("RP", True), ("RPSF", True), ("FS", True)]


def bound(kind, kinds="RPSF", tree=True, seed=3, to_base=False, carrier=0):
    """A random robot of which two frames that stand off their links are bound, near each other only by chance."""
    model = random_model(6, seed, kinds=kinds, tree=tree)
    tip, other = model.bodies[-1].name, model.base_name if to_base else model.bodies[carrier].name
    model = add_frame(model, "a", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), frame=other)
    model = add_frame(model, "b", (-0.3, 0.1, 0.2), (-0.2, 0.9, 0.1), frame=tip)
    return add_loop(model, "a", "b", kind, 0.7 if kind == "distance" else 0.0)


def state(model, seed=0):
    """A random position, in which the loop is open, and a velocity."""
    robot, rng = Robot(model, compiled=False), np.random.default_rng(seed)
    return random_positions(robot.coordinates, rng, ()).tolist(), rng.standard_normal(robot.nv).tolist()


def along(model, q, qd):
    """q as numbers that move with qd."""
    system = DualSystem()
    rates = coordinates(model).position_rates(q, qd)
    return system, [system.seed(x, rate) for x, rate in zip(q, rates, strict=True)]


def rates(system, values):
    return np.array([float(system.lower(x).tangent) for x in values])


@pytest.mark.parametrize(("kinds", "tree"), JOINTS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_rate_of_every_condition_is_its_row_times_the_velocity(kind, kinds, tree):
    model = bound(kind, kinds, tree)
    q, qd = state(model)
    found = closures(model.proximal(), q, qd)
    system, moving = along(model, q, qd)
    expected = rates(system, residuals(model.proximal(), moving))
    assert np.array(found.J) @ qd == pytest.approx(expected, abs=1e-12)
    assert found.residuals == pytest.approx(residuals(model.proximal(), q), abs=1e-14)
    assert np.abs(found.residuals).max() > 1e-3  # far from closed


@pytest.mark.parametrize(("kinds", "tree"), JOINTS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_bias_is_the_rate_of_the_rows_times_the_velocity(kind, kinds, tree):
    model = bound(kind, kinds, tree)
    q, qd = state(model, 1)
    system, moving = along(model, q, qd)
    rows = closures(model.proximal(), moving, qd).J
    expected = np.array([rates(system, row) for row in rows]) @ qd
    assert closures(model.proximal(), q, qd).bias == pytest.approx(
        expected, abs=1e-11 * (1 + np.abs(expected).max())
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_bias_knows_that_the_link_of_frame_a_turns_about_several_axes(kind):
    model = bound(kind, "R", tree=False, carrier=3)
    q, qd = state(model, 1)
    system, moving = along(model, q, qd)
    rows = closures(model.proximal(), moving, qd).J
    expected = np.array([rates(system, row) for row in rows]) @ qd
    assert closures(model.proximal(), q, qd).bias == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_conditions_against_the_base_have_the_same_derivatives(kind):
    model = bound(kind, "RSP", tree=False, to_base=True)
    q, qd = state(model, 2)
    system, moving = along(model, q, qd)
    found = closures(model.proximal(), q, qd)
    assert np.array(found.J) @ qd == pytest.approx(
        rates(system, residuals(model.proximal(), moving)), abs=1e-12
    )


@pytest.mark.parametrize("kind", KINDS)
def test_conditions_are_what_two_frames_keep_of_each_other(kind):
    model = bound(kind)
    robot = Robot(model, compiled=False)
    q = np.array(state(model, 4)[0])
    a, b = (robot.forward_kinematics(q, frame=name) for name in "ab")
    seen = np.linalg.inv(a) @ b
    R, p, made = seen[:3, :3], seen[:3, 3], CLOSURES[kind]
    turn = (
        R[:2, 2]
        if len(made.turn) == 2
        else 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    )
    expected = [
        *p[list(made.place)],
        *(turn if made.turn else []),
        *([(p @ p - 0.49) / 1.4] if made.distance else []),
    ]
    assert robot.loop_residuals(q) == pytest.approx(expected, abs=1e-14)
    cosine = {0: 1.0, 2: R[2, 2], 3: (np.trace(R) - 1) / 2}[len(made.turn)]
    assert robot.loop_facing(q) == pytest.approx([cosine], abs=1e-14)


def test_couplings_are_followed_by_the_joints_that_they_move():
    model = bound("full", "R", tree=False)
    first, *_, last = model.joint_names
    model = replace(model, couplings=(Coupling(last, {first: -1.5}, 0.2),))
    robot = Robot(model, compiled=False)
    q, qd = map(np.array, state(model, 5))
    h = 1e-6
    expected = (robot.loop_residuals(q + h * qd) - robot.loop_residuals(q - h * qd)) / (2 * h)
    assert robot.loop_jacobian(q).shape == (6, robot.nv) == (6, 5)
    assert robot.loop_jacobian(q) @ qd == pytest.approx(expected, abs=1e-8)
    second = (
        robot.loop_residuals(q + 1e-4 * qd)
        - 2 * robot.loop_residuals(q)
        + robot.loop_residuals(q - 1e-4 * qd)
    ) / 1e-8
    assert robot.loop_bias(q, qd) == pytest.approx(second, abs=1e-6)


def test_a_curve_holds_a_joint_on_a_polynomial_of_another():
    model = random_model(3, 1, kinds="R")
    a, b, _ = model.joint_names
    model = replace(model, curves=(Curve("cam", b, a, (0.1, -0.4, 0.3, 0.05)),))
    q, qd = [0.7, 0.2, 0.4], [1.1, -0.6, 0.3]
    found = closures(model, q, qd)
    x = 0.7
    slope, bend = -0.4 + 0.6 * x + 0.15 * x * x, 0.6 + 0.3 * x
    assert found.residuals == pytest.approx([0.2 - (0.1 - 0.4 * x + 0.3 * x * x + 0.05 * x**3)], abs=1e-15)
    assert [pytest.approx([-slope, 1.0, 0.0], abs=1e-15)] == found.J
    assert found.bias == pytest.approx([-bend * 1.1**2], abs=1e-14)
    assert conditions(model) == [("cam", "curve")]


def test_a_loop_of_which_some_conditions_count_has_these_alone():
    model = bound("full")
    q, qd = state(model)
    whole = closures(model.proximal(), q, qd)
    some = replace(model, loops=(replace(model.loops[0], rows=(0, 4)),))
    found = closures(some.proximal(), q, qd)
    assert found.residuals == [whole.residuals[0], whole.residuals[4]]
    assert [whole.J[0], whole.J[4]] == found.J
    assert found.bias == [whole.bias[0], whole.bias[4]]
    assert conditions(some) == [("a_to_b", "place x"), ("a_to_b", "turn y")]


def test_a_loop_that_couplings_hold_has_no_condition():
    model = bound("point")
    held = replace(model, loops=(replace(model.loops[0], held=True), Loop("other", "a", "b", "plane")))
    q, qd = state(model)
    assert len(closures(held.proximal(), q, qd).J) == 1 == len(facing(held.proximal(), q))


def test_fifty_digits_agree_with_sixteen():
    model = bound("full", "RSF")
    q, qd = state(model)
    system = PreciseSystem()
    sharp = closures(
        model.lift(system).proximal(), [system.exact(x) for x in q], [system.exact(x) for x in qd]
    )
    ours = closures(model.proximal(), q, qd)
    for mine, theirs in ((ours.residuals, sharp.residuals), (ours.bias, sharp.bias)):
        truth = np.array([float(system.lower(x)) for x in theirs])
        assert np.abs(np.array(mine) - truth).max() < 1e-13 * (1 + np.abs(truth).max())
