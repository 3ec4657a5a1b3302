"""Processes that Strobe starts with the same Python: they run code from where this process has it, and nowhere else.

Python looks for modules in the working folder first when it is given a text (``-c``) or a module (``-m``), so that a
``numpy.py`` lying there would run. A child is started with ``-P`` (no such folder), gets the absolute folders of this
process in their order, and passes both on to its own children.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

HOME = str(Path(__file__).resolve().parents[1])  # where this package lies
WINDOWS_APART = ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW")  # of subprocess, on Windows alone
ALONE = {  # libraries of others start a thread for every processor, and reserve memory for each
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


def python_command(text: str, *arguments: str) -> list[str]:
    """The command that runs a text of ours in a process of its own."""
    places = f"import sys; known = {trusted_folders()!r}"
    first = f"{places}; sys.path[:] = known + [place for place in sys.path if place not in known]"
    return [sys.executable, "-P", "-c", f"{first}\n{text}", *arguments]


def python_environment(**more: str) -> dict[str, str]:
    """The environment of such a process, on one processor: no place in it depends on the working folder."""
    places = os.pathsep.join(_stated())
    return {**os.environ, "PYTHONSAFEPATH": "1", "PYTHONPATH": places, **ALONE, **more}


def apart_on_windows() -> int:
    """The `creationflags` of a process that Ctrl-C does not reach; a new session does that on other systems."""
    return sum(getattr(subprocess, flag) for flag in WINDOWS_APART) if sys.platform == "win32" else 0


def trusted_folders() -> list[str]:
    """Where this process finds modules, without the working folder, which Python itself has put there."""
    kept = {*_stated(), HOME, *sysconfig.get_paths().values()}
    here = os.path.realpath(os.getcwd())
    return [
        place
        for place in sys.path
        if os.path.isabs(place) and (place in kept or os.path.realpath(place) != here)
    ]


def _stated() -> list[str]:
    """The folders that a user has named for Python, as far as they are the same wherever a command is called."""
    return [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(place)]
