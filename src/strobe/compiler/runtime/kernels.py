"""A quantity of one robot as machine code: traced, simplified, compiled when first called, kept on disk.

A kernel ships as its model and request, never as machine code, so it can be pickled to another process or
machine. Calls release the interpreter lock; large batches are split over threads. What cannot be compiled
(no llvmlite, too many operations) is interpreted, with the same results.

STROBE_DEBUG prints to stderr: 1 sizes and times, 2 also what each pass leaves, 3 the graph, 4 the IR.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import cache, cached_property, partial, update_wrapper
from itertools import pairwise
from math import prod
from threading import RLock
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.graph.derivatives import costs, derivative
from strobe.compiler.graph.passes import optimised
from strobe.compiler.graph.program import Program, trace
from strobe.compiler.graph.simplify import simplify
from strobe.compiler.runtime.arrays import batch_shape, destination, side_by_side, turns
from strobe.compiler.runtime.interpret import evaluate
from strobe.errors import ArgumentError, InterpretedWarning, ProgramSizeError, shown
from strobe.formulations import FORMULATIONS
from strobe.models.couplings import coordinates
from strobe.models.fingerprint import digest, fingerprint, seen
from strobe.models.model import Model
from strobe.quantities import QUANTITIES, Request
from strobe.scalars import Graph, Node, Stored
from strobe.scalars.dual import Direction

if TYPE_CHECKING:
    from strobe.compiler.codegen.llvm import Target
    from strobe.compiler.runtime.cache import Entry
    from strobe.compiler.runtime.jit import Code

WORK_PER_THREAD = 4_000_000  # operations worth a thread of their own
MOST_OPTIMISED = 100_000  # operations: LLVM takes about 15 s for so many
MOST_COMPILED = 250_000  # about 15 s without optimisation; beyond, interpreted
MOST_TRACED = 2 * MOST_COMPILED  # where tracing gives up: simplifying leaves more than half


_building = RLock()  # of all kernels: LLVM has but one lock, and a fork waits for this one


class built:
    """A value made when first asked for, by one thread at a time."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self.make, self.__doc__ = make, make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, kernel: Any, owner: type | None = None) -> Any:
        if kernel is None:
            return self
        with _building:
            if self.name not in kernel.__dict__:
                kernel.__dict__[self.name] = self.make(kernel)
            return kernel.__dict__[self.name]


class Kernel:
    """Calls of one quantity on arrays that are checked already."""

    def __init__(self, model: Model, request: Request) -> None:
        self.model = model
        self.request = request.at_frames(model) if request else request
        self.operations = 0  # known once it is compiled
        self._ufuncs: dict[bool, Any] = {}  # by precision
        self._loops: dict[bool, Code] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self.model, self.request)

    @property
    def quantity(self) -> str:
        return self.request.quantity

    @property
    def owner(self) -> str:
        """Whose quantity it is."""
        return self.model.name

    @property
    def name(self) -> str:
        return f"{self.quantity} of {self.owner}"

    def __repr__(self) -> str:
        taken = ", ".join(f"{name} ({size})" for name, size in self.inputs.items())
        return f"<{self.name}: {taken} to {self.shape}>"

    @cached_property
    def inputs(self) -> dict[str, int]:
        """The vectors it takes, by name, with their sizes."""
        return self.request.inputs(self.model)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result for one state."""
        return self.request.shape(self.model)

    def function(self, graph: Graph | None = None) -> Callable[..., Any]:
        """What it computes, over floats and arrays, or over the nodes of a graph."""
        model = seen(self.model)
        return partial(self.request.evaluate, model if graph is None else model.lift(graph))

    @property
    def stored(self) -> tuple[Stored, ...]:
        """What its code reads by place, beside the inputs."""
        return self.program.stored if self.request.looks_up else ()

    @cached_property
    def constants(self) -> tuple[str, ...]:
        """Its inputs that are constants of the robot."""
        return tuple(self.request.constants(self.model)) if self.request else ()

    @property
    def common(self) -> tuple[str, ...]:
        """Its inputs that are one row for all states of a plain batch."""
        return ()

    @built
    def shared(self) -> Kernel:
        """The same, made for constants that neighbouring states have in common."""
        return Shared(self)

    @property
    def turns(self) -> tuple[int, ...]:
        """Where quaternions begin in its first input, if that is a position."""
        positions = self.request and next(iter(self.inputs), "") == "q"
        return turns(coordinates(self.model).joints) if positions else ()

    def require_stored(self, program: Program) -> None:
        """Refuse a program that reads stored numbers of which the kernel knows nothing: it would read anywhere."""
        if program.stored != self.stored:
            raise TypeError(f"{self.name} reads stored numbers; its request must say so: looks_up.")

    def fingerprint(self) -> str:
        """What tells its object code from that of any other kernel: all that `function` is given.

        The code that reads it is told apart by a digest of our sources; a request that others wrote is told apart by
        the program that comes of it.
        """
        if not _is_ours(self.request):
            return program_digest(self.program)
        return digest(self.model.name, fingerprint(self.model), type(self.request).__module__, self.request)

    @built
    def program(self) -> Program:
        """The expression graph after all passes."""
        with _timed(f"{self.name}: trace"):
            program = self._as_traced()
        _say(2, lambda: f"{self.name}: traced, {program.summary}")
        with _timed(f"{self.name}: passes"):
            program = optimised(program, self._tell)
        _say(1, lambda: f"{self.name}: {program.summary}")
        _say(3, program.text)
        return program

    def _as_traced(self) -> Program:
        """The expression graph as the function draws it."""
        graph = Limited(MOST_TRACED, partial(ProgramSizeError, self.quantity, self.owner))
        if not self.request.by:
            return trace(self.function(graph), self.inputs, self.shape, graph)
        plain = Kernel(self.model, self.request.plain)
        program = simplify(trace(plain.function(graph), self.inputs, plain.shape, graph))
        return self._differentiated(program, self.request.directions(self.model, program.numbers))

    def _differentiated(self, program: Program, directions: Sequence[Direction]) -> Program:
        """The derivative of a program, unless it would be too long."""
        if min(costs(program, directions).values()) > MOST_TRACED:
            raise ProgramSizeError(self.quantity, self.owner, MOST_TRACED)
        return derivative(program, directions)

    def _tell(self, done: str, left: Program) -> None:
        _say(2, lambda: f"{self.name}: {done}, {left.summary}")

    def ufunc(self, single: bool = False, states: int = 0) -> Any:
        """The NumPy ufunc of one precision, or what stands in for it: f(*arrays, out=); made once.

        ``states`` is the size of the batch it is made for, which tells whether the width of vectors matters.
        """
        known = self._ufuncs.get(single)
        if known is not None:
            return known
        with _building:
            if single not in self._ufuncs:
                self._ufuncs[single] = self._compiled(single, states) or self._interpreted
            return self._ufuncs[single]

    def _compiled(self, single: bool, states: int) -> Any:
        if not _has_compiler():
            return None
        from strobe.compiler.runtime import gufunc, jit, width

        entry = self.entry(self.renderer(), width.target(single, states))
        self.operations = entry.number
        if not entry.code:
            _slow(str(ProgramSizeError(self.quantity, self.owner, MOST_COMPILED)))
            return None
        code = self._loops[single] = jit.load_object(entry.code)
        sizes, core = (*self.inputs.values(), *(given.size for given in self.stored)), self.shape
        if not gufunc.available():
            return gufunc.Looped(code.address, single, sizes, core, code)
        signature = ",".join(f"({size})" for size in sizes) + f"->({','.join(map(str, core))})"
        loops = [(code.address, single)]
        return gufunc.gufunc(self.quantity, self.name, signature, loops, len(sizes), code)

    def renderer(self) -> Callable[[Program, Target], str]:
        """What writes its loop over states."""
        from strobe.compiler.codegen.llvm import module

        return module

    @built
    def quick(self) -> Any:
        """The builtin for one state per call; NotImplemented is its answer to anything but plain vectors."""
        if self.stored or not _plain_python() or not _has_compiler():
            return declined
        from strobe.compiler.codegen.llvm_quick import quick_module
        from strobe.compiler.runtime import jit
        from strobe.compiler.runtime.quick import builtin

        render = update_wrapper(partial(quick_module, turns=self.turns), quick_module)
        entry = self.entry(render, jit.host_target(), repr(self.turns))
        if not entry.code:
            return declined
        made = builtin(self.quantity, jit.load_object(entry.code, "quick"))
        return made if self._agrees(made) else declined

    @built
    def batch(self) -> Any:
        """The builtin for plain batches on one thread: (N, size) arrays, and perhaps one for the results.

        What is `common` is a vector.
        """
        if self.stored or not _plain_python() or not isinstance(self.ufunc(), np.ufunc):
            return declined
        from strobe.compiler.codegen.llvm_batch import batch_module
        from strobe.compiler.runtime import cache as disk
        from strobe.compiler.runtime import jit
        from strobe.compiler.runtime.quick import builtin

        common = tuple(map(list(self.inputs).index, self.common))
        asked = tuple(self.inputs.values()), self.shape, common, self.turns
        key = disk.key(repr(asked), batch_module.__name__)
        entry = disk.fetch(key, lambda: disk.Entry(0, jit.emit_object(batch_module(*asked))))
        alone = (2 * WORK_PER_THREAD - 1) // self.operations if default_threads() > 1 else sys.maxsize
        made = builtin(self.quantity, jit.load_object(entry.code, "batch"), self._loops[False], alone)
        return made if self._agrees(made, 3) else declined

    def _agrees(self, made: Any, *batch: int) -> bool:
        """Whether one call gives what the ufunc gives: what the builtin knows of objects in memory is right."""
        shapes = [(n,) if name in self.common else (*batch, n) for name, n in self.inputs.items()]
        state = [np.linspace(0.1, 0.9, prod(shape)).reshape(shape) for shape in shapes]
        for k in self.turns:
            state[0][..., k : k + 4] = 0.5, 0.1, -0.7, 0.5  # of length one
        found = made(*state)
        return isinstance(found, np.ndarray) and np.allclose(
            found, self.ufunc()(*state), 1e-6, equal_nan=True
        )

    def entry(self, render: Callable[[Program, Target], str], target: Target, *more: str) -> Entry:
        """Object code of the program as a renderer, told ``more`` perhaps, writes it, from disk or made now."""
        from strobe.compiler.runtime import cache as disk

        key = disk.key(
            self.fingerprint(), repr(target), f"{render.__module__}.{render.__qualname__}", *more
        )
        with _timed(f"{self.name}: {render.__name__} in all"):
            return disk.fetch(key, lambda: self._made(render, target))

    def _made(self, render: Callable[[Program, Target], str], target: Target) -> Entry:
        from strobe.compiler.runtime import jit
        from strobe.compiler.runtime.cache import Entry

        try:
            program = self.program
        except ProgramSizeError:
            return Entry(MOST_TRACED, b"")
        self.require_stored(program)
        size = len(program.nodes)
        if size > MOST_COMPILED:
            return Entry(size, b"")
        with _timed(f"{self.name}: text"):
            text = render(program, target)
        _say(4, lambda: text)
        with _timed(f"{self.name}: LLVM"):
            code = jit.emit_object(text, optimise=size <= MOST_OPTIMISED)
        _say(1, lambda: f"{self.name}: {len(code):,} bytes of object code for {target}")
        return Entry(size, code)

    def _interpreted(self, *inputs: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        # what is stored it has by itself
        arrays = dict(zip(self.inputs, inputs[: len(self.inputs)], strict=True))
        return evaluate(self.function(), arrays, self.shape, out)

    def __call__(
        self, arrays: Mapping[str, np.ndarray], out: np.ndarray | None = None, threads: int | None = None
    ) -> np.ndarray:
        """The result of shape (*batch, *core)."""
        if self.constants and all(_is_alike(arrays[name]) for name in self.constants):
            return self.shared(arrays, out, threads)
        inputs = [x if side_by_side(x, 1) else np.ascontiguousarray(x) for x in arrays.values()]
        dtype = inputs[0].dtype
        batch = batch_shape(arrays)
        core = self.shape
        target = destination(out, (*batch, *core), dtype)
        fits = target.dtype == dtype and side_by_side(target, len(core))
        result = np.asarray(target) if fits else np.empty(target.shape, dtype)
        workers = _asked_threads(threads)
        states = prod(batch)
        ufunc = self.ufunc(dtype == np.float32, states)
        inputs += [given.in_precision(dtype) for given in self.stored]
        _in_parallel(ufunc, inputs, batch, result, workers or self._worthwhile(states))
        if not fits:
            target[...] = result
        return target

    def _worthwhile(self, states: int) -> int:
        """How many threads a batch keeps busy; an interpreted kernel has one."""
        return max(1, min(default_threads(), states * self.operations // WORK_PER_THREAD))


class Shared(Kernel):
    """A kernel whose constants are the same for neighbouring states: what they decide alone is computed once."""

    def __init__(self, plain: Kernel) -> None:
        super().__init__(plain.model, plain.request)
        self._plain = plain

    def __reduce__(self) -> tuple[Any, ...]:
        return Shared, (self._plain,)

    @cached_property
    def constants(self) -> tuple[str, ...]:
        """None that are looked at again."""
        return ()

    @property
    def common(self) -> tuple[str, ...]:
        return self._plain.constants

    @built
    def program(self) -> Program:
        return self._plain.program

    def renderer(self) -> Callable[[Program, Target], str]:
        from strobe.compiler.codegen.llvm_shared import shared_module

        return shared_module


def _is_alike(array: np.ndarray) -> bool:
    """Whether states along the last batch axis have the same row."""
    return array.ndim == 1 or array.shape[-2] == 1 or array.strides[-2] == 0


def program_digest(program: Program) -> str:
    """What tells a program from others, for whatever reads it."""
    inputs = [(given.name, given.size) for given in program.inputs]
    return digest(inputs, program.shape, program.text())


def _is_ours(request: Request) -> bool:
    """Whether all that answers a request stands in sources that keys of the cache are made from."""
    from strobe.compiler.runtime.cache import is_source

    quantity = QUANTITIES.get(request.quantity)
    method = FORMULATIONS.get(request.formulation or "")
    modules = [kind.__module__ for kind in type(request).__mro__ if kind is not object]
    modules += [quantity.function.__module__] if quantity else []
    modules += [method.module.__name__] if method else []
    return all(map(is_source, modules))


class Limited(Graph):
    """A graph that refuses to grow beyond a size."""

    def __init__(self, most: int, error: Callable[[int], Exception]) -> None:
        super().__init__()
        self.most, self.error = most, error

    def make(self, op: str, args: tuple[Node, ...], value: object = None) -> Node:
        if len(self.nodes) > self.most:
            raise self.error(self.most)
        return super().make(op, args, value)


def declined(*_: Any) -> Any:
    """Stands in for a builtin that there is not."""
    return NotImplemented


def _plain_python() -> bool:
    """Whether objects lie in memory as the builtin for single states knows them: CPython, 64 bits, no debug build."""
    ordinary = sys.implementation.name == "cpython" and sys.maxsize > 2**32
    return (
        ordinary
        and not hasattr(sys, "gettotalrefcount")
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
    )


@cache
def _has_compiler() -> bool:
    try:
        import llvmlite.binding  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except (ImportError, OSError) as error:  # not installed, or its library does not load
        _slow(f"llvmlite cannot be used ({error}).")
        return False
    return True


def _slow(why: str) -> None:
    warnings.warn(
        f"{why} Interpreted on NumPy instead: the same results, more slowly.",
        InterpretedWarning,
        stacklevel=2,
    )


# -- threads ----------------------------------------------------------------------------------------


def _in_parallel(
    ufunc: Any, inputs: list[np.ndarray], batch: tuple[int, ...], out: np.ndarray, threads: int
) -> None:
    """The ufunc on slices of the longest batch axis, one per thread."""
    if threads <= 1 or not batch or max(batch) < 2:
        _quietly(ufunc, inputs, out)
        return
    whole = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in inputs]
    whole = [x.copy() if np.may_share_memory(x, out) else x for x in whole]
    longest = max(batch)
    threads = min(threads, longest)
    before = (slice(None),) * batch.index(longest)
    cuts = [longest * k // threads for k in range(threads + 1)]
    parts = [(*before, slice(a, b)) for a, b in pairwise(cuts)]
    list(_pool().map(lambda part: _quietly(ufunc, [x[part] for x in whole], out[part]), parts))


def _quietly(ufunc: Any, inputs: list[np.ndarray], out: np.ndarray) -> None:
    """A call without warnings: NaN and infinity say it all. Each thread has warnings of its own to silence."""
    with np.errstate(all="ignore"):
        ufunc(*inputs, out=out)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(default_threads(), 4), thread_name_prefix="strobe")


def _before_fork() -> None:
    """A child of a process that is building something would wait for ever: locks are taken along, in their order."""
    global _llvm
    _building.acquire()
    _llvm = _llvm_lock()
    _llvm.__enter__()


def _after_fork() -> None:
    _llvm.__exit__(None, None, None)
    _building.release()


def _in_child() -> None:
    """Threads do not survive a fork."""
    _pool.cache_clear()
    _after_fork()


_llvm: Any = nullcontext()  # the lock that is taken along


def _llvm_lock() -> Any:
    """What llvmlite holds whenever it calls LLVM, for dropped code too; nothing if it is not imported."""
    ffi = sys.modules.get("llvmlite.binding.ffi")
    return getattr(getattr(ffi, "lib", None), "_lock", None) or nullcontext()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)


def _asked_threads(threads: int | None) -> int | None:
    if threads is not None and (not isinstance(threads, int | np.integer) or threads < 1):
        raise ArgumentError(f"threads is {shown(threads)}; expected a number of threads, 1 or more.")
    return threads


@cache
def default_threads() -> int:
    """STROBE_THREADS, or one per core that this process may use."""
    text = os.environ.get("STROBE_THREADS", "")
    if not text:
        usable = getattr(os, "sched_getaffinity", None)
        return len(usable(0)) if usable else os.cpu_count() or 1
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentError(f'STROBE_THREADS is "{text}"; expected a number of threads, 1 or more.')
    return int(text)


# -- what STROBE_DEBUG shows -------------------------------------------------------------------------


@cache
def _debug() -> int:
    text = os.environ.get("STROBE_DEBUG", "") or "0"
    if not text.isdecimal():
        raise ArgumentError(f'STROBE_DEBUG is "{text}"; expected a number from 0 to 4.')
    return int(text)


def _say(level: int, text: Callable[[], str]) -> None:
    if _debug() >= level:
        print(f"strobe: {text()}", file=sys.stderr)


@contextmanager
def _timed(what: str) -> Iterator[None]:
    start = perf_counter()
    yield
    _say(1, lambda: f"{what}, {1e3 * (perf_counter() - start):.1f} ms")
