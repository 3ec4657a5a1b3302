"""The figure of a robot: its variables, lengths and angles, its table, and the names of its joints."""

from __future__ import annotations

import re

import numpy as np
import pytest

import strobe
from strobe.show.projection import View
from strobe.study.figure_robot import robot_figure


def words(drawn: str) -> list[str]:
    return re.findall(r'<text (?![^>]*class="halo")[^>]*>([^<]*)</text>', drawn)


@pytest.fixture(scope="module")
def stanford() -> list[str]:
    return words(robot_figure(strobe.load("stanford"), (0.3, 0.9, 0.6, -0.4, 0.7, 1.1)))


def test_every_variable_of_a_dh_robot_is_named_beside_its_joint(stanford) -> None:
    for name in ("θ₁", "θ₂", "d₃", "θ₄", "θ₅", "θ₆"):
        assert stanford.count(name) == 2  # at the joint and in the table


def test_lengths_and_twists_are_drawn_with_their_values(stanford) -> None:
    assert {"d₁ = 0.412", "d₂ = 0.154", "d₆ = 0.263", "α₁", "α₂"} <= set(stanford)


def test_frames_have_names(stanford) -> None:
    named = {name for word in stanford for name in word.split(", ")}
    assert {f"{axis}{index}" for axis in "xz" for index in "₀₁₂₃₆"} <= named


def test_the_table_below_is_that_of_the_robot(stanford) -> None:
    start = stanford.index("standard")
    rows = np.array(stanford[start + 5 : start + 35]).reshape(6, 5).tolist()
    assert rows[0] == ["1", "θ₁", "0.412", "0", "−90°"]
    assert rows[2] == ["3", "−90°", "d₃", "0", "0°"]
    assert rows[5] == ["6", "θ₆", "0.263", "0", "0°"]


def test_the_pose_and_the_grid_are_said(stanford) -> None:
    assert "q = (0.3, 0.9, 0.6, −0.4, 0.7, 1.1) · grid 0.2 m" in stanford


def test_axes_that_coincide_share_an_arrow() -> None:
    shown = words(robot_figure(strobe.load("puma560"), (0.3, -0.6, 0.9, -0.4, 0.7, 1.1)))
    assert "z₅, z₆" in shown


def test_a_planar_arm_shows_its_angles_from_zero_to_where_the_link_is() -> None:
    drawn = robot_figure(strobe.load("planar2"), (0.7, -1.1))
    arcs = [d for d in re.findall(r'<path d="(M[^"]*)" stroke-width="1.2"', drawn) if d.count("L") > 5]
    spans = []
    for arc in arcs:
        points = np.array(re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", arc), dtype=float)
        radius = 0.0
        # three points of a circle give its centre
        (x1, y1), (x2, y2), (x3, y3) = points[0], points[len(points) // 2], points[-1]
        A = 2 * np.array([[x2 - x1, y2 - y1], [x3 - x1, y3 - y1]])
        centre = np.linalg.solve(A, [x2**2 - x1**2 + y2**2 - y1**2, x3**2 - x1**2 + y3**2 - y1**2])
        a, b = points[0] - centre, points[-1] - centre
        radius = np.linalg.norm(a)
        spans.append(-np.arcsin((a[0] * b[1] - a[1] * b[0]) / radius**2))
    assert spans == pytest.approx([0.7, -1.1], abs=0.01)


def test_joints_of_other_robots_are_listed_by_number_and_name() -> None:
    robot = strobe.load("biped10")
    shown = words(robot_figure(robot, np.zeros(10)))
    assert shown[-20:] == [word for i, name in enumerate(robot.joint_names) for word in (str(i + 1), name)]
    assert {f"q{index}" for index in "₁₂₃₄₅₆₇₈₉"} <= set(shown)


def test_short_names_stand_beside_their_joints() -> None:
    shown = words(robot_figure(strobe.load("parallelogram"), (0.6, -0.35)))
    assert {"a1", "a2", "b1", "b2"} <= set(shown)


def test_many_joints_are_numbered_without_frames() -> None:
    robot = strobe.random(25, seed=1, tree=True)
    shown = words(robot_figure(robot, robot.random_state(seed=1)[0]))
    assert shown[0].startswith("The joints of")
    assert not [word for word in shown if re.fullmatch("[xyz][₀-₉]+", word)]
    assert sum(str(k) in shown for k in range(1, 26)) >= 20


def test_centres_of_mass_are_marked_on_request() -> None:
    robot, q = strobe.load("planar3"), (0.1, 0.2, 0.3)
    plain, marked = (robot_figure(robot, q, centres=centres) for centres in (False, True))
    quarters = re.compile(r'A[\d.]+ [\d.]+ 0 0 1 [^"]*" class="ink"')
    assert len(quarters.findall(marked)) - len(quarters.findall(plain)) == 3


def test_the_description_says_the_pose_and_the_view() -> None:
    drawn = robot_figure(strobe.load("planar2"), (0.7, -1.1), view=View(-60.0, 25.0))
    said = "planar2 with 2 joints at q = (0.7, −1.1), seen from azimuth -60 and elevation 25 degrees."
    assert f"<desc>{said}</desc>" in drawn


def test_a_gripper_is_drawn_only_where_a_frame_is_a_tool() -> None:
    hand = re.compile(r'class="sum" stroke-width="2.4"')
    assert hand.search(robot_figure(strobe.load("stanford"), np.full(6, 0.5)))
    assert not hand.search(robot_figure(strobe.load("biped10"), np.zeros(10)))
