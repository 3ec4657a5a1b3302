"""Machine code from IR, in this process: LLVM through llvmlite."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from strobe.compiler.codegen.llvm import Target


@cache
def _initialised() -> None:
    """LLVM made ready once: the native target, and the few functions that code calls."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    for name, function in CALLED.items():
        if llvm.address_of_symbol(name) is None:  # the C library of this process does not show it
            llvm.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)


@cache
def host_features() -> Mapping[str, bool]:
    """What this processor can do; nothing beyond the ordinary where LLVM cannot tell."""
    try:
        return llvm.get_host_cpu_features()
    except RuntimeError:
        return llvm.targets.FeatureMap()


@cache
def host() -> str:
    """LLVM and the processor, in words: what object code depends on."""
    version = ".".join(map(str, llvm.llvm_version_info))
    return f"LLVM {version} {llvm.get_default_triple()} {llvm.get_host_cpu_name()} {_flat()}"


def _flat() -> str:
    return ",".join(f"{'+' if has else '-'}{name}" for name, has in sorted(host_features().items()))


def machine(optimise: bool = True, cpu: str | None = None) -> Any:
    """A target machine for the host, or for an x86-64 processor by name; an engine takes its own one over, so none is
    shared."""
    _initialised()
    name, features = (llvm.get_host_cpu_name(), _flat()) if cpu is None else (cpu, "")
    return llvm.Target.from_triple(_triple(cpu)).create_target_machine(
        cpu=name, features=features, opt=3 if optimise else 0, jit=True
    )


def _triple(cpu: str | None) -> str:
    """The host's, unless a processor of another architecture was named."""
    own = llvm.get_default_triple()
    if cpu is None or own.startswith("x86_64"):
        return own
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return "x86_64-unknown-linux-gnu"


def widest() -> int:
    """Bits of the widest vectors of this machine."""
    features = host_features()
    return 512 if features.get("avx512f") else 256 if features.get("avx2") else 128


@cache
def host_target(single: bool = False, width: int | None = None) -> Target:
    """The widest vectors of this machine, or a given number of lanes."""
    features, wide = host_features(), widest()
    lanes = width or wide // (32 if single else 64)
    attributes = f'"prefer-vector-width"="{wide}" "min-legal-vector-width"="{wide}"'
    fused = bool(features.get("fma") or features.get("neon"))
    return Target(lanes, single, attributes, fused, _assembly())


def _assembly() -> str:
    """The instructions of this processor in which arithmetic may be written, if they are known here."""
    features = host_features()
    if not features.get("fma") or not features.get("avx2"):
        return ""
    return "avx512" if features.get("avx512f") and features.get("avx512vl") else "avx2"


@dataclass(frozen=True)
class Code:
    """Compiled code: the address of its function, and what keeps it alive."""

    address: int
    engine: Any


def compile_ir(text: str, function: str = "loop") -> Code:
    """Machine code of a module with a function of this name."""
    return load_object(emit_object(text), function)


def emit_object(text: str, optimise: bool = True, cpu: str | None = None) -> bytes:
    """The object file of a module, for this machine or a named processor; unoptimised is made ten times faster and
    runs slower."""
    target = machine(optimise, cpu)
    with parsed_for(text, target, _triple(cpu)) as parsed:
        return target.emit_object(parsed)


def emit_assembly(text: str, cpu: str | None = None) -> str:
    """The same code as text."""
    target = machine(cpu=cpu)
    with parsed_for(text, target, _triple(cpu)) as parsed:
        return target.emit_assembly(parsed)


@contextmanager
def parsed_for(text: str, target: Any, triple: str) -> Iterator[Any]:
    """A module in a context of its own, whose constants go with it.

    Both are let go here, the module first: left to the collector after an interrupt, they may go in the other order,
    and LLVM crashes. Where the interrupt hits the parser itself, the context stays.
    """
    context, parsed = llvm.create_context(), None
    context._owned = True  # pyright: ignore[reportAttributeAccessIssue]  the collector lets it be
    try:
        parsed = llvm.parse_assembly(text, context)
        parsed.triple = triple
        parsed.data_layout = str(target.target_data)
        parsed.verify()
        yield parsed
    finally:
        if parsed is not None:
            parsed.close()
            context._owned = False  # pyright: ignore[reportAttributeAccessIssue]
            context.close()


def load_object(code: bytes, function: str = "loop") -> Code:
    """An object file made ready to run."""
    empty = llvm.parse_assembly("")
    engine = llvm.create_mcjit_compiler(empty, machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return Code(engine.get_function_address(function), engine)


UNARY, BINARY = (ctypes.CFUNCTYPE(*[ctypes.c_double] * k) for k in (2, 3))

CALLED = {
    "sin": UNARY(math.sin),
    "cos": UNARY(math.cos),
    "tanh": UNARY(math.tanh),
    "atan2": BINARY(math.atan2),
}
"""What code calls for angles beyond the fast kernel, and for functions without one: the C library's, or Python's."""
