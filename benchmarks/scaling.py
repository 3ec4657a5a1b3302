"""Sweeps on workers: how much faster on two than on one, how flat memory stays, what a chunk costs beside its runs.

Torques of the Panda and simulated motions of the UR5, drawn and computed in the workers, as `strobe.sweep` does it. A
rate is that of the chunks in the middle of a sweep: workers are up and code is compiled, and none is idle yet. The
efficiency is the rate of two workers over twice that of one. Memory is that of this process and of its largest worker
when a tenth, half and all of the runs are done.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import strobe
from benchmarks.timer import Row, answer
from strobe.sweep.progress import Progress

SECONDS = 0.0  # every sweep has a size of its own
ANYWHERE = {"qd": {"uniform": [-1.0, 1.0]}, "qdd": {"uniform": [-1.0, 1.0]}}
TORQUES = {"task": "torque", "robots": ["panda"], "samples": 8_000_000, "chunk": 250_000, "state": ANYWHERE}
MOTIONS = {
    "task": "simulate", "robots": ["ur5"], "samples": 128_000, "chunk": 4_000, "simulate": {"t": 0.1, "step": 1e-3},
}  # fmt: skip
LOADS = {"torque": TORQUES | {"keep": ["peak"]}, "simulate": MOTIONS | {"keep": ["peak_speed"]}}
ROUNDS = 2  # of which the faster counts: what disturbs only slows down
EVALUATIONS = 10**8
STAGES = (0.1, 0.5, 1.0)
CHUNKS = 1_000  # of one run each, to see what a chunk costs
SMALL = {"samples": 16, "chunk": 2}

Load = dict[str, Any]


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    ways = {"threads": False} if small else {"processes": True, "threads": False}
    loads = [LOADS["torque"] | SMALL] if small else list(LOADS.values())
    rows = [_efficiency(load, way, ways[way]) for load in loads for way in ways]
    written = [_writing(small, load) for load in loads]
    return [*rows, *written, _memory(small), _cost_of_chunks(small)]


# -- rates --------------------------------------------------------------------------------------------


def _efficiency(load: Load, way: str, processes: bool) -> Row:
    """Rates of one worker and of two, in turn."""
    rounds = [[_rate(load, workers, processes) for workers in (1, 2)] for _ in range(ROUNDS)]
    one, two = (max(rates) for rates in zip(*rounds, strict=True))
    return {
        "task": load["task"], "robot": load["robots"][0], "way": way, "runs": load["samples"],
        "chunk": load["chunk"], "one_per_second": one, "two_per_second": two, "efficiency": two / (2 * one),
    }  # fmt: skip


def _rate(load: Load, workers: int, processes: bool) -> float:
    """Runs in a second, in the middle of a sweep."""
    return 1 / _times(load, workers, processes)[0]


def _times(load: Load, workers: int, processes: bool) -> tuple[float, float]:
    """Seconds for each run in the middle of a sweep: by the clock, and of this process."""
    marks: list[tuple[float, float, int]] = []
    _swept(
        load,
        lambda progress: marks.append((perf_counter(), process_time(), progress.runs)),
        workers,
        processes,
    )
    begin, end = marks[len(marks) // 8], marks[-1 - len(marks) // 8]
    clock, own, runs = (b - a for a, b in zip(begin, end, strict=True))
    return clock / runs, own / runs


def _swept(load: Load, watch: Callable[[Progress], None] | None, workers: int, processes: bool) -> int:
    """A sweep into a folder that is removed again: bytes that lay there."""
    with TemporaryDirectory() as folder:
        strobe.sweep(load, Path(folder) / "sweep", workers=workers, processes=processes, watch=watch)
        return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


# -- memory -------------------------------------------------------------------------------------------


def _memory(small: bool) -> Row:
    """Resident memory while very many torques are computed of which only their statistics are kept."""
    runs = 40 if small else EVALUATIONS
    load = TORQUES | {"samples": runs, "chunk": runs // 20 if small else runs // 400, "keep": ["status"]}
    found: dict[float, tuple[float, float]] = {}

    def watch(progress: Progress) -> None:
        stage = next(stage for stage in reversed((0.0, *STAGES)) if progress.runs >= stage * runs)
        if stage and stage not in found:
            found[stage] = _resident()

    start = perf_counter()
    _swept(load, watch, 2, not small)
    row: Row = {"task": "memory", "robot": load["robots"][0], "evaluations": runs, "chunk": load["chunk"]}
    for stage, (client, worker) in found.items():
        row |= {f"client_mb_{stage:.0%}": client, f"worker_mb_{stage:.0%}": worker}
    return row | {"seconds": perf_counter() - start}


def _resident() -> tuple[float, float]:
    """Megabytes of this process, and of the largest of those it started (itself, if there are none)."""
    import psutil

    own = psutil.Process()
    sizes = [each.memory_info().rss / 1e6 for each in (own, *own.children(recursive=True))]
    return sizes[0], max(sizes[1:], default=sizes[0])


# -- what is not computing ----------------------------------------------------------------------------


def _cost_of_chunks(small: bool) -> Row:
    """The time of a chunk with one run in it, on two workers, and that of who hands it out."""
    chunks = 16 if small else CHUNKS
    clock, own = _times(TORQUES | {"samples": chunks, "chunk": 1}, 2, not small)
    return {"task": "chunk", "chunks": chunks, "chunk_ms": 1e3 * clock, "handed_out_ms": 1e3 * own}


def _writing(small: bool, load: Load) -> Row:
    """What keeping results costs one core: bytes of a run, and its rate with everything kept, and with nothing."""
    sized = load | ({"samples": 32, "chunk": 2} if small else {"samples": load["samples"] // 8})
    everything = {key: value for key, value in sized.items() if key != "keep"}
    nothing = sized | {"keep": ["status"]}
    return {
        "task": "writing", "of": load["task"], "robot": load["robots"][0], "runs": sized["samples"],
        "bytes_per_run": _swept(everything, None, 0, False) / sized["samples"],
        "peak_bytes_per_run": _swept(sized, None, 0, False) / sized["samples"],
        "kept_per_second": _rate(everything, 0, False), "bare_per_second": _rate(nothing, 0, False),
    }  # fmt: skip


if __name__ == "__main__":
    answer("scaling", once, SECONDS, processes=1)
