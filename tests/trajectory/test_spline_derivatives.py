"""Rates of recorded positions: by the order of the spline, on uneven times, for every kind of joint."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError
from strobe.trajectory.spline_derivatives import derivatives, filled


def errors(h):
    t = np.arange(0.0, 2.0, h)
    first, second = derivatives(t, np.sin(3 * t)[:, None])
    inside = slice(len(t) // 4, -len(t) // 4)
    return (
        np.abs(first[inside, 0] - 3 * np.cos(3 * t[inside])).max(),
        np.abs(second[inside, 0] + 9 * np.sin(3 * t[inside])).max(),
    )


def test_errors_shrink_with_the_stated_powers_of_the_step():
    coarse, fine = errors(0.04), errors(0.02)
    assert np.log2(coarse[0] / fine[0]) > 4.7
    assert np.log2(coarse[1] / fine[1]) == pytest.approx(4.0, abs=0.3)
    assert fine[1] < 1e-5


def test_a_polynomial_of_degree_five_is_differentiated_exactly_at_uneven_times():
    t = np.cumsum(np.random.default_rng(0).uniform(0.05, 0.15, 20))
    law = np.polynomial.Polynomial([1.0, -2.0, 0.5, 0.3, -0.2, 0.1])
    first, second = derivatives(t, law(t)[:, None])
    np.testing.assert_allclose(first[:, 0], law.deriv()(t), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(second[:, 0], law.deriv(2)(t), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kinds", ["F", "S", "C", "P"])
def test_the_rates_of_every_joint_are_those_that_integrate_to_its_positions(kinds):
    """Positions along a constant twist, whose velocity is known: each from the one before, by `integrate`."""
    robot = strobe.Robot(strobe.random(1, seed=2, kinds=kinds).model, compiled=False)
    start, v, _ = robot.random_state(seed=3)
    t = np.linspace(0.0, 1.0, 60)
    q = robot.integrate(np.broadcast_to(start, (60, robot.nq)), v, t)
    if kinds in "FS":
        q[25:, -4:] *= -1.0  # the same orientations
    if kinds == "C":
        q = np.mod(q + np.pi, 2 * np.pi) - np.pi  # as encoders of one turn tell them
    every = list(range(robot.nv))
    zero = np.zeros((60, robot.nv))
    found = filled(robot, t, {"q": q, "qd": zero, "qdd": zero}, {"qd": every, "qdd": every})
    np.testing.assert_allclose(found["qd"], np.broadcast_to(v, (60, robot.nv)), atol=1e-6)
    np.testing.assert_allclose(found["qdd"], 0.0, atol=1e-4)


def test_a_free_body_that_turns_and_flies_has_accelerations_in_its_own_axes():
    """ω about z at a constant rate while the origin falls: v̇ = Rᵀ p̈ − ω × v, by hand."""
    robot = strobe.Robot(strobe.random(1, seed=2, kinds="F").model, compiled=False)
    t, w, g = np.linspace(0.0, 1.0, 80), 2.0, np.array([0.3, -0.2, -9.81])
    p = 0.5 * g * t[:, None] ** 2
    q = np.hstack([p, np.stack([np.cos(w * t / 2), 0 * t, 0 * t, np.sin(w * t / 2)], -1)])
    zero = np.zeros((80, 6))
    found = filled(robot, t, {"q": q, "qd": zero, "qdd": zero}, {"qd": range(6), "qdd": range(6)})
    c, s = np.cos(w * t), np.sin(w * t)

    def turned_back(x):
        return np.stack([c * x[:, 0] + s * x[:, 1], -s * x[:, 0] + c * x[:, 1], x[:, 2]], -1)

    v = turned_back(g * t[:, None])
    np.testing.assert_allclose(found["qd"][:, :3], v, atol=1e-6)
    np.testing.assert_allclose(found["qd"][:, 3:], np.broadcast_to([0, 0, w], (80, 3)), atol=1e-6)
    wanted = turned_back(np.broadcast_to(g, (80, 3))) - np.cross([0, 0, w], v)
    np.testing.assert_allclose(found["qdd"][:, :3], wanted, atol=1e-4)


def test_times_too_close_are_refused():
    t = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 5.0 + 1e-300])
    with pytest.raises(ArgumentError, match="does not follow|too close"):
        derivatives(t, np.ones((7, 1)))
