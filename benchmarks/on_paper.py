"""Many nodes on paper: what a sweep of 10¹² evaluations takes there, from the newest rows of `scaling`.

Measured on this machine are the rate of a core, the bytes of a run, and the time that handing out a chunk takes.
Assumed is a `Cluster`: how many cores, what they draw and cost, what the shared file system takes. Cores are taken
to be as fast as those measured, and to stand in each other's way no more than two of them do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.timer import Row, newest

EVALUATIONS = 10**12


@dataclass(frozen=True)
class Cluster:
    """What is assumed, not measured."""

    nodes: int = 1000
    cores: int = 64  # of a node
    watts: float = 6.0  # of a core, with its share of memory, network and cooling
    price: float = 0.04  # dollars for an hour of a core
    memory: float = 2e9  # bytes of a core
    disk: float = 100e9  # bytes that the shared file system writes in a second
    files: float = 50e3  # files that it makes in a second

    @property
    def all_cores(self) -> int:
        return self.nodes * self.cores


class Measured(NamedTuple):
    """What is known of this machine."""

    rate: float  # runs in a second of a core, while the other one is at work too
    handed_out: float  # seconds that handing out a chunk takes
    memory: float  # bytes of a worker for each run of a chunk, at most
    bytes: Mapping[str, float]  # of a run on the disk, by what is kept


def measured(task: str = "torque", rows: Sequence[Row] | None = None) -> Measured:
    """The newest figures of a task."""
    found = newest("scaling") if rows is None else rows
    if not found:
        raise LookupError("Nothing is measured yet; run python -m benchmarks.scaling first.")
    load = next(row for row in found if row["task"] == task and row["way"] == "processes")
    writing = next(row for row in found if row["task"] == "writing" and row["of"] == task)
    chunk, memory = (next(row for row in found if row["task"] == name) for name in ("chunk", "memory"))
    return Measured(
        load["two_per_second"] / 2,
        chunk["handed_out_ms"] / 1e3,
        1e6 * memory["worker_mb_100%"] / memory["chunk"],
        {"everything": writing["bytes_per_run"], "the peak": writing["peak_bytes_per_run"]},
    )


def bill(one: Measured, cluster: Cluster, evaluations: int = EVALUATIONS) -> dict[str, float]:
    """What so many evaluations take."""
    hours = evaluations / one.rate / 3600
    return {
        "evaluations a second of a core": one.rate,
        "core hours": hours,
        "kWh": hours * cluster.watts / 1e3,
        "dollars": hours * cluster.price,
        f"hours on {cluster.nodes:,} nodes": hours / cluster.all_cores,
    } | {f"terabytes, {what} kept": evaluations * size / 1e12 for what, size in one.bytes.items()}


def longest_chunk(one: Measured, cluster: Cluster) -> float:
    """Seconds of a chunk that fills the memory of a core."""
    return cluster.memory / one.memory / one.rate


def shortest_chunk(one: Measured, cluster: Cluster) -> float:
    """Seconds that a chunk must take at least, or one scheduler cannot keep all cores at work."""
    return one.handed_out * cluster.all_cores


def most_nodes(one: Measured, cluster: Cluster, seconds: float, files: int) -> dict[str, float]:
    """The nodes at which each part is always busy, if a chunk takes a core so many seconds and is so many files.

    What is busy first stands first.
    """
    runs, chunks = one.rate * cluster.cores, cluster.cores / seconds  # of a node, in a second
    writing = {f"writing, {what} kept": cluster.disk / (runs * size) for what, size in one.bytes.items()}
    busy = writing | {
        "handing out chunks": 1 / (one.handed_out * chunks),
        "making files": cluster.files / (files * chunks),
    }
    return dict(sorted(busy.items(), key=lambda part: part[1]))


def show(figures: Mapping[str, float]) -> None:
    """Print figures under each other."""
    width = max(map(len, figures))
    for name, value in figures.items():
        print(f"{name:{width}}  {value:14,.4g}" if value < 1e4 else f"{name:{width}}  {value:14,.0f}")
