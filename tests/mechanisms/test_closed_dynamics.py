"""Laws of closed chains: forward after inverse dynamics, NumPy's whole matrix, projections, batches and precision."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.errors import OpenLoopError, UnsupportedModelError
from strobe.mechanisms.loop_forces import cut_open
from strobe.models.edits import add_frame, add_loop, scale
from strobe.models.model import Curve
from strobe.models.random_robots import random_model

BUILT_IN = ["fourbar", "slider-crank", "fivebar", "delta"]


def cam():
    """A joint held on a curve over another, in a tree."""
    model = random_model(4, 2, kinds="R", tree=True)
    first, second, *_ = model.joint_names
    return replace(model, curves=(Curve("cam", second, first, (0.1, 0.5, -0.2)),))


def standing():
    """A random tree with a floating joint, one of its links held in space."""
    model = random_model(4, 6, kinds="FRR", tree=True)
    model = add_frame(model, "hand", (0.1, 0.2, 0.3), (0.3, 0.2, 0.1), frame=model.bodies[2].name)
    model = add_frame(model, "wall", (0.2, 0.1, 0.4), (0.1, -0.4, 0.2), frame=model.base_name)
    return add_loop(model, "wall", "hand", "full")


ROBOTS = {
    **{name: (lambda name=name: strobe.load(name).model) for name in BUILT_IN},
    "cam": cam,
    "standing": standing,
}


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    return strobe.Robot(ROBOTS[request.param](), compiled=False)


def products(A, x):
    return np.einsum("...ij,...j->...i", A, x)


def relative(ours, expected):
    return np.abs(ours - expected).max() / np.abs(expected).max()


@pytest.mark.slow
def test_random_states_are_states_that_exist(robot):
    q, qd, qdd = robot.random_state(1, batch=(3, 4))
    K, bias = robot.loop_jacobian(q), robot.loop_bias(q, qd)
    assert q.shape == (3, 4, robot.nq)
    assert np.abs(robot.loop_residuals(q)).max() < 1e-12
    assert np.abs(products(K, qd)).max() < 1e-12
    assert np.abs(products(K, qdd) + bias).max() < 1e-11 * (1 + np.abs(bias).max())
    assert (robot.loop_facing(q) > 0.99).all()


@pytest.mark.slow
def test_accelerations_are_those_of_the_whole_matrix_of_numpy(robot):
    q, qd, _ = robot.random_state(2, batch=6)
    tau = np.random.default_rng(0).standard_normal(qd.shape)
    M, K = robot.mass_matrix(q), robot.loop_jacobian(q)
    n, rows = robot.nv, K.shape[-2]
    whole = np.block([[M, -np.swapaxes(K, -1, -2)], [K, np.zeros((len(q), rows, rows))]])
    right = np.concatenate(
        [tau - robot.bias(q, qd) - friction(robot, qd), -robot.loop_bias(q, qd)], axis=-1
    )
    expected = (np.linalg.pinv(whole, rcond=1e-10) @ right[..., None])[..., :n, 0]
    assert relative(robot.forward_dynamics(q, qd, tau), expected) < 1e-9


def friction(robot, qd):
    still = np.zeros_like(qd)
    q = np.broadcast_to(robot.random_state(0)[0], (*qd.shape[:-1], robot.nq))
    tree = cut_open(robot)
    return tree.inverse_dynamics(q, qd, still) - tree.inverse_dynamics(q, qd, still, friction=False)


@pytest.mark.slow
def test_forward_dynamics_undoes_inverse_dynamics():
    for name in BUILT_IN:
        robot = strobe.Robot(strobe.load(name).model, compiled=False)
        q, qd, qdd = robot.random_state(3, batch=10)
        tau = robot.inverse_dynamics(q, qd, qdd)
        passive = [k for k, joint in enumerate(robot.joint_names) if joint not in robot.model.actuated]
        assert not tau[
            :, [j.v for j in robot.coordinates.joints if j.name not in robot.model.actuated]
        ].any()
        assert passive
        assert relative(robot.forward_dynamics(q, qd, tau), qdd) < 1e-10


def test_torques_at_other_joints_give_the_same_motion():
    robot = strobe.Robot(strobe.load("fourbar").model, compiled=False)
    q, qd, qdd = robot.random_state(4, batch=10)
    for joint in robot.joint_names:
        tau = robot.inverse_dynamics(q, qd, qdd, actuated=[joint])
        assert relative(robot.forward_dynamics(q, qd, tau), qdd) < 1e-9
        power = np.einsum("bj,bj->b", tau, qd)
        expected = np.einsum("bj,bj->b", robot.inverse_dynamics(q, qd, qdd), qd)
        assert power == pytest.approx(expected, rel=1e-9, abs=1e-9)  # loops do no work


def test_given_accelerations_and_torques_complete_each_other():
    robot = strobe.Robot(strobe.load("fivebar").model, compiled=False)
    q, qd, qdd = robot.random_state(5, batch=8)
    tau = robot.inverse_dynamics(q, qd, qdd)
    both = robot.hybrid_dynamics(q, qd, np.where([True, False, True, False], qdd, tau), ["a1", "b1"])
    mixed = robot.hybrid_dynamics(q, qd, np.where([True, False, False, False], qdd, tau), ["a1"])
    for found_tau, found_qdd in (both, mixed):
        assert relative(found_tau, tau) < 1e-9
        assert relative(found_qdd, qdd) < 1e-9


def test_accelerations_that_contradict_the_loops_give_no_number():
    robot = strobe.Robot(strobe.load("fourbar").model, compiled=False)
    q, qd, qdd = robot.random_state(6)
    tau, found = robot.hybrid_dynamics(q, qd, qdd, ["crank", "rocker"])
    assert found == pytest.approx(qdd, rel=1e-9)
    assert np.isfinite(tau).all()
    tau, found = robot.hybrid_dynamics(q, qd, qdd + np.array([0.0, 0.0, 0.1]), ["crank", "rocker"])
    assert np.isnan(found).all()
    assert np.isnan(tau).all()


def test_projections_are_the_nearest_in_the_metric_of_the_mass_matrix_and_do_nothing_twice(robot):
    q, qd, _ = robot.random_state(7, batch=5)
    v = np.random.default_rng(1).standard_normal(qd.shape)
    found = robot.closed_velocities(q, v)
    assert robot.closed_velocities(q, found) == pytest.approx(found, abs=1e-11)
    assert robot.closed_velocities(q, qd) == pytest.approx(qd, abs=1e-11)
    moved = products(robot.mass_matrix(q), found - v)  # normal to everything that is allowed
    for allowed in (qd, found):
        assert np.einsum("bj,bj->b", moved, allowed) == pytest.approx(0, abs=1e-10 * np.abs(moved).max())
    accelerations = robot.closed_accelerations(q, qd, v)
    assert robot.closed_accelerations(q, qd, accelerations) == pytest.approx(
        accelerations, rel=1e-9, abs=1e-10
    )


@pytest.mark.slow
def test_compiled_and_interpreted_batches_and_single_states_agree():
    model = strobe.load("fivebar").model
    fast, slow = strobe.Robot(model), strobe.Robot(model, compiled=False)
    q, qd, qdd = slow.random_state(8, batch=(2, 9))
    tau = slow.inverse_dynamics(q, qd, qdd)
    assert relative(fast.inverse_dynamics(q, qd, qdd), tau) < 1e-11
    assert relative(fast.forward_dynamics(q, qd, tau), qdd) < 1e-9
    assert relative(fast.closed_velocities(q, tau), slow.closed_velocities(q, tau)) < 1e-11
    assert relative(fast.forward_dynamics(q[1, 3], qd[1, 3], tau[1, 3]), qdd[1, 3]) < 1e-9


def test_single_precision_states_give_single_precision_results():
    robot = strobe.Robot(strobe.load("fourbar").model, compiled=False)
    q, qd, qdd = robot.random_state(9, batch=4)
    q, qd, qdd = (x.astype(np.float32) for x in (q, qd, qdd))
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert tau.dtype == np.float32
    found = robot.forward_dynamics(q, qd, tau)
    assert found.dtype == np.float32
    assert relative(found, qdd) < 1e-3


def test_states_that_do_not_exist_are_refused_with_the_loop_and_a_cure():
    robot = strobe.Robot(strobe.load("fourbar").model, compiled=False)
    q, qd, qdd = robot.random_state(10, batch=3)
    off = q + np.array([0, 0, 0.1])[:, None]
    with pytest.raises(
        OpenLoopError, match=r'^fourbar: loop "pin" is open by 0\.\d+ \(place [xz]\) in state \(2,\)'
    ):
        robot.inverse_dynamics(off, qd, qdd)
    with pytest.raises(
        OpenLoopError, match=r"opens at a speed .* robot\.closed_velocities\(q, qd\) keeps it closed"
    ):
        robot.forward_dynamics(q, qd + 1.0, qdd)
    with pytest.raises(OpenLoopError, match=r"opens at an acceleration .* robot\.closed_accelerations"):
        robot.inverse_dynamics(q, qd, qdd + 1.0)


@pytest.mark.parametrize("size", [1e-3, 1e2])
def test_how_far_a_loop_may_be_open_grows_with_the_robot(size):
    robot = strobe.Robot(scale(strobe.load("fourbar").model, size, 1.0), compiled=False)
    q, qd, qdd = robot.random_state(12, batch=20)
    single = [x.astype(np.float32) for x in (q, qd, qdd)]
    assert np.isfinite(robot.inverse_dynamics(*single)).all()  # rounding opens no loop
    with pytest.raises(OpenLoopError, match='loop "pin" is open by'):
        robot.inverse_dynamics(q + 1e-4, qd, qdd)


def test_articulated_bodies_do_not_take_closed_chains():
    robot = strobe.Robot(strobe.load("fourbar").model, compiled=False)
    with pytest.raises(
        UnsupportedModelError, match="fourbar has closed chains, which articulated-body cannot take"
    ):
        robot.forward_dynamics(*robot.random_state(1), formulation="articulated-body")


def test_overconstrained_linkages_move_as_their_rank_says(bennett, flat):
    for robot in (bennett, flat):
        slow = strobe.Robot(robot.model, compiled=False)
        q, qd, qdd = slow.random_state(11, batch=8)
        assert slow.loop_residuals(q).shape == (8, 5)
        tau = slow.inverse_dynamics(q, qd, qdd)
        assert relative(slow.forward_dynamics(q, qd, tau), qdd) < 1e-9
