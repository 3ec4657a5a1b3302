"""CSV: rows that nobody vouches for, and rows that no spreadsheet calculates.

Spreadsheets calculate a cell that begins with = + - @, or with a tab or a return. Our own headers begin with letters;
a cell from outside that is no number is written behind an apostrophe.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from strobe.files.packed import gunzipped
from strobe.files.reading import LARGEST_TABLE, Place, file_fault, read_bytes, require_utf8

MOST_COLUMNS = 10_000
MOST_CELLS = 50_000_000  # a million rows of a robot with 16 joints
BLANK = " "
DELIMITERS = ",;\t"
ALSO_BLANKS = DELIMITERS + BLANK
NUMBERS = re.compile(r"[-+\deE.,;\s]*")  # and what stands between them
CALCULATED = ("=", "+", "-", "@", "\t", "\r", "|", "%")

Row = tuple[int, list[str]]  # the line where it ends, and its cells


def read_rows(path: Place, delimiters: str = DELIMITERS) -> list[Row]:
    """The lines of a CSV file that are not blank, gzip or not; its delimiter is that of its first line."""
    return separated_rows(path, delimiters)[1]


def separated_rows(path: Place, delimiters: str = DELIMITERS) -> tuple[str, list[Row]]:
    """The delimiter of a CSV file (a blank where it has none, but blanks), and its lines that are not blank."""
    content = gunzipped(path, read_bytes(path, LARGEST_TABLE), LARGEST_TABLE)
    require_utf8(path, content)
    text = content.decode("utf-8-sig")
    del content
    return separated_lines(path, text, delimiters)


def separated_lines(path: Place, text: str, delimiters: str = DELIMITERS) -> tuple[str, list[Row]]:
    """The same of a text that was read from a file."""
    delimiter = _delimiter(text[: 2**20].lstrip().partition("\n")[0], delimiters)
    stream = io.StringIO(text, newline="")
    reader = _Blanks(stream) if delimiter == BLANK else csv.reader(stream, delimiter=delimiter)
    try:
        return delimiter, list(_bounded(path, reader))
    except csv.Error as error:
        raise file_fault(path, f"not a CSV file: {error}.", reader.line_num) from None


def _delimiter(line: str, delimiters: str) -> str:
    """The delimiter that a line has most of; between numbers the comma last, which may be a decimal one."""
    signs = delimiters.replace(BLANK, "")
    if NUMBERS.fullmatch(line) and (others := [sign for sign in ";\t" if sign in signs and sign in line]):
        return others[0]
    best = max(signs, key=line.count)
    return BLANK if BLANK in delimiters and best not in line and BLANK in line.strip() else best


class _Blanks:
    """Lines whose cells stand between blanks, however many."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines, self.line_num = iter(lines), 0

    def __iter__(self) -> Iterator[list[str]]:
        for line in self.lines:
            self.line_num += 1
            yield line.split()


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
    try:
        if text.isascii() and "_" not in text:
            return float(text)
    except ValueError:
        pass
    raise ValueError(text)


def finite_decimal(word: str) -> float:
    """A number as `decimal` reads it that is finite and has no blanks around it; others are a ValueError."""
    if word.strip() != word or not math.isfinite(value := decimal(word)):
        raise ValueError(word)
    return value


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
