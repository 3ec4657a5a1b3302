"""Threads: large batches are split over a pool, and what is built when first asked for is built by one at a time."""

from __future__ import annotations

import gc
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from math import prod
from queue import SimpleQueue
from threading import Lock, RLock, Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.errors import ArgumentError, shown

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

WORK_PER_THREAD = 4_000_000  # operations worth a thread of their own: some hundred microseconds
LEAST_PART = 500_000  # operations that are not divided further: some fifteen
TOGETHER = 16  # states that vector code computes at once, at most


# -- batches ----------------------------------------------------------------------------------------


def in_parallel(
    ufunc: Any,
    inputs: list[np.ndarray],
    batch: tuple[int, ...],
    out: np.ndarray,
    threads: int,
    operations: int = LEAST_PART,
) -> None:
    """The ufunc on slices of the longest batch axis, each of so many operations a state, over some threads."""
    longest = max(batch, default=1)
    least = LEAST_PART * longest // max(operations * prod(batch), 1)  # along that axis
    parts = shares(longest, threads, least) if threads > 1 else []
    if len(parts) < 2:
        _quietly(ufunc, inputs, out)
        return
    whole = [x if x.shape[:-1] == batch else np.broadcast_to(x, (*batch, x.shape[-1])) for x in inputs]
    whole = [x.copy() if np.may_share_memory(x, out) else x for x in whole]
    before = (slice(None),) * batch.index(longest)

    def part(which: slice) -> None:
        place = (*before, which)
        _quietly(ufunc, [x[place] for x in whole], out[place])

    each_once(part, parts, threads)


def shares(length: int, threads: int, least: int) -> list[slice]:
    """Parts for some threads: large ones first, so that none waits long for the last one."""
    parts: list[slice] = []
    start = 0
    while start < length:
        size = max(least, (length - start) // (2 * threads), 1)
        size = min(size + -size % TOGETHER, length - start)
        parts.append(slice(start, start + size))
        start += size
    return parts


def each_once(work: Callable[[Any], None], parts: Sequence[Any], threads: int) -> None:
    """Work on every part, by this thread and by some of the crew.

    Whoever is free takes the next part: a thread that wakes late, or finds no processor, leaves more to the others,
    and none waits for one that has not begun. After an interrupt no part is begun any more.
    """
    left = deque(parts)
    elsewhere: SimpleQueue[BaseException | None] = (
        SimpleQueue()
    )  # what became of every part that others took

    def help_out() -> None:
        for part in _taken(left):
            elsewhere.put(_failure(work, part, BaseException))  # or the call would wait for ever

    try:
        crew().ask(help_out, min(threads, len(parts)) - 1)
        here = [_failure(work, part) for part in _taken(left)]
        outcomes = here + [elsewhere.get() for _ in range(len(parts) - len(here))]
    except BaseException:
        left.clear()
        raise
    for failure in outcomes:
        if failure is not None:
            raise failure


def _taken(left: deque[Any]) -> Iterator[Any]:
    """What this thread takes of it, until nothing is left."""
    while True:
        try:
            yield left.popleft()
        except IndexError:
            return


def _failure(
    work: Callable[[Any], None], part: Any, kind: type[BaseException] = Exception
) -> BaseException | None:
    try:
        work(part)
    except kind as error:
        return error


def _quietly(ufunc: Any, inputs: list[np.ndarray], out: np.ndarray) -> None:
    """A call without warnings: NaN and infinity say it all. Each thread has warnings of its own to silence."""
    with np.errstate(all="ignore"):
        ufunc(*inputs, out=out)


class Crew:
    """Threads that wait for something to do, each started when it is first needed."""

    def __init__(self, most: int) -> None:
        self.most, self.threads = most, 0
        self.orders: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.hiring = Lock()

    def ask(self, work: Callable[[], None], many: int) -> None:
        """So many of them, or as many as there can be, to do this as soon as they are free."""
        many = min(many, self.most)
        with self.hiring:
            while self.threads < many and self._hired():
                self.threads += 1
        for _ in range(min(many, self.threads)):
            self.orders.put(work)

    def _hired(self) -> bool:
        try:
            Thread(target=self._follow, name="strobe", daemon=True).start()
        except RuntimeError:  # the system has none left, or Python is about to end
            return False
        return True

    def _follow(self) -> None:
        while True:
            self.orders.get()()  # under no name, which would keep its arrays until the next order


@cache
def crew() -> Crew:
    return Crew(max(default_threads(), 4))


@cache
def pool() -> ThreadPoolExecutor:
    """For what is divided among threads once for all; a caller of it only waits."""
    from concurrent.futures import ThreadPoolExecutor  # few calls are so large

    return ThreadPoolExecutor(max(default_threads(), 4), thread_name_prefix="strobe")


def asked_threads(threads: int | None) -> int | None:
    """As many as a call asks for, if it does."""
    if threads is not None and (not isinstance(threads, int | np.integer) or threads < 1):
        raise ArgumentError(f"threads is {shown(threads)}; expected a number of threads, 1 or more.")
    return threads


def worthwhile(operations: int, most: int | None = None) -> int:
    """How many threads so many operations keep busy, of at most so many."""
    return max(1, min(most or default_threads(), operations // WORK_PER_THREAD))


@cache
def default_threads() -> int:
    """STROBE_THREADS, or one per core that this process may use."""
    text = os.environ.get("STROBE_THREADS", "")
    if not text:
        usable = getattr(os, "sched_getaffinity", None)
        return len(usable(0)) if usable else os.cpu_count() or 1
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentError(f'STROBE_THREADS is "{text}"; expected a number of threads, 1 or more.')
    return int(text)


# -- building ---------------------------------------------------------------------------------------

building = RLock()  # of all kernels: LLVM has but one lock, and a fork waits for this one


class built:
    """A value made when first asked for, by one thread at a time."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self.make, self.__doc__ = make, make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, kernel: Any, owner: type | None = None) -> Any:
        if kernel is None:
            return self
        with building:
            if self.name not in kernel.__dict__:
                kernel.__dict__[self.name] = self.make(kernel)
            return kernel.__dict__[self.name]


YOUNGEST = 1_000_000  # objects made before the collector looks through them


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """The collector of garbage looks at what is built a few times, not a hundred times: a third of the time saved."""
    with building:  # or two threads would give each other's threshold back
        usual = gc.get_threshold()
        if 0 < usual[0] < YOUNGEST:
            gc.set_threshold(YOUNGEST, *usual[1:])
        try:
            yield
        finally:
            gc.set_threshold(*usual)


def _before_fork() -> None:
    """A child of a process that is building something would wait for ever: locks are taken along, in their order."""
    global _llvm
    building.acquire()
    _llvm = _llvm_lock()
    _llvm.__enter__()


def _after_fork() -> None:
    _llvm.__exit__(None, None, None)
    building.release()


def _in_child() -> None:
    """Threads do not survive a fork."""
    pool.cache_clear()
    crew.cache_clear()
    _after_fork()


_llvm: Any = nullcontext()  # the lock that is taken along


def _llvm_lock() -> Any:
    """What llvmlite holds whenever it calls LLVM, for dropped code too; nothing if it is not imported."""
    ffi = sys.modules.get("llvmlite.binding.ffi")
    return getattr(getattr(ffi, "lib", None), "_lock", None) or nullcontext()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)
