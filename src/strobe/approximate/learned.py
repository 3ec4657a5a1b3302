"""What a library of typical trajectories holds: motions, and families of them over a grid of parameters."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.approximate.stored import Stored
from strobe.errors import ArgumentError, shown
from strobe.trajectory.motion import State

Array = np.ndarray
SAME = 1e-6  # radians, metres, and part of a duration: motions that differ by less are one motion, repeated


@dataclass(frozen=True, eq=False)
class Learned:
    """One motion of the library: where it leads from and to, how long it takes, and what is stored along it."""

    times: Array  # (N,)
    stored: Stored
    within: Array  # (2,) how far from its states, in q and in qd, they hold
    repetitions: int = 0  # of which torques were measured

    @property
    def start(self) -> Array:
        return self.stored.q[0]

    @property
    def goal(self) -> Array:
        return self.stored.q[-1]

    @property
    def duration(self) -> float:
        return float(self.times[-1])

    def leads(self, start: Array, goal: Array) -> bool:
        """Whether it leads from one place to another."""
        return all(
            np.shape(a) == np.shape(b) and bool(np.abs(a - b).max() <= SAME)
            for a, b in ((self.start, start), (self.goal, goal))
        )

    def repeated_by(self, times: Array, state: State) -> bool:
        """Whether a motion with these states at these times is this one."""
        if len(times) != len(self.times) or abs(times[-1] / self.duration - 1.0) > SAME:
            return False
        parts = (state.q - self.stored.q, state.qd - self.stored.qd)
        return all(np.abs(part).max() <= SAME for part in parts)


@dataclass(frozen=True, eq=False)
class Procedure:
    """A family of motions: what is stored along each, over a grid of parameters."""

    grid: dict[str, Array]  # ascending values of each parameter
    motions: tuple[Learned, ...]  # in the order of the grid, the last parameter changing first

    def at(self, parameters: Mapping[str, float]) -> list[tuple[Learned, float]]:
        """The motions around some parameters, and their weights."""
        around = [sides(name, values, float(parameters[name])) for name, values in self.grid.items()]
        shape = [len(values) for values in self.grid.values()]
        found = []
        for corner in itertools.product(*around):
            place = int(np.ravel_multi_index([k for k, _ in corner], shape))
            weight = float(np.prod([part for _, part in corner]))
            if weight:
                found.append((self.motions[place], weight))
        return found


def axis(name: str, values: Any) -> Array:
    """The values of one parameter, checked."""
    found = np.asarray(values, dtype=float)
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all() or not (np.diff(found) > 0).all():
        raise ArgumentError(f"the grid of {name} is {shown(values)}; expected rising numbers.")
    return found


def sides(name: str, values: Array, value: float) -> list[tuple[int, float]]:
    """The grid values around a value, and their weights."""
    if not values[0] <= value <= values[-1]:
        raise ArgumentError(f"{name} is {value:g}; it is stored from {values[0]:g} to {values[-1]:g}.")
    if len(values) == 1:
        return [(0, 1.0)]
    left = min(int(np.searchsorted(values, value, side="right")) - 1, len(values) - 2)
    part = (value - values[left]) / (values[left + 1] - values[left])
    return [(left, 1.0 - part), (left + 1, part)]
