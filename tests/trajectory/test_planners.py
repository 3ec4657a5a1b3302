"""One interface for all planners: what every one of them keeps, and how one is chosen."""

from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, UnknownNameError
from strobe.trajectory import near_minimum_time as module
from strobe.trajectory.planners import DEFAULT, METHODS
from strobe.trajectory.requests import request

POINTS = [(0, 0.3), (1, 0.6), (1.6, 1.4)]
V, A = (3.0, 4.0), (6.0, 9.0)
STOPPING = {"jerk-limited"}  # needs velocities at all points
MISSING = {"blends"}  # passes points at a distance
needs_ruckig = pytest.mark.skipif(find_spec("ruckig") is None, reason="ruckig is not installed")
THROUGH_POINTS = [
    pytest.param(name, marks=needs_ruckig) if name in STOPPING else name
    for name in METHODS
    if name != "near-minimum-time"  # which plans between two
]
SMOOTH = {name for name, method in METHODS.items() if method.smooth}


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


def options(name, points):
    given = {"velocity": V, "acceleration": A}
    if name in STOPPING:
        given |= {"qd": np.zeros((len(points), 2)), "jerk": 100}
    return given


@pytest.mark.parametrize("name", THROUGH_POINTS)
def test_every_method_leads_from_rest_through_the_points_to_rest_within_bounds(arm, name):
    motion = arm.plan(POINTS, name, **options(name, POINTS))
    assert motion.method == name
    assert len(motion.points) == len(POINTS)
    assert (motion.points[0], motion.points[-1]) == (0, pytest.approx(motion.duration, abs=1e-8))
    there = motion(motion.points)
    passed = [0, -1] if name in MISSING else slice(None)
    np.testing.assert_allclose(there.q[passed], np.array(POINTS)[passed], atol=1e-6)
    np.testing.assert_allclose(there.qd[[0, -1]], 0, atol=1e-6)
    for order, bound in ((1, V), (2, A)):
        found = motion.extremes(order)
        assert (np.maximum(-found.least, found.largest) <= np.array(bound) * (1 + 1e-6)).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", THROUGH_POINTS)
@pytest.mark.parametrize(
    "points",
    [
        [(0, 0.5), (0, 0.5), (1, 0.9)],  # twice the same
        [(0, 0.5), (1, 0.9), (1 + 1e-10, 0.9), (0.4, 1.4)],  # nearly the same
        [(0, 0.5), (1, 0.9), (0, 0.5)],  # there and back
        [(0, 0.5), (1e-7, 0.5)],  # hardly a motion
    ],
)
def test_repeated_points_and_ways_back_are_planned_by_every_method(arm, name, points):
    motion = arm.plan(points, name, **options(name, points))
    np.testing.assert_allclose(motion(motion.duration).q, points[-1], atol=1e-6)
    assert np.isfinite(motion.sampled(count=50)[1].qdd).all()


def test_a_request_names_its_method_and_a_caller_another(arm):
    data = {"method": "quintic", "bounds": {"acceleration": 5}, "points": [{"q": p} for p in POINTS]}
    assert arm.plan(data).method == "quintic"
    assert arm.plan(data, "cubic").method == "cubic"
    assert arm.plan(POINTS, acceleration=5).method == DEFAULT


def test_requests_of_all_kinds_are_taken(arm, tmp_path):
    path = tmp_path / "request.toml"
    path.write_text("bounds.acceleration = 5\npoints = [{q = [0, 0]}, {q = [1, 0]}]", encoding="utf-8")
    expected = arm.plan([(0, 0), (1, 0)], acceleration=5).duration
    for asked in (path, str(path), request(arm, [(0, 0), (1, 0)], acceleration=5)):
        assert arm.plan(asked).duration == expected


def test_a_wrong_name_and_a_lost_option_are_refused(arm):
    with pytest.raises(UnknownNameError, match=r'no method "cubix" in strobe\. Did you mean .cubic'):
        arm.plan(POINTS, "cubix", acceleration=5)
    with pytest.raises(ArgumentError, match=r"velocity: these options go with joint positions"):
        arm.plan({"points": []}, velocity=3)
    with pytest.raises(ArgumentError, match=r"the request was made for planar2, not for panda\."):
        strobe.load("panda").plan(request(arm, POINTS, acceleration=5))


@pytest.mark.parametrize("name", sorted(set(METHODS) - SMOOTH))
def test_a_bound_on_jerk_is_never_ignored(arm, name):
    with pytest.raises(
        ArgumentError, match=rf"{name} keeps no bound on jerk\. Leave it out, or plan with one of"
    ):
        arm.plan(POINTS, name, acceleration=5, jerk=9)


# -- under torque limits ------------------------------------------------------------------------------------


def test_under_torque_limits_no_torque_exceeds_its_limit_and_one_is_used_up(arm):
    motion = arm.plan(POINTS, "torque-limited", velocity=np.inf)
    t = motion.sampled(count=20_001)[1]
    share = np.abs(arm.inverse_dynamics(*t)) / arm.limits.effort
    assert 0.97 < share.max() <= 1 + 1e-9


def test_less_torque_takes_more_time(arm):
    strong, weak = (
        arm.plan(POINTS, "torque-limited", velocity=np.inf, effort=e).duration for e in ((30, 12), (20, 8))
    )
    assert weak > 1.1 * strong


def test_an_envelope_keeps_to_the_lines(arm):
    motion = arm.plan(POINTS, "torque-limited", envelope=0.01)
    q = motion.sampled(count=2001)[1].q
    far = np.full(len(q), np.inf)
    for a, b in pairwise(np.array(POINTS)):
        share = np.clip((q - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        far = np.minimum(far, np.linalg.norm(q - a - share[:, None] * (b - a), axis=1))
    assert far.max() <= 0.01 * (1 + 1e-9)


@pytest.mark.slow
def test_a_path_of_its_own_is_no_slower_than_the_straight_one(arm, monkeypatch):
    monkeypatch.setattr(module, "GENERATIONS", 10)  # few, for the sake of time
    ends = [POINTS[0], POINTS[-1]]
    motion, straight = (
        arm.plan(ends, name, velocity=V) for name in ("near-minimum-time", "torque-limited")
    )
    assert motion.method == "near-minimum-time"
    assert motion.duration <= straight.duration * (1 + 1e-3)
    assert "at constant accelerations" in motion.notes[-1]
    np.testing.assert_allclose(motion(motion.duration).q, POINTS[-1], atol=1e-6)


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("torque-limited", {"times": [0, 5, 9]}, r"torque-limited chooses its own times"),
        (
            "torque-limited",
            {"qd": [(0, 0), (1, 0), (0, 0)]},
            r'point 2 asks joint "joint1" for velocity 1, but torque-limited chooses velocities between the ends',
        ),
        ("torque-limited", {"effort": (1, 12)}, r'joint "joint1" needs .* its limit is 1 '),
        ("torque-limited", {"effort": (30, 0)}, r'the effort bound of joint "joint2" is 0; expected'),
        (
            "torque-limited",
            {"effort": np.inf},
            r'"joint1" of planar2 has no limit on its torque or its acceleration',
        ),
        ("near-minimum-time", {}, r"near-minimum-time plans between two points; the request has 3\."),
    ],
)
def test_what_torque_limits_do_not_allow_is_refused(arm, name, given, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        arm.plan(POINTS, name, **given)


def test_what_torque_limits_do_not_allow_is_told_by_the_labels_of_the_points(arm):
    with pytest.raises(
        ArgumentError, match=r"along the path, between home and the box, joint .* to hold still"
    ):
        arm.plan(POINTS[:2], "torque-limited", effort=(1, 12), labels=("home", "the box"))
    with pytest.raises(ArgumentError, match=r"along the path, at home, joint .* to hold still"):
        arm.plan(POINTS[:2], "near-minimum-time", effort=(1, 12), labels=("home", "the box"))


def test_a_spline_beyond_a_bound_is_refused_and_its_lines_are_not(arm):
    points, room = [(0, 0.3), (1, 0.6), (1, 1.4)], {"upper": (1, 2)}
    sentence = r'from point 2 to point 3 joint "joint1" would go to 1\.\d+, above its upper bound 1\. Add points, or'
    with pytest.raises(ArgumentError, match=sentence):
        arm.plan(points, "torque-limited", **room)
    motion = arm.plan(points, "torque-limited", envelope=0.01, **room)
    assert motion.extremes(0).largest[0] <= 1 + 1e-9


def test_near_minimum_time_takes_no_envelope(arm):
    with pytest.raises(ArgumentError, match=r"near-minimum-time chooses its path: leave the envelope out"):
        arm.plan([POINTS[0], POINTS[-1]], "near-minimum-time", envelope=0.1)
