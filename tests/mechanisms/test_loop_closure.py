"""Closed chains put together from guesses, and why some cannot be."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, AssemblyError, OpenLoopError, UnknownNameError
from strobe.mechanisms import diagnose
from strobe.models.edits import add_frame, add_loop, scale
from strobe.models.random_states import random_positions

BUILT_IN = ["fourbar", "slider-crank", "fivebar", "delta"]


def slow(model):
    return strobe.Robot(model, compiled=False)


@pytest.fixture(scope="module")
def fourbar():
    return slow(strobe.load("fourbar").model)


@pytest.mark.parametrize("name", BUILT_IN)
def test_bad_guesses_are_closed_in_batches_and_within_limits(name):
    robot = slow(strobe.load(name).model)
    guesses = random_positions(robot.coordinates, np.random.default_rng(2), (2, 6))
    q = robot.assemble(guesses)
    assert q.shape == guesses.shape
    assert np.abs(robot.loop_residuals(q)).max() < 1e-12
    for joint in robot.coordinates.joints:
        if joint.nq == 1:
            assert (q[..., joint.q] >= joint.limits.lower - 1e-12).all()
            assert (q[..., joint.q] <= joint.limits.upper + 1e-12).all()


@pytest.mark.parametrize("size", [1e-3, 1e3])
@pytest.mark.parametrize("name", ["slider-crank", "fivebar"])
def test_small_and_large_robots_are_closed_alike(name, size):
    model = strobe.load(name).model
    robot, other = slow(model), slow(scale(model, size, 1.0))
    guess = robot.random_state(4)[0] + 0.01
    lengths = [1.0 if joint.turns else size for joint in robot.model.joints]
    q = robot.assemble(guess)
    assert other.assemble(guess * lengths) / lengths == pytest.approx(q, abs=1e-11)
    assert np.abs(other.loop_residuals(q * lengths)).max() < 1e-12 * size


def test_what_is_closed_stays_where_it_is(fourbar):
    q = fourbar.random_state(3)[0]
    assert fourbar.assemble(q) == pytest.approx(q, abs=1e-13)


@pytest.mark.slow
def test_joints_that_are_held_keep_their_positions(fourbar):
    q = fourbar.assemble(np.zeros((3, 3)), hold={"crank": 0.7})
    assert (q[:, 0] == 0.7).all()
    assert np.abs(fourbar.loop_residuals(q)).max() < 1e-12
    assert fourbar.assemble(hold={"cr*": 0.7}) == pytest.approx(q[0], abs=1e-12)
    with pytest.raises(AssemblyError, match="not with crank, coupler, rocker held there"):
        fourbar.assemble(hold={"*": 0.7})


@pytest.mark.slow
def test_a_position_out_of_reach_is_refused_with_loop_condition_residual_and_cause(fourbar):
    with pytest.raises(
        AssemblyError,
        match=r'fourbar: loop "pin" stays open by 0\.\d+ \(place [xz]\): not with rocker held there\. Hold other',
    ) as caught:
        fourbar.assemble(hold={"rocker": 3.1})
    assert caught.value.q.shape == (3,)


def test_links_that_do_not_reach_are_told():
    model = strobe.load("fourbar").model
    far = add_loop(add_frame(model, "far", (9.0, 0.0, 0.0), frame=model.base_name), "far", "pin_on_rocker")
    with pytest.raises(
        AssemblyError, match=r'"far_to_pin_on_rocker" stays open by \d.*: the links do not reach'
    ):
        slow(far).assemble(tries=3)


def test_loops_that_contradict_each_other_are_told_apart_from_those_out_of_reach():
    model = strobe.load("fourbar").model
    for name, x in (("here", 0.1), ("there", 0.2)):
        model = add_frame(model, name, (x, 0.0, 0.05), frame=model.base_name)
        model = add_frame(model, f"tip {name}", (0.15, 0.0, 0.0), frame="crank_link")
    model = add_loop(model, "here", "tip here", "distance", 0.1, "first")
    both = add_loop(model, "there", "tip there", "distance", 0.3, "second")
    slow(model).assemble()
    with pytest.raises(
        AssemblyError, match=r"closes alone, but not together with .*: they contradict each other"
    ):
        slow(both).assemble(tries=3)


def test_a_loop_that_closes_only_beyond_a_limit_says_which(fourbar):
    far = fourbar.random_state(5)[0]
    with pytest.raises(ArgumentError, match="tries is 0"):
        fourbar.assemble(far, tries=0)
    from dataclasses import replace

    model = fourbar.model
    bodies = list(model.bodies)
    tight = replace(bodies[2].joint, limits=replace(bodies[2].joint.limits, lower=0.0, upper=0.2))
    bodies[2] = replace(bodies[2], joint=tight)
    robot = slow(replace(model, bodies=tuple(bodies)))
    with pytest.raises(
        AssemblyError,
        match=r'closes only beyond limits: joint "rocker" at \S+, outside 0 to 0\.2\. .*limits=False',
    ):
        robot.assemble(tries=2)
    q = robot.assemble(limits=False)
    assert np.abs(robot.loop_residuals(q)).max() < 1e-12


@pytest.mark.parametrize("kind", ["hinge", "full"])
def test_a_loop_closed_the_wrong_way_round_is_not_accepted(kind):
    model = strobe.load("planar2").model
    model = add_frame(model, "turned", (0.0, 0.0, 0.0), (0.0, np.pi, 0.0), frame=model.frames[-1].name)
    far = add_frame(model, "fixed", (0.5, 0.2, 0.0), (0.0, 0.0, 0.0), frame=model.base_name)
    robot = slow(add_loop(far, "fixed", "turned", kind, name="pin"))
    with pytest.raises(AssemblyError, match=r'loop "pin" stays open by'):
        robot.assemble([0.2, 0.4], tries=3)
    if kind == "hinge":
        q = slow(add_loop(far, "fixed", "turned", "point")).assemble([0.2, 0.4])
        with pytest.raises(
            AssemblyError, match=r'stays open by 3\.14 \(turn\): frames "fixed" and "turned" meet'
        ):
            robot.assemble(q, tries=1)
        with pytest.raises(
            OpenLoopError, match=r"is open by 3\.14 \(turn\).*robot\.assemble\(q\) turns it round"
        ):
            robot.forward_dynamics(q, [0.0, 0.0], [0.0, 0.0])


def test_what_is_held_and_guessed_is_checked(fourbar):
    with pytest.raises(UnknownNameError, match='no joint "crnk"'):
        fourbar.assemble(hold={"crnk": 1.0})
    with pytest.raises(ArgumentError, match='the position of "crank" in hold'):
        fourbar.assemble(hold={"crank": float("nan")})
    with pytest.raises(ArgumentError, match="q holds a number that is not finite"):
        fourbar.assemble([np.nan, 0.0, 0.0])
    delta = slow(strobe.load("delta").model)
    turnless = np.array(delta.model.poses["home"]) * [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]
    for asked in (delta.assemble, lambda q: diagnose(delta, q), lambda q: delta.standing_on("platform", q)):
        with pytest.raises(ArgumentError, match='^q has a quaternion of length zero in joint "platform"'):
            asked(turnless)
    with pytest.raises(ArgumentError, match="has 7 position numbers; only joints with one are held"):
        delta.assemble(hold={delta.joint_names[-1]: 0.0})
