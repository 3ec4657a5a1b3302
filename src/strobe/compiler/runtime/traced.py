"""Functions of one's own, compiled: written over numbers, called on arrays.

    import strobe
    from strobe.scalars import cos, sin

    pendulum = strobe.trace(lambda q, tau: [(tau[0] - 9.81 * sin(q[0])) / 0.5], q=1, tau=1)
    pendulum(q, tau)                        # arrays (..., 1), broadcast over leading axes

A traced function takes lists of numbers and returns numbers in (nested) lists. It may use arithmetic and the
functions of `strobe.scalars`; a decision on a value is written `where(less(a, b), x, y)`, and stored numbers are read
from a `Stored`. It runs once, when it is traced: what it reads from elsewhere (globals, what it closes over) is what
it was then, compiled or interpreted, in every law and controller that is made of it.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from strobe.compiler.graph.program import Program, trace as graph_of
from strobe.compiler.graph.replay import replay
from strobe.compiler.runtime.device import Device, require_device
from strobe.compiler.runtime.kernels import Kernel, program_digest
from strobe.compiler.runtime.processor import MOST_TRACED
from strobe.errors import ArgumentError, ProgramSizeError, StrobeError, UnknownNameError, shown
from strobe.models.arguments import is_whole
from strobe.scalars import Graph, Numbers, Scalar, Stored
from strobe.scalars.dual import Direction, slopes
from strobe.scalars.scalar import is_number


class Traced(Kernel):
    """A user's function as a kernel; call it on arrays in the order of its arguments, or by name."""

    keeps_trace = True

    def __init__(self, function: Callable[..., Any], inputs: dict[str, int]) -> None:
        self._function = function
        self._inputs = dict(inputs)
        super().__init__(None, None)  # pyright: ignore[reportArgumentType]  it has no robot
        graph = Graph()
        outcome = self._outcome(graph)
        self._shape = _shape(outcome)
        self._drawn = graph_of(lambda **_: outcome, self._inputs, self._shape, graph)

    def __reduce__(self) -> tuple[Any, ...]:
        return Traced, (self._function, self._inputs)

    @property
    def quantity(self) -> str:
        return getattr(self._function, "__name__", "function").strip("<>")

    @property
    def owner(self) -> str:
        return "a traced function"

    @cached_property
    def inputs(self) -> dict[str, int]:
        return self._inputs

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    def function(self, graph: Graph | None = None) -> Callable[..., Any]:
        """What was traced: the function itself may have changed since with what it reads."""
        return lambda **numbers: replay(self._drawn, numbers)

    def written(self, **numbers: Any) -> Any:
        """What the function returns now, as nested lists, a single number as a list of one."""
        result = self._function(**numbers)
        return result if isinstance(result, list | tuple) else [result]

    def _as_traced(self) -> Program:
        if len(self._drawn.nodes) > MOST_TRACED:
            raise ProgramSizeError(self.quantity, self.owner, MOST_TRACED)
        return self._drawn

    @property
    def stored(self) -> tuple[Stored, ...]:
        return self._drawn.stored

    def fingerprint(self) -> str:
        """The program itself: source text says nothing about what a function closes over."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        return program_digest(self.program)

    def __call__(
        self, *args: Any, out: np.ndarray | None = None, threads: int | None = None, **named: Any
    ) -> Any:
        names = list(self.inputs)
        if len(args) > len(names):
            raise ArgumentError(
                f"{self.quantity} takes {len(names)} arrays ({', '.join(names)}); got {len(args)}."
            )
        values = dict(zip(names, args, strict=False)) | named
        if set(values) != set(names):
            raise ArgumentError(
                f"{self.quantity} takes {', '.join(names)}; got {', '.join(values) or 'nothing'}."
            )
        why = "the function was traced for vectors of that size"
        return super().__call__(self.device.arrays(values, self.inputs, why), out, threads)

    def to(self, device: Device | str) -> Traced:
        """The same function on another device, such as "cuda"."""
        made = copy(self)
        made.device = require_device(device)
        made.__dict__.pop("code", None)
        return made

    def jacobian(self, *of: str) -> Traced:
        """Its derivatives by the numbers of some of its inputs (all if none is named), compiled too.

        They are a last axis of the result, inputs side by side. Where a function jumps or has a kink they are
        those of the branch that is taken there.
        """
        for name in of:
            if name not in self.inputs:
                raise UnknownNameError("input", name, self.quantity, list(self.inputs))
        return Jacobian(self, of or tuple(self.inputs))

    def _outcome(self, graph: Graph) -> Any:
        """What one run over nodes returns."""
        numbers = {
            name: [graph.variable(f"{name}[{k}]") for k in range(n)] for name, n in self._inputs.items()
        }
        try:
            return self.written(**numbers)
        except StrobeError:
            raise
        except TypeError as error:
            raise ArgumentError(f"{self.quantity} cannot be traced: {error}.") from error


class AsWritten(Traced):
    """A function whose operations are done one by one as they are written, none moved, none fused.

    What NumPy computes in many small steps has the same bits in one call.
    """

    as_written = True

    def __reduce__(self) -> tuple[Any, ...]:
        return AsWritten, (self._function, self._inputs)

    def _made(self) -> Program:
        return self._as_traced()


class Jacobian(Traced):
    """The derivatives of a traced function: forwards or backwards through its graph, whichever takes less."""

    def __init__(self, plain: Traced, of: tuple[str, ...]) -> None:
        self._plain, self._of = plain, of
        Kernel.__init__(self, None, None)  # pyright: ignore[reportArgumentType]  it has no robot
        self._inputs = plain.inputs
        self._shape = (*plain.shape, sum(plain.inputs[name] for name in of))

    def __reduce__(self) -> tuple[Any, ...]:
        return Jacobian, (self._plain, self._of)

    @property
    def quantity(self) -> str:
        return f"jacobian of {self._plain.quantity}"

    def _as_traced(self) -> Program:
        return self._differentiated(self._plain.program, self._directions())

    def function(self, graph: Graph | None = None) -> Callable[..., Any]:
        return lambda **numbers: slopes(self._plain.function(), numbers, self._directions())

    def written(self, **numbers: Numbers) -> Any:
        return slopes(self._plain.written, numbers, self._directions())

    @property
    def stored(self) -> tuple[Stored, ...]:
        return self.program.stored

    def _directions(self) -> list[Direction]:
        sizes = [(name, self.inputs[name]) for name in self._of]
        return [{name: [float(i == k) for i in range(n)]} for name, n in sizes for k in range(n)]


def trace(function: Callable[..., Any], /, **inputs: int) -> Traced:
    """A function over lists of numbers as compiled code; ``inputs`` are the sizes of its arguments by name."""
    for name, size in inputs.items():
        if not is_whole(size, 1):
            raise ArgumentError(f"{name} has size {shown(size)}; expected a whole number, 1 or more.")
        if name in ("out", "threads"):
            raise ArgumentError(
                f'an argument cannot be named "{name}": calls of a traced function use that word.'
            )
    if not inputs:
        raise ArgumentError("trace() needs the sizes of the arguments by name: trace(f, q=7, qd=7).")
    return Traced(function, inputs)


def _shape(values: Any) -> tuple[int, ...]:
    """The shape of nested lists of numbers; all parts must be alike."""
    if not isinstance(values, list | tuple):
        if not isinstance(values, Scalar) and not is_number(values):
            raise ArgumentError(
                f"a traced function returned a {type(values).__name__}; expected numbers in lists."
            )
        return ()
    shapes = {_shape(value) for value in values}
    if len(shapes) != 1:
        raise ArgumentError("a traced function must return numbers in lists of equal lengths.")
    return (len(values), *shapes.pop())
