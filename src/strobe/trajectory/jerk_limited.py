"""Motions under a bound on jerk, from one state to the next, planned by Ruckig (extra ``plan``).

Accelerations are zero at every point. Ruckig keeps the bounds on velocity, acceleration and jerk; those on positions
are checked here, exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strobe.errors import ArgumentError, MissingExtraError
from strobe.trajectory.keeping import require_room
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.repeats import distinct
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
    want = ruckig.InputParameter(asked.n)
    want.current_position, want.target_position = asked.q[k].tolist(), asked.q[k + 1].tolist()
    want.current_velocity, want.target_velocity = asked.qd[k].tolist(), asked.qd[k + 1].tolist()
    want.max_velocity = np.minimum(asked.bounds.velocity, 1e9).tolist()
    want.max_acceleration, want.max_jerk = asked.bounds.acceleration.tolist(), asked.bounds.jerk.tolist()
    given = asked.times[k + 1] - asked.times[k]
    if np.isfinite(given):
        want.minimum_duration = float(given)
    found = ruckig.Trajectory(asked.n)
    result = ruckig.Ruckig(asked.n).calculate(want, found)
    where = f"from {asked.labels[k]} to {asked.labels[k + 1]}"
    if result not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise ArgumentError(
            f"{where}: Ruckig finds no motion ({result.name}). Change a velocity or a bound."
        )
    if np.isfinite(given) and abs(found.duration - given) > 1e-9 * given:
        raise ArgumentError(
            f"{where} in {given:g} s: the joints have no motion of this duration; the next one takes "
            f"{found.duration:.6g} s."
        )
    return _cubics(found, asked.n)


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
