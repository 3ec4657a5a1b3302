"""Velocities at points that leave them open: as fast as both neighbours allow, all joints keeping their direction.

1. A leg at full speed takes τ = max |d_j| / V_j; its slopes are d / τ.
2. A joint passes a point at the smaller of the slopes around it, or stands still where they differ in sign.
3. One factor per point scales these, so that legs can change speed within their length: v² grows by 2 A |d|.
4. Legs whose joints have no duration in common (none of them turning back) make both ends slower, and again from 3.
5. Each velocity is then tried a little slower and faster, and kept where the two legs around it take less time.
"""

from __future__ import annotations

import numpy as np

from strobe.compiler.runtime.arrays import some
from strobe.trajectory.requests import Request
from strobe.trajectory.synchronised_profiles import Legs, single

Array = np.ndarray
SLOWER = 0.8
STILL = 1e-9  # a factor below this is none
FACTORS = np.array([1.0, 0.0, 0.5, 0.8, 0.9, 0.97, 1.03, 1.1, 1.25, 2.0])
WORTHWHILE = 1e-4  # the part of the whole time that a sweep must save for another one
MOST_SWEEPS = 50


def chosen_velocities(asked: Request) -> Array:
    """A velocity for every point and joint: the ones prescribed, and the ones chosen."""
    free = np.isnan(asked.qd)
    if not some(free):
        return asked.qd
    velocities = in_proportion(asked)
    return velocities if not np.isnan(asked.times).any() else sooner(asked, velocities)


def in_proportion(asked: Request) -> Array:
    """Steps 1 to 4."""
    free = np.isnan(asked.qd)
    d, A, V = np.diff(asked.q, axis=0), asked.bounds.acceleration, effective_velocity(asked)
    nominal = np.where(free, _nominal(asked.q, V), 0.0)
    fixed = np.where(free, 0.0, asked.qd)
    scale = np.ones(len(asked.q))
    while True:
        scale = _within_reach(scale, nominal, fixed, d, A)
        qd = fixed + scale[:, None] * nominal
        stuck = np.isinf(_durations(d, qd[:-1], qd[1:], V, A)) & ((scale[:-1] > 0) | (scale[1:] > 0))
        if not stuck.any():
            return qd
        slower = np.append(stuck, False) | np.append(False, stuck)
        scale = np.where(slower, scale * SLOWER, scale)
        scale[scale < STILL] = 0.0


def sooner(asked: Request, qd: Array) -> Array:
    """Step 5: velocities of every second point at once, one joint after another, then all joints of it together."""
    d, A, V = np.diff(asked.q, axis=0), asked.bounds.acceleration, effective_velocity(asked)
    free = np.isnan(asked.qd)
    qd, total = qd.copy(), np.inf
    for _ in range(MOST_SWEEPS):
        before, total = total, _durations(d, qd[:-1], qd[1:], V, A).sum()
        if not total < before * (1 - WORTHWHILE):
            break
        for first in (1, 2):
            points = np.arange(first, len(qd) - 1, 2)
            for joints in ([[j] for j in range(asked.n)] + [list(range(asked.n))]) if len(points) else []:
                tried = np.repeat(qd[None, points], len(FACTORS), axis=0)
                tried[:, :, joints] *= FACTORS[:, None, None]
                tried = np.where(free[points], np.clip(tried, -V, V), qd[points])
                here = [np.broadcast_to(part, tried.shape) for part in (qd[points - 1], qd[points + 1])]
                time = _durations(d[points - 1], here[0], tried, V, A) + _durations(
                    d[points], tried, here[1], V, A
                )
                qd[points] = tried[np.argmin(time, axis=0), np.arange(len(points))]
    return qd


def effective_velocity(asked: Request) -> Array:
    """Bounds on velocity, finite: what a joint could reach at most where there is none."""
    if not some(np.isinf(asked.bounds.velocity)):
        return asked.bounds.velocity
    travel = np.abs(np.diff(asked.q, axis=0)).sum(axis=0)
    given = np.nan_to_num(asked.qd, nan=0.0)
    reach = np.sqrt(asked.bounds.acceleration * travel + (given**2).max(axis=0))
    return np.where(np.isinf(asked.bounds.velocity), np.maximum(reach * 1.001, 1.0), asked.bounds.velocity)


def _nominal(q: Array, V: Array) -> Array:
    """Steps 1 and 2; still at both ends."""
    d = np.diff(q, axis=0)
    tau = (np.abs(d) / V).max(axis=1, keepdims=True)
    slopes = np.divide(d, tau, out=np.zeros_like(d), where=tau > 0)
    before, after = slopes[:-1], slopes[1:]
    inner = np.where(before * after > 0, np.sign(before) * np.minimum(np.abs(before), np.abs(after)), 0.0)
    still = np.zeros((1, q.shape[1]))
    return np.concatenate([still, inner, still])


def _within_reach(scale: Array, nominal: Array, fixed: Array, d: Array, A: Array) -> Array:
    """Step 3: forwards, then backwards, no speed beyond what the leg from the neighbour allows."""
    scale = scale.copy()
    order = range(len(d))
    for ends in ([(k, k + 1) for k in order], [(k + 1, k) for k in reversed(order)]):
        for here, there in ends:
            k = min(here, there)
            start = fixed[here] + scale[here] * nominal[here]
            most = np.sqrt(start**2 + 2 * A * np.abs(d[k]))
            wanted = np.abs(nominal[there])
            moving = wanted > 0
            if moving.any():
                scale[there] = min(scale[there], (most[moving] / wanted[moving]).min())
    return scale


def _durations(d: Array, v0: Array, v1: Array, V: Array, A: Array) -> Array:
    """The least duration that the joints of each leg have in common, none turning back; infinite if there is none."""
    shape = v1.shape
    legs = Legs(
        np.zeros(shape),
        v0,
        np.broadcast_to(d, shape),
        v1,
        np.broadcast_to(V, shape),
        np.broadcast_to(A, shape),
    )
    _, every = single(legs)
    longest = np.where(every.gap_to > every.gap_from, every.gap_from, np.inf).min(axis=-1)
    least = every.least.max(axis=-1)
    turning = (np.abs(v1 * v1 - v0 * v0) > 2 * A * np.abs(d) * (1 + 1e-12)) | (v0 * d < 0) | (v1 * d < 0)
    return np.where((least <= longest * (1 + 1e-12)) & ~turning.any(axis=-1), least, np.inf)
