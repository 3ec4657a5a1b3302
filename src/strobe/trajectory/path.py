"""Where the joints go, without saying when: curves q(s) of cubics between knots.

A path has a direction q' without jumps, so that it can be followed without stopping; where the direction does jump (a
corner without a blend, a way back) it says so, and a motion stops there. The parameter s is, nearly, the length in
joint space.

A corner p between directions u and w is rounded by a parabola from a length l before it to a length l after it:

    q = p − l u + u σ + (w − u) σ² / 4l,      0 ≤ σ ≤ 2l,      at its middle l |w − u| / 4 away from p
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from strobe.errors import ArgumentError, ShapeError
from strobe.trajectory.motion import Extremes, State, differentiated, horner

Array = np.ndarray

SAME = 1e-9  # points closer than this part of the whole way are one
REVERSED = 1e-9  # 1 + cos of the angle between two legs, below which one is the way back of the other
AT_REST = 8  # pieces between which a motion from rest to rest has places to be fast
STRAIGHT = 1e-9  # a change of direction below this is none


@dataclass(frozen=True, eq=False)
class Path:
    """Joint positions as cubics: ``coefficients[k, j, p]`` of (s − knots[k])ᵖ between two knots."""

    knots: Array  # (K + 1,) ascending, from zero on
    coefficients: Array  # (K, n, 4)
    stops: Array  # (K + 1,) whether the direction jumps at a knot
    points: Array  # (P,) the places at which it passes the points it was made of
    notes: tuple[str, ...] = ()
    labels: tuple[str, ...] = ("point 1", "point 2")  # a name per point, for sentences

    @property
    def n(self) -> int:
        return self.coefficients.shape[1]

    @property
    def length(self) -> float:
        return float(self.knots[-1])

    @property
    def widths(self) -> Array:
        """(K,) of the pieces."""
        return np.diff(self.knots)

    def __call__(self, s: Any) -> State:
        """q, q' and q'' (..., n) at places (...) between zero and the length."""
        s = np.asarray(s, dtype=float)
        outside = ~((s >= 0) & (s <= self.length))
        if outside.any():
            raise ArgumentError(
                f"place {s[outside].flat[0]:g} is outside the path, which goes from 0 to {self.length:g}."
            )
        piece = np.clip(np.searchsorted(self.knots, s, side="right") - 1, 0, len(self.coefficients) - 1)
        return self._evaluated(piece, s - self.knots[piece])

    def within(self, shares: Any) -> State:
        """q, q' and q'' (K, m, n) of every piece at shares (m,) of its own width: its own sides of the knots."""
        return self._evaluated((slice(None), None), self.widths[:, None] * np.asarray(shares, dtype=float))

    def at(self, piece: Array, share: Array) -> State:
        """q, q' and q'' (..., n) of pieces at shares of their widths."""
        return self._evaluated(piece, self.widths[piece] * share)

    def _evaluated(self, piece: Any, places: Array) -> State:
        first = differentiated(self.coefficients)
        orders = (self.coefficients, first, differentiated(first))
        return State(*(horner(each[piece], places[..., None]) for each in orders))

    def divided(self, count: int) -> Path:
        """The same curve in about ``count`` pieces of nearly equal widths.

        Its knots stay, and next to its ends and stops there are `AT_REST` pieces or more.
        """
        parts = np.rint(self.widths * (count / self.length)) if self.length else np.ones(len(self.widths))
        rests = self.stops.copy()
        rests[[0, -1]] = True
        return self.cut(np.maximum(parts, np.where(rests[:-1] | rests[1:], AT_REST, 1)).astype(int))

    def cut(self, parts: Array) -> Path:
        """The same curve with every piece in so many parts (K,)."""
        piece, first = np.repeat(np.arange(len(parts)), parts), np.append(0, np.cumsum(parts))
        offsets = (np.arange(first[-1]) - first[piece]) / parts[piece] * self.widths[piece]
        stops = np.zeros(first[-1] + 1, bool)
        stops[first] = self.stops
        knots = np.append(self.knots[piece] + offsets, self.length)
        return replace(
            self, knots=knots, coefficients=_shifted(self.coefficients[piece], offsets), stops=stops
        )

    def place(self, s: float) -> str:
        """A place of the path in words."""
        after = int(np.clip(np.searchsorted(self.points, s), 1, len(self.points) - 1))
        before, behind = self.labels[after - 1 : after + 1]
        where = f"between {before} and {behind}" if before != behind else f"at {before}"
        return f"at {s:.4g} of {self.length:.4g} along the path, {where},"

    def extremes(self) -> Extremes:
        """The least and the largest position of every joint, and the places."""
        widths = np.broadcast_to(self.widths[:, None, None], (*self.coefficients.shape[:2], 1))
        inside = np.clip(_turns(self.coefficients), 0.0, widths)
        places = np.concatenate([np.zeros_like(widths), widths, inside], axis=-1)  # (K, n, 4)
        values = horner(self.coefficients[:, :, None], places)
        places = places + self.knots[:-1, None, None]
        values, places = (np.moveaxis(each, 1, 0).reshape(self.n, -1) for each in (values, places))
        joints, low, high = np.arange(self.n), values.argmin(axis=1), values.argmax(axis=1)
        return Extremes(
            values[joints, low], values[joints, high], places[joints, low], places[joints, high]
        )


# -- through points -----------------------------------------------------------------------------------


def spline(points: Any, labels: Sequence[str] = ()) -> Path:
    """The natural cubic spline through points (P, n); where they go back the way they came it stops and turns."""
    way = _way(points, labels)
    back = np.flatnonzero(way.reversals)
    begins, ends = [0, *back], [*back, len(way.q) - 1]
    parts = [_natural(way.q[i : j + 1], way.s[i : j + 1]) for i, j in zip(begins, ends, strict=True)]
    return Path(way.s, np.concatenate(parts), way.reversals, way.s[way.number], way.notes, way.labels)


def polyline(points: Any, deviation: float = 0.0, labels: Sequence[str] = ()) -> Path:
    """Straight lines between points (P, n), corners passed by parabolas at a distance of at most ``deviation``.

    It is less where a leg is too short for it. Without it, and on a way back, the path stops at the corner.
    """
    if not (deviation >= 0 and np.isfinite(deviation)):
        raise ArgumentError(f"deviation is {deviation:g}; expected a distance, zero or more.")
    way = _way(points, labels)
    u = way.directions
    bend = np.zeros_like(way.q)  # at every point: none at the ends
    bend[1:-1] = u[1:] - u[:-1]
    size = np.linalg.norm(bend, axis=1)
    corner = size > STRAIGHT
    rounded = corner & ~way.reversals & (deviation > 0)
    room = np.minimum(np.append(np.inf, np.diff(way.s)), np.append(np.diff(way.s), np.inf)) / 2
    cut = np.where(rounded, np.minimum(room, 4 * deviation / np.where(rounded, size, 1.0)), 0.0)
    rounded &= cut > SAME / 4 * way.s[-1]  # a shorter blend is a corner
    cut = np.where(rounded, cut, 0.0)

    # of a line and the bend after it
    begins = np.stack([way.s[:-1] + cut[:-1], way.s[1:] - cut[1:]], axis=1)
    ends = np.stack([begins[:, 1], way.s[1:] + cut[1:]], axis=1)
    lines = _cubics(way.q[:-1] + u * cut[:-1, None], u)
    half = np.where(rounded, cut, 1.0)[1:, None]
    bends = _cubics(way.q[1:] - u * cut[1:, None], u, bend[1:] / (4 * half))
    kept = ends - begins > SAME * SAME * way.s[-1]
    kept[0, 0] |= not kept.any()
    knots = np.append(begins[kept], way.s[-1])
    stops = np.isin(knots, way.s[corner & ~rounded])
    pieces = np.stack([lines, bends], axis=1)[kept]
    return Path(knots, pieces, stops, way.s[way.number], way.notes, way.labels)


class _Way(NamedTuple):
    """Points that differ and the place of each; which of them each given point is, its name, what there is to say."""

    q: Array
    s: Array
    number: Array
    labels: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def directions(self) -> Array:
        legs = np.diff(self.q, axis=0)
        lengths = np.linalg.norm(legs, axis=1, keepdims=True)
        return np.divide(legs, lengths, out=np.zeros_like(legs), where=lengths > 0)

    @property
    def reversals(self) -> Array:
        """Whether the way goes back at each point."""
        u = self.directions
        cosines = (u[:-1] * u[1:]).sum(axis=1)
        return np.concatenate([[False], cosines < REVERSED - 1, [False]])


def _way(points: Any, labels: Sequence[str]) -> _Way:
    q = np.array(points, dtype=float)
    if q.ndim != 2 or len(q) < 2 or not q.shape[1]:
        raise ShapeError("points", q.shape, "(points, n)", "a path needs two points or more, one per row")
    names = tuple(labels) or tuple(f"point {k + 1}" for k in range(len(q)))
    if not np.isfinite(q).all():
        name = names[int(np.argmin(np.isfinite(q).all(axis=1)))]
        raise ArgumentError(f"{name} holds a NaN or an infinity; expected finite positions.")
    least = SAME * np.linalg.norm(np.diff(q, axis=0), axis=1).sum()
    chosen, number, notes = [0], [0], []
    for k in range(1, len(q)):
        if np.linalg.norm(q[k] - q[chosen[-1]]) > least:
            chosen.append(k)
        else:
            notes.append(f"{names[k - 1]} and {names[k]} are the same: the path passes them at once.")
        number.append(len(chosen) - 1)
    if len(chosen) == 1:  # a path of no length
        chosen.append(len(q) - 1)
    kept = q[chosen]
    s = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(kept, axis=0), axis=1)))
    return _Way(kept, s, np.array(number), names, tuple(notes))


def _natural(q: Array, s: Array) -> Array:
    """Coefficients of the natural spline; of a line where there are two points."""
    from scipy.interpolate import CubicSpline

    if len(q) > 2:
        return np.moveaxis(CubicSpline(s, q, bc_type="natural").c[::-1], 0, -1)
    length = s[-1] - s[0]
    return _cubics(q[:1], (q[1:] - q[:1]) / (length or 1.0))


# -- cubics -------------------------------------------------------------------------------------------


def _cubics(*powers: Array) -> Array:
    """Coefficients (K, n, 4) from arrays (K, n) for the lowest powers."""
    coefficients = np.zeros((*powers[0].shape, 4))
    for p, values in enumerate(powers):
        coefficients[..., p] = values
    return coefficients


def _shifted(coefficients: Array, offsets: Array) -> Array:
    """The same cubics from other places on."""
    s = offsets[:, None]
    c0, c1, c2, c3 = np.moveaxis(coefficients, -1, 0)
    return _cubics(((c3 * s + c2) * s + c1) * s + c0, (3 * c3 * s + 2 * c2) * s + c1, 3 * c3 * s + c2, c3)


def _turns(coefficients: Array) -> Array:
    """Where the derivatives of cubics vanish (..., 2); zero where they do not."""
    c, b, a = coefficients[..., 1], coefficients[..., 2], 3 * coefficients[..., 3]
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    q = -(b + np.copysign(root, b))
    roots = [
        np.divide(top, below, out=np.zeros_like(top), where=below != 0) for top, below in ((q, a), (c, q))
    ]
    return np.stack(roots, axis=-1)
