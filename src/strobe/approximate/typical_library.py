"""What a library of typical trajectories holds: motions, and families of them over a grid of parameters. As NPZ:

lengths (K,), times (N,), q, qd, D, E, slopes (N, …)   the points of all motions, one after another
held (K, 2), repetitions (K,)                          of every motion; those of procedures come last
procedures (P,), grid <procedure> <parameter>          names, and the values of each parameter
points, within, derivatives, scale, budget             how the library was made
robot, fingerprint, joint_names, …                     with which robot
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from os import fspath
from typing import Any, NamedTuple

import numpy as np

from strobe.approximate import provenance
from strobe.approximate.provenance import Place
from strobe.approximate.stored import Stored
from strobe.errors import ArgumentError, shown
from strobe.files.arrays import misfit, read_arrays
from strobe.robot import Robot
from strobe.trajectory.motion import State

Array = np.ndarray
OPTIONS = ("points", "within", "derivatives", "scale", "budget")
STORED = {
    "q": "N n",
    "qd": "N n",
    "D": "N n n",
    "E": "N n",
    "slopes": "N n n+2 n",
}  # shapes, as `misfit` takes them
MOTIONS = {"lengths": "K", "times": "N", "held": "K 2", "repetitions": "K", "procedures": "text P"}
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


# -- files --------------------------------------------------------------------------------------------


class Kept(NamedTuple):
    """A library apart from its robot."""

    options: dict[str, Any]  # points, within, derivatives, scale, budget
    motions: list[Learned]
    procedures: dict[str, Procedure]


def write(path: Place, robot: Robot, library: Kept, *, force: bool = False) -> None:
    """A library as a file, whole or not at all."""
    provenance.write(path, "a library", robot, _arrays(library), force=force)


def _arrays(library: Kept) -> dict[str, Any]:
    every = [*library.motions, *(m for p in library.procedures.values() for m in p.motions)]
    kept = {name: np.array([] if value is None else value) for name, value in library.options.items()}
    kept["procedures"] = np.array(list(library.procedures), dtype=str)
    for k, procedure in enumerate(library.procedures.values()):
        kept[f"parameters {k}"] = np.array(list(procedure.grid), dtype=str)
        kept |= {f"grid {k} {parameter}": values for parameter, values in procedure.grid.items()}
    if every:
        names = every[0].stored.arrays
        kept |= {name: np.concatenate([m.stored.arrays[name] for m in every]) for name in names}
    return kept | {
        "lengths": np.array([len(m.times) for m in every], dtype=int),
        "times": np.array([t for m in every for t in m.times]),
        "held": np.array([m.within for m in every]).reshape(-1, 2),
        "repetitions": np.array([m.repetitions for m in every], dtype=int),
    }


def read(path: Place, robot: Robot) -> Kept:
    """The library in a file, of the robot it was made with."""
    data = read_arrays(path)
    if wrong := misfit(data, provenance.SHAPES) or misfit(data, MOTIONS):
        raise ArgumentError(f"{fspath(path)}: not a library of motions: {wrong}.")
    provenance.require_same(data, robot, fspath(path))
    if wrong := _damage(data, robot.nv) or _gaps(data):
        raise ArgumentError(f"{fspath(path)}: the library is damaged: {wrong}.")
    return _kept(data)


def _damage(data: Mapping[str, Array], n: int) -> str:
    """What of a library is missing or does not fit together."""
    lengths = data["lengths"]
    needed = (name for name in STORED if name in data or (name != "slopes" and len(lengths)))
    stored = {name: STORED[name] for name in needed}
    if wrong := misfit(data, stored, N=len(data["times"]), n=n, **{"n+2": n + 2}):
        return wrong
    if lengths.dtype.kind not in "iu" or (lengths < 1).any() or lengths.sum() != len(data["times"]):
        return '"lengths" are not those of motions that make up all points'
    return next(filter(None, (misfit(data, {name: "..."}) for name in OPTIONS)), "")


def _gaps(data: Mapping[str, Array]) -> str:
    """What is missing of the procedures, whose motions come last."""
    left = len(data["lengths"])
    for k in range(len(data["procedures"])):
        if wrong := misfit(data, {f"parameters {k}": "text parameters"}):
            return wrong
        grids = {f"grid {k} {name}": "values" for name in data[f"parameters {k}"].tolist()}
        if wrong := next(filter(None, (misfit(data, {name: shape}) for name, shape in grids.items())), ""):
            return wrong
        left -= math.prod(len(data[name]) for name in grids)
    return "" if left >= 0 else "its procedures have more motions than it holds"


def _kept(data: Mapping[str, Array]) -> Kept:
    options = {name: data[name].tolist() if data[name].size else None for name in OPTIONS}
    motions, procedures = _motions(data), dict[str, Procedure]()
    for k, name in reversed(list(enumerate(map(str, data["procedures"])))):
        grid = {p: data[f"grid {k} {p}"] for p in map(str, data[f"parameters {k}"])}
        first = len(motions) - int(np.prod([len(values) for values in grid.values()]))
        procedures[name] = Procedure(grid, tuple(motions[first:]))
        motions = motions[:first]
    return Kept(options, motions, dict(reversed(procedures.items())))


def _motions(data: Mapping[str, Array]) -> list[Learned]:
    found = []
    for k, end in enumerate(np.cumsum(data["lengths"])):
        rows = slice(int(end - data["lengths"][k]), int(end))
        stored = Stored(**{name: data[name][rows] for name in STORED if name in data})
        found.append(Learned(data["times"][rows], stored, data["held"][k], int(data["repetitions"][k])))
    return found
