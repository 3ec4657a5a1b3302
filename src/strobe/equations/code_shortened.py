"""Shortened torques as source that runs by itself: one function, with a test against them and the exact torques."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import ClassVar

import numpy as np

from strobe import __version__
from strobe.compiler.graph.program import Program
from strobe.equations import code_c, code_python
from strobe.equations.code import (
    ASCII,
    STATES,
    TOLERANCE,
    WAVES,
    WIDTH,
    Cases,
    Routine,
    Sheet,
    ShortCase,
    independent,
)
from strobe.equations.parameters import Named, drives_of
from strobe.equations.pruning import replay
from strobe.equations.readable import Readable
from strobe.equations.shortened import STATE, Shortened
from strobe.equations.steps import Label, Written, written
from strobe.robot import Robot
from strobe.scalars import Graph, Node

SEED = 20


def python_source(short: Shortened) -> str:
    """A Python module that needs the standard library only; run as a script it tests itself."""
    return code_python.source(short_sheet(short), short_cases(short))


def c_sources(short: Shortened, stem: str = "") -> dict[str, str]:
    """A header, a source, a test and a Makefile, by file name; ``stem`` as for `code.c_sources`."""
    return code_c.sources(short_sheet(short), short_cases(short), stem)


@dataclass(frozen=True)
class ShortSheet(Sheet):
    """Shortened torques to write as code, in one function."""

    short: Shortened
    suffix: ClassVar[str] = "_short"

    @cached_property
    def routines(self) -> list[Routine]:
        return [self._routine("inverse_dynamics", {"tau": list(self.equations.written.results)})]

    @property
    def composed(self) -> tuple[str, ...]:
        return ()

    @property
    def remarks(self) -> list[str]:
        joints = ", ".join(joint.name for joint in self.equations.coordinates.joints)
        return [
            f"Shortened equations of motion of {self.equations.name}.",
            "",
            "    tau = M(q) qdd + C(q, qd) qd + G(q), with what matters least left out",
            "",
            "Rotor inertia is included, friction is not. Units are SI, angles radians.",
            f"Joints, in this order: {joints}",
            *(line for x in self.short.sentences() for line in wrap(x.translate(ASCII), WIDTH)),
            f"Written by Strobe {__version__}.",
        ]


def short_sheet(short: Shortened) -> ShortSheet:
    """The steps of the shortened program under names."""
    model, steps = short.robot.model, _steps(short.program, short.robot.n)
    words = Named(model, drives_of(model))
    readable = Readable(model.name, words, short.robot.coordinates, steps, (), asked=())
    return ShortSheet(readable, True, short)


def _steps(program: Program, n: int) -> Written:
    """The program over q1, qd1 and so on, what is used twice under names."""
    graph = Graph()
    names = {f"{x}[{k}]": f"{x}{k + 1}" for x in STATE for k in range(n)}
    outputs = replay(program, {place: graph.variable(name) for place, name in names.items()})
    whole = Program((), tuple(map(graph.lower, outputs)), (n,))
    return written(whole, _circles(whole), [f"tau{k + 1}" for k in range(n)], names.values())


def _circles(program: Program) -> list[Label]:
    """c1 and s1 for the cosine and sine of q1."""
    circles = [node for node in program.nodes if node.op in ("cos", "sin")]
    return [
        Label(f"{node.op[0]}{_index(node.args[0])}", node, "", "", WAVES, minor=True) for node in circles
    ]


def _index(angle: Node) -> str:
    return str(angle.value).removeprefix("q") if angle.op == "input" else "a"


def short_cases(short: Shortened) -> Cases:
    """States within the ranges: the shortened torques as interpreted, and the exact ones by a formulation."""
    rng = np.random.default_rng(SEED)
    ranges = (short.ranges.q, short.ranges.qd, short.ranges.qdd)
    motion = [rng.uniform(x[:, 0], x[:, 1], (STATES, short.robot.n)) for x in ranges]
    arm, method = Robot(short.robot.model, compiled=False), independent(short.robot.model)
    exact = arm.inverse_dynamics(*motion, formulation=method, friction=False)
    tau = np.array([_interpreted(short.program, *state) for state in zip(*motion, strict=True)])
    scale = float(np.abs(exact).max()) or 1.0
    bounds = short.bounds * short.largest + TOLERANCE * scale
    allowed = bounds if short.proven else np.maximum(bounds, 1.01 * np.abs(tau - exact).max(axis=0))
    columns = (*motion, tau, exact)
    rows = tuple(ShortCase(*(x.tolist() for x in row)) for row in zip(*columns, strict=True))
    return Cases(method, rows, {"tau": scale}, tuple(allowed.tolist()))


def _interpreted(program: Program, *state: np.ndarray) -> list[float]:
    inputs = {f"{x}[{k}]": float(v) for x, vs in zip(STATE, state, strict=True) for k, v in enumerate(vs)}
    return [float(x) for x in replay(program, inputs)]  # pyright: ignore[reportArgumentType]
