"""Builtins that answer plain calls of one robot: what control loops ask for, state by state or batch by batch.

Each is made when the same is asked the second time: one call alone is not worth compiling it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.processor import declined
from strobe.quantities import QUANTITIES, Request

Plain = tuple[str, bool, bool]  # a quantity, whether with friction, whether with parameters as an input


class Prepared:
    """What builtins answer: single states by the name of their quantity, batches and what has parameters by more."""

    def __init__(self) -> None:
        self.single: dict[str, Any] = dict.fromkeys(QUANTITIES, declined)
        self.batches: defaultdict[Plain, Any] = defaultdict(lambda: declined)
        self.given: defaultdict[Plain, Any] = defaultdict(lambda: declined)  # states with parameters
        self._asked = set[tuple[Request, int]]()  # what was asked before, for one state (0) or a batch (1)

    def plain(
        self, quantity: str, friction: bool, threads: int | None, out: np.ndarray | None, parameters: Any,
        *arrays: Any,
    ) -> Any:  # fmt: skip
        """What a builtin makes of plain arrays (N, size) that are not worth a second thread, or NotImplemented.

        With parameters, one row of them, it may be a single state too.
        """
        some_threads = threads is None or (type(threads) is int and threads >= 1)
        if not some_threads or not isinstance(friction, bool):
            return NotImplemented
        plain = quantity, friction, parameters is not None
        arrays = arrays if parameters is None else (*arrays, parameters)
        if out is not None:
            return self.batches[plain](*arrays, out)
        many = self.batches[plain](*arrays)
        return many if many is not NotImplemented else self.given[plain](*arrays)

    def notice(self, kernel: Kernel, arrays: Mapping[str, np.ndarray], axes: int) -> None:
        """Take note of a call with so many batch axes; the second one of a kind prepares its builtin."""
        if not self._may_be_prepared(kernel) or axes > 1:
            return
        if any(arrays[name].ndim > 1 for name in kernel.constants):
            return
        if (kernel.request, axes) in self._asked:
            self._prepare(kernel, axes)
        else:
            self._asked.add((kernel.request, axes))

    def ahead(self, kernel: Kernel) -> None:
        """Prepare the builtin for single states now, and that for batches at their first call."""
        if self._may_be_prepared(kernel):
            self._asked |= {(kernel.request, 0), (kernel.request, 1)}
            self._prepare(kernel, 0)

    def _may_be_prepared(self, kernel: Kernel) -> bool:
        """States of closed chains are looked at before, and so are arrays of devices without builtins."""
        return kernel.request.record.quick and kernel.device.in_a_hurry and not kernel.model.is_closed

    def _prepare(self, kernel: Kernel, axes: int) -> None:
        request = kernel.request
        if request != Request(request.quantity, friction=request.friction, parameters=request.parameters):
            return
        plain, code = (request.quantity, request.friction, bool(kernel.constants)), kernel.code
        if axes:
            self.batches[plain] = (code.shared if kernel.constants else code).batch
        elif kernel.constants:
            self.given[plain] = code.quick
        elif request.friction:
            self.single[request.quantity] = code.quick
