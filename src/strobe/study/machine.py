"""Where the numbers come from: the command, the machine and the versions."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from strobe import __version__
from strobe.show.tables import remark, table
from strobe.study.case import Case

TITLE = "How to reproduce it"

PACKAGES = ("numpy", "scipy", "llvmlite", "sympy", "mpmath", "pin", "mujoco")


def measure(case: Case) -> dict[str, Any]:
    """The command of the whole study, the machine and what is installed."""
    return {
        "command": f"strobe {case.study}",
        "state": case.origin,
        "q": case.q,
        "qd": case.qd,
        "qdd": case.qdd,
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "versions": {"strobe": __version__} | {name: _version(name) for name in PACKAGES},
    }


def command(case: Case) -> str:
    return case.study


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(
        "every table stands beside the command that makes it again; counts and exact results are the same on "
        "every machine, times are of this one"
    )
    there = {name: found for name, found in data["versions"].items() if found}
    rows = [
        ["state", data["state"]],
        ["processor", f"{data['processor']}, {data['cores']} cores"],
        ["system", data["system"]],
        ["Python", data["python"]],
        *([name, found] for name, found in there.items()),
    ]
    yield table(["", "this study"], rows)


def _processor() -> str:
    """The processor's name as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
