"""Grids: where joints may be, how many points that takes, and what lies outside."""

import math

import numpy as np
import pytest

import strobe
from strobe.approximate.grids import Axis, Grid, axes, refuse_outside
from strobe.errors import ArgumentError, UnknownNameError

OPEN = Axis("elbow", "q", "rad", -1.0, 1.0, 5)
ROUND = Axis("wrist", "q", "rad", -math.pi, math.pi, 4, True)


def test_limits_are_the_range_and_joints_that_turn_freely_come_round():
    shoulder, elbow, slide = axes(strobe.load("spherical3"), "q", 5, {"joint3": (0.1, 0.5)})
    assert (shoulder.lower, shoulder.upper, shoulder.periodic) == (-math.pi, math.pi, True)
    assert elbow.periodic
    assert (slide.lower, slide.upper, slide.periodic, slide.unit) == (0.1, 0.5, False, "m")
    first, second = axes(strobe.load("planar2"), "qd", 3)
    assert (first.lower, first.upper) == (-4.0, 4.0)
    assert (second.lower, second.upper, second.periodic) == (-6.0, 6.0, False)


def test_a_step_gives_as_many_points_as_it_needs():
    robot = strobe.load("planar2")
    assert [axis.points for axis in axes(robot, "q", None, (-1.0, 1.0), 0.5)] == [5, 5]
    assert [axis.points for axis in axes(robot, "q", None, (-1.0, 1.0), 0.6)] == [5, 5]
    round_, _ = axes(robot, "q", None, (-math.pi, math.pi), math.radians(1.0))
    assert (round_.points, round_.periodic) == (360, True)
    assert round_.step == pytest.approx(math.radians(1.0))


def test_a_joint_that_another_follows_does_not_come_round():
    robot = strobe.load("parallelogram")
    followed = {name for coupling in robot.model.couplings for name in coupling.terms}
    with pytest.raises(
        ArgumentError, match="has no position limits; give ranges={'\\w+': \\(lower, upper\\)}"
    ):
        axes(robot, "q", 5)
    turn = axes(robot, "q", 5, (-math.pi, math.pi))
    assert [axis.periodic for axis in turn] == [axis.joint not in followed for axis in turn]


def test_points_run_over_the_last_axis_fastest():
    grid = Grid((OPEN, Axis("slide", "q", "m", 0.0, 1.0, 3)))
    assert grid.points == 15
    assert grid.strides == (3, 1)
    assert grid.coordinates(2, 5).tolist() == [[-1.0, 1.0], [-0.5, 0.0], [-0.5, 0.5]]


@pytest.mark.parametrize("x", [-1.0, -0.3, 0.5, 1.0])
def test_a_cell_is_between_two_points(x):
    below, above, f = OPEN.cell(OPEN.place(x))
    assert 0.0 <= f <= 1.0
    assert OPEN.nodes[int(below)] * (1 - f) + OPEN.nodes[int(above)] * f == pytest.approx(x)


@pytest.mark.parametrize("x", [-9.0, -math.pi, -1e-20, 0.3, 3.0, math.pi, 1e3])
def test_a_place_comes_round_by_whole_turns(x):
    below, above, f = ROUND.cell(ROUND.place(x))
    turned = ROUND.nodes[int(below)] + f * ROUND.step
    assert math.cos(turned) == pytest.approx(math.cos(x))
    assert math.sin(turned) == pytest.approx(math.sin(x), abs=1e-12)
    assert above == (below + 1) % 4
    near, beyond = ROUND.nearest(ROUND.place(x))
    assert abs(beyond) <= 0.5 + 1e-12
    assert math.cos(ROUND.nodes[int(near)] + beyond * ROUND.step) == pytest.approx(math.cos(x))


def test_outside_there_is_no_place():
    assert math.isnan(OPEN.place(1.001))
    assert math.isnan(OPEN.place(-1.001))
    assert OPEN.place(1.0 + 1e-12) == pytest.approx(4.0)


def test_what_lies_outside_is_refused_with_joint_value_and_range():
    with pytest.raises(
        ArgumentError,
        match='position of joint "elbow" is 1.5; the table covers -1 to 1 rad. It is not continued',
    ):
        refuse_outside([OPEN], np.array([[0.0], [1.5]]), "the table")
    refuse_outside([OPEN, ROUND], np.array([[0.0, 77.0], [np.nan, -3.0]]), "the table")


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"points": 1}, 'points of joint "joint1" is 1; expected a whole number, 2 or more'),
        ({"points": 2.5}, 'points of joint "joint1" is 2.5; expected a whole number'),
        (
            {"points": [3, 3, 3]},
            r"points has shape \(3,\); expected a number, one per joint of planar2 \(2\)",
        ),
        ({"points": None}, "has neither points nor a step"),
        ({"points": 3, "step": 0.1}, "has points and a step"),
        ({"points": None, "step": -0.1}, 'step of joint "joint1" is -0.1; expected a number above zero'),
        (
            {"points": 3, "ranges": (1.0, -1.0)},
            r"is \(1.0, -1.0\); expected \(lower, upper\), the lower one first",
        ),
        ({"points": 3, "ranges": (math.nan, 1.0)}, "the lower one first"),
        ({"points": 3, "ranges": [(0, 1)] * 3}, "expected a pair"),
    ],
)
def test_grids_that_are_none_are_refused(how, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        axes(strobe.load("planar2"), "q", **how)


def test_other_joints_are_refused_by_name():
    with pytest.raises(UnknownNameError, match="elbow"):
        axes(strobe.load("planar2"), "q", {"elbow": 3})
    with pytest.raises(
        ArgumentError,
        match=r"joint \"joint1\" of planar2 has no acceleration limits; give ranges=\{'qdd': \(lower, upper\)\}",
    ):
        axes(strobe.load("planar2"), "qdd", 3)
