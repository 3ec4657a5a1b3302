"""Families of motions that begin and end at rest, in the place where they began: c + Σ x_k φ_k(t).

    fourier   waves of k whole periods in the duration, in pairs whose rates at the ends cancel:
                  sin(kωt)/k − sin((k+1)ωt)/(k+1)       (cos(kωt) − 1)/k² − (cos((k+1)ωt) − 1)/(k+1)²
    spline    quintic splines on even knots

Every φ_k vanishes at both ends, with its velocity and its acceleration, and is piecewise quintic: waves between
knots with their own positions, velocities and accelerations, so close that nothing of them is lost; the polynomials
are what the robot moves along. Velocities of the φ_k are made orthonormal, so that no two of them do the same work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import factorial

import numpy as np
from scipy.interpolate import BSpline

from strobe.trajectory.files import hermite
from strobe.trajectory.motion import Trajectory, differentiated, horner

Array = np.ndarray

PIECES = 16  # polynomials for each period of the shortest wave
LOOKS = 20  # instants for each polynomial, where products of velocities are summed


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """The functions φ_k, as polynomials between knots."""

    kind: str
    times: Array  # (P + 1,)
    pieces: Array  # (P, K, 6), coefficients of rising powers of t − times[p]

    @property
    def size(self) -> int:
        return self.pieces.shape[1]

    @property
    def duration(self) -> float:
        return float(self.times[-1])

    def tables(self, t: Array) -> tuple[Array, Array, Array, Array]:
        """φ (N, K) at times, and its first three derivatives."""
        piece = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.pieces) - 1)
        local, values, found = (t - self.times[piece])[:, None], self.pieces, []
        for _ in range(4):
            found.append(horner(values[piece], local))
            values = differentiated(values)
        return tuple(found)

    def motion(self, names: tuple[str, ...], centre: Array, x: Array) -> Trajectory:
        """The motion that begins at a place (n,) with coefficients (n, K)."""
        coefficients = np.einsum("pkd,jk->pjd", self.pieces, x)
        coefficients[..., 0] += centre
        ends = np.array([0.0, self.duration])
        return Trajectory(names, self.times.copy(), coefficients, self.kind, ends)

    def orthonormal(self) -> Family:
        t = (np.arange(LOOKS * len(self.pieces)) + 0.5) * self.duration / (LOOKS * len(self.pieces))
        qd = self.tables(t)[1]
        gram = qd.T @ qd * (self.duration / len(t))
        mixed = np.linalg.inv(np.linalg.cholesky(gram))
        return Family(self.kind, self.times, np.einsum("kl,pld->pkd", mixed, self.pieces))


def fourier(duration: float, waves: int) -> Family:
    """Waves of one to so many periods, whose rates at the ends cancel in pairs."""
    times = np.linspace(0.0, duration, PIECES * waves + 1)
    omega = 2 * np.pi / duration
    k = np.arange(1, waves + 1)
    angle = omega * times[:, None] * k
    sines = [np.sin(angle) / k, omega * np.cos(angle), -(omega**2) * k * np.sin(angle)]
    cosines = [
        (np.cos(angle) - 1) / k**2,
        -omega * np.sin(angle) / k,
        -(omega**2) * np.cos(angle),
    ]
    states = [
        np.hstack([s[:, :-1] - s[:, 1:], c[:, :-1] - c[:, 1:]]) for s, c in zip(sines, cosines, strict=True)
    ]
    for state in states:
        state[[0, -1]] = 0.0  # what rounding left of it
    h = np.diff(times)[:, None]
    pieces = hermite(h, [s[:-1] for s in states], [s[1:] for s in states])
    return Family("fourier", times, pieces).orthonormal()


def spline(duration: float, waves: int) -> Family:
    """Quintic splines with as many free numbers as ``waves`` have."""
    count = 2 * (waves - 1)
    times = np.linspace(0.0, duration, count + 2)
    knots = np.concatenate([[0.0] * 5, times, [duration] * 5])
    control = np.zeros((count + 6, count))
    control[3:-3] = np.eye(count)
    curve = BSpline(knots, control, 5)
    pieces = np.stack([curve(times[:-1], nu=p) / factorial(p) for p in range(6)], axis=-1)
    pieces[0, :, :3] = 0.0  # what rounding left of rest
    return Family("spline", times, pieces).orthonormal()


FAMILIES: dict[str, Callable[[float, int], Family]] = {"fourier": fourier, "spline": spline}
