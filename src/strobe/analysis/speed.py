"""How long the quantities of a robot take, one state at a time and in batches, by `compiler.runtime.timing`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.timing import BATCH, SINGLES, Arguments, Way, best_times
from strobe.errors import UnsupportedModelError
from strobe.formulations import FORMULATIONS
from strobe.models.default_frame import hands
from strobe.quantities import QUANTITIES, Request
from strobe.robot import Robot
from strobe.robot.framework import as_time

OF_CLOSED_CHAINS = ("loop_", "closed_")  # names of quantities that open ones have no use for
LARGEST = 30_000  # nodes of a graph that a quick look still compiles: some seconds


def state(robot: Robot, names: Sequence[str], seed: int, batch: int | None = None) -> Arguments:
    """Random values of what a quantity takes, one state or a batch."""
    shape = () if batch is None else batch
    q, qd, qdd = robot.random_state(seed, shape)
    draw = np.random.default_rng(seed)
    known: dict[str, Any] = {"q": q, "qd": qd, "qdd": qdd, "tau": draw.standard_normal(qd.shape)}
    known |= {"q0": q, "q1": robot.random_state(seed + 1, shape)[0], "v": qd, "dt": 1.0, "x": qdd}
    known["point"] = draw.standard_normal((*qd.shape[:-1], 3))
    return tuple(known[name] for name in names)


def batch_way(robot: Robot, request: Request, threads: int, batch: int = BATCH, sets: int = 2) -> Way:
    """A call on a batch, on a stated number of threads, into an array that is there already."""
    call = method(robot, request)
    names = QUANTITIES[request.quantity].states
    out = np.empty((batch, *request.shape(robot.model)))
    if "out" in signature(getattr(robot, request.quantity)).parameters:
        function = partial(call, out=out, threads=threads)
    else:

        def function(*values: Any) -> Any:
            given = dict(zip(names, values, strict=True))
            given |= {"dt": as_time(given["dt"])} if "dt" in given else {}
            return robot.evaluate(request, given, out=out, threads=threads)

    return Way(function, [state(robot, names, seed, batch) for seed in range(sets)])


def single_way(robot: Robot, request: Request) -> Way:
    """A call on one state."""
    names = QUANTITIES[request.quantity].states
    return Way(method(robot, request), [state(robot, names, seed) for seed in range(SINGLES)])


def method(robot: Robot, request: Request) -> Callable[..., Any]:
    """The robot's method that answers a request, as a user calls it."""
    call: Callable[..., Any] = getattr(robot, request.quantity)
    names = QUANTITIES[request.quantity].states
    options: dict[str, Any] = {}
    if request.formulation is not None:
        options["formulation"] = request.formulation
    if not request.friction:
        options["friction"] = False
    if request.frame is not None:
        options["frame"] = request.frame
    if request.accelerated:
        options["accelerated"] = request.accelerated
    if names != tuple(signature(call).parameters)[: len(names)]:  # the frame stands between states
        frame = options.pop("frame", None)
        return lambda q, *others, **more: call(q, frame, *others, **options, **more)
    return partial(call, **options) if options else call


def measurable(robot: Robot) -> list[Request]:
    """The quantities that the robot has, friction left out as in other libraries.

    Of hybrid dynamics the accelerations of the first half of the joints are given.
    """
    requests: list[Request] = []
    for name, quantity in QUANTITIES.items():
        if robot.model.is_closed or not name.startswith(OF_CLOSED_CHAINS):
            frame = hands(robot.model)[-1] if quantity.of_a_frame else None
            driven = (
                robot.joint_names[: (len(robot.joint_names) + 1) // 2] if "x" in quantity.states else ()
            )
            friction = "friction" not in quantity.keywords
            requests.append(Request(name, friction=friction, frame=frame, accelerated=tuple(driven)))
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
        as_written = Request(request.quantity, accelerated=request.accelerated)  # no other keywords
        ways["single"] = single_way(robot, as_written)
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
