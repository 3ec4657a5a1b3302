"""The zero moment point from above: soles, paths and scales that are those of the motion."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import strobe
from strobe.mechanisms import Gait, walk, walking
from strobe.mechanisms.figure_zmp import walk_figure, zmp_figure
from strobe.study import legs
from strobe.study.case import Case

SVG = "{http://www.w3.org/2000/svg}"


def shapes(figure, look):
    paths = [
        e.get("d") or ""
        for e in ElementTree.fromstring(figure).iter(SVG + "path")
        if e.get("class") == look
    ]
    return [np.array(re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", d), dtype=float) for d in paths]


def test_one_metre_is_as_long_in_both_directions():
    sole = np.array([(0.0, 0.0), (0.4, 0.0), (0.4, 0.1), (0.0, 0.1)])
    path = np.array([(0.1, 0.02), (0.3, 0.08)])
    figure = zmp_figure("A foot", [sole], path, path[::-1])
    (corners,) = shapes(figure, "side")
    line = shapes(figure, "s0")[-1]  # behind that of the legend
    scale = np.ptp(corners[:, 0]) / 0.4
    assert np.ptp(corners[:, 1]) == pytest.approx(0.1 * scale, abs=0.05)
    assert np.allclose(line - corners[0], scale * (path - sole[0]) * [1, -1], atol=0.05)
    for words in ("A foot", "soles", "zero moment point", "centre of mass", "x (m)", "y (m)"):
        assert words in figure


def test_instants_without_a_zero_moment_point_are_left_out():
    sole = np.array([(0.0, 0.0), (0.2, 0.0), (0.0, 0.2)])
    path = np.array([(0.0, 0.0), (np.nan, np.nan), (0.1, 0.1)])
    assert "nan" not in zmp_figure("A gap", [sole], path, path)


@pytest.fixture(scope="module")
def walked():
    robot = strobe.load("biped10")
    return walk(robot, robot.model.poses["crouch"], "torso", gait=Gait(steps=3))


@pytest.mark.slow
def test_a_walk_shows_every_place_of_a_foot(walked):
    figure = walk_figure(walked)
    assert len(shapes(figure, "side")) == 2 + 3
    assert "biped10 walks: 3 steps in" in figure
    assert "A walk" in walk_figure(walked, "A walk")


def test_a_study_of_a_robot_with_feet_lets_it_walk_from_its_pose(walked, monkeypatch):
    asked = []
    monkeypatch.setattr(walking, "walk", lambda *given: asked.append(given) or walked)
    data = legs.measure(Case.of(strobe.load("biped10")))
    ((_, posture, body),) = asked
    assert (posture.tolist(), body) == ([0, -0.3, 0.6, -0.3, 0, 0, -0.3, 0.6, -0.3, 0], "torso")
    assert data["held"]
    assert data["motion"] == "a walk of 3 steps"
    least = f"{1000 * data['margin'].min():.0f} mm"
    assert legs.in_brief(data) == (least, "inside the soles at least, along a walk of 3 steps")
    assert data["sentence"] in list(legs.render(data))
