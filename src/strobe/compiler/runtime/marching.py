"""A recurrence on arrays: one compiled loop, or the same rounds one by one, with the same bits.

march = Marching(model, kernels, recurrence)
march(state, constants, signals, records, out)       # state (N, size) is moved on in place
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Mapping
from concurrent.futures import wait
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from strobe.compiler.graph.program import Program
from strobe.compiler.graph.recurrence import STATE, Call, Recurrence, round_of, sample
from strobe.compiler.runtime.debug import say, timed, waiting
from strobe.compiler.runtime.device import Device
from strobe.compiler.runtime.interpret import evaluate
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.processor import (
    MOST_COMPILED,
    MOST_OPTIMISED,
    PROCESSOR,
    has_compiler,
    where_loops_run,
)
from strobe.compiler.runtime.threads import asked_threads, built, collecting_seldom, pool, worthwhile
from strobe.errors import ProgramSizeError
from strobe.models.fingerprint import digest
from strobe.models.model import Model

Array = np.ndarray


class Marching:
    """Rounds of a recurrence whose programs are kernels, by name; model and device are of the robot that moves."""

    def __init__(
        self,
        model: Model,
        kernels: Mapping[str, Kernel],
        recurrence: Recurrence,
        device: Device = PROCESSOR,
    ) -> None:
        self.model, self.recurrence, self.compiled = model, recurrence, device.compiles
        self.device = where_loops_run(device)
        self.kernels = dict(kernels)
        self.operations = 0  # of a round, known once it is compiled

    @property
    def name(self) -> str:
        return f"march of {self.model.name}"

    @built
    def code(self) -> Any:
        """The compiled loop, or nothing where there is no compiler or the programs are too long."""
        if not self.compiled or not has_compiler():
            return None
        from strobe.compiler.runtime import cache as disk, jit, width

        target = replace(width.target(), hurry=self.device.hurries)
        with waiting(self.name), collecting_seldom():
            asked = {name: kernel.fingerprint() for name, kernel in self.kernels.items()}
            key = disk.key(self.device.key, digest(asked, self.recurrence), repr(target), "march")
            entry = disk.fetch(key, lambda: self._made(target))
        self.operations = entry.number
        return jit.load_object(entry.code, "march") if entry.code else None

    def _made(self, target: Any) -> Any:
        from strobe.compiler.codegen.llvm_march import march_module
        from strobe.compiler.runtime import jit
        from strobe.compiler.runtime.cache import Entry

        try:
            programs = {name: kernel.program for name, kernel in self.kernels.items()}
        except ProgramSizeError:
            return Entry(MOST_COMPILED, b"")
        for name, kernel in self.kernels.items():
            kernel.require_stored(programs[name])
        size = sum(len(programs[call.program].nodes) for call in self.recurrence.calls)
        if max(len(program.nodes) for program in programs.values()) > MOST_COMPILED:
            return Entry(size, b"")
        small = target.fills_registers or sum(map(_size, programs.values())) <= MOST_OPTIMISED
        with timed(f"{self.name}: LLVM"):
            text = march_module(programs, self.recurrence, target)
            say(4, lambda: text)
            return Entry(size, jit.emit_object(text, optimise=small and not target.hurry))

    def __call__(
        self, state: Array, constants: Mapping[str, Array], signals: Mapping[str, Array], records: Array,
        out: Array, threads: int | None = None,
    ) -> None:  # fmt: skip
        """As many rounds as ``records`` has numbers, each a row of ``out`` (N, rows, …) or −1.

        ``state`` is (N, size); constants (N or 1, size) and signals (N or 1, rounds, samples · size), all float64
        with numbers side by side.
        """
        if self.code is None:
            self._one_by_one(state, constants, signals, records, out)
            return
        N, rounds = len(state), len(records)
        rest = [_place(state), state.strides[0], _place(records), _place(out), *out.strides[:2]]
        for name in self.recurrence.constants:
            rest += [_place(constants[name]), _step(constants[name])]
        for name in self.recurrence.signals:
            rest += [_place(signals[name]), _step(signals[name]), signals[name].strides[1]]
        rest += map(_place, self.stored)
        parts, pack = self._parts(N, rounds, threads), struct.Struct(f"{3 + len(rest)}q").pack
        tables = [pack(a, b, rounds, *rest) for a, b in pairwise(parts)]
        if len(tables) == 1:
            self.call(tables[0])
        else:
            _all_done(self.call, tables)

    @cached_property
    def call(self) -> Any:
        """The compiled loop as a function of a table of numbers."""
        return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.code.address)

    @cached_property
    def stored(self) -> list[Array]:
        """What the programs read by place, kernel by kernel."""
        return [given.values for kernel in self.kernels.values() for given in kernel.stored]

    def _parts(self, states: int, rounds: int, threads: int | None) -> list[int]:
        """Where the states of each thread begin, and where the last ones end."""
        if threads is None and states < 16:
            return [0, states]
        number = asked_threads(threads) or worthwhile(states * rounds * self.operations)
        number = min(number, max(1, states // 8))
        return [8 * (states * k // (8 * number)) for k in range(number)] + [states]

    def _one_by_one(
        self, state: Array, constants: Mapping[str, Array], signals: Mapping[str, Array], records: Array,
        out: Array,
    ) -> None:  # fmt: skip
        for k, row in enumerate(records):
            sampled = {name: each[:, k] for name, each in signals.items()}
            cells = self.round(state, {**constants, **cut(self.recurrence, sampled)})
            if row >= 0:
                out[:, row] = self.record(state, cells)
            state[...] = cells[STATE]

    def round(self, state: Array, cells: Mapping[str, Array]) -> dict[str, Array]:
        """All cells after one round, from arrays (N or 1, size)."""
        return round_of(self.recurrence, self.called, {**cells, STATE: state})

    def record(self, state: Array, cells: Mapping[str, Array]) -> Array:
        """What a record holds: the state, and what stands behind it."""
        name, place, size = self.recurrence.recorded
        behind = np.broadcast_to(cells[name][:, place : place + size], (len(state), size))
        return np.concatenate([state[:, : self.recurrence.kept], behind], axis=1)

    def called(self, call: Call, inputs: list[Array]) -> Array:
        """One call on arrays (N or 1, size)."""
        kernel = self.kernels[call.program]
        arrays = {name: x[..., :n] for (name, n), x in zip(kernel.inputs.items(), inputs, strict=True)}
        if not self.compiled:
            return evaluate(kernel.function(), arrays, kernel.shape)
        return Kernel.__call__(kernel, arrays)  # arrays by name, for a traced function too


def _all_done(call: Callable[[bytes], None], tables: list[bytes]) -> None:
    """The first by this thread, the others by the pool, each once even if interrupted: then the state is whole."""
    others = [pool().submit(call, table) for table in tables[1:]]
    done = list[None]()  # told in the same breath as it is done: no interrupt comes in between
    try:
        done.extend(map(call, tables[:1]))
        wait(others)
    except KeyboardInterrupt:
        done.extend(map(call, tables[len(done) : 1]))
        wait(others)
        raise


def cut(recurrence: Recurrence, sampled: Mapping[str, Array]) -> dict[str, Array]:
    """The cells of signals, from rows (N or 1, samples · size)."""
    cells: dict[str, Array] = {}
    for name, row in sampled.items():
        signal = recurrence.signals[name]
        for k in range(signal.samples):
            cells[sample(name, k)] = row[:, k * signal.size : (k + 1) * signal.size]
    return cells


def _place(array: Array) -> int:
    """Where the numbers of an array lie: as `ctypes` tells in a tenth of the time, where they may be written to."""
    try:
        return ctypes.addressof(ctypes.c_byte.from_buffer(array))  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError, BufferError):  # read-only, not side by side, or none at all
        return array.__array_interface__["data"][0]


def _step(array: Array) -> int:
    """Bytes from state to state; none where all states share one row."""
    return array.strides[0] if len(array) > 1 else 0


def _size(program: Program) -> int:
    return len(program.nodes)
