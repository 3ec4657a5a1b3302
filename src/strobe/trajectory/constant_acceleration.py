"""Motions of constant maximum acceleration through the points of a request, all joints in step."""

from __future__ import annotations

from functools import cache
from inspect import signature

import numpy as np

from strobe.compiler.runtime.arrays import every, some
from strobe.compiler.runtime.traced import AsWritten
from strobe.errors import ArgumentError
from strobe.scalars import Num, Numbers, less, where
from strobe.trajectory.envelope import kept_close
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.repeated_points import same_place
from strobe.trajectory.requests import ROUNDING, Request, require_bound
from strobe.trajectory.synchronised_profiles import Legs, Timed, in_step, single
from strobe.trajectory.via_points import chosen_velocities, effective_velocity

Array = np.ndarray
NOTHING = np.zeros(1)  # what no number is multiplied with before it is known
METHOD = "constant-acceleration"
NO_TIME = 8 * np.finfo(float).eps  # a piece that takes this part of the whole motion is rounding


def plan(asked: Request) -> Trajectory:
    """The motion through all points of a request; refused with the joint and the bound where there is none."""
    require_bound(asked, "acceleration", ", or plan under torque limits")
    return _through(asked) if asked.envelope is None else kept_close(asked, _through)


def _through(asked: Request) -> Trajectory:
    legs = _legs(asked, chosen_velocities(asked))
    timed = in_step(legs) if some(np.isnan(asked.times)) else _at_times(asked, legs)
    _check_room(asked, legs, timed)
    return _assembled(asked, legs, timed)


def _legs(asked: Request, qd: Array) -> Legs:
    V, A = effective_velocity(asked)[None], asked.bounds.acceleration[None]
    if len(asked.q) > 2:
        V, A = (np.broadcast_to(bound, asked.q[1:].shape) for bound in (V, A))
    return Legs(asked.q[:-1], qd[:-1], asked.q[1:], qd[1:], V, A)


def _at_times(asked: Request, legs: Legs) -> Timed:
    """Profiles that keep the times of a request, each of which its joints must admit."""
    T = np.diff(asked.times)
    _, every = single(legs)
    slack = 1 + 1e-9
    early = T[:, None] * slack < every.least
    between = (T[:, None] > every.gap_from * slack) & (T[:, None] * slack < every.gap_to)
    for k, j in zip(*np.nonzero(early | between), strict=True):
        where_ = f"from {asked.labels[k]} to {asked.labels[k + 1]} in {T[k]:g} s"
        joint = asked.joint_names[j]
        if early[k, j]:
            raise ArgumentError(f'{where_}: joint "{joint}" needs {every.least[k, j]:.6g} s at least.')
        raise ArgumentError(
            f'{where_}: joint "{joint}" arrives within {every.gap_from[k, j]:.6g} s, or turns back and takes '
            f"{every.gap_to[k, j]:.6g} s or more; nothing between is possible. Change a time or a velocity."
        )
    return in_step(legs, T)


def _check_room(asked: Request, legs: Legs, timed: Timed) -> None:
    """Refuse what can only be done beyond a bound on positions."""
    least, most = (
        np.minimum(timed.first_turn, timed.last_turn),
        np.maximum(timed.first_turn, timed.last_turn),
    )
    if every(least >= asked.bounds.lower) and every(most <= asked.bounds.upper):
        return
    for turn in (timed.first_turn, timed.last_turn):
        slack = ROUNDING * (1 + np.abs(turn))
        beyond = (turn < asked.bounds.lower - slack) | (turn > asked.bounds.upper + slack)
        for k, j in zip(*np.nonzero(beyond), strict=True):
            below = turn[k, j] < asked.bounds.lower[j]
            side, bound = ("lower", asked.bounds.lower[j]) if below else ("upper", asked.bounds.upper[j])
            raise ArgumentError(
                f'from {asked.labels[k]} to {asked.labels[k + 1]} joint "{asked.joint_names[j]}" would have to turn '
                f"back at {turn[k, j]:.6g}, beyond its {side} bound {bound:g}: with velocities {legs.v0[k, j]:.6g} "
                f"and {legs.v1[k, j]:.6g} it cannot do otherwise. Change a velocity, or allow more acceleration."
            )


def _assembled(asked: Request, legs: Legs, timed: Timed) -> Trajectory:
    """All joints' profiles cut at all their switching points."""
    T = timed.duration
    arrivals = np.zeros(len(T) + 1)
    arrivals[1:] = T.cumsum()
    knots = _knots(timed)
    starts = knots[:, :-1]
    lengths = knots[:, 1:] - starts
    kept = lengths > NO_TIME * arrivals[-1]
    if not some(kept):
        kept[0, 0] = True
    pieces = _parabolas(legs, timed, starts, starts + lengths / 2)[kept]
    times = np.empty(len(pieces) + 1)
    times[:-1] = (arrivals[:-1, None] + starts)[kept]
    times[0], times[-1] = 0.0, arrivals[-1]
    notes = () if every(T) else tuple(same_place(asked, k, k + 1) for k in np.flatnonzero(T == 0).tolist())
    return Trajectory(asked.joint_names, times, pieces, METHOD, arrivals, notes)


def _knots(timed: Timed) -> Array:
    """(legs, 2n + 2): when any joint switches, from zero to the end of each leg."""
    ramp, T = timed.profile.ramp, timed.duration[:, None]
    n = ramp.shape[1]
    knots = np.zeros((len(ramp), 2 * n + 2))
    knots[:, 1 : n + 1], knots[:, n + 1 : -1], knots[:, -1:] = ramp, ramp + timed.profile.cruise, T
    np.minimum(knots, T, out=knots)
    knots.sort()
    return knots


def _parabolas(legs: Legs, timed: Timed, starts: Array, middles: Array) -> Array:
    """Coefficients (legs, pieces, n, 3) of pieces that begin at some time of their leg."""
    ramp, cruise, _, w = timed.profile
    joints = (
        each[:, None, :, None] for each in (legs.x0, legs.v0, legs.x1, legs.v1, legs.A, ramp, cruise, w)
    )
    pieces = (each[:, :, None, None] for each in (timed.duration[:, None], starts, middles))
    return _compiled().code.ufunc()(*joints, *pieces, NOTHING)


@cache
def _compiled() -> AsWritten:
    return AsWritten(_parabola, dict.fromkeys(signature(_parabola).parameters, 1))


def _parabola(
    x0: Numbers, v0: Numbers, x1: Numbers, v1: Numbers, A: Numbers, ramp: Numbers, cruise: Numbers, w: Numbers,
    T: Numbers, t: Numbers, middle: Numbers, nothing: Numbers,
) -> list[Num]:  # fmt: skip
    """One joint from a time t on, by what it does in the middle of the piece: first ramp, cruise, last ramp."""
    left = T[0] - t[0]
    up, down = _towards(v0[0], w[0], A[0]), _towards(w[0], v1[0], A[0])
    half_up, half_down = up / 2.0, down / 2.0
    reached = x0[0] + (v0[0] + w[0]) / 2.0 * ramp[0]
    first = x0[0] + v0[0] * t[0] + half_up * t[0] * t[0], v0[0] + up * t[0], half_up
    steady = reached + w[0] * (t[0] - ramp[0]), w[0], nothing[0] * w[0]
    last = x1[0] - v1[0] * left + half_down * left * left, v1[0] - down * left, half_down
    ramping, cruising = less(middle[0], ramp[0]), less(middle[0], ramp[0] + cruise[0])
    return [where(ramping, a, where(cruising, b, c)) for a, b, c in zip(first, steady, last, strict=True)]


def _towards(v: Num, w: Num, A: Num) -> Num:
    """The acceleration from one speed to another: A, −A, or none."""
    return where(less(v, w), A, where(less(w, v), -A, 0.0))
