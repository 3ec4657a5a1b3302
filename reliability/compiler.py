"""Differential fuzz of the compiler: random functions and random robots, compiled against interpreted.

    python -m reliability.compiler --evaluations 100000000 --processes 2 --seed 0

A case is a number from which everything else is drawn: a random function (`graphs`), a random recurrence (`marches`)
or a random robot and what is asked of it (`random_trees`), states, layouts of arrays. Every state is compiled and
interpreted, and the difference held against a bound that is computed for that very state (`comparison`, `bounded`).
An evaluation is one quantity in one state of which every number was compared. Most cases have few states; one in
ten asks a small robot for very many. A case that fails is made as small as it goes, printed, and kept under
`regressions/compiler/`, where the tests run it again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import strobe
from reliability.comparison import (
    Array,
    Arrays,
    Subject,
    Tally,
    check_exact,
    check_float32,
    check_layouts,
    check_nan,
    check_scalar,
    check_single,
    check_values,
)
from reliability.graphs import Recipe, random_recipe, smaller, states
from reliability.marches import attempt_march
from reliability.random_trees import WITHOUT, Shape, asked_of, random_request, random_states, random_tree
from reliability.record import record
from strobe.compiler.runtime.traced import Traced
from strobe.quantities import Request
from strobe.robot import Robot

REGRESSIONS = Path(__file__).parent / "regressions" / "compiler"
PER_TASK = 8  # cases that a worker takes at a time
BULK = 10  # of so many cases one has very many states, and one is a recurrence
MANY, ROUND = 1_000_000, 50_000  # states, and how many of them at a time
WORK = 70_000_000  # operations of one kernel on all of them
LONG = 6_000  # operations of a robot's kernel
LONGEST = 25_000  # of every seventh robot: more takes LLVM too long
SOME = 500  # states in single precision, and of code for other machines
WITH_BUILTINS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
SHRINKING = 120.0  # seconds spent on making a case smaller


@dataclass(frozen=True)
class Case:
    """What is tried: everything that is not said here is drawn from the seed."""

    kind: str  # graph, robot, march (a recurrence), or bulk: a small robot in very many states
    seed: int
    size: int  # steps or joints
    states: int
    without: tuple[str, ...] = ()  # parts that a smaller case does without
    recipe: Recipe | None = None

    def to_json(self) -> dict[str, Any]:
        kept = {"kind": self.kind, "seed": self.seed, "size": self.size, "states": self.states}
        return (
            kept
            | ({"without": list(self.without)} if self.without else {})
            | ({"recipe": self.recipe.to_json()} if self.recipe else {})
        )

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Case:
        recipe = Recipe.from_json(kept["recipe"]) if "recipe" in kept else None
        return cls(
            kept["kind"], kept["seed"], kept["size"], kept["states"], tuple(kept.get("without", ())), recipe
        )


def drawn(seed: int) -> Case:
    """The case of a number."""
    rng = np.random.default_rng([seed, 0])
    if seed % BULK == BULK // 2:
        return Case("march", seed, 1, 1)
    if seed % BULK == 0:
        return Case("bulk", seed, int(rng.integers(1, 8)), MANY, ("extreme",) * int(rng.integers(2)))
    count = int(rng.integers(0, 34)) if rng.random() < 0.6 else int(rng.integers(34, 3000))
    if rng.random() < 0.6:
        return Case("graph", seed, int(10 ** rng.uniform(0.3, 3.3)), count)
    joints = int(rng.integers(1, 13)) if rng.random() < 0.85 else int(rng.integers(13, 41))
    return Case("robot", seed, joints, count)


# -- one case -----------------------------------------------------------------------------------------------


def attempt(case: Case) -> Tally:
    """All comparisons of a case; a `Mismatch` says where two of them differ."""
    tally = Tally()
    os.environ["STROBE_WIDTH"] = str(_rng(case, 4).choice(_widths()))
    if case.kind == "march":
        attempt_march(_rng(case, 1), tally)
    elif case.kind == "graph":
        _attempt_graph(case, tally)
    else:
        _attempt_robot(case, tally)
    return tally


def _rng(case: Case, stream: int) -> np.random.Generator:
    """Numbers for one purpose, so that a smaller case changes none of the others."""
    return np.random.default_rng([case.seed, stream])


def _widths() -> list[int]:
    from strobe.compiler.runtime import jit, width

    return [bits for bits in width.WIDTHS if bits <= jit.widest()]


def _attempt_graph(case: Case, tally: Tally) -> None:
    recipe = case.recipe or random_recipe(_rng(case, 1), case.size)
    traced, rng = strobe.trace(recipe.function, **dict(recipe.inputs)), _rng(case, 2)
    arrays = {name: states(rng, case.states, n) for name, n in recipe.inputs}
    tally.graphs += 1
    _compare(_traced(traced), arrays, tally, _rng(case, 3))
    if len(recipe.steps) <= 60 and case.seed % 4 == 0:
        # kinks have two slopes
        smooth = {name: rng.normal(0.0, 2.0, x.shape) for name, x in arrays.items()}
        _compare(_traced(traced.jacobian()), smooth, tally, _rng(case, 3))


def _traced(traced: Traced) -> Subject:
    def call(arrays: Arrays, out: Array | None = None, threads: int | None = None) -> Array:
        return traced(out=out, threads=threads, **arrays)

    return Subject(traced, call)


def _attempt_robot(case: Case, tally: Tally) -> None:
    rng = _rng(case, 1)
    model = random_tree(rng, Shape(case.size, case.without))
    if not model.nv:
        return
    tally.robots += 1
    robot, most = Robot(model), LONGEST if case.seed % 7 == 0 else LONG
    for _ in range(3):
        request = random_request(rng, model, plain="options" in case.without or case.kind == "bulk")
        kernel = asked_of(robot, request)
        if kernel is None or not all(kernel.shape) or len(kernel.program.nodes) > most:
            continue
        count = min(case.states, WORK // len(kernel.program.nodes))
        subject, rounds = _asked(robot, request), _rng(case, 2)
        _compare(subject, random_states(rounds, kernel, min(count, ROUND)), tally, _rng(case, 3))
        for _ in range(ROUND, count, ROUND):
            arrays = random_states(rounds, kernel, ROUND)
            check_values(subject, arrays, subject.call(arrays), tally)


def _asked(robot: Robot, request: Request) -> Subject:
    """A request as a user makes it: by the method where there are builtins, else as methods do."""
    kernel = robot.kernel(request)
    plain = request == Request(request.quantity) and request.quantity in WITH_BUILTINS

    def call(arrays: Arrays, out: Array | None = None, threads: int | None = None) -> Array:
        if plain:
            return getattr(robot, request.quantity)(*arrays.values(), out=out, threads=threads)
        return robot.evaluate(request, dict(arrays), out, threads)

    return Subject(kernel, call, request.record.eliminates, strict=not request.by)


def _compare(subject: Subject, arrays: Arrays, tally: Tally, rng: np.random.Generator) -> None:
    tally.kernels += 1
    found = subject.call(arrays)
    check_values(subject, arrays, found, tally)
    few = {name: array[:33] for name, array in arrays.items()}
    for _ in range(3):
        check_layouts(subject, few, tally, rng)
    check_single(subject, few, found[:33], tally)
    check_exact(subject, {name: array[:2] for name, array in arrays.items()}, found[:2], tally)
    check_nan(subject, few, rng)
    if rng.random() < 0.25:
        check_float32(subject, {name: array[:SOME] for name, array in arrays.items()}, tally)
    if rng.random() < 0.25 and len(subject.kernel.program.nodes) <= LONG:
        check_scalar(subject, {name: array[:SOME] for name, array in arrays.items()}, tally, rng)


# -- failures -----------------------------------------------------------------------------------------------


def failing(case: Case) -> Exception | None:
    """What is wrong with a case; none if nothing is."""
    try:
        attempt(case)
    except Exception as error:
        return error
    return None


def minimised(case: Case, error: Exception) -> tuple[Case, Exception]:
    """The smallest case found that fails in the same way."""
    end, again = time.monotonic() + SHRINKING, True
    while again and time.monotonic() < end:
        again = False
        for candidate in _smaller(case):
            found = failing(candidate) if time.monotonic() < end else None
            if found is not None and _alike(found, error):
                case, error, again = candidate, found, True
                break
    return case, error


def _alike(found: Exception, error: Exception) -> bool:
    return type(found) is type(error) and getattr(found, "check", None) == getattr(error, "check", None)


def _smaller(case: Case) -> Iterator[Case]:
    for count in (1, 2, 8, case.states // 2):
        if 0 < count < case.states:
            yield replace(case, states=count)
    if case.kind == "graph":
        recipe = case.recipe or random_recipe(_rng(case, 1), case.size)
        for fewer in smaller(recipe):
            yield replace(case, recipe=fewer, size=len(fewer.steps))
    elif case.kind != "march":
        yield from (replace(case, size=n) for n in range(1, case.size))
        yield from (replace(case, without=(*case.without, x)) for x in WITHOUT if x not in case.without)


def keep(case: Case, error: Exception) -> Path:
    """The case as a file that the tests run again."""
    REGRESSIONS.mkdir(parents=True, exist_ok=True)
    path = REGRESSIONS / f"{case.kind}-{case.seed}.json"
    path.write_text(
        json.dumps({**case.to_json(), "found": f"{type(error).__name__}: {error}"[:600]}, indent=1) + "\n"
    )
    return path


def kept() -> list[Path]:
    """Every case that failed once."""
    return sorted(REGRESSIONS.glob("*.json"))


# -- many cases ---------------------------------------------------------------------------------------------


def tried(seeds: list[int]) -> Tally:
    """The cases of some numbers, one after the other."""
    total = Tally()
    for seed in seeds:
        case = drawn(seed)
        try:
            total.add(attempt(case))
        except Exception as error:
            smallest, why = minimised(case, error)
            kept_as = keep(smallest, why)
            total.failures.append(
                f"case {seed}, kept as {kept_as.name}: {type(why).__name__}: {why}"[:1500]
            )
    return total


def fuzz(evaluations: int, processes: int, seed: int, seconds: float = np.inf) -> tuple[Tally, int, float]:
    """Cases until so many evaluations are compared or the time is over: what was found, in how many and how long."""
    total, start, said = Tally(), time.monotonic(), 0.0
    fresh = iter(range(seed, sys.maxsize, PER_TASK))
    cases = 0
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _prepare, max_tasks_per_child=40)
    with pool:
        running: dict[Future[Tally], list[int]] = {}
        while total.evaluations < evaluations and time.monotonic() - start < seconds:
            while len(running) < 2 * processes:
                first = next(fresh)
                seeds = list(range(first, first + PER_TASK))
                running[pool.submit(tried, seeds)] = seeds
            done, _ = wait(running, 5.0, FIRST_COMPLETED)
            for future in done:
                total.add(_result(future, running))
                cases += len(running.pop(future))
            if time.monotonic() - said > 20.0:
                said = time.monotonic()
                _say(total, cases, said - start)
        for future in running:
            future.cancel()
        for future in running:
            if not future.cancelled():
                total.add(_result(future, running))
                cases += PER_TASK
    return total, cases, time.monotonic() - start


def _prepare() -> None:
    os.environ["STROBE_CACHE"] = "off"


def _result(future: Future[Tally], running: Mapping[Future[Tally], list[int]]) -> Tally:
    try:
        return future.result()
    except BrokenProcessPool:
        near = [seed for seeds in running.values() for seed in seeds]
        raise SystemExit(
            f"a worker died in one of the cases {near}; find it with python -m reliability.compiler --only SEED"
        ) from None


def _say(total: Tally, cases: int, seconds: float) -> None:
    print(
        f"{seconds:6.0f} s  {total.evaluations:>12,} evaluations  {cases:>6,} cases  {total.kernels:>6,} kernels  "
        f"{len(total.failures)} failures",
        flush=True,
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m reliability.compiler", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--evaluations", type=int, default=100_000_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0, help="the first case")
    parser.add_argument("--seconds", type=float, default=np.inf, help="the longest time")
    parser.add_argument("--only", type=int, help="one case, in this process")
    parser.add_argument("--record", action="store_true", help="append a row to the results")
    asked = parser.parse_args(arguments)
    if asked.only is not None:
        _prepare()
        print(drawn(asked.only), attempt(drawn(asked.only)), sep="\n")
        return 0
    total, cases, seconds = fuzz(asked.evaluations, asked.processes, asked.seed, asked.seconds)
    _say(total, cases, seconds)
    for failure in total.failures:
        print(failure, flush=True)
    row = {
        **vars(total),
        "cases": cases,
        "seed": asked.seed,
        "seconds": round(seconds),
        "failures": len(total.failures),
    }
    record("compiler", row, kept=asked.record)
    return 1 if total.failures else 0


if __name__ == "__main__":
    sys.exit(main())
