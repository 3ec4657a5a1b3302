"""What STROBE_DEBUG prints to stderr: 1 sizes and times, 2 also what each pass leaves, 3 the graph, 4 the IR.

The package says nothing else of its own accord. Who wants to tell people what they wait for sets `watch`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import local
from time import perf_counter

from strobe.errors import ArgumentError


@cache
def level() -> int:
    text = os.environ.get("STROBE_DEBUG", "") or "0"
    if not text.isdecimal():
        raise ArgumentError(f'STROBE_DEBUG is "{text}"; expected a number from 0 to 4.')
    return int(text)


def say(least: int, text: Callable[[], str]) -> None:
    """A text, from this level on."""
    if level() >= least:
        print(f"strobe: {text()}", file=sys.stderr)


@contextmanager
def timed(what: str) -> Iterator[None]:
    """How long something takes."""
    start = perf_counter()
    yield
    say(1, lambda: f"{what}, {1e3 * (perf_counter() - start):.1f} ms")


Watch = Callable[[str], AbstractContextManager[object]]

_watch: list[Watch] = [nullcontext]
_outermost = local()


def watch(when_compiling: Watch) -> None:
    """From now on, what makes code runs within ``when_compiling(what)``."""
    _watch[0] = when_compiling


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """What somebody waits for while code is made; what is made on the way belongs to it and is not told apart."""
    if getattr(_outermost, "found", False):
        yield
        return
    _outermost.found = True
    try:
        with _watch[0](what):
            yield
    finally:
        _outermost.found = False
