"""First order in all parameters: partials against differences, and how many points an estimate needs."""

import numpy as np
import pytest

import strobe
from strobe.approximate.full_extrapolation import (
    FullExtrapolation,
    estimated_partials,
    points_needed,
    torque_partials,
)
from strobe.errors import ArgumentError, UnsupportedModelError

ENDS = [[0, 0.6, 0.4, 0, 0.5, 0], [1.2, 1.3, 0.8, 1, -0.6, 1.5]]


def central(function, x, step=1e-5):
    """Derivatives by differences, the last axis along x."""
    return np.stack(
        [(function(x + e) - function(x - e)) / (2 * step) for e in step * np.eye(len(x))], axis=-1
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["planar2", "stanford", "puma560"])
def test_computed_partials_are_those_of_differences(name):
    robot = strobe.load(name)
    state, n = robot.random_state(seed=4), robot.n
    tau = lambda x: robot.inverse_dynamics(*np.split(x, 3), friction=False)  # noqa: E731
    expected = central(tau, np.concatenate(state))
    assert torque_partials(robot)(*state) == pytest.approx(expected, abs=1e-7 * np.abs(expected).max())
    assert torque_partials(robot)(*state)[:, 2 * n :] == pytest.approx(
        robot.mass_matrix(state[0]), abs=1e-12
    )


@pytest.mark.parametrize("partials", ["computed", "estimated"])
def test_with_every_row_an_origin_it_is_exact(stanford, swing, partials):
    _, state = swing.sampled(step=0.05)
    found = FullExtrapolation(stanford, 1, partials=partials).inverse_dynamics(*state)
    assert found == pytest.approx(stanford.inverse_dynamics(*state), abs=1e-12)


@pytest.mark.parametrize(("partials", "accuracy"), [("computed", 1e-12), ("estimated", 5e-3)])
def test_accelerations_alone_are_extrapolated_exactly_or_as_well_as_partials_are_known(
    stanford, partials, accuracy
):
    q, qd, _ = stanford.random_state(seed=1)
    qdd = np.random.default_rng(1).normal(size=(7, 6))
    found = FullExtrapolation(stanford, 7, partials=partials).inverse_dynamics(q, qd, qdd)
    assert found == pytest.approx(stanford.inverse_dynamics(q, qd, qdd), abs=accuracy)


def test_errors_fall_with_the_square_of_the_step_on_a_smooth_motion(stanford):
    motion, method = stanford.plan(ENDS, "quintic", times=[0, 1.9]), FullExtrapolation(stanford, 4)
    errors = []
    for count in (49, 97, 193):
        _, state = motion.sampled(count=count)
        errors.append(np.abs(method.inverse_dynamics(*state) - stanford.inverse_dynamics(*state)).max())
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.2)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.2)


def test_a_jump_of_acceleration_costs_no_more_than_a_step(stanford, swing):
    """Path extrapolation without a restart is off by 5.2 here, whatever the step."""
    errors = []
    for step in (0.02, 0.01, 0.005):
        state = swing(np.arange(0.0, swing.duration, step))
        found = FullExtrapolation(stanford, 4).inverse_dynamics(*state)
        errors.append(np.abs(found - stanford.inverse_dynamics(*state)).max())
    assert errors == pytest.approx([0.126, 0.061, 0.030], abs=2e-3)


@pytest.mark.slow
def test_friction_is_added_as_it_is():
    puma = strobe.load("puma560")
    q, qd, _ = puma.random_state(seed=3)
    rates = np.stack([qd, -qd])
    found = FullExtrapolation(puma, 1).inverse_dynamics(q, rates, np.zeros(6))
    assert found == pytest.approx(puma.inverse_dynamics(q, rates, np.zeros(6)), abs=1e-9)


def test_seven_points_have_21_pairs_but_six_independent_differences(stanford):
    seven, nineteen, more = points_needed(stanford)
    assert (seven.points, seven.pairs, seven.rank, seven.needed, seven.enough) == (7, 21, 6, 18, False)
    assert seven.condition == np.inf
    assert (nineteen.points, nineteen.rank, nineteen.enough) == (19, 18, True)
    assert 10 < nineteen.condition < 1e4
    assert more.condition < nineteen.condition


def test_every_pair_of_points_adds_nothing_to_their_differences(stanford):
    x = np.concatenate(stanford.random_state(seed=0, batch=7), axis=-1)
    pairs = [x[i] - x[j] for i in range(7) for j in range(i)]
    assert len(pairs) == 21
    assert np.linalg.matrix_rank(pairs) == 6


def test_successive_rows_of_a_motion_say_less_still(stanford, swing):
    """With accelerations constant, positions and velocities of all rows lie in one plane."""
    seven, nineteen, everything = points_needed(stanford, swing, step=0.001)
    assert (seven.rank, nineteen.rank) == (2, 2)
    assert everything.rank == 18
    assert everything.condition > 1e5


def test_an_estimate_from_too_few_points_is_refused_with_the_figures(stanford):
    x = np.concatenate(stanford.random_state(seed=0, batch=7), axis=-1)
    tau = stanford.inverse_dynamics(*np.split(x, 3, axis=-1))
    with pytest.raises(ArgumentError) as refused:
        estimated_partials(x[1:] - x[0], tau[1:] - tau[0])
    assert str(refused.value) == (
        "7 points have 21 pairs, but 6 independent differences; the 18 partials of each torque need 18. "
        "Take 19 points or more that differ in every parameter."
    )


@pytest.mark.parametrize("points", [19, 30])
def test_a_linear_function_is_estimated_exactly(points):
    rng = np.random.default_rng(0)
    P, steps = rng.normal(size=(6, 18)), rng.normal(size=(points - 1, 18))
    assert estimated_partials(steps, steps @ P.T) == pytest.approx(P, abs=1e-12)
    assert estimated_partials(steps, np.stack([steps @ P.T, -steps @ P.T]))[1] == pytest.approx(
        -P, abs=1e-12
    )


def test_it_says_what_it_costs(stanford):
    exact = strobe.approximate.Exact(stanford).operations.multiplications
    computed, estimated = (
        FullExtrapolation(stanford, 4, partials=how) for how in ("computed", "estimated")
    )
    constants = strobe.approximate.Exact(stanford).memory
    assert estimated.memory == constants + 8 * (6 + 108 + 18) + 8 * 18**2
    assert constants + 8 * (6 + 108 + 18) < computed.memory < estimated.memory
    assert estimated.operations.multiplications > 19 * exact / 4
    assert computed.operations.multiplications < estimated.operations.multiplications
    assert computed.in_order
    assert computed.preparation > 0
    assert "19 points (18 independent differences)" in estimated.notes[1]


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [
        ({"partials": "guessed"}, 'partials is \'guessed\'; expected "computed" or "estimated".'),
        ({"spread": 0.0}, "spread is 0.0; expected a distance above zero."),
        ({"every": -1}, "every is -1; expected a whole number, 1 or more."),
    ],
)
def test_bad_arguments_are_refused(stanford, keywords, sentence):
    with pytest.raises(ArgumentError) as refused:
        FullExtrapolation(stanford, **keywords)
    assert str(refused.value) == sentence


def test_joints_with_quaternions_are_refused_by_name():
    robot = strobe.random(2, seed=0, kinds="S")
    with pytest.raises(
        UnsupportedModelError, match=f"{robot.joint_names[0]}, {robot.joint_names[1]} turn by quat"
    ):
        FullExtrapolation(robot)
