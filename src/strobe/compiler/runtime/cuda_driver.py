"""NVIDIA's driver, through its own library: cards, memory, streams, and PTX made ready to run.

Nothing but the driver is needed, and it is looked for when a card is first asked for. Every call is made in the
primary context of its card, which PyTorch, CuPy and JAX use too: their arrays and streams are valid here as they are.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from strobe.errors import ArgumentError, CardError, counted

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
ATTRIBUTES = {
    "major": 75,
    "minor": 76,
    "processors": 16,
    "registers": 82,
    "threads": 39,
    "shared": 97,
    "clock": 13,
}
OUT_OF_MEMORY = 2
POINTER_DEVICE, POINTER_KIND = 9, 2  # what is asked of an address
ON_CARD = 2  # the kind of an address in a card's memory
MOST_SHARED = 8  # attribute of a function: how much shared memory a launch may ask for

SIGNATURES: dict[str, tuple[Any, ...]] = {
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (c_void_p,),
    "cuGetErrorString": (c_int, c_void_p),
    "cuDeviceGetCount": (c_void_p,),
    "cuDeviceGet": (c_void_p, c_int),
    "cuDeviceGetName": (c_char_p, c_int, c_int),
    "cuDeviceGetAttribute": (c_void_p, c_int, c_int),
    "cuDevicePrimaryCtxRetain": (c_void_p, c_int),
    "cuCtxPushCurrent_v2": (c_void_p,),
    "cuCtxPopCurrent_v2": (c_void_p,),
    "cuCtxSynchronize": (),
    "cuModuleLoadDataEx": (c_void_p, c_char_p, c_uint, c_void_p, c_void_p),
    "cuModuleGetFunction": (c_void_p, c_void_p, c_char_p),
    "cuModuleGetGlobal_v2": (c_void_p, c_void_p, c_void_p, c_char_p),
    "cuFuncGetAttribute": (c_void_p, c_int, c_void_p),
    "cuFuncSetAttribute": (c_void_p, c_int, c_int),
    "cuOccupancyMaxActiveBlocksPerMultiprocessor": (c_void_p, c_void_p, c_int, c_size_t),
    "cuLaunchKernel": (c_void_p, *[c_uint] * 7, c_void_p, c_void_p, c_void_p),
    "cuMemGetInfo_v2": (c_void_p, c_void_p),
    "cuMemAlloc_v2": (c_void_p, c_size_t),
    "cuMemFree_v2": (c_uint64,),
    "cuMemHostAlloc": (c_void_p, c_size_t, c_uint),
    "cuMemFreeHost": (c_void_p,),
    "cuMemcpyHtoD_v2": (c_uint64, c_void_p, c_size_t),
    "cuMemcpyDtoH_v2": (c_void_p, c_uint64, c_size_t),
    "cuMemcpyHtoDAsync_v2": (c_uint64, c_void_p, c_size_t, c_void_p),
    "cuMemcpyDtoHAsync_v2": (c_void_p, c_uint64, c_size_t, c_void_p),
    "cuMemcpyDtoDAsync_v2": (c_uint64, c_uint64, c_size_t, c_void_p),
    "cuStreamCreate": (c_void_p, c_uint),
    "cuStreamSynchronize": (c_void_p,),
    "cuStreamDestroy_v2": (c_void_p,),
    "cuEventCreate": (c_void_p, c_uint),
    "cuEventRecord": (c_void_p, c_void_p),
    "cuEventSynchronize": (c_void_p,),
    "cuEventElapsedTime": (c_void_p, c_void_p, c_void_p),
    "cuEventDestroy_v2": (c_void_p,),
    "cuPointerGetAttribute": (c_void_p, c_int, c_uint64),
}


class Driver:
    """The library, its calls checked."""

    def __init__(self, library: str) -> None:
        try:
            loaded = ctypes.CDLL(library)
        except OSError:
            raise CardError(
                f"there is no driver of an NVIDIA card here ({library} cannot be loaded). Install the driver, or "
                'stay on this processor: robot.to("processor").'
            ) from None
        self._functions: dict[str, Any] = {}
        for name, signature in SIGNATURES.items():
            function = getattr(loaded, name, None)
            if function is not None:
                function.argtypes, function.restype = signature, c_int
                self._functions[name] = function

    def __call__(self, name: str, *args: Any) -> None:
        """A call by its name; a CardError where it fails."""
        status = self.status(name, *args)
        if status:
            raise CardError(f"{name} failed on the card: {self.words(status)}.")

    def status(self, name: str, *args: Any) -> int:
        """A call by its name, and how it ended."""
        function = self._functions.get(name)
        if function is None:
            raise CardError(f"the driver of the card is too old: it has no {name}; install a newer one.")
        return function(*args)

    def words(self, status: int) -> str:
        text = c_char_p()
        self.status("cuGetErrorString", status, byref(text))
        return (text.value or b"no further words").decode(errors="replace")

    def number(self, name: str, *args: Any) -> int:
        """What a call writes to the integer that is its first argument."""
        found = c_int()
        self(name, byref(found), *args)
        return found.value


@cache
def driver() -> Driver:
    """The driver of this machine, made ready once."""
    found = Driver(LIBRARY)
    status = found.status("cuInit", 0)
    if status or not found.number("cuDeviceGetCount"):
        why = f" ({found.words(status)})" if status else ""
        raise CardError(
            f"the driver finds no NVIDIA card{why}. Is one there and visible (CUDA_VISIBLE_DEVICES)? This processor "
            'serves as well: robot.to("processor").'
        )
    return found


@cache
def card(number: int) -> Card:
    """A card by its number."""
    count = driver().number("cuDeviceGetCount")
    if not 0 <= number < count:
        raise ArgumentError(
            f"there is no card {number}: this machine has {counted(count, 'card')}, from 0."
        )
    return Card(driver(), number)


@dataclass(frozen=True)
class Function:
    """A kernel on one card."""

    handle: c_void_p
    module: c_void_p
    registers: int
    local: int  # bytes of a thread beside registers


class Card:
    """One card, in its primary context."""

    def __init__(self, driver: Driver, number: int) -> None:
        self.driver, self.number = driver, number
        handle, context = c_int(), c_void_p()
        driver("cuDeviceGet", byref(handle), number)
        self._handle = handle.value
        driver("cuDevicePrimaryCtxRetain", byref(context), self._handle)
        self._context = context

    @cached_property
    def name(self) -> str:
        text = ctypes.create_string_buffer(200)
        self.driver("cuDeviceGetName", text, len(text), self._handle)
        return text.value.decode(errors="replace")

    def attribute(self, name: str) -> int:
        return self.driver.number("cuDeviceGetAttribute", ATTRIBUTES[name], self._handle)

    @cached_property
    def architecture(self) -> str:
        return f"sm_{self.attribute('major')}{self.attribute('minor')}"

    @contextmanager
    def current(self) -> Iterator[Driver]:
        """Calls in here are of this card."""
        self.driver("cuCtxPushCurrent_v2", self._context)
        try:
            yield self.driver
        finally:
            self.driver("cuCtxPopCurrent_v2", byref(c_void_p()))

    # -- code -------------------------------------------------------------------------------------------

    def load(self, ptx: bytes, name: str, shared: int = 0) -> Function:
        """A kernel of this name, assembled for this card, whose blocks may take so many bytes of shared memory."""
        module, function = c_void_p(), c_void_p()
        with self.current() as call:
            status = call.status("cuModuleLoadDataEx", byref(module), ptx, 0, None, None)
            if status:
                raise CardError(
                    f"{self.name} ({self.architecture}) does not take the code of {name}: {call.words(status)}. "
                    "Cards from compute capability 7.5 on and drivers from CUDA 11 on do."
                )
            call("cuModuleGetFunction", byref(function), module, name.encode())
            if shared:
                call("cuFuncSetAttribute", function, MOST_SHARED, shared)
            registers, local = (call.number("cuFuncGetAttribute", what, function) for what in (4, 3))
        return Function(function, module, registers, local)

    def launch(
        self, function: Function, blocks: int, threads: int, shared: int, stream: int, words: bytes
    ) -> None:
        """A kernel in the order of a stream, its arguments 8 bytes each; nothing waits for it."""
        given = ctypes.create_string_buffer(words, len(words))
        first = ctypes.addressof(given)
        places = (c_void_p * (len(words) // 8))(*range(first, first + len(words), 8))
        launched = function.handle, blocks, 1, 1, threads, 1, 1, shared, stream or None, places, None
        with self.current() as call:
            call("cuLaunchKernel", *launched)

    def blocks_at_once(
        self, function: Function, threads: int, shared: int, *, everywhere: bool = False
    ) -> int:
        """Blocks that one multiprocessor runs side by side, or all of them."""
        with self.current() as call:
            name = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
            return call.number(name, function.handle, threads, shared) * (
                self._processors if everywhere else 1
            )

    @cached_property
    def _processors(self) -> int:
        return self.attribute("processors")

    def far(self, function: Function, *, reset: bool = False) -> int:
        """Angles beyond the limit that a kernel has met since it was loaded, or reset; waits for the card."""
        place, size, count = c_uint64(), c_size_t(), c_uint64()
        with self.current() as call:
            call("cuModuleGetGlobal_v2", byref(place), byref(size), function.module, b"strobe_far")
            call("cuMemcpyDtoH_v2", byref(count), place, 8)
            if reset:
                call("cuMemcpyHtoD_v2", place, byref(c_uint64()), 8)
        return count.value

    # -- memory -----------------------------------------------------------------------------------------

    def allocate(self, size: int, what: str) -> int:
        """The address of so many bytes."""
        place = c_uint64()
        with self.current() as call:
            status = call.status("cuMemAlloc_v2", byref(place), max(size, 1))
            if status == OUT_OF_MEMORY:
                free, total = self.memory()
                raise CardError(
                    f"{what} needs {in_gigabytes(size)} on {self.name}, of whose {in_gigabytes(total)} "
                    f"{in_gigabytes(free)} are free: take fewer states at once, or host arrays, which go in parts."
                )
            if status:
                raise CardError(f"{what} found no memory on {self.name}: {call.words(status)}.")
        return place.value

    def memory(self) -> tuple[int, int]:
        """Bytes that are free, and all there are."""
        free, total = c_size_t(), c_size_t()
        with self.current() as call:
            call("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value, total.value

    def free(self, place: int) -> None:
        with self.current() as call:
            call.status("cuMemFree_v2", place)

    def pinned(self, size: int) -> int:
        """The address of so many bytes of this machine's memory that the card reads by itself."""
        place = c_void_p()
        with self.current() as call:
            call("cuMemHostAlloc", byref(place), size, 0)
        return place.value or 0

    def unpin(self, place: int) -> None:
        with self.current() as call:
            call.status("cuMemFreeHost", place)

    def stream(self) -> int:
        """A stream of its own, which waits for no other."""
        made = c_void_p()
        with self.current() as call:
            call("cuStreamCreate", byref(made), 1)
        return made.value or 0

    def wait(self, stream: int) -> None:
        with self.current() as call:
            call("cuStreamSynchronize", stream or None)

    def event(self) -> c_void_p:
        made = c_void_p()
        with self.current() as call:
            call("cuEventCreate", byref(made), 0)
        return made

    def milliseconds(self, work: Callable[[], object], stream: int) -> float:
        """How long the card takes for what is put into a stream."""
        begin, end, found = self.event(), self.event(), c_float()
        with self.current() as call:
            call("cuEventRecord", begin, stream or None)
            work()
            call("cuEventRecord", end, stream or None)
            call("cuEventSynchronize", end)
            call("cuEventElapsedTime", byref(found), begin, end)
            for event in (begin, end):
                call("cuEventDestroy_v2", event)
        return found.value

    def to_card(self, place: int, source: int, size: int, stream: int) -> None:
        with self.current() as call:
            call("cuMemcpyHtoDAsync_v2", place, source, size, stream or None)

    def to_host(self, place: int, source: int, size: int, stream: int) -> None:
        with self.current() as call:
            call("cuMemcpyDtoHAsync_v2", place, source, size, stream or None)


def where(address: int) -> int | None:
    """The number of the card in whose memory an address is; nothing where it is in none."""
    kind, number = c_uint(), c_int()
    call = driver()
    if call.status("cuPointerGetAttribute", byref(kind), POINTER_KIND, address) or kind.value != ON_CARD:
        return None
    call("cuPointerGetAttribute", byref(number), POINTER_DEVICE, address)
    return number.value


def in_gigabytes(size: int) -> str:
    return f"{size / 1e9:.3g} GB"
