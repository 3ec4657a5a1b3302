"""Rows of figures: medians over processes, appended to `benchmarks/results/` with the machine they belong to.

The timer itself is `strobe.analysis.speed.best_times`. Identical code differs by up to 40 % between processes
on a shared machine and is constant within one, so a figure is the median over processes of the best time within
each; ratios are taken within a process.

A question is a module with ``once(seconds, small)``, which gives rows: text and whole numbers say what was
measured, floats are what was measured. ``small`` asks for little robots only.
"""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import strobe

RESULTS = Path(__file__).parent / "results"
PROCESSES = 5
QUIET = {
    "OMP_WAIT_POLICY": "passive",  # or threads of one library spin on while another one is timed
    "OPENBLAS_NUM_THREADS": "1",  # of NumPy's matrix products: what is said to run on one thread does
}

Row = dict[str, Any]


def answer(
    question: str, once: Callable[..., Sequence[Row]], seconds: float, processes: int = PROCESSES
) -> None:
    """Run as a script: one process's rows as JSON with ``--once``, else medians over processes, recorded."""
    if not {"--once"}.issuperset(sys.argv[1:]):
        sys.exit(f"benchmarks.{question} takes no options but --once; without it, it appends to {RESULTS}.")
    if "--once" in sys.argv:
        print(json.dumps(once(seconds=seconds)))
    else:
        record(question, over_processes(f"benchmarks.{question}", processes), processes)


def over_processes(module: str, processes: int = PROCESSES) -> list[Row]:
    """Medians of the rows that a module prints, one fresh process each; they share a cache of their own."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "STROBE_CACHE": folder, **QUIET}
        runs = [_rows(module, environment) for _ in range(processes)]
    return [_medians(rows) for rows in zip(*runs, strict=True)]


def _rows(module: str, environment: Mapping[str, str]) -> list[Row]:
    command = [sys.executable, "-m", module, "--once"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def _medians(rows: Sequence[Row]) -> Row:
    return {
        key: statistics.median(row[key] for row in rows) if isinstance(value, float) else value
        for key, value in rows[0].items()
    }


def record(question: str, rows: Sequence[Row], processes: int) -> None:
    """Append rows with the machine and the versions, and show them."""
    common = {"when": datetime.now(UTC).isoformat(timespec="seconds"), **machine(), "processes": processes}
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{question}.jsonl").open("a") as file:
        file.writelines(json.dumps({**common, **row}) + "\n" for row in rows)
    print(f"\n{question}, medians of {processes} processes on {common['cpu']} with {common['vectors']}")
    for row in rows:
        print("  " + "  ".join(f"{key} {_shown(value)}" for key, value in row.items()), flush=True)


def newest(question: str) -> list[Row]:
    """The rows of the last run of a question; none if it was never asked."""
    path = RESULTS / f"{question}.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [row for row in rows if row["when"] == rows[-1]["when"]]


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def machine() -> dict[str, object]:
    """CPU, its vectors, Python and package version: what a figure belongs to."""
    return {
        "cpu": _cpu(),
        "vectors": _vectors(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "strobe": strobe.__version__,
    }


def _vectors() -> str:
    """The widest vectors that code is made for here: a processor's kind."""
    from strobe.compiler.runtime import width

    return {512: "AVX-512", 256: "AVX2"}.get(width.bits(), f"{width.bits()} bits")


def kind_of(row: Row) -> str:
    """The machine that a row was measured on, in words; older rows are all of machines with AVX-512."""
    cpu = re.sub(r"\(R\)|\(TM\)|Processor|CPU|@.*| \(model.*", "", row["cpu"])
    return f"{' '.join(cpu.split())}, {row.get('vectors', 'AVX-512')}, {row['cores']} cores"


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    wanted = {"model name": "", "model": ""}
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() in wanted and not wanted[key.strip()]:
            wanted[key.strip()] = value.strip()
    return f"{wanted['model name']} (model {wanted['model']})"
