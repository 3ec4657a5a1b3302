"""Motions in files. In CSV files columns are matched to joints by name, and every fault is reported in one go.

q_<joint>, <joint>_q or <joint>     position        q1 … qn      the same in the order of the joints
qd_<joint> or <joint>_qd            velocity        qd1 … qdn
qdd_<joint> or <joint>_qdd          acceleration    qdd1 … qddn
t, time or timestamp                a number, or a date and time; passed through

A log without velocities or accelerations is refused, or they are differentiated where that is asked for.
A .json or .npz file is a planned motion, as ``strobe plan`` writes it or a ROS ``JointTrajectory``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from strobe.cli.progress import watched
from strobe.cli.states import names_of
from strobe.errors import MOST_FAULTS, ArgumentError, Fault, ModelFileError, counted, nearest
from strobe.files.tables import Row, decimal, read_rows
from strobe.robot import Robot
from strobe.trajectory.differentiated import METHOD

if TYPE_CHECKING:
    from strobe.trajectory.files import Recorded
    from strobe.trajectory.motion import Trajectory

TIMES = ("t", "time", "timestamp", "time_s", "time [s]")
PLANNED = (".json", ".npz")
MOST_FOREIGN = 1_000  # columns that belong to no joint
DATE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?")  # ISO 8601
SHORT = 5  # letters: in names below that, one mistake makes another word

Slot = tuple[str, int]  # q, qd or qdd, and which of its numbers


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
        self.found: list[Fault] = []

    def add(self, text: str, line: int | None = None) -> None:
        self.found.append(Fault(f"{self.path}{'' if line is None else f':{line}'}", text))

    def raise_if_any(self) -> None:
        if self.found:
            raise ModelFileError(self.found)


def read_motion(path: Path, robot: Robot, differentiate: bool = False) -> Motion:
    """The motion of a robot in a file, or an `ArgumentError` with every fault of it.

    ``differentiate`` takes velocities and accelerations that it lacks from positions.
    """
    if path.suffix.lower() in PLANNED:
        planned = read_planned(path, robot, differentiate)
        times = planned.times
        said = list(planned.motion.notes) if planned.motion.method == "read" else []
        return Motion("t", [repr(t) for t in times.tolist()], *planned.motion(times), remarks=said)
    faults = Faults(path)
    lines = read_rows(path)
    if not lines:
        faults.add("the file is empty; a header with the names of the joints was expected.")
    faults.raise_if_any()
    (first, names), *rows = lines
    header = [name.strip() for name in names]
    slots, time, remarks = _columns(header, first, robot, faults)
    lacking = _lacking(robot, slots.values())
    if any(lacking.values()) and not faults.found:
        _require_derivatives(robot, lacking, time, first, differentiate, faults)
    if not rows:
        faults.add("there is a header but no row of numbers.")
    table = _numbers(rows, header, slots, faults)
    times = [] if time is None else _times(rows, header, time, faults)
    faults.raise_if_any()
    state = {"q": np.zeros((len(rows), robot.nq)), "qd": np.zeros((len(rows), robot.nv))}
    state["qdd"] = np.zeros_like(state["qd"])
    for column, (quantity, index) in zip(table.T, slots.values(), strict=True):
        state[quantity][:, index] = column
    if any(lacking.values()):
        state = _differentiated(robot, state, lacking, times, header[time or 0], rows, faults)
        remarks += [
            f"{_listed(_named(robot, quantity, lacking[quantity]), f'{quantity}_')}: taken from "
            f"{'positions' if lacking['qd'] else 'velocities'} {METHOD}."
            for quantity in ("qd", "qdd")
            if lacking[quantity]
        ]
    if _missing(robot, "q", slots.values()):
        state = _followed(robot, state)
    return Motion(None if time is None else header[time], times, **state, remarks=remarks)


def read_planned(path: Path, robot: Robot, differentiate: bool = False) -> Recorded:
    """A motion of ``strobe plan`` with its joints in the order of a robot."""
    from strobe.trajectory.files import in_order, read

    recorded = read(path, differentiate)
    try:
        return recorded._replace(motion=in_order(recorded.motion, robot.joint_names, robot.name))
    except ArgumentError as error:
        raise ArgumentError(f"{path}: {error}") from None


def planned_motion(path: Path, robot: Robot, differentiate: bool) -> Trajectory:
    """The motion of `read_planned`, with a note on rates that were taken from positions."""
    from strobe.cli.show import note

    motion = read_planned(path, robot, differentiate).motion
    for remark in motion.notes if motion.method == "read" else ():
        note(remark)
    return motion


def _columns(
    header: Sequence[str], line: int, robot: Robot, faults: Faults
) -> tuple[dict[int, Slot], int | None, list[str]]:
    """Which number of the state each column holds, the column of times, and remarks on the others."""
    known = _known_columns(robot)
    slots: dict[int, Slot] = {}
    held: dict[Slot, str] = {}
    time: int | None = None
    unknown: list[str] = []
    for k, name in enumerate(header):
        if name in known:
            if known[name] in held:
                twin = held[known[name]]
                faults.add(f'columns "{twin}" and "{name}" hold the same quantity; keep one.', line)
            slots[k] = known[name]
            held.setdefault(known[name], name)
        elif name.lower() in TIMES and time is None:
            time = k
        else:
            unknown.append(name)
    if len(unknown) > MOST_FOREIGN:
        faults.add(f"{len(unknown):,} columns belong to no joint of {robot.name}; leave them out.", line)
        return slots, time, []
    missing = _missing(robot, "q", slots.values())
    led = bool(missing) and set(missing) == _following(robot)
    foreign = {name: f'column "{name}" belongs to no joint of {robot.name}.' for name in unknown}
    if missing and not led:
        needed = _listed(missing, "q_")
        faults.add(f"no column for the position of {_listed(missing)}; {robot.name} needs {needed}.", line)
        for k, (name, text) in enumerate(foreign.items()):
            hint = nearest(name, known) if k < MOST_FAULTS else ""  # what is not shown needs none
            faults.add(text + hint, line)
        return slots, time, []
    absent = {name: slot[0] for name, slot in known.items() if slot not in held}
    meant = {name: column for name in unknown if (column := _misspelt(name, absent))}
    for name, column in meant.items():
        faults.add(f"{foreign[name]} Did you mean '{column}'? Rename it, or leave it out.", line)
    remarks = [f"{text} It was ignored." for name, text in foreign.items() if name not in meant]
    if led:
        remarks.append(
            f"no column for the position of {_listed(missing)}: they follow the actuated joints."
        )
    return slots, time, remarks


def _lacking(robot: Robot, slots: Iterable[Slot]) -> dict[str, list[int]]:
    """The numbers of qd and qdd that no column holds; those of joints that are led follow."""
    slots = list(slots)
    led = bool(_missing(robot, "q", slots))
    lacking = {}
    for quantity in ("qd", "qdd"):
        names, missing = names_of(robot, quantity), set(_missing(robot, quantity, slots))
        wanted = {name for name in missing if not led or name in robot.model.actuated}
        lacking[quantity] = [k for k, name in enumerate(names) if name in wanted]
    return lacking


def _named(robot: Robot, quantity: str, numbers: Iterable[int]) -> list[str]:
    names = names_of(robot, quantity)
    return [names[k] for k in numbers]


def _require_derivatives(
    robot: Robot, lacking: Mapping[str, list[int]], time: int | None, line: int, differentiate: bool,
    faults: Faults,
) -> None:  # fmt: skip
    """Refuse a log without velocities or accelerations, unless they can be taken from what it has."""
    absent = [
        f"{kind}_{name}" for kind, numbers in lacking.items() for name in _named(robot, kind, numbers)
    ]
    if not differentiate:
        faults.add(
            f"no column for {_listed(absent)}, which torques depend on. Add them (zeros for a robot that stands "
            "still), or let them be taken from the other columns: --differentiate.",
            line,
        )
    elif time is None:
        faults.add('--differentiate needs the times of the rows: there is no column "t".', line)


def _differentiated(
    robot: Robot, state: Mapping[str, np.ndarray], lacking: Mapping[str, list[int]], times: Sequence[str],
    column: str, rows: Sequence[Row], faults: Faults,
) -> dict[str, np.ndarray]:  # fmt: skip
    """The state with what it lacks, by the times of its rows."""
    from strobe.trajectory.differentiated import filled

    t = np.array([_since(text, times[0]) for text in times])
    for k in np.flatnonzero(~np.isfinite(t)).tolist():
        faults.add(f'column "{column}": "{times[k]}" is not a time in seconds.', rows[k][0])
    faults.raise_if_any()
    try:
        return filled(robot, t, state, lacking)
    except ArgumentError as error:
        faults.add(str(error))
        faults.raise_if_any()
        raise


def _since(text: str, start: str) -> float:
    """Seconds since a start, to the last digit written: as floats, seconds since 1970 have few behind the point."""
    try:
        if DATE.fullmatch(text):
            return (datetime.fromisoformat(text) - datetime.fromisoformat(start)).total_seconds()
        if not math.isfinite(decimal(text) - decimal(start)):
            return math.nan
        return float(Decimal(text) - Decimal(start))
    except (ValueError, ArithmeticError, TypeError):  # or a number beside a date, or a zone beside none
        return math.nan


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


def _numbers(
    rows: Sequence[Row], header: Sequence[str], columns: Iterable[int], faults: Faults
) -> np.ndarray:
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


def _times(rows: Sequence[Row], header: Sequence[str], column: int, faults: Faults) -> list[str]:
    """The times as they stand there: numbers, or dates with times; anything else is told."""
    times = [row[column].strip() if len(row) == len(header) else "" for _, row in rows]
    for (line, row), time in zip(rows, times, strict=True):
        if len(row) == len(header) and not _is_time(time):
            what = f'"{time}" is neither a number nor a date and time' if time else "is empty"
            faults.add(f'column "{header[column]}": {what}.', line)
    return times


def _is_time(text: str) -> bool:
    try:
        return math.isfinite(decimal(text))
    except ValueError:
        return text.isascii() and DATE.fullmatch(text) is not None


def _explain(text: str, column: str, line: int, faults: Faults) -> None:
    """Add what is wrong with a cell, if anything is."""
    try:
        if not math.isfinite(decimal(text)):
            faults.add(f'column "{column}": "{text}" is not a finite number.', line)
    except ValueError:
        what = f'"{text}" is not a number' if text else "is empty"
        faults.add(f'column "{column}": {what}.', line)
