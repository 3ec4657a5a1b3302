"""Requests that arrive one after another become one motion, without a jump in position or velocity."""

import json

import numpy as np
import pytest

import strobe
from strobe.control.request_timeline import Planning, Stop, Timeline
from strobe.errors import ArgumentError
from strobe.trajectory.requests import request

HERE, THERE = (0.3, 0.9, 0.6, -0.4, 0.7, 1.1), (1.2, 1.3, 0.8, 1, -0.6, 1.5)
BOUNDS = {"velocity": (1, 1, 0.6, 2, 2, 2), "acceleration": (1.5, 1.5, 0.8, 4, 4, 4)}


@pytest.fixture(scope="module")
def stanford():
    return strobe.load("stanford")


@pytest.fixture(scope="module")
def planning(stanford):
    return Planning(stanford, bounds=BOUNDS)


def kept(motion, slack=1e-9):
    """Whether velocities and accelerations stay in bounds, and position and velocity do not jump at any knot."""
    for order, name in ((1, "velocity"), (2, "acceleration")):
        found = motion.extremes(order)
        assert (np.maximum(found.largest, -found.least) <= np.array(BOUNDS[name]) * (1 + slack)).all()
    knots, small = motion.times[1:-1], 1e-7
    before, after = motion(knots - small), motion(knots)
    np.testing.assert_allclose(after.q, before.q, atol=1e-6)
    np.testing.assert_allclose(after.qd, before.qd, atol=4.1 * small + 1e-9)


@pytest.mark.parametrize("time", [0.05, 0.3, 0.6, 0.9333, 1.2, 1.5])
def test_a_request_that_arrives_while_moving_is_planned_from_the_state_wanted_then(planning, time):
    alone = planning.timeline([HERE, THERE]).motion
    both = planning.timeline([(0.0, [HERE, THERE]), (time, [HERE])]).motion
    early = np.linspace(0, time * (1 - 1e-9), 50)
    np.testing.assert_allclose(both(early).q, alone(early).q, atol=1e-12)
    np.testing.assert_allclose(both(time).q, alone(time).q, atol=1e-12)
    np.testing.assert_allclose(both(time).qd, alone(time).qd, atol=1e-12)
    np.testing.assert_allclose(both(both.duration).q, HERE, atol=1e-9)
    np.testing.assert_allclose(both(both.duration).qd, 0, atol=1e-9)
    kept(both)


def test_twenty_requests_at_random_times_stay_within_bounds(planning, stanford):
    rng = np.random.default_rng(4)
    places = 0.75 + 0.35 * rng.uniform(-1, 1, (20, 6))
    times = np.cumsum(rng.uniform(0.05, 0.9, 20))
    arrivals = [(0.0, [HERE, THERE]), *((t, [place]) for t, place in zip(times, places, strict=True))]
    motion = planning.timeline(arrivals).motion
    kept(motion)
    np.testing.assert_allclose(motion(motion.duration).q, places[-1], atol=1e-9)


def test_several_points_lie_ahead_of_a_later_request(planning):
    via = (0.8, 1.0, 0.7, 0.2, 0.1, 1.3)
    motion = planning.timeline([(0.0, [HERE, THERE]), (0.5, [via, HERE])]).motion
    kept(motion)
    at = motion.points[-2]
    np.testing.assert_allclose(motion(at).q, via, atol=1e-9)


def test_a_later_request_may_ask_for_the_hand_or_come_from_a_file(planning, stanford, tmp_path):
    goal = stanford.forward_kinematics(np.array(THERE))
    (tmp_path / "r.json").write_text(json.dumps({"points": [{"pose": goal.tolist()}]}))
    hand, file = (
        planning.timeline([(0.0, [HERE, THERE]), (0.7, later)]).motion
        for later in ({"points": [{"pose": goal}]}, tmp_path / "r.json")
    )
    np.testing.assert_allclose(stanford.forward_kinematics(hand(hand.duration).q), goal, atol=1e-8)
    np.testing.assert_array_equal(hand.coefficients, file.coefficients)
    kept(hand)


def test_a_request_that_is_made_already_begins_where_the_arm_is(planning, stanford):
    made = request(stanford, [THERE, HERE], **BOUNDS)
    motion = Planning(stanford).timeline([(0.0, made), (0.4, made)]).motion
    again = planning.timeline([(0.0, [THERE, HERE]), (0.4, [THERE, HERE])]).motion
    kept(motion)
    assert motion.duration == pytest.approx(again.duration)


def test_the_arm_waits_for_a_request_that_arrives_after_the_end(planning):
    first = planning.timeline([HERE, THERE]).motion
    motion = planning.timeline([(0.0, [HERE, THERE]), (first.duration + 1, [HERE])]).motion
    waiting = motion(first.duration + np.linspace(0.01, 0.99, 9))
    np.testing.assert_allclose(waiting.q, np.tile(THERE, (9, 1)), atol=1e-12)
    assert not waiting.qd.any()
    assert motion.duration == pytest.approx(2 * first.duration + 1)


def test_a_planner_that_starts_from_rest_is_preceded_by_a_stop(stanford):
    blends = Planning(stanford, "blends", BOUNDS)
    motion = blends.timeline([(0.0, [HERE, THERE]), (0.6, [HERE])]).motion
    kept(motion)
    assert "the arm stops first, within" in motion.notes[-1]
    assert "blends starts and ends at rest" in motion.notes[-1]
    np.testing.assert_allclose(motion(motion.duration).q, HERE, atol=1e-9)


def test_a_request_for_less_speed_than_the_arm_has_is_preceded_by_a_stop(stanford):
    slow = {"bounds": {"velocity": 0.1, "acceleration": 1.0}, "points": [{"q": HERE}]}
    fast = {"bounds": {"velocity": 2, "acceleration": 1.5}, "points": [{"q": HERE}, {"q": THERE}]}
    motion = Planning(stanford).timeline([(0.0, fast), (0.6, slow)]).motion
    assert 'the state at 0.6 s has joint "joint1" at velocity' in motion.notes[-1]
    late = motion(np.linspace(motion.duration - 3, motion.duration, 100))
    assert np.abs(late.qd).max() <= 0.1 + 1e-9


def test_bounds_on_jerk_are_kept_before_and_after_a_request_arrives(stanford):
    smooth = Planning(stanford, "quintic", BOUNDS | {"jerk": 60.0})
    motion = smooth.timeline([(0.0, [HERE, THERE]), (0.6, [HERE])]).motion
    assert motion.notes == (
        "the state at 0.6 s: accelerations may jump there; bounds on jerk are kept before and after.",
    )
    found = motion.extremes(3)
    assert np.maximum(found.largest, -found.least).max() <= 60 * (1 + 1e-9)
    kept(motion)


def test_a_planner_may_be_a_function_of_the_request(stanford):
    from strobe.trajectory.constant_acceleration import plan

    asked = []

    def mine(made):
        asked.append(made)
        return plan(made)

    motion = Planning(stanford, mine, BOUNDS).timeline([(0.0, [HERE, THERE]), (0.5, [HERE])]).motion
    named = Planning(stanford, None, BOUNDS).timeline([(0.0, [HERE, THERE]), (0.5, [HERE])]).motion
    assert len(asked) == 2
    with pytest.raises(ArgumentError, match="the planner returned a list; expected a Trajectory"):
        Planning(stanford, lambda made: [], BOUNDS).timeline([HERE, THERE])
    np.testing.assert_array_equal(motion.coefficients, named.coefficients)


def test_a_stop_comes_to_rest_sooner_than_the_motion(planning):
    whole = planning.timeline([HERE, THERE]).motion
    stopped, unkept = planning.timeline([HERE, THERE], stop_at=0.5)
    assert unkept == ()
    kept(stopped)
    speed = np.abs(whole(0.5).qd)
    assert stopped.duration == pytest.approx(0.5 + (speed / BOUNDS["acceleration"]).max())
    assert stopped.method == "constant-acceleration, stop"
    same = planning.timeline([(0.0, [HERE, THERE]), Stop(0.5)]).motion
    np.testing.assert_array_equal(same.coefficients, stopped.coefficients)


def test_after_a_stop_another_request_may_come(planning):
    motion = planning.timeline([(0.0, [HERE, THERE]), Stop(0.5), (0.6, [HERE])]).motion
    kept(motion)
    np.testing.assert_allclose(motion(motion.duration).q, HERE, atol=1e-9)


def test_a_stop_that_overruns_a_limit_says_so(stanford):
    motion = stanford.plan([HERE, THERE], **BOUNDS)
    narrow = BOUNDS | {"upper": (9, 9, 0.65, 9, 9, 9)}
    _, unkept = Planning(stanford, bounds=narrow).timeline(motion, stop_at=0.9)
    assert unkept[0].startswith('the stop at 0.9 s: joint "joint3" overruns its upper limit 0.65 by ')


def test_a_planned_motion_goes_on_only_from_where_it_begins(planning, stanford):
    first, back = (stanford.plan(points, **BOUNDS) for points in ([HERE, THERE], [THERE, HERE]))
    both = planning.timeline([(0.0, first), (first.duration, back)]).motion
    np.testing.assert_allclose(both(both.duration).q, HERE, atol=1e-9)
    with pytest.raises(ArgumentError) as caught:
        planning.timeline([(0.0, first), (1.0, back)])
    said = str(caught.value)
    assert said.startswith('request 2, at 1 s: the motion begins with joint "joint4" at position 1, but ')
    assert "the state at 1 s has" in said


def test_points_of_a_robot_with_two_joints_are_no_timed_requests():
    planar2 = strobe.load("planar2")
    motion = Planning(planar2, bounds={"acceleration": 5}).timeline([(0.0, 0.3), (0.8, 0.9)]).motion
    np.testing.assert_allclose(motion(0.0).q, [0.0, 0.3])


def test_a_timeline_stays_as_it_is(planning):
    line = planning.timeline([HERE, THERE])
    assert planning.timeline(line) is line
    assert planning.timeline(line, stop_at=0.5).motion.duration < line.motion.duration
    assert isinstance(line, Timeline)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ([(0.5, [HERE, THERE])], "the first request arrives at 0.5 s; expected 0: there the run begins."),
        (
            [(0.0, [HERE, THERE]), (0.0, [HERE])],
            "a request at 0 s follows one at 0 s; expected rising times.",
        ),
        ([(0.0, [HERE, THERE]), Stop(float("nan"))], "a request at nan s follows one at 0 s"),
        ([Stop(0.0)], "there is nothing to stop; expected a request before it."),
        (
            [(0.0, [HERE, THERE]), (0.5, [(0, 0, 2.0, 0, 0, 0)])],
            'request 2, at 0.5 s: point 1 puts joint "joint3" at 2, above its upper bound 1.27.',
        ),
        ([HERE, (0, 0, 0.1, 0, 0, 0)], 'point 2 puts joint "joint3" at 0.1, below its lower bound 0.3048.'),
        ([(0.0, [HERE, THERE]), (0.5, "no.toml")], "request 2, at 0.5 s: no.toml: cannot be read"),
        ({"points": [{"q": HERE}, {"position": [9, 0, 0]}]}, "point 2: "),
        ([HERE], "the request has 1 point; a motion needs two or more."),
    ],
)
def test_what_cannot_be_is_refused_with_the_request_the_point_and_the_joint(planning, asked, sentence):
    with pytest.raises(ArgumentError) as caught:
        planning.timeline(asked)
    assert str(caught.value).startswith(sentence)
