"""Logs as tables of named columns, whatever file they come from: text, MCAP, Parquet.

A table in text says line by line what is wrong with it; whether it has a header, and how its numbers are written, is
found out here, and told. Messages become rows: those of one topic with the same joints are one table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from strobe.errors import counted, wrong_name
from strobe.files.faults import Faults
from strobe.files.reading import file_fault
from strobe.files.tables import ALSO_BLANKS, Row, decimal, separated_lines, separated_rows

Array = np.ndarray
Watch = Callable[[Sequence[Row], str, str], Iterable[Row]]

DATE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?")  # ISO 8601
DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+([eE][-+]?\d+)?")
LOOKS = 20  # rows in which a decimal comma is looked for
ECHOED = 3  # cells before the names in a row of ``ros2 topic echo --csv``: seconds, nanoseconds, frame


class LogTable(Protocol):
    """Columns by name, read when they are asked for."""

    names: Sequence[str]
    headed: bool  # whether the names are the file's own
    line: int | None  # where they stand
    remarks: list[str]

    def __len__(self) -> int: ...
    def leave_out_empty(self, places: Sequence[int]) -> None:
        """Leave out rows that hold nothing in these columns, as those of other topics, and tell; not all rows."""
        ...

    def leave_out_broken(self, places: Sequence[int], clock: Sequence[int]) -> None:
        """Leave out rows that are cut off or hold no finite number, or no time, in these columns, and tell."""
        ...

    def numbers(self, places: Sequence[int], faults: Faults) -> Array:
        """Columns (N, k) of finite numbers; what is none is told."""
        ...

    def texts(self, place: int) -> list[str]:
        """A column as it stands there, blanks around it left out."""
        ...

    def line_of(self, row: int) -> int | None:
        """The line of a file of text in which a row stands."""
        ...


def _broken(some: int, whole: int) -> str:
    return f"{some} of {counted(whole, 'row')} are broken off or hold no number where one belongs, and were left out."


def _left_out(some: int, whole: int) -> str:
    return f"{some} of {counted(whole, 'row')} hold none of the columns that are read, and were left out."


# -- text -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class TextTable:
    """Rows of cells."""

    names: Sequence[str]
    headed: bool
    line: int | None
    rows: Sequence[Row]
    commas: bool  # decimal ones
    watch: Watch | None
    remarks: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows)

    def leave_out_empty(self, places: Sequence[int]) -> None:
        fits = len(self.names)
        rows = [row for row in self.rows if len(row[1]) != fits or any(row[1][k].strip() for k in places)]
        if rows and len(rows) < len(self.rows):
            self.remarks.append(_left_out(len(self.rows) - len(rows), len(self.rows)))
            self.rows = rows

    def leave_out_broken(self, places: Sequence[int], clock: Sequence[int]) -> None:
        rows = [row for row in self.rows if self._is_whole(row[1], places, clock)]
        if rows and len(rows) < len(self.rows):
            self.remarks.append(_broken(len(self.rows) - len(rows), len(self.rows)))
            self.rows = rows

    def _is_whole(self, cells: Sequence[str], places: Sequence[int], clock: Sequence[int]) -> bool:
        if len(cells) != len(self.names) or not all(is_time(self._cell(cells[k])) for k in clock):
            return False
        try:
            return all(math.isfinite(decimal(self._cell(cells[k]))) for k in places)
        except ValueError:
            return False

    def numbers(self, places: Sequence[int], faults: Faults) -> Array:
        table = np.zeros((len(self.rows), len(places)))
        rows: Iterable[Row] = self.rows
        if self.watch is not None:
            rows = self.watch(self.rows, f"reading {faults.path}", "rows")
        for r, (line, row) in enumerate(rows):
            if len(row) != len(self.names):
                whose = "the header has" if self.headed else "the first row has"
                faults.add(f"{counted(len(row), 'cell')}; {whose} {len(self.names)}.", line)
                continue
            try:
                table[r] = [decimal(self._cell(row[k])) for k in places]
            except ValueError:
                table[r] = np.nan
        for r in np.flatnonzero(~np.isfinite(table).all(axis=1)).tolist():
            line, row = self.rows[r]
            for k in places:
                _explain(self._cell(row[k]), self.names[k], line, faults)
        return table

    def texts(self, place: int) -> list[str]:
        fits = len(self.names)
        return [self._cell(row[place]) if len(row) == fits else "" for _, row in self.rows]

    def line_of(self, row: int) -> int | None:
        return self.rows[row][0]

    def _cell(self, text: str) -> str:
        text = text.strip()
        return text.replace(",", ".") if self.commas and DECIMAL_COMMA.fullmatch(text) else text


def read_text_table(path: Path, faults: Faults, watch: Watch | None = None) -> TextTable:
    """A log in text: comma, semicolon, tab or blanks between its cells, with a header or without."""
    return _text_table(*separated_rows(path, ALSO_BLANKS), faults, watch)


def text_table(path: Path, faults: Faults, text: str) -> TextTable:
    """A part of a log in text, with its header if it has one."""
    return _text_table(*separated_lines(path, text, ALSO_BLANKS), faults, None)


def _text_table(delimiter: str, rows: list[Row], faults: Faults, watch: Watch | None) -> TextTable:
    if not rows:
        faults.add("the file is empty; a header with the names of the joints was expected.")
    faults.raise_if_any()
    commas = delimiter != "," and _has_decimal_commas(rows[:LOOKS])
    remarks = ["its numbers have decimal commas."] if commas else []
    first, head = rows[0]
    cells = [cell.strip() for cell in head]
    if names := _echoed(cells):
        said = "no header: it is read as ros2 topic echo --csv writes joint states."
        return TextTable(names, False, None, rows, commas, watch, [*remarks, said])
    if all(_is_value(cell.replace(",", ".") if commas else cell) for cell in cells):
        names = [f"column {k}" for k in range(1, len(cells) + 1)]
        return TextTable(names, False, None, rows, commas, watch, remarks)
    if cells[0] in ("#", "%"):
        del cells[0]  # blanks between cells, and a sign for the header
    elif cells[0].startswith("#"):
        cells[0] = cells[0][1:].strip()
    return TextTable(cells, True, first, rows[1:], commas, watch, remarks)


def _has_decimal_commas(rows: Sequence[Row]) -> bool:
    return any(DECIMAL_COMMA.fullmatch(cell.strip()) for _, row in rows for cell in row)


def _is_value(text: str) -> bool:
    try:
        decimal(text)
    except ValueError:
        return DATE.fullmatch(text) is not None
    return True


def _echoed(cells: Sequence[str]) -> list[str]:
    """The columns of a joint state as ``ros2 topic echo --csv`` writes it, if a row is one."""
    if len(cells) < ECHOED + 2 or not all(cell.isdecimal() for cell in cells[:2]) or _is_value(cells[2]):
        return []
    names = 0
    while ECHOED + names < len(cells) and not _is_value(cells[ECHOED + names]):
        names += 1
    if not names or len(cells) != ECHOED + 4 * names or not all(map(_is_value, cells[ECHOED + names :])):
        return []
    of = [f"{what}[{k}]" for what in ("name", "position", "velocity", "effort") for k in range(names)]
    return ["header.stamp.sec", "header.stamp.nanosec", "header.frame_id", *of]


def _explain(text: str, column: str, line: int | None, faults: Faults) -> None:
    """Add what is wrong with a cell, if anything is."""
    try:
        if not math.isfinite(decimal(text)):
            faults.add(f'column "{column}": "{text}" is not a finite number.', line)
    except ValueError:
        what = f'"{text}" is not a number' if text else "is empty"
        faults.add(f'column "{column}": {what}.', line)


# -- arrays -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class ArrayTable:
    """Columns as arrays, of numbers or of texts."""

    names: Sequence[str]
    columns: Sequence[Array]
    remarks: list[str] = field(default_factory=list)
    headed: bool = True
    line: int | None = None

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def leave_out_empty(self, places: Sequence[int]) -> None:
        said = [self.columns[k] for k in places]
        if not said or not all(column.dtype.kind in "fiu" for column in said):
            return
        held = ~np.isnan(np.array(said, dtype=float)).all(axis=0)
        if held.any() and not held.all():
            self.remarks.append(_left_out(int((~held).sum()), len(self)))
            self.columns = [column[held] for column in self.columns]

    def leave_out_broken(self, places: Sequence[int], clock: Sequence[int]) -> None:
        said = [self.columns[k] for k in (*places, *clock) if self.columns[k].dtype.kind in "fiu"]
        if not said:
            return
        whole = np.isfinite(np.array(said, dtype=float)).all(axis=0)
        if whole.any() and not whole.all():
            self.remarks.append(_broken(int((~whole).sum()), len(self)))
            self.columns = [column[whole] for column in self.columns]

    def numbers(self, places: Sequence[int], faults: Faults) -> Array:
        table = np.full((len(self), len(places)), np.nan)
        for k, place in enumerate(places):
            if self.columns[place].dtype.kind in "fiu":
                table[:, k] = self.columns[place]
            wrong = np.flatnonzero(~np.isfinite(table[:, k]))
            if len(wrong):
                faults.add(
                    f'column "{self.names[place]}": no finite number in {counted(len(wrong), "row")}, '
                    f"first in row {int(wrong[0]) + 1}."
                )
        return table

    def texts(self, place: int) -> list[str]:
        return ["" if each is None else str(each).strip() for each in self.columns[place].tolist()]

    def line_of(self, row: int) -> int | None:
        return None


def named_table(arrays: Mapping[str, Array]) -> ArrayTable:
    """Arrays as columns: t, and q1, q2, … of one with several."""
    names, columns = list[str](), list[Array]()
    for name, array in arrays.items():
        if array.ndim == 1:
            names.append(name)
            columns.append(array)
        else:
            names += [f"{name}{k + 1}" for k in range(array.shape[1])]
            columns += list(array.T)
    return ArrayTable(names, columns)


def read_parquet_table(path: Path) -> ArrayTable:
    """A log in Parquet."""
    from strobe.files.parquet import read_columns

    found = read_columns(path)
    for name in found:
        if wrong := wrong_name(name):
            raise file_fault(path, wrong)
    return ArrayTable(list(found), list(found.values()))


def read_message_tables(path: Path) -> dict[str, ArrayTable]:
    """The joint states of an MCAP file, a table for each topic and set of joints, by a name for it."""
    from strobe.files.mcap import JointState, read_joint_states

    groups: dict[tuple[str, tuple[str, ...], tuple[bool, ...]], list[JointState]] = {}
    for state in read_joint_states(path):
        filled = tuple(bool(values) for values in state.values)
        groups.setdefault((state.topic, state.names, filled), []).append(state)
    for topic, names, _ in groups:
        for wrong in filter(None, map(wrong_name, (topic, *names))):
            raise file_fault(path, wrong)
    topics = [topic for topic, _, _ in groups]
    made: dict[str, ArrayTable] = {}
    for (topic, names, _), states in groups.items():
        called = topic if topics.count(topic) == 1 else f"{topic} of {', '.join(names)}"
        while called in made:
            called += "'"
        made[called] = _message_table(topic, states)
    return made


def _message_table(topic: str, states: Sequence[Any]) -> ArrayTable:
    """Messages of the same joints as rows, a column for each of their numbers."""
    first = states[0]
    stamps = np.array([_seconds(state.nanoseconds) for state in states], dtype=object)
    names, columns = ["t"], [stamps]
    for k, what in enumerate(("position", "velocity", "effort")):
        if first.values[k]:
            labels = first.names if k == 0 else first.rate_names
            names += [f"{topic}/{label}/{what}" for label in labels]
            columns += list(np.array([state.values[k] for state in states]).T)
    return ArrayTable(names, columns)


def _seconds(nanoseconds: int) -> str:
    """Seconds with every digit."""
    whole, part = divmod(nanoseconds, 10**9)
    return f"{whole}.{part:09d}"


# -- times ------------------------------------------------------------------------------------------------------


def is_time(text: str) -> bool:
    """Whether a text is a number, or a date and time."""
    try:
        return math.isfinite(decimal(text))
    except ValueError:
        return text.isascii() and DATE.fullmatch(text) is not None


def since(text: str, start: str) -> float:
    """Seconds since a start, to the last digit written: as floats, seconds since 1970 have few behind the point."""
    try:
        if DATE.fullmatch(text):
            return (datetime.fromisoformat(text) - datetime.fromisoformat(start)).total_seconds()
        if not math.isfinite(decimal(text) - decimal(start)):
            return math.nan
        return float(Decimal(text) - Decimal(start))
    except (ValueError, ArithmeticError, TypeError):  # or a number beside a date, or a zone beside none
        return math.nan


def joined_stamps(seconds: Iterable[str], nanoseconds: Iterable[str]) -> Iterator[str]:
    """Whole seconds and the nanoseconds after them, as one number each; nothing where they are none."""
    for whole, part in zip(seconds, nanoseconds, strict=True):
        whole, part = whole.removesuffix(".0"), part.removesuffix(".0")
        fits = whole.lstrip("-").isdecimal() and part.isdecimal() and len(part) <= 9
        yield f"{whole}.{part.zfill(9)}" if fits else ""
