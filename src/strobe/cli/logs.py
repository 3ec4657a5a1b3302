"""Motions in files. In CSV files columns are matched to joints by name, and every fault is reported in one go.

q_<joint>, <joint>_q or <joint>     position        q1 … qn      the same in the order of the joints
qd_<joint> or <joint>_qd            velocity        qd1 … qdn
qdd_<joint> or <joint>_qdd          acceleration    qdd1 … qddn
t, time or timestamp                passed through

A .json or .npz file is a planned motion, as ``strobe plan`` writes it or a ROS ``JointTrajectory``.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from strobe.cli.inputs import decimal
from strobe.cli.progress import watched
from strobe.cli.states import names_of
from strobe.errors import ArgumentError, counted, nearest
from strobe.robot import Robot

if TYPE_CHECKING:
    from strobe.trajectory.files import Recorded

TIMES = ("t", "time", "timestamp", "time_s", "time [s]")
PLANNED = (".json", ".npz")
MOST_FAULTS = 20  # shown; the rest is counted
DELIMITERS = ",;\t"
SHORT = 5  # letters: in names below that, one mistake makes another word

Slot = tuple[str, int]  # q, qd or qdd, and which of its numbers
Rows = Sequence[tuple[int, list[str]]]  # line numbers and cells


@dataclass(frozen=True)
class Motion:
    """The rows of a log as arrays, and what was remarkable about its columns."""

    time_name: str | None
    times: list[str]
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    remarks: list[str]

    def __len__(self) -> int:
        return len(self.q)


class Faults:
    """What is wrong with one log."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: list[str] = []

    def add(self, text: str, line: int | None = None) -> None:
        self.found.append(f"{self.path}{'' if line is None else f':{line}'}: {text}")

    def raise_if_any(self) -> None:
        if not self.found:
            return
        count, shown = len(self.found), self.found[:MOST_FAULTS]
        head = f"{count} faults:\n" if count > 1 else ""
        tail = f"\n… and {count - len(shown)} more" if count > len(shown) else ""
        raise ArgumentError(head + "\n".join(shown) + tail)


def read_motion(path: Path, robot: Robot) -> Motion:
    """The motion of a robot in a file, or an `ArgumentError` with every fault of it."""
    if path.suffix.lower() in PLANNED:
        planned = read_planned(path, robot)
        times = planned.times
        return Motion("t", [repr(t) for t in times.tolist()], *planned.motion(times), remarks=[])
    faults = Faults(path)
    lines = list(_lines(path, faults))
    if not lines and not faults.found:
        faults.add("the file is empty; a header with the names of the joints was expected.")
    faults.raise_if_any()
    (first, names), *rows = lines
    header = [name.strip() for name in names]
    slots, time, remarks = _columns(header, first, robot, faults)
    if not rows:
        faults.add("there is a header but no row of numbers.")
    table = _numbers(rows, header, slots, faults)
    faults.raise_if_any()
    times = [] if time is None else [row[time].strip() for _, row in rows]
    state = {"q": np.zeros((len(rows), robot.nq)), "qd": np.zeros((len(rows), robot.nv))}
    state["qdd"] = np.zeros_like(state["qd"])
    for column, (quantity, index) in zip(table.T, slots.values(), strict=True):
        state[quantity][:, index] = column
    if _missing(robot, "q", slots.values()):
        state = _followed(robot, state)
    return Motion(None if time is None else header[time], times, **state, remarks=remarks)


def read_planned(path: Path, robot: Robot) -> Recorded:
    """A motion of ``strobe plan`` with its joints in the order of a robot."""
    from strobe.trajectory.files import in_order, read

    recorded = read(path)
    try:
        return recorded._replace(motion=in_order(recorded.motion, robot.joint_names, robot.name))
    except ArgumentError as error:
        raise ArgumentError(f"{path}: {error}") from None


def _lines(path: Path, faults: Faults) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and cells of every line that is not blank."""
    text = _text(path)
    header = text.lstrip().partition("\n")[0]
    delimiter = max(DELIMITERS, key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, row
    except csv.Error as error:
        faults.add(f"not a CSV file: {error}.", reader.line_num)


def _text(path: Path) -> str:
    if path.is_dir():
        raise ArgumentError(f"{path}: a folder, expected a CSV file.")
    if path.exists() and not path.is_file():
        raise ArgumentError(f"{path}: not a file but a pipe or a device; save the log to a file first.")
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ArgumentError(f"{path}: there is no such file.") from None
    except UnicodeDecodeError as error:
        raise ArgumentError(
            f"{path}: not UTF-8 text (byte {error.start}); save the log as UTF-8."
        ) from None
    except OSError as error:
        raise ArgumentError(f"{path}: cannot be read: {error.strerror}.") from None


def _columns(
    header: Sequence[str], line: int, robot: Robot, faults: Faults
) -> tuple[dict[int, Slot], int | None, list[str]]:
    """Which number of the state each column holds, the column of times, and remarks on the others."""
    known = _known_columns(robot)
    slots: dict[int, Slot] = {}
    time: int | None = None
    unknown: list[str] = []
    for k, name in enumerate(header):
        if name in known:
            if known[name] in slots.values():
                twin = next(header[j] for j, slot in slots.items() if slot == known[name])
                faults.add(f'columns "{twin}" and "{name}" hold the same quantity; keep one.', line)
            slots[k] = known[name]
        elif name.lower() in TIMES and time is None:
            time = k
        else:
            unknown.append(name)
    missing = _missing(robot, "q", slots.values())
    led = bool(missing) and set(missing) == _following(robot)
    foreign = {name: f'column "{name}" belongs to no joint of {robot.name}.' for name in unknown}
    if missing and not led:
        needed = _listed(missing, "q_")
        faults.add(f"no column for the position of {_listed(missing)}; {robot.name} needs {needed}.", line)
        for name, text in foreign.items():
            faults.add(f"{text}{nearest(name, known)}", line)
        return slots, time, []
    absent = {name: slot[0] for name, slot in known.items() if slot not in slots.values()}
    meant = {name: column for name in unknown if (column := _misspelt(name, absent))}
    for name, column in meant.items():
        faults.add(f"{foreign[name]} Did you mean '{column}'? Rename it, or leave it out.", line)
    remarks = [f"{text} It was ignored." for name, text in foreign.items() if name not in meant]
    if led:
        remarks.append(
            f"no column for the position of {_listed(missing)}: they follow the actuated joints."
        )
    for quantity in ("qd", "qdd"):
        missing = [
            name
            for name in _missing(robot, quantity, slots.values())
            if not led or name in robot.model.actuated
        ]
        if missing:
            remarks.append(f"no column for {_listed(missing, f'{quantity}_')}: taken as 0.")
    return slots, time, remarks


def _following(robot: Robot) -> set[str]:
    """The numbers of a position that follow from those of the joints that drive a closed chain."""
    if not robot.model.is_closed or not robot.model.actuated:
        return set()
    passive = (joint for joint in robot.coordinates.joints if joint.name not in robot.model.actuated)
    return {name for joint in passive for name in joint.position_names}


def _followed(robot: Robot, state: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The motion of all joints of a closed chain from that of its actuated ones."""
    from strobe.mechanisms.leading import led
    from strobe.study.swing import resting_position

    driving = [joint for joint in robot.coordinates.joints if joint.name in robot.model.actuated]
    places, rates = [joint.q for joint in driving], [joint.v for joint in driving]
    own = state["q"][:, places], state["qd"][:, rates], state["qdd"][:, rates]
    return dict(zip(("q", "qd", "qdd"), led(robot, *own, resting_position(robot)), strict=True))


def _misspelt(name: str, absent: Mapping[str, str]) -> str:
    """The absent column (with its quantity) that a name seems to stand for, or nothing."""
    typed = name.lower()
    best, distance = "", 3
    near = {
        column: quantity for column, quantity in absent.items() if abs(len(column) - len(typed)) < distance
    }
    for column, quantity in near.items():
        mistakes = _mistakes(typed, column.lower())
        about = typed.startswith(spellings := (quantity, quantity[::-1])) or typed.endswith(spellings)
        short = len(column) < SHORT and "q" not in typed
        if mistakes < distance and mistakes <= (2 if about else 1) and not short:
            best, distance = column, mistakes
    return best


def _mistakes(a: str, b: str) -> int:
    """Letters to put in, leave out, replace or swap with a neighbour to turn one text into another."""
    before, last = [], list(range(len(b) + 1))
    for i, x in enumerate(a):
        row = [i + 1]
        for j, y in enumerate(b):
            row.append(min(last[j + 1] + 1, row[j] + 1, last[j] + (x != y)))
            if i and j and a[i - 1] == y and b[j - 1] == x:
                row[-1] = min(row[-1], before[j - 1] + 1)
        before, last = last, row
    return last[-1]


def _known_columns(robot: Robot) -> dict[str, Slot]:
    """Every name a column may have; the names of joints win over the numbered forms."""
    labels = {quantity: names_of(robot, quantity) for quantity in ("q", "qd", "qdd")}
    known: dict[str, Slot] = {}
    for quantity, names in labels.items():
        known |= {f"{quantity}{k + 1}": (quantity, k) for k in range(len(names))}
    for quantity, names in labels.items():
        for k, name in enumerate(names):
            known |= {f"{name}_{quantity}": (quantity, k), f"{quantity}_{name}": (quantity, k)}
    return known | {name: ("q", k) for k, name in enumerate(labels["q"])}


def _missing(robot: Robot, quantity: str, slots: Iterable[Slot]) -> list[str]:
    present = set(slots)
    return [name for k, name in enumerate(names_of(robot, quantity)) if (quantity, k) not in present]


def _listed(names: Sequence[str], prefix: str = "", most: int = 8) -> str:
    shown = ", ".join(f'"{prefix}{name}"' for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _numbers(rows: Rows, header: Sequence[str], columns: Iterable[int], faults: Faults) -> np.ndarray:
    """The chosen columns as an array; rows that do not fit are told cell by cell."""
    columns = list(columns)
    table = np.zeros((len(rows), len(columns)))
    for r, (line, row) in enumerate(watched(rows, f"reading {faults.path}", "rows")):
        if len(row) != len(header):
            cells = counted(len(row), "cell")
            faults.add(f"{cells}; the header has {len(header)}.", line)
            continue
        try:
            table[r] = [decimal(row[k].strip()) for k in columns]
        except ValueError:
            table[r] = np.nan
    for r in np.flatnonzero(~np.isfinite(table).all(axis=1)).tolist():
        line, row = rows[r]
        for k in columns:
            _explain(row[k].strip(), header[k], line, faults)
    return table


def _explain(text: str, column: str, line: int, faults: Faults) -> None:
    """Add what is wrong with a cell, if anything is."""
    try:
        if not math.isfinite(decimal(text)):
            faults.add(f'column "{column}": "{text}" is not a finite number.', line)
    except ValueError:
        what = f'"{text}" is not a number' if text else "is empty"
        faults.add(f'column "{column}": {what}.', line)
