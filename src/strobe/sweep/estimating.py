"""How large a sweep is, and how long it takes, from runs that are tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from time import perf_counter
from typing import Any

from strobe.show.sheet import Sheet, displayed
from strobe.sweep.chunking import bytes_per_run
from strobe.sweep.evaluate import evaluate
from strobe.sweep.plan import Plan, Work
from strobe.sweep.progress import told_time
from strobe.sweep.reading import read_plan

TRIED, ENOUGH = 64, 0.2  # runs, and seconds, after which the time of a run is known


@displayed
@dataclass(frozen=True)
class Estimate:
    """What a sweep takes."""

    runs: int
    chunks: int
    bytes: int  # of all results, before they are compressed
    seconds_per_run: float  # on one core, robots and grid values evenly mixed

    def _sheet(self) -> Sheet:
        size = f"{self.runs:,} runs in {self.chunks:,} chunks, {self.bytes / 1e6:,.3g} MB"
        return Sheet(f"a sweep of {size}, {told_time(self.seconds)} on one core")

    @property
    def seconds(self) -> float:
        """On one core, all runs."""
        return self.runs * self.seconds_per_run


def estimate(what: str | PathLike[str] | Mapping[str, Any] | Plan) -> Estimate:
    """The size of a sweep, and its time by trying some runs of every robot's first and last combinations."""
    plan = read_plan(what)
    size = sum(bytes_per_run(plan, robot) for robot in plan.robots) / len(plan.robots)
    tried = [_seconds_per_run(plan, work) for k in range(len(plan.robots)) for work in _ends(plan, k)]
    return Estimate(plan.runs, plan.chunks, round(plan.runs * size), sum(tried) / len(tried))


def _ends(plan: Plan, robot: int) -> list[Work]:
    """A full piece of work at the first cells of a robot, and one at its last."""
    first, count = robot * plan.cells.per_robot, plan.together
    starts = sorted({first, first + plan.cells.per_robot - count})
    stop = min(plan.chunk, plan.samples)
    return [Work(0, tuple(plan.cells[start : start + count]), 0, stop) for start in starts]


def _seconds_per_run(plan: Plan, work: Work) -> float:
    """The time of a run of a piece of work, when all is compiled; more runs are tried until it can be told."""
    evaluate(plan, _some(work, 1))
    count = TRIED
    while True:
        some, start = _some(work, count), perf_counter()
        evaluate(plan, some)
        took = perf_counter() - start
        if took > ENOUGH or some == work:
            return took / some.runs
        count *= 8


def _some(work: Work, runs: int) -> Work:
    """A part of a piece of work, of about so many runs."""
    if len(work.cells) == 1:
        return replace(work, stop=min(work.stop, work.start + runs))
    return replace(work, cells=work.cells[: max(1, runs // work.samples)])
