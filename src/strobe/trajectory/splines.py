"""Splines through the points of a request: cubic with continuous accelerations, quintic with continuous snap.

At the ends, and where a velocity is prescribed, a joint has that velocity; a quintic's acceleration is zero there,
and a cubic's may jump. Times that the request leaves open are balanced first, so that every leg uses its bounds as
much as the others, and then stretched together until the bounds hold everywhere: exactly where the velocities
prescribed are zero, because a time stretched by s divides velocities by s, accelerations by s² and jerks by s³.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import factorial

import numpy as np
from scipy.interpolate import make_interp_spline

from strobe.errors import ArgumentError
from strobe.trajectory.bound_checks import excess, require_rates, require_room
from strobe.trajectory.envelope import kept_close
from strobe.trajectory.motion import Trajectory, differentiated
from strobe.trajectory.repeated_points import distinct
from strobe.trajectory.requests import Request, require_bound

Array = np.ndarray

SWEEPS = 30  # in which the times of legs are balanced
GENTLE = 0.5  # the power of its need by which a leg is stretched in one sweep, at most
LOOKS = np.linspace(0.0, 1.0, 9)  # where a leg is looked at meanwhile
STRETCH, SLOWEST = 1.05, 1e4  # by how much a motion is slowed down at a time, and at most
HALVINGS = 40  # of the stretch between too fast and slow enough
ROOM = "Add points, or plan with constant-acceleration, which does not overshoot."
TIME = "Allow more time."


def cubic(asked: Request) -> Trajectory:
    """Cubic pieces with continuous accelerations."""
    return _planned(asked, 3)


def quintic(asked: Request) -> Trajectory:
    """Quintic pieces with continuous derivatives up to the fourth; accelerations vanish at both ends."""
    return _planned(asked, 5)


def _planned(asked: Request, degree: int) -> Trajectory:
    if asked.envelope is None:
        return _through(asked, degree)
    return kept_close(asked, lambda denser: _through(denser, degree))


def _through(asked: Request, degree: int) -> Trajectory:
    apart = distinct(asked)
    if np.isnan(asked.times).any():
        require_bound(asked, "acceleration", ", or the times of the points")
        motion = _fastest(apart.asked, degree)
    else:
        motion = _motion(apart.asked, np.diff(apart.asked.times), degree)
        require_rates(apart.asked, motion, TIME)
    require_room(apart.asked, motion, ROOM)
    return replace(motion, points=motion.points[apart.place], notes=apart.notes)


def _motion(asked: Request, lengths: Array, degree: int) -> Trajectory:
    times = np.append(0.0, np.cumsum(lengths))
    method = {3: "cubic", 5: "quintic"}[degree]
    return Trajectory(asked.joint_names, times, _pieces(asked, times, degree), method, times)


def _pieces(asked: Request, times: Array, degree: int) -> Array:
    """Coefficients (legs, n, degree + 1), joint by joint between the points that prescribe its velocity."""
    open_ = np.isnan(asked.qd[1:-1])
    if open_.all():
        return _spline(times, asked.q, asked.qd[0], asked.qd[-1], degree)
    pieces = np.empty((len(times) - 1, asked.n, degree + 1))
    for j in range(asked.n):
        fixed = [0, *(np.flatnonzero(~open_[:, j]) + 1), len(times) - 1]
        for a, b in pairwise(fixed):
            part = asked.q[a : b + 1, j : j + 1]
            ends = asked.qd[a, j : j + 1], asked.qd[b, j : j + 1]
            pieces[a:b, j : j + 1] = _spline(times[a : b + 1], part, *ends, degree)
    return pieces


def _spline(times: Array, q: Array, first: Array, last: Array, degree: int) -> Array:
    """Through points (P, m) with velocities at both ends; a quintic without acceleration there."""
    still = [(2, np.zeros_like(first))] if degree == 5 else []
    ends = ([(1, first), *still], [(1, last), *still])
    try:
        spline = make_interp_spline(times, q, k=degree, bc_type=ends)
    except ValueError:  # LinAlgError among them: times that coincide, or are no numbers
        raise ArgumentError(
            "the legs from point to point differ so much that no spline passes them in floating point. Plan parts of "
            "them by themselves."
        ) from None
    derivatives = [spline(times[:-1], nu=p) / factorial(p) for p in range(degree + 1)]
    return np.stack(derivatives, axis=-1)


# -- times that are open ------------------------------------------------------------------------------------


def _fastest(asked: Request, degree: int) -> Trajectory:
    """The spline at the least stretch of balanced times that keeps all bounds."""
    lengths = _balanced(asked, degree)
    if not np.nan_to_num(asked.qd).any():
        return _motion(asked, lengths * _stretch(asked, _motion(asked, lengths, degree)), degree)
    return _slow_enough(asked, lengths, degree)


def _stretch(asked: Request, motion: Trajectory) -> float:
    """By what the times of a motion must be multiplied, at least."""
    return max(float(excess(asked, motion, order).max()) ** (1 / order) for order in (1, 2, 3))


def _balanced(asked: Request, degree: int) -> Array:
    """Times of the legs in such proportions that each uses its bounds about as much."""
    d, b = np.abs(np.diff(asked.q, axis=0)), asked.bounds
    lengths = np.maximum(d / b.velocity, np.sqrt(d / b.acceleration)).max(axis=1)
    still = replace(asked, qd=np.where(np.isnan(asked.qd), np.nan, 0.0))
    use, power = _use(still, lengths, degree), GENTLE
    for _ in range(SWEEPS):
        tried = lengths * use**power
        needed = _use(still, tried, degree)
        if tried.sum() * needed.max() < lengths.sum() * use.max():
            lengths, use = tried, needed
        else:  # too far: neighbours that differ too much make a spline swing
            power /= 2
    return lengths


def _use(asked: Request, lengths: Array, degree: int) -> Array:
    """By what each leg (legs,) would have to be stretched alone, from a few looks at it."""
    values = _pieces(asked, np.append(0.0, np.cumsum(lengths)), degree)
    t = (lengths[:, None] * LOOKS)[:, :, None, None]  # (legs, looks, 1, 1)
    use = np.full(len(lengths), 1e-3)  # a leg on which nothing moves keeps some time
    for order, bound in enumerate((asked.bounds.velocity, asked.bounds.acceleration, asked.bounds.jerk), 1):
        values = differentiated(values)
        seen = np.abs((values[:, None] * t ** np.arange(values.shape[-1])).sum(axis=-1)).max(axis=1)
        use = np.maximum(use, ((seen / bound).max(axis=1)) ** (1 / order))
    return use


def _slow_enough(asked: Request, lengths: Array, degree: int) -> Trajectory:
    """With velocities that stay as they are: slower step by step until the bounds hold, then a little faster."""

    def at(stretch: float) -> tuple[Trajectory, bool]:
        motion = _motion(asked, lengths * stretch, degree)
        return motion, _stretch(asked, motion) <= 1 + 1e-12

    low, high = 0.0, 1.0
    while not at(high)[1]:
        low, high = high, high * STRETCH
        if high > SLOWEST:
            motion = at(1.0)[0]
            require_rates(asked, motion, "The velocities prescribed do not fit a spline: change them.")
            raise ArgumentError("no times were found for a spline with these velocities: change them.")
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if at(middle)[1] else (middle, high)
    return at(high)[0]
