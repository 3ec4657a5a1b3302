"""Soak: random calls from several threads while kernels are compiled and their cache is evicted and damaged.

    python -m reliability.soak --minutes 30 --threads 4 [--record]

Every answer is compared with one computed before without compiled code (`soak_subjects`); what is called stands in
`soak_calls`, what happens to the cache folder in `cache_damage`. Memory is that of the process after a collection
of garbage; it is flat where the last fifth of the samples after the warm-up lies within 5 % of the first fifth.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from reliability.cache_damage import strike
from reliability.record import record
from reliability.soak_calls import Caller, Pool
from reliability.soak_subjects import Subject, subjects

CACHE = 2 * 2**20  # bytes in the folder before entries are evicted: a few dozen kernels
PAUSE = 0.3  # seconds between two faults
SAMPLE = 2.0  # seconds between two looks at memory
WARM_UP = 300.0  # seconds, or a sixth of a shorter run
FLAT = 0.05
SHOWN = 5  # failures that are printed in full


@dataclass
class Soak:
    """What has happened so far, told by every thread."""

    calls: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    memory: list[tuple[float, int]] = field(default_factory=list)  # seconds from the start, bytes
    compiled: int = 0
    over: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)

    def count(self, counter: Counter[str], name: str) -> None:
        with self.lock:
            counter[name] += 1

    def failed(self, text: str) -> None:
        with self.lock:
            self.failures.append(text)

    def growth(self, warm_up: float) -> float:
        """Memory at the end beside that after the warm-up, less one."""
        sizes = [size for second, size in self.memory if second >= warm_up]
        part = max(1, len(sizes) // 5)
        return statistics.median(sizes[-part:]) / statistics.median(sizes[:part]) - 1 if sizes else 0.0


def soak(
    seconds: float, threads: int, seed: int = 0, robots: list[Subject] | None = None, pause: float = PAUSE
) -> Soak:
    """Call and damage for so long; what was found."""
    robots, found = robots or subjects(), Soak()
    with _own_cache() as folder, _counted(found), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a damaged cache, of steps that are long
        pool = Pool(robots, Random(seed))
        callers = [Caller(pool, 1000 * seed + k) for k in range(threads)]
        workers = [Thread(target=_calling, args=(found, caller)) for caller in callers]
        workers.append(Thread(target=_damaging, args=(found, folder, Random(seed), pause)))
        for worker in workers:
            worker.start()
        try:
            _watch(found, seconds)
        finally:
            found.over.set()
            for worker in workers:
                worker.join()
    return found


def _calling(found: Soak, caller: Caller) -> None:
    while not found.over.is_set():
        try:
            found.count(found.calls, caller.call())
        except Exception:
            found.failed(traceback.format_exc())


def _damaging(found: Soak, folder: Path, draw: Random, pause: float) -> None:
    while not found.over.wait(pause * draw.random() * 2):
        found.count(found.faults, strike(folder, draw))


def _watch(found: Soak, seconds: float) -> None:
    """Look at memory until the time is over, and say once a minute how it goes."""
    start, told = monotonic(), 0.0
    while (now := monotonic() - start) < seconds:
        found.over.wait(min(SAMPLE, seconds - now))
        gc.collect()
        found.memory.append((monotonic() - start, resident()))
        if now - told >= 60:
            told = now
            print(
                f"{now / 60:.0f} min: {found.calls.total():,} calls, {found.compiled:,} kernels compiled, "
                f"{found.faults.total():,} faults, {len(found.failures)} failures, "
                f"{found.memory[-1][1] / 2**20:.0f} MiB",
                flush=True,
            )


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def _own_cache() -> Iterator[Path]:
    """A small cache folder of the soak's own."""
    from strobe.compiler.runtime import cache

    before = os.environ.get("STROBE_CACHE"), cache.MOST
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place) / "kernels"
        os.environ["STROBE_CACHE"], cache.MOST = str(folder), CACHE
        cache._folder.cache_clear()
        cache.kept()
        try:
            yield folder
        finally:
            os.environ.pop("STROBE_CACHE")
            if before[0] is not None:
                os.environ["STROBE_CACHE"] = before[0]
            cache.MOST = before[1]
            cache._folder.cache_clear()


@contextmanager
def _counted(found: Soak) -> Iterator[None]:
    """Every object file that LLVM makes is counted."""
    from strobe.compiler.runtime import jit

    emit = jit.emit_object

    def counting(*args: Any, **options: Any) -> bytes:
        with found.lock:
            found.compiled += 1
        return emit(*args, **options)

    jit.emit_object = counting
    try:
        yield
    finally:
        jit.emit_object = emit


def row(found: Soak, seconds: float, threads: int) -> dict[str, Any]:
    """What was tried and found, as one row."""
    warm_up = min(WARM_UP, seconds / 6)
    after = [size for second, size in found.memory if second >= warm_up]
    growth = found.growth(warm_up)
    return {
        "minutes": round(seconds / 60, 1),
        "threads": threads,
        "calls": found.calls.total(),
        "by_kind": dict(found.calls),
        "kernels_compiled": found.compiled,
        "cache_faults": found.faults.total(),
        "memory_mib": round(after[0] / 2**20, 1) if after else 0.0,
        "memory_peak_mib": round(max(after) / 2**20, 1) if after else 0.0,
        "memory_growth_percent": round(100 * growth, 2),
        "failures": len(found.failures) + (growth > FLAT),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="reliability.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    found = soak(60 * asked.minutes, asked.threads, asked.seed)
    for failure in found.failures[:SHOWN]:
        print(failure)
    summary = row(found, 60 * asked.minutes, asked.threads)
    record("soak", summary, kept=asked.record)
    return 1 if summary["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
