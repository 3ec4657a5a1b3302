"""One joint between two states: the report's Figure 5 worked out, laws, and Ruckig."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from strobe.scalars import LANES
from strobe.trajectory.synchronised_profiles import Legs, in_step, single
from strobe.trajectory.trapezoidal_profile import Ends, fastest, lasting, turns

ruckig = pytest.importorskip("ruckig", reason="ruckig is not installed")


def legs(*numbers):
    """One leg of one joint."""
    return Legs(*(np.array([float(x)]) for x in numbers))


def one(*numbers):
    profile, durations = single(legs(*numbers))
    return profile, durations


# -- Figure 5 and its variations: bounds |v| ≤ 3, |a| ≤ 1/2, from (1, 1) [methods 3.6] -----------------------------


def test_figure_5_switches_where_the_lines_meet_and_takes_four_roots_of_three():
    profile, durations = one(1, 1, 5, -1, 3, 0.5)
    assert profile.ramp[0] == pytest.approx(2 * (math.sqrt(3) - 1), abs=1e-14)
    assert profile.speed[0] == pytest.approx(math.sqrt(3), abs=1e-14)
    assert durations.least[0] == pytest.approx(4 * math.sqrt(3), abs=1e-14)
    x = 1 + (1 + profile.speed[0]) / 2 * profile.ramp[0]
    assert x == pytest.approx(3.0, abs=1e-14)


def test_figure_5_turns_at_d():
    ends = Ends(*(LANES.batch(np.float64(x)) for x in (1, 1, 5, -1, 3, 0.5)))
    first, last = (float(LANES.lower(x)) for x in turns(ends, fastest(ends)))
    assert (first, last) == (1.0, pytest.approx(6.0, abs=1e-14))


@pytest.mark.parametrize(
    ("target", "top", "least", "ramp", "cruise"),
    [
        ((9, 0), 3.0, 6.48528137424, 2.24264068712, 0.0),
        ((9, 0), 1.5, 7.0, 1.0, 3.0),
        ((0, -2), 3.0, 7.65685424949, 0.828427124746, 0.0),
    ],
)
def test_other_targets_of_figure_5(target, top, least, ramp, cruise):
    profile, durations = one(1, 1, *target, top, 0.5)
    assert durations.least[0] == pytest.approx(least, abs=1e-11)
    assert profile.ramp[0] == pytest.approx(ramp, abs=1e-11)
    assert profile.cruise[0] == pytest.approx(cruise, abs=1e-11)


def test_a_joint_that_arrives_too_fast_to_wait_has_two_intervals_of_durations():
    _, durations = one(1, 1, 1.5, 1, 3, 0.5)
    found = [each[0] for each in durations]
    assert found == pytest.approx([0.472135955, 0.535898384862, 7.46410161514], abs=1e-9)


def test_joints_in_step_wait_for_the_gap_to_end():
    """The awkward case: one joint's 0.472 s and the other's 2 s meet at 7.464 s only [methods 3.7]."""
    together = in_step(
        Legs(*(np.array(x, float) for x in ([1, 0], [1, 0], [1.5, 0.5], [1, 0], [3, 3], [0.5, 0.5])))
    )
    assert float(together.duration) == pytest.approx(7.46410161514, abs=1e-11)
    assert together.profile.speed[0] == pytest.approx(1 - 0.5 * together.profile.ramp[0])
    assert together.profile.speed[0] < 0  # it reverses


def test_rest_to_rest_in_step():
    together = in_step(
        Legs(*(np.array(x, float) for x in ([0, 0], [0, 0], [1, 0.4], [0, 0], [1, 1.2], [0.5, 0.3])))
    )
    assert float(together.duration) == pytest.approx(2 * math.sqrt(2), abs=1e-14)
    profile = together.profile
    assert profile.cruise[0] < 1e-14  # the slowest joint does not cruise for a rounding error
    assert profile.speed[1] == pytest.approx(0.179315094434, abs=1e-11)
    assert profile.ramp[1] == pytest.approx(0.597716981445, abs=1e-11)
    assert profile.cruise[1] == pytest.approx(1.63299316186, abs=1e-11)


def test_nothing_to_do_takes_no_time():
    for v in (-1.0, 0.0, 1.0):
        profile, durations = one(0.3, v, 0.3, v, 3, 0.5)
        assert durations.least[0] == 0.0
        assert profile.speed[0] == v or v == 0


def test_a_change_of_speed_over_its_own_distance_is_direct_in_spite_of_rounding():
    """From −2 to −1 over exactly the distance that takes: a last digit too much must not cost a turn."""
    d = (-2.0 - 1.0) * 1.0 / (2 * 0.7)
    for x0 in (0.0, 0.1, 1e3 / 3):
        _, durations = one(x0, -2.0, x0 + d, -1.0, 3, 0.7)
        assert durations.least[0] == pytest.approx(1 / 0.7, abs=1e-9)


def test_a_profile_in_step_takes_as_long_as_it_says_where_nothing_is_left_for_a_cruise():
    """Durations off by the last digit of what a direct change of speed takes must not become a turn."""
    rng = np.random.default_rng(0)
    v0, A = rng.uniform(-1, 1, (10_000, 1)), 10 ** rng.uniform(-3, 3, (10_000, 1))
    v1, x0 = v0 * rng.uniform(0, 3, v0.shape), rng.normal(size=v0.shape)
    x1 = x0 + (v0 + v1) * np.abs(v1 - v0) / (2 * A)
    timed = in_step(Legs(x0, v0, x1, v1, np.full_like(A, 9.0), A))
    np.testing.assert_allclose(timed.profile.duration[:, 0], timed.duration, rtol=1e-12)


# -- laws -----------------------------------------------------------------------------------------------------------

speeds = st.floats(-1, 1, allow_subnormal=False)
places = st.floats(-4, 4, allow_subnormal=False)
tops = st.floats(0.1, 3)
states = st.tuples(places, speeds, places, speeds, tops, tops)


def ended(x0, v0, V, A, profile):
    """Where a profile ends: position and velocity."""
    up = np.sign(profile.speed - v0) * A
    x = x0 + v0 * profile.ramp + up * profile.ramp**2 / 2 + profile.speed * profile.cruise
    return x + profile.speed * profile.brake


def arrives(state, profile):
    x0, v0, x1, v1, V, A = state
    down = np.sign(v1 - profile.speed) * A
    end = ended(x0, v0, V, A, profile) + down * profile.brake**2 / 2
    return end == pytest.approx(x1, abs=1e-9 * (1 + abs(x0) + abs(x1)))


def scaled(state):
    x0, v0, x1, v1, V, A = state
    return x0, v0 * V, x1, v1 * V, V, A


@pytest.mark.slow
@given(states)
def test_the_fastest_profile_arrives_within_its_bounds(state):
    state = scaled(state)
    profile, durations = one(*state)
    profile = type(profile)(*(float(x[0]) for x in profile))
    assert min(profile[:3]) >= 0
    assert abs(profile.speed) <= state[4]
    assert arrives(state, profile)
    assert profile.duration == pytest.approx(float(durations.least[0]), abs=1e-12)


@given(states, st.floats(0, 1), st.booleans())
def test_every_duration_of_the_set_is_kept_exactly(state, share, late):
    state = scaled(state)
    _, durations = one(*state)
    least, gap_from, gap_to = (float(x[0]) for x in durations)
    T = gap_to + share * 5 if late else least + share * (gap_from - least)
    together = in_step(legs(*state), T)
    profile = type(together.profile)(*(float(x[0]) for x in together.profile))
    assert profile.duration == pytest.approx(T, rel=1e-9, abs=1e-9)
    assert abs(profile.speed) <= state[4] * (1 + 1e-12)
    assert arrives(state, profile)


def reached(x0, v0, x1, v1, V, A, T):
    """How far back and how far forth a joint can get in a time, ending at its speed."""
    for side in (-1, 1):
        w = side * min(max(side * v0, side * v1) + (A * T - abs(v1 - v0)) / 2, V)
        ramp, brake = abs(w - v0) / A, abs(v1 - w) / A
        yield (v0 + w) / 2 * ramp + w * (T - ramp - brake) + (v1 + w) / 2 * brake


@given(states, st.floats(0.02, 0.98))
def test_no_duration_outside_the_set_is_possible(state, share):
    """Full acceleration one way and then the other bounds what a time allows: the end lies beyond."""
    x0, v0, x1, v1, V, A = state = scaled(state)
    least, gap_from, gap_to = (float(x[0]) for x in one(*state)[1])
    for T in (share * least, gap_from + share * (gap_to - gap_from)):
        possible = abs(v1 - v0) / A <= T
        outside = least > T or gap_from < T < gap_to
        if possible and outside:
            low, high = reached(*state, T)
            assert not low + 1e-6 < x1 - x0 < high - 1e-6


@given(states)
def test_time_runs_backwards_and_space_mirrors(state):
    x0, v0, x1, v1, V, A = state = scaled(state)
    least = float(one(*state)[1].least[0])
    assert float(one(x1, -v1, x0, -v0, V, A)[1].least[0]) == pytest.approx(least, abs=1e-9)
    assert float(one(-x0, -v0, -x1, -v1, V, A)[1].least[0]) == pytest.approx(least, abs=1e-9)


def test_plain_lanes_and_compiled_code_agree():
    rng = np.random.default_rng(2)
    V, A = rng.uniform(0.5, 3, (2, 200))
    v0, v1 = rng.uniform(-1, 1, (2, 200)) * V
    x0, x1 = rng.normal(size=(2, 200))
    numbers = Legs(x0, v0, x1, v1, V, A)
    compiled, durations = single(numbers)
    ends = Ends(*(LANES.batch(x) for x in numbers))
    for ours, theirs in zip(compiled, fastest(ends), strict=True):
        np.testing.assert_allclose(ours, LANES.lower(theirs), atol=1e-13)
    T = durations.gap_to + 1.0
    for ours, theirs in zip(
        in_step(Legs(*(x[:, None] for x in numbers)), T).profile, lasting(ends, LANES.batch(T)), strict=True
    ):
        np.testing.assert_allclose(ours[:, 0], LANES.lower(theirs), atol=1e-12)


# -- a planner nobody here wrote ------------------------------------------------------------------------------------


def by_ruckig(x0, v0, x1, v1, V, A):
    n = len(x0)
    planner, asked, found = ruckig.Ruckig(n), ruckig.InputParameter(n), ruckig.Trajectory(n)
    asked.current_position, asked.current_velocity = list(x0), list(v0)
    asked.target_position, asked.target_velocity = list(x1), list(v1)
    asked.max_velocity, asked.max_acceleration, asked.max_jerk = list(V), list(A), [math.inf] * n
    assert planner.calculate(asked, found) == ruckig.Result.Working
    return found.duration


@pytest.mark.parametrize("n", [1, 2, 4, 7])
def test_durations_in_step_are_those_of_ruckig_with_unbounded_jerk(n):
    rng = np.random.default_rng(n)
    V, A = rng.uniform(0.3, 3, (2, 500, n))
    v0, v1 = rng.uniform(-1, 1, (2, 500, n)) * V
    x0, x1 = rng.normal(size=(2, 500, n))
    ours = in_step(Legs(x0, v0, x1, v1, V, A)).duration
    theirs = [by_ruckig(*numbers) for numbers in zip(x0, v0, x1, v1, V, A, strict=True)]
    np.testing.assert_allclose(ours, theirs, atol=1e-7)
