"""Pairs of accelerometers: what they say of a motion, and the motion that they tell."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.algebra import Vec3
from strobe.control import AccelerationServo, Sensor, Sensors, control
from strobe.control.accelerometers import REACH, accelerations, readings, require_pairs
from strobe.errors import UnsupportedModelError
from strobe.models.model import ROOT, Coupling

ARMS = ("planar2", "stanford", "puma560", "panda", "biped10")


def numbers(robot, seed=0):
    return [x.tolist() for x in robot.random_state(seed)]


@pytest.mark.parametrize("name", ARMS)
def test_the_joint_accelerations_are_told_exactly(name):
    robot = strobe.load(name)
    q, qd, qdd = numbers(robot)
    said = readings(robot.model, q, qd, qdd)
    assert len(said) == 6 * robot.nv
    assert accelerations(robot.model, q, qd, said) == pytest.approx(qdd, abs=1e-10)


def matrix(pose):
    found = np.eye(4)
    found[:3, :3] = np.array([[*pose.direction(Vec3.unit(k))] for k in range(3)]).T
    found[:3, 3] = [*pose.translation]
    return found


def places(model, q):
    """The rotation of every link, and where its accelerometers are, in base axes."""
    model = model.proximal()
    poses = {ROOT: np.eye(4)}
    found = []
    for body in model.bodies:
        before, whole = matrix(body.before), matrix(body.pose(q))
        poses[body.index] = poses[body.parent] @ whole
        beside = Vec3.unit((body.joint.axis + 1) % 3) * REACH if body.joint.turns else Vec3.zero()
        base = poses[body.parent]
        found.append((base[:3, :3], (base @ before)[:3, 3]))
        link = poses[body.index]
        found.append((link[:3, :3], (link @ np.array([*beside, 1.0]))[:3]))
    return found


@pytest.mark.parametrize("name", ["planar2", "stanford"])
def test_they_say_how_their_places_accelerate_without_the_fall(name):
    """Second differences of places along such a motion, less gravity, in link axes."""
    robot, h = strobe.load(name), 1e-4
    q, qd, qdd = (np.array(x) for x in numbers(robot))
    before, now, after = (places(robot.model, (q + qd * t + qdd * t**2 / 2).tolist()) for t in (-h, 0.0, h))
    down = np.array(list(robot.model.gravity.linear), dtype=float)
    said = np.array(readings(robot.model, q.tolist(), qd.tolist(), qdd.tolist())).reshape(-1, 3)
    for f, (_, a), (R, b), (_, c) in zip(said, before, now, after, strict=True):
        assert f == pytest.approx(R.T @ ((a - 2 * b + c) / h**2 - down), abs=1e-5)


def test_an_arm_at_rest_feels_gravity_and_tells_no_acceleration():
    robot = strobe.load("stanford")
    still = [0.0] * 6
    said = np.array(readings(robot.model, numbers(robot)[0], still, still)).reshape(-1, 3)
    assert np.linalg.norm(said, axis=1) == pytest.approx(
        np.full(12, np.linalg.norm([*robot.model.gravity.linear]))
    )
    assert accelerations(robot.model, numbers(robot)[0], still, said.ravel().tolist()) == pytest.approx(
        still, abs=1e-12
    )


def test_nothing_is_assumed_of_gravity():
    robot = strobe.load("stanford")
    elsewhere = robot.model.with_gravity(Vec3(1.0, -2.0, 3.0))
    q, qd, qdd = numbers(robot)
    assert accelerations(robot.model, q, qd, readings(elsewhere, q, qd, qdd)) == pytest.approx(
        qdd, abs=1e-10
    )


def test_an_error_of_one_pair_reaches_its_own_joint_and_those_after():
    robot = strobe.load("puma560")
    q, qd, qdd = numbers(robot)
    said = readings(robot.model, q, qd, qdd)
    said[6 * 2 + 5] += 0.01
    off = np.abs(np.array(accelerations(robot.model, q, qd, said)) - qdd)
    assert (off[:2] < 1e-12).all()
    assert 0 < off[2] <= 0.01 / REACH


def test_joints_that_no_pair_fits_are_refused():
    with pytest.raises(UnsupportedModelError) as told:
        require_pairs(strobe.load("planar2").with_base("floating").model)
    assert "accelerometers take joints with one degree of freedom" in str(told.value)
    assert str(told.value).endswith("is floating.")
    model = strobe.load("planar2").model
    with pytest.raises(UnsupportedModelError) as told:
        require_pairs(replace(model, couplings=(Coupling("joint2", {"joint1": -1.0}),)))
    assert str(told.value) == (
        'accelerometers take joints that move by themselves; "joint2" of planar2 follows others.'
    )


def test_the_servo_runs_on_them_as_on_the_acceleration_itself():
    robot = strobe.load("planar2")
    motion = robot.plan([(0.0, 0.0), (0.6, -0.4)], "quintic", velocity=1.0, acceleration=2.0)
    servo = AccelerationServo(robot, 1e-3)
    runs = [
        control(robot, motion, servo, sensors=Sensors(acceleration=sensor), check=False, friction=False)
        for sensor in (
            Sensor(),
            Sensor(source="accelerometers"),
            Sensor(1e-2, source="accelerometers", noise=1e-3),
        )
    ]
    exact, pairs, coarse = (run.q for run in runs)
    assert pairs == pytest.approx(exact, abs=1e-9)
    assert 1e-8 < np.abs(coarse - exact).max() < 1e-4
