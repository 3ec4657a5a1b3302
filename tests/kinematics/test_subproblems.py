"""One joint and one point: every way brings the point onto the surface, and what is missed is told."""

from __future__ import annotations

import math

import numpy as np
import pytest

from strobe.algebra import Vec3
from strobe.kinematics.subproblems import Line, Plane, Round, Slide, Turn, bring, meet, wrapped
from strobe.scalars import Lanes

ABOUT = Line("joint", True, Vec3(0.0, 0.6, 0.8), Vec3(0.2, -0.1, 0.3))
ALONG = Line("slide", False, Vec3(0.6, 0.0, 0.8), Vec3(0.0, 0.0, 0.0))
POINT = Vec3(1.0, 0.5, -0.4)
REST = Turn.by(0.0)


def off(surface, x):
    if isinstance(surface, Plane):
        return surface.normal.dot(x) - surface.height
    away = surface.away(x - surface.centre)
    return away.dot(away) - surface.square


@pytest.mark.parametrize("line", [ABOUT, ALONG])
@pytest.mark.parametrize(
    "shape",
    [
        lambda x: Plane(Vec3(0.0, 0.0, 1.0), x.z),
        lambda x: Round.through(x, Vec3(0.1, 0.9, 0.2)),
        lambda x: Round.through(x, Vec3(0.1, 0.9, 0.2), ABOUT.axis),
    ],
)
def test_a_joint_meets_a_surface_that_it_once_passed(line, shape):
    passed = line.value(0.7).point(line, POINT)
    surface = shape(passed)
    ways, miss = meet(line, POINT, surface, line.value(0.0), 1.0)
    assert any(abs(way.value.number() - 0.7) < 1e-12 for way in ways)
    assert all(abs(off(surface, way.value.point(line, POINT))) < 1e-12 for way in ways)
    assert miss.length <= 0.0


def test_two_ways_that_coincide_are_one():
    circle = Line("z", True, Vec3(0.0, 0.0, 1.0), Vec3.zero())
    ways, _ = meet(circle, Vec3(0.0, 1.0, 0.0), Plane(Vec3(1.0, 0.0, 0.0), 1.0), REST, 1.0)
    assert ways[0].value.number() == pytest.approx(-math.pi / 2)
    assert math.isnan(ways[1].value.number())


def test_a_plane_beyond_the_circle_is_missed_by_the_distance():
    circle = Line("z", True, Vec3(0.0, 0.0, 1.0), Vec3.zero())
    height = Lanes(np.array([1.5]))
    with np.errstate(invalid="ignore"):
        ways, miss = meet(circle, Vec3(0.0, 1.0, 0.0), Plane(Vec3(1.0, 0.0, 0.0), height), REST, 1.0)
    assert all(np.isnan(way.value.number().values) for way in ways)
    assert (miss.length.values, miss.bound.values) == (0.5, 1.5)


def test_a_joint_that_does_not_move_the_point_is_free_and_kept():
    circle = Line("z", True, Vec3(0.0, 0.0, 1.0), Vec3.zero())
    ways, _ = meet(circle, Vec3(0.0, 0.0, 2.0), Plane(Vec3(1.0, 0.0, 0.0), 0.0), Turn.by(0.4), 1.0)
    assert (ways[0].value.number(), ways[0].free) == (0.4, 1.0)


def test_bring_finds_the_angle_and_the_slide():
    for line, value in ((ABOUT, Turn.by(-2.0)), (ALONG, Slide(-2.0))):
        way = bring(line, POINT, value.point(line, POINT), line.value(0.0), 1.0)
        assert way.value.number() == pytest.approx(-2.0, abs=1e-14)
        assert way.free == 0.0


def test_a_point_on_the_axis_leaves_the_joint_free():
    on = ABOUT.point + ABOUT.axis * 0.7
    way = bring(ABOUT, on, on, Turn.by(1.1), 1.0)
    assert (way.value.number(), way.free) == (1.1, 1.0)


@pytest.mark.parametrize(
    ("angle", "expected"), [(4.0, 4.0 - 2 * math.pi), (-4.0, 2 * math.pi - 4.0), (1.0, 1.0)]
)
def test_angles_are_wrapped_by_full_turns(angle, expected):
    assert wrapped(angle) == pytest.approx(expected)


def test_half_a_turn_more_is_told_without_another_arctangent():
    for angle in (2.0, -2.0):
        other = Turn.by(angle).opposite()
        assert (other.c, other.s) == pytest.approx((math.cos(angle + math.pi), math.sin(angle + math.pi)))
        assert other.number() == pytest.approx(math.atan2(other.s, other.c))
