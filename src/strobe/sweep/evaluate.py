"""One piece of a sweep, computed: what its runs drew, and what came out."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from strobe.sweep.axes import FIXED, GRID, QUANTITIES, Quantity, distribution, is_drawn, row
from strobe.sweep.random_streams import uniforms
from strobe.sweep.tasks import CODE, REAL, Task, joined, task_named

if TYPE_CHECKING:
    from strobe.sweep.plan import Field, Plan, Work

Array = np.ndarray
KEPT = 16  # tasks that a process remembers, with their kernels


def evaluate(plan: Plan, work: Work) -> dict[str, Array]:
    """What the runs of a piece of work yield, a row for each, as `Plan.fields` says; a failed run has its status."""
    alike = groupby(work.cells, lambda cell: cell.index // plan.cells.alike)
    return joined([_evaluated(plan, kind, replace(work, cells=tuple(cells))) for kind, cells in alike])


def _evaluated(plan: Plan, kind: int, work: Work) -> dict[str, Array]:
    """The same of cells that differ in numbers alone."""
    given, task = numbers(plan, work), prepared(plan, kind)
    with np.errstate(over="ignore", invalid="ignore"):  # of runs that are lost: their status says so
        found = task(given)
    found["status"] = _status(found, task, work.runs)
    drawn = {
        quantity.field: given[name].reshape(work.runs, *quantity.shape(task.robot))
        for name, quantity in _drawn(plan).items()
    }
    rows = drawn | found
    return {
        name: np.ascontiguousarray(rows[name], dtype=kind)
        for name, (_, kind) in plan.fields(work.robot).items()
    }


def fields(plan: Plan, robot: str) -> dict[str, Field]:
    """Shape and kind of numbers of all that a run yields: what was drawn, what came out, how it ended."""
    arm = plan.robot(robot)
    drawn: dict[str, Field] = {each.field: (each.shape(arm), REAL) for each in _drawn(plan).values()}
    everything = drawn | task_named(plan.task).results(arm) | {"status": ((), CODE)}
    keep = plan.document["keep"]
    return {name: field for name, field in everything.items() if not keep or name in (*keep, "status")}


def numbers(plan: Plan, work: Work) -> dict[str, Array]:
    """The numbers (m, size) of the runs by the names of quantities: drawn, of their cells, or fixed."""
    robot, found = plan.robot(work.robot), dict[str, Array]()
    for name, given in plan.document["quantities"].items():
        quantity = QUANTITIES[name]
        if is_drawn(given):
            drawing = distribution(name, given, robot)
            drawn = drawing(uniforms(plan.seed, quantity.stream, work.start, work.stop, drawing.count))
            found[name] = np.tile(drawn, (len(work.cells), 1))
        else:
            values = [cell.chosen[name] if GRID in given else given[FIXED] for cell in work.cells]
            rows = np.array([row(value, quantity.length(robot)) for value in values])
            found[name] = np.repeat(rows, work.samples, axis=0)
    return found


@lru_cache(maxsize=KEPT)
def prepared(plan: Plan, kind: int) -> Task:
    """The task of cells that differ in numbers alone, with all that does not change from run to run."""
    return task_named(plan.task)(plan, plan.cells[kind * plan.cells.alike])


def _drawn(plan: Plan) -> dict[str, Quantity]:
    return {
        name: QUANTITIES[name] for name, given in plan.document["quantities"].items() if is_drawn(given)
    }


def _status(found: dict[str, Array], task: Task, runs: int) -> Array:
    """The status of each run, which is lost where a result is no number."""
    status = found.get("status", np.zeros(runs, dtype=CODE))
    finite = np.ones(runs, dtype=bool)
    for values in found.values():
        finite &= np.isfinite(values).reshape(runs, -1).all(axis=1)
    return np.where(finite | (status != 0), status, task.lost).astype(CODE)
