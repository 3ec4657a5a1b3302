"""The border of a card: arrays of PyTorch, CuPy, JAX and others that lie there, and are checked.

What a library hands out is where its numbers lie, how far apart, on which card, and in which stream they are valid.
Results are arrays of the library that the first argument is of. Whatever else has `__cuda_array_interface__` is taken
too, and answered by an `OnCard`, which has it as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from strobe.compiler.runtime import cuda_dlpack
from strobe.compiler.runtime.arrays import REASONS, collected, is_python
from strobe.compiler.runtime.cuda_driver import card, where
from strobe.errors import (
    ArgumentError,
    CardError,
    DtypeError,
    ShapeError,
)

SINGLE = {"float32": True, "<f4": True, "float64": False, "<f8": False}


@dataclass(frozen=True)
class Lying:
    """Numbers on a card: where they are, and how far apart."""

    owner: Any  # the array itself, which keeps them alive
    kind: str  # whose array it is
    address: int
    shape: tuple[int, ...]
    steps: tuple[int, ...]  # numbers from entry to entry of every axis
    single: bool
    card: int
    stream: int

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last address of its numbers."""
        size = 4 if self.single else 8
        moves = [(n - 1) * step * size for n, step in zip(self.shape, self.steps, strict=True)]
        return self.address + sum(m for m in moves if m < 0), self.address + sum(
            m for m in moves if m > 0
        ) + size


class OnCard:
    """An array on a card that is nobody else's."""

    def __init__(self, number: int, shape: tuple[int, ...], single: bool, columns: int = 0) -> None:
        self.card, self.shape, self.single = number, shape, single
        self.steps = steps_of(shape, columns)
        self._on = card(number)
        self._whole: OnCard | None = None  # what it is a part of
        self.address = self._on.allocate(prod(shape) * self._size, f"a result of shape {shape}")

    def __getitem__(self, index: Any) -> OnCard:
        """A part by numbers, slices and …, where it lies."""
        strides = tuple(self._size * step for step in self.steps)
        places = np.lib.stride_tricks.as_strided(np.empty(1, self.dtype), self.shape, strides)  # never read
        part = places[index]
        if not isinstance(part, np.ndarray) or part.base is None:
            raise ArgumentError(
                "arrays on a card are cut by whole numbers, slices and …, to parts with an axis."
            )
        made = object.__new__(OnCard)
        made.card, made.single, made.shape, made._on, made._whole = (
            self.card, self.single, part.shape, self._on, self._whole or self
        )  # fmt: skip
        made.steps = tuple(step // self._size for step in part.strides)
        made.address = self.address + part.ctypes.data - places.ctypes.data
        return made

    def __del__(self) -> None:
        address = self.__dict__.get("address")
        if address is not None and self._whole is None:
            self._on.free(address)  # once all that uses it is done: the driver waits for that

    def __repr__(self) -> str:
        return f"<{self.dtype} {self.shape} on card {self.card}>"

    @property
    def _size(self) -> int:
        return 4 if self.single else 8

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float32 if self.single else np.float64)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        strides = tuple(self._size * step for step in self.steps)
        return {
            "shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3,
            "strides": strides, "stream": 1,
        }  # fmt: skip

    def __dlpack_device__(self) -> tuple[int, int]:
        return cuda_dlpack.CUDA, self.card

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        self._on.wait(0)  # whoever asks may use any stream
        return cuda_dlpack.capsule(
            self, self.address, *self.__dlpack_device__(), self.shape, self.steps, 8 * self._size
        )

    def numpy(self) -> np.ndarray:
        """The numbers, in this machine's memory."""
        return fetched(lying("an array", self))


def steps_of(shape: Sequence[int], columns: int = 0) -> tuple[int, ...]:
    """Numbers from entry to entry, the last axis densest; of ``columns`` states, the only batch axis is."""
    steps = [1]
    for n in reversed(shape[1:]):
        steps.insert(0, steps[0] * n)
    steps = steps[-len(shape) :] if shape else []
    return tuple([1, *(columns * step for step in steps[1:])] if columns else steps)


def sent(array: np.ndarray, number: int = 0, *, columns: bool = False) -> OnCard:
    """A copy of an array of NumPy on a card, row by row or with states side by side."""
    made = OnCard(number, array.shape, array.dtype == np.float32, len(array) if columns else 0)
    numbers = np.ascontiguousarray(np.moveaxis(array, 0, -1) if columns else array)
    if array.size:
        with made._on.current() as call:
            call("cuMemcpyHtoD_v2", made.address, numbers.ctypes.data, numbers.nbytes)
    return made


# -- what libraries hand out ------------------------------------------------------------------------------


def library(value: Any) -> str:
    """Whose array a value is: the name of a library with arrays on cards, or of a protocol; else nothing."""
    home = type(value).__module__.partition(".")[0]
    if home == "torch":
        return "torch" if getattr(getattr(value, "device", None), "type", "") == "cuda" else ""
    if home in ("jax", "jaxlib"):
        return "jax" if _platform(value) in ("gpu", "cuda") else ""
    if home == "cupy":
        return "cupy"
    try:
        return "interface" if hasattr(value, "__cuda_array_interface__") else ""
    except Exception:  # some raise where an array is not on a card
        return ""


def _platform(value: Any) -> str:
    devices: Any = getattr(value, "devices", None)
    found: Any = devices() if callable(devices) else ()
    return next((device.platform for device in found), "")


def lying(name: str, value: Any) -> Lying:
    """Where the numbers of an array are; a sentence for what is none of numbers."""
    return READERS[library(value)](name, value)


def _torch(name: str, value: Any) -> Lying:
    number, dtype = value.get_device(), str(value.dtype).removeprefix("torch.")
    return Lying(
        value, "torch", value.data_ptr(), tuple(value.shape), value.stride(), _single(name, dtype), number,
        _torch_stream(number),
    )  # fmt: skip


def _torch_stream(number: int) -> int:
    """The stream that is current in PyTorch; its own object around the address costs several microseconds."""
    torch: Any = sys.modules["torch"]
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return torch.cuda.current_stream(number).cuda_stream if raw is None else raw(number)


def _by_interface(name: str, value: Any, kind: str = "interface", stream: int | None = None) -> Lying:
    told = value.__cuda_array_interface__
    single = _single(name, told["typestr"])
    if told.get("mask") is not None:
        raise DtypeError(name, "an array of which some entries are masked")
    shape, size = tuple(told["shape"]), 4 if single else 8
    strides = told.get("strides")
    steps = steps_of(shape) if strides is None else tuple(s // size for s in strides)
    address = told["data"][0]
    number = where(address) if prod(shape) else getattr(value, "card", 0)
    if number is None:
        raise CardError(f"{name} says that it is on a card, and its address is in the memory of none.")
    return Lying(
        value,
        kind,
        address,
        shape,
        steps,
        single,
        number,
        (told.get("stream") or 0) if stream is None else stream,
    )


def _cupy(name: str, value: Any) -> Lying:
    cupy: Any = sys.modules["cupy"]
    return _by_interface(name, value, "cupy", cupy.cuda.get_current_stream().ptr)


def _jax(name: str, value: Any) -> Lying:
    value.block_until_ready()  # it is computed in a stream that nobody else knows
    return _by_interface(name, value, "jax", 0)


READERS: Mapping[str, Callable[[str, Any], Lying]] = {
    "torch": _torch,
    "cupy": _cupy,
    "jax": _jax,
    "interface": _by_interface,
}


def _single(name: str, dtype: str) -> bool:
    if dtype not in SINGLE:
        raise DtypeError(name, f"{dtype}, where a card computes float32 and float64: convert it")
    return SINGLE[dtype]


# -- what a call gives ------------------------------------------------------------------------------------


def on_card_or_host(
    values: Mapping[str, Any], sizes: Mapping[str, int], why: str, number: int | None
) -> dict[str, Any]:  # fmt: skip
    """Arrays of a card, all on one and of one precision; or all of this machine's memory, for NumPy."""
    there = {name: value for name, value in values.items() if name in sizes and library(value)}
    if not there:
        return dict(collected(values, sizes, why))
    found = {name: lying(name.split(" ")[0], value) for name, value in there.items()}
    first, *others = found.items()
    for name, array in others:
        _require_alike(first, (name, array))
    home = first[1]
    if number is not None and home.card != number:
        raise ArgumentError(
            f'{first[0]} is on card {home.card}, and the robot on card {number}: take robot.to("cuda:{home.card}"), '
            'or robot.to("cuda"), which goes by the arrays.'
        )
    arrays = {name: found.get(name) or _sent(name, values[name], first) for name in sizes}
    for name, size in sizes.items():
        shape = arrays[name].shape
        if shape[-1:] != (size,):
            short = name.split(" ")[0]
            raise ShapeError(short, shape, f"(..., {size})", REASONS.get(short, why))
    return arrays


def _require_alike(one: tuple[str, Lying], other: tuple[str, Lying]) -> None:
    (a, x), (b, y) = one, other
    if x.card != y.card:
        raise ArgumentError(
            f"{a} is on card {x.card} and {b} on card {y.card}: bring all arrays of a call to one."
        )
    if x.single != y.single:
        words = {True: "float32", False: "float64"}
        raise DtypeError(
            b,
            f"{words[y.single]} and {a} {words[x.single]}: on a card all arrays of a call have one precision",
        )


def _sent(name: str, value: Any, beside: tuple[str, Lying]) -> Lying:
    """A vector that all states have in common, of Python's numbers or NumPy's: it goes to the card."""
    told, home = beside
    array = np.asarray(value, np.float32 if home.single else np.float64)
    if array.ndim != 1 or not (is_python(value) or isinstance(value, np.ndarray)):
        raise ArgumentError(
            f"{name} is in this machine's memory and {told} on card {home.card}: bring all arrays of a call to the "
            "card, or leave all of them here."
        )
    return lying(name, sent(array, home.card))


# -- results ------------------------------------------------------------------------------------------------


def empty_like(model: Lying, shape: tuple[int, ...], columns: bool) -> Lying:
    """A new array of the same library, card and precision; ``columns`` puts states side by side."""
    states = shape[0] if columns else 0
    steps = steps_of(shape, states)
    if model.kind == "torch":
        torch: Any = sys.modules["torch"]
        made: Any = torch.empty_strided(shape, steps, dtype=model.owner.dtype, device=model.owner.device)
    elif model.kind == "cupy":
        cupy: Any = sys.modules["cupy"]
        size = 4 if model.single else 8
        with cupy.cuda.Device(model.card):
            memory = cupy.cuda.alloc(max(prod(shape), 1) * size)
            made = cupy.ndarray(shape, model.owner.dtype, memory, tuple(size * step for step in steps))
    else:
        made = OnCard(model.card, shape, model.single, states)
    return lying("out", made)


def handed_out(result: Lying, model: Lying) -> Any:
    """A result as the library of the arguments has it."""
    if model.kind != "jax" or result.kind == "jax":
        return result.owner
    card(result.card).wait(result.stream)  # JAX computes in streams that nobody else knows
    return sys.modules["jax"].dlpack.from_dlpack(result.owner)


def given(out: Any, model: Lying, shape: tuple[int, ...], inputs: Mapping[str, Lying]) -> Lying:
    """The array that a result goes to, if it can."""
    if not library(out):
        raise ArgumentError(
            f"out is a {type(out).__name__}; expected an array of shape {shape} on card {model.card}."
        )
    found = lying("out", out)
    _require_alike(("the arguments", model), ("out", found))
    if found.shape != shape:
        raise ShapeError("out", found.shape, str(shape), "the result does not fit")
    told = getattr(out, "__cuda_array_interface__", None) if found.kind != "torch" else None
    if found.kind == "jax" or (told and told["data"][1]):
        raise ArgumentError("out is read-only: its library never changes an array.")
    first, last = found.span
    for name, array in inputs.items():
        begin, end = array.span
        if prod(shape) and first < end and begin < last:
            raise ArgumentError(
                f"out lies over {name}: on a card states are written while others are read."
            )
    return found


def fetched(array: Lying) -> np.ndarray:
    """The numbers of an array, in this machine's memory; waits for them."""
    dtype = np.dtype(np.float32 if array.single else np.float64)
    if not prod(array.shape):
        return np.empty(array.shape, dtype)
    first, last = array.span
    on = card(array.card)
    on.wait(array.stream)
    numbers = np.empty((last - first) // dtype.itemsize, dtype)
    with on.current() as call:
        call("cuMemcpyDtoH_v2", numbers.ctypes.data, first, numbers.nbytes)
    begin = (array.address - first) // dtype.itemsize
    strides = tuple(dtype.itemsize * step for step in array.steps)
    return np.lib.stride_tricks.as_strided(numbers[begin:], array.shape, strides).copy()


# -- batches ------------------------------------------------------------------------------------------------


def batch_of(arrays: Mapping[str, Lying]) -> tuple[int, ...]:
    """The leading shape that arrays have in common."""
    try:
        return np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except ValueError:
        got = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ArgumentError(
            f"the leading axes do not broadcast: {got}. All arrays need the same batch, or none."
        ) from None


def in_a_row(arrays: Mapping[str, Lying], batch: tuple[int, ...], core: int) -> tuple[list[int], list[int]]:
    """From state to state and from entry to entry, of arrays and of a result, the last, with so many core axes."""
    *names, result = arrays
    cores = dict.fromkeys(names, 1) | {result: core}
    leading = {name: _leading(array, batch, cores[name]) for name, array in arrays.items()}
    kept = [axis for axis, n in enumerate(batch) if n > 1]
    for a, b in pairwise(kept):
        for name, steps in leading.items():
            if steps[a] != batch[b] * steps[b]:
                raise ArgumentError(
                    f"{name} {arrays[name].shape} does not step evenly through its leading axes: make it contiguous."
                )
    states = [steps[kept[-1]] if kept else 0 for steps in leading.values()]
    entries = [_even(name, array, cores[name]) for name, array in arrays.items()]
    return states, entries


def _leading(array: Lying, batch: tuple[int, ...], core: int) -> list[int]:
    """Its steps along the axes of the batch; 0 where it is the same for all."""
    axes = len(array.shape) - core
    own = [0 if n == 1 else s for n, s in zip(array.shape[:axes], array.steps[:axes], strict=True)]
    return [0] * (len(batch) - axes) + own


def _even(name: str, array: Lying, core: int) -> int:
    """From entry to entry of a state, the last axes as one."""
    shape, steps = array.shape[len(array.shape) - core :], array.steps[len(array.shape) - core :]
    long = [(n, step) for n, step in zip(shape, steps, strict=True) if n > 1]
    for (_, a), (n, b) in pairwise(long):
        if a != n * b:
            raise ArgumentError(
                f"{name} {array.shape} does not step evenly through one state: make it contiguous."
            )
    return long[-1][1] if long else 1
