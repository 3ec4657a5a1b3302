"""A quantity of one robot as a program: traced, simplified, and computed by the code that a device makes of it.

A kernel ships as its model, its request and its device, never as code, so it can be pickled to another process or
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from strobe.compiler.graph.derivatives import costs, derivative
from strobe.compiler.graph.passes import optimised
from strobe.compiler.graph.program import Program, trace
from strobe.compiler.graph.simplify import simplify
from strobe.compiler.runtime.arrays import turns
from strobe.compiler.runtime.debug import say, timed, waiting
from strobe.compiler.runtime.device import Device
from strobe.compiler.runtime.processor import MOST_TRACED, PROCESSOR
from strobe.compiler.runtime.threads import built, collecting_seldom
from strobe.errors import ProgramSizeError
from strobe.formulations import FORMULATIONS
from strobe.models.couplings import coordinates
from strobe.models.fingerprint import digest, fingerprint, seen
from strobe.models.model import Model
from strobe.quantities import QUANTITIES, Request
from strobe.quantities.request import POSITIONS
from strobe.scalars import Graph, Node, Stored
from strobe.scalars.dual import Direction


class Kernel:
    """Calls of one quantity on arrays that are checked already."""

    as_written = False  # whether nothing is moved and nothing fused, for the bits of operations one by one
    keeps_trace = False  # whether the expression graph as traced is read again after the passes

    def __init__(self, model: Model, request: Request, device: Device = PROCESSOR) -> None:
        self.model = model
        self.request = request.at_frames(model) if request else request
        self.device = device

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self.model, self.request, self.device)

    @built
    def code(self) -> Any:
        """What computes it on its device: (arrays, out, threads) to the result."""
        return self.device.code(self)

    def __call__(self, arrays: Mapping[str, Any], out: Any = None, threads: int | None = None) -> Any:
        """The result of shape (*batch, *core)."""
        return self.code(arrays, out, threads)

    def in_a_hurry(self, arrays: Mapping[str, Any]) -> Any:
        """The same, of plain rows (N, size) by the builtin that answers quick calls of batches."""
        quick = self.device.in_a_hurry and not self.stored and not self.is_empty
        found = self.code.batch(*arrays.values()) if quick else NotImplemented
        return self(arrays) if found is NotImplemented else found

    @property
    def quantity(self) -> str:
        return self.request.quantity

    @property
    def owner(self) -> str:
        """Whose quantity it is."""
        return self.model.name

    @property
    def name(self) -> str:
        return f"{self.quantity} of {self.owner}"

    def __repr__(self) -> str:
        taken = ", ".join(f"{name} ({size})" for name, size in self.inputs.items())
        return f"<{self.name}: {taken} to {self.shape}>"

    @cached_property
    def inputs(self) -> dict[str, int]:
        """The vectors it takes, by name, with their sizes."""
        return self.request.inputs(self.model)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result for one state."""
        return self.request.shape(self.model)

    def function(self, graph: Graph | None = None) -> Callable[..., Any]:
        """What it computes, over floats and arrays, or over the nodes of a graph."""
        model = seen(self.model)
        return partial(self.request.evaluate, model if graph is None else model.lift(graph))

    @property
    def stored(self) -> tuple[Stored, ...]:
        """What its code reads by place, beside the inputs."""
        return self.program.stored if self.request.looks_up else ()

    @cached_property
    def constants(self) -> tuple[str, ...]:
        """Its inputs that are constants of the robot."""
        return tuple(self.request.constants(self.model)) if self.request else ()

    @cached_property
    def is_empty(self) -> bool:
        """Whether there is nothing to compile: no joint that moves, or no number in the result."""
        return not (coordinates(self.model).nv and all(self.shape))

    @property
    def turns(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Its inputs that are positions, by their place, and where quaternions begin in them."""
        places = turns(coordinates(self.model).joints) if self.request else ()
        return tuple((k, places) for k, name in enumerate(self.inputs) if places and name in POSITIONS)

    @property
    def floats(self) -> tuple[int, ...]:
        """Its inputs that a single call gives as a number, by their place."""
        return tuple(k for k, name in enumerate(self.inputs) if self.request and name == "dt")

    @cached_property
    def parts(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the arrays that its result is given as, where these are several."""
        return self.request.parts(self.model) if self.request else ()

    def require_stored(self, program: Program) -> None:
        """Refuse a program that reads stored numbers of which the kernel knows nothing: it would read anywhere."""
        if program.stored != self.stored:
            raise TypeError(f"{self.name} reads stored numbers; its request must say so: looks_up.")

    def fingerprint(self) -> str:
        """What tells its object code from that of any other kernel: all that `function` is given.

        The code that reads it is told apart by a digest of our sources; a request that others wrote is told apart by
        the program that comes of it.
        """
        if not _is_ours(self.request):
            return program_digest(self.program)
        return digest(self.model.name, fingerprint(self.model), type(self.request).__module__, self.request)

    @built
    def program(self) -> Program:
        """The expression graph after all passes."""
        with waiting(self.name), collecting_seldom():
            return self._made()

    def _made(self) -> Program:
        with timed(f"{self.name}: trace"):
            traced = self._as_traced()
        say(2, lambda: f"{self.name}: traced, {traced.summary}")
        with timed(f"{self.name}: passes"):
            program = optimised(traced, self._tell)
        if not self.keeps_trace:
            traced.let_go()
        say(1, lambda: f"{self.name}: {program.summary}")
        say(3, program.text)
        return program

    def _as_traced(self) -> Program:
        """The expression graph as the function draws it."""
        graph = Limited(MOST_TRACED, partial(ProgramSizeError, self.quantity, self.owner))
        if not self.request.by:
            return trace(self.function(graph), self.inputs, self.shape, graph)
        plain = Kernel(self.model, self.request.plain)
        program = simplify(trace(plain.function(graph), self.inputs, plain.shape, graph))
        graph.let_go()
        return self._differentiated(program, self.request.directions(self.model, program.numbers))

    def _differentiated(self, program: Program, directions: Sequence[Direction]) -> Program:
        """The derivative of a program, unless it would be too long."""
        if min(costs(program, directions).values()) > MOST_TRACED:
            raise ProgramSizeError(self.quantity, self.owner, MOST_TRACED)
        return derivative(program, directions)

    def _tell(self, done: str, left: Program) -> None:
        say(2, lambda: f"{self.name}: {done}, {left.summary}")


def program_digest(program: Program) -> str:
    """What tells a program from others, for whatever reads it."""
    inputs = [(given.name, given.size) for given in program.inputs]
    return digest(inputs, program.shape, program.text())


def _is_ours(request: Request) -> bool:
    """Whether all that answers a request stands in sources that keys of the cache are made from."""
    from strobe.compiler.runtime.cache import is_source

    quantity = QUANTITIES.get(request.quantity)
    method = FORMULATIONS.get(request.formulation or "")
    modules = [kind.__module__ for kind in type(request).__mro__ if kind is not object]
    modules += [quantity.function.__module__] if quantity else []
    modules += [method.module.__name__] if method else []
    return all(map(is_source, modules)) and all(map(_is_ours, request.together))


class Limited(Graph):
    """A graph that refuses to grow beyond a size."""

    def __init__(self, most: int, error: Callable[[int], Exception]) -> None:
        super().__init__()
        self.most, self.error = most, error

    def _added(self, op: str, args: tuple[Node, ...], value: object) -> Node:
        if len(self.nodes) > self.most:
            raise self.error(self.most)
        return super()._added(op, args, value)
