"""A motion in time: every joint a polynomial between knots, exact at any time.

Constant accelerations are parabolas between their switching points, splines are cubics or quintics, a path q(s) of
cubics with s quadratic in time has degree six: every planner ends here. Bounds of a motion are found from the
roots of its derivatives, not from samples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import comb
from typing import Any, NamedTuple

import numpy as np

from strobe.compiler.runtime.arrays import every, real_numbers
from strobe.errors import ArgumentError, counted
from strobe.models.arguments import require_above, require_whole
from strobe.show.sheet import Column, Sheet, by_joint, displayed, number, numbered, states
from strobe.show.units import EITHER, either

Array = np.ndarray
MOST_NUMBERS = 2**27  # that states of a motion are held in: a gibibyte


@displayed
class State(NamedTuple):
    """Where the joints are and how they move: (..., n) each."""

    q: Array
    qd: Array
    qdd: Array

    def _sheet(self) -> Sheet:
        columns = [Column("q", self.q, EITHER), Column("qd", self.qd, either(1))]
        columns.append(Column("qdd", self.qdd, either(2)))
        n = self.q.shape[-1]
        return Sheet(
            f"{n} joints in motion{states(self.q.shape[:-1])}", [by_joint(numbered("", n), columns)]
        )


@displayed
class Extremes(NamedTuple):
    """The least and the largest value of every joint over the whole motion, and when: (n,) each."""

    least: Array
    largest: Array
    least_at: Array
    largest_at: Array

    def _sheet(self) -> Sheet:
        units = {"least": EITHER, "least_at": "s", "largest": EITHER, "largest_at": "s"}
        columns = [
            Column(name.replace("_", " "), getattr(self, name), unit) for name, unit in units.items()
        ]
        head = f"the extremes of {counted(len(self.least), 'joint')}"
        return Sheet(head, [by_joint(numbered("", len(self.least)), columns)])


@displayed
@dataclass(frozen=True, eq=False)
class Trajectory:
    """Joint positions as polynomials: ``coefficients[k, j, p]`` of (t − times[k])ᵖ between two knots."""

    joint_names: tuple[str, ...]
    times: Array  # (K + 1,) ascending, from zero on
    coefficients: Array  # (K, n, degree + 1)
    method: str  # the planner that made it
    points: Array  # (P,) the times at which it passes the points of the request
    notes: tuple[str, ...] = ()  # what the planner has to say: points inserted, a slow-down, …

    @property
    def n(self) -> int:
        return len(self.joint_names)

    @property
    def duration(self) -> float:
        return float(self.times[-1])

    def _sheet(self) -> Sheet:
        (start, _, _), (end, _, _) = self(0.0), self(self.duration)
        columns = [Column("from", start, EITHER), Column("to", end, EITHER)]
        for order, name in ((1, "velocity"), (2, "acceleration")):
            bounds = self.extremes(order)
            most = np.maximum(np.abs(bounds.least), np.abs(bounds.largest))
            columns.append(Column(f"largest {name}", most, either(order)))
        points = f"through {counted(len(self.points), 'point')}" if len(self.points) else ""
        head = f"a {self.method} motion of {counted(self.n, 'joint')} {points}, {number(self.duration)} s"
        return Sheet(
            head.replace("  ", " "), [by_joint(self.joint_names, columns), *self.notes], self._figure
        )

    def _figure(self) -> str:
        from strobe.trajectory.figure import motion_figure

        return motion_figure(self)

    def with_notes(self, *more: str) -> Trajectory:
        """The same motion with more to say."""
        return replace(self, notes=(*self.notes, *more))

    def __call__(self, t: Any) -> State:
        """Position, velocity and acceleration at times (...) between zero and the duration."""
        t = real_numbers("t", t).astype(float)
        inside = (t >= 0) & (t <= self.duration)
        if not every(inside):
            raise ArgumentError(
                f"time {t[~inside].flat[0]:g} s is outside the motion, which lasts from 0 to {self.duration:g} s."
            )
        piece = np.minimum(np.searchsorted(self.times[1:], t, side="right"), len(self.coefficients) - 1)
        local = (t - self.times[piece])[..., None]
        return State(*(horner(each[piece], local) for each in self._derivatives))

    @cached_property
    def beginning(self) -> State:
        """The state at time zero."""
        return self(0.0)

    @cached_property
    def _derivatives(self) -> tuple[Array, Array, Array]:
        q = self.coefficients
        qd = differentiated(q)
        return q, qd, differentiated(qd)

    def sampled(self, step: float | None = None, count: int | None = None) -> tuple[Array, State]:
        """Times, evenly spaced and both ends among them, and the states there."""
        if (step is None) == (count is None):
            raise ArgumentError("give step= (seconds) or count= (how many), one of the two.")
        if count is not None:
            number = min(require_whole("count", count, 1), 10**18)
        else:
            step = require_above("step", step, "a time above zero")
            number = np.ceil(self.duration / step * (1 - 1e-12)) + 1
        require_samples(number, self.n, "Take fewer, or a part of the motion.")
        t = np.linspace(0.0, self.duration, max(int(number), 2))
        return t, self(t)

    def extremes(self, order: int = 0) -> Extremes:
        """Exact bounds of positions (order 0), velocities (1), accelerations (2) or jerks (3)."""
        values = self.coefficients
        for _ in range(min(require_whole("order", order, 0), values.shape[-1])):  # then it is zero for good
            values = differentiated(values)
        lengths = np.diff(self.times)
        bounds = [_extremes(values[:, j], lengths, self.times) for j in range(self.n)]
        return Extremes(*(np.array(column) for column in zip(*bounds, strict=True)))


def require_samples(instants: float, n: int, instead: str) -> None:
    """Refuse to hold the states of n joints at so many instants: a motion of two points can last for years."""
    if not instants * 3 * n <= MOST_NUMBERS:
        raise ArgumentError(
            f"{instants:.3g} instants of {counted(n, 'joint')} take more than {MOST_NUMBERS * 8 // 2**30} GiB. "
            f"{instead}"
        )


def differentiated(coefficients: Array) -> Array:
    """The coefficients of the derivative, as many powers less one; a constant's is zero."""
    powers = np.arange(1, coefficients.shape[-1])
    return coefficients[..., 1:] * powers if len(powers) else np.zeros_like(coefficients)


def horner(coefficients: Array, t: Array | float) -> Array:
    """The value of polynomials, coefficients of rising powers last."""
    value = coefficients[..., -1]
    for p in range(coefficients.shape[-1] - 2, -1, -1):
        value = value * t + coefficients[..., p]
    return value


def _extremes(pieces: Array, lengths: Array, times: Array) -> tuple[float, float, float, float]:
    """Least and largest value of one joint, and their times: at knots, or where the derivative vanishes.

    The latter is looked for in those pieces only whose hull goes beyond all knots.
    """
    values = np.concatenate([pieces[:, 0], horner(pieces, lengths)])
    found = list(zip(values.tolist(), np.concatenate([times[:-1], times[1:]]).tolist(), strict=True))
    reach = hulls(pieces, lengths)
    beyond = (reach.max(axis=1) > values.max()) | (reach.min(axis=1) < values.min())
    for k in np.flatnonzero(beyond):
        inside = _roots(differentiated(pieces[k]), lengths[k])
        found += [(float(horner(pieces[k], t)), float(times[k] + t)) for t in inside]
    (least, least_at), (largest, largest_at) = min(found), max(found)
    return least, largest, least_at, largest_at


def hulls(pieces: Array, lengths: Array) -> Array:
    """Numbers (K, powers) between whose least and largest each polynomial stays: its Bernstein coefficients."""
    d = pieces.shape[1] - 1
    weights = np.array([[comb(i, p) / comb(d, p) for p in range(d + 1)] for i in range(d + 1)])
    return pieces * lengths[:, None] ** np.arange(d + 1) @ weights.T


def _roots(coefficients: Array, length: float) -> list[float]:
    """Where a polynomial vanishes strictly between zero and a length."""
    nonzero = np.flatnonzero(coefficients)
    if len(nonzero) == 0 or nonzero[-1] == 0:
        return []
    roots = np.roots(coefficients[nonzero[-1] :: -1])
    real = roots.real[np.abs(roots.imag) <= 1e-9 * (length + np.abs(roots.real))]
    return [float(t) for t in real if 0 < t < length]
