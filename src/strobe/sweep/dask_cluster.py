"""Chunks on the workers of a Dask cluster, by the address of its scheduler.

What a worker needs is a plugin, which Dask gives to every worker, also to one that comes later or in the place of
one that was killed. Only numbers of chunks go out and receipts come back, so few at a time that memory does not grow
with the sweep. A chunk whose worker died is done again by another one; the fifth worker it loses it has killed.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any

from distributed import CancelledError, Client, Future, KilledWorker, WorkerPlugin, get_worker
from distributed.comm.core import CommClosedError

from strobe.errors import ArgumentError, SweepError, distributed
from strobe.sweep.worker import MOST_DEATHS, Done, Workshop, killer

LOOK = 1.0  # seconds between two looks at how many workers there are
AHEAD = 2  # chunks handed out for every thread
TRIES, PAUSE = 20, 0.5  # of equipping workers, and seconds between them
PATIENCE = 20.0  # seconds for a scheduler to answer
MISSING = re.compile(r"ModuleNotFoundError.*No module named '([\w.]+)'")
ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://[^\s/]+:\d+/?")


class Equipment(WorkerPlugin):
    """The workshop on each worker."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop
        self.name = f"strobe-sweep-{secrets.token_hex(8)}"


def _do(equipment: str, index: int) -> Done:
    plugin: Any = get_worker().plugins[equipment]
    return plugin.workshop.do(index)


def crew(scheduler: str) -> Callable[..., Generator[Done]]:
    """Who does chunks: the workers of a scheduler."""
    if not ADDRESS.fullmatch(scheduler):
        raise ArgumentError(
            f'the scheduler "{scheduler}" is no address; expected one such as tcp://192.168.0.7:8786.'
        )

    def doing(workshop: Workshop, pending: Sequence[int]) -> Generator[Done]:
        with connected(scheduler) as client:
            yield from done_by(client, workshop, pending)

    return doing


@contextmanager
def connected(scheduler: str) -> Iterator[Client]:
    """A client of a scheduler that answers and has workers."""
    with _silent():
        try:
            client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
        except OSError as error:
            raise SweepError(
                f"no scheduler answers at {scheduler}: {error}. Start one with: dask scheduler"
            ) from None
        with client:
            _require_workers(client, scheduler)
            yield client


def _require_workers(client: Client, scheduler: str) -> None:
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise SweepError(
            f"the scheduler at {scheduler} has no workers. Start some with: dask worker {scheduler}"
        ) from None


@contextmanager
def _silent() -> Iterator[None]:
    """Dask's own remarks on workers that come and go are not for a user."""
    loggers = {
        logger: logger.level for logger in map(logging.getLogger, ("distributed", "distributed.client"))
    }
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in loggers.items():
            logger.setLevel(level)


def done_by(client: Client, workshop: Workshop, pending: Iterable[int]) -> Iterator[Done]:
    """The chunks, each as soon as it is done."""
    equipment = Equipment(workshop)
    _equip(client, equipment)
    round_ = _Round(client, equipment.name, iter(pending))
    try:
        yield from round_.results(workshop)
    finally:
        with suppress(Exception):  # a scheduler that is gone has forgotten it all
            client.cancel(list(round_.in_flight.values()), force=True)
            client.unregister_worker_plugin(equipment.name)


def _equip(client: Client, equipment: Equipment) -> None:
    """Give every worker its equipment, again if one was killed just then; the next one gets it as it starts."""
    for _ in range(TRIES):
        try:
            client.register_plugin(equipment)
            return
        except CommClosedError:
            sleep(PAUSE)
        except Exception as error:  # of a worker
            raise _told(error) from None
    raise _scheduler_gone()


class _Round:
    """Chunks handed out and not yet back."""

    def __init__(self, client: Client, equipment: str, pending: Iterator[int]) -> None:
        self.client, self.equipment, self.pending = client, equipment, pending
        self.in_flight: dict[int, Future] = {}
        self.back: SimpleQueue[int] = SimpleQueue()
        self.deaths: Counter[int] = Counter()
        self.threads, self.next_look = 0, 0.0

    def results(self, workshop: Workshop) -> Iterator[Done]:
        self._hand_out()
        while self.in_flight:
            try:
                index = self.back.get(timeout=LOOK)
            except Empty:
                if self.client.status != "running":
                    raise _scheduler_gone() from None
                self._hand_out()
                continue
            done = self._taken(index, workshop)
            self._hand_out()
            if done is not None:
                yield done

    def _hand_out(self) -> None:
        room = AHEAD * max(1, self._threads()) - len(self.in_flight)
        for index in islice(self.pending, max(0, room)):
            self._submit(index)

    def _threads(self) -> int:
        """Of all workers there are, asked now and then."""
        now = monotonic()
        if now >= self.next_look:
            self.threads, self.next_look = self._threads_now(), now + LOOK
        return self.threads

    def _threads_now(self) -> int:
        with suppress(OSError):  # of a scheduler that may come back
            found: Any = self.client.nthreads()
            return sum(found.values())
        return self.threads

    def _submit(self, index: int) -> None:
        key = f"{self.equipment}-{index}-{self.deaths[index]}"
        future = self.client.submit(_do, self.equipment, index, key=key, pure=False)
        self.in_flight[index] = future
        future.add_done_callback(lambda _: self.back.put(index))

    def _taken(self, index: int, workshop: Workshop) -> Done | None:
        """A chunk that is back; none if its worker died and it is handed out again."""
        try:
            return self.in_flight.pop(index).result()  # pyright: ignore[reportReturnType]
        except KilledWorker:
            self._count_death(index, workshop)
            self._submit(index)
            return None
        except (CancelledError, CommClosedError):
            raise _scheduler_gone() from None
        except Exception as error:
            raise _told(error) from None

    def _count_death(self, index: int, workshop: Workshop) -> None:
        self.deaths[index] += 1
        if self.deaths[index] == MOST_DEATHS:
            raise killer(workshop.plan.work(index))


def _scheduler_gone() -> SweepError:
    return SweepError(
        "the scheduler has gone. The same command goes on with what is left, once there is one again."
    )


def _told(error: Exception) -> Exception:
    """What a worker raised, as a user reads it."""
    if found := MISSING.search(f"{type(error).__name__}: {error}"):
        return SweepError(
            f"a worker cannot import {found[1]}. Install the same strobe on all workers, with its extra: "
            f"pip install {distributed('scale')}"
        )
    return error
