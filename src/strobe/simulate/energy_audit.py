"""The books of a run: energy, where it went, and momentum.

    E(t) − E(0) = work of drives, friction, stops and wrenches + what events brought or took + drift

The work is integrated beside the motion by the same method: the drift is what the method got wrong, forced or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from strobe.compiler.runtime.arrays import real_numbers
from strobe.errors import ArgumentError, shown
from strobe.models.arguments import require_choice
from strobe.robot import Robot
from strobe.show.rounding_noise import NOISE
from strobe.show.sheet import Sheet, Table, displayed, number
from strobe.simulate.equations_of_motion import WORKS, LoadedRequest, payload_inputs
from strobe.simulate.evaluation import values_of

Array = np.ndarray


class Carried(NamedTuple):
    """The loads (..., 10) by frame that a robot carries from some row on."""

    row: int
    payloads: Mapping[str, Array]


@displayed
@dataclass(frozen=True, eq=False)
class Audit:
    """Energy and momentum at every row of a run (..., T), each worked out when it is first asked for."""

    robot: Robot
    q: Array  # (..., T, nq)
    qd: Array  # (..., T, nv)
    carried: Sequence[Carried]
    work: Array  # (..., T, 4): of drives, friction, stops and wrenches since the start
    events: Array  # (..., T) what events brought (or took) until then

    @property
    def kinetic(self) -> Array:
        return self._energies[..., 0]

    @property
    def potential(self) -> Array:
        return self._energies[..., 1]

    @property
    def energy(self) -> Array:
        return self.kinetic + self.potential

    @cached_property
    def momentum(self) -> Array:
        """(..., T, 6): linear, then angular about the centre of mass, base axes."""
        return self._quantity("momentum", 6)

    @property
    def drift(self) -> Array:
        """Energy that nothing accounts for, since the first row."""
        gained = self.energy - self.work.sum(axis=-1) - self.events
        return gained - gained[..., :1]

    @property
    def largest_drift(self) -> Array:
        """The largest drift of each run (...) as a part of its largest kinetic energy."""
        peak = _largest(self.kinetic)
        return _largest(np.abs(self.drift)) / np.where(peak > 0, peak, 1.0)

    @property
    def noticed_drift(self) -> Array:
        """The same for people: 0 where it is no more than rounding leaves of the energies, as of an arm at rest."""
        sums = self.kinetic, self.potential, self.work.sum(axis=-1)
        left = NOISE * np.maximum.reduce([_largest(np.abs(each)) for each in sums])
        return np.where(_largest(np.abs(self.drift)) <= left, 0.0, self.largest_drift)

    def _sheet(self) -> Sheet:
        drift = float(np.nanmax(self.noticed_drift, initial=0.0))
        head = f"the books of {self.robot.name}: {drift:.1e} of the largest kinetic energy unaccounted for"
        if self.qd.ndim > 2 or not self.qd.shape[-2]:
            return Sheet(head)
        columns = {"kinetic": self.kinetic, "potential": self.potential, "energy": self.energy}
        columns |= {f"work of {name}": self.work_of(name) for name in WORKS} | {
            "events": self.events,
            "drift": self.drift,
        }
        rows = [[name, *(f"{number(float(x[k]))} J" for k in (0, -1))] for name, x in columns.items()]
        return Sheet(head, [Table(["", "at the start", "at the end"], rows)])

    def at(self, rows: Array) -> Audit:
        """The books at some rows, by their rising numbers, the first one among them."""
        rows = _rows(rows, self.q.shape[-2])
        q, qd, work = (each[..., rows, :] for each in (self.q, self.qd, self.work))
        carried = [Carried(int(np.searchsorted(rows, row)), loads) for row, loads in self.carried]
        return Audit(self.robot, q, qd, carried, work, self.events[..., rows])

    def work_of(self, cause: str) -> Array:
        """The work (..., T) of "drive", "friction", "stops" or "wrenches"."""
        return self.work[..., WORKS.index(require_choice("cause", cause, WORKS, "the books"))]

    @cached_property
    def _energies(self) -> Array:
        return self._quantity("energy", 2)

    def _quantity(self, name: str, size: int) -> Array:
        """A quantity at every row, with the loads carried then."""
        values = np.empty((*self.qd.shape[:-1], size))
        ends = [*(later.row for later in self.carried[1:]), self.qd.shape[-2]]
        for (a, payloads), b in zip(self.carried, ends, strict=True):
            here = {frame: load[..., None, :] for frame, load in payloads.items()}
            values[..., a:b, :] = loaded_quantity(
                self.robot, name, here, q=self.q[..., a:b, :], qd=self.qd[..., a:b, :]
            )
        return values


def _rows(rows: Any, count: int) -> Array:
    """Rising numbers of rows."""
    found = np.asarray(real_numbers("rows", rows))
    whole = found.astype(np.int64) if np.isfinite(found).all() else found
    if found.ndim != 1 or (whole != found).any() or (np.diff(found) <= 0).any():
        raise ArgumentError(f"rows is {shown(rows)}; expected rising numbers of rows.")
    if found.size and not 0 <= found[0] <= found[-1] < count:
        raise ArgumentError(f"rows is {shown(rows)}; the run has {count:,} rows, counted from 0.")
    return whole.astype(np.int64)


def _largest(values: Array) -> Array:
    """Over the rows, leaving out those of a run that stopped."""
    return np.max(values, axis=-1, initial=0.0, where=np.isfinite(values))


def loaded_quantity(robot: Robot, quantity: str, payloads: Mapping[str, Array], **state: Array) -> Array:
    """A quantity of a robot that carries payloads, ten numbers by frame."""
    arrays = {**state, **dict(zip(payload_inputs(tuple(payloads)), payloads.values(), strict=True))}
    return values_of(robot, LoadedRequest(quantity, loads=tuple(payloads)), arrays)
