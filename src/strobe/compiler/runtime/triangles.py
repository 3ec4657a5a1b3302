"""Rows turned into triangles in place, one after the other: compiled, or by NumPy, where bits may differ.

turning = Turning(Triangles(joints=7, own=3, shared=43))
memory = np.zeros(turning.sizes.size)
taken = turning(rows, memory)               # rows (N, joints, stride), used up
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from strobe.compiler.codegen.triangles import Triangles
from strobe.compiler.runtime.processor import PROCESSOR, Processor, has_compiler
from strobe.compiler.runtime.threads import built

Array = np.ndarray


class Turning:
    """Triangles of one size, whose memory the caller owns."""

    def __init__(self, sizes: Triangles, device: Processor = PROCESSOR, compiled: bool = True) -> None:
        self.sizes, self.device, self.compiled = sizes, device, compiled

    def __call__(self, rows: Array, memory: Array, root: float = 1.0) -> int:
        """How many rows told something; those with a number that is none are left out.

        ``rows`` (N, joints, stride) are used up. Before every step triangles fade by a factor, sums by its square.
        """
        if self.call is None:
            return sum(self._step(row, memory, root) for row in rows)
        return self.call(rows.ctypes.data, len(rows), memory.ctypes.data, root)

    def prepared(self, rows: Array, memory: Array, root: float = 1.0) -> Callable[[], int]:
        """The same for one step, from the same arrays (joints, stride) every time."""
        if self.call is None:
            return lambda: self._step(rows, memory, root)
        return partial(self.call, rows.ctypes.data, 1, memory.ctypes.data, root)

    @built
    def call(self) -> Any:
        """The compiled function of addresses, or nothing where there is no compiler."""
        if not self.compiled or not has_compiler():
            return None
        from strobe.compiler.codegen.llvm_triangles import turn_module
        from strobe.compiler.runtime import cache as disk, jit, width

        target = width.target()
        key = disk.key(self.device.key, repr(self.sizes), repr(target), turn_module.__name__)
        entry = disk.fetch(key, lambda: disk.Entry(0, jit.emit_object(turn_module(self.sizes, target))))
        self._code = jit.load_object(entry.code, "turn")  # which is kept as long as the function
        kinds = ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_double
        return ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(self._code.address)

    def _step(self, rows: Array, memory: Array, root: float) -> int:
        """The same by NumPy, a row for each joint."""
        z = self.sizes
        memory[: z.sums] *= root
        memory[z.sums :] *= root * root
        triangles = memory[: z.sums].reshape(z.rows, z.stride)
        taken = 0
        for i, w in enumerate(rows):
            if not np.isfinite(w).all():
                continue
            used = False
            for k in range(z.unknowns):
                if w[k] * w[k] == 0.0:
                    continue
                R = triangles[i * z.own + k if k < z.own else (z.joints - 1) * z.own + k]
                c, s = np.array([R[k], w[k]]) / np.sqrt(R[k] * R[k] + w[k] * w[k])
                R[:], w[:] = c * R + s * w, c * w - s * R
                w[k], used = 0.0, True
            memory[z.sums + i] += w[z.unknowns] ** 2
            memory[z.told + i] += used
            taken += used
        return taken
