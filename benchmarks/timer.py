"""The one timer: several ways to do the same work, interleaved, in several processes.

Identical code differs by up to 40 % between processes on a shared machine and is constant within one, so
every figure is the median over processes of the best time within each.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import strobe

RESULTS = Path(__file__).parent / "results"


def best_times(ways: Mapping[str, Callable[[], object]], seconds: float = 1.0) -> dict[str, float]:
    """Seconds per call of each way: the best of interleaved rounds within a time budget.

    A round repeats a short call for about a millisecond, so that neither the clock nor cold caches count.
    """
    repeats = {name: max(1, round(1e-3 / _seconds(way, 3))) for name, way in ways.items()}
    best = dict.fromkeys(ways, float("inf"))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, way in ways.items():
            best[name] = min(best[name], _seconds(way, repeats[name]))
    return best


def _seconds(way: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        way()
    return (time.perf_counter() - start) / repeats


def over_processes(module: str, processes: int = 5) -> dict[str, float]:
    """Medians of what a module prints as JSON on its last line, one fresh process each."""
    runs = []
    for _ in range(processes):
        done = subprocess.run(
            [sys.executable, "-m", module, "--once"], capture_output=True, text=True, check=True
        )
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def record(question: str, figures: Mapping[str, object]) -> None:
    """Append a row with the machine and the versions, and show it."""
    row = {"when": datetime.now(UTC).isoformat(timespec="seconds"), **machine(), **figures}
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{question}.jsonl").open("a") as file:
        file.write(json.dumps(row) + "\n")
    print(f"{question}:")
    for key, value in figures.items():
        print(f"  {key}: {value:.4g}" if isinstance(value, float) else f"  {key}: {value}")


def machine() -> dict[str, object]:
    """CPU, Python and package version: what a figure belongs to."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "strobe": strobe.__version__,
    }


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
