"""Numbered inputs tried by processes of their own: who crashes, hangs, grows or raises is told, and the rest goes on.

A worker says which input it takes up before it does; where it dies, or stays with one for too long, its parent knows
which input it was, and another worker goes on behind it.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import queue
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import strobe
from strobe.errors import StrobeError

PACKAGE = Path(strobe.__file__).parent
MEMORY = 500 * 2**20  # bytes: the most that one input may take
PATIENCE = 30.0  # seconds on the clock after which a worker that does not answer is ended
WATCH = 0.2  # seconds between two looks at the workers
TOLD = 15.0  # seconds between two lines about how far they are

READ, REFUSED = "read", "refused"  # how an input ought to end


class Slow(BaseException):
    """An input took more processor time than it may."""


@dataclass(frozen=True)
class Failure:
    """An input that ended as none may."""

    number: int
    kind: str  # crash, hang, memory, or the name of an exception
    place: str  # the innermost line of ours
    said: str

    @property
    def signature(self) -> tuple[str, str]:
        """What makes two failures one fault."""
        return self.kind, self.place

    def __str__(self) -> str:
        return f"input {self.number}: {self.kind} at {self.place or 'an unknown place'}: {self.said}"


class Trial(Protocol):
    """What is got ready once, and then tried by workers, input by number."""

    memory: int  # bytes by which a worker may grow
    lifetime: int  # inputs after which another worker takes over

    @property
    def rows(self) -> Sequence[str]:
        """What inputs are counted by."""
        ...

    def prepare(self) -> None: ...

    def row(self, number: int) -> int:
        """Which row an input belongs to."""
        ...

    def seconds(self, number: int) -> float:
        """How much processor time an input may take."""
        ...

    def attempt(self, number: int) -> object: ...


# -- one input ----------------------------------------------------------------------------------------------


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `Slow` here once so much processor time is used up."""

    def end(*_: Any) -> None:
        raise Slow

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def outcome(run: Callable[[], object], seconds: float, number: int = 0) -> str | Failure:
    """How one input ends here: read, refused with a sentence, or a failure."""
    try:
        with limited(seconds):
            return REFUSED if run() == REFUSED else READ
    except StrobeError as error:
        return REFUSED if str(error).strip() else Failure(number, "no sentence", place(error), "")
    except Slow as error:
        return Failure(number, "hang", place(error), f"more than {seconds:g} s of processor time")
    except MemoryError as error:
        return Failure(number, "memory", place(error), str(error)[:200])
    except Exception as error:
        return Failure(number, type(error).__name__, place(error), str(error)[:200])


def place(error: BaseException) -> str:
    """The innermost line of Strobe in a traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(PACKAGE)]
    last = (ours or frames)[-1]
    return f"{Path(last.filename).stem}.{last.name}"


def limit_memory(more: int = MEMORY) -> None:
    """Let this process grow by so much; beyond it, memory cannot be had."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, hard))


# -- many ---------------------------------------------------------------------------------------------------


def tried(trial: Trial, inputs: int, processes: int) -> tuple[dict[str, tuple[int, int]], list[Failure]]:
    """Every input from 0 on: how many were read and how many refused, by row, and the failures; told on stderr."""
    trial.prepare()  # here: workers, and those that take over from them, have it from the beginning
    watch = _Watch(trial, inputs, processes)
    start = told = time.monotonic()
    try:
        while watch.working():
            time.sleep(WATCH)
            watch.look()
            if (now := time.monotonic()) - told > TOLD:
                rate, told = watch.done / (now - start), now
                said = f"{watch.done:,} of {inputs:,} inputs, {rate:,.0f}/s, {len(watch.failures)} failed"
                print(said, file=sys.stderr, flush=True)
    finally:
        watch.end()
    return watch.counts(), watch.failures


class _Watch:
    """The workers, where each of them is, and what they have found."""

    def __init__(self, trial: Trial, inputs: int, processes: int) -> None:
        self.trial, self.inputs, self.step = trial, inputs, processes
        self.context = multiprocessing.get_context("fork")
        self.messages: Any = self.context.Queue()
        self.at: Any = self.context.Array("q", [-1] * processes, lock=False)
        self.tally: Any = self.context.Array("q", 2 * processes * len(trial.rows), lock=False)
        self.failures: list[Failure] = []
        self.moved = [(-1, 0.0)] * processes
        self.next = list(range(processes))
        self.workers = [self._start(k, k) for k in range(processes)]

    def _start(self, k: int, first: int) -> Any:
        self.at[k], self.moved[k] = -1, (-1, time.monotonic())
        numbers = range(first, self.inputs, self.step)[: self.trial.lifetime]
        self.next[k] = first + self.step * self.trial.lifetime
        arguments = (self.trial, numbers, k, self.at, self.tally, self.messages)
        worker = self.context.Process(target=_work, args=arguments, daemon=True)
        worker.start()
        return worker

    @property
    def done(self) -> int:
        return sum(self.tally) + len(self.failures)

    def counts(self) -> dict[str, tuple[int, int]]:
        width = 2 * len(self.trial.rows)
        return {
            name: (sum(self.tally[2 * row :: width]), sum(self.tally[2 * row + 1 :: width]))
            for row, name in enumerate(self.trial.rows)
        }

    def working(self) -> bool:
        return any(worker.exitcode != 0 for worker in self.workers) or min(self.next) < self.inputs

    def look(self) -> None:
        """Take what was sent, end who hangs, replace who died."""
        self._drain()
        for k, worker in enumerate(self.workers):
            here, since = self.at[k], self.moved[k][1]
            if here != self.moved[k][0]:
                self.moved[k] = (here, time.monotonic())
            elif here >= 0 and worker.is_alive() and time.monotonic() - since > PATIENCE:
                worker.kill()
                worker.join()
                self._replace(k, "hang", f"no answer for {PATIENCE:g} s")
            elif worker.exitcode:
                self._replace(k, "crash", f"the process ended with {worker.exitcode}")
            elif worker.exitcode == 0 and self.next[k] < self.inputs:
                self.workers[k] = self._start(k, self.next[k])

    def _replace(self, k: int, kind: str, said: str) -> None:
        here = self.at[k]
        if here < 0:
            raise RuntimeError(f"a worker could not begin: {said}")
        self._add(Failure(here, kind, "", said))
        self.workers[k] = self._start(k, here + self.step)

    def _drain(self) -> None:
        with suppress(queue.Empty):
            while True:
                self._add(self.messages.get_nowait())

    def _add(self, failure: Failure) -> None:
        self.failures.append(failure)
        print(failure, file=sys.stderr, flush=True)

    def end(self) -> None:
        for worker in self.workers:
            if worker.is_alive():
                worker.kill()
            worker.join()
        time.sleep(WATCH)  # what the last one sent is on its way
        self._drain()


def _work(trial: Trial, numbers: range, k: int, at: Any, tally: Any, messages: Any) -> None:
    """One worker: its share of the inputs, one after the other."""
    limit_memory(trial.memory)
    watcher = os.getppid()
    for number in numbers:
        if os.getppid() != watcher:  # nobody is left to tell
            return
        at[k] = number
        ended = outcome(lambda: trial.attempt(number), trial.seconds(number), number)  # noqa: B023  called at once
        if isinstance(ended, Failure):
            messages.put(ended)
        else:
            tally[2 * (k * len(trial.rows) + trial.row(number)) + (ended == REFUSED)] += 1
    at[k] = -1
