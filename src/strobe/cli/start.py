"""The command ``strobe``: what there is is told at once, all else goes through the parser."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial

from strobe.cli.exit_codes import leave
from strobe.cli.first_page import BANNER, page


def main() -> None:
    """The entry point ``strobe``."""
    # for what libraries of others start: no module of the working folder runs
    os.environ["PYTHONSAFEPATH"] = "1"
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # idle threads of it would spin for 25 ms each
    words = tuple(sys.argv[1:])
    if words in AT_ONCE and "_STROBE_COMPLETE" not in os.environ:
        leave(AT_ONCE[words], words)
    from strobe.cli.app import app
    from strobe.cli.progress import compiling
    from strobe.compiler.runtime import debug

    debug.watch(compiling)
    app()


def version() -> None:
    from strobe import __version__

    print(f"strobe {__version__}")


def robots(as_json: bool = False) -> None:
    from strobe.cli.robot_index import show_robots

    show_robots(as_json)


AT_ONCE: dict[tuple[str, ...], Callable[[], None]] = {
    (): lambda: print(BANNER),
    ("-h",): lambda: print(page()),
    ("--help",): lambda: print(page()),
    ("--version",): version,
    ("list",): robots,
    ("list", "--json"): partial(robots, as_json=True),
}
