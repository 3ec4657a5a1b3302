"""One joint from one state to another under bounds on speed and acceleration [Waters1979, corrected].

Every motion here is a ramp to a speed w, a cruise at it, and a ramp from it, both ramps at the full acceleration A:

    T = |w − v0| / A + c + |v1 − w| / A

For a given T the distance grows with w at the rate c ≥ 0: one w fits, or none does. Written over numbers: the same
lines plan one joint, a batch of arrays, or compile.
"""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar

from strobe.scalars import Num, absolute, less, maximum, minimum, sqrt, where

BANG_BANG = 1e-13  # a cruise whose square is this part of what it might be is rounding: the ramps meet
ROUNDING = 1e-12  # a distance this part of the ones it came from is no distance


N = TypeVar("N", Num, Any)  # a number, or an array of them


class Ends(NamedTuple):
    """Where a joint starts and ends, how fast there, and its bounds: |v0|, |v1| ≤ V, 0 < V, 0 < A, finite."""

    x0: Num
    v0: Num
    x1: Num
    v1: Num
    V: Num
    A: Num

    @property
    def direct(self) -> Num:
        """How far the joint gets while its speed goes from one end's to the other's at full acceleration."""
        return (self.v0 + self.v1) * absolute(self.v1 - self.v0) * (0.5 / self.A)

    @property
    def left(self) -> Num:
        """What is left of the distance then; zero if nothing but rounding."""
        left = self.x1 - self.x0 - self.direct
        scale = absolute(self.x0) + absolute(self.x1) + absolute(self.direct)
        return where(less(scale * ROUNDING, absolute(left)), left, left * 0.0)

    @property
    def half_squares(self) -> Num:
        return (self.v0 * self.v0 + self.v1 * self.v1) * 0.5


class Profile(NamedTuple, Generic[N]):
    """How long the first ramp, the cruise and the last ramp take, and the speed between the ramps."""

    ramp: N
    cruise: N
    brake: N
    speed: N

    @property
    def duration(self) -> N:
        return self.ramp + self.cruise + self.brake  # pyright: ignore[reportReturnType]


class Durations(NamedTuple, Generic[N]):
    """Every duration that two states admit: [least, gap_from] and [gap_to, ∞), which meet where there is no gap."""

    least: N
    gap_from: N
    gap_to: N


def fastest(ends: Ends) -> Profile[Num]:
    """The motion that takes least time."""
    x0, v0, x1, v1, V, A = ends
    left = ends.left
    tie = where(less(v0 + v1, 0.0), -1.0, 1.0)  # at full acceleration all the way: on the side it moves to
    forwards = where(less(left, 0.0), -1.0, where(less(0.0, left), 1.0, tie))
    peak = sqrt(maximum(forwards * A * (x1 - x0) + ends.half_squares, 0.0))
    # Rounding must not take the peak below the ends: there the ramps would overlap.
    peak = maximum(peak, maximum(forwards * v0, forwards * v1))
    capped = less(V, peak)
    top = minimum(peak, V)
    further = forwards * (x1 - x0) - (top * top - ends.half_squares) / A
    cruise = where(capped, maximum(further, 0.0) / where(capped, top, 1.0), 0.0)
    speed = forwards * top
    return Profile(absolute(speed - v0) / A, cruise, absolute(v1 - speed) / A, speed)


def durations(ends: Ends) -> Durations[Num]:
    """All durations; there is a gap where a joint that arrives too fast to wait would have to turn back first."""
    x0, v0, x1, v1, V, A = ends
    least = fastest(ends).duration
    along = where(less(v0, 0.0), -1.0, 1.0)
    distance = along * (x1 - x0)
    # (v0² + v1²) / 2 − A · distance: what is left of the square of the speed if the joint slows down in between
    slowest = ends.half_squares - A * distance
    same = less(0.0, v0 * v1)
    gap = same * less(0.0, slowest) * (1.0 - less(along * ends.left, 0.0))
    w = sqrt(maximum(slowest, 0.0))
    ends_speed = absolute(v0) + absolute(v1)
    back = minimum(w, V)  # the fastest it gets on its way back
    turning = (ends_speed + back * 2.0) / A + where(
        less(V, w), (ends.half_squares - back * back) / A - distance, 0.0
    ) / where(less(V, w), V, 1.0)
    waiting = maximum((ends_speed - w * 2.0) / A, least)
    return Durations(least, where(gap, waiting, least), where(gap, turning, least))


def lasting(ends: Ends, T: Num) -> Profile[Num]:
    """The motion that takes exactly a time T, which must be one of `durations`."""
    _, v0, _, v1, V, A = ends
    cruise = maximum(T - absolute(v1 - v0) / A, 0.0)  # at any speed between those of the ends
    high, low = maximum(v0, v1), minimum(v0, v1)
    over, under = ends.left - high * cruise, low * cruise - ends.left
    square = A * cruise * (A * cruise)
    undone = maximum(maximum(over, under), 0.0)  # what a speed between them leaves
    missing = minimum(undone, square / (A * 4.0))  # two ramps make up for no more: the rest is rounding
    rest = square - A * missing * 4.0
    root = where(less(square * BANG_BANG, rest), sqrt(maximum(rest, 0.0)), 0.0)
    beyond = less(0.0, missing)
    beside = A * missing * 2.0 / where(beyond, A * cruise + root, 1.0)
    between = ends.left / where(less(0.0, cruise), cruise, 1.0)
    speed = where(
        beyond,
        where(less(under, over), high + beside, low - beside),
        maximum(minimum(between, high), low),
    )
    speed = maximum(minimum(speed, V), -V)
    ramp, brake = absolute(speed - v0) / A, absolute(v1 - speed) / A
    return Profile(ramp, maximum(T - ramp - brake, 0.0), brake, speed)


def turns(ends: Ends, profile: Profile[Num]) -> tuple[Num, Num]:
    """The positions at which the two ramps pass through standstill; the end's own where they do not."""
    x0, v0, x1, v1, _, A = ends
    w = profile.speed
    first = where(less(v0 * w, 0.0), x0 + v0 * absolute(v0) * (0.5 / A), x0)
    last = where(less(w * v1, 0.0), x1 - v1 * absolute(v1) * (0.5 / A), x1)
    return first, last


def common(sets: list[Durations[Num]]) -> Num:
    """The least duration that every set contains: one of their beginnings, of the first part or the second."""
    starts = [start for each in sets for start in (each.least, each.gap_to)]
    best: Num = starts[0]
    for each in sets:  # always possible: after the last gap
        best = maximum(best, maximum(each.least, each.gap_to))
    for start in starts:
        possible: Num = 1.0
        for least, gap_from, gap_to in sets:
            inside = less(gap_from, start) * less(start, gap_to)
            possible = possible * (1.0 - less(start, least)) * (1.0 - inside)
        best = where(possible * less(start, best), start, best)
    return best
