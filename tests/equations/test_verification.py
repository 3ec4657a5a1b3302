"""Closed forms are held against formulations of the robot, in floating point and exactly."""

import pytest

import strobe
from strobe.equations.closed_form import equations_of
from strobe.equations.verification import exact, methods, verify
from strobe.models.load import load_model
from strobe.models.regroup import regrouped


def robot_of(name):
    return strobe.Robot(load_model(name), compiled=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("planar3", True),
        ("spherical3", False),
        ("pendulum3", True),
        ("parallelogram", False),
        ("stanford-c", False),
    ],
)
def test_equations_pass_both_comparisons(name, numbers):
    robot = robot_of(name)
    found = verify(equations_of(robot, numbers), robot, states=4)
    assert found.passed
    assert found.worst < 1e-13
    assert list(found.errors) == ["lagrange-jacobian", "spatial-newton-euler"]
    assert len(found.exact) == 2


def test_equations_pass_against_compiled_formulations():
    robot = strobe.load("planar2")
    assert verify(equations_of(robot), robot).passed


def test_puma560_is_exact_in_its_named_parameters():
    assert all(exact(equations_of(load_model("puma560")), trials=1).values())


def test_general_fixed_angles_are_exact_with_numbers():
    assert all(exact(equations_of(load_model("random(4,3)"), numbers=True)).values())


def test_one_wrong_term_is_found_both_ways():
    robot = robot_of("planar2")
    equations = equations_of(robot)
    wrong = [torque + equations.ring.variable("I1") * 1e-6 for torque in equations.torques]
    equations.__dict__["torques"] = wrong
    found = verify(equations, robot)
    assert found.worst > 1e-10
    assert not any(found.exact.values())
    assert not found.passed


def test_a_regrouped_robot_is_compared_with_methods_at_link_origins():
    robot = strobe.Robot(regrouped(load_model("planar3")), compiled=False)
    assert methods(robot) == ["spatial-newton-euler", "newton-euler-armstrong"]
    assert verify(equations_of(robot), robot, states=4).passed
