"""Straight lines between points at constant velocity, and parabolas around the points, passed at a distance.

Where a line with velocity v ends and one with v' begins, the velocity changes evenly for a time

    b = max |v'_j − v_j| / A_j        half of it before the corner, half after

and the path passes the corner at a distance of |v' − v| b / 8. At the first and the last point the robot stands
still, so that half of the blend lies before the first line and behind the last one. Lines too short for their two
blends are driven more slowly; an envelope is kept by cutting the lines at corners that are missed by more, so that
only the parts next to them become slow.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strobe.trajectory.envelope import halved
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.repeated_points import distinct
from strobe.trajectory.requests import Request, require_bound, require_open
from strobe.trajectory.via_points import effective_velocity

Array = np.ndarray

METHOD = "blends"
SLOWER = 1.02  # by how much a line is slowed down at least where it must be
FITS = 1 + 1e-12


def blends(asked: Request) -> Trajectory:
    """The motion along the lines of a request, corner after corner rounded off."""
    require_open(asked, METHOD)
    require_bound(asked, "acceleration", ", or plan under torque limits")
    apart = distinct(asked)
    denser, corner = apart.asked, np.ones(len(apart.asked.q), dtype=bool)
    motion, missed = _along(denser)
    while asked.envelope is not None and (wide := corner & (missed > asked.envelope)).any():
        legs = wide[:-1] | wide[1:]
        denser, corner = halved(denser, legs), np.insert(corner, np.flatnonzero(legs) + 1, False)
        motion, missed = _along(denser)
    points, far = motion.points[corner], missed[corner]
    notes = [*apart.notes, *_told(apart.asked, far, len(denser.q) - len(far))]
    return replace(motion, points=points[apart.place], notes=tuple(notes))


def _told(asked: Request, far: Array, inserted: int) -> list[str]:
    """How far from its corners the path stays."""
    if asked.envelope is not None:
        return [f"{inserted} points inserted: the path stays within {far.max():.3g} of its lines."]
    missed = zip(asked.labels, far, strict=True)
    return [f"{label} is passed at a distance of {each:.3g}." for label, each in missed if each > 0]


def _along(asked: Request) -> tuple[Trajectory, Array]:
    """The motion, and by how much it misses each point; the ends are reached."""
    lengths = _lengths(asked)
    v, b = _blended(asked, lengths)
    times, pieces = _assembled(asked.q, lengths, v, b)
    points = b[0] / 2 + np.append(0.0, np.cumsum(lengths))
    points[0], points[-1] = 0.0, times[-1]
    missed = np.linalg.norm(np.diff(v, axis=0), axis=1) * b / 8
    missed[[0, -1]] = 0.0
    return Trajectory(asked.joint_names, times, pieces, METHOD, points), missed


def _lengths(asked: Request) -> Array:
    """How long each line takes from corner to corner: at full speed, or as slowly as its blends ask for."""
    lengths = (np.abs(np.diff(asked.q, axis=0)) / effective_velocity(asked)).max(axis=1)
    while True:
        _, b = _blended(asked, lengths)
        need = (b[:-1] + b[1:]) / 2 / lengths
        if (need <= FITS).all():
            return lengths
        lengths = np.where(need > FITS, lengths * np.maximum(np.sqrt(need), SLOWER), lengths)


def _blended(asked: Request, lengths: Array) -> tuple[Array, Array]:
    """Velocities (P + 1, n) of the lines, none before the first and after the last, and the blends (P,) between."""
    still = np.zeros((1, asked.n))
    v = np.concatenate([still, np.diff(asked.q, axis=0) / lengths[:, None], still])
    return v, (np.abs(np.diff(v, axis=0)) / asked.bounds.acceleration).max(axis=1)


def _assembled(q: Array, lengths: Array, v: Array, b: Array) -> tuple[Array, Array]:
    """Knots and parabolas: to each corner, from each corner, along the line to the next blend."""
    half = b / 2
    straight = np.append(np.maximum(lengths - half[:-1] - half[1:], 0.0), 0.0)
    durations = np.stack([half, half, straight], axis=1)
    change = np.diff(v, axis=0)
    push = np.divide(change, 2 * b[:, None], where=b[:, None] > 0, out=np.zeros_like(q))
    pieces = np.zeros((len(b), 3, q.shape[1], 3))
    pieces[:, 0, :, 0], pieces[:, 0, :, 1] = q - v[:-1] * half[:, None], v[:-1]
    pieces[:, 1, :, 0], pieces[:, 1, :, 1] = q + change * b[:, None] / 8, (v[:-1] + v[1:]) / 2
    pieces[:, 2, :, 0], pieces[:, 2, :, 1] = q + v[1:] * half[:, None], v[1:]
    pieces[:, :2, :, 2] = push[:, None]
    times = np.append(0.0, np.cumsum(durations))
    kept = np.diff(times) > 0
    return np.append(times[:-1][kept], times[-1]), pieces.reshape(-1, *pieces.shape[2:])[kept]
