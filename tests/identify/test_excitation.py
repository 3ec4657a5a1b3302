"""Excitation: motions keep their bounds at every time, rest at both ends, and tell more than random ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import strobe
from strobe.errors import ArgumentError, StrobeError, UnsupportedModelError
from strobe.identify import Excitation, excite
from strobe.identify.felt_rows import FeltRows
from strobe.identify.information import OBJECTIVES, Prospect
from strobe.identify.motion_bounds import Box, MotionBounds
from strobe.identify.motion_proof import most_used
from strobe.identify.rest_motions import FAMILIES
from strobe.models.random_robots import random_model
from strobe.robot import Robot
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.requests import Bounds

QUICK = {"duration": 4.0, "waves": 3}
EVERY = ("rotor", "viscous", "quadratic", "coulomb", "offset", "spring")


def states(motion: Trajectory):
    return motion(np.linspace(0.0, motion.duration, 5003))


def require_kept(found: Excitation) -> None:
    b, robot = found.bounds, found.robot
    for motion in found.motions:
        q, qd, qdd = states(motion)
        assert (q >= b.lower - 1e-12).all()
        assert (q <= b.upper + 1e-12).all()
        assert (np.abs(qd) <= b.velocity).all()
        assert (np.abs(qdd) <= b.acceleration).all()
        if not robot.model.without_dynamics:
            assert (np.abs(robot.inverse_dynamics(q, qd, qdd)) <= b.effort).all()


def require_rest(motion: Trajectory) -> None:
    """At rest at both ends, which are one place; positions, velocities and accelerations do not jump."""
    first, last = (motion(t) for t in (0.0, motion.duration))
    assert first.q == pytest.approx(last.q, abs=1e-12)
    for end in (first, last):
        assert np.abs(end.qd).max() < 1e-12
        assert np.abs(end.qdd).max() < 1e-12
    inside = motion.times[1:-1]
    for before, after in zip(motion(inside - 1e-9), motion(inside + 1e-9), strict=True):
        assert before == pytest.approx(after, abs=1e-5)


# -- laws -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["fourier", "spline"])
def test_a_motion_rests_at_both_ends_keeps_its_bounds_and_tells_more_than_a_random_one(kind):
    found = excite(strobe.load("planar2"), kind=kind, friction=("viscous", "coulomb"), **QUICK)
    (motion,) = found.motions
    assert motion.method == kind
    require_rest(motion)
    require_kept(found)
    assert found.used[0].share <= 1
    assert found.found.size > found.random.size + 5
    assert np.exp(np.log(found.found.deviations / found.random.deviations).mean()) < 0.7


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 999), st.sampled_from(["fourier", "spline"]))
def test_bounds_hold_at_every_time_of_motions_of_random_robots(seed, kind):
    robot = Robot(random_model(2, seed, kinds="RP"))
    heavy = 2 * np.abs(robot.gravity(robot.random_state(seed=0, batch=300)[0])).max(axis=0) + 10
    found = excite(robot, kind=kind, acceleration=20.0, effort=heavy, seed=seed, **QUICK)
    require_rest(found.motions[0])
    require_kept(found)
    assert found.found.size >= found.random.size


def test_the_same_question_has_the_same_answer():
    arm = strobe.load("planar2")
    one, other = (excite(arm, seed=3, **QUICK).motions[0] for _ in range(2))
    assert (one.coefficients == other.coefficients).all()


def test_torque_bounds_hold_where_friction_jumps():
    arm = strobe.load("planar2")  # its second joint has Coulomb friction
    effort = [18.0, 4.0]
    found = excite(arm, effort=effort, **QUICK)
    q, qd, qdd = states(found.motions[0])
    used = np.abs(arm.inverse_dynamics(q, qd, qdd)).max(axis=0) / effort
    assert 0.9 < used.max() <= 1


def test_a_workspace_is_kept():
    arm = strobe.load("planar2")
    found = excite(arm, workspace=([-0.5, 0.1, -1.0], [0.9, 2.0, 1.0]), **QUICK)
    place = arm.forward_kinematics(states(found.motions[0]).q)[:, :3, 3]
    assert (place >= [-0.5, 0.1, -1.0]).all()
    assert (place <= [0.9, 2.0, 1.0]).all()
    open_ = excite(arm, workspace=([-0.5, -np.inf, -1.0], [0.9, np.inf, 1.0]), **QUICK)
    assert (arm.forward_kinematics(states(open_.motions[0]).q)[:, 0, 3] <= 0.9).all()


def test_jerks_are_bounded_where_asked():
    found = excite(strobe.load("planar2"), jerk=30.0, **QUICK)
    extremes = found.motions[0].extremes(3)
    assert max(extremes.largest.max(), -extremes.least.min()) <= 30


def test_a_motion_begins_where_it_is_asked_to():
    found = excite(strobe.load("planar2"), start=[0.1, 0.3], **QUICK)
    assert found.motions[0](0.0).q == pytest.approx([0.1, 0.3])


def test_a_second_motion_tells_more_and_earlier_data_count():
    arm = strobe.load("planar2")
    one, two = excite(arm, **QUICK), excite(arm, motions=2, **QUICK)
    assert (two.motions[0].coefficients == one.motions[0].coefficients).all()
    assert (two.found.deviations < one.found.deviations).all()
    after = excite(arm, known=one.found.information, **QUICK)
    assert (after.found.deviations < one.found.deviations).all()


def test_the_condition_can_be_what_is_made_best():
    found = excite(strobe.load("planar2"), objective="condition", **QUICK)
    assert found.found.condition < found.random.condition
    assert found.found.condition < 2


def test_expected_errors_are_those_of_least_squares():
    """Base parameters estimated from noisy torques scatter as the motion said they would."""
    arm, noise = strobe.load("planar2"), np.array([0.3, 0.1])
    found = excite(arm, noise=noise, rate=100.0, **QUICK)
    motion = found.motions[0]
    W = found.felt.at(motion(np.linspace(0.0, motion.duration, 401))).reshape(-1, found.felt.size)
    rng = np.random.default_rng(0)
    estimates = [np.linalg.lstsq(W, rng.standard_normal(len(W)), rcond=None)[0] for _ in range(2000)]
    assert np.std(estimates, axis=0) == pytest.approx(found.found.deviations, rel=0.1)


# -- slopes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", ["planar2", "stanford"])
def test_slopes_along_a_motion_are_those_of_finite_differences(name, objective):
    arm = strobe.load(name)
    rng = np.random.default_rng(1)
    n, count = arm.nv, 40
    state = tuple(rng.normal(size=(3, count, n)))
    felt = FeltRows.of(arm, EVERY, np.linspace(1, 2, n), np.full(n, 0.1), state)
    known = 1e-2 * np.eye(felt.size)
    way = rng.normal(size=(3, count, n))

    def value(s: float):
        W = felt.at(tuple(x + s * d for x, d in zip(state, way, strict=True)), soft=True)
        return OBJECTIVES[objective](W.reshape(-1, felt.size), known)

    V = value(0.0)[1].reshape(count, n, -1)
    slope = sum((g * d).sum() for g, d in zip(felt.slopes(state, V), way, strict=True))
    assert slope == pytest.approx((value(1e-6)[0] - value(-1e-6)[0]) / 2e-6, rel=1e-5)


def test_condition_and_errors_of_a_prospect_are_those_of_its_rows():
    W = np.random.default_rng(0).normal(size=(50, 4)) * [1, 10, 0.1, 1000]
    told = Prospect(W.T @ W)
    assert told.condition == pytest.approx(np.linalg.cond(W / np.linalg.norm(W, axis=0)))
    assert told.deviations == pytest.approx(np.sqrt(np.diag(np.linalg.inv(W.T @ W))))
    nothing = Prospect(np.diag([1.0, 0.0]))
    assert nothing.condition == np.inf
    assert np.isinf(nothing.deviations).all()


# -- what cannot be told --------------------------------------------------------------------------------


def test_what_no_motion_tells_by_itself_is_named():
    arm = strobe.load("planar2")
    rotors = excite(arm, friction=["rotor"], **QUICK)
    assert rotors.untold == ("Ia joint1",)  # its rotor turns with the first body
    assert (
        "Ia joint1"
        in rotors.names[rotors.felt.names.index(next(n for n in rotors.names if "Ia joint1" in n))]
    )
    held = excite(arm, lower=[0, -1], upper=[0, 1], **QUICK)
    assert held.untold == ("mcy1", "Izz1")
    assert np.ptp(held.motions[0](np.linspace(0, 4, 99)).q[:, 0]) == 0
    assert "no motion within the bounds tells by itself: mcy1, Izz1." in held.notes


# -- bad input ------------------------------------------------------------------------------------------


def refusal(name: str = "planar2", **asked) -> str:
    with pytest.raises(StrobeError) as caught:
        excite(strobe.load(name), **asked)
    return str(caught.value)


def test_bounds_that_are_missing_are_named_and_how_they_are_given():
    assert refusal("planar3") == (
        'joint "joint1" has no lower bound on its position. Give lower= (one number, or one per joint).'
    )
    assert refusal("puma560").startswith('joint "joint1" has no bound on its velocity. Give velocity=')
    assert refusal("puma560", velocity=2) == (
        'joint "joint1" has no bound on its acceleration and none on its torque. Give acceleration= or effort= (one '
        "number, or one per joint)."
    )


def test_bounds_that_no_motion_keeps_say_which():
    assert refusal(effort=0.01).startswith("no motion keeps these bounds: of 2000 places")
    assert "% of the torque bound of joint" in refusal(effort=0.01)
    assert "outside the workspace" in refusal(workspace=[[5, 5, -1], [6, 6, 1]])
    assert 'joint "joint1" stands too near to the end of its range' in refusal(start=[9, 0])
    assert "leave no joint of planar2 anywhere to go" in refusal(lower=0, upper=0)
    assert "leave it no place" in refusal(lower=1, upper=0)


def test_hardly_any_room_is_used_as_far_as_it_goes():
    """Torques that hold the arm up, or down, and little more: random motions tell nothing."""
    found = excite(strobe.load("planar2"), effort=0.3, **QUICK)
    assert found.random.size == -np.inf or found.random.size < found.found.size
    require_kept(found)


def test_durations_that_are_too_short_say_how_long():
    assert refusal(duration=0.01) == (
        "0.01 s at 100 readings a second are 4 torques, too few for 6 unknown combinations: give duration= of 0.06 s "
        "or more."
    )
    assert "no joint gets farther than" in refusal(duration=1e-3, rate=1e5)
    assert refusal(duration=0) == "duration is 0; expected a time above zero, in seconds."


def test_robots_without_such_motions_are_refused():
    assert "excitation of closed chains is not solved" in refusal("fourbar")
    locked = strobe.load("planar2").lock({"joint1": 0, "joint2": 0})
    with pytest.raises(UnsupportedModelError, match="no joints that move"):
        excite(locked)
    with pytest.raises(ArgumentError, match="one position each"):
        excite(strobe.load("panda").with_base("floating"))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"friction": ["presliding"]}, "depends on more than the state of a joint"),
        ({"friction": ["coulomp"]}, 'there is no term "coulomp". Did you mean'),
        ({"friction": 3}, "friction is 3; expected names"),
        ({"kind": "waves"}, 'no kind "waves"'),
        ({"objective": "size"}, 'no objective "size"'),
        ({"noise": -1}, "noise is the standard deviation"),
        ({"noise": [1, 2, 3]}, "noise has shape (3,)"),
        ({"noise": "much"}, "noise"),
        ({"workspace": 3}, "workspace is no box"),
        ({"workspace": [10**400, 0, 0, 1, 1, 1]}, "workspace"),
        ({"motions": 10**6}, "motions is 1000000; at most 100 are sought."),
        ({"rate": 1e300}, "are too many readings"),
        ({"workspace": [[0, 0, 0], [1, -1, 1]]}, "leaves no place along y"),
        ({"frames": ["tool"]}, "no workspace= was given"),
        ({"known": np.eye(3)}, "known has shape (3, 3)"),
        ({"waves": 1}, "waves"),
        ({"motions": 0}, "motions"),
    ],
)
def test_what_is_asked_wrongly_is_said(asked, said):
    assert said in refusal(**asked)


# -- the proof ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["planar2", "stanford", "panda"])
def test_what_is_proved_lies_just_above_what_is_seen(name):
    """Bounds from intervals are no smaller than the largest of many samples, and hardly larger."""
    robot = strobe.load(name)
    family, n = FAMILIES["fourier"](5.0, 4), robot.nv
    x = 0.3 * np.random.default_rng(0).normal(size=(n, family.size))
    motion = family.motion(tuple(robot.joint_names), robot.random_state(seed=0)[0], x)
    q, qd, qdd = motion(np.linspace(0, 5, 50_001))
    effort = np.full(n, np.abs(robot.inverse_dynamics(q, qd, qdd)).max())
    wide = {key: np.full(n, 1e6) for key in ("upper", "velocity", "acceleration", "jerk")}
    p = robot.forward_kinematics(q)[:, :3, 3]
    flat = 1.0 * (np.ptp(p, axis=0) == 0)  # where the robot is planar
    box = Box((robot.tip,), p.min(axis=0) - flat, p.max(axis=0) + flat)
    for where, kind in ((None, "effort"), (box, "workspace")):
        bounds = Bounds(
            lower=np.full(n, -1e6), effort=effort if where is None else np.full(n, np.inf), **wide
        )
        found = most_used(MotionBounds(robot, bounds, where), motion)
        assert found.kind == kind
        assert 1 <= found.share <= 1.003


def test_a_motion_beyond_its_bounds_is_found_out_between_samples():
    robot = strobe.load("planar2")
    spike = np.zeros((3, 2, 6))
    spike[1, 0, 2:4] = 100.0, -100.0 / 1e-3  # for a thousandth of a second
    motion = Trajectory(
        tuple(robot.joint_names), np.array([0, 1, 1.001, 2]), spike, "spike", np.array([0, 2])
    )
    bounds = Bounds(*(np.full(2, x) for x in (-1.0, 1.0, 1e3, 1e6, np.inf, 5.0)))
    found = most_used(MotionBounds(robot, bounds, None), motion)
    assert found.share > 1
    assert found.kind == "effort"
    assert 1 <= found.at <= 1.001
