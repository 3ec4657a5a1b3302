"""Albus' CMAC: a complete table that no memory holds, hashed into one that does, and learned from samples.

    tau = Σ_t w[h_t(x)],    h_t(x) = (a_t + Σ_v A_v ⌊u_v + d_tv⌋) mod rows,    x = (q, qd, qdd)

u_v counts tiles along variable v. Each of T tilings is shifted against the others by a part d_tv of a tile, so that
two states share the more of the T rows the nearer they are; far ones share a row by accident only. The rows w are
those that fit torques best, by least squares, where Albus corrects them state by state. A row that was never learned
says nothing: the sum is over the others, times T over their number, and NaN where they are fewer than half of T.

What is learned of a state helps those that share tiles with it. Among states drawn at random in 3n variables that is
hardly any for n = 6, and nothing is learned but accidents; along motions neighbours share most.
Friction is computed, not learned: it jumps. [Albus1975]
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import lsqr

from strobe.approximate.grids import Axis, refuse_outside
from strobe.approximate.method import NUMBER
from strobe.approximate.states import require_bytes, require_room, states as checked_states
from strobe.approximate.table_files import described_axis, require_shape, restored_axes
from strobe.approximate.tables import BUDGET, TableMethod, require_arm, state_axes
from strobe.compiler.runtime.traced import Traced, trace
from strobe.errors import ArgumentError
from strobe.models.arguments import require_above, require_whole
from strobe.robot import Robot
from strobe.scalars import Num, Numbers, Stored, floor, less, where

Array = np.ndarray
KINDS = ("q", "qd", "qdd")
TILES = {"q": 4, "qd": 2, "qdd": 2}  # torques bend most over positions
STEPS = 50  # of the search for the best rows
LEARNED = 0.5  # of the rows that a state reads: with fewer learned, nothing is known of it
HELD_BACK = 5  # one of so many given states is not learned, but tried
MOST_TRIED = 10_000  # random states
MOST_ROWS = 2**24  # their numbers times tiles of all variables are exact


class CMAC(TableMethod):
    """Torques as sums of learned rows, one per tiling.

    ``tiles`` along every variable, or by "q", "qd" and "qdd" and then perhaps by joint, ``ranges`` likewise;
    ``rows`` of memory. It learns from ``states`` (q, qd, qdd), (N, n) each, such as those of motions, or else from
    so many random ``samples``, drawn with ``seed``; ``damping`` is what the size of a row counts against them, so
    that rows which many states share by accident stay small.
    """

    name = "cmac"
    title = "CMAC"

    def __init__(
        self, robot: Robot, ranges: Mapping[str, Any] | None = None, *, states: Sequence[Any] | None = None,
        tiles: Any = None, tilings: int = 32, rows: int = 2**14, samples: int = 20_000, seed: int = 0,
        damping: float = 1.0, budget: Any = BUDGET,
    ) -> None:  # fmt: skip
        require_arm(robot, self.title)
        self.robot = robot
        self.tilings = require_whole("tilings", tilings, 1)
        self.rows = require_whole("rows", rows, 1)
        if rows > MOST_ROWS:
            raise ArgumentError(f"rows is {rows:,}; expected {MOST_ROWS:,} at most.")
        require_room(require_bytes(budget), NUMBER * rows * (robot.n + 1), f"a CMAC of {robot.name}")
        found = state_axes(robot, KINDS, _points(TILES if tiles is None else tiles), ranges)
        self.axes = tuple(replace(axis, points=axis.points - axis.periodic) for axis in found)
        self.seed = require_whole("seed", seed, 0)
        damping = require_above("damping", damping, "a number, zero or more", or_zero=True)
        start = time.perf_counter()
        count = require_whole("samples", samples, 1)
        learned, others = self._random(count) if states is None else self._given(states)
        self._learn(learned, damping)
        self._check(others)
        self.made = time.perf_counter() - start

    # -- what is read --------------------------------------------------------------------------------

    def looked_up(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        width = self.robot.n + 1
        sums: list[Num] = [0.0] * width
        for row in self.addresses(q, qd, qdd):
            sums = [s + w for s, w in zip(sums, self.stored.row(row * float(width), width), strict=True)]
        *tau, learned = sums
        share = float(self.tilings) / where(less(learned, LEARNED * self.tilings), math.nan, learned)
        return [t * share for t in tau]

    def addresses(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        """The row of each tiling."""
        places = [axis.place(x) for axis, x in zip(self.axes, [*q, *qd, *qdd], strict=True)]
        return [self._row(t, places) for t in range(self.tilings)]

    def _row(self, t: int, places: Numbers) -> Num:
        key: Num = float(self._offsets[t])
        for v, (axis, place) in enumerate(zip(self.axes, places, strict=True)):
            # odd steps: no direction has all shifts alike
            shift = (2 * v + 1) * t % self.tilings / self.tilings
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

    def _refuse_outside(self, q: Any, qd: Any, qdd: Any) -> None:
        super()._refuse_outside(q, qd, qdd)
        q, qd, qdd = checked_states(self.robot, q, qd, qdd)
        x = np.concatenate([q, qd, qdd], axis=-1).reshape(-1, len(self.axes))
        known = np.isfinite(x).all(axis=-1)
        learned = self.weights[self._rows(x[known])].sum(axis=1)[:, -1]
        strange = np.flatnonzero(learned < LEARNED * self.tilings)
        if len(strange):
            raise ArgumentError(
                f"state {np.flatnonzero(known)[strange[0]]} is unlike those that this CMAC of {self.robot.name} has "
                f"learned: of the {self.tilings} rows that it reads {learned[strange[0]]:.0f} were. Let it learn "
                "from states nearer to this one, or compute the torque."
            )

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Array:
        """In double precision, which alone tells all keys apart."""
        tau = super().inverse_dynamics(*(np.asarray(x, float) for x in (q, qd, qdd)))
        single = all(isinstance(x, np.ndarray) and x.dtype == np.float32 for x in (q, qd, qdd))
        return tau.astype(np.float32) if single else tau

    # -- what is learned -----------------------------------------------------------------------------

    def _random(self, samples: int) -> tuple[Array, Array]:
        """Random states (samples, 3n) within the ranges to learn from, and others to be tried on."""
        return self._drawn(samples, self.seed), self._drawn(min(samples, MOST_TRIED), self.seed + 1)

    def _drawn(self, samples: int, seed: int) -> Array:
        lower, upper = np.array([(axis.lower, axis.upper) for axis in self.axes]).T
        return np.random.default_rng([seed, samples]).uniform(lower, upper, (samples, len(self.axes)))

    def _given(self, states: Sequence[Any]) -> tuple[Array, Array]:
        """The states (N, 3n) that it is given, one of five of them to be tried on."""
        if len(states) != len(KINDS):
            raise ArgumentError(
                f"states has {len(states)} parts; expected q, qd and qdd of states to learn from."
            )
        x = np.concatenate(checked_states(self.robot, *states), axis=-1).reshape(-1, len(self.axes))
        refuse_outside(self.axes, x, f"this CMAC of {self.robot.name}")
        if len(x) < HELD_BACK or not np.isfinite(x).all():
            raise ArgumentError(
                f"states are {len(x)}; expected {HELD_BACK} or more to learn from, of finite numbers."
            )
        tried = np.arange(len(x)) % HELD_BACK == HELD_BACK // 2
        return x[~tried], x[tried]

    def _learn(self, x: Array, damping: float) -> None:
        rows = self._rows(x)
        starts = np.arange(0, rows.size + 1, self.tilings)
        A = csr_matrix((np.ones(rows.size), rows.ravel(), starts), (len(x), self.rows))
        fits = [
            lsqr(A, column, damp=damping, iter_lim=STEPS, atol=1e-12, btol=1e-12)[0]
            for column in self._torques(x).T
        ]
        learned = np.bincount(rows.ravel(), minlength=self.rows) > 0
        self.weights = np.stack([*fits, learned], axis=-1)  # (rows, n + 1): whether it was learned, last

    def _check(self, x: Array) -> None:
        """Errors by joint on other states: rms, largest, and rms of a constant; what it did not know of them."""
        sums = self.weights[self._rows(x)].sum(axis=1)
        answered = sums[:, -1] >= LEARNED * self.tilings
        tau = self._torques(x)
        wrong = sums[answered, :-1] * (self.tilings / sums[answered, -1:]) - tau[answered]
        self.errors = np.stack(
            [_rms(wrong), np.abs(wrong).max(axis=0, initial=0.0), _rms(tau - tau.mean(axis=0))]
        )
        self.unknown = float(1.0 - sums[:, -1].mean() / self.tilings)
        self.refused = float(1.0 - answered.mean())

    def _torques(self, x: Array) -> Array:
        """Without friction."""
        return self.robot.inverse_dynamics(*np.split(x, 3, axis=-1), friction=False)

    def _rows(self, x: Array) -> Array:
        return self._addressed(*np.split(x, 3, axis=-1)).astype(np.intp)

    @cached_property
    def _addressed(self) -> Traced:
        n = self.robot.n
        return trace(self.addresses, q=n, qd=n, qdd=n)

    # -- what it says --------------------------------------------------------------------------------

    @property
    def variables(self) -> tuple[Axis, ...]:
        return self.axes

    @property
    def numbers(self) -> int:
        return self.weights.size

    @property
    def notes(self) -> tuple[str, ...]:
        each = list(zip(self.robot.joint_names, *self.errors, strict=True))
        parts = [f"{name} {rms:.3g} rms, {most:.3g} at most" for name, rms, most, _ in each]
        worse = [name for name, rms, _, constant in each if rms >= constant > 0]
        said = [
            f"On states like those that it learned from, but others, it errs by: {'; '.join(parts)}.",
            f"{self.unknown:.1%} of the rows read there were never learned; it refuses {self.refused:.1%} of them.",
        ]
        if worse:
            said.append(
                f"At {', '.join(worse)} a constant would err less: states drawn at random in {len(self.axes)} "
                "variables have hardly a tile in common. Let it learn along motions (states=)."
            )
        return tuple(said)

    # -- files ---------------------------------------------------------------------------------------

    def kept(self) -> tuple[dict[str, Any], dict[str, Array]]:
        described = {
            "axes": [described_axis(axis) for axis in self.axes],
            "tilings": self.tilings, "rows": self.rows, "seed": self.seed, "unknown": self.unknown,
            "refused": self.refused,
        }  # fmt: skip
        return described, {"weights": self.weights, "errors": self.errors}

    @classmethod
    def restored(cls, robot: Robot, described: Mapping[str, Any], arrays: Mapping[str, Array]) -> Self:
        self = cls.__new__(cls)
        self.robot = robot
        self.axes = restored_axes(described["axes"], robot)
        self.tilings, self.rows, self.seed = (int(described[name]) for name in ("tilings", "rows", "seed"))
        self.unknown, self.refused = (float(described[name]) for name in ("unknown", "refused"))
        self.weights = require_shape("weights", arrays["weights"], (self.rows, robot.n + 1))
        self.errors = require_shape("errors", arrays["errors"], (3, robot.n))
        return self


def _rms(x: Array) -> Array:
    """Over the first axis; 0 where there is nothing."""
    return np.sqrt((x**2).sum(axis=0) / max(len(x), 1))


def _points(tiles: Any) -> Any:
    """Points of axes that have so many tiles between them."""
    if isinstance(tiles, Mapping):
        return {name: _points(each) for name, each in tiles.items()}
    if isinstance(tiles, Sequence):
        return [_points(each) for each in tiles]
    return require_whole("tiles", tiles, 1) + 1
