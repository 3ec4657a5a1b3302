"""The rows of a log that estimators fit: base regressor, friction and torques within a band.

    F τ = F (Y_b π_b + Σ friction) + noise

F keeps frequencies below a cut-off and as few rows as these need; both sides pass through it. A row tells of a joint
while that moves and its effort was recorded: friction holds a joint that stands at any torque up to its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from strobe.errors import ArgumentError
from strobe.identify.base_parameters import BaseParameters, base_parameters
from strobe.identify.even_samples import Band, Stretch, stretches
from strobe.identify.friction import Motion, Term
from strobe.identify.log_doubts import saturated
from strobe.identify.logs import Log
from strobe.identify.torque_fit import Layout

Array = np.ndarray

STILL = 2e-3  # rad/s or m/s: a joint below it all the while stands
REST = 0.25  # s, before and after a row
SURE = 1e-12  # of a weight: so that weights that are all zero have a mean


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Kept rows of a stretch."""

    times: Array  # (M,)
    base: Array  # (M, n, base parameters)
    friction: Array  # (M, n, coefficients of a joint)
    effort: Array  # (M, n)
    tells: Array  # (M, n), whether a row tells of a joint
    band: Band

    @property
    def worth(self) -> float:
        """How many independent rows each is worth."""
        return 1 / self.band.colour

    def of(self, joint: int) -> tuple[Array, Array]:
        """Columns and effort of a joint, where rows tell of it."""
        m = self.tells[:, joint]
        return np.column_stack([self.base[m, joint], self.friction[m, joint]]), self.effort[m, joint]

    def torques(self, values: Array) -> Array:
        """What base parameters and friction (joint by joint) make of the motion."""
        count = self.base.shape[2]
        own = values[count:].reshape(self.friction.shape[1:])
        return self.base @ values[:count] + np.einsum("njk,jk->nj", self.friction, own)


@dataclass(frozen=True, slots=True, eq=False)
class TorqueModel:
    """What a robot's torques are made of: base parameters, and terms of friction."""

    base: BaseParameters
    terms: tuple[Term, ...]

    @property
    def symbols(self) -> tuple[str, ...]:
        """The coefficients of one joint's friction."""
        return tuple(symbol for term in self.terms for symbol in term.symbols)

    @property
    def units(self) -> tuple[str, ...]:
        """Their units where a joint turns."""
        return tuple(term.unit for term in self.terms for _ in term.symbols)

    @property
    def signed(self) -> tuple[bool, ...]:
        """Whether each of them can be negative."""
        return tuple(term.signed for term in self.terms for _ in term.symbols)

    @property
    def needs_load(self) -> bool:
        return any(term.needs_load for term in self.terms)

    @property
    def layout(self) -> Layout:
        return Layout(self.base.count, len(self.symbols), self.base.robot.nv)

    def places(self, *names: str) -> list[int]:
        """Where the coefficients of terms stand among those of a joint."""
        found = [term.name for term in self.terms for _ in term.symbols]
        return [k for k, name in enumerate(found) if name in names]

    def rotors(self) -> dict[int, Array]:
        """Rotors that no torque tells from base parameters, by joint, and how much of each they are part of."""
        if not self.places("rotor"):
            return {}
        driven = base_parameters(self.base.robot, drives=True)
        first = len(self.base.parameter_names)
        held = [driven.kept.index(k) for k in self.base.kept]
        places = range(first, len(driven.parameter_names), 4)
        return {j: driven.map[held, k] for j, k in enumerate(places) if k not in driven.kept}

    def rows(self, piece: Stretch, cutoff: float, values: Array | None = None, carried: Any = 0.0) -> Rows:
        """The rows of a stretch; friction under load by ``values`` that were found before."""
        band = Band.below(cutoff, piece.step)
        Y = self.base.regressor(piece.q, piece.qd, piece.qdd)
        F = np.stack(list(self._columns(piece, Y, values, carried)), axis=-1)
        times, Y, F, effort = (band.kept(x) for x in (piece.times, Y, F, piece.effort))
        return Rows(times, Y, F, effort, tells(piece, band), band)

    def _columns(self, piece: Stretch, Y: Array, values: Array | None, carried: Any) -> Iterator[Array]:
        motion = Motion.of(piece)
        if values is not None and self.needs_load:
            count = self.base.count
            own = values[count:].reshape(piece.q.shape[1], -1)[:, self.places("presliding")]
            slip = np.clip(motion.bent.mean(axis=-1), -1, 1)
            if own.size:
                weights = np.maximum(own, 0.0) + SURE
                slip = np.einsum("njk,jk->nj", motion.bent, weights / weights.sum(axis=1, keepdims=True))
            motion = replace(motion, rigid=Y @ values[:count] + carried, slip=slip)
        for term in self.terms:
            yield from term.columns(motion)


def stretches_of(log: Log, effort: Array, cutoff: float) -> tuple[list[Stretch], list[str]]:
    """The stretches of a log whose efforts are given, and what was left out of it."""
    cut, told = saturated(log.joints, effort)
    found, remarks = stretches(log, np.where(cut, np.nan, effort), cutoff)
    return found, [f"{log.source}: {each}" for each in (*told, *remarks)]


def effort_of(log: Log, gains: Any = None) -> Array:
    """The torques of a log, from its currents where gains are given."""
    if gains is not None and log.current is not None:
        return log.current * np.asarray(gains, dtype=float)
    if log.tau is None:
        held = (
            "currents, of which gains= makes torques"
            if log.current is not None
            else "neither torques nor currents"
        )
        raise ArgumentError(f"{log.source}: there are {held}; torques are what is explained.")
    return log.tau


def tells(piece: Stretch, band: Band) -> Array:
    """Whether a kept row tells of each joint."""
    half = len(band.taps) // 2
    about = 2 * int(REST / piece.step) + 1
    moves = maximum_filter1d(np.abs(piece.qd), about, axis=0) > STILL
    felt = minimum_filter1d(piece.felt.astype(np.int8), 2 * half + 1, axis=0, mode="nearest") > 0
    kept = np.round(band.kept(np.arange(len(piece), dtype=float))).astype(int)
    return (moves & felt)[np.clip(kept, 0, len(piece) - 1)]


def all_rows(
    model: TorqueModel, pieces: Sequence[Stretch], cutoff: float, values: Array | None = None
) -> Iterator[Rows]:
    """The rows of stretches in turn."""
    return (model.rows(piece, cutoff, values) for piece in pieces)
