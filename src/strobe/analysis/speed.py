"""How long things take: several ways to do the same work, interleaved, on inputs that change between calls.

A time is the best of many rounds within one process, because whatever else the machine does only adds to it.
Identical code still differs between processes (by up to 40 % where they were compared, with the placement of
memory and code), so a figure to quote is a median over processes; ratios of ways that were timed together
come first, nanoseconds second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import count, cycle, islice
from typing import Any

import numpy as np

from strobe.errors import UnsupportedModelError
from strobe.formulations import FORMULATIONS
from strobe.models.tips import hands
from strobe.quantities import OF_A_FRAME, QUANTITIES, Request
from strobe.robot import Robot
from strobe.runtime.kernels import Kernel

BATCH = 4096  # states in a batch
ROUND = (
    1e-2  # seconds that a round of calls lasts: neither the clock nor caches left cold by the others count
)
ROUNDS = 5  # at least, however long they take
WARM = 3  # calls until nothing is compiled any more
SINGLES = 64  # states that single calls take in turn
STATES = ("q", "qd", "qdd", "tau")  # what a state is made of
LARGEST = 30_000  # nodes of a graph that a quick look still compiles: some seconds

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Way:
    """A function to time and the arguments that its calls take in turn."""

    function: Callable[..., object]
    arguments: Sequence[Arguments] = ((),)


def best_times(ways: Mapping[str, Way], seconds: float = 1.0, each: float = ROUND) -> dict[str, float]:
    """Seconds per call of each way: the best of interleaved rounds, a few at least, within a time budget.

    A round lasts ``each`` seconds, so that caches are warm; with 0 it is one call, after the calls of all others.
    """
    turns = {name: cycle(way.arguments) for name, way in ways.items()}
    repeats = {name: _repeats(way.function, turns[name], each) for name, way in ways.items()}
    best = dict.fromkeys(ways, float("inf"))
    end = time.perf_counter() + seconds
    for done in count(1):
        for name, way in ways.items():
            best[name] = min(best[name], _seconds(way.function, turns[name], repeats[name]))
        if done >= ROUNDS and time.perf_counter() >= end:
            break
    return best


def _repeats(function: Callable[..., object], turns: Iterator[Arguments], each: float) -> int:
    """Calls to a round; the first calls, which may compile, do not count."""
    for _ in range(WARM):
        function(*next(turns))
    return max(1, round(each / min(_seconds(function, turns, 1) for _ in range(WARM))))


def _seconds(function: Callable[..., object], turns: Iterator[Arguments], repeats: int) -> float:
    start = time.perf_counter()
    for arguments in islice(turns, repeats):
        function(*arguments)
    return (time.perf_counter() - start) / repeats


# -- the ways of a robot -----------------------------------------------------------------------------


def state(robot: Robot, names: Sequence[str], seed: int, batch: int | None = None) -> Arguments:
    """Random values of what a quantity takes, one state or a batch."""
    q, qd, qdd = robot.random_state(seed, () if batch is None else batch)
    tau = np.random.default_rng(seed).standard_normal(qd.shape)
    known: dict[str, Any] = dict(zip(STATES, (q, qd, qdd, tau), strict=True))
    return tuple(known[name] for name in names)


def batch_way(robot: Robot, request: Request, threads: int, batch: int = BATCH, sets: int = 2) -> Way:
    """A call on a batch, on a stated number of threads, into an array that is there already."""
    call = method(robot, request)
    names = QUANTITIES[request.quantity].states
    out = np.empty((batch, *request.shape(robot.model)))
    return Way(
        lambda *values: call(*values, out=out, threads=threads),
        [state(robot, names, seed, batch) for seed in range(sets)],
    )


def single_way(robot: Robot, request: Request) -> Way:
    """A call on one state."""
    names = QUANTITIES[request.quantity].states
    return Way(method(robot, request), [state(robot, names, seed) for seed in range(SINGLES)])


def method(robot: Robot, request: Request) -> Callable[..., Any]:
    """The robot's method that answers a request, as a user calls it."""
    call: Callable[..., Any] = getattr(robot, request.quantity)
    options: dict[str, Any] = {}
    if request.formulation is not None:
        options["formulation"] = request.formulation
    if not request.friction:
        options["friction"] = False
    if request.frame is not None:
        options["frame"] = request.frame
    if not options:
        return call

    def asked(*values: Any, **more: Any) -> Any:
        return call(*values, **options, **more)

    return asked


def measurable(robot: Robot) -> list[Request]:
    """The quantities that are functions of a state, friction left out as in other libraries."""
    requests: list[Request] = []
    for name, quantity in QUANTITIES.items():
        if not set(quantity.states) <= set(STATES) or not hasattr(robot, name):
            continue
        parameters = signature(getattr(robot, name)).parameters
        needed = [p.name for p in parameters.values() if p.default is p.empty]
        if "out" in parameters and needed == list(quantity.states):
            frame = hands(robot.model)[-1] if name in OF_A_FRAME else None
            requests.append(Request(name, friction="friction" not in parameters, frame=frame))
    return requests


@dataclass(frozen=True, slots=True)
class Speed:
    """What one request takes: operations, seconds until the first answer, seconds per state and per call."""

    multiplications: int
    additions: int
    first: float  # tracing, compiling (or finding the code on disk) and the first call
    batch: float  # per state
    single: float | None
    peers: Mapping[str, float]  # other libraries, per state or call, by name


def too_large(robot: Robot, request: Request) -> str | None:
    """Why a quick look leaves a request out, or None."""
    try:
        nodes = len(Kernel(robot.model, request).program.nodes)
    except UnsupportedModelError as error:  # a method answers, by solving for something first
        return str(error)
    return f"its graph of {nodes:,} nodes takes long to compile" if nodes > LARGEST else None


def speed(
    robot: Robot, request: Request, seconds: float, peers: Mapping[str, tuple[Way, int]] | None = None,
    single: bool = True, batch: int = BATCH,
) -> Speed:  # fmt: skip
    """One request timed on one thread beside other libraries: ways, and how many states a call of each does."""
    start = time.perf_counter()
    program = robot.kernel(request).program
    ways = {"batch": batch_way(robot, request, 1, batch)}
    if single:
        ways["single"] = single_way(robot, Request(request.quantity))  # as one writes it: no keywords
    for way in ways.values():
        way.function(*way.arguments[0])
    first = time.perf_counter() - start
    others = peers or {}
    times = best_times(ways | {f"peer {name}": way for name, (way, _) in others.items()}, seconds)
    return Speed(
        multiplications=program.multiplications,
        additions=program.additions,
        first=first,
        batch=times["batch"] / batch,
        single=times.get("single"),
        peers={name: times[f"peer {name}"] / states for name, (_, states) in others.items()},
    )


def formulations(robot: Robot) -> list[Request]:
    """Inverse dynamics by each formulation that the robot allows; of a single chain only."""
    if not robot.model.is_serial:
        return []
    return [
        Request("inverse_dynamics", formulation=name, friction=False)
        for name, formulation in FORMULATIONS.items()
        if formulation.refusal(robot.model) is None
    ]
