"""Torques extrapolated along a path: measured errors of the reference motion, orders, restarts, refusals."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.approximate.extrapolation import PathExtrapolation, jumps
from strobe.errors import ArgumentError, ShapeError, UnsupportedModelError

ENDS = [[0, 0.6, 0.4, 0, 0.5, 0], [1.2, 1.3, 0.8, 1, -0.6, 1.5]]
STEPS = (0.04, 0.02, 0.01, 0.005)


def rows(motion, step):
    return motion(np.arange(0.0, motion.duration, step))


def error(robot, state, *args, **keywords):
    method = PathExtrapolation(robot, *args, **keywords)
    return np.abs(method.inverse_dynamics(*state) - robot.inverse_dynamics(*state)).max()


@pytest.mark.parametrize(
    ("order", "measured", "digits"),
    [(0, (1.06, 0.53, 0.27, 0.13), 2), (1, (0.0253, 0.0250, 0.0064, 0.0016), 4)],
)
def test_one_row_ahead_the_errors_are_those_measured(stanford, swing, order, measured, digits):
    found = [error(stanford, rows(swing, step), order, 1, late=1) for step in STEPS]
    assert np.round(found, digits) == pytest.approx(measured, abs=1.01 * 10**-digits)


def test_across_a_switch_the_error_does_not_depend_on_the_step(stanford, swing):
    found = [error(stanford, rows(swing, step), 1, 1, late=1, switches=()) for step in STEPS]
    assert np.round(found, 1) == pytest.approx([5.2] * 4)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_with_every_row_computed_it_is_exact(stanford, swing, order):
    assert error(stanford, rows(swing, 0.01), order, 1) == 0.0


@pytest.mark.parametrize("order", [0, 1, 2])
def test_an_order_more_is_a_power_of_the_step_more(stanford, order):
    times = 0.5 + 0.3 * np.arange(9) / 8
    motion = stanford.plan(ENDS, "quintic", times=[0, 1.9])
    coarse = error(stanford, motion(times), order, 1, late=1)
    fine = error(stanford, motion(0.5 + 0.3 * np.arange(65) / 64), order, 1, late=1)
    assert coarse / fine == pytest.approx(8.0 ** (order + 1), rel=0.4)


def test_a_switch_given_is_as_good_as_one_found(stanford, swing):
    state = rows(swing, 0.01)
    found = np.flatnonzero(jumps(state.qdd))
    assert len(found) == len(swing.times) - 2
    given, sought = (
        PathExtrapolation(stanford, 1, 4, switches=switches) for switches in (found.tolist(), None)
    )
    assert (given.inverse_dynamics(*state) == sought.inverse_dynamics(*state)).all()


def test_a_smooth_motion_has_no_switches(stanford):
    motion = stanford.plan(ENDS, "quintic", times=[0, 1.9])
    for step in STEPS:
        assert not jumps(rows(motion, step).qdd).any()


def test_two_switches_in_successive_rows_are_both_found():
    qdd = np.array([2.0, 2, 2, 0, -2, -2, -2])[:, None]
    assert jumps(qdd).tolist() == [False, False, False, True, True, False, False]


@pytest.mark.parametrize("every", [1, 4])
def test_a_motion_that_sets_out_smoothly_is_no_worse_than_without_extrapolation(stanford, every):
    """Torques over path length are steep there: a higher order alone would be off by hundreds."""
    state = rows(stanford.plan(ENDS, "quintic", times=[0, 1.9]), 0.02)
    held, *better = (error(stanford, state, order, every, late=int(every == 1)) for order in (0, 1, 2))
    assert max(better) < 0.4 * held


def test_an_arm_that_rests_before_it_moves_is_computed_where_it_moves(stanford):
    motion = stanford.plan(ENDS, "quintic", times=[0, 1.9])
    times = np.concatenate([np.zeros(9), np.arange(0, 1.9, 0.02)])
    assert error(stanford, motion(times), 1, 4) < 1.2 * error(stanford, rows(motion, 0.02), 0, 4)


def test_friction_is_not_extrapolated():
    puma = strobe.load("puma560")
    motion = puma.plan([np.zeros(6), 0.3 * np.ones(6), np.zeros(6)], "quintic", times=[0, 0.7, 1.4])
    # where joint 1 turns back, Coulomb friction jumps by 52
    assert error(puma, rows(motion, 0.005), 0, 2) < 3


def test_a_batch_of_motions_is_each_motion_by_itself(stanford, swing):
    smooth = stanford.plan(ENDS, "quintic", times=[0, swing.duration])
    t = np.arange(0.0, swing.duration, 0.02)
    both = [np.stack(pair) for pair in zip(swing(t), smooth(t), strict=True)]
    method = PathExtrapolation(stanford, 2, 3)
    together = method.inverse_dynamics(*both)
    assert together.shape == (2, len(t), 6)
    for k, motion in enumerate((swing, smooth)):
        assert together[k] == pytest.approx(method.inverse_dynamics(*motion(t)), abs=1e-12)


@pytest.mark.slow
def test_a_ball_joint_has_a_path_length():
    robot = strobe.random(3, seed=2, kinds="S")
    q = robot.integrate(
        robot.neutral, 0.3 * np.arange(1.0, robot.nv + 1) * np.linspace(0, 0.2, 41)[:, None]
    )
    qd = np.broadcast_to(0.3 * np.arange(1.0, robot.nv + 1), (41, robot.nv))
    qdd = np.zeros_like(qd)
    exact = robot.inverse_dynamics(q, qd, qdd)
    found = PathExtrapolation(robot, 2, 2).inverse_dynamics(q, qd, qdd)
    assert found == pytest.approx(exact, abs=1e-3 * np.abs(exact).max())


def test_one_state_lists_single_precision_and_no_rows_are_taken(stanford, swing):
    method = PathExtrapolation(stanford)
    one = [each.tolist() for each in swing(0.3)]
    assert method.inverse_dynamics(*one) == pytest.approx(stanford.inverse_dynamics(*one), rel=1e-15)
    state = rows(swing, 0.02)
    single = method.inverse_dynamics(*(each.astype(np.float32) for each in state))
    assert single.dtype == np.float32
    assert single == pytest.approx(method.inverse_dynamics(*state), abs=2e-4)
    assert method.inverse_dynamics(*(each[:0] for each in state)).shape == (0, 6)


def test_an_unknown_position_makes_later_torques_unknown(stanford, swing):
    state = rows(swing, 0.02)
    state.q[50] = np.nan
    found = PathExtrapolation(stanford, 1, 1, late=1).inverse_dynamics(*state)
    assert np.isfinite(found[:50]).all()
    assert np.isnan(found[50]).all()


def test_it_says_what_it_costs(stanford):
    exact = strobe.approximate.Exact(stanford).operations.multiplications
    held, first = PathExtrapolation(stanford, 0, 4), PathExtrapolation(stanford, 1, 4)
    assert held.operations.multiplications == round(exact / 4)
    assert first.operations.multiplications == round(exact / 4) + 6 + 2 * 6  # path length; two weights
    constants = strobe.approximate.Exact(stanford).memory
    assert held.memory == constants + 8 * 6
    assert first.memory == constants + 8 * (2 * 7 + 6)
    assert first.preparation > 0
    assert first.in_order
    assert "must follow one another" in first.notes[0]
    assert any("whole jump" in note for note in PathExtrapolation(stanford, switches=()).notes)


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [
        ({"order": 3}, "order is 3; expected 0, 1 or 2."),
        ({"order": True}, "order is True; expected 0, 1 or 2."),
        ({"every": 0}, "every is 0; expected a whole number, 1 or more."),
        ({"every": 1.5}, "every is 1.5; expected a whole number, 1 or more."),
        ({"late": -1}, "late is -1; expected a whole number, 0 or more."),
        ({"switches": [-3]}, "a switch is -3; expected a whole number, 0 or more."),
    ],
)
def test_bad_arguments_are_refused(stanford, keywords, sentence):
    with pytest.raises(ArgumentError) as refused:
        PathExtrapolation(stanford, **keywords)
    assert str(refused.value) == sentence


def test_a_switch_beyond_the_rows_is_refused(stanford, swing):
    method = PathExtrapolation(stanford, switches=[3, 400])
    with pytest.raises(ArgumentError, match="a switch is given at row 400; the motion has 10 rows"):
        method.inverse_dynamics(*swing(np.linspace(0, 0.1, 10)))


def test_states_of_another_size_are_refused(stanford):
    with pytest.raises(
        ShapeError, match=r"q has shape \(9, 5\); stanford has 6 joints, expected \(\.\.\., 6\)"
    ):
        PathExtrapolation(stanford).inverse_dynamics(np.zeros((9, 5)), np.zeros((9, 6)), np.zeros((9, 6)))


def test_a_robot_without_dynamics_is_refused():
    bare = strobe.Robot(
        replace(strobe.load("planar2").model, kinematic_only="its masses are not published.")
    )
    with pytest.raises(
        UnsupportedModelError, match="planar2 has no dynamics: its masses are not published"
    ):
        PathExtrapolation(bare)
