"""Parquet tables in: columns of numbers by name (extra "scale").

What a file claims of itself, its rows and columns and what they unpack to, is compared with bounds before anything is
unpacked. Arrow reads it from bytes that were read before, never from a path; columns of lists, as ROS tools write
positions, become one column for each place, ``position[0]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from strobe.errors import MissingExtraError, ModelFileError
from strobe.files.packed import most_unpacked
from strobe.files.reading import LARGEST_TABLE, Place, file_fault, opened, read_bytes
from strobe.files.tables import MOST_CELLS, MOST_COLUMNS

MAGIC = b"PAR1"
LARGEST_STREAM = 2**40  # bytes of a file that is read part by part
Column = np.ndarray  # (N,) of floats, or of texts as objects


def read_columns(path: Place) -> dict[str, Column]:
    """The columns of a Parquet file by name, numbers as floats and texts as they are; others are left out."""
    content = read_bytes(path, LARGEST_TABLE)
    if not (content.startswith(MAGIC) and content.endswith(MAGIC)):
        raise file_fault(path, "not a Parquet file: it does not begin and end as one.")
    arrow, parquet = _arrow()
    try:
        file = parquet.ParquetFile(arrow.BufferReader(content))
        _require_bounded(path, file.metadata, len(content))
        return dict(_columns(path, file.read(use_threads=False)))
    except (MissingExtraError, ModelFileError):
        raise
    except Exception:  # whatever Arrow says to bytes that are no such file
        raise file_fault(path, "a damaged Parquet file: Arrow cannot read it.") from None


def read_parts(path: Place, rows: int) -> Iterator[dict[str, Column]]:
    """The columns of a Parquet file of any length, some rows at a time."""
    arrow, parquet = _arrow()
    with opened(path, LARGEST_STREAM) as stream:
        try:
            file = parquet.ParquetFile(arrow.PythonFile(stream, mode="r"))
            for batch in file.iter_batches(batch_size=rows, use_threads=False):
                yield dict(_columns(path, arrow.Table.from_batches([batch])))
        except (MissingExtraError, ModelFileError, GeneratorExit):
            raise
        except arrow.ArrowException:
            raise file_fault(path, "a damaged Parquet file: Arrow cannot read it.") from None


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("reading a .parquet file", "pyarrow", "scale") from None
    return pyarrow, pyarrow.parquet


def _require_bounded(path: Place, metadata: Any, size: int) -> None:
    """Refuse very many columns or cells, and a file that unpacks to far more than its own size."""
    if metadata.num_columns > MOST_COLUMNS:
        raise file_fault(path, f"{metadata.num_columns:,} columns; expected at most {MOST_COLUMNS:,}.")
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    leaves = [group.column(k) for group in groups for k in range(group.num_columns)]
    cells = max(metadata.num_rows * metadata.num_columns, sum(leaf.num_values for leaf in leaves))
    if cells > MOST_CELLS:
        raise file_fault(path, f"more than {MOST_CELLS:,} cells, the most that are read.")
    unpacked = sum(leaf.total_uncompressed_size for leaf in leaves)
    if unpacked > most_unpacked(size, LARGEST_TABLE):
        raise file_fault(path, f"{size:,} bytes that unpack to {unpacked:,}; that is not read.")


def _columns(path: Place, table: Any) -> Iterator[tuple[str, Column]]:
    import pyarrow.types as kinds

    for name, column in zip(table.column_names, table.columns, strict=True):
        if kinds.is_list(column.type) or kinds.is_fixed_size_list(column.type):
            yield from _places(name, column)
        elif kinds.is_timestamp(column.type):
            yield name, _numbers(column.cast("timestamp[ns]").cast("int64"))
        elif kinds.is_integer(column.type) or kinds.is_floating(column.type):
            yield name, _numbers(column)
        elif kinds.is_string(column.type) or kinds.is_large_string(column.type):
            yield name, np.array(column.to_pylist(), dtype=object)


def _numbers(column: Any) -> Column:
    """Numbers as floats, empty places as NaN; integers that a float would round stay whole."""
    whole = column.to_numpy()
    if whole.dtype.kind in "iu" and len(whole) and np.abs(whole).max() >= 2**53:
        return whole
    return whole.astype(float)


def _places(name: str, column: Any) -> Iterator[tuple[str, Column]]:
    """A column of lists of one length as columns of their places; lists of other kinds are left out."""
    rows = column.to_pylist()
    lengths = {-1 if row is None else len(row) for row in rows}
    if len(lengths) != 1 or lengths <= {-1, 0}:
        return
    values = np.array(rows)
    if values.dtype.kind in "fiuU":
        for k in range(values.shape[1]):
            kind: Any = object if values.dtype.kind == "U" else float
            yield f"{name}[{k}]", values[:, k].astype(kind)
