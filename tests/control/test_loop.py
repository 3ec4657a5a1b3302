"""The closed loop: an exact model tracks, and the error dies as it was designed to."""

import numpy as np
import pytest

import strobe
from strobe.control import ComputedTorque, control

START, GOAL = (0, 0.6, 0.4, 0, 0.5, 0), (1.2, 1.3, 0.8, 1, -0.6, 1.5)


@pytest.fixture(scope="module")
def stanford():
    return strobe.load("stanford")


@pytest.fixture(scope="module")
def motion(stanford):
    return stanford.plan(
        [START, GOAL], "quintic", velocity=(1, 1, 0.6, 2, 2, 2), acceleration=(1.5, 1.5, 0.8, 4, 4, 4)
    )


def test_computed_torque_with_the_exact_model_tracks_to_rounding(stanford, motion):
    run = control(stanford, motion, ComputedTorque(stanford, 1e-3), continuous=True)
    assert np.abs(run.error).max() < 1e-11


def test_the_error_dies_with_the_poles_it_was_given(stanford, motion):
    kp, kd = 400.0, 40.0  # a double pole at −20
    off = np.array([0.01, -0.02, 0.01, 0.03, -0.02, 0.01])
    q0 = motion(0.0).q + off
    run = control(stanford, motion, ComputedTorque(stanford, 1e-3, kp, kd), q0=q0, continuous=True)
    t = run.times[:, None]
    assert run.error == pytest.approx(-off * (1 + 20 * t) * np.exp(-20 * t), abs=1e-9)


def test_a_torque_that_is_held_for_a_period_costs_accuracy_in_proportion_to_it(stanford, motion):
    slow, fast = (
        np.abs(control(stanford, motion, ComputedTorque(stanford, period)).error).max()
        for period in (2e-3, 1e-3)
    )
    assert slow == pytest.approx(2 * fast, rel=0.05)
    assert fast < 2e-4


def test_gains_and_loads_may_differ_along_axes_of_their_own(stanford, motion):
    kp, loads = np.array([[[400.0] * 6], [[100.0] * 6]]), np.zeros((3, 10))
    loads[:, 0] = 0.0, 0.2, 0.4
    every = control(stanford, motion, ComputedTorque(stanford, 1e-3, kp), payload=loads, t=0.2, check=False)
    assert every.q.shape[:2] == (2, 3)
    for i in range(2):
        for k in range(3):
            controller = ComputedTorque(stanford, 1e-3, kp[i, 0])
            one = control(stanford, motion, controller, payload=loads[k], t=0.2, check=False)
            assert (every.q[i, k] == one.q).all()


def test_loops_side_by_side_are_the_loops_one_by_one(stanford, motion):
    kp = np.array([[100.0] * 6, [400.0] * 6])
    both = control(stanford, motion, ComputedTorque(stanford, 1e-3, kp, 40.0))
    for k in range(2):
        one = control(stanford, motion, ComputedTorque(stanford, 1e-3, kp[k], 40.0))
        assert (both.q[k] == one.q).all()
        assert (both.tau[k] == one.tau).all()
