"""Arms with three parallel axes in a row, and arms that move in a plane.

Joints 2, 3 and 4 with parallel axes h move points in planes across h, joints 5 and 6 meet in a point c:

    h · E_1⁻¹ G c = h · c                        the first joint, so that c is in its plane
    R_6ᵀ R_5ᵀ R_h(−φ) = R_Gᵀ R_1                  the last two, and φ = θ_2 + θ_3 + θ_4
    E_2 E_3 o = E_1⁻¹ G (E_5 E_6)⁻¹ o             an arm with two links: o on the axis of joint 4

Read from the hand to the base these are the arms with joints 3, 4 and 5 parallel.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from strobe.algebra import Vec3
from strobe.kinematics import chain_geometry
from strobe.kinematics.chain_geometry import Chain, Displacement, parallel, perpendicular, square
from strobe.kinematics.pieper import Found, Ways, backwards, beside, inverses, orient, turning
from strobe.kinematics.subproblems import (
    Line,
    Miss,
    Plane,
    Round,
    Slide,
    Turn,
    Value,
    Way,
    align,
    bring,
    meet,
    wrapped,
)
from strobe.scalars import Num


def crossing_of(arm: Chain) -> Vec3 | None:
    """Where the last two axes meet, if joints 2, 3 and 4 are parallel and the arm can be solved that way."""
    if arm.n != 6:
        return None
    first, *planar = arm.lines[:4]
    last = arm.lines[4:]
    h = planar[0].axis
    moves = not (parallel if first.turns else square)(first.axis, h)
    if not (moves and _planar(planar, arm.size) and turning([planar[0], *last])):
        return None
    return chain_geometry.meeting_point(last, arm.size)


def _planar(lines: Sequence[Line], size: float) -> bool:
    """Whether joints turn about parallel axes, each beside the one before."""
    return all(line.turns and parallel(line.axis, lines[0].axis) for line in lines) and not any(
        chain_geometry.same_line(a, b, size) for a, b in pairwise(lines)
    )


def three_parallel(arm: Chain, c: Vec3, G: Displacement, kept: Sequence[Value]) -> Found:
    """Every way of an arm with joints 2, 3 and 4 parallel to a pose."""
    l1, l2, l3, l4, l5, l6 = arm.lines
    h, size = l2.axis, arm.size
    back = inverses(kept)
    firsts, missed = meet(l1, G.point(c), Plane(h, h.dot(c)), back[0], size)
    places, later = list[Ways](), list[Miss]()
    for first in backwards(firsts):
        turned = [G.inverse().direction(first.value.direction(l1, v)) for v in (h, beside(l5.axis, h))]
        for last in orient((l6.axis, l5.axis, h), turned[0], turned[1], (back[5], back[4], Turn(1.0, 0.0))):
            total, fifth, sixth = backwards(last)
            x = fifth.value.inverse().point(l5, l4.point)
            x = G.point(sixth.value.inverse().point(l6, x))
            target = first.value.inverse().point(l1, x)
            links, miss = two_links(l2, l3, l4.point, target, kept[1:3], size)
            later.append(miss)
            for second, third in links:
                fourth = rest_of_turn(h, total, ((l2, second), (l3, third)), l4)
                places.append((first, second, third, fourth, fifth, sixth))
    return Found(places, [[missed], later])


def two_links(
    l1: Line, l2: Line, x: Vec3, target: Vec3, kept: Sequence[Value], size: float
) -> tuple[list[tuple[Way, Way]], Miss]:
    """The turns of two parallel joints that bring a point above or below a target."""
    ways, miss = meet(l2, x, Round.through(target, l1.point, l1.axis), kept[1], size)
    return [(bring(l1, way.value.point(l2, x), target, kept[0], size), way) for way in ways], miss


def rest_of_turn(h: Vec3, total: Way, done: Sequence[tuple[Line, Way]], last: Line) -> Way:
    """What the last of parallel joints must turn so that all of them turn by a total about h."""
    left: Num = total.value.number()
    for line, way in done:
        left = left - h.dot(line.axis) * way.value.number()
    return Way(Turn.by(h.dot(last.axis) * wrapped(left)))


# -- in a plane -------------------------------------------------------------------------------------------


def moves_in_plane(arm: Chain) -> bool:
    """Whether two or three parallel joints turn, and at most one slides along their axes."""
    turns = [line for line in arm.lines if line.turns]
    return (
        len(turns) in (2, 3)
        and arm.n - len(turns) <= 1
        and _planar(turns, arm.size)
        and all(parallel(line.axis, turns[0].axis) for line in arm.lines)
    )


def in_plane(arm: Chain, tool: Vec3, G: Displacement, kept: Sequence[Value]) -> Found:
    """Every way of a planar arm, or of a SCARA arm, to a pose of the plane."""
    turning_ones = [k for k, line in enumerate(arm.lines) if line.turns]
    a, b, *rest = turning_ones
    la, lb, h = arm.lines[a], arm.lines[b], arm.lines[a].axis
    x = arm.lines[rest[0]].point if rest else tool
    target = G.point(x)
    links, miss = two_links(la, lb, x, target, (kept[a], kept[b]), arm.size)
    across = perpendicular(h)
    total = align(h, across, G.direction(across), Turn(1.0, 0.0))
    places = list[Ways]()
    for first, second in links:
        ways = {a: first, b: second}
        for k in rest:
            ways[k] = rest_of_turn(h, total, ((la, first), (lb, second)), arm.lines[k])
        for k, line in enumerate(arm.lines):
            if not line.turns:
                ways[k] = Way(Slide(line.axis.dot(target - x)))
        places.append(tuple(ways[k] for k in range(arm.n)))
    return Found(places, [[miss]])
