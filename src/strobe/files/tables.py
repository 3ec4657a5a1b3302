"""CSV: rows that nobody vouches for, and rows that no spreadsheet calculates.

Spreadsheets calculate a cell that begins with = + - @, or with a tab or a return. Our own headers begin with letters;
a cell from outside that is no number is written behind an apostrophe.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from strobe.files.reading import LARGEST_TABLE, Place, file_fault, read_text

MOST_COLUMNS = 10_000
MOST_CELLS = 50_000_000  # a million rows of a robot with 16 joints
DELIMITERS = ",;\t"
CALCULATED = ("=", "+", "-", "@", "\t", "\r", "|", "%")

Row = tuple[int, list[str]]  # the line where it ends, and its cells


def read_rows(path: Place, delimiters: str = DELIMITERS) -> list[Row]:
    """The lines of a CSV file that are not blank; the delimiter is the one that its first line has most of."""
    text = read_text(path, LARGEST_TABLE)
    header = text[: 2**20].lstrip().partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(delimiters, key=header.count))
    try:
        return list(_bounded(path, reader))
    except csv.Error as error:
        raise file_fault(path, f"not a CSV file: {error}.", reader.line_num) from None


def _bounded(path: Place, reader: Any) -> Iterator[Row]:
    cells = 0
    for row in reader:
        cells += len(row)
        if len(row) > MOST_COLUMNS:
            raise file_fault(
                path, f"{len(row):,} columns; expected at most {MOST_COLUMNS:,}.", reader.line_num
            )
        if cells > MOST_CELLS:
            raise file_fault(
                path, f"more than {MOST_CELLS:,} cells, the most that are read.", reader.line_num
            )
        if any(cell.strip() for cell in row):
            yield reader.line_num, row


def decimal(text: str) -> float:
    """A number in ASCII digits, as every tool writes it: what else Python reads (``1_000``) is a ValueError."""
    if not text.isascii() or "_" in text:
        raise ValueError(text)
    return float(text)


def write_rows(stream: Any, rows: Iterable[Sequence[str]]) -> None:
    """Rows as CSV, in which no cell but a number begins as a formula."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([*map(inert, row)] for row in rows)


def inert(cell: str) -> str:
    """A cell that spreadsheets show as it is."""
    if not cell.startswith(CALCULATED):
        return cell
    try:
        decimal(cell)
    except ValueError:
        return f"'{cell}"
    return cell
