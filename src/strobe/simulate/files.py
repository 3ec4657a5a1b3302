"""Runs in files: NPZ with everything, read back to go on with the same bits; CSV and MCAP for other programs.

    .npz     t, q, qd, tau; the books (kinetic, potential, work, events, momentum); how it ended; the checkpoint
    .csv     rows t, q_<joint>, qd_<joint>, tau_<joint>, kinetic, potential; a column "run" before them for a batch
    .mcap    messages of joint states and of energy as JSON, for Foxglove and the like (extra "mcap")

A CSV or NPZ file with times and torques, these or those of ``strobe torque`` and ``strobe plan``, can drive a run.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np

from strobe.errors import ArgumentError, MissingExtraError, SimulationWarning
from strobe.files.arrays import misfit, read_arrays
from strobe.files.reading import suffix_of
from strobe.files.tables import decimal, read_rows, write_rows
from strobe.files.writing import writing
from strobe.models.differences import changes, from_letters, json_object, letters
from strobe.models.fingerprint import fingerprint
from strobe.robot import Robot, require_robot
from strobe.simulate.checkpoint import Checkpoint
from strobe.simulate.energy_audit import Audit, Carried
from strobe.simulate.limit_extremes import bounds
from strobe.simulate.run import Errors, Run
from strobe.simulate.torques import TimeSeries

Array = np.ndarray
Place = str | PathLike[str]

KINDS = (".npz", ".csv", ".mcap")
TIMES = ("t", "time", "times")
BOOKS = ("kinetic", "potential", "work", "events", "momentum")
MADE_WITH = {
    "fingerprint": "text",
    "robot": "text",
    "joint_names": "text n",
}  # shapes, as `misfit` takes them
MODEL = {"model": "letters"}
RUN = {
    "t": "T", "q": "... T nq", "qd": "... T nv", "tau": "... T nv", "status": "...", "stopped": "...",
    "cut": "... nv", "work": "... T 4", "events": "... T", "method": "text", "step": "", "notes": "text notes",
    "load_rows": "spans", "load_frames": "text frames",
}  # fmt: skip
EXTREMES = {"extremes": "... bounds"}
ERRORS = {"error_q": "... T nq", "error_qd": "... T nv"}
CHECKPOINT = {
    "checkpoint_state": "N size", "checkpoint_energy": "N", "checkpoint_step": "", "checkpoint_time": "",
    "checkpoint_setting": "text",
}  # fmt: skip
STATE = ("state", "energy", "step", "time")  # of a checkpoint, as arrays


def kind_of(path: Place) -> str:
    """The suffix of a file that can hold a run."""
    kind = suffix_of(path)
    if kind not in KINDS:
        raise ArgumentError(f"{fspath(path)}: a run is kept in an .npz, .csv or .mcap file.")
    return kind


def write(
    run: Run, path: Place, kind: str = "", *, inputs: Sequence[Place] = (), force: bool = False
) -> None:
    """A run as a file of a kind, or of that which its suffix names; whole or not at all.

    An existing file is replaced only with ``force``; one of ``inputs`` never is.
    """
    kind = kind or kind_of(path)
    if kind == ".mcap":
        mcap_writer()  # refused before anything is written
    with writing(path, inputs=inputs, force=force) as stream:
        if kind == ".npz":
            np.savez(stream.buffer, **_arrays(run))  # pyright: ignore[reportAttributeAccessIssue]
        elif kind == ".csv":
            write_rows(stream, lines(run.robot, run.times, run.q, run.qd, run.tau, _energies(run)))
        else:
            _write_messages(run, stream.buffer)  # pyright: ignore[reportAttributeAccessIssue]


def labels(robot: Robot) -> tuple[list[str], list[str]]:
    """Names of the numbers of q, and of those of qd and tau."""
    return list(robot.coordinates.position_names), list(robot.coordinates.rate_names)


# -- NPZ ----------------------------------------------------------------------------------------------------


def _arrays(run: Run) -> dict[str, Any]:
    kept = {name: getattr(run, name) for name in ("q", "qd", "tau", "status", "stopped", "cut")}
    kept |= {name: getattr(run.audit, name) for name in BOOKS} | _carried(run.audit)
    if run.extremes is not None:
        kept["extremes"] = run.extremes
    if run.error is not None:
        kept |= {"error_q": run.error.q, "error_qd": run.error.qd}
    if run.checkpoint is not None:
        kept |= {f"checkpoint_{name}": getattr(run.checkpoint, name) for name in STATE}
        kept["checkpoint_setting"] = np.array(json.dumps(dict(run.checkpoint.setting)))
    words = {"method": run.method, "robot": run.robot.name, "fingerprint": fingerprint(run.robot.model)}
    return {
        "t": run.times,
        **kept,
        "step": run.step,
        "notes": np.array(run.notes, dtype=str),
        "joint_names": np.array(run.robot.joint_names, dtype=str),
        **{name: np.array(text) for name, text in words.items()},
        "model": letters(run.robot.model),
    }


def _carried(audit: Audit) -> dict[str, Array]:
    """The loads by frame and span, (spans, frames, ..., 10), and the rows from which on they are carried."""
    loads = [[*span.payloads.values()] for span in audit.carried]
    shape = np.broadcast_shapes((10,), *(load.shape for span in loads for load in span))
    stacked = [np.broadcast_to(load, shape) for span in loads for load in span]
    frames = [*audit.carried[0].payloads]
    return {
        "load_rows": np.array([span.row for span in audit.carried]),
        "load_frames": np.array(frames, dtype=str),
        "loads": np.array(stacked, dtype=float).reshape(len(loads), len(frames), *shape),
    }


def read(path: Place, robot: Robot) -> Run:
    """The run in an NPZ file, of the robot it was made with.

    Where the robot's numbers have changed since, that is warned of, and the run cannot be gone on with.
    """
    require_robot(robot)
    data = read_arrays(path)
    if misfit(data, MADE_WITH) or "stopped" not in data:
        raise ArgumentError(f"{fspath(path)}: not a run; expected an NPZ file that a simulation wrote.")
    names = tuple(data["joint_names"].tolist())
    if names != robot.joint_names:
        raise ArgumentError(
            f"{fspath(path)}: a run of {data['robot']} with joints {', '.join(names)}; {robot.name} has "
            f"{', '.join(robot.joint_names)}."
        )
    if wrong := _damage(data, robot):
        raise ArgumentError(f"{fspath(path)}: the run is damaged: {wrong}.")
    if said := _change(data, robot):
        warnings.warn(
            f"{fspath(path)}: {said}; it cannot be gone on with.", SimulationWarning, stacklevel=2
        )
    return _run(data, robot, resumable=not said)


def _change(data: Mapping[str, Array], robot: Robot) -> str:
    """How a robot differs from that of a run, as a sentence without its end; nothing where it does not."""
    if "model" not in data:
        return f"a run of an older strobe, which kept too little of {robot.name} to compare it"
    if str(data["fingerprint"]) == fingerprint(robot.model):
        return ""
    how = changes(from_letters(data["model"]), robot.model)
    return f"{robot.name} has changed since this run was made ({how})"


def _damage(data: Mapping[str, Array], robot: Robot) -> str:
    """What of a run is missing or does not fit together."""
    shapes = (
        (RUN | (ERRORS if "error_q" in data else {}) | (CHECKPOINT if "checkpoint_state" in data else {}))
        | (MODEL if "model" in data else {})
        | (EXTREMES if "extremes" in data else {})
    )
    if wrong := misfit(data, shapes, nq=robot.nq, nv=robot.nv):
        return wrong
    batch, rows = data["status"].shape, data["load_rows"]
    each = (len(rows), len(data["load_frames"]))
    if "loads" not in data or data["loads"].shape not in ((*each, 10), (*each, *batch, 10)):
        return '"loads" are not ten numbers for every span, frame and run'
    if not len(rows) or rows.dtype.kind not in "iu" or rows[0] != 0 or (np.diff(rows) < 0).any():
        return '"load_rows" are no rows from 0 on'
    if "model" in data and from_letters(data["model"]) is None:
        return '"model" is no JSON object'
    if "checkpoint_state" not in data:
        return ""
    if len(data["checkpoint_state"]) != math.prod(batch):
        return f'"checkpoint_state" is that of {len(data["checkpoint_state"])} runs, and there are {batch}'
    setting = json_object(str(data["checkpoint_setting"]))
    return "" if setting is not None else '"checkpoint_setting" is no JSON object'


def _run(data: Mapping[str, Array], robot: Robot, resumable: bool) -> Run:
    frames = data["load_frames"].tolist()
    carried = [
        Carried(int(row), dict(zip(frames, loads, strict=True)))
        for row, loads in zip(data["load_rows"], data["loads"], strict=True)
    ]
    audit = Audit(robot, data["q"], data["qd"], carried, data["work"], data["events"])
    error = Errors(data["error_q"], data["error_qd"]) if "error_q" in data else None
    checkpoint = None
    if resumable and "checkpoint_state" in data:
        state, energy, step, time = (data[f"checkpoint_{name}"] for name in STATE)
        setting, model = json_object(str(data["checkpoint_setting"])), from_letters(data["model"])
        checkpoint = Checkpoint(state, energy, float(step), float(time), setting or {}, model or {})
    extremes = data.get("extremes")
    if not resumable or extremes is None or extremes.shape[-1] != len(bounds(robot.model)):
        extremes = None  # of other limits
    return Run(
        robot, data["t"], data["q"], data["qd"], data["tau"], audit, data["status"], data["stopped"], data["cut"],
        str(data["method"]), float(data["step"]), tuple(data["notes"].tolist()), error, checkpoint,
        extremes,
    )  # fmt: skip


# -- rows ---------------------------------------------------------------------------------------------------


def lines(
    robot: Robot, times: Array, q: Array, qd: Array, tau: Array, more: Mapping[str, Array]
) -> Iterator[list[str]]:
    """A header and a line for every row that was reached, run after run; ``more`` are columns (..., T) by name."""
    positions, rates = labels(robot)
    head = ["t", *(f"q_{name}" for name in positions)]
    head += [f"{kind}_{name}" for kind in ("qd", "tau") for name in rates]
    batch = q.ndim > 2
    yield [*(["run"] if batch else []), *head, *more]
    for i, rows in enumerate(_tables(times, q, qd, tau, more)):
        for row in rows[np.isfinite(rows).all(axis=1)].tolist():
            yield [*([str(i)] if batch else []), *map(repr, row)]


def _energies(run: Run) -> dict[str, Array]:
    return {"kinetic": run.audit.kinetic, "potential": run.audit.potential}


def _tables(times: Array, q: Array, qd: Array, tau: Array, more: Mapping[str, Array]) -> Iterator[Array]:
    """What a line holds, (T, …) for each run of the batch."""
    parts = (q, qd, tau, *(column[..., None] for column in more.values()))
    flat = [part.reshape(-1, len(times), part.shape[-1]) for part in parts]
    for i in range(len(flat[0])):
        yield np.column_stack([times, *(part[i] for part in flat)])


# -- MCAP ---------------------------------------------------------------------------------------------------

_NUMBERS, _WORDS = ({"type": "array", "items": {"type": kind}} for kind in ("number", "string"))
_STAMP = {"type": "object", "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}}}
JOINT_STATE = {
    "type": "object",
    "properties": {
        "timestamp": _STAMP,
        "name": _WORDS,
        "rate_name": _WORDS,  # where a joint has more positions than rates
        **dict.fromkeys(("position", "velocity", "effort"), _NUMBERS),
    },
}
ENERGY = {
    "type": "object",
    "properties": {"timestamp": _STAMP, "kinetic": {"type": "number"}, "potential": {"type": "number"}},
}


def mcap_writer() -> Any:
    """The class that writes MCAP files, if its package is installed."""
    try:
        from mcap.writer import Writer
    except ImportError:
        raise MissingExtraError("writing an .mcap file", "mcap", "mcap") from None
    return Writer


def _write_messages(run: Run, stream: Any) -> None:
    """Joint states and energies on topics of their own, those of a batch under the number of the run."""
    writer = mcap_writer()(stream)
    writer.start(library="strobe")
    schemas = {
        name: writer.register_schema(name=name, encoding="jsonschema", data=json.dumps(schema).encode())
        for name, schema in (("JointState", JOINT_STATE), ("Energy", ENERGY))
    }
    positions, rates = labels(run.robot)
    names = {"name": positions} if positions == rates else {"name": positions, "rate_name": rates}
    nq, nv = len(positions), len(rates)
    for i, rows in enumerate(_tables(run.times, run.q, run.qd, run.tau, _energies(run))):
        prefix = f"/run_{i}" if run.status.ndim else ""
        states, energies = (
            writer.register_channel(
                topic=f"{prefix}/{topic}", message_encoding="json", schema_id=schemas[name]
            )
            for topic, name in (("joint_states", "JointState"), ("energy", "Energy"))
        )
        for row in rows[np.isfinite(rows).all(axis=1)].tolist():
            t, numbers = row[0], row[1:-2]
            q, qd, tau = numbers[:nq], numbers[nq : nq + nv], numbers[nq + nv :]
            _add(writer, states, t, names | {"position": q, "velocity": qd, "effort": tau})
            _add(writer, energies, t, {"kinetic": row[-2], "potential": row[-1]})
    writer.finish()


def _add(writer: Any, channel: int, t: float, message: Mapping[str, Any]) -> None:
    nanoseconds = max(0, round(t * 1e9))
    stamp = dict(zip(("sec", "nsec"), divmod(nanoseconds, 10**9), strict=True))
    data = json.dumps({"timestamp": stamp, **message}).encode()
    writer.add_message(channel_id=channel, log_time=nanoseconds, publish_time=nanoseconds, data=data)


# -- torques over time --------------------------------------------------------------------------------------


def read_torques(path: Place, robot: Robot, hold: str = "linear") -> TimeSeries:
    """Torques over time from a file: CSV with columns t and tau_<joint>, or NPZ with t and tau (T, n)."""
    require_robot(robot)
    kind = suffix_of(path)
    if kind not in (".csv", ".npz"):
        raise ArgumentError(f"{fspath(path)}: torques over time are read from a .csv or .npz file.")
    t, tau = _torque_arrays(path) if kind == ".npz" else _torque_columns(path, robot)
    if tau.ndim != 2 or tau.shape[1:] != (robot.nv,) or t.shape != tau.shape[:1]:
        raise ArgumentError(
            f"{fspath(path)}: t has shape {t.shape} and tau {tau.shape}; {robot.name} needs (T,) and (T, {robot.nv})."
        )
    try:
        return TimeSeries(t, tau, hold)
    except ArgumentError as error:
        raise ArgumentError(f"{fspath(path)}: {error}") from None


def _torque_arrays(path: Place) -> tuple[Array, Array]:
    data = read_arrays(path)
    if "t" not in data or "tau" not in data:
        raise ArgumentError(f'{fspath(path)}: no arrays "t" and "tau" in it.')
    return data["t"], data["tau"]


def _torque_columns(path: Place, robot: Robot) -> tuple[Array, Array]:
    (_, head), *lines = read_rows(path, ",") or [(1, [])]
    header = [name.strip() for name in head]
    time = next((name for name in header if name.lower() in TIMES), None)
    wanted = [f"tau_{name}" for name in labels(robot)[1]]
    missing = [name for name in wanted if name not in header] + ([] if time else ["t"])
    if missing:
        raise ArgumentError(
            f'{fspath(path)}: no column "{missing[0]}"; expected t and {", ".join(wanted)}.'
        )
    columns = [header.index(name) for name in (str(time), *wanted)]
    table = np.array([_row(path, k, line, columns) for k, line in lines]).reshape(-1, len(columns))
    return table[:, 0], table[:, 1:]


def _row(path: Place, number: int, line: Sequence[str], columns: Sequence[int]) -> list[float]:
    try:
        return [decimal(line[k].strip()) for k in columns]
    except (ValueError, IndexError):
        raise ArgumentError(f"{fspath(path)}:{number}: expected a number in every column.") from None
