"""A quantity of one robot as machine code: traced, simplified, compiled when first called, kept on disk.

A kernel ships as its model and request, never as machine code, so it can be pickled to another process or
machine. Calls release the interpreter lock; large batches are split over threads.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property, partial
from itertools import pairwise
from math import prod
from threading import Lock
from typing import Any

import numpy as np

from strobe.errors import ArgumentError, ShapeError
from strobe.graph.program import Program, trace
from strobe.graph.simplify import simplify
from strobe.models.fingerprint import fingerprint
from strobe.models.model import Model
from strobe.quantities import Request
from strobe.runtime.arrays import batch_shape
from strobe.scalars import Graph

WORK_PER_THREAD = 4_000_000  # operations worth a thread of their own


class Kernel:
    """Calls of one quantity on arrays that are checked already."""

    def __init__(self, model: Model, request: Request) -> None:
        self.model = model
        self.request = request
        self._lock = Lock()
        self._ufuncs: dict[bool, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self.model, self.request)

    @cached_property
    def program(self) -> Program:
        """The expression graph after all passes."""
        graph = Graph()
        function = partial(self.request.evaluate, self.model.lift(graph))
        return simplify(
            trace(function, self.request.inputs(self.model), self.request.shape(self.model), graph)
        )

    def ufunc(self, single: bool = False) -> Any:
        """The NumPy ufunc of one precision; compiled once, whoever asks first."""
        with self._lock:
            if single not in self._ufuncs:
                self._ufuncs[single] = self._compiled(single)
            return self._ufuncs[single]

    def _compiled(self, single: bool) -> Any:
        from strobe.codegen.llvm import module
        from strobe.runtime import cache as disk
        from strobe.runtime import jit
        from strobe.runtime.gufunc import gufunc

        target = jit.host_target(single)
        key = disk.key(fingerprint(self.model), repr(self.request), repr(target))
        code = disk.fetch(key, lambda: jit.emit_object(module(self.program, target)))
        loaded = jit.load_object(code)
        sizes = self.request.inputs(self.model).values()
        shape = ",".join(map(str, self.request.shape(self.model)))
        signature = ",".join(f"({size})" for size in sizes) + f"->({shape})"
        name = self.request.quantity
        doc = f"{name} of {self.model.name}"
        return gufunc(name, doc, signature, [(loaded.address, single)], len(sizes), loaded)

    def __call__(
        self, arrays: Mapping[str, np.ndarray], out: np.ndarray | None = None, threads: int | None = None
    ) -> np.ndarray:
        """The result of shape (*batch, *core)."""
        inputs = list(arrays.values())
        single = inputs[0].dtype == np.float32
        batch = batch_shape(arrays)
        shape = (*batch, *self.request.shape(self.model))
        target = _destination(out, shape, inputs[0].dtype)
        ufunc = self.ufunc(single)
        with np.errstate(all="ignore"):
            _in_parallel(ufunc, inputs, batch, target, self._threads(threads, prod(batch)))
        if out is not None and target is not out:
            out[...] = target
            return out
        return target

    def _threads(self, asked: int | None, states: int) -> int:
        available = asked or default_threads()
        if available == 1 or asked is not None:
            return min(available, max(states, 1))
        return max(1, min(available, states * len(self.program.nodes) // WORK_PER_THREAD))


def _destination(out: np.ndarray | None, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Where to write: a given array of the right dtype, or a new one."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray) or out.shape != shape:
        raise ShapeError("out", np.shape(out), str(shape), "the result does not fit")
    if out.dtype.kind != "f" or not out.flags.writeable:
        kind = "" if out.flags.writeable else "read-only "
        raise ArgumentError(f"out is a {kind}{out.dtype} array; expected float64.")
    return out if out.dtype == dtype else np.empty(shape, dtype)


def _in_parallel(
    ufunc: Any, inputs: list[np.ndarray], batch: tuple[int, ...], out: np.ndarray, threads: int
) -> None:
    """The ufunc on slices of the first batch axis, one per thread."""
    if threads <= 1 or not batch or batch[0] < 2:
        ufunc(*inputs, out=out)
        return
    whole = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in inputs]
    if any(np.may_share_memory(x, out) for x in inputs):
        whole = [x.copy() for x in whole]
    cuts = np.linspace(0, batch[0], min(threads, batch[0]) + 1).astype(int)
    parts = [slice(a, b) for a, b in pairwise(cuts)]
    list(_pool().map(lambda part: ufunc(*(x[part] for x in whole), out=out[part]), parts))


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(default_threads(), 4), thread_name_prefix="strobe")


@cache
def default_threads() -> int:
    """STROBE_THREADS, or one per core."""
    text = os.environ.get("STROBE_THREADS", "")
    if not text:
        return os.cpu_count() or 1
    if not text.isdigit() or int(text) < 1:
        raise ArgumentError(f'STROBE_THREADS is "{text}"; expected a number of threads, 1 or more.')
    return int(text)
