"""What STROBE_DEBUG prints to stderr: 1 sizes and times, 2 also what each pass leaves, 3 the graph, 4 the IR."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
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
