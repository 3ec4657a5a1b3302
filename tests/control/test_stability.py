"""Loops near rest: eigenvalues in closed form, known bounds of gains, and runs that agree."""

import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import strobe
from strobe.approximate import WithoutDistalLinks
from strobe.control import ComputedTorque, JointPD, JointPID, control, make
from strobe.control.acceleration_servo import AccelerationServo
from strobe.control.sensor import Sensor
from strobe.control.sensors import Sensors
from strobe.control.stability import stability
from strobe.errors import ArgumentError, ControlWarning
from strobe.models.joints import Motor
from strobe.robot import Robot

T = 1e-3
STRETCHED = (0.4, 0.0)
OUTSIDE = 'pose 1 has joint "joint1" at 4, above its upper limit 3.1; expected poses within the limits.'


def weightless(n, seed, kinds="R"):
    return strobe.random(n, seed=seed, kinds=kinds).with_gravity((0, 0, 0))


def without_motors(robot):
    bodies = tuple(replace(b, joint=replace(b.joint, motor=Motor())) for b in robot.model.bodies)
    return Robot(replace(robot.model, bodies=bodies, golden=()))


def double_integrator(kp, kd, T, late=0):
    """The eigenvalues of a mass under a sampled spring and damper whose force is held, ``late`` periods late."""
    a, b = kd * T + kp * T**2 / 2, kp * T**2 / 2 - kd * T
    return np.roots(np.polyadd(np.polymul([1, -2, 1], [1, *[0] * late]), [a, b]))


def most_damping(kp, late):
    """The largest Kd at which that mass comes to rest, by bisection."""
    low, high = kp * T, 4 / T
    for _ in range(60):
        middle = (low + high) / 2
        stable = np.abs(double_integrator(kp, middle, T, late)).max() < 1
        low, high = (middle, high) if stable else (low, middle)
    return low


def has(eigenvalues, expected, times):
    """Whether every expected number stands so many times among eigenvalues."""
    return all(np.sum(np.abs(eigenvalues - x) < 1e-10) == times for x in expected)


@pytest.fixture(scope="module")
def planar():
    """The arm of the golden figures: no rotors, no friction."""
    return without_motors(strobe.load("planar2"))


@pytest.fixture(scope="module")
def lying(planar):
    """The same on a table."""
    return planar.with_gravity((0, 0, 0))


# -- closed forms ------------------------------------------------------------------------------------


@pytest.mark.parametrize("late", [0, 1])
@pytest.mark.parametrize("period", [1e-3, 1e-2])
def test_computed_torque_with_the_exact_model_is_a_double_integrator_for_every_joint(late, period):
    robot = weightless(4, 3, "RP")
    found = stability(robot, ComputedTorque(robot, period, 900.0, 45.0), delay=late * period)
    expected = double_integrator(900.0, 45.0, period, late)
    for pose in found.poses:
        assert has(pose.eigenvalues, expected, times=4)
    assert found.stable is True


@pytest.mark.slow
def test_steps_of_the_integrator_within_a_period_change_nothing_of_a_held_torque():
    robot = weightless(3, 1)
    one, five = (stability(robot, ComputedTorque(robot, 1e-3, 900.0, 45.0), steps=k).radius for k in (1, 5))
    assert one == pytest.approx(five, abs=1e-9)


def test_a_delay_of_half_a_period_lies_between_none_and_a_whole_one():
    robot = weightless(2, 1)
    none, half, whole = (
        stability(robot, ComputedTorque(robot, 1e-2, 100.0, 60.0), [[0.1, 0.2]], steps=2, delay=d).radius[0]
        for d in (0.0, 5e-3, 1e-2)
    )
    assert none < half < whole


@pytest.mark.slow
def test_a_ball_joint_is_a_double_integrator_about_each_of_its_axes():
    robot = weightless(2, 2, "S")
    found = stability(robot, ComputedTorque(robot, T, 900.0, 45.0))
    for pose in found.poses:
        assert has(pose.eigenvalues, double_integrator(900.0, 45.0, T), times=6)


def test_an_arm_that_is_three_times_as_heavy_as_believed_is_as_if_gains_were_a_third():
    robot = weightless(3, 5)
    found = stability(robot, ComputedTorque(robot, T, 900.0, 45.0), plant=robot.scaled(mass=3.0))
    for pose in found.poses:
        assert has(pose.eigenvalues, double_integrator(300.0, 15.0, T), times=3)


def test_a_continuous_loop_has_the_poles_that_it_was_designed_for():
    robot = strobe.load("stanford")
    found = stability(robot, ComputedTorque(robot, T, 800.0, 60.0), continuous=True)
    for pose in found.poses:
        # RK4's own error
        assert sorted(pose.poles.real) == pytest.approx([-40.0] * 6 + [-20.0] * 6, abs=2e-6)


def test_a_spring_works_with_and_against_gravity(planar):
    pendulum = planar.lock({"joint2": 0.0})
    inertia, weight = pendulum.mass_matrix([0.0])[0, 0], 9.81 * (2 * 0.18 + 1.5 * 0.55)
    kp, kd = 15.0, 1.0
    for q in (-np.pi / 2, 0.7, np.pi / 2):
        slope = -weight * np.sin(q)  # of the torque that holds it, weight · cos q
        found = stability(pendulum, JointPD(pendulum, T, kp, kd), [[q]], continuous=True)
        expected = np.roots([inertia, kd, kp + slope])
        assert sorted(found.poses[0].poles.real) == pytest.approx(sorted(expected.real), abs=1e-6)
    weak = stability(pendulum, JointPD(pendulum, T, 5.0, kd), [[np.pi / 2]], continuous=True)
    (mode,) = weak.poses[0].modes
    assert mode.growth_time == pytest.approx(1 / np.roots([inertia, kd, 5.0 - weight]).max(), rel=1e-6)
    assert mode.runs_away is True
    assert mode.frequency == 0
    assert 'the mode of joint "joint1" runs away, e times as far every' in weak.warning
    assert weak.warning.endswith("More stiffness would hold it.")


def test_an_integral_finds_what_holds_the_arm_and_adds_its_pole(planar):
    pendulum = planar.lock({"joint2": 0.0}).with_gravity((0, -9.81, 0))
    inertia, T = pendulum.mass_matrix([0.0])[0, 0], 1e-4
    kp, kd, ki = 60.0, 8.0, 150.0
    found = stability(pendulum, JointPID(pendulum, T, kp, kd, ki, effort=1e3), [[0.3]])
    slope = -9.81 * (2 * 0.18 + 1.5 * 0.55) * np.sin(0.3)
    expected = np.sort_complex(np.roots([inertia, kd, kp + slope, ki]))
    assert np.sort_complex(found.poses[0].poles) == pytest.approx(expected, rel=5e-3)


# -- golden figures of acceleration servoing -----------------------------------------------------------


def test_the_diagonal_of_the_mass_matrix_is_no_inertia_for_a_servo_on_a_coupled_arm(lying):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ControlWarning)
        servo = AccelerationServo(lying, T, part=1.0, kp=0.0, kd=0.0, inertia="diagonal")
    pose = stability(lying, servo, [STRETCHED]).poses[0]
    kept = np.sort(1 - pose.eigenvalues.real)
    assert kept[-1] == pytest.approx(6.57, abs=5e-3)
    assert np.abs(pose.eigenvalues - (1 - 0.54)).min() < 5e-3
    assert pose.neutral == 4  # position and velocity of both joints: nothing looks at them
    (mode,) = pose.modes
    assert mode.who in ('joint "joint1" against joint "joint2"', 'joint "joint2" against joint "joint1"')
    assert str(mode).endswith("changes sign with every period, e times as far every 0.000583 s")


@pytest.mark.parametrize("part", [0.2, 0.5, 1.0])
def test_the_inertia_of_a_joint_among_free_ones_is_safe_for_two_joints(lying, part):
    servo = AccelerationServo(lying, T, part=part, kp=0.0, kd=0.0, inertia="effective")
    pose = stability(lying, servo, [STRETCHED]).poses[0]
    for expected in (1.85, 0.15):
        assert np.abs(pose.eigenvalues - (1 - part * expected)).min() < 5e-3 * part
    assert pose.stable is True


# -- known bounds, and runs ------------------------------------------------------------------------------


def played(robot, q, offset, kp, kd, late, periods):
    """How far from q computed torque has an arm (members, periods), by steps of Runge and Kutta written out here."""
    x, v = q + offset * np.ones((len(kd), robot.n)), np.zeros((len(kd), robot.n))
    before, far = np.zeros_like(v), []
    for _ in range(periods):
        tau = robot.inverse_dynamics(x, v, kp * (q - x) - kd * v)
        acting, before = (before if late else tau), tau
        k1 = robot.forward_dynamics(x, v, acting)
        k2 = robot.forward_dynamics(x + v * T / 2, v + k1 * T / 2, acting)
        k3 = robot.forward_dynamics(x + v * T / 2 + k1 * T**2 / 4, v + k2 * T / 2, acting)
        k4 = robot.forward_dynamics(x + v * T + k2 * T**2 / 2, v + k3 * T, acting)
        x, v = x + v * T + (k1 + k2 + k3) * T**2 / 6, v + (k1 + 2 * k2 + 2 * k3 + k4) * T / 6
        far.append(np.abs(x - q).max(axis=1))
    return np.array(far).T


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 19, 14, 1, 2, 3, 8, 9])  # RR, PP, RP, PR: without a delay, with one
def test_damping_beyond_the_bound_is_flagged_and_diverges_and_below_it_neither(seed):
    late, kp = seed % 2, 1e5
    robot = Robot(weightless(2, seed, "RP").model, compiled=False)
    kd = np.outer([0.85, 1.15], np.ones(robot.n)) * most_damping(kp, late)
    q = robot.random_state(seed)[0]
    found = stability(robot, ComputedTorque(robot, T, kp, kd), q, delay=late * T)
    assert [(pose.member, pose.stable) for pose in found.poses] == [(0, True), (1, False)]
    below, beyond = played(robot, q, 1e-6, kp, kd, late, 80 if late else 40)
    assert below[-10:].max() < 0.5 * below[:10].max()
    assert beyond[-10:].max() > 2 * beyond[:10].max()


def test_the_growth_and_the_frequency_are_those_of_the_run():
    robot, kp, kd = weightless(2, 4), 400.0, 1030.0
    controller = ComputedTorque(robot, T, kp, kd)
    q = robot.random_state(1)[0]
    mode = stability(robot, controller, q, delay=T).poses[0].modes[0]
    still = robot.plan([q, q + 1e-9], velocity=1, acceleration=1)
    run = control(robot, still, controller, q0=q + 1e-9, t=0.4, delay=T, check=False)
    x = run.error[100:, 0]
    turns = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    assert 1 / (np.diff(turns).mean() * T) == pytest.approx(mode.frequency, rel=0.01)
    peaks = np.array([np.abs(x[a:b]).max() for a, b in pairwise(turns)])
    growth = np.polyfit(turns[:-1] * T, np.log(peaks), 1)[0]
    assert 1 / growth == pytest.approx(mode.growth_time, rel=0.05)


# -- sensors ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arm():
    return weightless(3, 11, "RP")


def test_readings_that_are_a_period_late_are_as_a_torque_that_is(arm):
    late = Sensors(position=Sensor(delay=T), velocity=Sensor(delay=T))
    for pose in stability(arm, ComputedTorque(arm, T, 900.0, 45.0), sensors=late).poses:
        assert has(pose.eigenvalues, double_integrator(900.0, 45.0, T, 1), times=3)


def test_a_velocity_by_differences_has_the_poles_of_its_difference_equation(lying):
    """z (z − 1)² + T²/2 (z + 1) ((Kp + Kd/T) z − Kd/T) = 0."""
    kp, kd = 900.0, 45.0
    arm = lying.lock({"joint2": 0.5})
    sensors = Sensors(velocity=Sensor(source="difference"))
    (pose,) = stability(arm, ComputedTorque(arm, T, kp, kd), [[0.2]], sensors=sensors).poses
    held = T**2 / 2 * np.polymul([1, 1], [kp + kd / T, -kd / T])
    roots = np.roots(np.polyadd(np.polymul([1, 0], [1, -2, 1]), held))
    for value in pose.eigenvalues[np.abs(pose.eigenvalues) > 1e-9]:
        assert np.abs(roots - value).min() < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("coarse", [{"resolution": 1e-2}, {"bits": 8}, {"noise": 0.1}, {"dropped": 0.2}])
def test_resolution_noise_and_lost_samples_are_left_out(arm, coarse):
    found, expected = (
        stability(arm, ComputedTorque(arm, T), sensors=sensors).poses[3].eigenvalues
        for sensors in (Sensors(position=Sensor(**coarse)), None)
    )
    assert np.sort_complex(found) == pytest.approx(np.sort_complex(expected), abs=1e-12)


def test_a_servo_on_second_differences_is_not_taken_for_one_at_the_limit_of_its_motors(planar):
    """A nudge of a micrometre of arc is an acceleration of rad/s² for it."""
    twice = Sensors(velocity=Sensor(source="difference"), acceleration=Sensor(source="difference"))
    assert stability(planar, AccelerationServo(planar, T), sensors=twice).stable is True


# -- what is left out ------------------------------------------------------------------------------------


def test_coulomb_friction_of_the_arm_and_of_what_is_believed_is_left_out():
    robot = strobe.load("planar2")
    bodies = tuple(
        replace(b, joint=replace(b.joint, motor=replace(b.joint.motor, coulomb=(0.0, 0.0))))
        for b in robot.model.bodies
    )
    smooth = Robot(replace(robot.model, bodies=bodies, golden=()))
    found, expected = (stability(r, ComputedTorque(r, T), [[0.3, 0.5]]) for r in (robot, smooth))
    assert (found.poses[0].eigenvalues == expected.poses[0].eigenvalues).all()


def test_a_load_that_is_not_known_slows_the_loop_down():
    robot = weightless(3, 8)
    light, heavy = (
        stability(robot, ComputedTorque(robot, T), payload=m).worst.slowest for m in (None, [5.0, 0, 0, 0])
    )
    assert heavy > light + 1e-4


# -- what is said ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def motion(planar):
    return planar.plan([(0.0, 0.5), (0.8, -0.4)], velocity=1, acceleration=2)


def test_a_run_that_will_not_be_stable_is_warned_of_with_its_pose_and_mode(planar, motion):
    with pytest.warns(
        ControlWarning, match=r"computed torque is unstable near rest \(3 of 3 poses looked at\)"
    ) as said:
        run = control(planar, motion, ComputedTorque(planar, T, 400.0, 2100.0), t=0.02)
    (note,) = [note for note in run.notes if "unstable" in note]
    assert str(said[0].message) == note
    assert "at q = (" in note
    assert "the mode of joint" in note
    assert "changes sign with every period" in note
    assert note.endswith("Lower gains, a shorter period or less delay would steady it.")
    assert said[0].filename == __file__


def test_a_stable_loop_is_run_without_a_word(planar, motion):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = control(planar, motion, ComputedTorque(planar, T))
        control(planar, motion, ComputedTorque(planar, T, 400.0, 2100.0), t=0.005, check=False)
    assert not any("unstable" in note for note in run.notes)


def test_one_unstable_member_of_a_batch_is_found(planar, motion):
    kd = np.full((5, 2), 40.0)
    kd[4] = 2100.0
    with pytest.warns(ControlWarning, match=r"3 of 15 poses"):
        run = control(planar, motion, ComputedTorque(planar, T, 400.0, kd), t=0.005)
    assert any("3 of 15 poses" in note for note in run.notes)


def test_what_is_printed_says_it_pose_by_pose(planar):
    found = stability(planar, ComputedTorque(planar, T), [STRETCHED, (0.1, 0.2)])
    head, first, _ = str(found).splitlines()
    assert head == "computed torque: stable near rest"
    assert first.startswith("  at q = (0.4, 0) every deviation dies, the slowest dies by 0.98")
    assert found.warning is None


# -- bad input -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("poses", "sentence"),
    [
        ([[0.0, 0.0], [4.0, 0.0]], OUTSIDE),
        ([[np.nan, 0.0]], "poses holds a number that is not finite."),
        (np.empty((0, 2)), "poses is empty; expected one position (nq) or more."),
        ([1.0, 2.0, 3.0], "poses has shape (3,); planar2 has 2 joints, expected (..., 2)."),
    ],
)  # fmt: skip
def test_poses_that_are_none_are_refused(planar, poses, sentence):
    with pytest.raises(ArgumentError if "shape" not in sentence else ValueError) as refused:
        stability(planar, ComputedTorque(planar, T), poses)
    assert str(refused.value) == sentence


def test_negative_gains_are_refused_by_name(planar):
    with pytest.raises(ArgumentError, match=r"kd has -1; expected finite numbers, 0 or more\."):
        ComputedTorque(planar, T, 400.0, -1.0)


def test_a_delay_of_more_than_a_period_is_refused(planar):
    with pytest.raises(
        ArgumentError, match=r"the delay is 2 periods; a torque acts within one period at the latest\."
    ):
        stability(planar, ComputedTorque(planar, T), delay=2 * T)


def test_memory_that_moves_nothing_at_rest_is_left_alone():
    """What a hand carries shows at rest through its weight only; the rest of it must not be made up from rounding."""
    robot = strobe.load("spherical3")
    controller = make("slotine-li", robot, 1e-3, model=WithoutDistalLinks(robot))
    assert (stability(robot, controller, [(0.35, 0.6, 0.75), (0.6, 0.9, 0.9)]).radius < 1 + 1e-9).all()
