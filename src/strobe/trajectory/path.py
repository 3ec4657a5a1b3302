"""Where the joints go, without saying when: curves q(s) of cubics between knots.

A path has a direction q' without jumps, so that it can be followed without stopping; where the direction does jump (a
corner without a blend, a way back) it says so, and a motion stops there. The parameter s is, nearly, the length in
joint space.

A corner p between directions u and w is rounded by a parabola from a length l before it to a length l after it:

    q = p − l u + u σ + (w − u) σ² / 4l,      0 ≤ σ ≤ 2l,      at its middle l |w − u| / 4 away from p
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from strobe.errors import ArgumentError, ShapeError
from strobe.trajectory.motion import Extremes, State, differentiated, horner

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

SAME = 1e-9  # points closer than this part of the whole way are one
REVERSED = 1e-9  # 1 + cos of the angle between two legs, below which one is the way back of the other
AT_REST = 8  # pieces between which a motion from rest to rest has places to be fast
STRAIGHT = 1e-9  # a change of direction below this is none
HAND_DEVIATION = 1e-4  # metres, and radians
HAND_STEPS = (8, 16, 32, 64, 128, 256)  # positions of the joints per line of the hand


@dataclass(frozen=True, eq=False)
class Path:
    """Joint positions as cubics: ``coefficients[k, j, p]`` of (s − knots[k])ᵖ between two knots."""

    knots: Array  # (K + 1,) ascending, from zero on
    coefficients: Array  # (K, n, 4)
    stops: Array  # (K + 1,) whether the direction jumps at a knot
    points: Array  # (P,) the places at which it passes the points it was made of
    notes: tuple[str, ...] = ()

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
        return Path(knots, _shifted(self.coefficients[piece], offsets), stops, self.points, self.notes)

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


def spline(points: Any) -> Path:
    """The natural cubic spline through points (P, n); where they go back the way they came it stops and turns."""
    way = _way(points)
    back = np.flatnonzero(way.reversals)
    begins, ends = [0, *back], [*back, len(way.q) - 1]
    parts = [_natural(way.q[i : j + 1], way.s[i : j + 1]) for i, j in zip(begins, ends, strict=True)]
    return Path(way.s, np.concatenate(parts), way.reversals, way.s[way.number], way.notes)


def polyline(points: Any, deviation: float = 0.0) -> Path:
    """Straight lines between points (P, n), corners passed by parabolas at a distance of at most ``deviation``.

    It is less where a leg is too short for it. Without it, and on a way back, the path stops at the corner.
    """
    if not (deviation >= 0 and np.isfinite(deviation)):
        raise ArgumentError(f"deviation is {deviation:g}; expected a distance, zero or more.")
    way = _way(points)
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

    begins = np.stack(
        [way.s[:-1] + cut[:-1], way.s[1:] - cut[1:]], axis=1
    )  # of a line and the bend after it
    ends = np.stack([begins[:, 1], way.s[1:] + cut[1:]], axis=1)
    lines = _cubics(way.q[:-1] + u * cut[:-1, None], u)
    half = np.where(rounded, cut, 1.0)[1:, None]
    bends = _cubics(way.q[1:] - u * cut[1:, None], u, bend[1:] / (4 * half))
    kept = ends - begins > SAME * SAME * way.s[-1]
    kept[0, 0] |= not kept.any()
    knots = np.append(begins[kept], way.s[-1])
    stops = np.isin(knots, way.s[corner & ~rounded])
    return Path(knots, np.stack([lines, bends], axis=1)[kept], stops, way.s[way.number], way.notes)


class _Way(NamedTuple):
    """Points that differ, the place of each, which of them each given point is, and what there is to say."""

    q: Array
    s: Array
    number: Array
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


def _way(points: Any) -> _Way:
    q = np.array(points, dtype=float)
    if q.ndim != 2 or len(q) < 2 or not q.shape[1]:
        raise ShapeError("points", q.shape, "(points, n)", "a path needs two points or more, one per row")
    if not np.isfinite(q).all():
        k = int(np.argmin(np.isfinite(q).all(axis=1)))
        raise ArgumentError(f"point {k + 1} holds a NaN or an infinity; expected finite positions.")
    least = SAME * np.linalg.norm(np.diff(q, axis=0), axis=1).sum()
    chosen, number, notes = [0], [0], []
    for k in range(1, len(q)):
        if np.linalg.norm(q[k] - q[chosen[-1]]) > least:
            chosen.append(k)
        else:
            notes.append(f"point {k} and point {k + 1} are the same: the path passes them at once.")
        number.append(len(chosen) - 1)
    if len(chosen) == 1:  # a path of no length
        chosen.append(len(q) - 1)
    kept = q[chosen]
    s = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(kept, axis=0), axis=1)))
    return _Way(kept, s, np.array(number), tuple(notes))


def _natural(q: Array, s: Array) -> Array:
    """Coefficients of the natural spline; of a line where there are two points."""
    from scipy.interpolate import CubicSpline

    if len(q) > 2:
        return np.moveaxis(CubicSpline(s, q, bc_type="natural").c[::-1], 0, -1)
    length = s[-1] - s[0]
    return _cubics(q[:1], (q[1:] - q[:1]) / (length or 1.0))


# -- lines of the hand --------------------------------------------------------------------------------


def hand_lines(
    robot: Robot, poses: Any, q0: Any = None, frame: str | None = None, deviation: float = HAND_DEVIATION
) -> Path:
    """The joints while a frame goes straight from pose to pose (P, 4, 4), turning about one axis, and stops at each.

    Cubics through positions found by inverse kinematics from near ``q0`` on, as dense as it takes for the frame to
    stay within ``deviation`` (metres and radians) of where it should be, checked between them.
    """
    from strobe.kinematics.poses import checked_poses

    given = checked_poses(poses)
    if given.ndim != 3 or len(given) < 2:
        raise ShapeError("poses", given.shape, "(P, 4, 4)", "lines need two poses or more")
    for steps in HAND_STEPS:
        path, off = _hand_lines(robot, given, q0, frame, steps)
        if off <= deviation:
            said = f"{steps} positions per line: the hand stays within {off:.2g} of it."
            return Path(path.knots, path.coefficients, path.stops, path.points, (*path.notes, said))
    raise ArgumentError(
        f"the hand stays within {off:.3g} of its lines, not within {deviation:g}, "  # pyright: ignore[reportPossiblyUnboundVariable]
        f"even with {HAND_STEPS[-1]} positions on each: a line passes close to a singular pose."
    )


def _hand_lines(robot: Robot, poses: Array, q0: Any, frame: str | None, steps: int) -> tuple[Path, float]:
    """The path with so many positions on each line, and how far the hand is off in the middles between them."""
    from scipy.interpolate import CubicSpline

    from strobe.kinematics.screws import error
    from strobe.kinematics.tracking import track

    on_way = np.concatenate([poses[:1], *(_between(poses, np.arange(1, steps + 1) / steps))])
    found = track(robot, on_way, q0, frame)
    if not found.complete:
        k = found.reached
        leg = max(k - 1, 0) // steps
        where = f"{100 * (k - leg * steps) / steps:.3g} % of the way from pose {leg + 1} to pose {leg + 2}"
        raise ArgumentError(f"the hand cannot follow its lines {where}: {found.reason}")
    legs = np.stack([found.q[k * steps : (k + 1) * steps + 1] for k in range(len(poses) - 1)])
    lengths = np.linalg.norm(np.diff(legs, axis=1), axis=2).sum(axis=1)
    moving = lengths > SAME * lengths.sum()
    notes = tuple(
        f"pose {k + 1} and pose {k + 2} are the same: the path passes them at once."
        for k in np.flatnonzero(~moving)
    )
    if not moving.any():
        return polyline(found.q[[0, -1]]), 0.0
    shares = np.arange(steps + 1) / steps
    pieces = [
        CubicSpline(shares * length, q).c[::-1]
        for q, length in zip(legs[moving], lengths[moving], strict=True)
    ]
    ends = np.append(0.0, np.cumsum(np.where(moving, lengths, 0.0)))
    knots = (ends[:-1, None] + lengths[:, None] * shares[:-1])[moving].ravel()
    stops = np.zeros(len(knots) + 1, bool)
    stops[steps:-1:steps] = True
    path = Path(
        np.append(knots, ends[-1]),
        np.concatenate([np.moveaxis(each, 0, -1) for each in pieces]),
        stops,
        ends,
        notes,
    )
    middle = robot.forward_kinematics(path.within([0.5]).q[:, 0], frame)
    wanted = np.concatenate(
        [
            each
            for each, goes in zip(_between(poses, shares[:-1] + 0.5 / steps), moving, strict=True)
            if goes
        ]
    )
    off = error(middle, wanted)
    return path, float(max(np.linalg.norm(part, axis=-1).max() for part in (off[:, :3], off[:, 3:])))


def _between(poses: Array, shares: Array) -> list[Array]:
    """For every line poses at shares of it."""
    from strobe.kinematics.rates import moved
    from strobe.kinematics.screws import error

    twists = error(poses[:-1], poses[1:])
    return [
        np.stack([moved(pose, twist, share) for share in shares])
        for pose, twist in zip(poses[:-1], twists, strict=True)
    ]


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
