"""Searches of lanes as one native call: see `compiler.codegen.llvm_descent`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.processor import MachineCode, has_compiler


def descent(kernel: Kernel, gain: float) -> Callable[..., Any] | None:
    """A ufunc over aims that repeats a kernel's step, or None where there is no compiler for it."""
    if not isinstance(kernel.code, MachineCode) or kernel.stored or not has_compiler():
        return None
    from strobe.compiler.codegen.llvm_descent import descent_module
    from strobe.compiler.runtime import gufunc, jit

    if not gufunc.available():
        return None
    render = update_wrapper(partial(descent_module, gain=gain), descent_module)
    entry = kernel.code.entry(render, jit.host_target(), repr(gain))
    if not entry.code:
        return None
    code, sizes, (numbers,) = jit.load_object(entry.code), [*kernel.inputs.values()], kernel.shape
    shared = ",".join(f"({size})" for size in sizes[1:])
    signature = f"(c),(w),(l,{sizes[0]}),{shared}->({numbers + 1})"
    return gufunc.gufunc(
        f"descent by {kernel.quantity}",
        kernel.name,
        signature,
        [(code.address, False)],
        len(sizes) + 2,
        code,
    )
