"""Machine code of this processor: a kernel's program through LLVM, kept on disk, called as a NumPy ufunc.

Calls release the interpreter lock; large batches are split over threads. What cannot be compiled (no llvmlite, too
many operations) is interpreted, with the same results.
"""

from __future__ import annotations

import sys
import sysconfig
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial, update_wrapper
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.graph.program import Program
from strobe.compiler.runtime.arrays import FLOAT64, batch_shape, destination, side_by_side
from strobe.compiler.runtime.debug import say, timed, waiting
from strobe.compiler.runtime.device import Device, OnNumpy
from strobe.compiler.runtime.interpret import evaluate
from strobe.compiler.runtime.results import LARGE, new_result
from strobe.compiler.runtime.threads import (
    WORK_PER_THREAD,
    asked_threads,
    building,
    built,
    collecting_seldom,
    default_threads,
    in_parallel,
    worthwhile,
)
from strobe.errors import InterpretedWarning, ProgramSizeError
from strobe.models.arguments import require_choice

if TYPE_CHECKING:
    from strobe.compiler.codegen.llvm import Target
    from strobe.compiler.runtime.cache import Entry
    from strobe.compiler.runtime.jit import Code
    from strobe.compiler.runtime.kernels import Kernel

MOST_OPTIMISED = 100_000  # operations whose registers LLVM assigns: it takes about 15 s for so many
MOST_COMPILED = 250_000  # beyond, interpreted
MOST_QUICK = 20_000  # beyond, what lies between Python and the loop weighs less than compiling once more
MOST_ON_STACK = 2**16  # bytes of a result in parts; threads may have as little as 2**19 in all
WAYS = ("best", "fast")  # to compile: for the fastest calls, or with the shortest wait before the first one
MOST_TRACED = 2 * MOST_COMPILED  # where tracing gives up: simplifying leaves more than half


class Processor(OnNumpy):
    """The processor of this machine, through llvmlite; ``compile`` is "best" or "fast", with equal bits."""

    name = "processor"
    in_a_hurry = True

    def __init__(self, compile: str = "best") -> None:
        self.way = require_choice("compile", compile, WAYS)

    @property
    def hurries(self) -> bool:
        """Whether code that runs a little slower will do, if it is made faster."""
        return self.way == "fast"

    @property
    def key(self) -> str:
        from strobe.compiler.runtime import jit

        return f"{self.name} {jit.host()}"

    def code(self, kernel: Kernel) -> MachineCode:
        return MachineCode(kernel)

    def compile(self, kernel: Kernel, single: bool, best: bool = False) -> None:
        code = MachineCode(kernel, hurry=False) if best and self.hurries else kernel.code
        code.ufunc(single)
        if kernel.constants:
            code.shared.ufunc(single)
        with building:
            kernel.__dict__["code"] = code  # between two calls


PROCESSOR = Processor()


def where_loops_run(device: Device) -> Processor:
    """This processor, told to compile as a robot's device is."""
    return device if isinstance(device, Processor) else PROCESSOR


class MachineCode:
    """A kernel as loops over states, one for each precision, and as builtins for calls in a hurry."""

    common: tuple[str, ...] = ()  # inputs that are one row for all states of a plain batch

    def __init__(self, kernel: Kernel, hurry: bool | None = None) -> None:
        self.kernel = kernel
        self.hurry = where_loops_run(kernel.device).hurries if hurry is None else hurry
        self.operations = 0  # known once it is compiled
        self._ufuncs: dict[bool, Any] = {}  # by precision
        # builtins, by what is one row, and for how many threads
        self._batches: dict[tuple[tuple[str, ...], int | None], Any] = {}
        self._loops: dict[bool, Code] = {}

    @built
    def shared(self) -> Shared:
        """The same, made for constants that neighbouring states have in common."""
        return Shared(self.kernel, self.hurry)

    def ufunc(self, single: bool = False, states: int = 0) -> Any:
        """The NumPy ufunc of one precision, or what stands in for it: f(*arrays, out=); made once.

        ``states`` is the size of the batch it is made for, which tells whether the width of vectors matters.
        """
        known = self._ufuncs.get(single)
        if known is not None:
            return known
        with building:
            if single not in self._ufuncs:
                self._ufuncs[single] = self._compiled(single, states) or self._interpreted
            return self._ufuncs[single]

    def _compiled(self, single: bool, states: int) -> Any:
        if not has_compiler():
            return None
        from strobe.compiler.runtime import gufunc, jit, width

        entry = self.entry(self.renderer(), width.target(single, states))
        self.operations = entry.number
        if not entry.code:
            _slow(str(ProgramSizeError(self.kernel.quantity, self.kernel.owner, MOST_COMPILED)))
            return None
        code = self._loops[single] = jit.load_object(entry.code)
        kernel = self.kernel
        sizes, core = (*kernel.inputs.values(), *(given.size for given in kernel.stored)), kernel.shape
        if not gufunc.available():
            return gufunc.Looped(code.address, single, sizes, core, code)
        signature = ",".join(f"({size})" for size in sizes) + f"->({','.join(map(str, core))})"
        loops = [(code.address, single)]
        return gufunc.gufunc(kernel.quantity, kernel.name, signature, loops, len(sizes), code)

    def renderer(self) -> Callable[[Program, Target], str]:
        """What writes its loop over states."""
        from strobe.compiler.codegen.llvm import module

        return module

    @built
    def quick(self) -> Any:
        """The builtin for one state per call; NotImplemented is its answer to anything but plain vectors.

        It takes an array for the result behind the inputs, unless the result comes in parts.
        """
        if (
            self.kernel.stored
            or not builtins_work()
            or 8 * sum(map(prod, self.kernel.parts)) > MOST_ON_STACK
        ):
            return declined
        if self.common or (self._made_before() > MOST_QUICK and not self.kernel.floats):
            return self._by_loop(single=True, alone=True)
        from strobe.compiler.codegen.llvm_quick import quick_module
        from strobe.compiler.runtime import jit
        from strobe.compiler.runtime.quick import builtin

        kernel = self.kernel
        how = {"turns": kernel.turns, "floats": kernel.floats, "parts": kernel.parts}
        render = update_wrapper(partial(quick_module, **how), quick_module)
        entry = self.entry(render, jit.host_target(), repr(how))
        if not entry.code:
            return declined
        made = builtin(self.kernel.quantity, jit.load_object(entry.code, "quick"))
        return made if self._agrees(made) else declined

    @built
    def batch(self) -> Any:
        """The builtin for plain batches: (N, size) arrays, and perhaps one for the results.

        What is `common` is a vector.
        """
        return self.batched()

    def batched(self, rows: tuple[str, ...] = (), threads: int | None = None) -> Any:
        """The same where these inputs too are one row for all states, for calls that ask for so many threads."""
        how = rows, threads
        with building:
            if how not in self._batches:
                self._batches[how] = self._by_loop(
                    False, (threads or default_threads()) == 1, rows, threads=threads
                )
            return self._batches[how]

    @built
    def into(self) -> Any:
        """The builtin for one state whose result is one array, in parts or not: what a caller gives may take it."""
        return self._by_loop(single=True, alone=True, whole=True)

    def _by_loop(
        self, single: bool, alone: bool, rows: tuple[str, ...] = (), whole: bool = False, threads: int | None = None
    ) -> Any:  # fmt: skip
        """A builtin that calls the loop over one state or many: over all, or fewer than are worth two threads."""
        kernel = self.kernel
        if kernel.stored or not builtins_work() or not isinstance(self.ufunc(), np.ufunc):
            return declined
        from strobe.compiler.codegen.llvm_batch import batch_module
        from strobe.compiler.runtime import cache as disk, jit
        from strobe.compiler.runtime.quick import builtin

        common = tuple(map(list(kernel.inputs).index, (*self.common, *rows)))
        sizes, parts = tuple(kernel.inputs.values()), kernel.parts if single and not whole else ()
        asked = sizes, kernel.shape, common, kernel.turns, single, parts
        key = disk.key(kernel.device.key, repr(asked), batch_module.__name__)
        entry = disk.fetch(key, lambda: disk.Entry(0, jit.emit_object(batch_module(*asked))))
        most = sys.maxsize if alone else (2 * WORK_PER_THREAD - 1) // self.operations
        made_here = min(most, (LARGE - 1) // (8 * prod(kernel.shape)))  # larger ones use their memory again
        code = jit.load_object(entry.code, "batch")
        share = None if single else partial(self._plainly, threads)
        made = builtin(kernel.quantity, code, self._loops[False], most, made_here, share)
        return made if self._agrees(made, *([] if single else [3]), rows=rows) else declined

    def _made_before(self) -> int:
        """How many operations it has, if that is known."""
        return self.operations if self._ufuncs else 0

    def _agrees(self, made: Any, *batch: int, rows: tuple[str, ...] = ()) -> bool:
        """Whether one call gives what the ufunc gives: what the builtin knows of objects in memory is right."""
        alike = (*self.common, *rows)
        shapes = [(n,) if name in alike else (*batch, n) for name, n in self.kernel.inputs.items()]
        state = [np.linspace(0.1, 0.9, prod(shape)).reshape(shape) for shape in shapes]
        for k, places in self.kernel.turns:
            for place in places:
                state[k][..., place : place + 4] = 0.5, 0.1, -0.7, 0.5  # of length one
        given = [float(x[0]) if k in self.kernel.floats and not batch else x for k, x in enumerate(state)]
        found = made(*given)
        if isinstance(found, tuple):
            found = np.concatenate([part.ravel() for part in found])
        with np.errstate(all="ignore"):  # what is given there may make no sense
            expected = self.ufunc()(*state)
        return isinstance(found, np.ndarray) and np.allclose(
            found.ravel(), expected.ravel(), 1e-6, equal_nan=True
        )

    def entry(self, render: Callable[[Program, Target], str], target: Target, *more: str) -> Entry:
        """Object code of the program as a renderer, told ``more`` perhaps, writes it, from disk or made now."""
        from strobe.compiler.runtime import cache as disk

        kernel = self.kernel
        target = replace(target, hurry=self.hurry, fused=target.fused and not kernel.as_written)
        told = repr(target), f"{render.__module__}.{render.__qualname__}", *more
        with timed(f"{kernel.name}: {render.__name__} in all"), waiting(kernel.name), collecting_seldom():
            key = disk.key(kernel.device.key, kernel.fingerprint(), *told)  # perhaps from the program
            return disk.fetch(key, lambda: self._made(render, target))

    def _made(self, render: Callable[[Program, Target], str], target: Target) -> Entry:
        from strobe.compiler.runtime import jit
        from strobe.compiler.runtime.cache import Entry

        kernel = self.kernel
        try:
            program = kernel.program
        except ProgramSizeError:
            return Entry(MOST_TRACED, b"")
        kernel.require_stored(program)
        size = len(program.nodes)
        if size > MOST_COMPILED:
            return Entry(size, b"")
        with timed(f"{kernel.name}: text"):
            text = render(program, target)
        say(4, lambda: text)
        with timed(f"{kernel.name}: LLVM"):
            lengthy = size > MOST_OPTIMISED and not target.fills_registers
            code = jit.emit_object(text, optimise=not (lengthy or target.hurry))
        say(1, lambda: f"{kernel.name}: {len(code):,} bytes of object code for {target}")
        return Entry(size, code)

    def _interpreted(self, *inputs: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        # what is stored it has by itself
        arrays = dict(zip(self.kernel.inputs, inputs[: len(self.kernel.inputs)], strict=True))
        return evaluate(self.kernel.function(), arrays, self.kernel.shape, out)

    def __call__(
        self, arrays: Mapping[str, np.ndarray], out: np.ndarray | None = None, threads: int | None = None
    ) -> np.ndarray:
        """The result of shape (*batch, *core)."""
        apart = () if self.common else self.kernel.constants
        if apart and all(_is_alike(arrays[name]) for name in apart):
            return self.shared(arrays, out, threads)
        inputs = [x if side_by_side(x, 1) else np.ascontiguousarray(x) for x in arrays.values()]
        dtype = inputs[0].dtype
        batch = batch_shape(arrays)
        core = self.kernel.shape
        target = destination(out, (*batch, *core), dtype)
        fits = target.dtype == dtype and side_by_side(target, len(core))
        result = np.asarray(target) if fits else np.empty(target.shape, dtype)
        inputs += [given.in_precision(dtype) for given in self.kernel.stored]
        self._into(result, inputs, batch, asked_threads(threads))
        if not fits:
            target[...] = result
        return target

    def _plainly(self, threads: int | None, *arrays: np.ndarray) -> np.ndarray:
        """The result of a plain batch (N, size), perhaps into the last array, which shares no memory with others."""
        count, states = len(self.kernel.inputs), len(arrays[0])
        made = arrays[count:] or (new_result((states, *self.kernel.shape), FLOAT64),)
        self._into(made[0], list(arrays[:count]), (states,), threads)
        return made[0]

    def _into(
        self, result: np.ndarray, inputs: list[np.ndarray], batch: tuple[int, ...], most: int | None
    ) -> None:
        """The result of a batch, of one precision, on as many threads as it is worth of at most so many."""
        states = prod(batch)
        ufunc = self.ufunc(result.dtype == np.float32, states)
        threads = worthwhile(states * self.operations, most)
        if threads < 2 or not self._shared_out(inputs, batch, result, threads):
            in_parallel(ufunc, inputs, batch, result, threads, self.operations)

    def _shared_out(
        self, inputs: list[np.ndarray], batch: tuple[int, ...], result: np.ndarray, threads: int
    ) -> bool:
        """Whether threads have computed a batch in parts that machine code gives out."""
        loop = self._loops.get(result.dtype == np.float32)
        if loop is None:
            return False
        from strobe.compiler.runtime import shares

        order = shares.order(loop.address, inputs, batch, result, self.operations, threads)
        if order is None or order.parts < 2:
            return False
        shares.shared(order, threads)
        return True


class Shared(MachineCode):
    """Code for constants that are the same for neighbouring states: what they decide alone is computed once."""

    def __init__(self, kernel: Kernel, hurry: bool) -> None:
        super().__init__(kernel, hurry)
        self.common = kernel.constants

    def renderer(self) -> Callable[[Program, Target], str]:
        from strobe.compiler.codegen.llvm_shared import shared_module

        return shared_module


def _is_alike(array: np.ndarray) -> bool:
    """Whether states along the last batch axis have the same row."""
    return array.ndim == 1 or array.shape[-2] == 1 or array.strides[-2] == 0


def declined(*_: Any) -> Any:
    """Stands in for a builtin that there is not."""
    return NotImplemented


@cache
def builtins_work() -> bool:
    """Whether there is a compiler, and objects lie in memory as builtins know them: CPython, 64 bits, release."""
    ordinary = sys.implementation.name == "cpython" and sys.maxsize > 2**32
    with building:  # a fork waits for what is imported here: a module half imported locks up a child
        return (
            ordinary
            and not hasattr(sys, "gettotalrefcount")
            and not sysconfig.get_config_var("Py_GIL_DISABLED")
            and has_compiler()
        )


@cache
def has_compiler() -> bool:
    """Whether LLVM can be used; if not, that is said once."""
    try:
        with building:
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
