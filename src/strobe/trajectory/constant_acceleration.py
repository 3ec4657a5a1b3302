"""Motions of constant maximum acceleration through the points of a request, all joints in step."""

from __future__ import annotations

import numpy as np

from strobe.errors import ArgumentError
from strobe.trajectory.envelope import kept_close
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.repeated_points import same_place
from strobe.trajectory.requests import ROUNDING, Request, require_bound
from strobe.trajectory.synchronised_profiles import Legs, Timed, in_step, single
from strobe.trajectory.via_points import chosen_velocities, effective_velocity

Array = np.ndarray
METHOD = "constant-acceleration"
NO_TIME = 8 * np.finfo(float).eps  # a piece that takes this part of the whole motion is rounding


def plan(asked: Request) -> Trajectory:
    """The motion through all points of a request; refused with the joint and the bound where there is none."""
    require_bound(asked, "acceleration", ", or plan under torque limits")
    return _through(asked) if asked.envelope is None else kept_close(asked, _through)


def _through(asked: Request) -> Trajectory:
    legs = _legs(asked, chosen_velocities(asked))
    timed = in_step(legs) if np.isnan(asked.times).any() else _at_times(asked, legs)
    _check_room(asked, legs, timed)
    return _assembled(asked, legs, timed)


def _legs(asked: Request, qd: Array) -> Legs:
    shape = asked.q[1:].shape
    V, A = (
        np.broadcast_to(bound, shape) for bound in (effective_velocity(asked), asked.bounds.acceleration)
    )
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
    T, profile = timed.duration, timed.profile
    arrivals = np.append(0.0, np.cumsum(T))
    switches = np.concatenate([profile.ramp, profile.ramp + profile.cruise], axis=1)
    knots = np.sort(
        np.minimum(np.concatenate([np.zeros((len(T), 1)), switches, T[:, None]], axis=1), T[:, None])
    )
    lengths = np.diff(knots)
    coefficients = _parabolas(legs, timed, knots[:, :-1], knots[:, :-1] + lengths / 2)
    kept = lengths > NO_TIME * arrivals[-1]
    if not kept.any():
        kept[0, 0] = True
    starts = (arrivals[:-1, None] + knots[:, :-1])[kept]
    times = np.append(starts, arrivals[-1])
    times[0] = 0.0
    notes = tuple(same_place(asked, k, k + 1) for k in np.flatnonzero(T == 0).tolist())
    return Trajectory(asked.joint_names, times, coefficients[kept], METHOD, arrivals, notes)


def _parabolas(legs: Legs, timed: Timed, starts: Array, middles: Array) -> Array:
    """Coefficients (legs, pieces, n, 3) of pieces that begin at some time of their leg."""
    ramp, cruise, _, w = (each[:, None] for each in timed.profile)
    x0, v0, x1, v1, _, A = (each[:, None] for each in legs)
    t, left = starts[..., None], timed.duration[:, None, None] - starts[..., None]
    up, down = np.sign(w - v0) * A, np.sign(v1 - w) * A
    reached = x0 + (v0 + w) / 2 * ramp
    first = (x0 + v0 * t + up / 2 * t * t, v0 + up * t, up / 2)
    steady = (reached + w * (t - ramp), w, 0.0 * w)
    last = (x1 - v1 * left + down / 2 * left * left, v1 - down * left, down / 2)
    shape = (*starts.shape, x0.shape[-1])
    phases = [
        np.stack([np.broadcast_to(each, shape) for each in phase], axis=-1)
        for phase in (first, steady, last)
    ]
    middle = middles[..., None]
    phase = np.where(middle < ramp, 0, np.where(middle < ramp + cruise, 1, 2))
    return np.choose(phase[..., None], phases)
