"""Two robots compared: what changed, and what follows from it, by closed forms and by what was changed on purpose."""

from __future__ import annotations

import numpy as np
import pytest

import strobe
from strobe.analysis.comparison import compare
from strobe.errors import ArgumentError
from strobe.models.toml_reader import read_toml
from strobe.models.toml_writer import write_toml
from strobe.models.urdf import read_urdf
from strobe.models.urdf_writer import write_urdf


@pytest.fixture(scope="module")
def arm() -> strobe.Robot:
    return strobe.load("panda")


def edited(robot: strobe.Robot, old: str, new: str) -> strobe.Robot:
    """The robot with one place of its file changed."""
    text = write_toml(robot.model)
    assert text.count(old) >= 1
    return strobe.Robot(read_toml("edited.toml", text=text.replace(old, new, 1)))


def test_a_robot_is_the_same_as_itself_and_as_its_own_file(arm: strobe.Robot) -> None:
    assert compare(arm, arm).says == ("the same model",)
    again = strobe.Robot(read_toml("panda.toml", text=write_toml(arm.model)))
    assert compare(arm, again).same


def test_the_same_robot_in_another_format_has_the_same_torques_and_places() -> None:
    stanford = strobe.load("stanford")
    found = compare(stanford, strobe.Robot(read_urdf("s.urdf", text=write_urdf(stanford.model)[0])))
    assert not found.same  # links have other names
    assert found.worst is None
    assert found.farthest is None
    assert {change.topic for change in found.changes} <= {"names", "geometry"}


def test_a_payload_changes_one_link_and_the_torques_that_it_takes(arm: strobe.Robot) -> None:
    loaded = arm.with_payload(2.0)
    found = compare(arm, loaded, states=200)
    assert {(change.topic, change.part) for change in found.changes} == {("inertia", 'link "link7"')}
    mass = next(change for change in found.changes if change.what == "mass")
    assert float(mass.second) - float(mass.first) == pytest.approx(2.0)
    state = arm.random_state(0, 200)
    expected = np.abs(arm.inverse_dynamics(*state) - loaded.inverse_dynamics(*state)).max(axis=0)
    assert [row.difference for row in found.torques] == pytest.approx(expected.tolist())
    assert found.worst is not None
    assert found.worst.joint == arm.joint_names[int(np.argmax(expected))]
    assert found.farthest is None


def test_a_longer_link_moves_what_hangs_on_it_by_as_much_and_is_told_once() -> None:
    short = strobe.load("planar2")
    found = compare(short, edited(short, "l1 = 0.4\n", "l1 = 0.41\n"), states=50)
    assert found.farthest is not None
    assert found.farthest.distance == pytest.approx(0.01)
    places = [change for change in found.changes if change.topic == "geometry"]
    assert [(change.part, change.what) for change in places] == [('joint "joint1"', "position")]


def test_limits_and_gravity_are_compared(arm: strobe.Robot) -> None:
    found = compare(arm, arm.with_gravity([0, 0, -1.62]), states=10)
    assert [(change.topic, change.first, change.second) for change in found.changes] == [
        ("gravity", "(0, 0, -9.81)", "(0, 0, -1.62)")
    ]
    slower = edited(arm, "2.175", "2.0")
    (change,) = compare(arm, slower, states=10).changes
    assert (change.topic, change.what, change.first, change.second, change.unit) == (
        "limits", "velocity", "2.175", "2", "rad/s",
    )  # fmt: skip
    assert not compare(arm, slower, states=10).same


def test_joints_that_only_one_robot_has_are_told_and_held() -> None:
    two, three = strobe.load("planar2"), strobe.load("planar3")
    found = compare(two, three, states=50)
    assert ('joint "joint3"', "not there", "there") in [(c.part, c.first, c.second) for c in found.changes]
    assert found.joints == ("joint1", "joint2")
    held = three.lock({"joint3": 0.0})
    state = two.random_state(0, 50)
    expected = np.abs(two.inverse_dynamics(*state) - held.inverse_dynamics(*state)).max(axis=0)
    assert [row.difference for row in found.torques] == pytest.approx(expected.tolist())


def test_joints_in_another_order_are_matched_by_name() -> None:
    link = '<link name="{0}"><inertial><origin xyz="0.1 0 0"/><mass value="{1}"/><inertia ixx="1" iyy="1" izz="1" '
    link += 'ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="{0}" type="continuous"><parent link="base"/>'
    link += '<child link="{0}"/><axis xyz="0 1 0"/></joint>'
    parts = link.format("left", 1), link.format("right", 2)
    one, other = (
        strobe.Robot(
            read_urdf("tree.urdf", text=f'<robot name="tree"><link name="base"/>{"".join(order)}</robot>')
        )
        for order in (parts, parts[::-1])
    )
    found = compare(one, other, states=20)
    assert [(change.topic, change.what) for change in found.changes] == [("names", "order")]
    assert found.worst is None
    assert found.farthest is None


def test_what_cannot_be_compared_is_said_with_its_reason(arm: strobe.Robot) -> None:
    found = compare(strobe.load("fourbar"), strobe.load("planar2"))
    assert found.torques_why == "fourbar has closed chains."
    assert not found.same
    with pytest.raises(ArgumentError, match="tolerance is -1"):
        compare(arm, arm, tolerance=-1.0)


def test_a_tolerance_decides_what_is_the_same(arm: strobe.Robot) -> None:
    heavier = arm.with_payload(1e-5)
    assert not compare(arm, heavier, states=20).same
    assert compare(arm, heavier, states=20, tolerance=1e-3).same
