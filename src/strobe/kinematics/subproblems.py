"""What one joint can do to a point, over numbers: the steps that closed-form inverse kinematics is made of.

    meet    the joint brings a point onto a plane, a sphere or a cylinder: at most two ways
    bring   the joint brings a point to a place that it can reach: one way

A turn about a line takes a point along the circle m + u cos θ + v sin θ, so each surface asks for

    a cos θ + b sin θ = k        (cos θ, sin θ) = ((a k ∓ b h), (b k ± a h)) / r²,   r² = a² + b²,  h² = r² − k²

Both ways come with their cosine and sine, so the next step needs no trigonometric function.
Where the surface is out of reach h² is negative and the way is NaN. Where two ways coincide there is only the first.
Where the point does not move at all (r = 0) every value will do: the joint is *free* and kept where it was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from strobe.algebra import Vec3
from strobe.scalars import Num, absolute, atan2, cos, less, maximum, sin, sqrt, where

TOUCHING = 1e-7  # h² above minus this part of r times the arm's size: the surface is touched, if not met
MERGED = 1e-14  # and below this part two ways are one
SINGULAR = 1e-11  # a point moved by less than this part of the arm's size does not move


@dataclass(frozen=True, eq=False)
class Turn:
    """The value of a joint that turns: the cosine and sine of its angle, and the angle where it is known already."""

    c: Num
    s: Num
    known: Num | None = None

    @classmethod
    def by(cls, angle: Num) -> Turn:
        return cls(cos(angle), sin(angle), angle)

    def number(self) -> Num:
        """The angle, from −π to π."""
        return atan2(self.s, self.c) if self.known is None else self.known

    def inverse(self) -> Turn:
        return Turn(self.c, -self.s, None if self.known is None else -self.known)

    def after(self, angle: float) -> Turn:
        """This turn after one by a fixed angle about the same line."""
        if angle == 0.0:
            return self
        c, s = _circle(angle)
        return Turn(self.c * c - self.s * s, self.s * c + self.c * s, wrapped(self.number() + angle))

    def opposite(self) -> Turn:
        """This turn and half a turn."""
        angle = self.number()
        return Turn(-self.c, -self.s, angle + where(less(0.0, angle), -math.pi, math.pi))

    def direction(self, line: Line, v: Vec3) -> Vec3:
        """Where a direction is turned."""
        along = line.axis * line.axis.dot(v)
        return along + (v - along) * self.c + line.axis.cross(v) * self.s

    def point(self, line: Line, x: Vec3) -> Vec3:
        """Where a point is moved."""
        return line.point + self.direction(line, x - line.point)

    def choose(self, condition: Num, other: Turn) -> Turn:
        """The other turn where a condition holds, else this one."""
        known = where(condition, other.number(), self.number())
        return Turn(where(condition, other.c, self.c), where(condition, other.s, self.s), known)


@dataclass(frozen=True, eq=False)
class Slide:
    """The value of a joint that slides."""

    x: Num

    def number(self) -> Num:
        return self.x

    def inverse(self) -> Slide:
        return Slide(-self.x)

    def direction(self, line: Line, v: Vec3) -> Vec3:
        return v

    def point(self, line: Line, x: Vec3) -> Vec3:
        return x + line.axis * self.x


Value = Turn | Slide


@dataclass(frozen=True, eq=False)
class Line:
    """The axis of a joint at rest, in base axes."""

    name: str
    turns: bool
    axis: Vec3
    point: Vec3

    def value(self, x: Num) -> Value:
        """A position of the joint."""
        return Turn.by(x) if self.turns else Slide(x)


@dataclass(frozen=True, eq=False)
class Plane:
    """The points x with normal · x = height."""

    normal: Vec3
    height: Num


@dataclass(frozen=True, eq=False)
class Round:
    """A sphere about a point, or a cylinder about a line: where the distance has a given square."""

    centre: Vec3
    square: Num
    axis: Vec3 | None = None  # of a cylinder

    def away(self, v: Vec3) -> Vec3:
        """The part of a vector that the distance is measured along."""
        return v if self.axis is None else v - self.axis * self.axis.dot(v)

    @classmethod
    def through(cls, x: Vec3, centre: Vec3, axis: Vec3 | None = None) -> Round:
        """The sphere or cylinder that goes through a point."""
        shape = cls(centre, 0.0, axis)
        away = shape.away(x - centre)
        return cls(centre, away.dot(away), axis)


Surface = Plane | Round


@dataclass(frozen=True, eq=False)
class Miss:
    """How far a surface is from what a joint can reach: none where the length is not positive."""

    line: Line
    surface: Surface
    length: Num  # metres
    bound: Num  # the distance from the axis, or from the centre, that would be needed


@dataclass(frozen=True, eq=False)
class Way:
    """One value of a joint, and whether any value would do, or two ways are this one (1, else 0)."""

    value: Value
    free: Num = 0.0
    double: Num = 0.0

    def inverse(self) -> Way:
        return Way(self.value.inverse(), self.free, self.double)


def meet(line: Line, x: Vec3, surface: Surface, kept: Value, size: float) -> tuple[list[Way], Miss]:
    """The values with which a joint brings a point onto a surface; the joint is kept where it is free."""
    if isinstance(kept, Turn):
        return _turned(line, x, surface, kept, size)
    return _slid(line, x, surface, size)


def _turned(line: Line, x: Vec3, surface: Surface, kept: Turn, size: float) -> tuple[list[Way], Miss]:
    m = line.point + line.axis * line.axis.dot(x - line.point)
    u = x - m
    v = line.axis.cross(u)
    if isinstance(surface, Plane):
        n = surface.normal
        a, b, k = n.dot(u), n.dot(v), surface.height - n.dot(m)
        ways, r = circle_ways(a, b, k, kept, size)
        return ways, Miss(line, surface, absolute(k) - r, absolute(k))
    away, u, v = surface.away(m - surface.centre), surface.away(u), surface.away(v)
    middle = away.dot(away) + u.dot(u)
    a, b, k = 2.0 * away.dot(u), 2.0 * away.dot(v), surface.square - middle
    ways, r = circle_ways(a, b, k, kept, size * size)
    needed = sqrt(surface.square)
    too_far = needed - sqrt(middle + r)
    too_near = sqrt(maximum(middle - r, 0.0)) - needed
    return ways, Miss(line, surface, maximum(too_far, too_near), needed)


def circle_ways(a: Num, b: Num, k: Num, kept: Turn, size: float) -> tuple[list[Way], Num]:
    """The turns with a cos θ + b sin θ = k, and the largest value that the left side can take."""
    rr = a * a + b * b
    hh = rr - k * k
    still = less(rr, (SINGULAR * size) ** 2)
    met = less(k * k, (SINGULAR * size) ** 2)
    free = where(still, met, 0.0)
    divisor = where(still, 1.0, rr)
    r = sqrt(rr)
    h, g, double = _roots(hh, r * size)
    first = Turn((a * k - b * h) / divisor, (b * k + a * h) / divisor)
    second = Turn((a * k + b * g) / divisor, (b * k - a * g) / divisor)
    lost = where(still, where(met, 0.0, 1.0), 0.0)
    first = first.choose(lost, NOWHERE).choose(free, kept)
    return [Way(first, free, where(still, 0.0, double)), Way(second)], r


NOWHERE = Turn(math.nan, math.nan, math.nan)


def _roots(x: Num, scale: Num) -> tuple[Num, Num, Num]:
    """The square roots for the two ways, NaN out of reach and for the second where both are one; whether they are."""
    one = less(x, scale * MERGED)
    touched = where(one, less(scale * -TOUCHING, x), 0.0)
    root = sqrt(where(touched, 0.0, x))
    return root, where(one, math.nan, root), touched


def _slid(line: Line, x: Vec3, surface: Surface, size: float) -> tuple[list[Way], Miss]:
    if isinstance(surface, Plane):
        n = surface.normal
        q = (surface.height - n.dot(x)) / n.dot(line.axis)
        return [Way(Slide(q))], Miss(line, surface, 0.0, 0.0)
    away, along = surface.away(x - surface.centre), surface.away(line.axis)
    A = along.dot(along)
    b = along.dot(away) / A
    least = away.dot(away) - A * b * b  # the squared distance from the centre where it passes nearest
    hh = (surface.square - least) / A
    needed = sqrt(surface.square)
    h, g, double = _roots(hh, needed * size)
    miss = sqrt(maximum(least, 0.0)) - needed
    return [Way(Slide(h - b), double=double), Way(Slide(-b - g))], Miss(line, surface, miss, needed)


def bring(line: Line, x: Vec3, y: Vec3, kept: Value, size: float) -> Way:
    """The value with which a joint brings a point to another that it can reach; kept where both lie on the axis."""
    if isinstance(kept, Slide):
        return Way(Slide(line.axis.dot(y - x)))
    return align(line.axis, x - line.point, y - line.point, kept, size)


def align(axis: Vec3, u: Vec3, v: Vec3, kept: Turn, size: float = 1.0) -> Way:
    """The turn about an axis that brings the direction of u to that of v, both seen along the axis."""
    c = u.dot(v) - axis.dot(u) * axis.dot(v)
    s = axis.dot(u.cross(v))
    r = sqrt(c * c + s * s)
    free = less(r, (SINGULAR * size) ** 2)
    divisor = where(free, 1.0, r)
    return Way(Turn(c / divisor, s / divisor).choose(free, kept), free)


def wrapped(angle: Num) -> Num:
    """An angle from −3π to 3π, between −π and π."""
    turn = 2.0 * math.pi
    return angle + where(less(math.pi, angle), -turn, where(less(angle, -math.pi), turn, 0.0))


def _circle(angle: float) -> tuple[float, float]:
    """Cosine and sine of a fixed angle, exact at right angles."""
    c, s = math.cos(angle), math.sin(angle)
    return tuple(float(round(x)) if abs(x - round(x)) < 1e-15 else x for x in (c, s))  # pyright: ignore
