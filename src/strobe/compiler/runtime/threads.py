"""Threads: large batches are split over a pool, and what is built when first asked for is built by one at a time."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from itertools import pairwise
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.errors import ArgumentError, shown

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

WORK_PER_THREAD = 4_000_000  # operations worth a thread of their own


# -- batches ----------------------------------------------------------------------------------------


def in_parallel(
    ufunc: Any, inputs: list[np.ndarray], batch: tuple[int, ...], out: np.ndarray, threads: int
) -> None:
    """The ufunc on slices of the longest batch axis, one per thread."""
    if threads <= 1 or not batch or max(batch) < 2:
        _quietly(ufunc, inputs, out)
        return
    whole = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in inputs]
    whole = [x.copy() if np.may_share_memory(x, out) else x for x in whole]
    longest = max(batch)
    threads = min(threads, longest)
    before = (slice(None),) * batch.index(longest)
    cuts = [longest * k // threads for k in range(threads + 1)]
    parts = [(*before, slice(a, b)) for a, b in pairwise(cuts)]
    list(pool().map(lambda part: _quietly(ufunc, [x[part] for x in whole], out[part]), parts))


def _quietly(ufunc: Any, inputs: list[np.ndarray], out: np.ndarray) -> None:
    """A call without warnings: NaN and infinity say it all. Each thread has warnings of its own to silence."""
    with np.errstate(all="ignore"):
        ufunc(*inputs, out=out)


@cache
def pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor  # few calls are so large

    return ThreadPoolExecutor(max(default_threads(), 4), thread_name_prefix="strobe")


def asked_threads(threads: int | None) -> int | None:
    """As many as a call asks for, if it does."""
    if threads is not None and (not isinstance(threads, int | np.integer) or threads < 1):
        raise ArgumentError(f"threads is {shown(threads)}; expected a number of threads, 1 or more.")
    return threads


def worthwhile(operations: int) -> int:
    """How many threads so many operations keep busy."""
    return max(1, min(default_threads(), operations // WORK_PER_THREAD))


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


YOUNGEST = 50_000  # objects made before the collector looks through them


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
    _after_fork()


_llvm: Any = nullcontext()  # the lock that is taken along


def _llvm_lock() -> Any:
    """What llvmlite holds whenever it calls LLVM, for dropped code too; nothing if it is not imported."""
    ffi = sys.modules.get("llvmlite.binding.ffi")
    return getattr(getattr(ffi, "lib", None), "_lock", None) or nullcontext()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)
