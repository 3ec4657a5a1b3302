"""A planned motion in the study and as a figure: switches, limits, shares."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pytest

import strobe
from strobe.errors import UnsupportedModelError
from strobe.study import trajectory
from strobe.study.case import Case
from strobe.study.limit_usage import beyond, percent, shares
from strobe.trajectory.figure import instants, trajectory_figure
from strobe.trajectory.planners import plan
from strobe.trajectory.requests import request


@pytest.fixture(scope="module")
def figure_5():
    """The worked example of the report: (1, 1) to (5, −1) under |a| ≤ ½."""
    arm = strobe.load("planar2").lock({"joint2": 0.0})
    asked = request(arm, [[1], [5]], qd=[[1], [-1]], velocity=3, acceleration=0.5, lower=-1, upper=9)
    return arm, plan(arm, asked), asked.bounds


def test_in_the_phase_plane_constant_acceleration_is_a_straight_line(figure_5):
    arm, motion, bounds = figure_5
    drawn = trajectory_figure(arm, motion, bounds, ("phase",))
    curve = max(re.findall(r'd="(M[^"]*)"', drawn), key=len)
    x, y = np.array(re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", curve), dtype=float).T
    # from (1, 1) up to C = (3, 3), down to D = (6, 0), and with the same acceleration back to (5, −1)
    corners = [0, int(np.argmin(y)), int(np.argmax(x)), len(x) - 1]
    assert corners == sorted(set(corners))
    for i, j in pairwise(corners):
        along = np.array([x[j] - x[i], y[j] - y[i]]) / np.hypot(x[j] - x[i], y[j] - y[i])
        off = (x[i:j] - x[i]) * along[1] - (y[i:j] - y[i]) * along[0]
        assert np.abs(off).max() < 0.5  # pixels: the corners lie between points that are drawn
    assert drawn.count("<circle") == 3 + 1  # both ends and the switch; one in the legend


def test_a_figure_has_a_panel_for_every_quantity_and_none_for_torques_without_masses(figure_5):
    arm, motion, bounds = figure_5
    drawn = trajectory_figure(arm, motion, bounds)
    assert drawn.count("time (s)") == 4
    assert "A motion of planar2 in 6.93 s (constant-acceleration)" in drawn


def test_instants_lie_on_both_sides_of_every_switch(figure_5):
    _, motion, _ = figure_5
    t = instants(motion)
    assert t[0] == 0
    qdd = motion(t).qdd[:, 0]
    assert set(np.round(qdd, 9)) == {0.5, -0.5}
    switch = 2 * (math.sqrt(3) - 1)
    assert np.abs(t - switch).min() < 1e-6
    assert (t < switch).any()


def test_shares_are_those_of_the_limits(figure_5):
    arm, motion, bounds = figure_5
    data = shares(arm, motion, bounds)
    assert data["shares"]["acceleration"] == pytest.approx([1])
    assert data["shares"]["velocity"] == pytest.approx([math.sqrt(3) / 3])
    tau = np.abs(arm.inverse_dynamics(*motion.sampled(count=9001)[1])).max()
    assert data["largest"]["torque"] == pytest.approx([tau], rel=1e-4)
    assert data["shares"]["torque"] == pytest.approx([tau / 30], rel=1e-4)
    assert beyond(data) == []


def test_torques_beyond_their_limits_are_told_in_one_sentence():
    data = {"joints": ["a", "b", "c"], "shares": {"torque": np.array([1.5, 12.3456, np.nan])}}
    assert beyond(data) == [
        'joint "b" needs 1,235 % of its torque limit, and 1 other joint more than theirs.'
    ]
    data["shares"]["torque"] = np.array([1.5, 0.2, np.nan])
    assert beyond(data) == ['joint "a" needs 150 % of its torque limit.']
    assert percent(None) == percent(math.nan) == ""


# -- the section ----------------------------------------------------------------------------------------------


def test_the_section_plans_the_same_points_in_several_ways():
    case = Case.of(strobe.load("planar2"))
    data = trajectory.measure(case)
    assert list(data["ways"]) == list(trajectory.WAYS)
    assert data["assumed"] == ["acceleration"]
    for name, way in data["ways"].items():
        assert way["largest_share"]["velocity"] <= 1 + 1e-6
        assert way["largest_share"]["torque"] <= 1 + 1e-6, name
    assert data["ways"]["torque-limited"]["largest_share"]["torque"] == pytest.approx(1, abs=0.02)
    assert data["ways"]["torque-limited"]["duration"] < data["duration"] < data["ways"]["cubic"]["duration"]
    page = str(trajectory.html(data, case))
    assert page.count("<svg") == 2
    assert "joint by joint" in page.lower()


def test_a_method_that_does_not_apply_says_why():
    data = trajectory.measure(Case.of(strobe.load("stanford")))
    assert "has no limit on its torque or its acceleration" in data["refused"]["torque-limited"]
    assert any("without torque-limited: " in str(part) for part in trajectory.render(data))


def test_quaternions_and_very_many_joints_are_left_out_with_the_reason():
    with pytest.raises(UnsupportedModelError, match=r"joints with quaternions"):
        trajectory.measure(Case.of(strobe.load("planar2").with_base("floating")))
    with pytest.raises(UnsupportedModelError, match=r"a study waits for 24"):
        trajectory.measure(Case.of(strobe.random(30, seed=1, kinds="R")))
