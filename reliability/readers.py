"""Every reader against inputs made worse: none crashes, hangs, takes much memory or raises what is no sentence.

    python -m reliability.readers --inputs 1000000 --processes 2 --seed 0 [--target urdf …] [--record]

An input is a number: it says which target, which seed of it and which mutations. Each may take a second of processor
time and 500 MB; it is read, or refused with a `StrobeError`. One input of each fault found is made smaller and kept
in `reliability/regressions/<target>/`, where the tests read it again.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import multiprocessing
import sys
import time
from bisect import bisect
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from random import Random

from reliability import workers
from reliability.inputs import TARGETS, Target, chosen
from reliability.mutations import mutated
from reliability.record import record
from reliability.smaller import smaller
from reliability.workers import Failure, outcome, tried

REGRESSIONS = Path(__file__).parent / "regressions"
GOLDEN = 0.6180339887498949  # multiples of it, modulo one, fill the line evenly


class Readers:
    """Inputs over all targets, by their shares."""

    memory, lifetime = workers.MEMORY, 100_000

    def __init__(self, seed: int, targets: Sequence[Target] = TARGETS) -> None:
        self.seed, self.targets = seed, tuple(targets)
        self.rows: Sequence[str] = [target.name for target in self.targets]
        whole = sum(target.share for target in self.targets)
        self.ends = [end / whole for end in accumulate(target.share for target in self.targets)]

    def prepare(self) -> None:
        """Seeds made and read once, so that nothing is imported or prepared on the time of an input."""
        for target in self.targets:
            for seed in seeds(target):
                outcome(lambda: target(seed), math.inf)  # noqa: B023  called at once

    def row(self, number: int) -> int:
        return min(bisect(self.ends, number * GOLDEN % 1.0), len(self.targets) - 1)

    def target(self, number: int) -> Target:
        return self.targets[self.row(number)]

    def seconds(self, number: int) -> float:
        return self.target(number).seconds

    def input(self, number: int) -> bytes:
        """The input of this number, the same in every run."""
        target = self.target(number)
        return mutated(Random(self.seed << 40 | number), target.grammar, seeds(target))

    def attempt(self, number: int) -> None:
        self.target(number)(self.input(number))


@cache
def seeds(target: Target) -> list[bytes]:
    """Inputs that a target takes, made once in a process."""
    return target.seeds()


# -- what failed --------------------------------------------------------------------------------------------


def kept_input(target: Target, data: bytes, failure: Failure) -> Path:
    """An input that fails, made smaller, as a file among the regressions."""
    if target.grammar != "npz":  # parts of which cannot be left out: it holds sums of its bytes
        data = smaller(data, lambda made: fails_alike(target, made, failure))
    folder = REGRESSIONS / target.name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{failure.kind}-{hashlib.sha256(data).hexdigest()[:8]}{target.suffix}"
    path.write_bytes(data)
    return path


def kept(readers: Readers, failure: Failure) -> Path:
    """The input of a failure as a file."""
    return kept_input(readers.target(failure.number), readers.input(failure.number), failure)


def fails_alike(target: Target, data: bytes, failure: Failure) -> bool:
    """Whether an input ends like another one did; tried in a process of its own if it may end that."""
    if failure.kind not in ("crash", "hang", "memory"):
        ended = outcome(lambda: target(data), target.seconds)
        return isinstance(ended, Failure) and ended.signature == failure.signature
    context = multiprocessing.get_context("fork")
    answer = context.SimpleQueue()
    process = context.Process(target=_ended, args=(target, data, answer))
    process.start()
    process.join(workers.PATIENCE)
    if process.is_alive():
        process.kill()
        process.join()
        return failure.kind == "hang"
    if process.exitcode:
        return failure.kind == "crash"
    ended = answer.get()
    return isinstance(ended, Failure) and ended.signature == failure.signature


def _ended(target: Target, data: bytes, answer: object) -> None:
    workers.limit_memory()
    answer.put(outcome(lambda: target(data), target.seconds))  # pyright: ignore[reportAttributeAccessIssue]


def faults(failures: Sequence[Failure], readers: Readers) -> list[Failure]:
    """One failure of each fault, the first."""
    found: dict[tuple[str, ...], Failure] = {}
    for failure in sorted(failures, key=lambda failure: failure.number):
        found.setdefault((readers.target(failure.number).name, *failure.signature), failure)
    return list(found.values())


# -- the command --------------------------------------------------------------------------------------------


def main() -> None:
    given = options(__doc__, 20_000, [target.name for target in TARGETS])
    readers = Readers(given.seed, chosen(given.target))
    start = time.monotonic()
    counts, failures = tried(readers, given.inputs, given.processes)
    seconds = time.monotonic() - start
    found = faults(failures, readers)
    for failure in found:
        print(f"{readers.target(failure.number).name}: {failure}", flush=True)
    for failure in found:
        print(f"input {failure.number} is kept as {kept(readers, failure)}", flush=True)
    summary("readers", given, counts, failures, seconds)
    sys.exit(bool(failures))


def options(about: str | None, inputs: int, targets: Sequence[str] = ()) -> argparse.Namespace:
    """What a trial over numbered inputs is asked for."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=inputs)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true", help="append a row to reliability/results")
    if targets:
        parser.add_argument("--target", action="append", default=[], choices=targets)
    return parser.parse_args()


def summary(
    trial: str,
    given: argparse.Namespace,
    counts: Mapping[str, tuple[int, int]],
    failures: Sequence[Failure],
    seconds: float,
) -> None:
    """How many inputs ended how: printed by row, and recorded if that is asked for."""
    for name, (read, refused) in counts.items():
        print(f"{name:16} {read:>9,} read {refused:>9,} refused")
    read, refused = (sum(each[k] for each in counts.values()) for k in (0, 1))
    row = {
        "inputs": read + refused + len(failures),
        "read": read,
        "refused": refused,
        "rows": len(counts),
        "seed": given.seed,
        "processes": given.processes,
        "seconds": round(seconds, 1),
        "failures": len(failures),
    }
    record(trial, row, kept=given.record)


if __name__ == "__main__":
    main()
