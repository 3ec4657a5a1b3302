"""The rows of a log that estimators fit: base regressor, friction and torques within a band.

    F τ = F (Y_b π_b + Σ friction) + noise

F keeps frequencies below a cut-off and as few rows as these need; both sides pass through it. A row tells of a joint
while that moves and its effort was recorded: friction holds a joint that stands at any torque up to its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from strobe.errors import ArgumentError
from strobe.identify.base_parameters import BaseParameters, base_parameters
from strobe.identify.even_samples import Band, Stretch, stretches
from strobe.identify.friction import FALLS, Motion, Term, direction
from strobe.identify.log_doubts import braked, saturated
from strobe.identify.logs import Log
from strobe.identify.torque_fit import Layout
from strobe.models.joints import Friction, Motor
from strobe.models.model import Model
from strobe.robot import Robot

Array = np.ndarray

STILL = 2e-3  # rad/s or m/s: a joint below it all the while stands
REST = 0.25  # s, before and after a row
FEW = 2**28  # bytes of rows of a stream that are kept
SURE = 1e-12  # of a weight: so that weights that are all zero have a mean


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Kept rows of a stretch."""

    times: Array  # (M,)
    base: Array  # (M, n, base parameters)
    friction: Array  # (M, n, coefficients of a joint)
    effort: Array  # (M, n)
    tells: Array  # (M, n), whether a row tells of a joint
    felt: Array  # (M, n), whether its effort was recorded
    unsure: Array  # (M, n), the part of a Coulomb friction that the error of a rate may turn round
    band: Band

    @property
    def worth(self) -> float:
        """How many independent rows each is worth."""
        return 1 / self.band.colour

    def of(self, joint: int, some: Array) -> tuple[Array, Array, Array]:
        """Columns and effort of a joint in those of some rows that tell of it, and which these are."""
        kept = some[self.tells[some, joint]]
        return *self.columns(joint, kept), kept

    def columns(self, joint: int, kept: Array | slice) -> tuple[Array, Array]:
        """Columns and effort of a joint."""
        return np.column_stack([self.base[kept, joint], self.friction[kept, joint]]), self.effort[
            kept, joint
        ]

    def torques(self, values: Array) -> Array:
        """What base parameters and friction (joint by joint) make of the motion."""
        count = self.base.shape[2]
        own = values[count:].reshape(self.friction.shape[1:])
        return self.base @ values[:count] + np.einsum("njk,jk->nj", self.friction, own)


@dataclass(frozen=True, eq=False)
class TorqueModel:
    """What a robot's torques are made of: base parameters, and terms of friction."""

    base: BaseParameters
    terms: tuple[Term, ...]
    speeds: Array | None = None  # (joints,), within which friction falls (Stribeck)

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
    def usual(self) -> tuple[float, ...]:
        """How large each of them may be where data do not say; 0 where nothing is known."""
        return tuple(term.usual for term in self.terms for _ in term.symbols)

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

    @property
    def jumps(self) -> list[int]:
        """The coefficients that turn round at once where a rate does."""
        return self.places("coulomb", "asymmetric", "stribeck")

    def rows(self, piece: Stretch, cutoff: float, values: Array | None = None, carried: Any = 0.0) -> Rows:
        """The rows of a stretch; friction under load by ``values`` that were found before."""
        band = Band.below(cutoff, piece.step)
        Y = self.base.regressor(piece.q, piece.qd, piece.qdd)
        motion = self.motion(piece, values, carried)
        times, Y, effort = (band.kept(x) for x in (piece.times, Y, piece.effort))
        moves, felt = tells(piece, band)
        unsure = self.unsure(piece, band)
        return Rows(times, Y, self.friction(motion, band), effort, moves & felt, felt, unsure, band)

    def motion(self, piece: Stretch, values: Array | None = None, carried: Any = 0.0) -> Motion:
        """A stretch as terms see it, with what the rigid body takes where some term depends on that."""
        motion = Motion.of(piece)
        motion.falls = FALLS if self.speeds is None else self.speeds
        if values is None or not self.needs_load:
            return motion
        own = self.own(values)[:, self.places("presliding")]
        slip = np.clip(motion.bent.mean(axis=-1), -1, 1)
        if own.size:
            weights = np.maximum(own, 0.0) + SURE
            slip = np.einsum("njk,jk->nj", motion.bent, weights / weights.sum(axis=1, keepdims=True))
        motion.rigid, motion.slip = self.rigid(piece, values) + carried, slip
        return motion

    def own(self, values: Array) -> Array:
        """(joints, coefficients): the friction among all values."""
        return values[self.base.count :].reshape(self.layout.joints, -1)

    def rigid(self, piece: Stretch, values: Array) -> Array:
        """(N, n): what base parameters make of a motion."""
        whole = np.linalg.lstsq(self.base.map, values[: self.base.count])[0]
        return self._frictionless.inverse_dynamics(piece.q, piece.qd, piece.qdd, parameters=whole)

    @cached_property
    def _frictionless(self) -> Robot:
        return self.base.robot.with_model(undriven(self.base.robot.model))

    def friction(self, motion: Motion, band: Band) -> Array:
        """(M, n, coefficients) within the band."""
        return np.stack([band.kept(x) for term in self.terms for x in term.columns(motion)], axis=-1)

    def late(self, piece: Stretch, band: Band, values: Array) -> Array:
        """(M, n) within the band: what a second of delay of efforts would change."""
        motion = self.motion(piece, values)
        columns = np.stack([x for term in self.terms for x in term.columns(motion)], axis=-1)
        torque = self.rigid(piece, values) + np.einsum("njk,jk->nj", columns, self.own(values))
        return band.kept(-np.gradient(torque, piece.step, axis=0))

    def retold(self, piece: Stretch, rows: Rows, values: Array | None = None) -> Rows:
        """Rows with friction of these terms, under load by ``values``."""
        friction = self.friction(self.motion(piece, values), rows.band)
        return replace(rows, friction=friction, unsure=self.unsure(piece, rows.band))

    def falls(self, piece: Stretch, band: Band, values: Array) -> Array:
        """(M, n) within the band: what friction would change with the logarithm of the speed it falls within."""
        (k,) = self.places("stribeck")
        size = (piece.qd / (FALLS if self.speeds is None else self.speeds)) ** 2
        return band.kept(2 * size * np.exp(-size) * direction(piece.qd)) * self.own(values)[:, k]

    def unsure(self, piece: Stretch, band: Band) -> Array:
        if not self.jumps or not piece.blur.any():
            return np.zeros((len(band.starts(len(piece))), piece.q.shape[1]))
        return band.kept(direction(piece.qd + piece.blur) - direction(piece.qd - piece.blur)) / 2


def undriven(model: Model) -> Model:
    """The model with nothing in its joints: neither rotors nor friction."""
    bare = [
        replace(body, joint=replace(body.joint, motor=Motor(), friction=Friction()))
        for body in model.bodies
    ]
    return replace(model, bodies=tuple(bare))


def stretches_of(
    log: Log, effort: Array, cutoff: float, half: int | None = None, delay: Array | None = None
) -> tuple[list[Stretch], list[str]]:
    """The stretches of a log whose efforts are given, and what was left out of it.

    ``half`` as in `stretches`; ``delay`` (n,) is by how many seconds efforts were recorded too late.
    """
    cut, told = saturated(log.joints, effort)
    held, also = braked(log.joints, log.q, effort)
    found, remarks = stretches(log, np.where(cut | held, np.nan, effort), cutoff, half, delay)
    return found, [f"{log.source}: {each}" for each in (*told, *also, *remarks)]


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


def tells(piece: Stretch, band: Band) -> tuple[Array, Array]:
    """Whether each joint moves about a kept row, and whether its effort was recorded all the while."""
    half = len(band.taps) // 2
    about = 2 * int(REST / piece.step) + 1
    moves = maximum_filter1d(np.abs(piece.qd), about, axis=0) > STILL
    felt = minimum_filter1d(piece.felt.astype(np.int8), 2 * half + 1, axis=0, mode="nearest") > 0
    kept = np.array(band.starts(len(piece)), dtype=int) + half
    return moves[kept], felt[kept]


class Readings:
    """The rows of stretches, again and again: those of logs in memory are kept, those of streams read anew."""

    def __init__(self, model: TorqueModel, pieces: Iterable[Stretch], cutoff: float) -> None:
        self.model, self.pieces, self.cutoff = model, pieces, cutoff
        self._kept: list[tuple[Stretch, Rows]] | None = None
        self._few: list[Rows] | None = None

    def rows(self, values: Array | None = None) -> Iterator[Rows]:
        """Friction under load by ``values`` that were found before."""
        asked = values if self.model.needs_load else None
        if not isinstance(self.pieces, Sequence):
            return self._streamed(asked)
        if self._kept is None:
            self._kept = [(piece, self.model.rows(piece, self.cutoff)) for piece in self.pieces]
        if asked is None:
            return (rows for _, rows in self._kept)
        return (self.model.retold(piece, rows, asked) for piece, rows in self._kept)

    def _streamed(self, asked: Array | None) -> Iterator[Rows]:
        """Rows that are read anew, or kept where they are few and say the same each time."""
        if asked is None and self._few is not None:
            yield from self._few
            return
        kept, size = list[Rows](), 0
        for piece in self.pieces:
            rows = self.model.rows(piece, self.cutoff, asked)
            size += rows.base.nbytes + rows.friction.nbytes
            if asked is None and size <= FEW:
                kept.append(rows)
            else:
                kept.clear()
            yield rows
        if asked is None and size <= FEW:
            self._few = kept

    def pairs(self) -> Iterator[tuple[Stretch, Rows]]:
        """Every stretch with its rows, friction under load left out."""
        if not isinstance(self.pieces, Sequence):
            return ((piece, self.model.rows(piece, self.cutoff)) for piece in self.pieces)
        return zip(self.pieces, self.rows(), strict=True)

    def of(self, model: TorqueModel) -> Readings:
        """The same rows with friction of other terms."""
        if model is self.model:
            return self
        other = Readings(model, self.pieces, self.cutoff)
        if self._kept is not None:
            other._kept = [(piece, model.retold(piece, rows)) for piece, rows in self._kept]
        return other


class Together(Readings):
    """The rows of several readings in turn."""

    def __init__(self, several: Sequence[Readings]) -> None:
        self.several, self.model, self.cutoff = several, several[0].model, several[0].cutoff

    @property
    def pieces(self) -> Iterator[Stretch]:
        """The stretches of all of them."""
        return (piece for each in self.several for piece in each.pieces)

    def rows(self, values: Array | None = None) -> Iterator[Rows]:
        return (rows for each in self.several for rows in each.rows(values))

    def pairs(self) -> Iterator[tuple[Stretch, Rows]]:
        return (pair for each in self.several for pair in each.pairs())

    def of(self, model: TorqueModel) -> Together:
        return Together([each.of(model) for each in self.several])
