"""How long do equations of motion take, how much memory, and are they right?

M, C and G from a model in memory: closed forms in named parameters in the shortest form found, the PUMA 560's in
normal form (two thousand terms in M alone), and the readable grade of arms with seven joints. Each row is measured in
a process of its own, for its peak of memory; then the equations are worked out again and held against two
compiled formulations and, in named parameters, against Newton-Euler in a prime field.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import strobe
from benchmarks.timer import Row, answer
from strobe.equations.closed_form import Equations, equations_of
from strobe.equations.code import c_sources, closed
from strobe.equations.readable import Readable, readable
from strobe.equations.verification import TOLERANCE, verify, verify_readable

SECONDS = 0.0  # once is enough
MOST_MEGABYTES = 1000


@dataclass(frozen=True)
class Question:
    """A robot, the grade of its equations, and the seconds they may take."""

    robot: str
    grade: str
    within: float

    def load(self) -> strobe.Robot:
        return strobe.random(7, seed=1, kinds="R") if self.robot == "general7" else strobe.load(self.robot)


QUESTIONS = (
    Question("planar2", "closed form", 0.3),
    Question("spherical3", "closed form", 1.0),
    Question("pendulum3", "closed form", 1.0),
    Question("puma560", "normal form", 15.0),
    Question("puma560", "readable, named", 15.0),
    Question("panda", "readable", 15.0),
    Question("panda", "readable, named", 15.0),
    Question("general7", "readable", 15.0),
    Question("general7", "readable, named", 15.0),
)


def _closed(robot: strobe.Robot) -> Equations:
    equations = _normal(robot)
    closed(equations)
    return equations


def _normal(robot: strobe.Robot) -> Equations:
    equations = equations_of(robot)
    _ = equations.mass_matrix, equations.coriolis_matrix, equations.gravity
    return equations


GRADES: dict[str, Callable[[strobe.Robot], Equations | Readable]] = {
    "closed form": _closed,
    "normal form": _normal,
    "readable": readable,
    "readable, named": lambda robot: readable(robot, numbers=False),
}


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    asked = [k for k, question in enumerate(QUESTIONS) if not small or question.robot == "planar2"]
    return [checked(QUESTIONS[k], measured_apart(k)) for k in asked]


def measured_apart(k: int) -> Row:
    """What `measured` says in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.how_fast_equations", "--measure", str(k)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def checked(question: Question, measured: Row) -> Row:
    """What was measured, with the size of the equations and their largest error."""
    robot = question.load()
    equations = GRADES[question.grade](robot)
    right = (verify_readable if isinstance(equations, Readable) else verify)(equations, robot)  # pyright: ignore
    if not right.passed:
        raise SystemExit(
            f"the equations of {robot.name} are wrong: {right.worst:.1e}, allowed {TOLERANCE:.0e}."
        )
    if measured["megabytes"] > MOST_MEGABYTES:
        raise SystemExit(f"the equations of {robot.name} took {measured['megabytes']:.0f} MB.")
    return {
        "robot": question.robot,
        "grade": question.grade,
        "n": robot.n,
        **_size(robot, equations),
        **measured,
        "within_s": question.within,
        "largest_error": right.worst,
        "primes": len(right.exact),
    }


def _size(robot: strobe.Robot, equations: Equations | Readable) -> Row:
    if isinstance(equations, Readable):
        texts = c_sources(robot, numbers=not equations.parameters)
        code = sum(len(text) for name, text in texts.items() if name.startswith("strobe_"))
        return {
            "multiplications": equations.multiplications,
            "additions": equations.additions,
            "c_bytes": code,
        }
    entries = [
        x for row in (*equations.mass_matrix, *equations.coriolis_matrix, equations.gravity) for x in row
    ]
    return {"terms": sum(map(len, entries))}


def measured(k: int) -> Row:
    """Seconds from the model to its equations, and the peak of memory since the process began."""
    question = QUESTIONS[k]
    robot = question.load()
    start = time.perf_counter()
    GRADES[question.grade](robot)
    spent = time.perf_counter() - start
    return {"seconds": spent, "megabytes": _peak()}


def _peak() -> float:
    """Megabytes at most used by this program; what getrusage says counts the process that started it, too."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(json.dumps(measured(int(sys.argv[-1]))))
    else:
        answer("how_fast_equations", once, SECONDS, processes=3)
