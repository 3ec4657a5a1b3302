"""Chunks on this machine: by threads, or by processes that are reached through pipes and through nothing else.

A thread here looks after each worker: it hands out a chunk, waits for word of it, and starts another worker in the
place of one that has died. The chunk is done again; the fifth worker that it loses it has killed.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from typing import IO, Any

from strobe.child_processes import python_command, python_environment
from strobe.errors import SweepError
from strobe.sweep.worker import MOST_DEATHS, Done, Workshop, killer
from strobe.sweep.worker_process import done_of

MOST_STARTS = 3  # of a worker, in vain
LOOK = 1.0  # seconds between two looks whether to stop
AHEAD = 2  # chunks handed out for every thread
WORKER = "from strobe.sweep.worker_process import main; main()"

By = Callable[[Workshop, Sequence[int]], Generator[Done]]  # who does chunks


def by_threads(count: int) -> By:
    """Chunks done by so many threads of this process."""

    def doing(workshop: Workshop, pending: Sequence[int]) -> Generator[Done]:
        left: Iterator[int] = iter(pending)
        back: SimpleQueue[Any] = SimpleQueue()
        with ThreadPoolExecutor(count) as pool:

            def hand_out(index: int) -> None:
                pool.submit(workshop.do, index).add_done_callback(back.put)

            try:
                for index in islice(left, AHEAD * count):
                    hand_out(index)
                for _ in pending:
                    done = _next(back).result()
                    for index in islice(left, 1):
                        hand_out(index)
                    yield done
            finally:
                pool.shutdown(cancel_futures=True)

    return doing


def by_processes(count: int) -> By:
    """Chunks done by so many processes, one for each processor."""

    def doing(workshop: Workshop, pending: Sequence[int]) -> Generator[Done]:
        todo, back = deque(pending), SimpleQueue[Any]()
        workers = [_Worker(workshop) for _ in range(min(count, len(pending)))]
        threads = [
            threading.Thread(target=_look_after, args=(each, todo, back), daemon=True) for each in workers
        ]
        for thread in threads:
            thread.start()
        try:
            for _ in pending:
                found = _next(back)
                if isinstance(found, Exception):
                    raise found
                yield found
        finally:
            for worker in workers:
                worker.end()
            for thread, worker in zip(threads, workers, strict=True):
                thread.join()
                worker.bury()

    return doing


def _next(back: SimpleQueue[Any]) -> Any:
    """What comes back next; Ctrl-C is heard in between, on systems where waiting is deaf to it too."""
    while True:
        with suppress(Empty):
            return back.get(timeout=LOOK)


class _Died(Exception):
    """A worker that is no longer there, and what it said last."""


def _look_after(worker: _Worker, todo: deque[int], back: SimpleQueue[Any]) -> None:
    """Give a worker chunk after chunk, until there is none left or something is wrong."""
    while not worker.ended:
        try:
            index = todo.popleft()
        except IndexError:
            return
        try:
            back.put(worker.done(index))
        except Exception as error:  # for the one who waits, to raise
            back.put(error)
            return


class _Worker:
    """A process that does chunks, and its successors."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop
        self.process: subprocess.Popen[str] | None = None
        self.said: IO[bytes] | None = None
        self.ended, self.starting = False, threading.Lock()

    def done(self, index: int) -> Done:
        """A chunk, by as many workers as it takes."""
        for _ in range(MOST_DEATHS):
            process = self.process or self._started()
            try:
                return self._taken(self._asked(process, f"{index}"))
            except _Died:
                self.bury()
        raise killer(self.workshop.plan.work(index))

    def _taken(self, answer: dict[str, Any]) -> Done:
        if "refused" in answer:
            raise SweepError(answer["refused"])
        if "failed" in answer:
            raise RuntimeError(f"a worker failed:\n{answer['failed']}")
        return done_of(answer)

    def _started(self) -> subprocess.Popen[str]:
        """A process that has said that it is ready."""
        why = ""
        for _ in range(MOST_STARTS):
            try:
                process = self._begun()
                self._asked(process, json.dumps(self.workshop.words()))
                return process
            except (_Died, OSError) as error:
                why = str(error)
                self.bury()
        raise SweepError(f"the workers did not start ({why or 'they gave no reason'}). Take fewer.")

    def _begun(self) -> subprocess.Popen[str]:
        with self.starting:  # not after the end: nobody would end it
            if self.ended:
                raise _Died("the sweep has ended")
            self.said = tempfile.TemporaryFile()  # noqa: SIM115  closed when it is buried
            self.process = subprocess.Popen(
                python_command(WORKER), env=python_environment(), text=True, encoding="ascii",
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said,
            )  # fmt: skip
            return self.process

    def _asked(self, process: subprocess.Popen[str], line: str) -> dict[str, Any]:
        """What a process answers to a line."""
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = ""
        if not answer.endswith("\n"):
            raise _Died(self._last_words())
        return json.loads(answer)

    def _last_words(self) -> str:
        if self.said is None or self.said.closed:
            return ""
        self.said.seek(0)
        lines = self.said.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else ""

    def bury(self) -> None:
        """Make sure that a process is gone, and forget it."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            for stream in (process.stdin, process.stdout, self.said):
                with suppress(OSError):  # what was not yet written
                    stream.close()  # pyright: ignore[reportOptionalMemberAccess]
            process.wait()

    def end(self) -> None:
        """End the process at once: what it has not finished is done again another time."""
        with self.starting:
            self.ended = True
            if self.process is not None:
                self.process.kill()
