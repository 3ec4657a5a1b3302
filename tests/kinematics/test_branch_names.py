"""What branches are called, held against the places of shoulder, elbow and wrist by forward kinematics."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.kinematics.analytic import branches_at, recognise
from strobe.kinematics.branch_names import branch_names
from strobe.kinematics.screws import placement
from strobe.kinematics.serial_chain import serial

POSES = 200


def solved(name):
    """Words (POSES, 8) and positions (POSES, 8, 6) of random poses."""
    robot = strobe.load(name)
    found = robot.inverse_kinematics(robot.forward_kinematics(robot.random_state(4, POSES)[0]))
    q = found.q[found.exists]
    return robot, q, np.array(found.branches)[found.branch[found.exists]]


def places(robot, q, frame):
    return robot.forward_kinematics(q, frame)[:, :3, 3]


def says(names, word):
    return np.array([word in name for name in names])


def left_of(axis_to_wrist, beside):
    """Whether what is beside a level way lies to the left of it, seen from above."""
    return axis_to_wrist[:, 0] * beside[:, 1] - axis_to_wrist[:, 1] * beside[:, 0] > 0


@pytest.mark.slow
def test_the_boom_of_the_stanford_arm_goes_past_the_column_on_the_side_that_is_named():
    robot, q, names = solved("stanford")
    shoulder, wrist = (
        places(robot, q, "link2"),
        places(robot, q, "link3"),
    )  # on the boom, which is level with both
    assert (left_of(wrist - shoulder, shoulder) == says(names, "shoulder left")).all()
    assert (says(names, "slide forwards") == (q[:, 2] > 0)).all()
    assert (says(names, "left") | says(names, "right")).all()


def test_the_shoulder_of_the_puma_and_its_elbow_are_on_the_sides_that_are_named():
    robot, q, names = solved("puma560")
    wrist, elbow = places(robot, q, "link4"), places(robot, q, "link2")
    column = robot.forward_kinematics(q, "link1")
    axis, shoulder = column[:, :3, 2], column[:, :3, 3]  # of joint 2
    beside = axis * np.sum(axis * wrist, axis=-1, keepdims=True)
    assert (left_of(wrist - beside, beside) == says(names, "shoulder left")).all()
    assert_elbows(names, shoulder, elbow - axis * np.sum(axis * elbow, -1, keepdims=True), wrist - beside)


@pytest.mark.slow
def test_the_elbow_of_the_ur5_is_on_the_side_that_is_named():
    robot, q, names = solved("ur5")
    axis = robot.forward_kinematics(q, "link1")[:, :3, 2]
    shoulder, elbow, wrist = (places(robot, q, f"link{k}") for k in (1, 2, 3))
    last = places(robot, q, "link5")
    side = np.sum(axis * last, axis=-1, keepdims=True)
    assert_elbows(names, shoulder, elbow, wrist, ahead=last - axis * side)
    assert (left_of(last - axis * side, axis * side) == says(names, "shoulder left")).all()


def assert_elbows(names, shoulder, elbow, wrist, ahead=None):
    """Up is above the line from shoulder to wrist, seen from the left with the wrist to the right."""
    ahead = (wrist if ahead is None else ahead) * [1, 1, 0]
    ahead /= np.linalg.norm(ahead, axis=-1, keepdims=True)
    (x, z), (u, w) = (
        (np.sum((end - shoulder) * ahead, axis=-1), (end - shoulder)[:, 2]) for end in (elbow, wrist)
    )
    assert (says(names, "elbow up") == (u * z - w * x > 0)).all()
    assert (says(names, "elbow down") == ~says(names, "elbow up")).all()


def test_in_a_mirror_left_is_right():
    arm = serial(strobe.load("stanford"))
    mirror = np.diag([1.0, -1.0, 1.0])
    home = arm.home.copy()
    home[:3, :3], home[:3, 3] = mirror @ home[:3, :3] @ mirror, mirror @ home[:3, 3]
    turned = np.where(arm.revolute[:, None], -1.0, 1.0)  # in a mirror turns go the other way round
    other = replace(arm, axes=turned * arm.axes @ mirror, points=arm.points @ mirror, home=home)
    names, mirrored = branch_names(arm, recognise(arm)), branch_names(other, recognise(other))
    assert names[0] == "(+,+,+) shoulder left, slide forwards, wrist"
    assert names[7] == "(−,−,−) shoulder right, slide backwards, wrist flipped"
    q = np.array([0.3, 0.9, 0.6, -0.4, 0.7, 1.1])
    words = []
    for chain, all_names in ((arm, names), (other, mirrored)):
        places = branches_at(chain, recognise(chain), placement(chain, q[None]))[0]
        words.append(all_names[int(np.abs(places - q).max(-1).argmin())])
    assert "shoulder left" in words[0]
    assert "shoulder right" in words[1]


def test_an_arm_that_does_not_stand_upright_has_signs():
    arm = serial(strobe.load("biped10"), "torso")
    assert branch_names(arm, recognise(arm))[0] == "(+,+,+) shoulder +, elbow +, wrist"


def test_branches_that_do_not_come_in_pairs_are_counted():
    arm = serial(strobe.load("planar2"))
    method = recognise(arm)
    assert branch_names(arm, method) == ("(+) elbow +", "(−) elbow −")
    assert branch_names(arm, replace(method, stages=())) == ("branch 1", "branch 2")
