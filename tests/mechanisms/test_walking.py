"""A walk: feet that stand do not move, the zero moment point stays under them, and a controller keeps it there."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError
from strobe.mechanisms import Foot, Footing, Gait, ground_reaction, walk
from strobe.mechanisms.gait import eased, wanted_zmp
from strobe.mechanisms.walking import between, carried

POSTURE = np.array([0, -0.3, 0.6, -0.3, 0, 0, -0.3, 0.6, -0.3, 0])
FEET = ("stance_foot", "swing_foot")


@pytest.fixture(scope="module")
def biped():
    return strobe.load("biped10")


@pytest.fixture(scope="module")
def walked(biped):
    return walk(biped, POSTURE, "torso")


@pytest.fixture(scope="module")
def instants(walked):
    """Times between those that the plan looked at."""
    return np.linspace(0.0, walked.motion.duration, 1777)


# -- the pendulum and the gait --------------------------------------------------------------------------------


def test_a_pendulum_over_a_point_stands_still():
    zmp = np.tile([0.3, -0.2], (50, 1))
    assert np.allclose(carried(zmp, 0.02, 0.8, 9.81), zmp, atol=1e-12)


def test_a_swinging_zero_moment_point_carries_a_pendulum_that_swings_less():
    """p = sin(W t) is carried by c = ω² / (ω² + W²) sin(W t)."""
    t, W, w2 = np.linspace(0, 20, 2001), 2.0, 9.81 / 0.8
    center = carried(np.sin(W * t)[:, None], t[1], 0.8, 9.81)[:, 0]
    middle = slice(600, 1400)  # the ends are forgotten
    assert np.allclose(center[middle], w2 / (w2 + W**2) * np.sin(W * t[middle]), atol=1e-4)


def test_a_pendulum_begins_and_ends_at_rest():
    zmp = np.linspace(0, 1, 200)[:, None] ** 2
    center = carried(zmp, 0.02, 0.8, 9.81)[:, 0]
    assert np.allclose(center[:3], 0)
    assert np.allclose(center[-3:], 1)


def test_feet_alternate_and_stand_side_by_side_at_the_end():
    feet = [Foot.rectangle(name, -0.1, 0.1, -0.05, 0.05) for name in "ab"]
    places = {"a": np.eye(4), "b": np.eye(4)}
    places["b"][1, 3] = -0.2
    phases = Gait(steps=3, length=0.2).phases(feet, places)
    assert [phase.standing for phase in phases] == [
        ("a", "b"), ("a",), ("a", "b"), ("b",), ("b", "a"), ("a",), ("a", "b")
    ]  # fmt: skip
    assert [phase.end for phase in phases[:-1]] == [phase.start for phase in phases[1:]]
    gone = [{name: phase.after[name][0, 3] for name in "ab"} for phase in phases if phase.single]
    assert gone[0] == {"a": 0.0, "b": 0.2}
    assert gone[1] == {"a": 0.4, "b": 0.2}
    assert gone[2] == {"a": 0.4, "b": 0.4}


def test_a_swinging_foot_leaves_and_lands_without_speed():
    feet = [Foot.rectangle(name, -0.1, 0.1, -0.05, 0.05) for name in "ab"]
    swing = Gait(lift=0.04).phases(feet, {"a": np.eye(4), "b": np.eye(4)})[1]
    t = swing.start + (swing.end - swing.start) * np.linspace(0, 1, 1001)
    path = swing.path("b", t)[:, :3, 3]
    assert np.allclose(path[[0, -1]], [[0, 0, 0], [0.15, 0, 0]])
    assert path[:, 2].max() == pytest.approx(0.04)
    for order in (1, 2):
        rate = np.diff(path, order, axis=0)
        assert np.abs(rate[[0, -1]]).max() < 0.02 * np.abs(rate).max()
    assert np.array_equal(swing.path("a", t), np.tile(np.eye(4), (1001, 1, 1)))


def test_easing_goes_from_zero_to_one():
    assert np.allclose(eased(np.array([0.0, 0.5, 1.0])), [0.0, 0.5, 1.0])


# -- a walk ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_feet_hold_all_the_time(walked, instants):
    _, ground = walked.ground(instants, friction=0.6)
    assert ground.held, ground.sentence
    assert ground.margin.min() > 0.045
    assert ground.friction.max() < 0.1


def test_the_zero_moment_point_is_where_it_was_wanted_while_one_foot_stands(walked, instants):
    t, ground = walked.ground(instants)
    wanted = wanted_zmp(walked.phases, walked.feet, t)
    for phase in walked.phases:
        if phase.single:
            now = (t > phase.start) & (t < phase.end)
            assert np.abs(ground.zmp[now, :2] - wanted[now]).max() < 0.005


def test_feet_that_stand_are_where_the_gait_puts_them(walked):
    for phase in walked.phases:
        t = np.linspace(phase.start, phase.end, 37)
        q = walked.motion(t).q
        root = phase.standing[0]
        robot = walked.robots[root]
        here = q[:, [walked.motion.joint_names.index(name) for name in robot.joint_names]]
        for foot in FEET:
            place = phase.places[root] @ robot.forward_kinematics(here, foot)
            assert np.allclose(place, phase.path(foot, t), atol=1e-5)


def test_the_body_stays_upright_at_its_height(walked, biped):
    height = biped.forward_kinematics(POSTURE, "torso")[2, 3]
    for phase in walked.phases:
        q = walked.motion(np.linspace(phase.start, phase.end, 23)).q
        robot = walked.robots[phase.standing[0]]
        here = q[:, [walked.motion.joint_names.index(name) for name in robot.joint_names]]
        body = phase.places[phase.standing[0]] @ robot.forward_kinematics(here, "torso")
        assert np.allclose(body[:, :3, :3], np.eye(3), atol=1e-5)
        assert np.allclose(body[:, 2, 3], height, atol=1e-5)


def test_it_goes_as_far_as_its_steps_and_rests_at_both_ends(walked):
    end = walked.phases[-1].after
    assert [end[foot][0, 3] for foot in FEET] == pytest.approx([0.45, 0.45])
    for t in (0.0, walked.motion.duration):
        state = walked.motion(t)
        assert np.abs(state.qd).max() < 1e-9
        assert np.abs(state.qdd).max() < 1e-6


def test_the_change_of_the_stance_foot_changes_nothing_of_the_reaction(walked):
    """While both feet stand, the robot rooted on either has the same reaction, as far as splines keep both still."""
    for phase in walked.phases:
        if phase.single:
            continue
        q, qd, qdd = walked.motion(np.linspace(phase.start, phase.end, 19))
        found = []
        for root in phase.standing:
            robot = walked.robots[root]
            order = [walked.motion.joint_names.index(name) for name in robot.joint_names]
            seen = ground_reaction(robot, q[:, order], qd[:, order], qdd[:, order], foot=list(walked.feet))
            found.append(seen.placed(phase.places[root]))
        one, other = found
        assert np.allclose(one.zmp, other.zmp, atol=5e-4)
        assert np.allclose(one.force, other.force, atol=0.5)
        assert np.allclose(one.margin, other.margin, atol=5e-4)


def test_the_reaction_goes_through_the_change_without_a_jump(walked):
    for before in walked.phases[:-1]:
        _, ground = walked.ground([before.end - 1e-9, before.end + 1e-9])
        assert np.allclose(*ground.zmp, atol=2e-5)
        assert np.allclose(*ground.force, atol=1e-2)


def test_the_centre_of_mass_sways_less_than_the_zero_moment_point(walked):
    t, ground = walked.ground()
    center = walked.center_of_mass(t)
    assert center.shape == ground.zmp.shape
    assert np.ptp(center[:, 1]) < 0.95 * np.ptp(ground.zmp[:, 1])
    assert np.allclose(center[[0, -1]], ground.zmp[[0, -1]], atol=1e-6)


@pytest.mark.slow
def test_a_humanoid_with_a_floating_base_walks_too():
    pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")
    site = Path(importlib.util.find_spec("cmeel").submodule_search_locations[0]).parent  # pyright: ignore
    path = site / "cmeel.prefix/share/example-robot-data/robots/talos_data/robots/talos_reduced.urdf"
    robot = strobe.Robot(strobe.load(path, base="floating").model, compiled=False)
    names = robot.joint_names
    q = robot.neutral
    for side in ("left", "right"):
        for k, angle in ((3, -0.4), (4, 0.8), (5, -0.4)):
            q[6 + names.index(f"leg_{side}_{k}_joint")] = angle
    feet = [Foot.rectangle(f"{side}_sole_link", -0.1, 0.1, -0.06, 0.06) for side in ("left", "right")]
    walked = walk(robot, q, "base_link", feet=feet, gait=Gait(steps=2))
    _, ground = walked.ground(friction=0.6)
    assert ground.held, ground.sentence
    assert ground.margin.min() > 0.05


# -- single support under control -----------------------------------------------------------------------------


def test_a_step_is_the_part_of_the_motion_in_which_one_foot_stands(walked):
    steps = [phase for phase in walked.phases if phase.single]
    for k, phase in enumerate(steps):
        robot, motion = walked.single_support(k)
        assert robot.model.base_name == phase.standing[0]
        assert motion.duration == pytest.approx(phase.end - phase.start)
        t = np.linspace(0, motion.duration, 11)
        order = [walked.motion.joint_names.index(name) for name in robot.joint_names]
        for part, whole in zip(
            motion(t), walked.motion(np.minimum(phase.start + t, phase.end)), strict=True
        ):
            assert np.allclose(part, whole[:, order], atol=1e-9)


def test_a_part_of_a_motion_may_begin_between_knots(walked):
    part = between(walked.motion, 0.7777, 1.2345)
    t = np.linspace(0, part.duration, 50)
    for ours, whole in zip(part(t), walked.motion(0.7777 + t), strict=True):
        assert np.allclose(ours, whole, atol=1e-9)


def tracked(walked, k, gains, off):
    """A step under computed torque, begun off the motion; what the ground does meanwhile."""
    robot, motion = walked.single_support(k)
    start = motion(0.0).q + off * np.cos(np.arange(10))
    run = strobe.control(robot, motion, "computed-torque", gains=gains, q0=start)
    assert run.done
    qdd = robot.forward_dynamics(run.q, run.qd, run.tau)
    foot = robot.model.base_name
    return run, ground_reaction(robot, run.q, run.qd, qdd, foot=foot, friction=0.6, torsion=0.05)


@pytest.mark.slow
def test_a_controller_holds_the_robot_on_one_foot_while_the_other_swings(walked):
    for k in (0, 1):
        run, ground = tracked(walked, k, None, 0.0)
        assert np.abs(run.error).max() < 1e-3
        assert ground.held, ground.sentence
        assert ground.margin.min() > 0.045


@pytest.mark.slow
def test_gentle_gains_bring_a_robot_back_that_stiff_ones_tip_over(walked):
    run, ground = tracked(walked, 0, {"kp": 25.0, "kd": 10.0}, 0.004)
    assert np.abs(run.error[-1]).max() < 1e-3
    assert ground.held, ground.sentence
    _, ground = tracked(walked, 0, {"kp": 900.0, "kd": 60.0}, 0.004)
    assert ground.worst == Footing.TIPPING
    assert "instants the robot would tip" in ground.sentence


# -- what is refused ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_steps_too_long_for_the_legs_are_refused(biped):
    with pytest.raises(
        ArgumentError, match=r'the leg of foot "\w+" does not reach at [\d.]+ s of the walk\. Take'
    ):
        walk(biped, POSTURE, "torso", gait=Gait(length=0.9))


def test_a_walk_needs_two_feet(biped):
    for feet in (["stance_foot"], ["stance_foot", "stance_foot"]):
        given = ", ".join(feet)
        with pytest.raises(
            ArgumentError, match=rf"a walk needs two different feet; biped10 has {given}\. Give two"
        ):
            walk(biped, POSTURE, "torso", feet=feet)
    with pytest.raises(ArgumentError, match="panda has none"):
        walk(strobe.load("panda"), np.zeros(7), "hand")


def test_a_walk_begins_on_flat_feet(biped):
    with pytest.raises(ArgumentError, match="in the posture the soles do not lie in one plane"):
        walk(biped, np.r_[POSTURE[:7], 0.9, -0.3, 0], "torso")


def test_what_is_no_gait_or_no_posture_is_refused(biped):
    with pytest.raises(
        ArgumentError, match=r"^gait is \{'steps': 2\}; expected a Gait, such as Gait\(steps=4"
    ):
        walk(biped, POSTURE, "torso", gait={"steps": 2})
    with pytest.raises(ArgumentError, match=r"^q is .*nan.*; expected finite numbers\.$"):
        walk(biped, np.full(10, np.nan), "torso")


def test_a_step_that_is_not_there_is_refused(walked):
    with pytest.raises(ArgumentError, match=r"step 4: the walk has 4 steps, counted from 0\."):
        walked.single_support(4)


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ({"steps": 0}, "steps is 0; expected a whole number, 1 or more."),
        ({"length": -0.1}, "length is -0.1; expected metres, zero or more."),
        ({"lift": float("nan")}, "lift is nan; expected metres, zero or more."),
        ({"swing": 0.0}, "swing is 0.0; expected a time above zero."),
        ({"transfer": -1}, "transfer is -1; expected a time above zero."),
        ({"rest": 0}, "rest is 0; expected a time above zero."),
    ],
)
def test_a_gait_that_cannot_be_is_refused(what, sentence):
    with pytest.raises(ArgumentError) as error:
        Gait(**what)
    assert str(error.value) == sentence
