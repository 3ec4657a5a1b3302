"""A sweep that is done: its summary, and its runs as arrays or tables."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

from strobe.errors import ArgumentError, ModelFileError, UnknownNameError
from strobe.files.reading import exists, read_json_data
from strobe.show.sheet import Sheet, Table, displayed
from strobe.sweep.formats import format_named
from strobe.sweep.manifest import Manifest
from strobe.sweep.plan import Plan
from strobe.sweep.reductions import Reduced
from strobe.sweep.store import LARGEST_OWN, SUMMARY, Store


@displayed
class Sweep:
    """The folder of a sweep that is done."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        store = Store(folder)
        manifest = store.manifest()
        if manifest is None:
            raise ArgumentError(f"{folder} holds no sweep. Name the folder that strobe sweep wrote.")
        self.folder, self.name = store.folder, store.name
        self.manifest: Manifest = manifest
        self.plan = Plan.from_document(manifest["plan"])
        self.summary = _summary(store)

    @property
    def robots(self) -> tuple[str, ...]:
        return self.plan.robots

    def arrays(self, robot: str | None = None) -> dict[str, Any]:
        """What the runs of a robot yielded, each field (cells, samples, …); Zarr's arrays are read when indexed."""
        return self._format.arrays(self.plan, self.folder, self._known(robot))

    def table(self, robot: str | None = None) -> Any:
        """The runs of a robot as a ``pyarrow.Table``, a row for each."""
        return self._format.table(self.plan, self.folder, self._known(robot))

    @cached_property
    def _format(self) -> Any:
        return format_named(self.manifest["format"])

    def _known(self, robot: str | None) -> str:
        if robot is None and len(self.robots) == 1:
            return self.robots[0]
        if robot is None:
            raise ArgumentError(
                f"this sweep has {len(self.robots)} robots; say which: {', '.join(self.robots)}."
            )
        if robot not in self.robots:
            raise UnknownNameError("robot", robot, "the sweep", self.robots)
        return robot

    def _sheet(self) -> Sheet:
        plan = self.plan
        head = f"Sweep of {plan.task}: {plan.runs:,} runs of {', '.join(self.robots)} in {self.name}"
        cells = self.summary["cells"]
        chosen = [
            ", ".join(f"{name} = {value}" for name, value in cell["chosen"].items()) for cell in cells
        ]
        rows = [
            [cell["robot"], how, cell["runs"], self._ended(cell)]
            for cell, how in zip(cells, chosen, strict=True)
        ]
        fields = ", ".join(dict.fromkeys(name for cell in cells for name in cell["fields"]))
        table = Table(["robot", "chosen", "runs", "ended"], rows)
        return Sheet(head, [table, f"fields: {fields}; see .arrays() and .table()"])

    def _ended(self, cell: dict[str, Any]) -> str:
        names = self.summary["statuses"]
        return ", ".join(f"{count:,} {names.get(code, code)}" for code, count in cell["status"].items())


def _summary(store: Store) -> dict[str, Any]:
    if not exists(store.folder / SUMMARY):
        raise ArgumentError(
            f"the sweep in {store.name} is not done. Give its command again: it goes on with what is left."
        )
    try:
        found = read_json_data(store.folder / SUMMARY, LARGEST_OWN)
    except ModelFileError:
        found = None
    if not isinstance(found, dict):
        raise ArgumentError(
            f"{store.name} has a damaged {SUMMARY}. Give the command of the sweep again: it is written anew."
        )
    return found


def summary_of(plan: Plan, store: Store) -> dict[str, Any]:
    """The reductions of all chunks, merged cell by cell in the order of their numbers."""
    cells: list[dict[str, Any]] = []
    merged: Reduced | None = None
    for index in range(plan.chunks):
        work = plan.work(index)
        receipt = store.receipt(index)
        assert receipt is not None  # what is unfinished was done before
        for cell, data in zip(work.cells, receipt["reductions"], strict=True):
            reduced = Reduced.from_data(data)
            merged = reduced if merged is None else merged.then(reduced)
            if work.stop == plan.samples:
                cells.append({"robot": cell.robot, "chosen": dict(cell.chosen), **merged.told()})
                merged = None
    statuses = {str(code): name for code, name in plan.statuses.items()}
    return {"task": plan.task, "runs": plan.runs, "statuses": statuses, "cells": cells}
