"""Controllers of independent joints, and what a model adds to them."""

from functools import cache

import numpy as np
import pytest

import strobe
from strobe.approximate import GravityOnly
from strobe.control import (
    FeedForwardPD,
    JointPD,
    JointPID,
    Measured,
    PDGravity,
    Wanted,
    control,
    make,
    stability,
)
from strobe.control.inertia_scales import joint_inertias, sampled_inertias
from strobe.control.inertias import inertias
from strobe.errors import ArgumentError, ShapeError

POSE = np.array([0.3, 0.9, 0.6, -0.4, 0.7, 1.1])


@pytest.fixture(scope="module")
def stanford():
    return strobe.load("stanford")


@pytest.fixture(scope="module")
def still(stanford):
    return stanford.plan([POSE, POSE + 1e-6], "quintic", velocity=1.0, acceleration=1.0)


def stepped(controller, q, qd, wanted, kept=None):
    gains = {name: x.tolist() for name, x in controller.gains.items()}
    n = len(qd)
    asked = Wanted(list(wanted), [0.0] * n, [0.0] * n)
    return controller.step(Measured(list(q), list(qd), [0.0] * n), asked, kept or {}, gains)


def test_pd_at_rest_hangs_by_its_weight_over_its_stiffness(stanford, still):
    run = control(stanford, still, JointPD(stanford, 1e-3), t=3.0, check=False)
    holding = stanford.gravity(run.q[-1]) / run.controller.gains["kp"]
    assert run.error[-1] == pytest.approx(holding, abs=1e-6)
    assert np.abs(holding).max() > 0.01


def test_pid_takes_the_weight_over(stanford, still):
    run = control(stanford, still, JointPID(stanford, 1e-3), t=3.0, check=False)
    assert np.abs(run.error[-1]).max() < 1e-5
    integral = run.memory["integral"][-1]
    assert integral * run.controller.gains["ki"] == pytest.approx(stanford.gravity(POSE), abs=1e-3)


@pytest.mark.slow
def test_gravity_compensated_it_rests_where_it_should(stanford, still):
    q0 = POSE + np.array([0.1, -0.1, 0.05, 0.2, -0.2, 0.1])
    run = control(stanford, still, PDGravity(stanford, 1e-3), q0=q0, t=3.0, check=False)
    assert np.abs(run.error[-1]).max() < 1e-8


def test_gravity_may_come_from_an_approximation(stanford):
    exact, nearly = PDGravity(stanford, 1e-3), PDGravity(stanford, 1e-3, model=GravityOnly(stanford))
    state = POSE, np.full(6, 0.3), POSE + 0.1
    assert stepped(nearly, *state)[0] == pytest.approx(stepped(exact, *state)[0], rel=1e-12)


def test_feed_forward_needs_its_pd_only_for_what_is_missed(stanford):
    motion = stanford.plan([POSE, POSE + 0.3], "quintic", velocity=1.0, acceleration=2.0)
    run = control(stanford, motion, FeedForwardPD(stanford, 1e-3), continuous=True)
    assert np.abs(run.error).max() < 1e-9


def test_gains_that_nobody_gave_are_those_of_a_double_pole_at_the_largest_inertia(stanford):
    gains, inertia = JointPD(stanford, 1e-3).gains, joint_inertias(stanford)
    assert gains["kp"] == pytest.approx(400 * inertia)
    assert gains["kd"] == pytest.approx(40 * inertia)
    poses = stanford.random_state(11, 64)[0]
    largest = np.diagonal(stanford.mass_matrix(poses), axis1=-2, axis2=-1).max(axis=0)
    assert (largest <= 1.05 * inertia).all()
    assert JointPD(stanford, 1e-3, kp=100.0).gains["kd"] == pytest.approx(2 * np.sqrt(100 * inertia))


@pytest.mark.parametrize(("sign", "error"), [(1, 0.5), (-1, -0.5)])
def test_the_integral_stops_where_the_motor_gives_no_more(sign, error):
    robot = strobe.load("planar2")  # 30 and 12 N·m
    controller = JointPID(robot, 1e-3, kp=50.0, kd=0.0, ki=10.0)
    kept = {"integral": [sign * 0.6, sign * 0.6]}
    tau, after = stepped(controller, (0, 0), (0, 0), (error, error), kept)
    # 31 and 31 N·m are more than they have
    assert after["integral"] == pytest.approx([sign * 0.6, sign * 0.6])
    assert tau == pytest.approx([sign * 31.0] * 2)
    full = {"integral": [sign * 4.0, sign * 4.0]}
    tau, after = stepped(controller, (0, 0), (0, 0), (-error / 50, -error / 50), full)
    assert tau == pytest.approx([sign * 39.5] * 2, abs=1e-3)
    # the other way it is free
    assert after["integral"] == pytest.approx([sign * (4.0 - 1e-5)] * 2, abs=1e-12)


@pytest.mark.slow
def test_a_saturated_motor_does_not_wind_the_integral_up():
    robot = strobe.load("planar2")
    motion = robot.plan([(0, 0), (1.5, 0.5)], "constant-acceleration", velocity=50.0, acceleration=300.0)
    how = {"t": 4.0, "limits": True, "check": False}
    overshoot = {}
    for name, effort in (("clamped", None), ("wound up", 1e9)):
        run = control(robot, motion, JointPID(robot, 1e-3, ki=2000.0, effort=effort), **how)
        overshoot[name] = (run.q[:, 0] - 1.5).max()
        assert run.cut[0] > 0.05
    assert overshoot["clamped"] < 0.7 * overshoot["wound up"]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"kp": -1.0}, "kp has -1; expected finite numbers, 0 or more."),
        ({"kd": float("nan")}, "kd has nan; expected finite numbers, 0 or more."),
        ({"effort": 0.0}, "effort is 0.0; expected 6 positive numbers, or one for all joints."),
    ],
)
def test_gains_that_make_no_sense_are_refused(stanford, wrong, sentence):
    with pytest.raises(ArgumentError) as told:
        JointPID(stanford, 1e-3, **wrong)
    assert str(told.value) == sentence


def test_sizes_and_periods_are_checked(stanford):
    with pytest.raises(
        ShapeError, match=r"kp has shape \(3,\); stanford has 6 joints, expected \(\.\.\., 6\)"
    ):
        JointPD(stanford, 1e-3, kp=[1, 2, 3])
    for period in (0.0, -1e-3, float("nan"), float("inf")):
        with pytest.raises(
            ArgumentError, match="the period is .* s; expected a positive number of seconds"
        ):
            JointPD(stanford, period)


def test_a_controller_with_memory_has_no_continuous_form(stanford, still):
    with pytest.raises(ArgumentError, match="joint-pid keeps numbers from period to period"):
        control(stanford, still, JointPID(stanford, 1e-3), continuous=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["joint-pd", "pd-gravity", "feed-forward-pd", "slotine-li"])
def test_gains_that_nobody_gave_are_soft_enough_for_the_period(name):
    """The first and the third joint of a Panda turn about nearly the same line: all but no inertia between them."""
    robot = strobe.load("panda")
    poses = np.array([(0.8, 0.1, 1.0, -1.3, 0.9, 2.3, 0.0), (0.0, 0.0, 0.0, -1.5, 0.0, 1.8, 0.0)])
    assert stability(robot, make(name, robot, 1e-3), poses).stable
    stiff = 400 * joint_inertias(robot)
    assert not stability(robot, JointPD(robot, 1e-3, kp=stiff, kd=stiff / 10), poses).stable


@cache
def in_many_poses(arm):
    """An arm at the pose of the lightest mode that a search finds, and at others."""
    robot = strobe.load(arm)
    return robot, np.concatenate([inertias(robot).where[None], robot.random_state(3, 15)[0]])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["joint-pd", "joint-pid", "pd-gravity", "feed-forward-pd", "slotine-li"])
@pytest.mark.parametrize("arm", ["planar2", "planar3", "spherical3", "stanford", "puma560", "ur5", "panda"])
def test_gains_that_nobody_gave_are_stable_on_every_arm_at_a_thousand_hertz(arm, name):
    robot, poses = in_many_poses(arm)
    assert all(each.radius < 1 + 1e-9 for each in stability(robot, make(name, robot, 1e-3), poses).poses)


def test_only_joints_that_turn_about_one_line_are_softened():
    robot = strobe.load("panda")
    softer = sampled_inertias(robot, 1e-3) / joint_inertias(robot)
    assert (softer[[0, 2]] < 0.25).all()
    assert (softer[[1, 3, 4, 5, 6]] > 0.9).all()
