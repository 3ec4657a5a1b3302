"""Motions under a bound on jerk, from one state to the next, planned by Ruckig (extra ``plan``).

Accelerations are zero at every point. Ruckig keeps the bounds on velocity, acceleration and jerk; those on positions
are checked here, exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strobe.errors import ArgumentError, MissingExtraError
from strobe.trajectory.bound_checks import require_room
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.repeated_points import distinct
from strobe.trajectory.requests import Request, require_bound

Array = np.ndarray

METHOD = "jerk-limited"
ROOM = "Change a velocity, or the points."


def jerk_limited(asked: Request) -> Trajectory:
    """The motion of least time from point to point, at velocities that the request prescribes."""
    ruckig = _ruckig()
    _require(asked)
    apart = distinct(asked)
    starts, pieces, points = [0.0], list[Array](), [0.0]
    for k in range(len(apart.asked.q) - 1):
        t, coefficients = _leg(ruckig, apart.asked, k)
        starts += (points[-1] + t[1:]).tolist()
        pieces.append(coefficients)
        points.append(starts[-1])
    motion = Trajectory(
        asked.joint_names,
        np.array(starts),
        np.concatenate(pieces),
        METHOD,
        np.array(points)[apart.place],
        apart.notes,
    )
    require_room(asked, motion, ROOM)
    return motion


def _ruckig() -> Any:
    try:
        import ruckig
    except ImportError:
        raise MissingExtraError("planning under a bound on jerk", "ruckig", "plan") from None
    return ruckig


def _require(asked: Request) -> None:
    for name in ("acceleration", "jerk"):
        require_bound(asked, name)
    for k, j in zip(*np.nonzero(np.isnan(asked.qd)), strict=True):
        raise ArgumentError(
            f'{asked.labels[k]} leaves the velocity of joint "{asked.joint_names[j]}" open; jerk-limited motions are '
            "planned from point to point: prescribe it (0 stops there)."
        )
    if asked.envelope is not None:
        raise ArgumentError(
            "jerk-limited motions keep no envelope: leave it out, or plan with constant-acceleration."
        )


def _leg(ruckig: Any, asked: Request, k: int) -> tuple[Array, Array]:
    """Knots (pieces + 1,) and cubics (pieces, n, 4) from one point to the next."""
    second, unit = _units(asked, k)
    want = ruckig.InputParameter(asked.n)
    want.target_position = ((asked.q[k + 1] - asked.q[k]) / unit).tolist()
    want.current_velocity, want.target_velocity = (asked.qd[k : k + 2] * second / unit).tolist()
    want.max_velocity = np.minimum(asked.bounds.velocity * second / unit, 1e9).tolist()
    want.max_acceleration = (asked.bounds.acceleration * second**2 / unit).tolist()
    want.max_jerk = (asked.bounds.jerk * second**3 / unit).tolist()
    given = asked.times[k + 1] - asked.times[k]
    if np.isfinite(given):
        want.minimum_duration = float(given / second)
    found = ruckig.Trajectory(asked.n)
    where = f"from {asked.labels[k]} to {asked.labels[k + 1]}"
    if reason := _failed(ruckig, want, found):
        raise ArgumentError(f"{where}: Ruckig finds no motion ({reason}). Change a velocity or a bound.")
    duration = found.duration * second
    if np.isfinite(given) and abs(duration - given) > 1e-9 * given:
        raise ArgumentError(
            f"{where} in {given:g} s: the joints have no motion of this duration; the next one takes "
            f"{duration:.6g} s."
        )
    t, cubics = _cubics(found, asked.n)
    cubics *= unit[:, None] / second ** np.arange(4)
    cubics[:, :, 0] += asked.q[k]
    return t * second, cubics


def _units(asked: Request, k: int) -> tuple[float, Array]:
    """A time and a length per joint (n,) in which the leg is about one: Ruckig's tolerances are absolute."""
    d, v = np.abs(asked.q[k + 1] - asked.q[k]), np.abs(asked.qd[k : k + 2]).max(axis=0)
    b = asked.bounds
    needed = (
        d / b.velocity,
        np.sqrt(d / b.acceleration),
        np.cbrt(d / b.jerk),
        v / b.acceleration,
        np.sqrt(v / b.jerk),
    )
    given = np.nan_to_num(asked.times[k + 1] - asked.times[k])
    second = max(float(np.max(needed)), float(given))
    lengths = np.maximum(d, v * second)
    return second, np.where(lengths > 0, lengths, b.acceleration * second**2)


def _failed(ruckig: Any, want: Any, found: Any) -> str:
    """Ruckig's word for why it finds nothing; none where it does."""
    try:
        result = ruckig.Ruckig(len(want.target_position)).calculate(want, found)
    except (ruckig.RuckigError, ValueError):  # no root found, or a code without a word
        return "bounds on velocity, acceleration and jerk are too far apart"
    return "" if result in (ruckig.Result.Working, ruckig.Result.Finished) else result.name


def _cubics(found: Any, n: int) -> tuple[Array, Array]:
    """What Ruckig found as polynomials: its accelerations are straight between the switching times of all joints."""
    (profiles,) = found.profiles
    switches = [profile.brake.duration + np.append(0.0, np.cumsum(profile.t)) for profile in profiles]
    t = np.unique(np.clip(np.concatenate([[0.0, found.duration], *switches]), 0.0, found.duration))
    t = t[np.append(True, np.diff(t) > 1e-12 * max(found.duration, 1.0))]
    t[-1] = found.duration
    q, qd, qdd = np.moveaxis(np.array([found.at_time(x)[:3] for x in t]), 1, 0).reshape(3, len(t), n)
    jerk = np.diff(qdd, axis=0) / np.diff(t)[:, None]
    return t, np.stack([q[:-1], qd[:-1], qdd[:-1] / 2, jerk / 6], axis=-1)
