"""What disturbs an arm, seen through its momentum."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.approximate import Exact
from strobe.control import (
    AccelerationServo,
    ComputedTorque,
    JointPID,
    Measured,
    MomentumObserver,
    PDGravity,
    Wanted,
    control,
)
from strobe.errors import ArgumentError
from strobe.models.joints import Friction, Motor
from strobe.robot import Robot

PERIOD, CONSTANT, PUSH = 1e-3, 0.05, 0.4
TURN = (0, 0, 0, 0, 0, PUSH)  # a moment about z, the axis of both joints: the same torque at each


def bare(robot, coulomb=0.0):
    """The links alone, with dry friction if asked for."""
    drives = {"motor": Motor(), "friction": Friction(0.0, (coulomb, coulomb))}
    bodies = tuple(replace(body, joint=replace(body.joint, **drives)) for body in robot.model.bodies)
    return Robot(replace(robot.model, bodies=bodies, golden=()))


@pytest.fixture(scope="module")
def arm():
    return bare(strobe.load("planar2"))


@pytest.fixture(scope="module")
def still(arm):
    return arm.plan([(0.4, 0.7), (0.4, 0.7 + 1e-6)], "quintic", velocity=1.0, acceleration=1.0)


@pytest.fixture(scope="module")
def motion(arm):
    return arm.plan([(0.4, 0.7), (1.4, -0.7)], "quintic", velocity=3.0, acceleration=10.0)


def expected(run):
    """d (1 − exp(−t/τ)) after every period but the last."""
    return np.stack([PUSH * (1 - np.exp(-run.times[:-1] / CONSTANT))] * 2, axis=-1)


@pytest.mark.slow
@pytest.mark.parametrize("model", [None, Exact])
def test_a_constant_torque_is_found_with_the_time_constant_that_was_asked_for(arm, still, model):
    observed = MomentumObserver(ComputedTorque(arm, PERIOD), CONSTANT, model=model and model(arm))
    run = control(arm, still, observed, wrench=TURN, t=0.5, check=False)
    assert run.memory["disturbance"][1:] == pytest.approx(expected(run), abs=1e-6)


def test_it_is_found_on_the_move_too(arm, motion):
    run = control(arm, motion, MomentumObserver(PDGravity(arm, PERIOD), CONSTANT), wrench=TURN, check=False)
    assert np.abs(run.qd).max() > 1.0
    assert run.memory["disturbance"][1:] == pytest.approx(expected(run), abs=2e-5)


def test_what_is_found_is_taken_off(arm, still):
    plain, observed = (
        control(arm, still, controller, wrench=TURN, t=1.0, check=False)
        for controller in (
            ComputedTorque(arm, PERIOD), MomentumObserver(ComputedTorque(arm, PERIOD), CONSTANT),
        )
    )  # fmt: skip
    resting = np.linalg.solve(arm.mass_matrix(plain.q[-1]), [PUSH, PUSH]) / 400
    assert plain.error[-1] == pytest.approx(-resting, rel=1e-3)
    assert np.abs(observed.error[-1]).max() < 1e-4 * np.abs(resting).max()


def test_without_a_disturbance_it_finds_none(arm, motion):
    run = control(arm, motion, MomentumObserver(ComputedTorque(arm, PERIOD), CONSTANT), check=False)
    assert np.abs(run.memory["disturbance"]).max() < 1e-5


def test_a_delay_that_it_knows_of_is_no_disturbance(arm, motion):
    how = {"delay": PERIOD / 2, "steps": 2, "check": False}
    told, untold = (
        control(arm, motion, MomentumObserver(ComputedTorque(arm, PERIOD), CONSTANT, delay), **how)
        for delay in (PERIOD / 2, 0.0)
    )
    seen, missed = (np.abs(run.memory["disturbance"]).max() for run in (told, untold))
    assert seen < 1e-4
    assert missed > 20 * seen


def test_a_motor_at_its_limit_is_no_disturbance():
    robot = bare(strobe.load("planar2"))  # 30 and 12 N·m
    observer = MomentumObserver(ComputedTorque(robot, PERIOD), CONSTANT, effort=(30, 12))
    gains = {name: x.tolist() for name, x in observer.gains.items()}
    q, rest = [0.4, 0.7], [0.0, 0.0]
    kept = {name: x.tolist() for name, x in observer.first(np.array(q), np.zeros(2)).items()}
    kept["disturbance"] = rest
    tau, after = observer.step(Measured(q, rest, rest), Wanted([3.0, 3.0], rest, rest), kept, gains)
    assert min(tau) > 30
    drift = -robot.gravity(np.array(q))
    assert after["momentum expected"] == pytest.approx(PERIOD * (np.array([30.0, 12.0]) + drift / 2))


def test_memory_of_the_controller_inside_is_kept(arm, still):
    run = control(arm, still, MomentumObserver(JointPID(arm, PERIOD), CONSTANT), t=0.1, check=False)
    assert set(run.memory) == {"integral", "disturbance", "momentum expected", "torque asked"}
    assert np.abs(run.memory["integral"][-1]).min() > 0


def test_dry_friction_is_found_as_a_torque_against_the_motion(arm, motion):
    rough = bare(strobe.load("planar2"), 0.3)
    run = control(
        arm, motion, MomentumObserver(ComputedTorque(arm, PERIOD), 0.01), plant=rough, steps=20, check=False
    )
    fast = np.abs(run.qd).min(axis=-1) > 0.5
    assert fast.sum() > 100
    assert run.memory["disturbance"][fast] == pytest.approx(-0.3 * np.sign(run.qd[fast]), abs=0.01)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda c: MomentumObserver(MomentumObserver(c)),
            "momentum-observer has a disturbance observer already",
        ),
        (lambda c: MomentumObserver(c, 0.0), "time_constant has 0; expected positive numbers of seconds."),
        (lambda c: MomentumObserver(c, delay=2e-3), "delay is 0.002 s; expected 0 to one period, 0.001 s."),
        (
            lambda c: MomentumObserver(AccelerationServo(c.robot, PERIOD)),
            "acceleration-servo makes up for disturbances by itself",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(arm, make, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        make(ComputedTorque(arm, PERIOD))
