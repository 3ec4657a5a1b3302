"""A compiled function held against the same function interpreted, against fifty digits, and against itself.

values     compiled and interpreted differ by no more than the bounds on rounding of both (`bounded`)
exact      on some states both are as close to fifty digits as their bounds say
layouts    strides, broadcasting, places for results, overlap and threads change no bit
single     one state at a time, through the builtins too, gives the bits of the batch
scalar     code for machines without vectors or a library
float32    the same as values, with the rounding of single precision
nan        what is not a number stays so, in compiled code exactly where it does in its program
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from reliability.bounded import BoundedSystem, run
from reliability.layouts import laid_out, narrowed, overlapping, place_for, spread_over
from strobe.compiler.codegen.llvm_scalar import module
from strobe.compiler.graph.fuse import fuse
from strobe.compiler.runtime import jit
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.traced import Traced
from strobe.errors import ArgumentError
from strobe.scalars import Lanes
from strobe.scalars.precise import PreciseSystem

SAFETY = 2.0  # times the bounds, which know of no constants that were merged
CHUNK = 1024  # states that are interpreted side by side, which a cache holds
LOOSE = 1e-6  # of the largest number of a result: a bound above it says little
UNLUCKY = 1e4  # times the interpreter's own error: how far off compiled code may be where bounds say little
SPECIAL = (np.nan, np.inf, -np.inf, 1e308, -5e-324)
TAME = 1e150  # values below it stay finite in whatever order they are multiplied

Array = np.ndarray
Arrays = dict[str, Array]
Generator = np.random.Generator


class Mismatch(Exception):
    """Two ways to compute the same thing disagree."""

    def __init__(self, check: str, text: str) -> None:
        super().__init__(f"{check}: {text}")
        self.check = check


@dataclass
class Tally:
    """What was compared."""

    evaluations: int = 0  # states of which every number was compared
    undecided: int = 0  # states with a number of which rounding leaves nothing certain
    loose: int = 0  # states whose bound is worth less than six digits
    exact: int = 0  # states compared with fifty digits
    layouts: int = 0  # calls with arrays laid out at random
    rounds: int = 0  # of recurrences, times their states
    kernels: int = 0
    robots: int = 0
    graphs: int = 0
    nearest: float = 0.0  # the largest difference as a part of what was allowed
    failures: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        for name, value in vars(other).items():
            mine = getattr(self, name)
            setattr(self, name, max(mine, value) if name == "nearest" else mine + value)


@dataclass
class Subject:
    """A kernel, and how a user calls it on arrays by name."""

    kernel: Kernel
    call: Callable[..., Array]  # (arrays, out, threads)
    in_double: bool = False  # whether single precision is computed in double
    strict: bool = False  # whether passes make no NaN, as they may where x − x = 0 decides a choice

    @property
    def size(self) -> int:
        return prod(self.kernel.shape)

    @property
    def written(self) -> Callable[..., Any]:
        """What it computes as a person wrote it, before anything was traced."""
        return self.kernel.written if isinstance(self.kernel, Traced) else self.kernel.function()

    @cached_property
    def fused(self) -> Any:
        """The program as compiled code computes it."""
        return fuse(self.kernel.program)


# -- values -------------------------------------------------------------------------------------------------


def interpreted(subject: Subject, arrays: Arrays, dtype: Any = np.float64) -> tuple[Array, Array]:
    """Results (states, size) as interpreted, and the bounds on their rounding."""
    system = BoundedSystem(dtype)
    numbers = {name: system.given(array) for name, array in arrays.items()}
    with np.errstate(all="ignore"):
        return _columns(system, subject.written(**numbers), len(next(iter(arrays.values()))))


def bounds_of_code(subject: Subject, arrays: Arrays, dtype: Any) -> Array:
    """The bounds on the rounding of compiled code, operation by operation."""
    system = BoundedSystem(dtype)
    numbers = {name: system.given(array) for name, array in arrays.items()}
    with np.errstate(all="ignore"):
        found = run(subject.fused, numbers, system.literal)
        return _columns(system, found, len(next(iter(arrays.values()))))[1]


def _columns(system: BoundedSystem, values: Any, states: int) -> tuple[Array, Array]:
    numbers = [system.lower(x) for x in flat(values)]
    columns = [[np.broadcast_to(part, (states,)) for part in (x.values, x.error)] for x in numbers]
    first, second = zip(*columns, strict=True)
    return np.stack(first, axis=-1), np.stack(second, axis=-1)


def flat(values: Any) -> list[Any]:
    """The numbers in nested lists."""
    return [x for value in values for x in flat(value)] if isinstance(values, list | tuple) else [values]


def check_values(
    subject: Subject,
    arrays: Arrays,
    found: Array,
    tally: Tally,
    check: str = "values",
    dtype: Any = np.float64,
) -> None:
    """Every number of every state, in chunks."""
    for first in range(0, len(found), CHUNK):
        part = {name: array[first : first + CHUNK] for name, array in arrays.items()}
        _check_chunk(
            subject, part, found[first : first + CHUNK].reshape(-1, subject.size), tally, check, dtype
        )


def _check_chunk(
    subject: Subject, arrays: Arrays, found: Array, tally: Tally, check: str, dtype: Any
) -> None:
    values, allowed = interpreted(subject, arrays, dtype)
    with np.errstate(all="ignore"):
        decided = np.isfinite(allowed) & np.isfinite(values)
        off = np.abs(found.astype(np.float64) - values)
        doubtful = (decided & ~(off <= allowed)).any(axis=-1)
    if doubtful.any():
        rows = {name: array[doubtful] for name, array in arrays.items()}
        allowed[doubtful] += bounds_of_code(subject, rows, dtype)
        decided &= np.isfinite(allowed)
        _require_close(arrays, values, found, SAFETY * allowed, decided, check)
    sure = decided.all(axis=-1)
    with np.errstate(all="ignore"):
        largest = np.max(np.abs(values), axis=-1, keepdims=True, initial=0.0)
        tally.loose += int((sure & (allowed > LOOSE * largest).any(axis=-1)).sum())
        parts = np.where(decided & (off > 0), off / allowed, 0.0)
    tally.nearest = max(tally.nearest, float(parts.max(initial=0.0)) / SAFETY)
    tally.evaluations += int(sure.sum())
    tally.undecided += int((~sure).sum())


def _require_close(
    arrays: Arrays, values: Array, found: Array, allowed: Array, decided: Array, check: str
) -> None:
    with np.errstate(all="ignore"):
        wrong = decided & ~(np.abs(found.astype(np.float64) - values) <= allowed)
    if wrong.any():
        row, entry = (int(k) for k in np.argwhere(wrong)[0])
        state = {name: array[row] for name, array in arrays.items()}
        raise Mismatch(
            check,
            f"entry {entry} is {found[row, entry]!r}, interpreted {values[row, entry]!r}, allowed "
            f"{allowed[row, entry]:.3g}, at {told(state)}",
        )


def check_exact(subject: Subject, arrays: Arrays, found: Array, tally: Tally) -> None:
    """Some states with fifty digits: compiled code and the interpreter within their bounds.

    Where these say little, compiled code is not much further off than the interpreter.
    """
    values, own = interpreted(subject, arrays)
    both = own + bounds_of_code(subject, arrays, np.float64)
    for row, got in enumerate(found.reshape(values.shape)):
        state = {name: array[row] for name, array in arrays.items()}
        exact = _exact(subject, state)
        if exact is None or not np.isfinite(values[row]).all():
            continue
        off, other = (_distances(numbers, exact) for numbers in (got, values[row]))
        largest = max(abs(float(x)) for x in exact)
        alike = UNLUCKY * max(other.max(), np.finfo(float).eps * largest)
        allowed = np.where(both[row] <= LOOSE * largest, SAFETY * both[row], alike)
        _require_near("compiled", off, allowed, exact, state)
        _require_near("interpreted", other, np.where(np.isfinite(own[row]), own[row], np.inf), exact, state)
        tally.exact += 1


def _require_near(what: str, off: Array, allowed: Array, exact: list[Any], state: Arrays) -> None:
    if not (off <= allowed).all():
        entry = int(np.flatnonzero(~(off <= allowed))[0])
        raise Mismatch(
            "exact",
            f"entry {entry} {what} is off by {off[entry]:.3g} from {float(exact[entry])!r}, allowed "
            f"{allowed[entry]:.3g}, at {told(state)}",
        )


def _exact(subject: Subject, state: Arrays) -> list[Any] | None:
    """The results with fifty digits; none where a branch that is not taken has no real value, or none is known."""
    system = PreciseSystem()
    numbers = {name: [system.exact(float(x)) for x in array] for name, array in state.items()}
    try:
        exact = [system.lower(x) for x in flat(subject.written(**numbers))]
    except (TypeError, AttributeError, ZeroDivisionError):
        return None
    real = all(isinstance(x, system.context.mpf) and system.context.isfinite(x) for x in exact)
    return exact if real else None


def _distances(numbers: Array, exact: list[Any]) -> Array:
    return np.array(
        [float(abs(x.context.mpf(float(number)) - x)) for number, x in zip(numbers, exact, strict=True)]
    )


def told(state: Arrays) -> dict[str, list[float]]:
    """A state as it is printed."""
    return {name: array.tolist() for name, array in state.items()}


# -- layouts, single states ---------------------------------------------------------------------------------


def check_layouts(subject: Subject, arrays: Arrays, tally: Tally, rng: Generator) -> None:
    """The same states with other strides, broadcast, into places of all kinds, over inputs, by threads."""
    states, shape = len(next(iter(arrays.values()))), subject.kernel.shape
    batch = spread_over(rng, states)
    given = {name: narrowed(rng, array, batch) for name, array in arrays.items()}
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in given.values()))
    whole = {
        name: np.broadcast_to(x, (*batch, x.shape[-1])).reshape(prod(batch), x.shape[-1])
        for name, x in given.items()
    }
    expected = subject.call({name: x.copy() for name, x in whole.items()}).reshape(*batch, *shape)
    laid = {name: laid_out(rng, x) for name, x in given.items()}
    out, threads = _place(rng, laid, expected.shape), [None, 1, 2][int(rng.integers(3))]
    with np.errstate(over="ignore"):  # in a narrower place
        found = subject.call(laid, out, threads)
    tally.layouts += 1
    if out is not None and found is not out:
        raise Mismatch("layouts", "the result is not the place that was given for it")
    with np.errstate(over="ignore"):
        if np.array_equal(found, expected.astype(found.dtype), equal_nan=True):
            return
    if subject.kernel.constants:  # what is constant was computed once, in another order
        if found.dtype != np.float32:
            wide = found.astype(np.float64).reshape(prod(batch), *shape)
            check_values(subject, whole, wide, tally, "layouts")
        return
    of = {name: f"{x.shape} strides {x.strides} {x.dtype}" for name, x in laid.items()}
    where = None if out is None else f"{out.shape} strides {out.strides} {out.dtype}"
    raise Mismatch("layouts", f"other numbers with {of}, out {where}, threads {threads}")


def _place(rng: Generator, laid: Arrays, shape: tuple[int, ...]) -> Array | None:
    """No place for the results, one of any layout, or one that lies over an input."""
    choice = rng.random()
    if choice < 0.3:
        return None
    if choice < 0.7:
        return place_for(rng, shape, np.dtype(str(rng.choice(["f8"] * 8 + ["f4", "g"]))))
    name = str(rng.choice(list(laid)))
    if laid[name].dtype != np.float64 or 0 in shape:
        return None
    laid[name], out = overlapping(rng, laid[name], shape)
    return out


def check_single(subject: Subject, arrays: Arrays, found: Array, tally: Tally) -> None:
    """State by state: the first calls through the ufunc, later ones through a builtin where there is one."""
    for row in range(min(len(found), 4)):
        one = subject.call({name: array[row] for name, array in arrays.items()})
        if not np.array_equal(one, found[row], equal_nan=True) and not subject.kernel.constants:
            raise Mismatch(
                "single", f"state {row} alone gives {one.tolist()}, in a batch {found[row].tolist()}"
            )
        if subject.kernel.constants:
            part = {name: array[row : row + 1] for name, array in arrays.items()}
            check_values(subject, part, one[None], tally, "single")


def check_float32(subject: Subject, arrays: Arrays, tally: Tally) -> None:
    """Arrays of single precision, in code of its own or, where it divides by pivots, in double."""
    single = {name: array.astype(np.float32) for name, array in arrays.items()}
    found = subject.call(single)
    if found.dtype != np.float32:
        raise Mismatch("float32", f"the result is {found.dtype}")
    if subject.in_double:
        wide = subject.call({name: array.astype(np.float64) for name, array in single.items()})
        with np.errstate(over="ignore"):
            if not np.array_equal(wide.astype(np.float32), found, equal_nan=True):
                raise Mismatch("float32", "not what double precision gives, rounded")
        return
    check_values(subject, single, found, tally, "float32", np.float32)


def check_scalar(subject: Subject, arrays: Arrays, tally: Tally, rng: Generator) -> None:
    """Code of one state and plain numbers, as other machines get it, fused and not, in either precision."""
    single, fused = bool(rng.random() < 0.3 and not subject.in_double), bool(rng.random() < 0.5)
    dtype = np.dtype(np.float32 if single else np.float64)
    given = {name: array.astype(dtype) for name, array in arrays.items()}
    code = jit.compile_ir(module(subject.kernel.program, "f", single, fused), "f")
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(arrays) + 1))(code.address)
    found = np.full((len(next(iter(given.values()))), subject.size), np.nan, dtype)
    for row in range(len(found)):
        call(*(array[row].ctypes.data for array in given.values()), found[row].ctypes.data)
    check_values(subject, given, found, tally, f"scalar{' single' * single}{' fused' * fused}", dtype)


# -- what is not a number -----------------------------------------------------------------------------------


def check_nan(subject: Subject, arrays: Arrays, rng: Generator) -> None:
    """NaN comes out where the program says, and never where the function as written has a number.

    Infinities only have to be survived: what rounding leaves of a difference decides what infinity times it is.
    """
    tame = _tame(subject, arrays)
    wild = [
        {name: np.where(rng.random(x.shape) < 0.1, y, x)[tame] for name, x in arrays.items()}
        for y in SPECIAL
    ]
    spoilt, *infinite = wild
    for states in infinite:
        with suppress(ArgumentError):  # of quaternions that are no orientation
            subject.call(states)
    if not tame.any():
        return
    count = int(tame.sum())
    found = np.isnan(subject.call(spoilt).reshape(count, -1))
    lanes = {name: [Lanes(x[:, k]) for k in range(x.shape[-1])] for name, x in spoilt.items()}
    with np.errstate(all="ignore"):
        program = np.stack([_is_nan(x, count) for x in run(subject.kernel.program, lanes, Lanes)], -1)
        written = np.stack([_is_nan(x, count) for x in flat(subject.written(**lanes))], -1)
    _require_none(spoilt, found != program, "compiled code and its program differ")
    _require_none(spoilt, program & ~written & subject.strict, "passes make NaN of a number")


def _require_none(arrays: Arrays, wrong: Array, text: str) -> None:
    if wrong.any():
        row, entry = (int(k) for k in np.argwhere(wrong)[0])
        raise Mismatch("nan", f"{text} in entry {entry} at {told({n: x[row] for n, x in arrays.items()})}")


def _is_nan(x: Any, states: int) -> Array:
    return np.broadcast_to(np.isnan(x.values if isinstance(x, Lanes) else x), (states,))


def _tame(subject: Subject, arrays: Arrays) -> Array:
    """The states in which nothing comes near overflow on the way, in any order."""
    states = len(next(iter(arrays.values())))
    lanes = {name: [Lanes(x[:, k]) for k in range(x.shape[-1])] for name, x in arrays.items()}
    program = subject.kernel.program
    everything = program.with_outputs([node for node in program.nodes if node.op != "stored"])
    tame = np.ones(states, bool)
    with np.errstate(all="ignore"):
        for x in run(everything, lanes, Lanes):
            tame &= np.abs(x.values) < TAME
    return tame
