"""Libraries of typical trajectories in NPZ files.

lengths (K,), times (N,), q, qd, D, E, slopes (N, …)   the points of all motions, one after another
held (K, 2), repetitions (K,)                          of every motion; those of procedures come last
procedures (P,), grid <procedure> <parameter>          names, and the values of each parameter
points, within, derivatives, scale, budget             how the library was made
robot, fingerprint, joint_names, …                     with which robot
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import fspath
from typing import Any, NamedTuple

import numpy as np

from strobe.approximate import provenance
from strobe.approximate.learned import Learned, Procedure
from strobe.approximate.provenance import Place
from strobe.approximate.stored import Stored
from strobe.errors import ArgumentError
from strobe.files.arrays import misfit, read_arrays
from strobe.robot import Robot

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
