"""The rows of a chunk as bytes of files, and rows again: Zarr arrays, or Parquet tables.

Zarr     data.zarr/ROBOT/FIELD: an array (cells, samples, …), each piece of work one chunk of it, a file of its own;
         what is not done reads as NaN, as −1 among integers
Parquet  data/robot=ROBOT/part-000012.parquet: columns run, cell, what was chosen, and the fields, a vector as one
         column per component (tau_0, tau_1, …); all files have the same columns, null where a robot has fewer joints

Nothing here touches a disk but what reads; who has the bytes writes them.
"""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from strobe.errors import ArgumentError, MissingExtraError, nearest
from strobe.models.arguments import require_text
from strobe.sweep.plan import Cell, Plan, Work

Rows = Mapping[str, np.ndarray]


class Format(Protocol):
    """How results are kept."""

    @abstractmethod
    def opening(self, plan: Plan) -> dict[str, bytes]:
        """The files that stand before any chunk is done."""
        ...

    @abstractmethod
    def chunk(self, plan: Plan, work: Work, rows: Rows) -> dict[str, bytes]:
        """The files of a chunk, by their names under the folder."""
        ...

    @abstractmethod
    def arrays(self, plan: Plan, folder: Path, robot: str) -> dict[str, Any]:
        """Each field of a robot, (cells, samples, …)."""
        ...

    @abstractmethod
    def table(self, plan: Plan, folder: Path, robot: str) -> Any:
        """A ``pyarrow.Table`` with one row for each run of a robot."""
        ...


def format_named(name: str) -> Format:
    if require_text("format", name, " or ".join(FORMATS)) not in FORMATS:
        raise ArgumentError(
            f'no format "{name}".{nearest(name, FORMATS)} Results are kept as {" or ".join(FORMATS)}.'
        )
    return FORMATS[name]()


def first_run(plan: Plan, work: Work) -> int:
    """The number, among all runs, of the first of a piece of work."""
    return work.cells[0].index * plan.samples + work.start


# -- Zarr ----------------------------------------------------------------------------------------------


class Zarr:
    """One group per robot, one array per field."""

    ROOT = "data.zarr"

    def __init__(self) -> None:
        try:
            import zarr
            from zarr.storage import MemoryStore
        except ImportError:
            raise MissingExtraError("keeping results as Zarr", "zarr", "scale") from None
        self.zarr, self.memory = zarr, MemoryStore

    def opening(self, plan: Plan) -> dict[str, bytes]:
        files: dict[str, Any] = {}
        store = self.memory(files)
        root = self.zarr.create_group(store, attributes={"statuses": _statuses(plan)})
        for robot in plan.robots:
            root.create_group(
                robot, attributes={"cells": [dict(cell.chosen) for cell in _cells(plan, robot)]}
            )
            for field in plan.fields(robot):
                self._array(store, plan, robot, field)
        return self._under_root(files)

    def chunk(self, plan: Plan, work: Work, rows: Rows) -> dict[str, bytes]:
        files: dict[str, Any] = {}
        store = self.memory(files)
        for field, values in rows.items():
            array = self._array(store, plan, work.robot, field)
            first, count = work.cells[0].row, len(work.cells)
            values = values.reshape(count, work.samples, *values.shape[1:])
            array[first : first + count, work.start : work.stop] = values
        return self._under_root(
            {name: held for name, held in files.items() if not name.endswith("zarr.json")}
        )

    def _array(self, store: Any, plan: Plan, robot: str, field: str) -> Any:
        shape, kind = plan.fields(robot)[field]
        return self.zarr.create_array(
            store,
            name=f"{robot}/{field}",
            shape=(plan.cells.per_robot, plan.samples, *shape),
            chunks=(plan.together, min(plan.chunk, plan.samples), *shape),
            dtype=kind,
            fill_value=_unknown(np.dtype(kind)),
            config={"write_empty_chunks": True},
        )

    def _under_root(self, files: Mapping[str, Any]) -> dict[str, bytes]:
        return {f"{self.ROOT}/{name}": held.to_bytes() for name, held in files.items()}

    def arrays(self, plan: Plan, folder: Path, robot: str) -> dict[str, Any]:
        """Zarr arrays: what is indexed is read."""
        group = self.zarr.open_group(folder / self.ROOT / robot, mode="r")
        return {field: group[field] for field in plan.fields(robot)}

    def table(self, plan: Plan, folder: Path, robot: str) -> Any:
        everything = Work(0, tuple(_cells(plan, robot)), 0, plan.samples)
        rows = {
            name: array[:].reshape(everything.runs, *array.shape[2:])
            for name, array in self.arrays(plan, folder, robot).items()
        }
        return Parquet().rows(plan, everything, rows)


def _unknown(kind: np.dtype[Any]) -> Any:
    """What stands where nothing is written yet."""
    return np.nan if kind.kind == "f" else -1


# -- Parquet -------------------------------------------------------------------------------------------


class Parquet:
    """One folder per robot, one file per chunk."""

    ROOT = "data"

    def __init__(self) -> None:
        try:
            import pyarrow as arrow
            from pyarrow import parquet
        except ImportError:
            raise MissingExtraError("keeping results as Parquet", "pyarrow", "scale") from None
        self.arrow, self.parquet = arrow, parquet

    def opening(self, plan: Plan) -> dict[str, bytes]:
        return {}

    def chunk(self, plan: Plan, work: Work, rows: Rows) -> dict[str, bytes]:
        stream = io.BytesIO()
        self.parquet.write_table(self.rows(plan, work, rows), stream)
        return {self._name(work.robot, work.index): stream.getvalue()}

    def rows(self, plan: Plan, work: Work, rows: Rows) -> Any:
        """The table of a piece of work."""
        which = np.repeat(np.arange(len(work.cells)), work.samples)
        made = {
            "run": np.arange(work.runs) + first_run(plan, work),
            "cell": work.cells[0].index + which,
        }
        for axis, values in plan.cells.axes.items():
            chosen = _of_one_kind([cell.chosen[axis] for cell in work.cells], values)
            made[axis] = self.arrow.array(chosen).take(self.arrow.array(which))
        flat = dict(self._flat(rows))
        for name, kind in self._columns(plan).items():
            made[name] = flat[name] if name in flat else self.arrow.nulls(work.runs, kind)
        return self.arrow.table(made)

    def _columns(self, plan: Plan) -> dict[str, Any]:
        """The columns of fields of all robots, each with its kind."""
        return {
            name: self.arrow.from_numpy_dtype(np.dtype(kind))
            for robot in plan.robots
            for field, (shape, kind) in plan.fields(robot).items()
            for name, _ in _components(field, shape)
        }

    def _flat(self, rows: Rows) -> Iterator[tuple[str, Any]]:
        for field, values in rows.items():
            for name, place in _components(field, values.shape[1:]):
                yield name, np.ascontiguousarray(values[(slice(None), *place)])

    def arrays(self, plan: Plan, folder: Path, robot: str) -> dict[str, Any]:
        """NumPy arrays, read whole."""
        table = self.table(plan, folder, robot)
        count = (plan.cells.per_robot, plan.samples)
        made = {}
        for field, (shape, kind) in plan.fields(robot).items():
            made[field] = np.empty((*count, *shape), kind)
            for name, place in _components(field, shape):
                made[field][(slice(None), slice(None), *place)] = table[name].to_numpy().reshape(count)
        return made

    def table(self, plan: Plan, folder: Path, robot: str) -> Any:
        parts = (self._name(robot, work.index) for work in _works(plan, robot))
        read = self.parquet.ParquetFile
        return self.arrow.concat_tables([read(folder / part).read() for part in parts])

    def _name(self, robot: str, index: int) -> str:
        return f"{self.ROOT}/robot={robot}/part-{index:06d}.parquet"


def _of_one_kind(chosen: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """What was chosen of the values of an axis: lists where one of them is, since a column has one kind."""
    lists = any(isinstance(each, list) for each in values)
    return [[each] if lists and not isinstance(each, list) else each for each in chosen]


def _components(field: str, shape: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Each component of a field: what its column is called, and where it is."""
    for place in product(*map(range, shape)):
        yield "_".join([field, *map(str, place)]), place


# ------------------------------------------------------------------------------------------------------


def _cells(plan: Plan, robot: str) -> list[Cell]:
    first = plan.robots.index(robot) * plan.cells.per_robot
    return plan.cells[first : first + plan.cells.per_robot]


def _works(plan: Plan, robot: str) -> list[Work]:
    """The pieces of work of a robot, in their order."""
    first = plan.robots.index(robot) * plan.chunks_per_robot
    return [plan.work(index) for index in range(first, first + plan.chunks_per_robot)]


def _statuses(plan: Plan) -> dict[str, str]:
    return {str(code): name for code, name in plan.statuses.items()}


FORMATS: dict[str, type[Format]] = {"zarr": Zarr, "parquet": Parquet}
