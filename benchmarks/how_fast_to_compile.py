"""How long from a model to machine code, and from a process's start to its first torque?

The stages are timed apart: running the equations on nodes, the passes over the graph, writing IR, and LLVM.
Long programs are those of legged robots and of chains and trees, in seconds of the processor from the model to
machine code, and microseconds for each operation: these should not grow with their number. Of a chain and a tree of
50 joints every quantity is asked; what has too many operations for machine code has no bytes of it, and takes the
time until that is known.
First torques are those of a new process: with an empty cache, and with the code on disk.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from functools import partial
from itertools import pairwise

import strobe
from benchmarks.robots import ROBOTS
from benchmarks.timer import Row, answer
from strobe.compiler.codegen.llvm import module
from strobe.compiler.graph.program import trace
from strobe.compiler.runtime import jit
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.processor import MOST_COMPILED, MOST_TRACED
from strobe.compiler.runtime.threads import collecting_seldom
from strobe.errors import ProgramSizeError
from strobe.models.model import Model
from strobe.quantities import QUANTITIES as CATALOGUE, Request
from strobe.scalars import Graph

SECONDS = 0.0  # one compilation of each is enough
QUANTITIES = ("inverse_dynamics", "forward_dynamics")
LONG = ("mass_matrix", "forward_dynamics", "inverse_dynamics_derivatives", "forward_dynamics_derivatives")
LENGTHS = (10, 50, 200)  # of chains and trees
EVERY = 50  # joints of those that are asked everything

FIRST = """
import sys, time
from strobe import load
imported = time.monotonic()
import json
robot = load("panda")
zero = [0.0] * 7
robot.inverse_dynamics(zero, zero, zero)
done = time.monotonic()
started = float(sys.argv[1])
print(json.dumps([1e3 * (imported - started), 1e3 * (done - imported), 1e3 * (done - started)]))
"""


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    robots = (
        {"planar3": strobe.load("planar3")} if small else {k: ROBOTS[k].load() for k in ("panda", "g1")}
    )
    rows = [
        {
            "robot": name,
            "n": robot.n,
            "quantity": quantity,
            **stages(robot, Request(quantity, friction=False)),
        }
        for name, robot in robots.items()
        for quantity in QUANTITIES
    ]
    growth = [("chain", 3)] if small else [(kind, n) for n in LENGTHS for kind in ("chain", "tree")]
    rows += [whole(robots[name], quantity) for name in ("g1",) if name in robots for quantity in LONG]
    if not small:
        rows += [whole(ROBOTS["solo12"].load(), quantity) for quantity in LONG[2:]]
    rows += [
        whole(strobe.random(n, seed=1, tree=kind == "tree"), quantity) | {"robot": f"random {kind}"}
        for kind, n in growth
        for quantity in QUANTITIES
    ]
    rows += every_quantity((("chain", 2),) if small else (("chain", EVERY), ("tree", EVERY)))
    return [*rows, *first_torques(1 if small else 3)]


def every_quantity(shapes: Iterable[tuple[str, int]]) -> list[Row]:
    """All quantities of random chains and trees, but those that have no results there."""
    rows: list[Row] = []
    for kind, n in shapes:
        robot = strobe.random(n, seed=1, tree=kind == "tree")
        asked = [q for q in CATALOGUE if not Kernel(robot.model, Request(q)).is_empty]
        told = {"robot": f"random {kind}", "among": len(asked)}
        rows += [whole(robot, quantity) | told for quantity in asked]
    return rows


def whole(robot: strobe.Robot, quantity: str) -> Row:
    """Seconds of the processor from a model to machine code, in all, and microseconds for each operation."""
    gc.collect()  # what others left
    start = time.process_time()
    operations, code = _compiled(Kernel(robot.model, Request(quantity, friction=False)))
    took = time.process_time() - start
    return {
        "robot": robot.name,
        "n": robot.n,
        "quantity": quantity,
        "operations": operations,
        "object_bytes": len(code),
        "processor_s": took,
        "us_per_operation": 1e6 * took / operations,
    }


def _compiled(kernel: Kernel) -> tuple[int, bytes]:
    """How many operations it has, and its code, if there is one."""
    try:
        program = kernel.program
    except ProgramSizeError:
        return MOST_TRACED, b""
    operations = len(program.nodes)
    if operations > MOST_COMPILED:
        return operations, b""
    with collecting_seldom():
        return operations, jit.emit_object(module(program, jit.host_target()))


def stages(robot: strobe.Robot, request: Request) -> Row:
    """Milliseconds of each stage and of all."""
    model = robot.model
    _trace(model, request)  # what is worked out once for a model is
    clock = [time.perf_counter()]
    _trace(model, request)
    clock.append(time.perf_counter())
    program = Kernel(model, request).program  # traces again
    clock.append(time.perf_counter())
    text = module(program, jit.host_target())
    clock.append(time.perf_counter())
    code = jit.emit_object(text)
    clock.append(time.perf_counter())
    jit.load_object(code)
    clock.append(time.perf_counter())
    traced, again, emitted, compiled, loaded = (1e3 * (b - a) for a, b in pairwise(clock))
    return {
        "multiplications": program.multiplications,
        "additions": program.additions,
        "object_bytes": len(code),
        "trace_ms": traced,
        "passes_ms": max(again - traced, 0.0),
        "emit_ms": emitted,
        "llvm_ms": compiled,
        "load_ms": loaded,
        "total_ms": again + emitted + compiled + loaded,
    }


def _trace(model: Model, request: Request) -> None:
    graph = Graph()
    function = partial(request.evaluate, model.lift(graph))
    trace(function, request.inputs(model), request.shape(model), graph)


def first_torques(repeats: int) -> list[Row]:
    """Panda's first torque in a new process, with and without the code on disk."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        cold = [_first(os.path.join(folder, str(k))) for k in range(repeats)]
        warm = [_first(os.path.join(folder, "0")) for _ in range(repeats)]
    for name, runs in (("cold", cold), ("warm", warm)):
        imported, after, whole = (statistics.median(column) for column in zip(*runs, strict=True))
        rows.append(
            {
                "robot": "panda",
                "cache": name,
                "import_ms": imported,
                "after_import_ms": after,
                "from_start_ms": whole,
            }
        )
    return rows


def _first(cache: str) -> list[float]:
    command = [sys.executable, "-c", FIRST, str(time.monotonic())]
    environment = {**os.environ, "STROBE_CACHE": cache}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return json.loads(done.stdout)


if __name__ == "__main__":
    answer("how_fast_to_compile", once, SECONDS)
