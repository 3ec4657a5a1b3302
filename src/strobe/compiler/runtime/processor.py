"""Machine code of this processor: a kernel's program through LLVM, kept on disk, called as a NumPy ufunc.

Calls release the interpreter lock; large batches are split over threads. What cannot be compiled (no llvmlite, too
many operations) is interpreted, with the same results.
"""

from __future__ import annotations

import sys
import sysconfig
import warnings
from collections.abc import Callable, Mapping
from functools import cache, partial, update_wrapper
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.graph.program import Program
from strobe.compiler.runtime.arrays import batch_shape, destination, side_by_side
from strobe.compiler.runtime.debug import say, timed
from strobe.compiler.runtime.device import OnNumpy
from strobe.compiler.runtime.interpret import evaluate
from strobe.compiler.runtime.results import LARGE
from strobe.compiler.runtime.threads import (
    WORK_PER_THREAD,
    asked_threads,
    building,
    built,
    default_threads,
    in_parallel,
    worthwhile,
)
from strobe.errors import InterpretedWarning, ProgramSizeError

if TYPE_CHECKING:
    from strobe.compiler.codegen.llvm import Target
    from strobe.compiler.runtime.cache import Entry
    from strobe.compiler.runtime.jit import Code
    from strobe.compiler.runtime.kernels import Kernel

MOST_OPTIMISED = 100_000  # operations: LLVM takes about 15 s for so many
MOST_COMPILED = 250_000  # about 15 s without optimisation; beyond, interpreted
MOST_TRACED = 2 * MOST_COMPILED  # where tracing gives up: simplifying leaves more than half


class Processor(OnNumpy):
    """The processor of this machine, through llvmlite."""

    name = "processor"
    in_a_hurry = True

    @property
    def key(self) -> str:
        from strobe.compiler.runtime import jit

        return f"{self.name} {jit.host()}"

    def code(self, kernel: Kernel) -> MachineCode:
        return MachineCode(kernel)

    def compile(self, kernel: Kernel, single: bool) -> None:
        kernel.code.ufunc(single)
        if kernel.constants:
            kernel.code.shared.ufunc(single)


PROCESSOR = Processor()


class MachineCode:
    """A kernel as loops over states, one for each precision, and as builtins for calls in a hurry."""

    common: tuple[str, ...] = ()  # inputs that are one row for all states of a plain batch

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.operations = 0  # known once it is compiled
        self._ufuncs: dict[bool, Any] = {}  # by precision
        self._loops: dict[bool, Code] = {}

    @built
    def shared(self) -> Shared:
        """The same, made for constants that neighbouring states have in common."""
        return Shared(self.kernel)

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
        """The builtin for one state per call; NotImplemented is its answer to anything but plain vectors."""
        if self.kernel.stored or not _plain_python() or not has_compiler():
            return declined
        from strobe.compiler.codegen.llvm_quick import quick_module
        from strobe.compiler.runtime import jit
        from strobe.compiler.runtime.quick import builtin

        turns = self.kernel.turns
        render = update_wrapper(partial(quick_module, turns=turns), quick_module)
        entry = self.entry(render, jit.host_target(), repr(turns))
        if not entry.code:
            return declined
        made = builtin(self.kernel.quantity, jit.load_object(entry.code, "quick"))
        return made if self._agrees(made) else declined

    @built
    def batch(self) -> Any:
        """The builtin for plain batches on one thread: (N, size) arrays, and perhaps one for the results.

        What is `common` is a vector.
        """
        kernel = self.kernel
        if kernel.stored or not _plain_python() or not isinstance(self.ufunc(), np.ufunc):
            return declined
        from strobe.compiler.codegen.llvm_batch import batch_module
        from strobe.compiler.runtime import cache as disk
        from strobe.compiler.runtime import jit
        from strobe.compiler.runtime.quick import builtin

        common = tuple(map(list(kernel.inputs).index, self.common))
        asked = tuple(kernel.inputs.values()), kernel.shape, common, kernel.turns
        key = disk.key(kernel.device.key, repr(asked), batch_module.__name__)
        entry = disk.fetch(key, lambda: disk.Entry(0, jit.emit_object(batch_module(*asked))))
        alone = (2 * WORK_PER_THREAD - 1) // self.operations if default_threads() > 1 else sys.maxsize
        alone = min(
            alone, (LARGE - 1) // (8 * prod(kernel.shape))
        )  # the memory of larger ones is used again
        made = builtin(
            self.kernel.quantity, jit.load_object(entry.code, "batch"), self._loops[False], alone
        )
        return made if self._agrees(made, 3) else declined

    def _agrees(self, made: Any, *batch: int) -> bool:
        """Whether one call gives what the ufunc gives: what the builtin knows of objects in memory is right."""
        shapes = [(n,) if name in self.common else (*batch, n) for name, n in self.kernel.inputs.items()]
        state = [np.linspace(0.1, 0.9, prod(shape)).reshape(shape) for shape in shapes]
        for k in self.kernel.turns:
            state[0][..., k : k + 4] = 0.5, 0.1, -0.7, 0.5  # of length one
        found = made(*state)
        return isinstance(found, np.ndarray) and np.allclose(
            found, self.ufunc()(*state), 1e-6, equal_nan=True
        )

    def entry(self, render: Callable[[Program, Target], str], target: Target, *more: str) -> Entry:
        """Object code of the program as a renderer, told ``more`` perhaps, writes it, from disk or made now."""
        from strobe.compiler.runtime import cache as disk

        kernel = self.kernel
        told = repr(target), f"{render.__module__}.{render.__qualname__}", *more
        key = disk.key(kernel.device.key, kernel.fingerprint(), *told)
        with timed(f"{kernel.name}: {render.__name__} in all"):
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
            code = jit.emit_object(text, optimise=size <= MOST_OPTIMISED)
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
        workers = asked_threads(threads)
        states = prod(batch)
        ufunc = self.ufunc(dtype == np.float32, states)
        inputs += [given.in_precision(dtype) for given in self.kernel.stored]
        threads = workers or worthwhile(states * self.operations)
        in_parallel(ufunc, inputs, batch, result, threads, self.operations)
        if not fits:
            target[...] = result
        return target


class Shared(MachineCode):
    """Code for constants that are the same for neighbouring states: what they decide alone is computed once."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
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


def _plain_python() -> bool:
    """Whether objects lie in memory as the builtin for single states knows them: CPython, 64 bits, no debug build."""
    ordinary = sys.implementation.name == "cpython" and sys.maxsize > 2**32
    return (
        ordinary
        and not hasattr(sys, "gettotalrefcount")
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
    )


@cache
def has_compiler() -> bool:
    """Whether LLVM can be used; if not, that is said once."""
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
