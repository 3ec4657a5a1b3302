"""``strobe sweep``: very many runs, on all processors or a cluster, into a folder."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.inputs import Json
from strobe.cli.options import takes, written_to
from strobe.errors import ArgumentError

if TYPE_CHECKING:
    from strobe.robot import Robot
    from strobe.sweep.plan import Plan
    from strobe.sweep.result import Sweep

MOST_ROWS = 40  # of the table that is printed


def sweep(
    file: Annotated[
        Path, typer.Argument(metavar="SWEEP", help="A .toml file: what is varied, and how often.")
    ],
    output: Annotated[Path | None, written_to("Where results go, or are gone on with.", "FOLDER")] = None,
    workers: Annotated[
        int | None,
        takes("--workers", "N", "One for each processor if not given; 0 works in this process."),
    ] = None,
    threads: Annotated[bool, typer.Option("--threads/--processes", help="What the workers are.")] = False,
    scheduler: Annotated[
        str | None, takes("--scheduler", "ADDRESS", "The workers of a Dask cluster: tcp://HOST:8786.")
    ] = None,
    format: Annotated[str | None, takes("--format", "NAME", "zarr (default) or parquet.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many runs, how large and how long, and stop.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read all data that is there, and do again what is damaged.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Very many runs of many robots, states, payloads, controllers and motions.

    Whatever happens, the same command goes on with what is left: after Ctrl-C, a killed worker or a full disk.
    Results for the same file and seed have the same bits, whoever computed them and in whatever order.

    \b
    A sweep:
      task = "torque"                       torque, simulate, control or approximate
      samples = 100_000                     runs of every combination
      seed = 7
      robots = ["panda", "my_arm.urdf"]
      [state]
      q = { uniform = "limits" }            drawn for every run, or a number
      [payload]
      mass = { values = [0, 1.5, 3] }       a grid: every combination is run
    \b
    Results in FOLDER:
      manifest.json, summary.json           what was asked; mean, variance and extremes of all that came out
      data.zarr                             an array (combinations, samples, …) by robot and name
      data                                  with --format parquet: a table by robot, in parts
    \b
    Examples:
      strobe sweep sweep.toml --dry-run
      strobe sweep sweep.toml --output results --workers 8
      strobe sweep sweep.toml --output results --scheduler tcp://head:8786 --format parquet
    """
    if output is None and not dry_run:
        raise ArgumentError("give --output FOLDER: where the results go; or --dry-run.")
    plan = _read(file)
    if dry_run:
        _say_size(plan, workers, as_json)
        return
    assert output is not None
    how = {"workers": workers, "processes": not threads, "scheduler": scheduler}
    _report(_swept(plan, output, how | {"format": format, "verify": verify}), as_json)


def _read(file: Path) -> Plan:
    """The plan of a file; what deserves a look is told on stderr."""
    from strobe.cli.show import warn
    from strobe.sweep.reading import read_plan

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plan = read_plan(file)
    for each in caught:
        warn(str(each.message))
    return plan


def _swept(plan: Plan, out: Path, how: dict[str, Any]) -> Sweep:
    """The sweep, with progress told on stderr, and how to go on if it is interrupted."""
    from strobe.cli.progress import Progress
    from strobe.cli.show import note
    from strobe.sweep.progress import Progress as Reached
    from strobe.sweep.store import Store
    from strobe.sweep.sweeping import sweep as swept

    last: Reached | None = None
    try:
        with Progress("sweeping", plan.runs, "runs") as shown:

            def watch(now: Reached) -> None:
                nonlocal last
                last, shown.remark = now, f" ({now})"
                shown.advance(now.runs - shown.done)

            result = swept(plan, out, watch=watch, **how)
    except KeyboardInterrupt:
        left = len(Store(out).unfinished(plan.chunks))
        note(
            f"{plan.chunks - left:,} of {plan.chunks:,} chunks are done; the same command goes on from there."
        )
        raise
    if last is None:
        note(f"all {plan.chunks:,} chunks were done before.")
    return result


def _report(result: Sweep, as_json: bool) -> None:
    from strobe.cli.show import present

    data = {"folder": str(result.folder), "format": result.manifest["format"], **result.summary}
    present(data, _shown(result), as_json)


def _shown(result: Sweep) -> Iterator[Any]:
    from strobe.show.tables import remark, table

    plan, cells = result.plan, result.summary["cells"]
    yield f"{plan.task}: {plan.runs:,} runs in {result.name}"
    yield remark(_ends(result))
    rows = list(islice(_rows(plan, cells), MOST_ROWS + 1))
    axes = list(plan.cells[0].chosen)
    yield table(
        ["robot", *axes, "", "unit", "mean", "deviation", "least", "run", "largest", "run"],
        rows[:MOST_ROWS],
    )
    if len(rows) > MOST_ROWS:
        yield remark("… all of it is in summary.json.")


def _rows(plan: Plan, cells: list[Any]) -> Iterator[list[Any]]:
    """A row for each component of each thing that came out, cell by cell."""
    from strobe.sweep.tasks import task_named

    for cell in cells:
        place = [cell["robot"], *map(str, cell["chosen"].values())]
        robot = plan.robot(cell["robot"])
        came_out = task_named(plan.task).results(robot)
        for field, moments in cell["fields"].items():
            if field in came_out:
                for name, one in _components(field, moments):
                    deviation = None if one["variance"] is None else one["variance"] ** 0.5
                    yield [
                        *place, name, _unit(plan, robot, field, name), one["mean"], deviation,
                        one["least"], one["least_run"], one["largest"], one["largest_run"],
                    ]  # fmt: skip


UNITS = {  # of what comes out: a measure of joints, or a unit
    "tau": "torque", "peak": "torque", "peak_torque": "torque", "error": "torque", "q_end": "position",
    "qd_end": "velocity", "peak_speed": "velocity", "reached": "s", "cut": "s", "energy_error": "J",
}  # fmt: skip
ERRORS = {"control": "position", "approximate": "torque"}  # what errors are errors of


def _unit(plan: Plan, robot: Robot, field: str, name: str) -> str:
    """The unit of a component: that of its joint, or those of all joints where it is the largest of them."""
    from strobe.equations.meaning import units_of
    from strobe.show.tables import MEASURES

    measure = ERRORS.get(plan.task, "") if field.startswith("error_") else UNITS.get(field, "")
    if measure not in MEASURES:
        return measure
    units = list(units_of(robot))
    index = name[len(field) :].strip("[]")
    if index and robot.coordinates.is_single:
        units = [units[int(index)]]
    elif index and field == "q_end":  # quaternions have no unit
        return ""
    return " or ".join(dict.fromkeys(MEASURES[measure][unit == "N"] for unit in units))


def _components(field: str, moments: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The numbers of a field, one by one."""
    if not isinstance(moments["count"], list):
        yield field, moments
        return
    for k in range(len(moments["count"])):
        yield from _components(f"{field}[{k}]", {key: values[k] for key, values in moments.items()})


def _ends(result: Sweep) -> str:
    """How the runs ended."""
    names, total = result.summary["statuses"], dict[str, int]()
    for cell in result.summary["cells"]:
        for code, count in cell["status"].items():
            total[code] = total.get(code, 0) + count
    return ", ".join(f"{count:,} {names.get(code, code)}" for code, count in total.items())


def _say_size(plan: Plan, workers: int | None, as_json: bool) -> None:
    """How large a sweep is and how long it will take, from runs that were tried."""
    from strobe.cli.show import present
    from strobe.sweep.estimating import estimate
    from strobe.sweep.progress import told_time
    from strobe.sweep.sweeping import number_of

    shared_by = max(1, number_of(workers))
    found = estimate(plan)
    seconds = found.seconds / shared_by
    data = {
        "task": plan.task, "robots": list(plan.robots), "cells": len(plan.cells), "runs": found.runs,
        "chunk": plan.chunk, "chunks": found.chunks, "bytes": found.bytes,
        "seconds_per_run": found.seconds_per_run, "workers": shared_by, "seconds": seconds,
    }  # fmt: skip
    said = [
        f"{plan.task} of {', '.join(plan.robots)}",
        f"{_many(found.runs, 'run')} in {_many(len(plan.cells), 'combination')}, {_told_bytes(found.bytes)}",
        f"{_many(found.chunks, 'chunk')} of at most {_many(plan.chunk, 'run')}",
        f"about {told_time(seconds)} on {_many(shared_by, 'worker')}, {found.seconds_per_run:.3g} s a run",
    ]
    present(data, said, as_json)


def _told_bytes(size: int) -> str:
    units = ("bytes", "kB", "MB", "GB", "TB", "PB")
    power = min(len(str(int(size))) - 1, 3 * len(units) - 1) // 3
    return f"{size / 1000**power:.4g} {units[power]}"


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
