"""Calls that builtins answer against the methods that they lie over: the same bits, or the same sentence.

    python -m reliability.one_call --inputs 1000 --record

A case is a random tree, a quantity with random options, and a way to write the call: what comes by place, what by
name, for one state or for several, with results of one's own or without. Once the robot has learnt it, thousands of
calls follow, on ordinary states and on extreme ones, and on what is no plain array: lists, other precisions, steps,
other sizes, results that may not be written or lie across the inputs. Each has to end as the method of the class
ends it, which no builtin lies over. Handles (`Robot.prepared`) are asked the same. Now and then several threads make
the first call together, share a batch in parts of sixteen states, or the handler of a signal raises in the middle.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from reliability.random_trees import Shape, random_request, random_states, random_tree
from reliability.readers import options
from reliability.record import record
from strobe.compiler.runtime import processor, threads
from strobe.errors import StrobeError
from strobe.quantities import Request
from strobe.robot import Robot

SHAPES = [Shape(n) for n in (1, 2, 3, 4, 6)]
DRAWN = 60  # argument lists of a case
CALLS = 10_000  # of a case, by the builtin
STEPS = ("integrate", "difference")  # methods that take neither threads nor room for results
SHARED = 40  # states of a batch that threads share
PARTS = ((processor, "WORK_PER_THREAD"), (threads, "WORK_PER_THREAD"), (threads, "LEAST_PART"))
KEYWORDS = ("friction", "formulation", "form", "drives", "accelerated", "reference")
STRANGE = (np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e300, 1e16)


class Interrupt(Exception):
    """What the handler of a signal raises."""


@dataclass
class Tally:
    """What came of calls."""

    cases: int = 0
    calls: int = 0
    refused: int = 0
    learnt: int = 0
    signals: int = 0
    failures: int = 0

    def add(self, other: Tally) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass(frozen=True)
class Written:
    """A way to write a call."""

    quantity: str
    places: tuple[str, ...]  # inputs by place
    names: tuple[str, ...]  # inputs by name
    options: dict[str, Any]
    out: bool
    rows: tuple[str, ...]  # inputs that are one row for all states of a batch

    def arguments(self, values: dict[str, Any], out: Any) -> tuple[list[Any], dict[str, Any]]:
        named = {name: values[name] for name in self.names} | self.options
        return [values[name] for name in self.places], named | ({"out": out} if self.out else {})


# -- a case -------------------------------------------------------------------------------------------------


def written(rng: np.random.Generator, request: Request, inputs: dict[str, int]) -> Written | None:
    """A way to write a call of a request; None where a method cannot ask it."""
    if request.by or len(request.loaded) > 1:
        return None
    words = [name.split(" ")[0] for name in inputs]
    states = [word for word in words if word not in ("wrench", "gravity", "parameters", "geometry")]
    if request.quantity == "point_jacobian":
        states = ["q"]
    places = states[: int(rng.integers(0, len(states) + 1))] if rng.random() < 0.3 else states
    named = [word for word in words if word not in places]
    given = {name: getattr(request, name) for name in KEYWORDS}
    usual = Request(request.quantity)
    chosen = {name: value for name, value in given.items() if value != getattr(usual, name)}
    if request.quantity == "hybrid_dynamics":
        chosen["accelerated"] = request.accelerated
    if request.frame is not None:
        chosen["frame"] = request.frame
    if request.loaded:
        chosen["frame"] = request.loaded[0]
    plain = request.quantity not in STEPS
    shuffled = tuple(map(str, rng.permutation(named)))
    rows = ["parameters", "geometry", *(word for word in ("wrench", "gravity") if rng.random() < 0.5)]
    out = bool(plain and rng.random() < 0.4)
    return Written(request.quantity, tuple(places), shuffled, chosen, out, tuple(rows))


def drawn(
    rng: np.random.Generator, way: Written, states: dict[str, np.ndarray], rows: int
) -> dict[str, Any]:
    """Values of one call: most of them plain, some strange."""
    pick = rng.integers(0, len(next(iter(states.values()))), rows or 1)
    values: dict[str, Any] = {}
    for name, x in states.items():
        word = name.split(" ")[0]
        value = x[pick].copy() if rows and word not in way.rows else x[pick[0]].copy()
        if rng.random() < 0.1:
            value.flat[int(rng.integers(value.size))] = rng.choice(STRANGE)
        values[word] = (
            float(value[0]) if word == "dt" and not rows else value[..., 0] if word == "dt" else value
        )
    if rng.random() < 0.25:
        spoilt = str(rng.choice(list(values)))
        values[spoilt] = spoil(rng, np.asarray(values[spoilt]))
    return values


def spoil(rng: np.random.Generator, x: np.ndarray) -> Any:
    """The same in another form, or something else."""
    wide = np.repeat(x[..., None], 2, -1) if x.ndim else x
    locked = x.copy()
    locked.flags.writeable = False
    ways: list[Callable[[], Any]] = [
        x.tolist,
        lambda: x.astype(np.float32),
        lambda: x.astype(x.dtype.newbyteorder()),
        lambda: locked,
        lambda: wide[..., 0] if x.ndim else x,
        lambda: x[..., :-1] if x.ndim else x,
        lambda: np.concatenate([x, x], -1) if x.ndim else [x, x],
        lambda: x[None],
        lambda: x.astype(int),
        lambda: x.astype(complex),
        lambda: x.astype(str),
        lambda: np.ma.masked_array(x),
        lambda: x.view(type("Mine", (np.ndarray,), {})) if x.ndim else x,
        lambda: np.asfortranarray(x),
        lambda: x[::-1] if x.ndim else x,
        lambda: None,
        lambda: "q",
        lambda: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(float).reshape(x.shape),
    ]
    return ways[int(rng.integers(len(ways)))]()


def results(rng: np.random.Generator, shape: tuple[int, ...], values: dict[str, Any]) -> Any:
    """Room for results: as it should be, or not."""
    choice = rng.random()
    if choice < 0.7:
        return np.full(shape, 7.0)
    locked = np.full(shape, 7.0)
    locked.flags.writeable = False
    ways: list[Any] = [
        None,
        locked,
        np.full(shape, 7.0, np.float32),
        np.full((*shape, 2), 7.0)[..., 0],
        np.zeros(3),
        "out",
    ]
    ways.append(next((x for x in values.values() if isinstance(x, np.ndarray)), None))
    return ways[int(rng.integers(len(ways)))]


# -- how calls end ------------------------------------------------------------------------------------------


def ended(call: Callable[..., Any], args: list[Any], named: dict[str, Any]) -> Any:
    """What a call gives, as bits, or the sentence with which it is refused."""
    try:
        with np.errstate(all="ignore"):
            result = call(*args, **named)
    except StrobeError as error:
        return type(error).__name__, str(error)
    if isinstance(result, tuple):
        return type(result).__name__, [_bits(part) for part in result]
    return _bits(result)


def _bits(x: Any) -> Any:
    """Bits, but for those of numbers that are none."""
    x = np.asarray(x)
    return x.dtype.str, x.shape, np.where(np.isnan(x), 0.0, x).tobytes(), np.isnan(x).tobytes()


def fresh(args: list[Any], named: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The same call with room of its own for results, unless that lies on an input."""
    out = named.get("out")
    if not isinstance(out, np.ndarray) or any(out is x for x in (*args, *named.values()) if x is not out):
        return args, named
    return args, named | {"out": out.copy() if out.flags.writeable else out}


def _alone(args: list[Any], named: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The same call on copies of what may be written over."""
    out = named.get("out")
    if isinstance(out, np.ndarray) and any(out is x for x in args):
        again = out.copy()
        return [again if x is out else x for x in args], named | {"out": again}
    return fresh(args, named)


# -- a trial ------------------------------------------------------------------------------------------------


def faults(rng: np.random.Generator, calls: int, tally: Tally) -> Iterator[str]:
    """What is wrong with the builtin over one method."""
    model = random_tree(rng, SHAPES[int(rng.integers(len(SHAPES)))])
    request = random_request(rng, model)
    robot = Robot(model)
    try:
        robot.require(request)
        kernel = robot.kernel(request)
        way = written(rng, request, dict(kernel.inputs))
        if way is None or kernel.is_empty:
            return
        assert kernel.program.outputs
    except StrobeError:
        return
    rows = int(rng.choice([0, 0, 0, 1, 5, SHARED]))
    if rows == SHARED and way.quantity not in STEPS:
        way.options["threads"] = 2
    states = random_states(rng, kernel, SHARED)
    shape = (*((rows,) if rows else ()), *kernel.shape)
    tally.cases += 1
    with _small_parts() if rows == SHARED else nullcontext():
        yield from _taught(rng, robot, way, states, rows, shape)
        drawings = []
        for _ in range(DRAWN):
            with np.errstate(all="ignore"):  # of casts
                values = drawn(rng, way, states, rows)
                drawings.append(way.arguments(values, results(rng, shape, values)))
        yield from _compared(rng, robot, way, drawings, calls // 5 if rows == SHARED else calls, tally)
    if not rows:
        yield from _handled(robot, request, kernel, states, tally)


@contextmanager
def _small_parts() -> Iterator[None]:
    """Every batch is worth several threads, sixteen states a part of it."""
    kept = [(room, name, getattr(room, name)) for room, name in PARTS]
    for room, name, _ in kept:
        setattr(room, name, 1)
    try:
        yield
    finally:
        for room, name, usual in kept:
            setattr(room, name, usual)


def _plain(
    rng: np.random.Generator, way: Written, states: dict[str, np.ndarray], rows: int, shape: Any
) -> Any:
    picked = {name: x[:rows] if rows else x[0] for name, x in states.items()}
    values = {}
    for name, x in picked.items():
        word = name.split(" ")[0]
        values[word] = states[name][0] if word in way.rows else x
        if word == "dt":
            values[word] = x[..., 0] if rows else float(x[0])
    return way.arguments(values, np.zeros(shape))


def _taught(
    rng: np.random.Generator,
    robot: Robot,
    way: Written,
    states: dict[str, np.ndarray],
    rows: int,
    shape: Any,
) -> Iterator[str]:
    """Let the robot learn how the call is written, sometimes in several threads at once."""
    args, named = _plain(rng, way, states, rows, shape)
    expected = ended(getattr(type(robot), way.quantity), [robot, *args], named)

    def teach(_: int) -> Any:
        return [ended(getattr(robot, way.quantity), *fresh(args, named)) for _ in range(4)]

    if rng.random() < 0.2:
        with ThreadPoolExecutor(4) as pool:
            found = [each for several in pool.map(teach, range(4)) for each in several]
    else:
        found = teach(0)
    if any(each != expected for each in found):
        yield f"{way} is answered otherwise while it is learnt"


def _compared(
    rng: np.random.Generator, robot: Robot, way: Written, drawings: list[Any], calls: int, tally: Tally
) -> Iterator[str]:
    method, builtin = getattr(type(robot), way.quantity), getattr(robot, way.quantity)
    if isinstance(builtin, BuiltinFunctionType):
        tally.learnt += len(builtin.__self__.calls)
    expected = []
    for args, named in drawings:
        lone, called = _alone(args, named)
        expected.append(ended(method, [robot, *lone], called))
    tally.refused += sum(isinstance(each[1], str) for each in expected)
    alarmed = rng.random() < 0.1
    for k in range(calls // len(drawings)):
        for (args, named), wanted in zip(drawings, expected, strict=True):
            lone, called = _alone(args, named)
            if alarmed:
                _interrupted(builtin, lone, called, tally)
                lone, called = _alone(args, named)
            tally.calls += 1
            if ended(builtin, lone, called) != wanted:
                yield f"call {k} of {way} on {lone}, {called}: {ended(builtin, lone, called)} instead of {wanted}"
                return
        if alarmed:
            alarmed = k < 5


def _interrupted(call: Callable[..., Any], args: list[Any], named: dict[str, Any], tally: Tally) -> None:
    """A call in the middle of which a signal may come whose handler raises."""

    def end(*_: Any) -> None:
        raise Interrupt

    before = signal.signal(signal.SIGALRM, end)
    with suppress(Interrupt, StrobeError):
        signal.setitimer(signal.ITIMER_REAL, 2e-6)
        with np.errstate(all="ignore"):
            call(*args, **named)
        time.sleep(1e-5)
    with suppress(Interrupt):
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        time.sleep(0)
    signal.signal(signal.SIGALRM, before)
    tally.signals += 1


def _handled(
    robot: Robot, request: Request, kernel: Any, states: dict[str, np.ndarray], tally: Tally
) -> Iterator[str]:
    """A handle for the same question gives what evaluation gives."""
    ask = robot.prepared(request)
    for k in range(20):
        values = {name: x[k] for name, x in states.items()}
        given = [float(x[0]) if name == "dt" else x for name, x in values.items()]
        with np.errstate(all="ignore"):
            whole = robot.evaluate(request, values)
        found = ask(*given)
        flat = (
            np.concatenate([part.ravel() for part in found]) if isinstance(found, tuple) else found.ravel()
        )
        tally.calls += 1
        if _bits(flat) != _bits(whole.ravel()):
            yield f"a handle for {request} gives {found} instead of {whole}"
            return


def attempt(seeds: range, calls: int = CALLS) -> tuple[Tally, list[str]]:
    """Cases by their numbers, and what is wrong with which."""
    tally, said = Tally(), list[str]()
    for seed in seeds:
        rng = np.random.default_rng(seed)
        said += [f"case {seed}: {fault}" for fault in faults(rng, calls, tally)]
    tally.failures = len(said)
    return tally, said


def main() -> None:
    given = options(__doc__, 1000)
    start, total = time.monotonic(), Tally()
    first = given.seed << 32
    tasks = [range(first + k, first + min(k + 5, given.inputs)) for k in range(0, given.inputs, 5)]
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        for tally, said in pool.map(attempt, tasks):
            total.add(tally)
            for fault in said:
                print(fault[:3000], flush=True)
    row = {**vars(total), "seed": given.seed, "seconds": round(time.monotonic() - start, 1)}
    record("one_call", row, kept=given.record)


if __name__ == "__main__":
    main()
