"""Where the cycles of a compiled kernel go: its machine code, what the units of a core allow, and what is measured.

A kernel computes a group of states at a time: four in vectors of 256 bits (AVX2, 16 registers), eight in those of
512 (AVX-512, 32 registers), twice as many where it divides. For both widths the same program is compiled, its machine
code counted (`machine_code`), and the least time that each unit of a core allows computed (`execution_ports`). Where
this machine can run it, it is timed:

    bare             the loop alone, over states that stay in the first-level cache
    from Python      a call on a batch of N states, row by row as users hold them
    independent      the same instructions, rewritten so that none waits for another

What lies between *independent* and *bare* is waiting; between the largest limit and *independent*, instructions of
several sorts that compete for one unit.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

import numpy as np

from strobe.analysis.execution_ports import (
    CHAIN,
    CORES,
    SETTLED,
    TURNS,
    Rates,
    Stream,
    clock,
    independent,
    limits,
    measured_rates,
)
from strobe.analysis.machine_code import ARITHMETIC, MachineCode, read
from strobe.analysis.speed import measurable, state, too_large
from strobe.compiler.codegen.llvm import Emitter, Target, paired
from strobe.compiler.graph.order import alive
from strobe.compiler.graph.program import SUMS
from strobe.compiler.runtime import gufunc, jit
from strobe.compiler.runtime.timing import BATCH, Way, best_times
from strobe.errors import ArgumentError, UnknownNameError
from strobe.quantities import QUANTITIES, Request
from strobe.robot import Robot

NEAR = 2**14  # bytes of states that stay in any first-level cache, beside what a kernel keeps
ON_THE_GRAPH = ("fma", "fnma", "mul", *SUMS)


@dataclass(frozen=True)
class Vectors:
    """A width of vectors: its name, states side by side, registers, and a processor with no more than that."""

    name: str
    lanes: int
    registers: int
    feature: str  # by which a processor is known to have it
    cpu: str
    assembly: str  # in which arithmetic of long programs is written for it

    @property
    def bits(self) -> int:
        return 64 * self.lanes

    @property
    def runs_here(self) -> bool:
        features = jit.host_features()
        return bool(features.get(self.feature) and features.get("fma"))

    @property
    def target(self) -> Target:
        wide = self.bits
        attributes = f'"prefer-vector-width"="{wide}" "min-legal-vector-width"="{wide}"'
        return Target(self.lanes, False, attributes, True, self.assembly)

    @property
    def processor(self) -> str | None:
        """The host where these are its widest vectors, else the plain processor that has them."""
        return None if self.runs_here and jit.widest() == self.bits else self.cpu


WIDTHS = (
    Vectors("AVX2", 4, 16, "avx2", "x86-64-v3", "avx2"),
    Vectors("AVX-512", 8, 32, "avx512f", "x86-64-v4", "avx512"),
)


@dataclass(frozen=True)
class Measured:
    """Cycles that a group of states takes on this machine."""

    bare: float
    from_python: float
    independent: float
    rates: Rates
    gigahertz: float


@dataclass(frozen=True)
class Explained:
    """A kernel of one width: what it is made of, what bounds it, what it takes."""

    vectors: Vectors
    states: int  # of a group
    code: MachineCode
    on_the_graph: int  # arithmetic of the program
    alive: int  # values of a state at once, at most, in the order chosen
    measured: Measured | None  # where this machine can run it

    @property
    def limits(self) -> dict[str, float]:
        """Least cycles by what bounds them, on this machine; none where it cannot run the code."""
        return {} if self.measured is None else limits(self.code, self.measured.rates)

    @property
    def elsewhere(self) -> dict[str, dict[str, float]]:
        """The same on other cores."""
        return {core: limits(self.code, rates[self.vectors.bits]) for core, rates in CORES.items()}

    @property
    def in_the_circle(self) -> int:
        """Arithmetic of sines, cosines and other functions that the graph has as one operation."""
        return self.code.number(ARITHMETIC) - self.on_the_graph


def request_of(robot: Robot, quantity: str) -> Request:
    """A quantity that can be explained: a function of a state, without friction."""
    requests = {request.quantity: request for request in measurable(robot)}
    if quantity not in requests:
        raise UnknownNameError(
            "quantity", quantity, f"what strobe bench times of {robot.name}", list(requests)
        )
    reason = too_large(robot, requests[quantity])
    if reason is not None:
        raise ArgumentError(f"{quantity} of {robot.name}: {reason}; nothing is explained of it.")
    return requests[quantity]


def explain(robot: Robot, request: Request, seconds: float = 4.0, run: bool = True) -> list[Explained]:
    """The kernel of a request for each width of vectors; timed where it can run, unless ``run`` says not to."""
    return [_explained(robot, request, vectors, seconds / len(WIDTHS), run) for vectors in WIDTHS]


def _explained(robot: Robot, request: Request, vectors: Vectors, seconds: float, run: bool) -> Explained:
    kernel = robot.kernel(request)
    emitter = Emitter(kernel.program, paired(kernel.program, vectors.target))
    program, text = emitter.program, emitter.text()
    object_file = jit.emit_object(text + REPEAT, cpu=vectors.processor)
    code = read(jit.emit_assembly(text, vectors.processor), _bytes(object_file))
    states = emitter.target.width
    return Explained(
        vectors,
        states,
        code,
        sum(program.counts[op] for op in ON_THE_GRAPH) * states // vectors.lanes,
        max(alive(program.nodes, program.outputs), default=0),
        _measured(robot, request, vectors.bits, emitter, code, object_file, seconds)
        if run and vectors.runs_here
        else None,
    )


def _bytes(object_file: bytes) -> int:
    """Bytes of instructions."""
    import llvmlite.binding as llvm

    return sum(
        part.size() for part in llvm.ObjectFileRef.from_data(object_file).sections() if part.is_text()
    )


def _measured(
    robot: Robot,
    request: Request,
    bits: int,
    emitter: Emitter,
    code: MachineCode,
    object_file: bytes,
    seconds: float,
) -> Measured:
    rates, group = measured_rates(bits, seconds / 4), emitter.target.width
    bare, states = _bare(robot, request, group, emitter.layout.groups, object_file)
    ways = {
        "cycle": Way(clock()),
        "independent": Way(Stream(independent(code.instructions), bits)),
        "bare": Way(bare),
        "python": _from_python(robot, request, object_file),
    }
    times = best_times(ways, seconds, SETTLED)
    cycle = times["cycle"] / (CHAIN * TURNS)
    return Measured(
        bare=times["bare"] / cycle / states * group,
        from_python=times["python"] / cycle / BATCH * group,
        independent=times["independent"] / cycle / TURNS,
        rates=rates,
        gigahertz=1e-9 / cycle,
    )


def _bare(
    robot: Robot, request: Request, group: int, together: int, object_file: bytes
) -> tuple[_Repeated, int]:
    """The loop over few states, again and again, and how many states a call does.

    There are as many groups as pieces of a long program run over together.
    """
    sizes = [*request.inputs(robot.model).values(), prod(request.shape(robot.model))]
    states = group * max(together, NEAR // (8 * sum(sizes) * group))
    times = max(1, BATCH // states)
    arrays = state(robot, QUANTITIES[request.quantity].states, 0, states)
    code = jit.load_object(object_file, "repeat")
    return _Repeated(code, arrays, request.shape(robot.model), times), states * times


class _Repeated:
    """A call runs the loop over the same arrays so many times."""

    def __init__(
        self, code: jit.Code, inputs: Sequence[np.ndarray], core: tuple[int, ...], times: int
    ) -> None:
        self.arrays = [np.ascontiguousarray(x) for x in (*inputs, np.empty((len(inputs[0]), *core)))]
        steps = [x.strides[0] for x in self.arrays] + [step for x in self.arrays for step in x.strides[1:]]
        self.pointers = (ctypes.c_void_p * len(self.arrays))(*(x.ctypes.data for x in self.arrays))
        self.size = (ctypes.c_ssize_t * 1)(len(inputs[0]))
        self.steps = (ctypes.c_ssize_t * len(steps))(*steps)
        self.code = code
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)(code.address)
        self.call = partial(call, self.pointers, self.size, self.steps, times)

    def __call__(self) -> None:
        self.call()


def _from_python(robot: Robot, request: Request, object_file: bytes) -> Way:
    """A call on a batch of states, into an array that is there already."""
    code = jit.load_object(object_file)
    sizes, core = list(request.inputs(robot.model).values()), request.shape(robot.model)
    signature = ",".join(f"({size})" for size in sizes) + f"->({','.join(map(str, core))})"
    made = (
        gufunc.gufunc(request.quantity, "", signature, [(code.address, False)], len(sizes), code)
        if gufunc.available()
        else gufunc.Looped(code.address, False, sizes, core, code)
    )
    out = np.empty((BATCH, *core))
    names = QUANTITIES[request.quantity].states
    return Way(partial(made, out=out), [state(robot, names, seed, BATCH) for seed in range(2)])


REPEAT = """
define void @repeat(ptr %args, ptr %dims, ptr %steps, i64 %times) #0 {
entry:
  br label %again
again:
  %k = phi i64 [ 0, %entry ], [ %next, %again ]
  call void @loop(ptr %args, ptr %dims, ptr %steps, ptr null)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %times
  br i1 %more, label %again, label %done
done:
  ret void
}
"""
"""The loop over the same states, again and again."""
