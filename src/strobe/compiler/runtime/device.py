"""A device: what compiles the programs of quantities, what calls the code, and what arrays it takes.

A robot is given one (`Robot(model, device=…)`, `robot.to(device)`) and asks it, for every call,

    arrays   what the call gives, checked and as arrays of the device
    code     of a kernel, made when that is first called: (arrays, out, threads) to the result
    answer   the kernel on those arrays

A kernel knows its program, a device what becomes of it; code kept on disk has the `key` of its device in its name.
`processor` is the device that runs unless another one is named; the interpreter here runs functions as they stand.
Quantities are what a device computes. Applications (simulation, control, inverse kinematics) run on NumPy: ask them
of `robot.to(PROCESSOR)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.runtime.arrays import collected
from strobe.compiler.runtime.interpret import evaluate
from strobe.errors import ArgumentError, shown

if TYPE_CHECKING:
    from strobe.compiler.runtime.kernels import Kernel


class Device:
    """Where quantities are computed. Two of one kind are the same, and each survives pickling."""

    name = "device"  # for people
    compiles = True  # whether code is made of programs
    reads_states = True  # whether orientations are looked at before the call, on arrays of NumPy
    in_a_hurry = False  # whether its code offers builtins that take calls before anything is checked

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == getattr(other, "__dict__", None)

    def __hash__(self) -> int:
        return hash(type(self))

    @property
    def key(self) -> str:
        """What its code depends on beside the program, in words."""
        return self.name

    def takes(self, values: Iterable[Any]) -> bool:
        """Whether arrays of a library that knows derivatives are its own, and no derivatives are asked of them."""
        return False

    def arrays(self, values: Mapping[str, Any], sizes: Mapping[str, int], why: str) -> dict[str, Any]:
        """What is given for vectors of these sizes as arrays of its own; an error where it does not fit."""
        raise NotImplementedError

    def numpy(self, array: Any) -> np.ndarray:
        """One of its arrays, for checks that read a state: orientations, and closed chains."""
        raise NotImplementedError

    def code(self, kernel: Kernel) -> Callable[..., Any]:
        """What computes a kernel from its arrays by name, where to put the result, and how many threads."""
        raise NotImplementedError

    def compile(self, kernel: Kernel, single: bool, best: bool = False) -> None:
        """Code of a kernel made now, so that no later call has to wait; for float32 arrays if ``single``.

        ``best`` asks for the best code there is, where the device also makes other.
        """
        _ = kernel.code

    def answer(self, kernel: Kernel, arrays: dict[str, Any], out: Any, threads: Any, double: bool) -> Any:
        """A kernel on its arrays; ``double`` where single precision cannot tell small from nothing."""
        return kernel(arrays, out, threads)


def require_device(device: object) -> Device:
    """A device, by itself or by its name, or an error that says what it is instead."""
    found = named(device) if isinstance(device, str) else device
    if not isinstance(found, Device):
        raise ArgumentError(
            f"device is {shown(device)}; expected {', '.join(NAMES)}, or a Device of strobe.compiler.runtime.device."
        )
    return found


NAMES = ("processor", "interpreter", "cuda", "cuda:0")


def named(name: str) -> Device | None:
    """The device of a name, if it is one."""
    if name == "processor":
        from strobe.compiler.runtime.processor import PROCESSOR

        return PROCESSOR
    if name == "interpreter":
        return INTERPRETER
    kind, _, number = name.partition(":")
    if kind != "cuda" or (number and not number.isdecimal()) or name.endswith(":"):
        return None
    from strobe.compiler.runtime.cuda import Cuda

    return Cuda(int(number) if number else None)


class OnNumpy(Device):
    """A device whose arrays are NumPy's."""

    def arrays(
        self, values: Mapping[str, Any], sizes: Mapping[str, int], why: str
    ) -> dict[str, np.ndarray]:
        return collected(values, sizes, why)

    def numpy(self, array: Any) -> np.ndarray:
        return array

    def answer(self, kernel: Kernel, arrays: dict[str, Any], out: Any, threads: Any, double: bool) -> Any:
        """Elimination in single precision cannot tell a small pivot from rounding: it is done in double."""
        if not double or any(array.dtype != np.float32 for array in arrays.values()):
            return self._computed(kernel, arrays, out, threads)
        wide = {name: array.astype(np.float64) for name, array in arrays.items()}
        result = self._computed(kernel, wide, out, threads)
        return result if out is not None else result.astype(np.float32)

    def _computed(self, kernel: Kernel, arrays: dict[str, Any], out: Any, threads: Any) -> Any:
        if kernel.is_empty:
            return evaluate(kernel.function(), arrays, kernel.shape, out)
        return kernel(arrays, out, threads)


class Interpreter(OnNumpy):
    """Every call runs the function as it stands, on arrays as numbers."""

    name = "interpreter"
    compiles = False

    def code(self, kernel: Kernel) -> Callable[..., np.ndarray]:
        return lambda arrays, out=None, threads=None: evaluate(kernel.function(), arrays, kernel.shape, out)


INTERPRETER = Interpreter()
