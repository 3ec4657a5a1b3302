"""The ladder of [Waters1979], climbed on this machine: from the equations as written to compiled code.

The report gives one point of a six-joint arm 8 s on a PDP-11/45, 0.25 s once values are recorded and recurrences
used, and promises 20 ms with 3×3 matrices in fixed point: factors of 5, 6, 2 and 4, 50 after the recurrences and
400 in all. Each rung here has its operations for the robot at hand, its time where it is run, and the report's words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from strobe.analysis import counts
from strobe.analysis.polynomials import mixed
from strobe.analysis.speed import batch_way, formulations, single_way, state
from strobe.approximate.method import require_open_dynamics
from strobe.compiler.codegen.walk import NUMBER, Walk
from strobe.compiler.graph.program import Program
from strobe.compiler.runtime.timing import BATCH, ROUND, SINGLES, Way, best_times
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.formulations import formulation, waters_steps
from strobe.papers.findings_counts import printed
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.scalars import Node

SECONDS = 1.0  # for all rungs in turn
LONGEST, QUICK_LONGEST = 10, 7  # joints: beyond, what grows faster than their number takes too long to run
STEPS = {  # of the report, that are no formulations
    "every derivative multiplied out again": waters_steps.straightforward,
    "every value recorded": waters_steps.recorded,
    "waters, inertial part recursive": waters_steps.d_recursive,
}
GROWING = ("uicker-kahn", "waters", *STEPS)
CLIMB = {  # the report's row of each step, and what it makes of it
    "every derivative multiplied out again": ("straightforward", "8 s"),
    "uicker-kahn": ("", ""),
    "every value recorded": ("values recorded", "a factor 5"),
    "waters": ("backward recursion", "a further factor 6, 0.25 s"),
    "waters, inertial part recursive": ("and D recursive", ""),
    "waters-recursive": ("and gravity recursive", "a factor 50 in all"),
    "hollerbach-3x3": ("", "3×3 for 4×4 matrices: a further factor 2"),
    "newton-euler": ("", ""),
}
SMOOTH = Request("inverse_dynamics", friction=False)
FIXED = "fixed point: a further factor 4, 400 in all, 20 ms"
RANGES = {"qd": 2.0, "qdd": 10.0}  # of joints without limits, rad/s or m/s, and per second
TEXTS = {  # operations as Python
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "neg": "-{}",
    "sin": "sin({})",
    "cos": "cos({})",
}


@dataclass(frozen=True, slots=True)
class Rung:
    """One way to get the torques of one state."""

    title: str
    multiplications: int
    additions: int
    ns: float | None  # per state, on this machine; None: counted, not run
    reported: str = ""  # what the report says of this step


@dataclass(frozen=True, slots=True)
class _Step:
    """A rung before it is timed: what to call, and how many states a call does."""

    title: str
    multiplications: int
    additions: int
    way: Way
    states: int = 1
    reported: str = ""


def ladder(robot: Robot, quick: bool = False) -> list[Rung]:
    """The rungs that a robot has, in the order of the report; formulations that it does not allow are left out.

    ``quick`` spends about a second: times are rougher, and C code is counted, not run.
    """
    require_open_dynamics(robot)
    written = _written(robot, QUICK_LONGEST if quick else LONGEST)
    steps = [*written, *_folded(robot), *_compiled(robot)]
    ways = {step.title: step.way for step in steps}
    times = best_times(ways, 0.0, ROUND / 10) if quick else best_times(ways, SECONDS)
    return [*(_timed(step, times) for step in steps), *_in_c(robot, quick)]


def _timed(step: _Step, times: Mapping[str, float]) -> Rung:
    ns = 1e9 * times[step.title] / step.states
    return Rung(step.title, step.multiplications, step.additions, ns, step.reported)


def _written(robot: Robot, longest: int) -> list[_Step]:
    """The formulations as their papers write them, on Python's floats, and the report's own steps among them."""
    names = {request.formulation for request in formulations(robot)}
    if not names:
        return []
    ours = names.union(STEPS).difference(GROWING if robot.nv > longest else ())
    return [_step(robot, name) for name in CLIMB if name in ours]


def _step(robot: Robot, name: str) -> _Step:
    """One way as it is written."""
    run = STEPS[name] if name in STEPS else formulation(name).inverse_dynamics
    cost = counts.written(run, robot.model)
    title = f"{name}, in Python" if name in STEPS else f"{name} as written, in Python"
    way = Way(partial(_on_floats, robot, run), _plain_states(robot))
    return _Step(title, cost.multiplications, cost.additions, way, 1, _reported(name))


def _reported(name: str) -> str:
    """The report's count of a step, for six joints, and what it makes of it."""
    row, words = CLIMB[name]
    if not row:
        return words
    figures = printed("waters", "ladder", row)
    counted = f"{mixed(figures.m(0))}m + {mixed(figures.a(0))}a"
    return f"{counted}: {words}" if words else counted


def _on_floats(
    robot: Robot, run: Callable[..., list[Any]], q: list[float], qd: list[float], qdd: list[float]
) -> list[Any]:
    return run(robot.model, q, qd, qdd)


def _folded(robot: Robot) -> list[_Step]:
    """What the compiler is given, as Python statements."""
    program = robot.kernel(SMOOTH).program
    way = Way(straight(program), _plain_states(robot))
    return [_Step("regrouped, folded, shared, in Python", program.multiplications, program.additions, way)]


def _compiled(robot: Robot) -> list[_Step]:
    """Machine code: one call, a batch, a batch in single precision."""
    native = robot if robot.compiled else Robot(robot.model)
    program = native.kernel(SMOOTH).program
    single = np.float32
    out = np.empty((BATCH, native.nv), single)
    halves = [
        tuple(x.astype(single) for x in state(native, ("q", "qd", "qdd"), seed, BATCH)) for seed in range(2)
    ]
    short = Way(partial(native.inverse_dynamics, friction=False, out=out, threads=1), halves)
    ways = {
        "compiled, one call": (single_way(native, Request("inverse_dynamics")), 1),
        "compiled, in a batch": (batch_way(native, SMOOTH, 1), BATCH),
        "compiled, in a batch, float32": (short, BATCH),
    }
    return [
        _Step(title, program.multiplications, program.additions, way, states)
        for title, (way, states) in ways.items()
    ]


def _in_c(robot: Robot, quick: bool) -> list[Rung]:
    """C by the compiler of this machine, where there is one: single precision, and fixed point in 32 bits."""
    from strobe.approximate.fixed_point import FixedPoint
    from strobe.approximate.fixed_point_timing import c_times

    try:
        method = FixedPoint(robot, _ranges(robot))
    except (ArgumentError, UnsupportedModelError):  # a range that is not known, a joint with a quaternion
        return []
    cost, times = method.operations, None if quick else c_times(method, SECONDS / 2)
    size = cost.multiplications, cost.additions
    if times is None:
        return [Rung("C, fixed point, counted", *size, None, FIXED)]
    return [Rung("C, float32", *size, times.single), Rung("C, fixed point", *size, times.fixed, FIXED)]


def _ranges(robot: Robot) -> dict[str, float]:
    """Ranges of what has no limits; operations do not depend on them."""
    known = {"qd": robot.limits.velocity, "qdd": robot.limits.acceleration}
    return {name: RANGES[name] for name, limits in known.items() if not np.isfinite(limits).all()}


def straight(program: Program) -> Callable[..., list[float]]:
    """A program of plain arithmetic as a Python function, one statement per operation."""
    body = _Statements(program)
    results = ", ".join(body.results())
    head = f"def run({', '.join(each.name for each in program.inputs)}):"
    known: dict[str, Any] = {"sin": math.sin, "cos": math.cos}
    exec("\n".join([head, *body.lines, f"    return [{results}]"]), known)
    return known["run"]


class _Statements(Walk[str]):
    language, table = "Python", TEXTS

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.lines: list[str] = []

    def number(self, value: float) -> str:
        return repr(value)

    def read(self, entry: str) -> str:
        return entry

    def written(self, op: str, *args: object) -> str:
        return TEXTS[op].format(*args)

    def keep(self, node: Node, value: str, kind: str = NUMBER) -> str:
        if node.op == "input":
            return value
        self.lines.append(f"    x{node.index} = {value}")
        return f"x{node.index}"


def _plain_states(robot: Robot) -> list[tuple[list[float], ...]]:
    return [tuple(x.tolist() for x in state(robot, ("q", "qd", "qdd"), seed)) for seed in range(SINGLES)]
