"""Cross-sections of workspaces: known shapes, limits kept, manipulability as the closed forms have it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from strobe.errors import StrobeError
from strobe.kinematics.workspace import (
    cross_section,
    drawn,
    joint_range,
    moving_numbers,
)
from strobe.models.load import load_model
from strobe.robot import Robot, random


def robot_of(name: str) -> Robot:
    return Robot(load_model(name), compiled=False)


def test_a_planar_arm_fills_a_ring_in_its_plane() -> None:
    section = cross_section(robot_of("planar2"), samples=20_000)
    nearest, farthest = section.distances
    assert (section.across, section.up) == ("x (m)", "y (m)")
    assert farthest == pytest.approx(0.75, abs=1e-12)
    bent = math.sqrt(0.4**2 + 0.35**2 + 2 * 0.4 * 0.35 * math.cos(2.6))  # the elbow at its limit
    assert nearest == pytest.approx(bent, abs=1e-12)


def test_its_manipulability_is_that_of_the_closed_form() -> None:
    robot = robot_of("planar2")
    section = cross_section(robot, samples=500, seed=3)
    elbow = drawn(robot, 500, 3)[:, 1]
    assert np.allclose(section.manipulability, 0.4 * 0.35 * np.abs(np.sin(elbow)), atol=1e-7)


def test_an_arm_that_turns_is_shown_by_distance_and_height() -> None:
    robot = robot_of("stanford")
    section = cross_section(robot, samples=300, seed=1)
    x, y, z = section.positions.T
    assert np.allclose(section.places, np.stack([np.hypot(x, y), z], axis=-1))
    assert section.across == "distance from the axis of joint1 (m)"
    J = robot.jacobian(drawn(robot, 300, 1))[:, :3]
    assert np.allclose(section.manipulability**2, np.linalg.det(J @ J.swapaxes(1, 2)), atol=1e-12)


def test_an_arm_that_slides_first_is_shown_square_to_that() -> None:
    robot = robot_of("planar2").with_base("translating")
    section = cross_section(robot, "tool", samples=200)
    assert (section.across, section.up) == ("y (m)", "z (m)")


def test_positions_keep_the_limits_and_reach_them() -> None:
    robot = robot_of("panda")
    q = drawn(robot, 4000)
    assert (q >= robot.limits.lower).all()
    assert (q <= robot.limits.upper).all()
    assert (q == robot.limits.lower).any(axis=0).all()
    assert (q == robot.limits.upper).any(axis=0).all()


def test_cells_hold_every_place_and_the_best_of_each() -> None:
    section = cross_section(robot_of("planar2"), samples=4000)
    x, y, best = section.cells(20)
    assert best.shape == (len(y) - 1, len(x) - 1)
    assert np.nanmax(best) == section.manipulability.max()
    assert np.isnan(best[len(y) // 2, len(x) // 2])  # the hole of the ring
    assert np.allclose(np.diff(x), np.diff(y)[0])


def test_a_joint_without_limits_has_a_turn_or_a_metre() -> None:
    robot = robot_of("stanford")
    assert joint_range(robot, "joint1") == (-math.pi, math.pi)
    assert joint_range(robot, "joint3") == (0.3048, 1.27)
    assert joint_range(robot_of("planar2").with_base("translating"), "base_x") == (-1.0, 1.0)
    assert joint_range(robot_of("ur5"), "joint1") == (-2 * math.pi, 2 * math.pi)


def test_the_numbers_that_move_a_frame_go_through_couplings() -> None:
    pinned = robot_of("parallelogram")
    assert moving_numbers(pinned, "link4").tolist() == [True, True]
    tree = Robot(random(6, 2, tree=True).model, compiled=False)
    for frame in tree.model.frames:
        names = {body.joint.name for body in tree.model.support(frame.body)}
        assert {tree.joint_names[k] for k in np.flatnonzero(moving_numbers(tree, frame.name))} == names


def test_the_frame_to_look_at_is_one_that_moves() -> None:
    robot = robot_of("panda").with_frame("table", frame="base")
    assert robot.frames[-1] == "table"
    assert cross_section(robot, samples=10).frame == robot.tip == "tool"


@pytest.mark.parametrize(
    ("base", "frame", "sentence"),
    [
        ("floating", "tool", 'planar2 floats: its frame "tool" can be anywhere.'),
        ("fixed", "base", 'no joint of planar2 moves frame "base".'),
        ("fixed", "tol", "Did you mean 'tool'?"),
    ],
)
def test_what_has_no_cross_section_is_refused(base: str, frame: str, sentence: str) -> None:
    with pytest.raises(StrobeError) as caught:
        cross_section(robot_of("planar2").with_base(base), frame)
    assert sentence in str(caught.value)
