"""Motions of closed chains from those of the joints that lead."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError
from strobe.mechanisms.dependent_motion import leaders, led

TIMES = np.linspace(0.0, 2.0, 41)


@pytest.fixture(scope="module")
def turning():
    """The crank of the four-bar all round, at a constant rate."""
    robot = strobe.load("fourbar")
    q_a = (0.3 + np.pi * TIMES)[:, None]
    return robot, led(robot, q_a, np.full_like(q_a, np.pi), np.zeros_like(q_a), robot.model.poses["home"])


def test_a_crank_turns_all_round_and_the_loop_stays_closed(turning):
    robot, (q, qd, qdd) = turning
    assert np.abs(robot.loop_residuals(q)).max() < 1e-12
    assert np.allclose(q[:, 0], 0.3 + np.pi * TIMES)
    assert np.allclose(q[-1, 2], q[0, 2])
    assert np.abs(np.einsum("tij,tj->ti", robot.loop_jacobian(q), qd)).max() < 1e-10
    assert np.abs(np.diff(q, axis=0)).max() < 0.5  # no jump to the other way of being put together


def test_rates_are_the_slopes_of_positions(turning):
    _, (q, qd, _) = turning
    middle = (q[2:] - q[:-2]) / (TIMES[2] - TIMES[0])
    assert np.abs(middle - qd[1:-1]).max() < 0.1


@pytest.mark.slow
def test_joints_with_several_freedoms_do_not_lead():
    with pytest.raises(ArgumentError, match='joint "platform" has 6 degrees of freedom|too many'):
        leaders(strobe.load("delta"), ["platform"])


def test_columns_are_in_the_order_in_which_the_joints_are_named():
    robot = strobe.Robot(strobe.load("fivebar").model, compiled=False)
    home = np.array(robot.model.poses["home"])
    q_a = home[[0, 2]] + np.linspace(0.0, 0.3, 4)[:, None] * [1.0, -2.0]
    rates, still = np.broadcast_to([0.1, -0.2], q_a.shape), np.zeros(q_a.shape)
    forwards = led(robot, q_a, rates, still, home)
    backwards = led(robot, q_a[:, ::-1], rates[:, ::-1], still, home, ["b1", "a1"])
    for ours, theirs in zip(forwards, backwards, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-12)
    assert forwards[0][:, [0, 2]] == pytest.approx(q_a)


def test_columns_that_do_not_fit_the_joints_that_lead_are_refused():
    robot = strobe.Robot(strobe.load("fivebar").model, compiled=False)
    home, one, two = robot.model.poses["home"], np.zeros((5, 1)), np.zeros((5, 2))
    with pytest.raises(
        ShapeError,
        match=r"^q_a has shape \(5, 1\); a1, b1 lead, one column each, expected \(\.\.\., 2\)\.$",
    ):
        led(robot, one, two, two, home)
    with pytest.raises(ShapeError, match=r"^qdd_a has shape \(2,\); .*, expected \(T, 2\)\.$"):
        led(robot, two, two, two[0], home)
