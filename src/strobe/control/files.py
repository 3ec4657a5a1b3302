"""Closed loops in files: NPZ with everything, CSV with a row for every period.

    .npz     t, q, qd, tau, wanted (q, qd, qdd), hand_error; status, stopped, cut; gains and notes
    .csv     rows t, q_<joint>, qd_<joint>, tau_<joint>, wanted_q_<joint>, wanted_qd_<joint>, hand_error

The torques of either can drive a simulation.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np

from strobe.control.tracking_result import Tracked
from strobe.errors import ArgumentError
from strobe.files.reading import suffix_of
from strobe.files.tables import write_rows
from strobe.files.writing import writing
from strobe.models.fingerprint import fingerprint
from strobe.simulate.files import labels, lines

Array = np.ndarray
Place = str | PathLike[str]
KINDS = (".npz", ".csv")


def kind_of(path: Place) -> str:
    """The suffix of a file that can hold closed loops."""
    kind = suffix_of(path)
    if kind not in KINDS:
        raise ArgumentError(f"{fspath(path)}: a closed loop is kept in an .npz or .csv file.")
    return kind


def write(
    run: Tracked, path: Place, kind: str = "", *, inputs: Sequence[Place] = (), force: bool = False
) -> None:
    """Closed loops as a file of a kind, or of that which its suffix names; whole or not at all.

    An existing file is replaced only with ``force``; one of ``inputs`` never is.
    """
    kind = kind or kind_of(path)
    with writing(path, inputs=inputs, force=force) as stream:
        if kind == ".npz":
            np.savez(stream.buffer, **_arrays(run))  # pyright: ignore[reportAttributeAccessIssue]
        else:
            rows = lines(run.plant, run.times, run.q, run.qd, run.tau, _columns(run))
            write_rows(stream, rows)


def _arrays(run: Tracked) -> dict[str, Any]:
    kept = {name: getattr(run, name) for name in ("q", "qd", "tau", "wanted", "status", "stopped", "cut")}
    gains = {f"gain_{name}": values for name, values in run.controller.gains.items()}
    words = {"controller": run.controller.name, "robot": run.plant.name, "planner": run.motion.method}
    return {
        "t": run.times, **kept, **gains, "hand_error": run.hand_error(), "period": run.controller.period,
        "notes": np.array(run.notes, dtype=str), "joint_names": np.array(run.plant.joint_names, dtype=str),
        "fingerprint": np.array(fingerprint(run.plant.model)),
        **{name: np.array(text) for name, text in words.items()},
    }  # fmt: skip


def _columns(run: Tracked) -> dict[str, Array]:
    """What was wanted, and how far off the hand is, (..., T) by name."""
    positions, rates = labels(run.plant)
    names = [*(f"wanted_q_{name}" for name in positions), *(f"wanted_qd_{name}" for name in rates)]
    wanted = np.broadcast_to(run.wanted, (*run.q.shape[:-1], run.wanted.shape[-1]))
    return {name: wanted[..., k] for k, name in enumerate(names)} | {"hand_error": run.hand_error()}
