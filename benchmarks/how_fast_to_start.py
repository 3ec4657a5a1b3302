"""How much processor time passes before a command answers, and before a program has its first torque?

User and system time of whole processes, Python's own start included, with kernels and bytecode on disk. Beside them
stand those of Python and of NumPy alone. Processes of each kind take turns; each figure is a median.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence

from benchmarks.timer import QUIET, Row, answer

SECONDS = 0.0  # a process cannot be shorter
TURNS = 5
COMMAND = [sys.executable, "-m", "strobe"]
STARTS = {
    "Python alone": [sys.executable, "-c", "pass"],
    "NumPy alone": [sys.executable, "-c", "import numpy"],
    "import strobe, NumPy": [sys.executable, "-c", "import numpy, strobe"],
    "strobe --help": [*COMMAND, "--help"],
    "strobe list": [*COMMAND, "list"],
    "strobe torque --help": [*COMMAND, "torque", "--help"],
    "strobe torque panda": [*COMMAND, "torque", "panda", "--q", "0,-0.8,0,-2.4,0,1.6,0.8"],
    "load panda, first torque": [
        sys.executable,
        "-c",
        "import strobe; strobe.load('panda').inverse_dynamics([0.0] * 7, [0.0] * 7, [0.0] * 7)",
    ],
}


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    environment = {key: value for key, value in os.environ.items() if key not in QUIET}  # as a user has it
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    spent: dict[str, list[float]] = {name: [] for name in STARTS}
    for turn in range(2 if small else TURNS + 1):
        for name, command in STARTS.items():
            time = processor_time(command, environment)
            if turn:  # the first compiles, and writes what it compiled
                spent[name].append(time)
    return [{"start": name, "processor_ms": 1e3 * statistics.median(x)} for name, x in spent.items()]


def processor_time(command: Sequence[str], environment: dict[str, str]) -> float:
    """Seconds of processors that a process took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    answer("how_fast_to_start", once, SECONDS)
