"""Rows of a Denavit-Hartenberg table as Python has them: the robot of the file that says the same."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ModelFileError
from strobe.models.dh_rows import read_dh
from strobe.models.fingerprint import fingerprint
from strobe.models.toml_reader import read_toml

FILE = """
format = 1
name = "arm"
[base]
gravity = [0, -9.81, 0]
[dh]
convention = "{}"
[[dh.link]]
joint = "revolute"
a = 0.35
d = 0.4
theta = 0.2
alpha = "pi/2"
mass = 6.0
com = [-0.1, 0, 0]
inertia = [0.01, 0.07, 0.07, 0, 0, 0]
limits = {{ position = [-2.3, 2.3], velocity = 5.0 }}
[[dh.link]]
joint = "prismatic"
name = "hand"
joint_name = "slide"
d = 0.1
mass = 1.0
motor = {{ inertia = 1e-5, gear = 120 }}
"""
ROWS = [
    {"joint": "R", "a": 0.35, "d": np.float64(0.4), "theta": 0.2, "alpha": np.pi / 2, "mass": 6.0,
     "com": np.array([-0.1, 0, 0]), "inertia": np.array([[0.01, 0, 0], [0, 0.07, 0], [0, 0, 0.07]]),
     "limits": {"position": (-2.3, 2.3), "velocity": 5}},
    {"joint": "prismatic", "name": "hand", "joint_name": "slide", "d": 0.1, "mass": np.int64(1),
     "motor": {"inertia": 1e-5, "gear": 120}},
]  # fmt: skip


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_rows_are_the_robot_of_the_file_that_says_the_same(convention):
    robot = strobe.from_dh(ROWS, convention=convention, name="arm", gravity=(0, -9.81, 0))
    file = strobe.Robot(read_toml("arm.toml", text=FILE.format(convention)))
    assert [joint.name for joint in robot.model.joints] == ["joint1", "slide"]
    assert robot.model.joints == file.model.joints
    state = file.random_state(seed=0)
    np.testing.assert_array_equal(robot.inverse_dynamics(*state), file.inverse_dynamics(*state))
    np.testing.assert_array_equal(robot.forward_kinematics(state[0]), file.forward_kinematics(state[0]))


def turn(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array({"z": [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
                     "x": [[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]]}[axis])  # fmt: skip


def shift(x, z):
    T = np.eye(4)
    T[:3, 3] = x, 0, z
    return T


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_tuple_is_the_product_of_its_convention(convention):
    rows = [("R", 0.1, 0.2, 0.3, 0.4), ("P", 0.5, 0.6, 0.7, 0.8), ("R", 0, 0, 0.2, -1.1)]
    q = np.array([0.7, -0.2, 1.3])
    T = np.eye(4)
    for (kind, theta, d, a, alpha), x in zip(rows, q, strict=True):
        theta, d = (theta + x, d) if kind == "R" else (theta, d + x)
        z, along = turn("z", theta) @ shift(0, d), shift(a, 0) @ turn("x", alpha)
        T = T @ (z @ along if convention == "standard" else along @ z)
    found = strobe.from_dh(rows, convention=convention).forward_kinematics(q)
    np.testing.assert_allclose(found, T, atol=1e-15)


def test_columns_may_come_in_another_order_and_angles_in_degrees():
    one = read_dh([("R", 30.0, 0.2, 0.3, 90.0)], degrees=True)
    other = read_dh(
        [(90.0, 0.3, 0.2, 30.0, "R")], columns=("alpha", "a", "d", "theta", "joint"), degrees=True
    )
    radians = read_dh([("R", np.pi / 6, 0.2, 0.3, "pi/2")])
    assert fingerprint(one) == fingerprint(other) == fingerprint(radians)


def test_an_inertia_is_three_numbers_six_or_a_matrix():
    def first(inertia):
        rows = [{"joint": "R", "a": 0.4, "mass": 1.0, "com": [0.1, 0, 0], "inertia": inertia}]
        return strobe.from_dh(rows).model.bodies[0].inertial.central

    matrix = first([[0.01, 0, 0], [0, 0.02, 0], [0, 0, 0.03]])
    assert list(first([0.01, 0.02, 0.03])) == list(first([0.01, 0.02, 0.03, 0, 0, 0])) == list(matrix)


def test_degrees_that_nobody_announced_are_warned_of():
    with pytest.warns(
        strobe.ModelWarning, match="an angle of 90, more than a full turn; radians are expected"
    ):
        strobe.from_dh([("R", 0, 0, 1, 90)])
    with pytest.raises(ModelFileError, match="radians are expected"):
        strobe.from_dh([("R", 0, 0, 1, 90)], strict=True)


@pytest.mark.parametrize(
    ("rows", "options", "sentence"),
    [
        ([("R", 0, 0, 0)], {}, "row 1 is ('R', 0, 0, 0); expected (joint, theta, d, a, alpha), or a mapping of"),
        ([("R", 0, 0, 0, 0), 5], {}, "row 2 is 5; expected (joint, theta, d, a, alpha)"),
        ([("Q", 0, 0, 0, 0)], {}, "row 1 has the joint 'Q'; expected \"R\" or \"P\"."),
        ([{"joint": ["R"]}], {}, "row 1 has the joint ['R']; expected"),
        ([("R", 0, 0, 0, 0)], {"snap": 3}, "snap is 3; expected an angle from 0 to 0.1 rad"),
        ([{"a": 1}], {}, "row 1 has the joint None; expected \"R\" or \"P\"."),
        ([{"joint": "revolut"}], {}, "Did you mean 'revolute'?"),
        ("RR", {}, "rows is 'RR'; expected a list of rows, one for each joint."),
        (5, {}, "rows is 5; expected a list of rows"),
        ([("R", 0, 0, 0, 0)], {"columns": ("a", "alpha")}, "expected joint, theta, d, a, alpha in any order."),
        ([{"joint": "R", "mas": 1}], {}, "<rows>: dh.link[1].mas: unknown key. Did you mean 'mass'?"),
        ([("R", 0, float("nan"), 0, 0)], {}, "<rows>: dh.link[1].d: found nan, expected a finite number."),
        ([("R", 0, 0, 1, 0)], {"convention": "craig"}, 'dh.convention: found "craig", expected one of "standard"'),
        ([("R", 0, 0, 1, 0)], {"gravity": [0, 0]}, "base.gravity: found [0, 0], expected an array of 3 numbers."),
        ([], {}, "no links; expected at least one"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_rows_is_told(rows, options, sentence):
    with pytest.raises(ArgumentError) as caught:
        strobe.from_dh(rows, **options)
    assert sentence in str(caught.value)


def test_all_faults_of_rows_are_told_at_once():
    with pytest.raises(ModelFileError) as caught:
        strobe.from_dh([{"joint": "R", "mas": 1}, {"joint": "R", "com": [1, 2]}])
    assert len(caught.value.faults) == 2
