"""Libraries of typical trajectories in NPZ files.

lengths (K,), times (N,), q, qd, D, E, slopes (N, …)   the points of all motions, one after another
held (K, 2), repetitions (K,)                          of every motion; those of procedures come last
procedures (P,), grid <procedure> <parameter>          names, and the values of each parameter
points, within, derivatives, scale, budget             how the library was made
robot, fingerprint, joint_names, …                     with which robot
"""

from __future__ import annotations

from collections.abc import Mapping
from os import fspath
from typing import Any, NamedTuple

import numpy as np

from strobe.approximate import made_with
from strobe.approximate.learned import Learned, Procedure
from strobe.approximate.made_with import Place
from strobe.approximate.stored import Stored
from strobe.errors import ArgumentError
from strobe.robot import Robot

Array = np.ndarray
OPTIONS = ("points", "within", "derivatives", "scale", "budget")
STORED = ("q", "qd", "D", "E", "slopes")


class Kept(NamedTuple):
    """A library apart from its robot."""

    options: dict[str, Any]  # points, within, derivatives, scale, budget
    motions: list[Learned]
    procedures: dict[str, Procedure]


def write(path: Place, robot: Robot, library: Kept, *, force: bool = False) -> None:
    """A library as a file, whole or not at all."""
    made_with.write(path, "a library", robot, _arrays(library), force=force)


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
        "held": np.array([m.within for m in every]),
        "repetitions": np.array([m.repetitions for m in every], dtype=int),
    }


def read(path: Place, robot: Robot) -> Kept:
    """The library in a file, of the robot it was made with."""
    data = made_with.read(path)
    try:
        made_with.require_same(data, robot, fspath(path))
        return _kept(data)
    except KeyError as missing:
        raise ArgumentError(f"{fspath(path)}: not a library of motions, without {missing}.") from None


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
