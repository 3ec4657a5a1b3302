"""Motions against Pinocchio's accelerations, integrated by SciPy at tight tolerance."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import strobe
from strobe.simulate import TimeSeries

pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_a_second_of_motion_is_that_of_pinocchios_accelerations(name):
    from strobe.analysis.peers import Pinocchio

    robot = strobe.load(name)
    peer = Pinocchio(robot)
    q, qd, _ = robot.random_state(3)
    knots = np.linspace(0, 1, 5)
    torque = TimeSeries(
        knots, robot.gravity(q) + np.random.default_rng(0).normal(size=(5, robot.n)) * [[0.2]]
    )

    def rates(t, y):
        tau = [np.interp(t, knots, column) for column in torque.values.T]
        state = peer._states("forward_dynamics", (y[: robot.n], y[robot.n :], np.array(tau)))
        return np.concatenate([y[robot.n :], peer.torques(pin.aba(peer.model, peer.data, *state))])

    y = np.concatenate([q, qd])
    for a, b in pairwise(knots):
        y = solve_ivp(rates, (a, b), y, "DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    for method, step in (("rk8", 5e-4), ("rk4", 5e-5)):
        run = strobe.simulate(robot, q, qd, torque, 1.0, method, step=step, friction=False)
        np.testing.assert_allclose(np.concatenate([run.q[-1], run.qd[-1]]), y, atol=1e-9)
