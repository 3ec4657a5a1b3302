"""Rows of what a trial tried and found, appended to `reliability/results/` with the machine they belong to."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.timer import machine

RESULTS = Path(__file__).parent / "results"

Row = dict[str, Any]


def record(trial: str, row: Row, *, kept: bool = True) -> None:
    """Show one row, and append it if it is kept: counts, figures, and ``failures``, which ought to be 0."""
    print(f"{trial}: " + ", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    if not kept:
        return
    common = {"when": datetime.now(UTC).isoformat(timespec="seconds"), **machine()}
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{trial}.jsonl").open("a") as file:
        file.write(json.dumps({**common, **row}) + "\n")


def newest(trial: str) -> list[Row]:
    """The rows of the last day on which a trial ran; none if it never did."""
    path = RESULTS / f"{trial}.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [row for row in rows if row["when"][:10] == rows[-1]["when"][:10]]
