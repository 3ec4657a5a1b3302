"""Sensors in a closed loop: noise that can be repeated, differences, delays, and what happens when they fail."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.control import (
    AccelerationServo,
    ComputedTorque,
    Controller,
    Sensor,
    SensorFault,
    Sensors,
    TrackingStatus,
    control,
)
from strobe.control.instruments import Instruments
from strobe.control.sensor_noise import disturbances
from strobe.control.stability import stability
from strobe.errors import ArgumentError, ControlWarning, UnknownNameError, UnsupportedModelError
from strobe.models.joints import Motor
from strobe.scalars import sqrt

T = 1e-3
DIFFERENCE = Sensor(source="difference")


class Told(Controller):
    """Asks for the weight of the arm, and remembers what it was told."""

    name, title = "told", "told"
    uses_acceleration = True

    @property
    def memory(self):
        return {"q": self.robot.nv, "qd": self.robot.nv, "qdd": self.robot.nv}

    def step(self, measured, wanted, kept, gains):
        return [0.0] * self.robot.nv, {"q": measured.q, "qd": measured.qd, "qdd": measured.qdd}


@pytest.fixture(scope="module")
def arm():
    """The links of planar2, without motors and their friction."""
    robot = strobe.load("planar2")
    bodies = tuple(replace(body, joint=replace(body.joint, motor=Motor())) for body in robot.model.bodies)
    return strobe.Robot(replace(robot.model, bodies=bodies, golden=()))


@pytest.fixture(scope="module")
def motion(arm):
    return arm.plan([(0.2, -0.4), (0.8, 0.3)], "quintic", velocity=2.0, acceleration=6.0)


@pytest.fixture(scope="module")
def tracked(arm, motion):
    return lambda sensors, **how: control(
        arm, motion, ComputedTorque(arm, T), sensors=sensors, **{"check": False} | how
    )


def told(arm, sensors, t=0.05, **how):
    """An arm that falls, with what its controller was told: rows k of what was said at t_k."""
    rest = arm.plan([(0.2, -0.4), (0.2, -0.3)], "quintic", velocity=1.0, acceleration=1.0)
    how = {"t": t, "check": False, "qd0": (0.5, -0.8)} | how
    run = control(arm, rest, Told(arm, T), sensors=sensors, **how)
    said = {name: x[..., 1:, :] for name, x in run.memory.items()}
    return run, said


# -- what is said --------------------------------------------------------------------------------------------


def test_perfect_sensors_say_the_truth(arm):
    run, said = told(arm, None)
    assert (said["q"] == run.q[:-1]).all()
    assert (said["qd"] == run.qd[:-1]).all()


def test_the_compiled_loop_rounds_to_the_nearest_multiple(arm):
    run, said = told(arm, Sensors(Sensor(1e-3), Sensor(1e-2)))
    assert said["q"] == pytest.approx(np.floor(run.q[:-1] / 1e-3 + 0.5) * 1e-3, abs=1e-15)
    assert said["qd"] == pytest.approx(np.floor(run.qd[:-1] / 1e-2 + 0.5) * 1e-2, abs=1e-15)


def test_a_delay_is_so_many_periods_and_begins_on_a_steady_motion(arm):
    run, said = told(arm, Sensors(Sensor(delay=3 * T), Sensor(delay=2 * T)))
    assert (said["q"][3:] == run.q[:-4]).all()
    assert (said["qd"][2:] == run.qd[:-3]).all()
    early = run.q[0] - T * run.qd[0] * np.array([[3], [2], [1]])
    assert said["q"][:3] == pytest.approx(early, abs=1e-15)


def test_differences_are_taken_of_what_is_said(arm):
    r = 1e-6
    run, said = told(arm, Sensors(Sensor(r), DIFFERENCE, DIFFERENCE))
    q = np.floor(run.q[:-1] / r + 0.5) * r
    assert said["qd"][1:] == pytest.approx(np.diff(q, axis=0) / T, abs=1e-9)
    assert said["qdd"][2:] == pytest.approx(np.diff(q, n=2, axis=0) / T**2, abs=1e-6)
    assert said["qd"][0] == pytest.approx(run.qd[0], abs=2 * r / T)


def test_the_difference_of_a_tachometer_is_the_acceleration_of_the_last_period(arm):
    run, said = told(arm, Sensors(acceleration=DIFFERENCE))
    assert said["qdd"][1:] == pytest.approx(np.diff(run.qd[:-1], axis=0) / T, abs=1e-9)


def test_noise_has_the_rms_it_was_given_and_is_white(arm):
    run, said = told(arm, Sensors(Sensor(noise=(1e-3, 2e-3))), t=1.0)
    off = said["q"] - run.q[:-1]
    assert off.std(axis=0) == pytest.approx([1e-3, 2e-3], rel=0.1)
    assert np.abs(off.mean(axis=0)).max() < 2e-4
    assert abs(np.corrcoef(off[1:, 0], off[:-1, 0])[0, 1]) < 0.1


def test_noise_is_the_same_again_and_differs_from_run_to_run(tracked):
    noisy = Sensors(Sensor(noise=1e-4), seed=7)
    q0 = np.tile([0.2, -0.4], (3, 1))
    first, again = tracked(noisy, q0=q0), tracked(noisy, q0=q0)
    assert (first.q == again.q).all()
    assert np.abs(first.q[0] - first.q[1]).max() > 1e-6
    alone = tracked(noisy)
    assert (alone.q == first.q[0]).all()
    other = tracked(Sensors(Sensor(noise=1e-4), seed=8))
    assert np.abs(other.q - alone.q).max() > 1e-6


def test_noise_does_not_depend_on_how_many_periods_are_made_at_a_time(arm, monkeypatch):
    sensors = Sensors(Sensor(noise=1.0, dropped=0.3), Sensor(noise=1.0))
    instruments = Instruments(sensors, arm, arm, T, accelerated=False)
    (_, whole), *rest = disturbances(instruments, 2, 50)
    assert not rest
    monkeypatch.setattr("strobe.control.sensor_noise.AT_ONCE", 40)
    pieces = list(disturbances(instruments, 2, 50))
    assert len(pieces) == 10
    assert np.array_equal(np.concatenate([piece for _, piece in pieces], axis=1), whole, equal_nan=True)


def test_resolutions_side_by_side_are_those_one_by_one(tracked):
    steps = np.array([1e-4, 1e-3, 1e-2])
    every = tracked(Sensors(Sensor(np.tile(steps[:, None], 2)), DIFFERENCE))
    for k, step in enumerate(steps):
        one = tracked(Sensors(Sensor(step), DIFFERENCE))
        assert (every.q[k] == one.q).all()
    errors = np.abs(every.error).max(axis=(1, 2))
    assert errors[0] < errors[1] < errors[2]


@pytest.mark.slow
def test_a_compiled_loop_is_the_interpreted_one(arm, motion):
    sensors = Sensors(
        Sensor(1e-4, noise=1e-4, dropped=0.1),
        Sensor(bits=12, delay=T),
        faults=[SensorFault("velocity", "joint2", 0.1)],
    )
    plain = strobe.Robot(arm.model, compiled=False)
    runs = [
        control(r, motion, ComputedTorque(r, T), sensors=sensors, t=0.15, check=False) for r in (arm, plain)
    ]
    assert runs[0].q == pytest.approx(runs[1].q, abs=1e-9)
    assert runs[0].notes == runs[1].notes


# -- what is missing -----------------------------------------------------------------------------------------


def test_for_a_sample_that_does_not_come_the_last_good_one_stands(arm):
    dropped = np.zeros((50, 2), dtype=bool)
    dropped[[10, 11, 20], 0] = True
    run, said = told(arm, Sensors(Sensor(dropped=dropped)))
    expected = run.q[:-1].copy()
    expected[[10, 11], 0], expected[20, 0] = run.q[9, 0], run.q[19, 0]
    assert (said["q"] == expected).all()


def test_differences_bridge_what_is_missing(arm):
    dropped = np.zeros(50, dtype=bool)
    dropped[[10, 11]] = True
    run, said = told(arm, Sensors(Sensor(dropped=dropped), DIFFERENCE))
    assert (said["qd"][[10, 11]] == said["qd"][9]).all()
    assert said["qd"][12] == pytest.approx((run.q[12] - run.q[9]) / (3 * T), abs=1e-12)


def test_second_differences_bridge_it_too(arm):
    """The arm falls with an acceleration that hardly changes: so does what is told of it."""
    dropped = np.zeros(50, dtype=bool)
    dropped[[10, 11, 12]] = True
    _, whole = told(arm, Sensors(Sensor(), DIFFERENCE, DIFFERENCE))
    _, holed = told(arm, Sensors(Sensor(dropped=dropped), DIFFERENCE, DIFFERENCE))
    assert holed["qdd"][2:] == pytest.approx(whole["qdd"][2:], rel=0.1, abs=0.5)


def test_so_many_samples_are_dropped_as_was_said(arm):
    run, said = told(arm, Sensors(Sensor(dropped=0.3), patience=1000), t=1.0)
    held = (said["q"] != run.q[:-1]).mean()
    assert held == pytest.approx(0.3, abs=0.05)


def test_a_loop_lives_with_some_dropped_samples(tracked):
    run = tracked(Sensors(Sensor(dropped=0.2), DIFFERENCE))
    assert run.done
    assert np.abs(run.error).max() < 5e-3


@pytest.mark.parametrize("velocity", [Sensor(), DIFFERENCE], ids=["tachometer", "difference"])
def test_a_position_sensor_that_fails_stops_the_arm_and_is_named(tracked, velocity):
    run = tracked(
        Sensors(velocity=velocity, faults=[SensorFault("position", "joint2", 0.2)], patience=5), t=0.4
    )
    assert run.status == TrackingStatus.STOPPED
    assert not run.done
    (note,) = run.notes
    assert note.startswith(
        'the position sensor of joint "joint2" gave no reading from t = 0.2 s on; the arm was braked from '
        "t = 0.205 s on, and moves at "
    )
    assert np.isfinite(run.q).all()
    assert np.abs(run.qd[205:]).max() < 1.001 * np.abs(run.qd[205]).max()
    assert np.abs(run.qd[-1]).max() < 0.1 * np.abs(run.qd[205]).max()


def test_speeds_die_as_braking_says(tracked):
    run = tracked(
        Sensors(
            velocity=Sensor(), faults=[SensorFault("position", "joint1", 0.2)], patience=0, braking=30.0
        )
    )
    after = run.times[200:320] - run.times[200]
    assert run.qd[200:320] == pytest.approx(run.qd[200] * np.exp(-30 * after)[:, None], abs=0.03)


def test_a_failure_shorter_than_patience_is_lived_with(tracked):
    run = tracked(Sensors(faults=[SensorFault("velocity", "joint1", 0.2, 0.205)], patience=5))
    assert run.status == TrackingStatus.DONE
    assert run.notes == ()
    stopped = tracked(Sensors(faults=[SensorFault("velocity", "joint1", 0.2, 0.206)], patience=5))
    assert stopped.status == TrackingStatus.STOPPED


def test_nobody_listens_to_a_sensor_that_came_back(tracked):
    run = tracked(Sensors(faults=[SensorFault("position", None, 0.2, 0.25)], patience=5), t=1.0)
    assert run.status == TrackingStatus.STOPPED
    assert "the position sensor of every joint" in run.notes[0]
    assert np.abs(run.qd[-1]).max() < 0.05


def test_in_a_batch_the_loops_that_stopped_are_told(arm, tracked):
    run = tracked(Sensors(Sensor(dropped=0.2), patience=4, seed=3), q0=np.tile([0.2, -0.4], (8, 1)))
    stopped = run.status == TrackingStatus.STOPPED
    assert 0 < stopped.sum() < 8
    which = int(run.notes[0].removeprefix("in loop ").split(",")[0])
    assert stopped[which]
    assert f"the first of {stopped.sum()} loops, the position sensor of joint " in run.notes[0]


def test_watching_costs_nothing_where_nothing_fails(tracked):
    assert tracked(Sensors(patience=3)).q == pytest.approx(tracked(None).q, abs=1e-12)


def test_a_torque_that_is_no_number_is_named(arm, motion):
    class Broken(ComputedTorque):
        def step(self, measured, wanted, kept, gains):
            tau, left = super().step(measured, wanted, kept, gains)
            return [tau[0], sqrt(0.5 - measured.q[0])], left

    run = control(arm, motion, Broken(arm, T), check=False)
    assert run.status == TrackingStatus.DIVERGED
    assert any("is no number" in note and '"joint2"' in note and "t = " in note for note in run.notes)


# -- what cannot be ------------------------------------------------------------------------------------------


def test_what_is_no_set_of_sensors_is_refused(tracked):
    with pytest.raises(ArgumentError) as told:
        tracked(Sensor(1e-3))
    assert str(told.value) == "sensors is a Sensor; expected Sensors(position=…)."


def test_a_continuous_loop_has_no_sensors(tracked):
    with pytest.raises(ArgumentError) as told:
        tracked(Sensors(Sensor(1e-3)), continuous=True)
    assert str(told.value) == (
        "sensors are read once a period; a continuous loop has none. Leave out sensors or continuous."
    )


def test_a_delay_that_is_no_whole_number_of_periods_is_refused_with_the_nearest(tracked):
    with pytest.raises(ArgumentError) as told:
        tracked(Sensors(Sensor(delay=1.5e-3)))
    assert str(told.value) == (
        "the delay of the position sensor is 0.0015 s, no whole number of steps of 0.001 s; the nearest are 0.001 or "
        "0.002 s."
    )


def test_a_fault_of_a_joint_that_is_not_there_is_refused(tracked):
    with pytest.raises(UnknownNameError, match="elbow"):
        tracked(Sensors(faults=[SensorFault("position", "elbow")]))


def test_a_mask_for_other_joints_is_refused(tracked):
    with pytest.raises(ArgumentError, match=r"dropped has shape \(5, 3\)"):
        tracked(Sensors(Sensor(dropped=np.ones((5, 3), dtype=bool))))


def test_joints_that_turn_like_a_ball_have_perfect_sensors_only(arm):
    floating = arm.with_base("floating")
    with pytest.raises(
        UnsupportedModelError, match="a sensor with resolution, noise, delay, differences or faults"
    ):
        Instruments(Sensors(Sensor(1e-3)), floating, floating, T, accelerated=False)
    assert Instruments(Sensors(), floating, floating, T, accelerated=False).memory == {}


@pytest.mark.slow
def test_stability_is_asked_of_the_delay_and_differences_without_the_rest(arm):
    controller = ComputedTorque(arm, T)
    poses = [[0.3, -0.5]]
    exact, coarse, late = (
        stability(arm, controller, poses, sensors=sensors).radius[0]
        for sensors in (
            Sensors(velocity=DIFFERENCE),
            Sensors(Sensor(1e-3, noise=0.1, dropped=0.1), DIFFERENCE),
            Sensors(Sensor(delay=0.1), DIFFERENCE),
        )
    )
    assert coarse == pytest.approx(exact, rel=1e-9)
    assert exact < 1 < late


def test_an_acceleration_sensor_that_nobody_reads_is_told(tracked):
    said = "the controller measures no accelerations: their sensor is not read."
    perfect, read = (
        tracked(Sensors(), t=0.01),
        tracked(Sensors(Sensor(1e-3), DIFFERENCE, DIFFERENCE), t=0.01),
    )
    assert said not in perfect.notes + read.notes
    for unread in (Sensor(noise=0.1), Sensor(source="accelerometers")):
        run = tracked(Sensors(acceleration=unread), t=0.01)
        assert said in run.notes
        assert (run.q == perfect.q).all()


@pytest.mark.slow
def test_a_fault_of_a_sensor_that_nobody_reads_is_refused(arm, tracked):
    faults = Sensors(faults=[SensorFault("acceleration", "joint1", 0.1)])
    with pytest.raises(ArgumentError) as caught:
        tracked(faults)
    assert str(caught.value) == (
        "a fault of the acceleration sensor changes nothing: the controller measures no accelerations. "
        "Leave the fault out."
    )
    assert told(arm, faults, t=0.05)[0].status == TrackingStatus.DONE


@pytest.mark.slow
@pytest.mark.parametrize("source", ["own", "difference", "accelerometers"])
def test_stability_is_asked_of_every_source_of_accelerations(arm, source):
    """With M̂ = M the servo multiplies what is missing by 1 − λ: stable for λ < 2."""
    sensors = Sensors(acceleration=Sensor(source=source))
    slow = AccelerationServo(arm, T, part=1.9)
    assert stability(arm, slow, [[0.3, -0.5]], sensors=sensors).stable
    with pytest.warns(ControlWarning):
        fast = AccelerationServo(arm, T, 2.1, 0.0, 0.0)
    assert stability(arm, fast, [[0.3, -0.5]], sensors=sensors).radius[0] == pytest.approx(1.1, abs=1e-3)
