"""The ten columns of a load, with two velocities."""

import numpy as np
import pytest

import strobe
from strobe.control.regressor import load_columns
from strobe.identify import payload_regressor

LOAD = {"mass": 0.8, "com": (0.02, -0.01, 0.06), "inertia": (0.003, 0.004, 0.002, 0, 0, 0)}
PARAMETERS = np.array([0.8, 0.016, -0.008, 0.048, 0.00596, 0.0072, 0.0024, 0.00016, -0.00096, 0.00048])


def columns(robot, frame, *state):
    return np.array(load_columns(robot, frame, *(x.tolist() for x in state)), dtype=float).T


def test_a_load_of_the_stanford_arm_needs_the_torques_of_the_specification():
    robot = strobe.load("stanford")
    q, v, a = (np.array(x) for x in (
        (0.3, 0.9, 0.6, -0.4, 0.7, 1.1), (0.2, -0.3, 0.15, 0.5, -0.4, 0.6), (0.5, -0.7, 0.4, 1, -0.9, 0.8)
    ))  # fmt: skip
    golden = (
        0.311595572728,
        -5.06803513676,
        5.29434566897,
        -1.40194952438,
        -0.686059663289,
        -0.0827935468534,
    )
    assert columns(robot, "tool", q, v, v, a) @ PARAMETERS == pytest.approx(golden, abs=2e-11)


@pytest.mark.parametrize("name", ["planar2", "stanford", "panda", "biped10", "parallelogram"])
def test_with_one_velocity_they_are_the_columns_of_a_payload(name):
    robot = strobe.Robot(strobe.load(name).model, compiled=False)
    q, v, a = robot.random_state(2)
    expected = payload_regressor(robot, q, v, a)
    assert columns(robot, robot.frames[-1], q, v, v, a) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", ["planar2", "stanford", "panda"])
def test_with_two_they_are_what_the_load_adds_to_the_christoffel_matrix(name):
    robot = strobe.Robot(strobe.load(name).model, compiled=False)
    loaded = robot.with_payload(**LOAD)
    q, v, a = robot.random_state(4)
    w = robot.random_state(5)[1]
    with_it, without = (
        r.mass_matrix(q) @ a + r.coriolis_matrix(q, v) @ w + r.gravity(q) for r in (loaded, robot)
    )
    assert columns(robot, robot.frames[-1], q, v, w, a) @ PARAMETERS == pytest.approx(
        with_it - without, rel=1e-10, abs=1e-10
    )
