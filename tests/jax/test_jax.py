"""Quantities on arrays of JAX: derivatives of every order, jit, vmap, both precisions, sentences."""

import numpy as np
import pytest

import strobe
from strobe.errors import StrobeError

pytest.importorskip("jax", reason="jax is not installed")

import jax
import jax.numpy as jnp
from jax.test_util import check_grads

import strobe.jax as sj


@pytest.fixture(autouse=True)
def in_double_precision():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def states(robot, batch=()):
    return [jnp.asarray(x) for x in robot.random_state(0, batch)]


CALLS = {
    "inverse_dynamics": lambda robot, q, qd, x: sj.inverse_dynamics(robot, q, qd, x, friction=False),
    "forward_dynamics": lambda robot, q, qd, x: sj.forward_dynamics(robot, q, qd, x, friction=False),
    "mass_matrix": lambda robot, q, qd, x: sj.mass_matrix(robot, q),
    "energy": lambda robot, q, qd, x: sj.energy(robot, q[0], qd),
    "forward_kinematics": lambda robot, q, qd, x: sj.forward_kinematics(robot, q),
    "jacobian": lambda robot, q, qd, x: sj.jacobian(robot, q),
}


@pytest.mark.parametrize("quantity", CALLS)
def test_derivatives_of_two_orders_both_ways_are_those_of_differences(quantity):
    robot = strobe.load("planar2")

    def call(*x):
        return CALLS[quantity](robot, *x)

    check_grads(call, states(robot, 3), 2, modes=("fwd", "rev"))
    check_grads(jax.jit(call), states(robot, 3), 1, modes=("fwd", "rev"))


def test_transformations_nest():
    robot = strobe.load("panda")
    q, qd, qdd = states(robot, 4)

    def torques(q, qd, qdd):
        return sj.inverse_dynamics(robot, q, qd, qdd)

    M = robot.mass_matrix(np.asarray(q))
    assert np.asarray(torques(q, qd, qdd)) == pytest.approx(
        robot.inverse_dynamics(*map(np.asarray, (q, qd, qdd)))
    )
    for jacobian in (jax.jacrev, jax.jacfwd):
        assert np.asarray(jax.vmap(jacobian(torques, 2))(q, qd, qdd)) == pytest.approx(M, abs=1e-12)
        assert np.asarray(jax.jit(jax.vmap(jacobian(torques, 2)))(q, qd, qdd)) == pytest.approx(
            M, abs=1e-12
        )
    hessian = jax.hessian(lambda q: torques(q, qd[0], qdd[0]).sum())(q[0])
    again = jax.jacrev(jax.jacrev(lambda q: torques(q, qd[0], qdd[0]).sum()))(q[0])
    assert np.asarray(hessian) == pytest.approx(np.asarray(again), abs=1e-10)
    crossed = jax.vmap(lambda a, b: sj.bias(robot, a, b), in_axes=(1, None))(q.T, qd[0])
    assert np.asarray(crossed) == pytest.approx(robot.bias(np.asarray(q), np.asarray(qd[0])))


def test_a_scan_has_a_gradient():
    robot = strobe.load("planar2")
    q, qd, _ = states(robot)

    def end(tau):
        def step(state, tau):
            q, qd = state
            v = qd + 0.01 * sj.forward_dynamics(robot, q, qd, tau)
            return (q + 0.01 * v, v), None

        return jax.lax.scan(step, (q, qd), tau)[0][0].sum()

    check_grads(jax.jit(end), (jnp.ones((5, 2)),), 1, modes=("rev",))


def test_parameters_have_the_regressor_for_their_slope():
    robot = strobe.load("planar2")
    state = states(robot, 5)
    slope = jax.grad(lambda p: sj.inverse_dynamics(robot, *state, parameters=p).sum())(
        jnp.asarray(robot.parameters)
    )
    expected = robot.regressor(*map(np.asarray, state)).sum(axis=(0, 1))
    assert np.asarray(slope) == pytest.approx(expected)


def test_the_slope_of_the_potential_energy_is_the_torque_of_gravity():
    robot = strobe.load("panda")
    q, qd, _ = states(robot)
    slope = jax.jit(jax.grad(lambda q: sj.energy(robot, q, qd)[1]))(q)
    assert np.asarray(slope) == pytest.approx(robot.gravity(np.asarray(q)), abs=1e-11)


def test_a_large_batch_goes_through_jit_at_once():
    robot = strobe.load("planar2")
    state = states(robot, 100_000)
    found = jax.jit(lambda *x: sj.inverse_dynamics(robot, *x))(*state)
    assert np.asarray(found) == pytest.approx(robot.inverse_dynamics(*map(np.asarray, state)))


def test_methods_of_a_robot_return_what_they_are_given_in_its_precision():
    robot = strobe.load("planar2")
    state = states(robot, 3)
    for dtype in (jnp.float32, jnp.float64):
        given = [x.astype(dtype) for x in state]
        assert robot.inverse_dynamics(*given).dtype == dtype
        assert jax.jit(robot.inverse_dynamics)(*given).dtype == dtype
    slope = jax.grad(lambda q: robot.forward_dynamics(q, *state[1:]).sum())(state[0])
    assert isinstance(slope, jax.Array)
    jax.config.update("jax_enable_x64", False)
    assert sj.bias(robot, jnp.zeros(2), [0.0, 0.0]).dtype == jnp.float32


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda r, q, qd: sj.bias(r, q, qd.astype(jnp.float32)),
            "q holds float64 and qd float32; expected one",
        ),
        (
            lambda r, q, qd: sj.bias(r, q[:, :1], qd),
            r"q has shape \(3, 1\); planar2 has 2 joints, expected",
        ),
        (lambda r, q, qd: jax.jit(lambda q: sj.bias(r, q, qd))(q[:, :1]), r"q has shape \(3, 1\); planar2"),
        (lambda r, q, qd: sj.bias(r, q.astype(int), qd), "q holds int64; expected float64 or float32"),
        (lambda r, q, qd: sj.bias(r, q, "a"), "qd is 'a'; expected an array of JAX, or numbers."),
        (lambda r, q, qd: sj.bias(r, q, ["a"]), "qd holds what is no number"),
        (lambda r, q, qd: jax.jit(lambda q: sj.bias(r, q, qd[:2]))(q), "the leading axes do not broadcast"),
        (lambda r, q, qd: sj.bias("planar2", q, qd), "robot is a str; expected a robot"),
        (lambda r, q, qd: sj.function(r, "bias")(q), "bias takes q, qd; got 1 argument."),
        (lambda r, q, qd: r.bias(q, qd, threads=2), "threads= is for NumPy arrays"),
    ],
)
def test_mistakes_have_sentences(call, sentence):
    robot = strobe.load("planar2")
    q, qd, _ = states(robot, 3)
    with pytest.raises(StrobeError, match=sentence):
        call(robot, q, qd)
