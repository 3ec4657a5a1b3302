"""How far a motion leaves the lines between its points, exactly, and points between them until it does not.

Denser points bring the path as close as one likes: between points at which nothing is prescribed, constant
accelerations scale with their distance. Where a prescribed velocity points away from the line, they do not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import numpy as np

from strobe.errors import ArgumentError
from strobe.trajectory.motion import Trajectory, differentiated
from strobe.trajectory.requests import Request

Array = np.ndarray
MOST_POINTS = 20_000
MOST_HALVINGS = 16  # a leg is then 15 millionths of what it was: what has not come closer will not


def kept_close(asked: Request, plan: Callable[[Request], Trajectory]) -> Trajectory:
    """The motion within the envelope of a request, halving legs that leave it."""
    given, limit = np.ones(len(asked.q), dtype=bool), asked.envelope  # which points are the request's own
    assert limit is not None
    for halvings in count():
        motion = plan(asked)
        far = deviations(motion, asked.q)
        outside = far > limit
        if not outside.any():
            said = f"{(~given).sum()} points inserted: the path stays within {far.max():.3g} of its lines."
            return replace(motion, points=motion.points[given]).with_notes(said)
        if halvings == MOST_HALVINGS or len(asked.q) + outside.sum() > MOST_POINTS:
            worst = int(np.argmax(far))
            raise ArgumentError(
                f"between {asked.labels[worst]} and {asked.labels[worst + 1]} the path leaves its line by "
                f"{far[worst]:.3g}, more than the envelope {limit:g}, even with {len(asked.q):,} points. "
                + _why(asked, worst)
            )
        asked, given = halved(asked, outside), np.insert(given, np.flatnonzero(outside) + 1, False)
    raise AssertionError


def _why(asked: Request, leg: int) -> str:
    """What keeps a leg from coming closer."""
    for k in (leg, leg + 1):
        if np.nan_to_num(asked.qd[k]).any():
            return f"The velocity prescribed at {asked.labels[k]} leads away from it: change it, or leave it open."
    return "Allow a wider envelope."


def halved(asked: Request, legs: Array) -> Request:
    """The request with a point in the middle of some of its legs, its velocity open."""
    q, qd, times, labels = [asked.q[0]], [asked.qd[0]], [asked.times[0]], [asked.labels[0]]
    for k, inserted in enumerate(legs):
        if inserted:
            q.append((asked.q[k] + asked.q[k + 1]) / 2)
            qd.append(np.full(asked.n, np.nan))
            times.append((asked.times[k] + asked.times[k + 1]) / 2)
            labels.append(
                f"a point inserted after {asked.labels[k].removeprefix('a point inserted after ')}"
            )
        q.append(asked.q[k + 1])
        qd.append(asked.qd[k + 1])
        times.append(asked.times[k + 1])
        labels.append(asked.labels[k + 1])
    return asked.with_points(np.array(q), np.array(qd), np.array(times), labels)


def deviations(motion: Trajectory, q: Array) -> Array:
    """For every leg between points (P, n) the largest distance of the motion from the line between its ends."""
    legs = np.clip(np.searchsorted(motion.points, motion.times[:-1], side="right") - 1, 0, len(q) - 2)
    far = np.zeros(len(q) - 1)
    lengths = np.diff(motion.times)
    for leg, pieces, length in zip(legs, motion.coefficients, lengths, strict=True):
        far[leg] = max(far[leg], _farthest(pieces, length, q[leg], q[leg + 1]))
    return far


def _farthest(piece: Array, length: float, start: Array, end: Array) -> float:
    """The largest distance of one polynomial piece (n, powers) from the line between two points.

    The square of the distance from a line between points is smooth: it is largest at an end of the piece, or where
    the derivative of the distance from the whole line, or from either point, vanishes.
    """
    along = end - start
    size = float(along @ along)
    from_start, from_end = piece.copy(), piece.copy()
    from_start[:, 0] -= start
    from_end[:, 0] -= end
    across = from_start - np.outer(along, along @ from_start) / size if size else from_start
    times = np.unique(
        np.concatenate([[0.0, length], *(_stationary(r, length) for r in (across, from_start, from_end))])
    )
    powers = times[:, None] ** np.arange(piece.shape[1])
    r = powers @ from_start.T
    share = np.clip(r @ along / size, 0.0, 1.0) if size else np.zeros(len(times))
    return float(np.linalg.norm(r - share[:, None] * along, axis=1).max())


def _stationary(r: Array, length: float) -> Array:
    """Where the derivative of |r|² vanishes between zero and a length."""
    slope = differentiated(sum(np.convolve(row, row) for row in r))  # pyright: ignore[reportArgumentType]
    used = np.flatnonzero(slope)
    if len(used) == 0 or used[-1] == 0:
        return np.empty(0)
    roots = np.roots(slope[used[-1] :: -1]).real  # a point too many does no harm
    return roots[(roots > 0) & (roots < length)]
