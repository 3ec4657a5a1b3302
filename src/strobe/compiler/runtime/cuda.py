"""A card of NVIDIA as a device: programs as PTX, kept on disk, launched on arrays where they lie.

    fast = robot.to("cuda")               # the card that the arrays of a call are on; "cuda:1" takes no others
    tau = fast.inverse_dynamics(q, qd, qdd)

Arrays of PyTorch, CuPy and others on a card are read where they are, in the stream that is current there, and nothing
waits: a CUDA graph can record the call. Host arrays go to the card and back in parts (`cuda_host`).

Of one program there are several kernels, by how arrays lie (`llvm_cuda.Form`). Code is made without a card and
runs without LLVM: `compile` here, carry the folder of STROBE_CACHE, call there.

Single precision cannot tell a small pivot from rounding, so that what eliminates computes in double precision on
float32 arrays, as on this processor. Cards for games are slow at that: `Cuda(elimination="single")`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.codegen.llvm_cuda import SHARED, Form, module, shared_bytes
from strobe.compiler.runtime import cache
from strobe.compiler.runtime.cuda_arrays import (
    Lying,
    batch_of,
    empty_like,
    fetched,
    given,
    handed_out,
    in_a_row,
    library,
    on_card_or_host,
)
from strobe.compiler.runtime.cuda_driver import Card, Function, card
from strobe.compiler.runtime.debug import timed, waiting
from strobe.compiler.runtime.device import Device
from strobe.compiler.runtime.threads import building, collecting_seldom
from strobe.errors import ArgumentError, CardError, ProgramSizeError
from strobe.models.arguments import require_choice

if TYPE_CHECKING:
    from strobe.compiler.runtime.kernels import Kernel

NAME = "kernel"  # of the function in every PTX
# operations of a program of which a thread computes two states: registers for more would be few
MOST_PAIRED = 900
MOST_COMPILED = 100_000  # operations that the assembler gets through
BLOCKS = (64, 32)  # threads of a block, the most that shared memory has room for
MOST_BLOCKS = 2**31 - 1
MOST_HELD = 1_000  # ways in which arrays lie, of one kernel
ALIGNED = 16  # bytes: rows are copied in such pieces
PRECISIONS = ("double", "single")


class Cuda(Device):
    """Cards, or one by its number; ``elimination`` on float32 arrays is in "double" precision or in "single"."""

    name = "cuda"
    reads_states = False  # a kernel looks at quaternions itself

    def __init__(self, number: int | None = None, *, elimination: str = "double") -> None:
        self.number = number
        self.elimination = require_choice("elimination", elimination, PRECISIONS)

    def __repr__(self) -> str:
        return f"<{self.name}{'' if self.number is None else f':{self.number}'}>"

    def takes(self, values: Iterable[Any]) -> bool:
        given = list(values)
        return any(map(library, given)) and not any(getattr(x, "requires_grad", False) for x in given)

    def arrays(self, values: Mapping[str, Any], sizes: Mapping[str, int], why: str) -> dict[str, Any]:
        return on_card_or_host(values, sizes, why, self.number)

    def numpy(self, array: Any) -> np.ndarray:
        return fetched(array) if isinstance(array, Lying) else array

    def code(self, kernel: Kernel) -> CardCode:
        return CardCode(kernel)

    def compile(self, kernel: Kernel, single: bool, best: bool = False) -> None:
        code: CardCode = kernel.code
        eliminates = bool(kernel.request) and kernel.request.record.eliminates
        for form in code.forms(single, self.is_wide(eliminates, single)):
            code.entry(form)

    def is_wide(self, eliminates: bool, single: bool) -> bool:
        """Whether arithmetic is in double precision on arrays of single."""
        return eliminates and single and self.elimination == "double"

    def answer(self, kernel: Kernel, arrays: dict[str, Any], out: Any, threads: Any, double: bool) -> Any:
        if threads is not None:
            raise ArgumentError("threads= is for this processor: a card has thousands. Leave it out.")
        if kernel.is_empty or not arrays:
            return self._nothing(kernel, arrays, out)
        return kernel.code(arrays, out, None, double)

    def _nothing(self, kernel: Kernel, arrays: dict[str, Any], out: Any) -> Any:
        """The result of a quantity without numbers, or of no joints: by the interpreter, sent there."""
        from strobe.compiler.runtime.interpret import evaluate

        found = evaluate(kernel.function(), {n: self.numpy(a) for n, a in arrays.items()}, kernel.shape)
        first = next(iter(arrays.values()), None)
        if not isinstance(first, Lying):
            return found
        shape = (*batch_of(arrays), *kernel.shape)
        place = empty_like(first, shape, columns=False) if out is None else given(out, first, shape, arrays)
        if found.size:
            on = card(first.card)
            with on.current() as call:
                call(
                    "cuMemcpyHtoD_v2", place.address, np.ascontiguousarray(found).ctypes.data, found.nbytes
                )
        return handed_out(place, first)


@dataclass(frozen=True)
class Call:
    """States in a row, ready for a kernel: an address and two steps for every array, the result behind them."""

    states: int
    addresses: tuple[int, ...]
    steps: tuple[int, ...]  # from state to state
    entries: tuple[int, ...]  # from entry to entry


class Launch:
    """A kernel and all that it is told but where arrays are."""

    def __init__(self, call: Call, form: Form, function: Function, shared: int, on: Card) -> None:
        self.call, self.form, self.function, self.shared, self.on = call, form, function, shared, on
        self.blocks = min(-(-call.states // (form.block * form.states)), MOST_BLOCKS)
        if form.waves:
            self.blocks = min(
                self.blocks, form.waves * on.blocks_at_once(function, form.block, shared, everywhere=True)
            )
        self._packed = struct.Struct(
            "<q" + "Qqi4x" * len(call.steps)
        )  # as a kernel takes them, 8 bytes each
        self._words = [call.states]
        for three in zip(call.addresses, call.steps, call.entries, strict=True):
            self._words += three

    def __call__(self, addresses: Sequence[int], stream: int) -> None:
        """In the order of a stream; nothing waits for it."""
        words = self._words.copy()
        words[1::3] = addresses
        self.on.launch(
            self.function, self.blocks, self.form.block, self.shared, stream, self._packed.pack(*words)
        )


class CardCode:
    """A kernel as functions of cards, made when they are first needed."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.functions: dict[tuple[Form, int], Function | None] = {}
        self.chosen: dict[tuple[Form, str], Form] = {}  # by the usual form and the card
        self._results: dict[Any, tuple[tuple[int, ...], bool]] = {}  # shape and order, by how arguments lie
        self._launches: dict[Any, Launch] = {}  # by how all arrays lie

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of every input for one state, and of the result."""
        return (*self.kernel.inputs.values(), prod(self.kernel.shape))

    # -- calls ------------------------------------------------------------------------------------------

    def __call__(
        self, arrays: Mapping[str, Any], out: Any = None, threads: Any = None, double: bool = False
    ) -> Any:
        """The result of shape (*batch, *core), on the card or, of host arrays, here."""
        first = next(iter(arrays.values()))
        if isinstance(first, Lying):
            return self._on_card(arrays, out, double)
        from strobe.compiler.runtime.cuda_host import streamed

        return streamed(self, arrays, out, double)

    def _on_card(self, arrays: Mapping[str, Lying], out: Any, double: bool) -> Any:
        first, lie = next(iter(arrays.values())), tuple((a.shape, a.steps) for a in arrays.values())
        shape, columns = _held(self._results, lie, lambda: self._result(arrays))
        place = empty_like(first, shape, columns) if out is None else given(out, first, shape, arrays)
        if prod(shape):
            addresses = (*(a.address for a in arrays.values()), place.address)
            key = (
                lie,
                place.steps,
                tuple([a % ALIGNED for a in addresses]),
                first.single,
                double,
                first.card,
            )
            launch = _held(self._launches, key, lambda: self._launch(arrays, place, double))
            launch(addresses, first.stream)
        return handed_out(place, first)

    def _result(self, arrays: Mapping[str, Lying]) -> tuple[tuple[int, ...], bool]:
        """The shape of a result, and whether its states lie side by side."""
        batch = batch_of(arrays)
        return (*batch, *self.kernel.shape), len(batch) == 1 and _by_columns(arrays.values())

    def _launch(self, arrays: Mapping[str, Lying], place: Lying, double: bool) -> Launch:
        """The launch for arrays that lie like these."""
        call = self._call({**arrays, "out": place}, batch_of(arrays))
        return self.ready(call, self.form(call, place.single, double), card(place.card))

    def _call(self, arrays: Mapping[str, Lying], batch: tuple[int, ...]) -> Call:
        steps, entries = in_a_row(arrays, batch, len(self.kernel.shape))
        return Call(prod(batch), tuple(a.address for a in arrays.values()), tuple(steps), tuple(entries))

    def ready(self, call: Call, form: Form, on: Card) -> Launch:
        """The kernel of a form, as it is best on this card, for all arrays that lie like those of a call."""
        form, function = self.function(form, on)
        return Launch(call, form, function, shared_bytes(self.sizes, form), on)

    def choose(self, form: Form, best: Form, on: Card) -> None:
        """Take the best form for the usual one from now on."""
        self.chosen[form, on.name] = best
        self._launches.clear()

    # -- forms ------------------------------------------------------------------------------------------

    def form(self, call: Call, single: bool, double: bool) -> Form:
        """The kernel for arrays that lie as those of a call."""
        device: Any = self.kernel.device
        form = Form(single=single, wide=device.is_wide(double, single), turns=self.kernel.turns)
        alike = tuple(k for k, step in enumerate(call.steps[:-1]) if not step) if call.states > 1 else ()
        lying = [k for k in range(len(call.steps)) if k not in alike]
        if call.states > 1 and all(call.steps[k] == 1 for k in lying):
            columns = replace(form, layout="columns", common=alike)
            return replace(columns, states=2) if self._in_pairs(call, columns, lying) else columns
        if call.states > 1 and all(self._is_row(call, k, form) for k in lying):
            rows = self.rows(replace(form, layout="rows", common=alike))
            if rows is not None:
                return rows
        return replace(form, layout="strided")

    def _in_pairs(self, call: Call, form: Form, lying: Sequence[int]) -> bool:
        """Whether a thread can take two neighbours at once everywhere."""
        even = all(call.addresses[k] % (2 * form.bytes) == 0 == call.entries[k] % 2 for k in lying)
        return form.single and not form.wide and even and call.states % 2 == 0

    def _is_row(self, call: Call, k: int, form: Form) -> bool:
        dense = call.entries[k] == 1 and call.steps[k] == self.sizes[k]
        return dense and call.addresses[k] % ALIGNED == 0

    def rows(self, form: Form) -> Form | None:
        """The form with as many threads as shared memory has room for, if it has for any."""
        forms = (replace(form, block=threads) for threads in BLOCKS)
        return next((form for form in forms if shared_bytes(self.sizes, form) <= SHARED), None)

    def forms(self, single: bool, wide: bool) -> list[Form]:
        """What calls of one precision may need."""
        plain = Form(single=single, wide=wide, turns=self.kernel.turns)
        names = list(self.kernel.inputs)
        alike = {(), tuple(names.index(name) for name in self.kernel.constants)}
        found = [replace(plain, layout="strided")]
        for common in sorted(alike):
            columns = replace(plain, common=common)
            found += [columns, replace(columns, states=2)] if single and not wide else [columns]
            rows = self.rows(replace(columns, layout="rows"))
            found += [rows] if rows else []
        return found

    def best(self, form: Form, on: Card) -> Form:
        """What `cuda_search` found for a form on cards of this name, if it was asked to look."""
        key = form, on.name
        if key not in self.chosen:
            found = cache.known(self.choice(form, on.name))
            self.chosen[key] = replace(form, **json.loads(found.code)) if found else form
        return self.chosen[key]

    def choice(self, form: Form, name: str) -> str:
        """The name under which the best way to make a form is kept."""
        return cache.portable_key("cuda choice", name, self.kernel.fingerprint(), json.dumps(asdict(form)))

    # -- code -------------------------------------------------------------------------------------------

    def function(self, form: Form, on: Card) -> tuple[Form, Function]:
        """The best form for arrays that lie like those of a form, and its function on a card."""
        best = self.best(form, on)
        found = self.loaded(best, on)
        return self.usual(form, on) if found is None else (best, found)

    def usual(self, form: Form, on: Card) -> tuple[Form, Function]:
        """A form, or the next plainer one that there is code of, on a card."""
        for each in (form, replace(form, states=1), _strided(form)):
            found = self.loaded(each, on)
            if found is not None:
                return each, found
        raise CardError(
            f"{self.kernel.name} has no code for cards in the folder of STROBE_CACHE, and without llvmlite none can "
            'be made here. Where llvmlite is, robot.to("cuda").compile(…) makes it; bring that folder along.'
        )

    def loaded(self, form: Form, on: Card) -> Function | None:
        text, number = form.text, on.number
        if (text, number) not in self.functions:
            with building:
                entry = self.entry(text, here=False)
                shared = shared_bytes(self.sizes, text)
                self.functions[text, number] = (
                    on.load(entry.code, NAME, shared) if entry and entry.code else None
                )
        return self.functions[text, number]

    def entry(self, form: Form, here: bool = True) -> cache.Entry | None:
        """PTX of the program (`kept_or_made`)."""
        key = cache.portable_key("cuda", self.kernel.fingerprint(), json.dumps(asdict(form.text)))
        return kept_or_made(key, lambda: self._made(form), here)

    def _made(self, form: Form) -> cache.Entry:
        from strobe.compiler.runtime.ptx import ptx

        kernel = self.kernel
        with waiting(kernel.name), collecting_seldom():
            program = kernel.program
            size = len(program.nodes)
            if size > MOST_COMPILED:
                raise ProgramSizeError(kernel.quantity, kernel.owner, MOST_COMPILED)
            if form.states > 1 and size > MOST_PAIRED:
                return cache.Entry(size, b"")
            with timed(f"{kernel.name}: PTX"):
                return cache.Entry(size, ptx(module(program, NAME, form)).encode())


def kept_or_made(key: str, make: Callable[[], cache.Entry], must: bool) -> cache.Entry | None:
    """PTX from disk, or made now; without LLVM nothing, or an error if it must be made."""
    found = cache.known(key)
    if found is not None:
        return found
    try:
        import llvmlite.binding  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except (ImportError, OSError):
        if must:
            raise
        return None
    return cache.fetch(key, make)


def _strided(form: Form) -> Form:
    """The form that takes the same arrays, and all others."""
    return Form(single=form.single, wide=form.wide, turns=form.turns, layout="strided")


def _held(kept: dict[Any, Any], key: Any, make: Callable[[], Any]) -> Any:
    """What is kept under a key, made where it is not there; as many as calls of one program differ in."""
    found = kept.get(key)
    if found is None:
        if len(kept) >= MOST_HELD:
            kept.clear()
        found = kept[key] = make()
    return found


def _by_columns(arrays: Any) -> bool:
    """Whether states lie side by side in all arrays that have several, and not their entries."""
    several = [a for a in arrays if len(a.shape) == 2 and a.shape[0] > 1]
    return bool(several) and all(a.steps[0] == 1 for a in several) and any(a.shape[1] > 1 for a in several)
