"""Killing: a sweep whose workers and main process are ended by kill -9 at random moments, and started again.

    python -m reliability.killing --times 50 --processes 2 [--record]

Sweeps of a few hundred chunks, each with another seed, run as a user runs them, one after the other until as many
kills have struck as are asked for. After every kill the receipts that stand are noted: none of them may ever be
written again. What is there in the end is compared, file by file and bit by bit, with a sweep that nothing disturbed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import monotonic, sleep

import psutil

from reliability.record import record

WORKER, MAIN = "worker", "main"
LOOK = 0.02  # seconds between two looks at a process
OWN = {".lock", "manifest.json"}  # files that differ from sweep to sweep: the manifest has a token

Moment = Callable[[Path], bool]  # whether it has come, by what the folder holds
Stamp = tuple[int, int]  # of a file: it changes when the file is written again


@dataclass
class Trial:
    """What has happened so far."""

    kills: Counter[str] = field(default_factory=Counter)
    sweeps: int = 0
    chunks: int = 0
    compared: int = 0
    failures: list[str] = field(default_factory=list)

    def failed(self, text: str) -> None:
        self.failures.append(text)
        print(f"failure: {text}", flush=True)


@dataclass(frozen=True)
class Size:
    """How large each sweep is, and how it is run."""

    chunks: int
    chunk: int
    processes: int

    def text(self, seed: int) -> str:
        """The file of a sweep: a pendulum simulated from random states, so that a chunk takes its time."""
        return (
            f'task = "simulate"\nrobots = ["pendulum3"]\nsamples = {self.chunks * self.chunk}\n'
            f'chunk = {self.chunk}\nseed = {seed}\nkeep = ["q_end"]\n'
            "[simulate]\nt = 1.0\nstep = 1e-3\n"
        )


def disturbed(file: Path, out: Path, size: Size, kills: Iterator[tuple[str, Moment]], trial: Trial) -> None:
    """A sweep, run to its end through as many kills as it meets."""
    noted: dict[str, Stamp] = {}
    main = _started(file, out, size)
    for victim, moment in kills:
        while main.poll() is None and not moment(out):
            sleep(LOOK)
        if main.poll() is not None:
            break
        if not _killed(main, victim):
            continue
        trial.kills[victim] += 1
        noted |= receipts(out)
        print(f"{sum(trial.kills.values())}: killed {victim}, {len(noted)} chunks done", flush=True)
        if victim == MAIN:
            main.wait()
            main.stderr.close()  # pyright: ignore[reportOptionalMemberAccess]
            main = _started(file, out, size)
    _, said = main.communicate()
    if main.returncode != 0:
        trial.failed(f"the sweep ended with {main.returncode}: {said}")
    again = [name for name, stamp in noted.items() if receipts(out).get(name) != stamp]
    if again:
        trial.failed(f"finished chunks were done again: {again[:5]}")


def _started(file: Path, out: Path, size: Size) -> subprocess.Popen[str]:
    how = ["--output", str(out), "--workers", str(size.processes)]
    return subprocess.Popen(
        [sys.executable, "-m", "strobe", "sweep", str(file), *how],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def _killed(main: subprocess.Popen[str], victim: str) -> bool:
    """Whether there was someone to kill."""
    if victim == MAIN:
        main.kill()
        return True
    with suppress(psutil.NoSuchProcess, IndexError):
        workers = [
            child
            for child in psutil.Process(main.pid).children()
            if "strobe.sweep.worker_process" in " ".join(child.cmdline())
        ]
        workers[0].kill()
        return True
    return False


def receipts(out: Path) -> dict[str, Stamp]:
    """The chunks that are done, each with a stamp of when its receipt was written."""
    return {
        path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in (out / "receipts").glob("*")
    }


def compare(out: Path, reference: Path, trial: Trial) -> None:
    """All files of a sweep against one that nothing disturbed."""
    found, expected = files(out), files(reference)
    if found.keys() != expected.keys():
        trial.failed(f"files are missing or too many: {sorted(found.keys() ^ expected.keys())[:5]}")
    trial.compared += len(expected)
    for name in found.keys() & expected.keys():
        if found[name].read_bytes() != expected[name].read_bytes():
            trial.failed(f"{name} differs")


def files(folder: Path) -> dict[str, Path]:
    """The files of a sweep by name, without those that are its own."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path for name, path in paths.items() if name not in OWN}


def one(folder: Path, size: Size, seed: int, kills: Iterator[tuple[str, Moment]], trial: Trial) -> None:
    """One disturbed sweep beside one that is left alone."""
    from strobe.sweep import sweep

    file = folder / f"{seed}.toml"
    file.write_text(size.text(seed))
    disturbed(file, folder / f"{seed}", size, kills, trial)
    sweep(file, folder / f"{seed}_alone", workers=0)
    compare(folder / f"{seed}", folder / f"{seed}_alone", trial)
    trial.sweeps += 1
    trial.chunks += size.chunks


def at_random(random: Random, times: int, trial: Trial) -> Iterator[tuple[str, Moment]]:
    """Kills at random moments, until so many have struck: some as processes start, most among chunks."""
    while sum(trial.kills.values()) < times:
        seconds = random.uniform(0.0, 4.0)
        moment = random.choice(
            (after(seconds), after(seconds / 4, 1), after(seconds / 4, random.randint(1, 30)))
        )
        yield random.choice((WORKER, MAIN)), moment


def after(seconds: float, chunks: int = 0) -> Moment:
    """The moment when so many more chunks are done, not before some seconds have passed since they are looked for."""
    start: list[tuple[float, int]] = []

    def has_come(out: Path) -> bool:
        now = monotonic(), len(receipts(out))
        start.append(now) if not start else None
        return now[0] >= start[0][0] + seconds and now[1] >= start[0][1] + chunks

    return has_come


def killing(times: int, size: Size, seed: int) -> tuple[Trial, float]:
    """So many kills, and the seconds that it took."""
    trial, random, start = Trial(), Random(seed), monotonic()
    with tempfile.TemporaryDirectory(prefix="strobe_killing_") as folder:
        while sum(trial.kills.values()) < times and not trial.failures:
            one(Path(folder), size, trial.sweeps, at_random(random, times, trial), trial)
    return trial, monotonic() - start


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m reliability.killing", description=__doc__)
    parser.add_argument("--times", type=int, default=50, help="kills in all")
    parser.add_argument("--processes", type=int, default=2, help="workers of each sweep")
    parser.add_argument("--chunks", type=int, default=300, help="of each sweep")
    parser.add_argument("--seed", type=int, default=0, help="of the moments and the victims")
    parser.add_argument(
        "--record", action="store_true", help="append what was found to reliability/results/"
    )
    asked = parser.parse_args()
    trial, seconds = killing(asked.times, Size(asked.chunks, 256, asked.processes), asked.seed)
    row = {
        "kills_of_workers": trial.kills[WORKER],
        "kills_of_the_main_process": trial.kills[MAIN],
        "sweeps": trial.sweeps,
        "chunks": trial.chunks,
        "files_compared": trial.compared,
        "seconds": round(seconds),
        "failures": len(trial.failures),
    }
    record("killing", row, kept=asked.record)
    return 1 if trial.failures else 0


if __name__ == "__main__":
    sys.exit(main())
