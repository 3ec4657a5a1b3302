"""Requests are looked at all at once; what is wrong is found wherever it stands, and what is on a bound passes."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError
from strobe.trajectory.requests import ROUNDING, request

ROBOT = strobe.load("ur5")


def at(values, k, j, value):
    values = np.array(values, float)
    values[k, j] = value
    return values


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 2e9, -2e9, 6.3, -6.3])
@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize("j", range(6))
def test_a_place_out_of_bounds_is_refused_by_its_point_and_joint(value, k, j):
    with pytest.raises(ArgumentError) as refused:
        request(ROBOT, at(np.zeros((2, 6)), k, j, value))
    assert str(refused.value).startswith(f'point {k + 1} puts joint "{ROBOT.joint_names[j]}" at {value:g}')


@pytest.mark.parametrize("name", ["velocity", "acceleration", "jerk", "effort"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, -np.inf, 1e-31, 1e31])
@pytest.mark.parametrize("j", [0, 5])
def test_a_bound_of_no_size_is_refused_by_its_joint(name, value, j):
    bounds = np.ones(6)
    bounds[j] = value
    with pytest.raises(ArgumentError, match=f'{name} bound of joint "{ROBOT.joint_names[j]}"'):
        request(ROBOT, np.zeros((2, 6)), **{name: bounds})


@pytest.mark.parametrize(
    ("speed", "passes"),
    [(1.0, True), (1 + ROUNDING / 2, True), (1 + 3 * ROUNDING, False), (np.inf, False)],
)
def test_a_velocity_passes_up_to_its_bound(speed, passes):
    rates = at(np.full((2, 6), np.nan), 1, 3, -speed)
    if passes:
        assert request(ROBOT, np.zeros((2, 6)), qd=rates, velocity=1.0).qd[1, 3] == -speed
    else:
        with pytest.raises(ArgumentError, match="for velocity .*; its bound is 1"):
            request(ROBOT, np.zeros((2, 6)), qd=rates, velocity=1.0)


@pytest.mark.parametrize("beyond", [0.0, ROUNDING, 3 * ROUNDING])
def test_a_place_passes_up_to_rounding_beyond_its_bound(beyond):
    points = at(np.zeros((2, 6)), 1, 2, 1.0 + beyond)
    if beyond <= ROUNDING:
        assert request(ROBOT, points, upper=1.0).q[1, 2] == 1.0 + beyond
    else:
        with pytest.raises(ArgumentError, match="above its upper bound 1"):
            request(ROBOT, points, upper=1.0)


def test_a_request_shares_no_array_with_the_robot_or_the_caller():
    given = np.zeros((2, 6))
    asked = request(ROBOT, given)
    for own in (ROBOT.limits.lower, ROBOT.limits.velocity, ROBOT.limits.effort, given):
        for part in (asked.q, asked.bounds.lower, asked.bounds.velocity, asked.bounds.effort):
            assert not np.shares_memory(own, part)


BOUNDS = [{}, {"velocity": 1.0}, {"velocity": 2.0, "acceleration": 3.0}, {"lower": -1.0, "upper": 1.0}]


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_bounds_that_were_looked_at_before_are_the_same_and_nobody_elses(bounds):
    names = ("lower", "upper", "velocity", "acceleration", "jerk", "effort")
    used, points = strobe.Robot(ROBOT.model), np.full((2, 6), 0.25)
    for others in BOUNDS:
        for name in names:
            getattr(request(used, points, **others).bounds, name)[...] = 7.0  # of one request alone
    expected = request(strobe.Robot(ROBOT.model), points, **bounds).bounds
    found = request(used, points, **bounds).bounds
    assert all(np.array_equal(getattr(found, name), getattr(expected, name)) for name in names)


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), 1e40])
def test_a_bound_that_is_none_is_refused_every_time(value):
    robot = strobe.Robot(ROBOT.model)
    for _ in range(2):
        request(robot, np.zeros((2, 6)), velocity=1.0)
        with pytest.raises(ArgumentError, match='^the velocity bound of joint "'):
            request(robot, np.zeros((2, 6)), velocity=value)
