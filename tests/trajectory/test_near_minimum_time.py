"""Motions in nearly the least time: a known optimum, what they keep, and how simpler ones compare."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError
from strobe.trajectory import near_minimum_time as module
from strobe.trajectory.near_minimum_time import near_minimum_time


@pytest.fixture(scope="module", autouse=True)
def _a_shorter_search():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "GENERATIONS", 50)  # for the sake of time
        yield


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


@pytest.fixture(scope="module")
def found(arm):
    return near_minimum_time(arm, (-0.5, 0.5), (1.0, -1.0), velocity=np.inf)


@pytest.mark.slow
def test_slides_that_do_not_act_on_each_other_cannot_do_better_than_the_slower_one(gantry):
    found = near_minimum_time(gantry, (0, 0), (1, 2), velocity=np.inf)
    np.testing.assert_allclose(found.motion.duration, 2 * np.sqrt(1 / 2), rtol=1e-3)  # x: 10 N / 5 kg
    # constant inertia
    np.testing.assert_allclose(found.constant.duration, found.straight.duration, rtol=1e-3)


@pytest.mark.slow
def test_torques_are_kept_and_mostly_used_up(arm, found):
    _, state = found.motion.sampled(count=5001)
    share = np.abs(arm.inverse_dynamics(*state)) / arm.limits.effort
    assert share.max() <= 1 + 1e-4
    assert np.mean(share.max(axis=1) > 0.97) > 0.9


@pytest.mark.slow
def test_it_starts_and_ends_at_rest_where_it_was_asked_to(found):
    motion = found.motion
    for t, q in ((0.0, (-0.5, 0.5)), (motion.duration, (1.0, -1.0))):
        np.testing.assert_allclose(motion(t).q, q, atol=1e-9)
        np.testing.assert_allclose(motion(t).qd, 0.0, atol=1e-6)
    assert motion.method == "near-minimum-time"


@pytest.mark.slow
def test_more_freedom_takes_less_time(found):
    assert found.motion.duration < 0.96 * found.straight.duration
    assert found.straight.duration < 0.8 * found.constant.duration
    assert "are left on the table: the worst state on the way decides them." in found.told


@pytest.mark.slow
def test_constant_accelerations_keep_the_torques_too(arm, found):
    _, state = found.constant.sampled(count=5001)
    assert (np.abs(arm.inverse_dynamics(*state)) / arm.limits.effort).max() <= 1.0


@pytest.mark.slow
def test_a_line_that_asks_for_too_much_is_gone_round(arm):
    # Stretched out the arm cannot be held; folded it can.
    q0, q1 = (-0.3, 2.5), (0.3, -2.5)
    effort = (11.0, 12.0)
    found = near_minimum_time(arm, q0, q1, effort=effort)
    assert found.straight is None
    assert "the straight line asks for too much torque" in found.told
    _, state = found.motion.sampled(count=5001)
    assert (np.abs(arm.inverse_dynamics(*state)) / effort).max() <= 1 + 1e-4


def test_no_way_takes_no_time(arm):
    found = near_minimum_time(arm, (0.5, 0.5), (0.5, 0.5))
    assert found.motion.duration == 0.0


def test_ends_that_cannot_be_held_are_refused(arm):
    with pytest.raises(ArgumentError, match=r'joint "\w+" needs .* N·m to hold still; its limit is 5 N·m.'):
        near_minimum_time(arm, (0, 0), (1, 1), effort=5.0)
    with pytest.raises(ArgumentError, match=r"above its upper bound 3.1"):
        near_minimum_time(arm, (0, 0), (4, 0))
    with pytest.raises(ShapeError, match="planar2 has 2 joints"):
        near_minimum_time(arm, (0, 0, 0), (1, 1, 1))
