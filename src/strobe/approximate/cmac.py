"""Albus' CMAC: a complete table that no memory holds, hashed into one that does, and learned from samples.

    tau = Σ_t w[h_t(x)],    h_t(x) = (a_t + Σ_v A_v ⌊u_v + d_tv⌋) mod rows,    x = (q, qd, qdd)

u_v counts tiles along variable v. Each of T tilings is shifted against the others by a part d_tv of a tile, so that
two states share the more of the T rows the nearer they are; far ones share a row by accident only. The rows w are
those that fit torques of random states best, by least squares, where Albus corrects them state by state. Friction is
computed, not learned: it jumps. Albus' controller is named in [Hollerbach1980].
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import lsqr

from strobe.approximate.grids import Axis
from strobe.approximate.method import NUMBER
from strobe.approximate.states import require_bytes, require_room
from strobe.approximate.table_files import described_axis, require_shape, restored_axes
from strobe.approximate.tables import BUDGET, TableMethod, require_arm, state_axes
from strobe.errors import ArgumentError
from strobe.models.arguments import require_above, require_whole
from strobe.robot import Robot
from strobe.runtime.traced import trace
from strobe.scalars import Num, Numbers, Stored, floor, less, where

Array = np.ndarray
KINDS = ("q", "qd", "qdd")
TILES = {"q": 4, "qd": 2, "qdd": 2}  # torques bend most over positions
STEPS = 50  # of the search for the best rows
MOST_ROWS = 2**24  # their numbers times tiles of all variables are exact


class CMAC(TableMethod):
    """Torques as sums of learned rows, one per tiling.

    ``tiles`` along every variable, or by "q", "qd" and "qdd" and then perhaps by joint, ``ranges`` likewise;
    ``rows`` of memory; ``samples`` and ``seed`` of the random states that it learns from; ``damping`` is what the
    size of a row counts against them, so that rows which many states share by accident stay small.
    """

    name = "cmac"
    title = "CMAC"

    def __init__(
        self, robot: Robot, ranges: Mapping[str, Any] | None = None, *, tiles: Any = None, tilings: int = 32,
        rows: int = 2**14, samples: int = 20_000, seed: int = 0, damping: float = 1.0,
        budget: Any = BUDGET,
    ) -> None:  # fmt: skip
        require_arm(robot, self.title)
        self.robot = robot
        self.tilings = require_whole("tilings", tilings, 1)
        self.rows = require_whole("rows", rows, 1)
        if rows > MOST_ROWS:
            raise ArgumentError(f"rows is {rows:,}; expected {MOST_ROWS:,} at most.")
        require_room(require_bytes(budget), NUMBER * rows * robot.n, f"a CMAC of {robot.name}")
        found = state_axes(robot, KINDS, _points(TILES if tiles is None else tiles), ranges)
        self.axes = tuple(replace(axis, points=axis.points - axis.periodic) for axis in found)
        self.seed = require_whole("seed", seed, 0)
        damping = require_above("damping", damping, "a number, zero or more", or_zero=True)
        start = time.perf_counter()
        self._learn(require_whole("samples", samples, 1), damping)
        self.made = time.perf_counter() - start

    # -- what is read --------------------------------------------------------------------------------

    def looked_up(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        n = self.robot.n
        tau: list[Num] = [0.0] * n
        for row in self.addresses(q, qd, qdd):
            tau = [t + w for t, w in zip(tau, self.stored.row(row * float(n), n), strict=True)]
        return tau

    def addresses(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        """The row of each tiling."""
        places = [axis.place(x) for axis, x in zip(self.axes, [*q, *qd, *qdd], strict=True)]
        return [self._row(t, places) for t in range(self.tilings)]

    def _row(self, t: int, places: Numbers) -> Num:
        key: Num = float(self._offsets[t])
        for v, (axis, place) in enumerate(zip(self.axes, places, strict=True)):
            shift = (
                (2 * v + 1) * t % self.tilings / self.tilings
            )  # odd steps: no direction has all shifts alike
            tile = floor(place + shift)
            if axis.periodic:
                tile = where(less(tile, axis.cells - 0.5), tile, 0.0)
            key = key + tile * float(self._factors[v])
        return key - floor(key * (1.0 / self.rows)) * float(self.rows)

    @cached_property
    def _hash(self) -> Array:
        """Random numbers below the number of rows, by the seed: one per variable, then one per tiling."""
        return np.random.default_rng(self.seed).integers(0, self.rows, len(self.axes) + self.tilings)

    @property
    def _factors(self) -> Array:
        return self._hash[: len(self.axes)]

    @property
    def _offsets(self) -> Array:
        return self._hash[len(self.axes) :]

    @cached_property
    def stored(self) -> Stored:
        return Stored(np.ravel(self.weights), "rows")

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Array:
        """In double precision, which alone tells all keys apart."""
        tau = super().inverse_dynamics(*(np.asarray(x, float) for x in (q, qd, qdd)))
        single = all(isinstance(x, np.ndarray) and x.dtype == np.float32 for x in (q, qd, qdd))
        return tau.astype(np.float32) if single else tau

    # -- what is learned -----------------------------------------------------------------------------

    def _learn(self, samples: int, damping: float) -> None:
        x, tau = self._drawn(samples, self.seed)
        rows = self._rows(x)
        starts = np.arange(0, samples * self.tilings + 1, self.tilings)
        A = csr_matrix((np.ones(rows.size), rows.ravel(), starts), (samples, self.rows))
        fits = [
            lsqr(A, column, damp=damping, iter_lim=STEPS, atol=1e-12, btol=1e-12)[0] for column in tau.T
        ]
        self.weights = np.stack(fits, axis=-1)
        self.known = np.bincount(rows.ravel(), minlength=self.rows) > 0
        self.errors, self.unknown = self._checked(samples)

    def _checked(self, samples: int) -> tuple[Array, float]:
        """On states that it did not learn from: errors (rms and largest, by joint), and the part of rows unknown."""
        x, tau = self._drawn(min(samples, 10_000), self.seed + 1)
        rows = self._rows(x)
        wrong = self.weights[rows].sum(axis=1) - tau
        errors = np.stack([np.sqrt((wrong**2).mean(axis=0)), np.abs(wrong).max(axis=0)])
        return errors, float(1.0 - self.known[rows].mean())

    def _drawn(self, samples: int, seed: int) -> tuple[Array, Array]:
        """Random states (samples, 3n) within the ranges, and their torques without friction."""
        lower, upper = np.array([(axis.lower, axis.upper) for axis in self.axes]).T
        x = np.random.default_rng([seed, samples]).uniform(lower, upper, (samples, len(self.axes)))
        return x, self.robot.inverse_dynamics(*np.split(x, 3, axis=-1), friction=False)

    def _rows(self, x: Array) -> Array:
        n = self.robot.n
        kernel = trace(self.addresses, q=n, qd=n, qdd=n)
        return kernel(*np.split(x, 3, axis=-1)).astype(np.intp)

    # -- what it says --------------------------------------------------------------------------------

    @property
    def variables(self) -> tuple[Axis, ...]:
        return self.axes

    @property
    def numbers(self) -> int:
        return self.weights.size

    @property
    def notes(self) -> tuple[str, ...]:
        names = self.robot.joint_names
        pairs = zip(names, *self.errors, strict=True)
        parts = [f"{name} {rms:.3g} rms, {most:.3g} at most" for name, rms, most in pairs]
        return (
            f"On random states that it did not learn from it errs by: {'; '.join(parts)}.",
            f"{self.unknown:.1%} of the rows read there were never learned.",
        )

    # -- files ---------------------------------------------------------------------------------------

    def kept(self) -> tuple[dict[str, Any], dict[str, Array]]:
        described = {
            "axes": [described_axis(axis) for axis in self.axes],
            "tilings": self.tilings, "rows": self.rows, "seed": self.seed, "unknown": self.unknown,
        }  # fmt: skip
        return described, {"weights": self.weights, "errors": self.errors}

    @classmethod
    def restored(cls, robot: Robot, described: Mapping[str, Any], arrays: Mapping[str, Array]) -> Self:
        self = cls.__new__(cls)
        self.robot = robot
        self.axes = restored_axes(described["axes"], robot)
        self.tilings, self.rows, self.seed = (int(described[name]) for name in ("tilings", "rows", "seed"))
        self.unknown = float(described["unknown"])
        self.weights = require_shape("weights", arrays["weights"], (self.rows, robot.n))
        self.errors = require_shape("errors", arrays["errors"], (2, robot.n))
        return self


def _points(tiles: Any) -> Any:
    """Points of axes that have so many tiles between them."""
    if isinstance(tiles, Mapping):
        return {name: _points(each) for name, each in tiles.items()}
    if isinstance(tiles, Sequence):
        return [_points(each) for each in tiles]
    return require_whole("tiles", tiles, 1) + 1
