"""Motions in files: JSON shaped like ROS ``trajectory_msgs/JointTrajectory``, CSV, NPZ; written and read.

    .json    rows with positions, velocities, accelerations, efforts and the time from the start; under the key
             "strobe" the polynomials themselves, so that a motion comes back exactly
    .npz     the polynomials, and the rows as arrays t, q, qd, qdd, tau
    .csv     rows: t, q_<joint>, qd_<joint>, qdd_<joint>

Rows without polynomials, as other programs write them, are joined by quintics where there are accelerations, by
cubics where there are velocities, else by straight lines.
"""

from __future__ import annotations

import io
import json
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from strobe.errors import LONGEST_LINE, MOST_FAULTS, ArgumentError, counted, excerpt, wrong_name
from strobe.files.arrays import read_arrays
from strobe.files.reading import LARGEST_TABLE, read_json_data, suffix_of
from strobe.files.tables import Row, decimal, read_rows, write_rows
from strobe.files.writing import writing
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.requests import MOST
from strobe.trajectory.spline_derivatives import METHOD, derivatives

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

KINDS = (".json", ".csv", ".npz")
STEP = 0.01  # seconds between rows
MOST_ROWS = 1_000_000
LARGEST = sys.float_info.max
READ = "read"  # the method of a motion that another program planned


class Rows(NamedTuple):
    """A motion at instants, as files hold it."""

    t: Array  # (N,)
    q: Array  # (N, n)
    qd: Array
    qdd: Array
    tau: Array | None


class Recorded(NamedTuple):
    """A motion from a file, and the instants of its rows."""

    motion: Trajectory
    times: Array


def rows(motion: Trajectory, robot: Robot | None = None, step: float = STEP) -> Rows:
    """A motion from step to step and at its end, and its torques where a robot is given that has dynamics."""
    if not (np.isfinite(step) and step > 0):
        raise ArgumentError(f"step is {step:g}; expected a time above zero.")
    if motion.duration / step > MOST_ROWS:
        raise ArgumentError(
            f"{motion.duration:g} s in steps of {step:g} s are more than {MOST_ROWS:,} rows. Take longer steps."
        )
    whole = np.arange(int(motion.duration / step * (1 - 1e-9)) + 1) * step
    t = np.append(whole, motion.duration) if motion.duration > 0 else whole
    state = motion(t)
    known = robot is not None and not robot.model.without_dynamics
    return Rows(t, *state, robot.inverse_dynamics(*state) if known else None)  # pyright: ignore[reportOptionalMemberAccess]


def kind_of(path: str | PathLike[str]) -> str:
    """The suffix of a file that can hold a motion."""
    kind = suffix_of(path)
    if kind not in KINDS:
        raise ArgumentError(f"{path}: a motion is kept in a .json, .csv or .npz file.")
    return kind


def holds_motion(path: str | PathLike[str]) -> bool:
    """Whether a file holds a planned motion; a request has points by their joints or hands."""
    if suffix_of(path) != ".json":
        return suffix_of(path) in KINDS
    try:
        data = read_json_data(path, LARGEST_TABLE)
    except ArgumentError:
        return False  # and reading the request says why
    return isinstance(data, dict) and "joint_names" in data


# -- writing ------------------------------------------------------------------------------------------------


def write(
    motion: Trajectory, path: str | PathLike[str], robot: Robot | None = None, *, step: float = STEP,
    inputs: Sequence[str | PathLike[str]] = (), force: bool = False,
) -> int:  # fmt: skip
    """A motion as a file of the kind that its suffix names; how many rows it has.

    An existing file is replaced only with ``force``; one of ``inputs`` never is.
    """
    kind, table = kind_of(path), rows(motion, robot, step)
    with writing(path, inputs=inputs, force=force) as stream:
        if kind == ".npz":
            np.savez(stream.buffer, **_arrays(motion, table))  # pyright: ignore[reportAttributeAccessIssue]
        else:
            stream.write(_json(joint_trajectory(motion, table)) if kind == ".json" else _csv(motion, table))
    return len(table.t)


def joint_trajectory(motion: Trajectory, table: Rows) -> dict[str, Any]:
    """A motion as a ``JointTrajectory`` message, with its polynomials beside it."""
    names = {"positions": table.q, "velocities": table.qd, "accelerations": table.qdd, "effort": table.tau}
    columns = {name: values.tolist() for name, values in names.items() if values is not None}
    nanoseconds = np.round(table.t * 1e9).astype(np.int64).tolist()
    points = [
        {name: values[k] for name, values in columns.items()}
        | {"time_from_start": dict(zip(("sec", "nanosec"), divmod(ns, 10**9), strict=True))}
        for k, ns in enumerate(nanoseconds)
    ]
    return {
        "header": {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""},
        "joint_names": list(motion.joint_names),
        "points": points,
        "strobe": {
            "method": motion.method,
            "notes": list(motion.notes),
            "points": motion.points.tolist(),
            "times": motion.times.tolist(),
            "coefficients": motion.coefficients.tolist(),
        },
    }


def _json(message: Mapping[str, Any]) -> str:
    """A message with a line for every point."""
    lines = ",\n".join(json.dumps(point) for point in message["points"])
    entries = [
        f'"{key}": [\n{lines}\n]'
        if key == "points"
        else f'"{key}": {json.dumps(value, ensure_ascii=False)}'
        for key, value in message.items()
    ]
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _csv(motion: Trajectory, table: Rows) -> str:
    stream = io.StringIO()
    head = ["t", *(f"{name}_{joint}" for name in ("q", "qd", "qdd") for joint in motion.joint_names)]
    numbers = np.column_stack([table.t, table.q, table.qd, table.qdd]).tolist()
    write_rows(stream, [head, *([*map(repr, row)] for row in numbers)])
    return stream.getvalue()


def _arrays(motion: Trajectory, table: Rows) -> dict[str, Any]:
    found = {name: values for name, values in table._asdict().items() if values is not None}
    return found | {
        "joint_names": np.array(motion.joint_names),
        "times": motion.times,
        "coefficients": motion.coefficients,
        "points": motion.points,
        "method": np.array(motion.method),
        "notes": np.array(motion.notes, dtype=str),
    }


# -- reading ------------------------------------------------------------------------------------------------


def read(path: str | PathLike[str], differentiate: bool = False) -> Recorded:
    """The motion in a file, or an `ArgumentError` that says where it is wrong.

    Rows with positions alone say nothing of velocities; ``differentiate`` takes these from the positions
    (`strobe.trajectory.spline_derivatives`).
    """
    kind = kind_of(path)
    try:
        if kind == ".npz":
            return _from_arrays(read_arrays(path))
        found = (
            _from_table(read_rows(path, ","))
            if kind == ".csv"
            else _from_message(read_json_data(path, LARGEST_TABLE))
        )
        return found if isinstance(found, Recorded) else _joined(found, differentiate)
    except _WrongFile as error:
        raise ArgumentError(f"{path}: {error}") from None


class _WrongFile(Exception):
    """What is wrong, without the name of the file."""


def in_order(motion: Trajectory, names: Sequence[str], robot: str) -> Trajectory:
    """The motion with its joints in another order; it must have exactly these."""
    if not isinstance(motion, Trajectory):
        raise ArgumentError(
            f"motion is a {type(motion).__name__}; expected a planned Trajectory (robot.plan)."
        )
    if motion.joint_names == tuple(names):
        return motion
    if missing := [name for name in names if name not in motion.joint_names]:
        raise ArgumentError(f"the motion has no joint {', '.join(missing)}, which {robot} has.")
    if extra := [name for name in motion.joint_names if name not in names]:
        raise ArgumentError(f"the motion moves {', '.join(extra)}, which {robot} does not have.")
    order = [motion.joint_names.index(name) for name in names]
    return replace(motion, joint_names=tuple(names), coefficients=motion.coefficients[:, order])


class _Table(NamedTuple):
    """Rows as another program wrote them, some quantities perhaps not among them."""

    names: tuple[str, ...]
    t: Array  # (N,)
    q: Array  # (N, n)
    qd: Array | None
    qdd: Array | None


def _from_message(data: Any) -> Recorded | _Table:
    if not isinstance(data, dict):
        raise _WrongFile('expected an object with "joint_names" and "points".')
    names = _joint_names(data.get("joint_names"))
    points = data.get("points")
    if not isinstance(points, list) or not all(isinstance(point, dict) for point in points):
        raise _WrongFile('"points" is no list of points; expected positions and time_from_start for each.')
    t = _rising(np.array([_seconds(point.get("time_from_start"), k) for k, point in enumerate(points, 1)]))
    own = data.get("strobe")
    if isinstance(own, dict):
        motion = _exact(names, own)
        return Recorded(motion, np.clip(t, 0.0, motion.duration))
    columns = [_column(points, name, len(names)) for name in ("positions", "velocities", "accelerations")]
    if columns[0] is None:
        raise _WrongFile("the points have no positions.")
    return _Table(names, t, columns[0], *columns[1:])


def _joint_names(found: Any) -> tuple[str, ...]:
    if not isinstance(found, list) or not found or not all(isinstance(name, str) for name in found):
        raise _WrongFile('"joint_names" is no list of names.')
    if len(set(found)) < len(found):
        raise _WrongFile('"joint_names" has a name twice.')
    for wrong in filter(None, map(wrong_name, found)):
        raise _WrongFile(f'"joint_names": {wrong}')
    return tuple(found)


def _seconds(found: Any, k: int) -> float:
    """A time as ROS writes it, in either of its versions, or as a number."""
    if isinstance(found, dict):
        parts: list[Any] = [found.get("sec", found.get("secs")), found.get("nanosec", found.get("nsecs"))]
        if all(_is_number(part) for part in parts):
            return parts[0] + 1e-9 * parts[1]
    elif _is_number(found):
        return float(found)
    raise _WrongFile(f"point {k} has no time_from_start; expected sec and nanosec, or a number.")


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= LARGEST  # a whole number beyond that is no float


def _rising(t: Array) -> Array:
    """Times from the first row on; each after the one before."""
    if not len(t):
        raise _WrongFile("there are no rows.")
    late = np.flatnonzero(~(np.diff(t) > 0))
    if len(late):
        k = int(late[0])
        raise _WrongFile(
            f"time {t[k + 1]:g} s of row {k + 2} does not follow {t[k]:g} s; times must go forwards."
        )
    return t - t[0]


def _column(points: Sequence[Mapping[str, Any]], name: str, n: int) -> Array | None:
    """One quantity (N, n) of all points; none where no point has it."""
    given = [point.get(name) or None for point in points]
    if not any(given):
        return None
    for k, values in enumerate(given, 1):
        if not isinstance(values, list) or len(values) != n or not all(map(_is_number, values)):
            raise _WrongFile(f"{name} of point {k} are not {counted(n, 'number')}, one per joint.")
    return np.array(given, dtype=float)


def _exact(names: tuple[str, ...], own: Mapping[str, Any]) -> Trajectory:
    """The polynomials of a motion, with what belongs to them."""
    try:
        times, points, pieces = (
            np.array(own[key], dtype=float) for key in ("times", "points", "coefficients")
        )
        method, notes = str(own["method"]), tuple(map(str, own["notes"]))
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        raise _WrongFile("the polynomials of the motion are incomplete. Write the file again.") from None
    if wrong := wrong_name(method):
        raise _WrongFile(f'"method": {wrong}')
    notes = tuple(excerpt(note, LONGEST_LINE) for note in notes[:MOST_FAULTS])
    fits = (
        times.ndim == points.ndim == 1
        and pieces.ndim == 3
        and pieces.shape[:2] == (len(times) - 1, len(names))
    )
    finite = fits and pieces.size > 0 and all(np.isfinite(each).all() for each in (times, points, pieces))
    if not (finite and times[0] == 0 and (np.diff(times) >= 0).all()):
        raise _WrongFile("the polynomials of the motion do not fit together. Write the file again.")
    return Trajectory(names, times, pieces, method, points, notes)


def _from_arrays(data: Mapping[str, Array]) -> Recorded:
    names = _joint_names(data["joint_names"].tolist() if "joint_names" in data else None)
    motion = _exact(names, data)
    times = data.get("t", motion.times)
    if times.dtype.kind not in "fiu" or not np.isfinite(times).all():
        raise _WrongFile('"t" holds something that is no finite number; expected the times of the rows.')
    return Recorded(motion, np.clip(times.ravel(), 0.0, motion.duration))


def _from_table(rows: Sequence[Row]) -> _Table:
    try:
        (_, head), *lines = rows or [(1, [])]
        header = [name.strip() for name in head]
        table = np.array([[decimal(cell.strip()) for cell in line] for _, line in lines])
        t = table[:, header.index("t")]
    except (ValueError, IndexError):
        raise _WrongFile('expected rows of numbers below a header with a column "t".') from None
    if table.shape[1] != len(header) or not np.isfinite(table).all():
        raise _WrongFile(f"expected {len(header)} finite numbers in every row, as in the header.")
    found = [name.removeprefix("q_") for name in header if name.startswith("q_")]
    if not found:
        raise _WrongFile("no column holds the position of a joint; expected q_<joint>.")
    if twice := [name for name, count in Counter(header).items() if count > 1]:
        raise _WrongFile(f"the header names {', '.join(sorted(twice))} more than once.")
    names, places = _joint_names(found), {name: k for k, name in enumerate(header)}
    columns = [
        table[:, [places[f"{kind}_{name}"] for name in names]]
        if all(f"{kind}_{name}" in places for name in names)
        else None
        for kind in ("q", "qd", "qdd")
    ]
    assert columns[0] is not None
    return _Table(names, _rising(t), columns[0], *columns[1:])


def joined(
    path: str | PathLike[str], names: Sequence[str], t: Array, q: Array, qd: Array, qdd: Array | None
) -> Trajectory:
    """Rows that a file holds, at times that rise, as a motion."""
    try:
        return _joined(_Table(tuple(names), _rising(t), q, qd, qdd), differentiate=False).motion
    except _WrongFile as error:
        raise ArgumentError(f"{path}: {error}") from None


def _joined(table: _Table, differentiate: bool) -> Recorded:
    """Polynomials between rows: of the least degree that has what both ends say."""
    names, t, q, qd, qdd = table
    if len(t) < 2:
        raise _WrongFile("there is one row; a motion needs two or more.")
    if qd is None:
        if not differentiate:
            raise _WrongFile(
                "its rows have positions and no velocities, which torques depend on. Add them, or let them be taken "
                "from the positions: --differentiate (in Python differentiate=True)."
            )
        try:
            qd, qdd = derivatives(t, q)
        except ArgumentError as error:
            raise _WrongFile(str(error)) from None
    h = np.diff(t)[:, None]
    if (h > MOST).any():
        k = int(np.argmax(h > MOST))
        raise _WrongFile(
            f"time {t[k + 1]:g} s of row {k + 2} is more than {MOST:g} s after {t[k]:g} s, too far to be joined."
        )
    known = [q, qd] if qdd is None else [q, qd, qdd]
    with np.errstate(over="ignore", invalid="ignore"):
        pieces = hermite(h, [each[:-1] for each in known], [each[1:] for each in known])
    if not np.isfinite(pieces).all():
        raise _WrongFile("its numbers are too large, or its times too close, to be joined.")
    said = (
        ()
        if table.qd is not None
        else (f"velocities and accelerations are taken from positions {METHOD}.",)
    )
    return Recorded(Trajectory(names, t, pieces, READ, t, said), t)


def hermite(h: Array, start: Sequence[Array], end: Sequence[Array]) -> Array:
    """Coefficients (..., 2m) of polynomials with m derivatives given at both ends of a length h.

    The lower half is what the start says; the upper half solves for what the end says beyond that.
    """
    m = len(start)
    low = [value / math.factorial(p) for p, value in enumerate(start)]
    powers = np.array([[math.perm(m + c, r) for c in range(m)] for r in range(m)], dtype=float)
    left = [
        (value - sum(math.perm(p, r) * low[p] * h ** (p - r) for p in range(r, m))) * h**r
        for r, value in enumerate(end)
    ]
    high = np.linalg.solve(powers, np.stack(left, axis=-1)[..., None])[..., 0]
    scale = np.stack([np.broadcast_to(h ** (m + c), high.shape[:-1]) for c in range(m)], axis=-1)
    return np.concatenate([np.stack(low, axis=-1), high / scale], axis=-1)
