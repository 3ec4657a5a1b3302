"""D and E along one motion: exact where stored, as wrong as measured on and off the path, refused far away."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.approximate.along_trajectory import AlongTrajectory
from strobe.approximate.stored import Stored, mixed, size
from strobe.errors import ArgumentError, ShapeError, UnsupportedModelError

ENDS = [[0, 0.6, 0.4, 0, 0.5, 0], [1.2, 1.3, 0.8, 1, -0.6, 1.5]]
POINTS = (10, 20, 40, 80)


@pytest.fixture(scope="module")
def rows(swing):
    """Times and states at which the errors of the reference motion were measured."""
    return swing.sampled(count=201)


def worst(robot, method, state, **keywords):
    return np.abs(method.inverse_dynamics(*state, **keywords) - robot.inverse_dynamics(*state)).max()


def test_on_the_path_the_errors_are_those_measured(stanford, swing, rows):
    found = [worst(stanford, AlongTrajectory(stanford, swing, N), rows[1]) for N in POINTS]
    assert np.round(found, 2) == pytest.approx([2.77, 1.28, 0.59, 0.29], abs=0.0101)


def test_off_the_path_more_points_do_not_help(stanford, swing, rows):
    off = rows[1]._replace(q=rows[1].q + 0.1)
    found = [worst(stanford, AlongTrajectory(stanford, swing, N, within=np.inf), off) for N in POINTS]
    assert np.round(found, 1) == pytest.approx([8.9, 8.2, 7.9, 7.7])


def test_linear_in_time_the_errors_are_those_measured(stanford, swing, rows):
    t, state = rows
    methods = [AlongTrajectory(stanford, swing, N, lookup="time") for N in POINTS]
    found = [worst(stanford, method, state, t=t) for method in methods]
    assert np.round(found, 3) == pytest.approx([0.376, 0.089, 0.024, 0.017])


def test_without_times_the_nearest_place_of_the_line_is_used(stanford, swing, rows):
    nearest, line = (AlongTrajectory(stanford, swing, 40, lookup=how) for how in ("nearest", "time"))
    assert worst(stanford, line, rows[1]) < 0.2 * worst(stanford, nearest, rows[1])


@pytest.mark.slow
@pytest.mark.parametrize("lookup", ["nearest", "time"])
@pytest.mark.parametrize("derivatives", [False, True])
def test_where_they_are_stored_they_are_exact_for_any_acceleration(stanford, swing, lookup, derivatives):
    method = AlongTrajectory(stanford, swing, 30, lookup=lookup, derivatives=derivatives)
    q, qd, _ = swing.sampled(count=30)[1]
    qdd = np.random.default_rng(0).normal(size=(30, 6))
    assert method.inverse_dynamics(q, qd, qdd) == pytest.approx(
        stanford.inverse_dynamics(q, qd, qdd), abs=1e-12
    )


@pytest.mark.parametrize(
    "make",
    [lambda: strobe.random(4, seed=3, tree=True), lambda: strobe.load("parallelogram")],
    ids=["tree", "coupled"],
)
def test_trees_and_joints_that_follow_others_are_stored_too(make):
    robot = make()
    start, end = robot.random_state(seed=1, batch=2)[0]
    motion = robot.plan([start, end], "quintic", times=[0, 2])
    state = motion.sampled(count=9)[1]
    found = AlongTrajectory(robot, motion, 9).inverse_dynamics(*state)
    assert found == pytest.approx(robot.inverse_dynamics(*state), abs=1e-10)


@pytest.mark.slow
def test_with_derivatives_errors_fall_with_the_square_of_the_distance(stanford, swing):
    plain, first = (
        AlongTrajectory(stanford, swing, 10, derivatives=with_them, within=9) for with_them in (False, True)
    )
    q, qd, qdd = swing.sampled(count=10)[1]
    direction = np.random.default_rng(0).normal(size=(2, 6))
    ratios = []
    for method in (plain, first):
        far, near = (
            worst(stanford, method, (q + h * direction[0], qd + h * direction[1], qdd))
            for h in (0.02, 0.01)
        )
        ratios.append(far / near)
    assert ratios == pytest.approx([2, 4], rel=0.1)


@pytest.mark.slow
def test_off_the_path_derivatives_recover_what_points_do_not(stanford, swing, rows):
    off = rows[1]._replace(q=rows[1].q + 0.1)
    method = AlongTrajectory(stanford, swing, 40, derivatives=True, within=1)
    assert worst(stanford, method, off) < 0.5  # 7.9 without


def test_what_is_far_from_the_motion_is_refused_with_joint_value_and_bound(stanford, swing, rows):
    method = AlongTrajectory(stanford, swing, 80)
    q, qd, qdd = (each[100] for each in rows[1])
    with pytest.raises(ArgumentError) as refused:
        method.inverse_dynamics(q + np.array([0, 0.3, 0, 0, 0, 0]), qd, qdd)
    assert str(refused.value) == (
        "state 0 is 0.29 away in q from the nearest that is stored, which holds within 0.03995: q of joint2 is 1.25, "
        "and 0.9658 there. Stay nearer, allow more with within=, or compute the torque."
    )
    with pytest.raises(ArgumentError, match=r"state 1 is 2 away in qd .* qd of joint6 is 2\.916"):
        method.inverse_dynamics(np.stack([q, q]), np.stack([qd, qd + np.array([0, 0, 0, 0, 0, 2])]), qdd)


def test_what_it_says_about_its_errors_is_what_is_found(stanford, swing):
    """States as far away as is allowed are 8 times worse than those of the motion, however many points there are."""
    for points in POINTS:
        method = AlongTrajectory(stanford, swing, points)
        assert method.error.max() == pytest.approx(worst(stanford, method, swing.sampled(count=1001)[1]))
        q, qd, qdd = swing.sampled(count=points)[1]
        shift = np.random.default_rng(5).normal(size=(50, 1, 6))
        shift *= 0.999 * method.within[0] / np.linalg.norm(shift, axis=-1, keepdims=True)
        found = worst(stanford, method, (q + shift, qd, np.broadcast_to(qdd, (50, points, 6))))
        assert found == pytest.approx(method.error_at_bound.max(), rel=0.25)
        assert method.error_at_bound.max() < 10 * method.error.max()
        assert f"off by up to {method.error.max():.3g}; as far away" in method.notes[2]


def test_the_motion_itself_is_never_refused(stanford, swing):
    for points in (2, 3, 10):
        for lookup in ("nearest", "time"):
            method = AlongTrajectory(stanford, swing, points, lookup=lookup)
            tau = method.inverse_dynamics(*swing.sampled(count=777)[1])
            assert np.isfinite(tau).all()


def test_the_distance_is_part_of_the_answer(stanford, swing):
    method = AlongTrajectory(stanford, swing, 10)
    q, qd, _ = swing.sampled(count=10)[1]
    shift = np.array([0.03, 0.04, 0, 0, 0, 0])
    assert method.distance(q + shift, qd) == pytest.approx(np.tile([0.05, 0.0], (10, 1)))
    assert AlongTrajectory(stanford, swing, 10, scale=0.5).distance(q + shift, qd)[0] == pytest.approx(
        [0.1, 0]
    )


def test_a_time_that_the_state_does_not_belong_to_is_refused(stanford, swing):
    method = AlongTrajectory(stanford, swing, 40, lookup="time")
    with pytest.raises(ArgumentError, match="away in q from the nearest that is stored"):
        method.inverse_dynamics(*swing(1.0), t=0.2)
    with pytest.raises(
        ArgumentError, match=r"time 3 s is outside the motion, which lasts from 0 to 1\.86667 s"
    ):
        method.inverse_dynamics(*swing(1.0), t=3.0)
    with pytest.raises(ShapeError, match="it is a time for each state"):
        method.inverse_dynamics(*swing(1.0), t=[0.1, 0.2])
    with pytest.raises(ArgumentError, match='lookup="nearest" looks up states'):
        AlongTrajectory(stanford, swing, 10).inverse_dynamics(*swing(1.0), t=1.0)


def test_what_is_not_known_gives_what_is_not_known(stanford, swing):
    q, qd, qdd = swing(np.array([0.1, 0.2]))
    q[0, 3] = np.nan
    for lookup in ("nearest", "time"):
        found = AlongTrajectory(stanford, swing, 10, lookup=lookup).inverse_dynamics(q, qd, qdd)
        assert np.isnan(found[0]).all()
        assert np.isfinite(found[1]).all()
    q[0, 3] = np.inf
    with pytest.raises(ArgumentError, match="q of joint4 is inf"):
        AlongTrajectory(stanford, swing, 10).inverse_dynamics(q, qd, qdd)


def test_friction_is_added_as_it_is():
    puma = strobe.load("puma560")
    motion = puma.plan([np.zeros(6), 0.5 * np.ones(6)], "quintic", times=[0, 1])
    method = AlongTrajectory(puma, motion, 11, within=9)
    q, qd, qdd = motion.sampled(count=11)[1]
    assert method.inverse_dynamics(q, qd, qdd) == pytest.approx(
        puma.inverse_dynamics(q, qd, qdd), abs=1e-10
    )
    tau = method.inverse_dynamics(q[:1], [[-1e-2] * 6], qdd[:1]) - method.inverse_dynamics(
        q[:1], qd[:1], qdd[:1]
    )
    assert tau[0, 0] < -20  # joint 1 turns back


def test_joints_in_another_order_are_put_in_order(stanford, swing, rows):
    order = [5, 3, 1, 0, 2, 4]
    names = tuple(swing.joint_names[k] for k in order)
    shuffled = replace(swing, joint_names=names, coefficients=swing.coefficients[:, order])
    here, there = (AlongTrajectory(stanford, motion, 10) for motion in (swing, shuffled))
    assert (here.inverse_dynamics(*rows[1]) == there.inverse_dynamics(*rows[1])).all()


def test_a_motion_of_other_joints_is_refused_by_name(stanford, swing):
    other = replace(swing, joint_names=("a", *swing.joint_names[1:]))
    with pytest.raises(ArgumentError, match="the motion has no joint joint1, which stanford has"):
        AlongTrajectory(stanford, other)


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [
        ({"points": 1}, "points is 1; expected a whole number, 2 or more."),
        ({"lookup": "far"}, 'lookup is \'far\'; expected "nearest" or "time".'),
        (
            {"within": -1},
            "within is -1; expected a distance, zero or more, or two of them: in q and in qd.",
        ),
        (
            {"within": "near"},
            "within is 'near'; expected a distance, zero or more, or two of them: in q and in qd.",
        ),
        (
            {"scale": 0},
            "scale is 0; expected a number above zero, or one for each of the 12 positions and velocities of "
            "stanford.",
        ),
        ({"budget": -1}, "budget is -1; expected bytes of memory, zero or more."),
        (
            {"budget": 4000, "points": 10},
            "D and E at 10 points of a motion takes 4,320 bytes; the budget is 4,000.",
        ),
    ],
)
def test_bad_arguments_are_refused(stanford, swing, keywords, sentence):
    with pytest.raises(ArgumentError) as refused:
        AlongTrajectory(stanford, swing, **keywords)
    assert str(refused.value) == sentence


def test_what_is_no_motion_is_refused(stanford, swing):
    with pytest.raises(ArgumentError, match="motion is a list; expected a planned Trajectory"):
        AlongTrajectory(stanford, ENDS)
    with pytest.raises(ArgumentError, match="the motion has no duration"):
        AlongTrajectory(stanford, replace(swing, times=np.zeros_like(swing.times)))


def test_joints_with_quaternions_are_refused_by_name(swing):
    robot = strobe.random(1, seed=0, kinds="F")
    with pytest.raises(UnsupportedModelError, match=f"{robot.joint_names[0]} turns by quaternions"):
        AlongTrajectory(robot, swing)


@pytest.mark.parametrize("derivatives", [False, True])
def test_its_size_is_known_before_it_is_made(stanford, swing, derivatives):
    method = AlongTrajectory(stanford, swing, 25, derivatives=derivatives)
    assert method.memory == size(stanford, 25, derivatives)
    assert size(stanford, 1, derivatives) == 8 * (12 + 42 + (288 if derivatives else 0))
    assert method.operations.lookups >= 42
    assert method.preparation > 0
    assert "refuses states farther away" in method.notes[0]


def test_things_stored_are_mixed_entry_by_entry(stanford):
    parts = [Stored.at(stanford, *(x[None] for x in stanford.random_state(seed=k)[:2])) for k in (0, 1)]
    half = mixed(parts, (0.25, 0.75))
    assert pytest.approx(0.25 * parts[0].D + 0.75 * parts[1].D) == half.D
    assert half.q == pytest.approx(0.25 * parts[0].q + 0.75 * parts[1].q)
    assert half.slopes is None
