"""Logs that are too long for memory, part by part: Parquet by its row groups, CSV by its lines, NPZ array by array.

Every part is a `Log`, read as `read_log` reads a whole file: the same names, units and remarks. A stream can be read
again and again, and holds one part at a time.
"""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.errors import ArgumentError
from strobe.files.faults import Faults
from strobe.files.reading import file_fault, opened, path_text
from strobe.identify.log_tables import ArrayTable, LogTable, named_table, text_table
from strobe.identify.logs import Log, log_of
from strobe.models.arguments import require_whole
from strobe.show.sheet import displayed

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

ROWS = 50_000  # of a part
LONGEST = 1_000_000  # characters of a line
KINDS = (".parquet", ".csv", ".tsv", ".txt", ".gz", ".npz")


@displayed
@dataclass(frozen=True, slots=True, eq=False)
class LogStream:
    """A log that is read part by part."""

    source: str
    robot: Robot
    columns: str | Mapping[str, str | int] | None
    degrees: bool
    topic: str | None
    rows: int

    def __iter__(self) -> Iterator[Log]:
        path, began = Path(self.source), None
        for table in _tables(path, self.rows):
            found = log_of(
                table, path, self.robot, self.columns, self.degrees, topic=self.topic, needs=("tau",), broken=True,
                began=began,
            )  # fmt: skip
            began = began if began is not None or not found.stamps else found.stamps[0]
            yield found

    def __str__(self) -> str:
        return f"{self.source}: a log of {self.robot.name}, read {self.rows:,} rows at a time"


def stream_log(
    path: Any, robot: Robot, *, columns: str | Mapping[str, str | int] | None = None, degrees: bool = False,
    topic: str | None = None, rows: int = ROWS,
) -> LogStream:  # fmt: skip
    """A log of any length from a .parquet, .csv or .npz file, ``rows`` at a time; other words as in `read_log`."""
    from strobe.robot import require_robot

    require_robot(robot)
    require_whole("rows", rows, 1000)
    source = Path(path_text(path))
    if source.suffix.lower() not in KINDS:
        raise ArgumentError(f"{source}: logs are streamed from .parquet, .csv and .npz files.")
    if not source.is_file():
        raise file_fault(source, "there is no such file.")
    return LogStream(str(source), robot, columns, degrees, topic, rows)


def _tables(path: Path, rows: int) -> Iterator[LogTable]:
    kind = path.suffix.lower()
    try:
        yield from {".parquet": _parquet, ".npz": _npz}.get(kind, _text)(path, rows)
    except (zipfile.BadZipFile, gzip.BadGzipFile, EOFError):
        raise file_fault(path, "it is damaged, and cannot be unpacked.") from None
    except UnicodeDecodeError:
        raise file_fault(path, "it is no text in UTF-8.") from None


def _parquet(path: Path, rows: int) -> Iterator[LogTable]:
    from strobe.files.parquet import read_parts

    for part in read_parts(path, rows):
        yield ArrayTable(list(part), list(part.values()))


def _text(path: Path, rows: int) -> Iterator[LogTable]:
    with opened(path, sys.maxsize) as packed:
        content = gzip.GzipFile(fileobj=packed) if path.suffix.lower() == ".gz" else packed
        lines = _lines(path, io.TextIOWrapper(content, encoding="utf-8"))
        first = list(islice(lines, rows + 1))
        head = _part(path, "".join(first))
        yield head
        again = next((line for line in first if line.strip()), "") if head.headed else ""
        while text := "".join(islice(lines, rows)):
            yield _part(path, again + text)


def _lines(path: Path, stream: io.TextIOWrapper) -> Iterator[str]:
    """The lines of a text, none of them too long to be held."""
    while line := stream.readline(LONGEST):
        if len(line) == LONGEST:
            raise file_fault(path, f"a line of it has {LONGEST:,} characters or more: it is no table.")
        yield line


def _part(path: Path, text: str) -> LogTable:
    return quick_table(text) or text_table(path, Faults(path), text)


def quick_table(text: str) -> ArrayTable | None:
    """Plain numbers below one header, by NumPy's reader; nothing where a table is less plain than that."""
    head, _, body = text.partition("\n")
    names = [name.strip() for name in head.split(",")]
    if len(names) < 2 or any(_is_number(name) or '"' in name or not name for name in names):
        return None
    try:
        table = np.loadtxt(io.StringIO(body), delimiter=",", ndmin=2)
    except ValueError:
        return None
    return ArrayTable(names, list(table.T)) if table.shape[1] == len(names) else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _npz(path: Path, rows: int) -> Iterator[LogTable]:
    """Arrays of an NPZ side by side: t (N,), q, tau, … (N, joints)."""
    with opened(path, sys.maxsize) as packed, zipfile.ZipFile(packed) as archive:
        names, member = [name for name in archive.namelist() if name.endswith(".npy")], archive.open
        streams = [member(name) for name in names]
        try:
            heads = [_head(path, stream) for stream in streams]
            count = max((shape[0] for shape, _ in heads if shape), default=0)
            held = [k for k, (shape, kind) in enumerate(heads) if _is_column(shape, kind, count)]
            for first in range(0, count, rows):
                some = min(rows, count - first)
                parts = {
                    names[k].removesuffix(".npy"): _next(path, streams[k], *heads[k], some) for k in held
                }
                yield named_table(parts)
        finally:
            for stream in streams:
                stream.close()


def _is_column(shape: Sequence[int], kind: np.dtype[Any], count: int) -> bool:
    return len(shape) in (1, 2) and shape[0] == count and kind.kind in "fiu"


def _head(path: Path, stream: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    try:
        version = np.lib.format.read_magic(stream)
        read = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, fortran, kind = read(stream)
    except ValueError:
        raise file_fault(path, "an array in it is damaged.") from None
    if fortran and len(shape) > 1:
        raise file_fault(
            path, "its arrays are kept column by column; save them as np.ascontiguousarray(…)."
        )
    return shape, kind


def _next(path: Path, stream: Any, shape: tuple[int, ...], kind: np.dtype[Any], rows: int) -> Array:
    each = int(np.prod(shape[1:], dtype=int)) * kind.itemsize
    content = stream.read(rows * each)
    if len(content) < rows * each:
        raise file_fault(path, "an array in it is cut off.")
    return np.frombuffer(content, dtype=kind).reshape(rows, *shape[1:])
