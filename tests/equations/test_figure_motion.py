"""A motion through a state: it has the state at time 0, and its figures show the torques of the robot."""

from __future__ import annotations

import numpy as np
import pytest

import strobe
from strobe.equations.figure_motion import PERIOD, harmonic, phase_figure, time_figure, torques_figure
from strobe.errors import ArgumentError

STATE = tuple(np.array(x) for x in ((0.7, -1.1), (1.3, -0.6), (-0.8, 2.1)))


@pytest.fixture(scope="module")
def robot() -> strobe.Robot:
    return strobe.load("planar2")


def test_the_motion_has_the_state_at_time_zero_and_closes(robot) -> None:
    t, *motion = harmonic(robot, *STATE)
    middle = len(t) // 2
    assert t[middle] == 0.0
    assert t[-1] - t[0] == PERIOD
    for given, values in zip(STATE, motion, strict=True):
        assert np.allclose(values[middle], given)
        assert np.allclose(values[0], values[-1])


def test_rates_are_those_of_the_positions(robot) -> None:
    t, q, qd, qdd = harmonic(robot, *STATE)
    assert np.allclose(np.gradient(q, t, axis=0)[1:-1], qd[1:-1], atol=1e-3)
    assert np.allclose(np.gradient(qd, t, axis=0)[1:-1], qdd[1:-1], atol=1e-2)


def test_the_figures_name_the_joints_and_their_units(robot) -> None:
    assert "gravity, effective inertia" in torques_figure(robot, *STATE)
    assert "joint1, joint2 in N m over time (s)." in time_figure(robot, *STATE)
    assert "joint1, joint2: qd (rad/s) over q (rad)" in phase_figure(robot, *STATE)


def test_sliding_joints_have_units_of_their_own() -> None:
    robot = strobe.load("stanford")
    state = robot.random_state(seed=1)
    assert " in N m, N over time (s)." in time_figure(robot, *state)
    assert "qd (rad/s, m/s) over q (rad, m)" in phase_figure(robot, *state)


def test_a_motion_that_is_none_is_refused(robot) -> None:
    with pytest.raises(ArgumentError, match="nothing moves: give qd or qdd."):
        harmonic(robot, STATE[0], np.zeros(2), np.zeros(2))
    floating = robot.with_base("floating")
    with pytest.raises(
        ArgumentError, match="has joints with quaternions, through which no swing is drawn."
    ):
        harmonic(floating, *floating.random_state(seed=0))
