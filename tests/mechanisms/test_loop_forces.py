"""Forces in loops: the paper's value, virtual work through frame Jacobians, and NumPy's multipliers."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import strobe
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.mechanisms import loop_forces, uncoupled
from strobe.mechanisms.loop_forces import cut_open
from strobe.models.edits import add_frame, add_loop
from strobe.models.loops import CLOSURES
from strobe.models.model import Coupling, Curve
from strobe.models.random_robots import random_model

STATE = [0.6, -0.35], [0.9, -1.3], [1.5, -0.7]


def slow(model):
    return strobe.Robot(model, compiled=False)


def test_the_pin_of_the_parallelogram_carries_the_force_of_the_paper():
    robot = slow(strobe.load("parallelogram").model)
    opened, x = uncoupled(robot), robot.coordinates
    q, qd, qdd = (
        np.array(f(v)) for f, v in zip((x.expand, x.expand_rates, x.expand_rates), STATE, strict=True)
    )
    tau = opened.inverse_dynamics(q, qd, qdd, actuated=["a1", "b1"])
    assert tau[[0, 2]] == pytest.approx([25.836664607, 13.0327400329], rel=1e-11)
    found = loop_forces(opened, q, qd, qdd, tau)
    expected = [-51.9376565151, 0, -24.4312297141, 0, 0, 0]  # on link 4, by link 2
    assert found.wrenches["pin"] == pytest.approx(expected, abs=1e-9)
    assert opened.forward_dynamics(q, qd, tau) == pytest.approx(qdd, abs=1e-11)


def bound(kind):
    """A chain with enough joints for every kind, both of its bound frames off their links, and states of it."""
    model = random_model(7, 1, kinds="R")
    model = add_frame(model, "b", (-0.3, 0.1, 0.2), (-0.2, 0.9, 0.1), frame=model.bodies[-1].name)
    chain, first = slow(model), model.bodies[0].name
    q = chain.random_state(5)[0]
    seen = np.linalg.inv(chain.forward_kinematics(q, frame=first)) @ chain.forward_kinematics(q, frame="b")
    turn = Rotation.from_matrix(seen[:3, :3]).as_euler("xyz").tolist()
    far = np.array([0.7, 0.0, 0.0]) if kind == "distance" else np.zeros(3)
    model = add_frame(model, "a", (seen[:3, 3] + far).tolist(), turn, frame=first)
    robot = slow(add_loop(model, "a", "b", kind, 0.7 if kind == "distance" else 0.0, "loop"))
    rng = np.random.default_rng(0)
    places = robot.assemble(q + 0.1 * rng.standard_normal((3, 7)))
    return robot, places, robot.closed_velocities(places, rng.standard_normal((3, 7)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLOSURES)
def test_forces_and_moments_do_on_both_frames_what_the_multipliers_do_on_the_joints(kind):
    robot, q, qd = bound(kind)
    tau = np.random.default_rng(0).standard_normal(qd.shape)
    qdd = robot.forward_dynamics(q, qd, tau)
    found = loop_forces(robot, q, qd, qdd, tau)
    needed = cut_open(robot).inverse_dynamics(q, qd, qdd)
    wrench = found.wrenches["loop"]
    a, b = (robot.forward_kinematics(q, frame=name)[..., :3, 3] for name in "ab")
    on_a = -np.concatenate([wrench[:, :3], wrench[:, 3:] + np.cross(b - a, wrench[:, :3])], axis=-1)
    done = sum(
        np.einsum("bij,bi->bj", robot.jacobian(q, frame=name), load)
        for name, load in (("a", on_a), ("b", wrench))
    )
    assert done == pytest.approx(needed - tau, abs=1e-9 * np.abs(needed).max())
    assert found.undetermined == ()


def test_multipliers_are_those_of_the_whole_matrix_of_numpy():
    robot, (q, *_), (qd, *_) = bound("hinge")
    tau = np.random.default_rng(1).standard_normal(7)
    M, K = robot.mass_matrix(q), robot.loop_jacobian(q)
    whole = np.block([[M, -K.T], [K, np.zeros((5, 5))]])
    right = np.concatenate([tau - robot.bias(q, qd), -robot.loop_bias(q, qd)])
    expected = np.linalg.solve(whole, right)
    found = loop_forces(robot, q, qd, robot.forward_dynamics(q, qd, tau), tau)
    assert found.multipliers == pytest.approx(expected[7:], rel=1e-8)


def test_a_curve_transmits_a_torque():
    model = random_model(3, 1, kinds="R")
    first, second, _ = model.joint_names
    robot = slow(replace(model, curves=(Curve("cam", second, first, (0.1, 0.5, -0.2)),)))
    q, qd, qdd = robot.random_state(0)
    tau = robot.inverse_dynamics(q, qd, qdd, actuated=[first, robot.joint_names[2]])
    found = loop_forces(robot, q, qd, qdd, tau)
    assert found.torques["cam"] == pytest.approx(cut_open(robot).inverse_dynamics(q, qd, qdd)[1], rel=1e-10)


def test_what_the_motion_does_not_determine_is_named(bennett):
    robot = slow(bennett.model)
    found = loop_forces(robot, *robot.random_state(3))
    assert {loop for loop, _ in found.undetermined} == {"fourth"}
    plane = slow(strobe.load("fourbar").model)
    assert loop_forces(plane, *plane.random_state(3)).undetermined == (("pin", "place y"),)


def test_torques_that_do_not_belong_to_the_motion_are_refused():
    robot = slow(strobe.load("fourbar").model)
    q, qd, qdd = robot.random_state(4)
    with pytest.raises(
        ArgumentError, match=r'^tau does not give this motion: joint "\w+" has \S+ too much or too'
    ):
        loop_forces(robot, q, qd, qdd, np.zeros(3))
    with pytest.raises(ArgumentError, match="planar2 has no closed chain"):
        loop_forces(strobe.load("planar2"), [0, 0], [0, 0], [0, 0])


def test_couplings_that_hold_more_than_loops_are_not_opened():
    model = strobe.load("planar2").model
    first, second = model.joint_names
    with pytest.raises(
        UnsupportedModelError, match="the couplings of planar2 hold more than its loops would"
    ):
        uncoupled(slow(replace(model, couplings=(Coupling(second, {first: 2.0}),))))
