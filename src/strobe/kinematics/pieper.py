"""Arms whose last three axes meet in a point, the wrist, after any three joints: Pieper's class.

    E_1 E_2 E_3 c = G c                  the point c where the axes meet is moved by the first three joints only
    R_4 R_5 R_6   = (R_1 R_2 R_3)ᵀ R_G   and then the last three turn the hand

The first three are found one by one. Two joints that follow each other, together, cannot take a point off some
surface, whatever they do: off a sphere if their axes meet, off a plane if they are parallel, and so on (`surfaces`).
So the third joint must bring the point onto that surface, through the target; the second onto another; then the
first takes it there. Read from the hand to the base the same holds, with the target moving instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from strobe.algebra import Vec3
from strobe.kinematics import chain_geometry
from strobe.kinematics.chain_geometry import Chain, Displacement, crossed, parallel, square
from strobe.kinematics.subproblems import (
    SINGULAR,
    Line,
    Miss,
    Plane,
    Round,
    Surface,
    Turn,
    Value,
    Way,
    align,
    bring,
    circle_ways,
    meet,
)
from strobe.scalars import less, sqrt, where

Ways = tuple[Way, ...]  # one per joint


@dataclass(frozen=True, eq=False)
class Found:
    """Every combination of ways, in the order of branches, and what was missed on the way, stage by stage."""

    places: list[Ways]
    misses: list[list[Miss]] = field(default_factory=list[list[Miss]])


# -- three joints and a point -----------------------------------------------------------------------


def surfaces(first: Line, second: Line, target: Vec3, size: float) -> tuple[Surface, Surface | None] | None:
    """Where the third joint must bring a point, and then the second, so that the first brings it to the target.

    None in place of the second surface: there is but one place to bring it to. None at all: no such surface.
    """
    w, v, o = first.axis, second.axis, first.point
    if first.turns and second.turns:
        if parallel(w, v):
            return Plane(v, v.dot(target)), Round.through(target, o)
        met = chain_geometry.meeting_point([first, second], size)
        return None if met is None else (Round.through(target, met), Plane(w, w.dot(target)))
    if not first.turns and not second.turns:
        across = crossed(w, v)
        aside = crossed(w, across)
        return Plane(across, across.dot(target)), Plane(aside, aside.dot(target))
    if square(w, v):
        if first.turns:
            return Plane(w, w.dot(target)), Round.through(target, o)
        across = crossed(w, v)
        return Plane(v, v.dot(target)), Plane(across, across.dot(target))
    if parallel(w, v):
        line = first if first.turns else second
        around = Round.through(target, line.point, line.axis)
        return around, Plane(w, w.dot(target)) if first.turns else None
    return None


def solvable(lines: Sequence[Line], size: float) -> bool:
    """Whether three joints bring a point of their last link to a target by surfaces, one joint after the other."""
    first, second, third = lines
    if chain_geometry.same_line(first, second, size) and first.turns == second.turns:
        return False
    if not first.turns and not second.turns and parallel(first.axis, second.axis):
        return False
    found = surfaces(first, second, Vec3.zero(), size)
    return found is not None and leaves(third, found[0], size)


def leaves(line: Line, surface: Surface, size: float) -> bool:
    """Whether a joint moves points off a surface, in one or two ways."""
    if isinstance(surface, Plane):
        return not (parallel if line.turns else square)(line.axis, surface.normal)
    if not line.turns:
        return surface.axis is None or not parallel(line.axis, surface.axis)
    if surface.axis is not None and not parallel(line.axis, surface.axis):
        return False
    return not chain_geometry.on_line(surface.centre, line, size)


def reach(lines: Sequence[Line], x: Vec3, target: Vec3, kept: Sequence[Value], size: float) -> Found:
    """The values of three joints that bring a point to a target."""
    l1, l2, l3 = lines
    k1, k2, k3 = kept
    found = surfaces(l1, l2, target, size)
    assert found is not None
    thirds, missed = meet(l3, x, found[0], k3, size)
    places, later = list[Ways](), list[Miss]()
    for third in thirds:
        y = third.value.point(l3, x)
        if found[1] is None:
            seconds = [bring(l2, y, target, k2, size)]
        else:
            seconds, miss = meet(l2, y, found[1], k2, size)
            later.append(miss)
        for second in seconds:
            z = second.value.point(l2, y)
            places.append((bring(l1, z, target, k1, size), second, third))
    return Found(places, [[missed], later])


def reach_either_way(
    lines: Sequence[Line], x: Vec3, target: Vec3, kept: Sequence[Value], size: float
) -> Found:
    """As `reach`, from the hand to the base where that is possible: then the first joint has the first branch."""
    if not solvable(lines[::-1], size):
        return reach(lines, x, target, kept, size)
    found = reach(lines[::-1], target, x, inverses(kept[::-1]), size)
    half = len(found.places) // 2  # a turn back has its ways in the opposite order
    places = [backwards(place) for place in (*found.places[half:], *found.places[:half])]
    return Found(places, found.misses)


def stages(lines: Sequence[Line], size: float) -> tuple[str, str]:
    """What the two choices of `reach_either_way` are about, in their order."""
    last = "elbow" if lines[2].turns else "slide"
    return ("shoulder", last) if solvable(lines[::-1], size) else (last, "shoulder")


def inverses(values: Sequence[Value]) -> list[Value]:
    return [value.inverse() for value in values]


def backwards(ways: Sequence[Way]) -> Ways:
    """The inverses of ways in the opposite order: those of a chain read from the hand to the base, as its own."""
    return tuple(way.inverse() for way in reversed(ways))


def either_way(lines: Sequence[Line], size: float) -> bool:
    return solvable(lines, size) or solvable(lines[::-1], size)


# -- three axes and a rotation ------------------------------------------------------------------------


def turning(lines: Sequence[Line]) -> bool:
    """Whether three joints turn, each about another axis than the one before."""
    axes = [line.axis for line in lines]
    return all(line.turns for line in lines) and not any(parallel(a, b) for a, b in pairwise(axes))


def orient(axes: Sequence[Vec3], d: Vec3, f: Vec3, kept: Sequence[Value]) -> list[tuple[Way, Way, Way]]:
    """The turns with R_1 R_2 R_3 = M; d is where M turns axis 3, and f where it turns what `beside` names.

    Where the first and third axis come to lie along each other, the first turn is kept and marked as free.
    """
    a1, a2, a3 = axes
    k1, k2 = kept[:2]
    assert isinstance(k1, Turn)
    assert isinstance(k2, Turn)
    if square(a1, a2) and square(a2, a3):
        return _orient_square(a1, a2, a3, d, f, k1)
    places = list[tuple[Way, Way, Way]]()
    m, u = a2 * a2.dot(a3), a3 - a2 * a2.dot(a3)
    ways, _ = circle_ways(a1.dot(u), a1.dot(a2.cross(u)), a1.dot(d) - a1.dot(m), k2, 1.0)
    for second in ways:
        turned = _about(a2, second.value, a3)
        first = align(a1, turned, d, k1)
        places.append((first, second, _last(axes, first, second, f)))
    return places


def beside(a2: Vec3, a3: Vec3) -> Vec3:
    """A unit vector perpendicular to the last two of three axes."""
    return crossed(a2, a3)


def _orient_square(
    a1: Vec3, a2: Vec3, a3: Vec3, d: Vec3, f: Vec3, kept: Turn
) -> list[tuple[Way, Way, Way]]:
    """Where each axis is perpendicular to the next: d = cos δ a1 + sin δ (cos θ1 a2×a1 + sin θ1 a2)."""
    x, y, z = d.dot(a2.cross(a1)), d.dot(a2), d.dot(a1)
    r = sqrt(x * x + y * y)
    free = less(r, SINGULAR)
    divisor = where(free, 1.0, r)
    first = Way(Turn(x / divisor, y / divisor).choose(free, kept), free)
    offset = chain_geometry.angle_between(a3, a1, a2)
    second = Turn(z, r).after(offset)
    third = _last((a1, a2, a3), first, Way(second), f)
    nan_if_free = where(free, float("nan"), 1.0)
    flipped = Turn(z, -r * nan_if_free).after(offset)
    return [
        (first, Way(second), third),
        (_opposite(first), Way(flipped), _opposite(third)),
    ]


def _opposite(way: Way) -> Way:
    assert isinstance(way.value, Turn)
    return Way(way.value.opposite())


def _last(axes: Sequence[Vec3], first: Way, second: Way, f: Vec3) -> Way:
    """The third turn, from what the first two leave of the rotation."""
    a1, a2, a3 = axes
    e = beside(a2, a3)
    g = _about(a2, second.value.inverse(), _about(a1, first.value.inverse(), f))
    return Way(Turn(e.dot(g), a3.cross(e).dot(g)))


def _about(axis: Vec3, value: Value, v: Vec3) -> Vec3:
    return value.direction(Line("", True, axis, Vec3.zero()), v)


# -- the arm ----------------------------------------------------------------------------------------------


def wrist_of(arm: Chain) -> Vec3 | None:
    """Where the last three axes of six meet, if the arm can be solved that way."""
    if arm.n != 6 or not turning(arm.lines[3:]):
        return None
    point = chain_geometry.meeting_point(arm.lines[3:], arm.size)
    return point if point is not None and either_way(arm.lines[:3], arm.size) else None


def spherical_wrist(arm: Chain, wrist: Vec3, G: Displacement, kept: Sequence[Value]) -> Found:
    """Every way of an arm with a spherical wrist to a pose."""
    lines, axes = arm.lines, [line.axis for line in arm.lines[3:]]
    carried = reach_either_way(lines[:3], wrist, G.point(wrist), kept[:3], arm.size)
    across = beside(axes[1], axes[2])
    d, f = G.direction(axes[2]), G.direction(across)
    places = list[Ways]()
    for ways in carried.places:
        turned = [taken_back(lines[:3], ways, v) for v in (d, f)]
        places += [(*ways, *last) for last in orient(axes, turned[0], turned[1], kept[3:])]
    return Found(places, carried.misses)


def taken_back(lines: Sequence[Line], ways: Ways, v: Vec3) -> Vec3:
    """A direction before joints turned it."""
    for line, way in zip(lines, ways, strict=True):
        v = way.value.inverse().direction(line, v)
    return v
