"""A program as LLVM IR of a card: a thread computes whole states, in straight lines, in a loop over the grid.

Kernels by how states lie in memory. Each takes how many there are and, of every argument and of the result, an
address and the steps, in numbers, from state to state and from entry to entry.

    columns   entry by entry, column-major: neighbours read side by side. With ``states`` 2 a thread takes two
    rows      state by state, row-major: a block of threads copies its rows, as they lie, to shared memory and back,
              neighbours again side by side; rows of even length are spread, one place more in every 32 words, or
              threads would wait for each other at the same bank
    strided   any steps: each thread reads and writes where its state lies

A block takes as many states as it has threads, and then as many again; threads beyond the last state repeat it.

Sines and cosines are those of vector code on a processor that fuses, operation by operation: in double precision a
card gives the bits of this processor. One test serves all angles at once; where it fails, every angle goes through a
function out of the way, and those beyond the limit are counted in `strobe_far`. A quaternion that is no orientation
becomes NaN, and so does what follows from it.

A `twin` is the same text for this processor, its threads one after the other: the check without a card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from strobe.algebra.quaternions import SQUARES
from strobe.compiler.codegen import elementary
from strobe.compiler.codegen.llvm_scalar import OPERATIONS as SCALAR, Module, returning
from strobe.compiler.codegen.llvm_text import Text, intrinsics, put
from strobe.compiler.codegen.walk import Walk
from strobe.compiler.graph.fuse import fuse
from strobe.compiler.graph.order import stored_at_once
from strobe.compiler.graph.program import CIRCLE, Program, turns
from strobe.scalars import Node, Num, Scalar, Stored, System

Lanes = tuple[str, ...]  # one value for each state of a thread

COUNTED = "strobe_far"  # angles beyond the limit
MOST_AT_ONCE = 16  # angles whose sines and cosines are made before anything else, with one test
MOST_EARLY = 256  # inputs that are read before anything else, so that their ways overlap
MOST_ON_THE_WAY = 16  # pieces of rows that a thread has read and not yet written
REGISTERS = 200  # of a thread, with some room for what is on its way
FILE = 2**16  # registers of a multiprocessor
SHARED = 48 * 2**10  # bytes of shared memory that a block has on every card
FENCE = 'call void asm sideeffect "bar.warp.sync 0xffffffff;", "~{memory}"()'  # what is in flight is done
TRIPLE = "nvptx64-nvidia-cuda"


@dataclass(frozen=True)
class Form:
    """How a kernel is made."""

    layout: str = "columns"
    single: bool = False  # numbers in memory
    wide: bool = False  # arithmetic in double precision all the same
    states: int = 1  # of a thread; more than one in columns alone
    block: int = 64  # threads
    common: tuple[int, ...] = ()  # inputs that are one row for all states; of strided ones the steps say so
    turns: tuple[tuple[int, tuple[int, ...]], ...] = ()  # inputs that are positions, and their quaternions
    at_once: int = MOST_AT_ONCE  # angles at most whose sines are made before anything else
    early: int = MOST_EARLY  # inputs at most that are read before anything else
    order: int = -1  # of operations: one of `graph.order.ways`, else that with fewest values alive
    registers: int = 0  # of a thread at most, which makes room for more threads; 0 has no bound
    staged: int = 0  # whether columns wait in shared memory until they are needed, not in registers
    # operations between two barriers, beyond which the assembler moves nothing; 0 has none
    pace: int = 1_000
    # blocks of a launch for each that a card has room for, which go on with other states; 0 has one for all states
    waves: int = 0

    @property
    def text(self) -> Form:
        """The form without what only a launch asks for."""
        return replace(self, waves=0)

    @property
    def memory(self) -> str:
        return "float" if self.single else "double"

    @property
    def bytes(self) -> int:
        return 4 if self.single else 8

    @property
    def resident(self) -> int:
        """Blocks that a multiprocessor has room for."""
        return max(FILE // (self.registers * self.block), 1)

    @property
    def in_single(self) -> bool:
        """Whether arithmetic is in single precision."""
        return self.single and not self.wide


def module(program: Program, name: str, form: Form) -> str:
    """The IR text of a kernel for cards."""
    return _written(program, name, form, on_card=True)


def twin(program: Program, name: str, form: Form) -> str:
    """The same as a function of this processor, which does the work of all threads."""
    return _written(program, name, form, on_card=False)


def shared_bytes(sizes: Sequence[int], form: Form) -> int:
    """Shared memory that a block takes for arguments and a result, the last, of these sizes."""
    if form.layout == "rows":
        return _end(regions(sizes, form), form) * form.bytes
    if form.staged:
        waiting = sum(size for k, size in enumerate(sizes[:-1]) if k not in form.common)
        return waiting * form.block * form.states * form.bytes
    return 0


def _written(program: Program, name: str, form: Form, on_card: bool) -> str:
    functions = Functions(form.in_single)
    kernel = (_Rows if form.layout == "rows" else _Columns)(functions, program, form, on_card).text(name)
    return finished(functions, kernel, name, form, on_card)


def finished(functions: Functions, kernel: str, name: str, form: Form, on_card: bool) -> str:
    """A module: a kernel, and all that it needs."""
    texts = "\n".join([*functions.texts.values(), kernel])
    counted = f"@{COUNTED} = {'addrspace(1) ' if on_card else ''}global i64 0, align 8"
    head = [f'target triple = "{TRIPLE}"'] if on_card else []
    end = ["attributes #0 = { nounwind }", '!0 = !{!"branch_weights", i32 1000000, i32 1}', "!1 = !{}"]
    if on_card:
        wanted = {"maxntidx": form.block} | ({"minctasm": form.resident} if form.registers else {})
        names = [f"!{k}" for k in range(2, 2 + len(wanted))]
        end.append(f"!nvvm.annotations = !{{{', '.join(names)}}}")
        end += [
            f'{k} = !{{ptr @{name}, !"{word}", i32 {x}}}'
            for k, (word, x) in zip(names, wanted.items(), strict=True)
        ]
    return "\n".join([*head, *sorted(intrinsics(texts)), counted, *functions.arrays(), texts, *end]) + "\n"


# -- operations ---------------------------------------------------------------------------------------

# of sine, cosine and the quadrant in integers: one of the two, and a sign from bit 1
TURNED = """\
swapped = and {I} {2}, 1
odd = icmp ne {I} {swapped}, 0
chosen = select i1 {odd}, {T} {OTHER}, {T} {OWN}
raw = bitcast {T} {chosen} to {I}
place = add {I} {2}, AHEAD
top = shl {I} {place}, {up}
sign = and {I} {top}, {sign_bit}
turned = xor {I} {raw}, {sign}
bitcast {I} {turned} to {T}"""


def _turned(own: str, other: str, ahead: int) -> str:
    return TURNED.replace("OWN", own).replace("OTHER", other).replace("AHEAD", str(ahead))


OPERATIONS: Mapping[str, str] = {
    **SCALAR,
    "floor": "call {T} @llvm.floor.{S}({T} {0})",
    "shifted": "call {T} @llvm.fma.{S}({T} {0}, {T} {two_over_pi}, {T} {round})",
    "rounded": "fsub {T} {0}, {round}",
    "quadrant": "bitcast {T} {0} to {I}",
    "whole": "fptosi {T} {0} to {I}",
    "within": "size = call {T} @llvm.fabs.{S}({T} {0})\nfcmp ole {T} {size}, {limit}",
    "known": "unknown = fcmp uno {T} {0}, {0}\nselect i1 {unknown}, {T} {zero}, {T} {0}",
    "sine": _turned("0", "1", 0),
    "cosine": _turned("1", "0", 1),
    "both": "and i1 {0}, {1}",
    "either": "or i1 {0}, {1}",
    "unless": "select i1 {0}, {T} {nan}, {T} {1}",
}  # fmt: skip


def _words(functions: Module) -> dict[str, object]:
    single, p = functions.single, elementary.precision(functions.single, fused=True)
    numbers = {
        "zero": 0.0,
        "one": 1.0,
        "room": functions.room,
        "limit": p.limit,
        "two_over_pi": p.two_over_pi,
    }
    numbers |= {"round": 1.5 * 2.0 ** (p.bits - 1), "nan": float("nan")}
    words: dict[str, object] = {name: functions.number(x) for name, x in numbers.items()}
    bits = 32 if single else 64
    words |= {"T": functions.real, "S": f"f{bits}", "I": f"i{bits}", "align": functions.align}
    return words | {"up": bits - 2, "sign_bit": -(2 ** (bits - 1))}


class Lines(System):
    """Numbers whose operations are lines of a page."""

    name = "line of IR"

    def __init__(self, page: Page) -> None:
        self.page = page


class Line(Scalar):
    """A number by its name."""

    __slots__ = ("text",)

    system: Lines

    def __init__(self, system: Lines, text: str) -> None:
        self.system, self.text = system, text

    def apply(self, op: str, *args: Num) -> Line:
        return Line(self.system, self.system.page.line(op, *(self.admit(a).text for a in args)))

    def literal(self, x: float) -> Line:
        return Line(self.system, self.system.page.functions.number(x))


class Page(Text):
    """Lines of one function: operations by their rows, and angles."""

    def __init__(self, functions: Module) -> None:
        super().__init__()
        self.functions, self.words = functions, _words(functions)
        self.p = elementary.precision(functions.single, fused=True)

    def line(self, op: str, *args: Any) -> str:
        if op in elementary.FUNCTIONS:
            self.functions.need(op)
        return put(self, OPERATIONS[op], args, self.words)

    def near(self, x: str) -> tuple[str, str, str]:
        """The quadrant of an angle within the limit, and r and t."""
        lines, shifted = Lines(self), self.line("shifted", x)
        r, t = elementary.reduced(self.p, Line(lines, x), Line(lines, self.line("rounded", shifted)))
        return self.line("quadrant", shifted), _name(r), _name(t)

    def turned(self, quadrant: str, r: str, t: str) -> tuple[str, str]:
        """Sine and cosine of r − t, so many quadrants on."""
        lines = Lines(self)
        s, c = elementary.first_quadrant(self.p, Line(lines, r), Line(lines, t))
        both = _name(s), _name(c), quadrant
        return self.line("sine", *both), self.line("cosine", *both)

    def called(self, name: str, x: str, results: int) -> list[str]:
        """A function of the module of one number, and several of its results."""
        T = self.functions.real
        record = f"{{ {', '.join([T] * results)} }}"
        found = self.new(f"call fastcc {record} {self.functions.need(name)}({T} {x})")
        return [self.new(f"extractvalue {record} {found}, {k}") for k in range(results)]

    def branch(self, condition: str, yes: str, no: str, rarely: bool = False) -> None:
        self.lines.append(f"  br i1 {condition}, label %{yes}, label %{no}{', !prof !0' if rarely else ''}")

    def go(self, to: str) -> None:
        self.lines.append(f"  br label %{to}")

    def begin(self, label: str) -> None:
        self.lines.append(f"{label}:")


def _name(x: Num) -> str:
    assert isinstance(x, Line)
    return x.text


class Functions(Module):
    """The functions of a module for a card."""

    def __init__(self, single: bool) -> None:
        super().__init__(single, fused=True)

    def function(self, name: str) -> str:
        return self._turn() if name == "turn" else super().function(name)

    def _turn(self) -> str:
        """Sine and cosine of any angle."""
        page, T = Page(self), self.real
        page.branch(page.line("within", "%x"), "near", "far")
        page.begin("near")
        near = page.near("%x")
        page.go("turn")
        page.begin("far")
        k, r, t = page.called("far", "%x", 3)
        far = page.line("whole", page.line("known", k)), r, t
        page.go("turn")
        page.begin("turn")
        kinds = str(page.words["I"]), T, T
        values = [
            page.new(f"phi {kind} [ {a}, %near ], [ {b}, %far ]")
            for kind, a, b in zip(kinds, near, far, strict=True)
        ]
        return returning(self, "turn", ["x"], page, page.turned(*values)).replace("#0", "#0 noinline", 1)


# -- the states of a thread -----------------------------------------------------------------------------


class States(Walk[Lanes]):
    """The values of a program for the states of one thread."""

    language, table = "IR of a card", OPERATIONS

    def __init__(
        self, page: Page, program: Program, form: Form, read: Callable[[str], Lanes],
        store: Callable[[int, Lanes], None],
    ) -> None:  # fmt: skip
        super().__init__(program)
        self.page, self.form, self._reads, self._store = page, form, read, store
        self.made = 0
        self.places: dict[Node, list[int]] = {}
        for k, node in enumerate(program.outputs):
            self.places.setdefault(node, []).append(k)

    def compute(self) -> None:
        """Every result, stored as soon as it is there."""
        if len(self._inputs) <= self.form.early:
            for node in self._inputs:
                self.value(node)
        self._first()
        self.results()
        for node in self.places:
            if node.op == "constant":
                self._finish(node, self.value(node))

    @cached_property
    def _inputs(self) -> list[Node]:
        return [node for node in self.program.nodes if node.op == "input"]

    def _first(self) -> None:
        """Sines and cosines of all angles that need none themselves, unless there are too many."""
        turned = {node.args[0]: None for node in self.program.nodes if node.op in CIRCLE}
        angles = [angle for angle in turned if not turns(angle)]
        if angles and len(angles) <= self.form.at_once:
            self._turn(angles)

    def order(self) -> Iterator[Node]:
        """Inputs and comparisons where they are used."""
        yield from (node for node in self.program.nodes if node.op not in ("input", "less"))

    def number(self, value: float) -> Lanes:
        return (self.page.functions.number(value),) * self.form.states

    def read(self, entry: str) -> Lanes:
        return self._reads(entry)

    def written(self, op: str, *args: Any) -> Lanes:
        if op == "row":
            args = (args[0], self.number(float(args[1])))
        each = ([a[lane] if isinstance(a, tuple) else a for a in args] for lane in range(self.form.states))
        return tuple(self.page.line(op, *own) for own in each)

    def array(self, stored: Stored) -> str:
        return self.page.functions.place(stored)

    def circle(self, angle: Node) -> tuple[Lanes, Lanes]:
        self._turn([angle])
        return self.circles[angle]

    def _made(self, node: Node) -> Lanes:
        value = super()._made(node)
        self._finish(node, value)
        self.made += 1
        if self.form.pace and not self.made % self.form.pace:
            self.page.lines.append("  call void @llvm.nvvm.barrier0()")
        return value

    def _finish(self, node: Node, value: Lanes) -> None:
        for place in self.places.get(node, ()):
            self._store(place, value)

    def _turn(self, angles: Sequence[Node]) -> None:
        """Sines and cosines of angles: in line, or out of the way where one of them is beyond the limit."""
        page, T = self.page, self.page.functions.real
        xs = [x for angle in angles for x in self.value(angle)]
        quick, slow, done = page.label(), page.label(), page.label()
        within = [page.line("within", x) for x in xs]
        page.branch(_all(page, within), quick, slow, rarely=True)
        page.begin(quick)
        fast = [page.turned(*page.near(x)) for x in xs]
        page.go(done)
        page.begin(slow)
        self._count(within)
        far = [page.called("turn", x, 2) for x in xs]
        page.go(done)
        page.begin(done)
        pairs = [
            [page.new(f"phi {T} [ {a}, %{quick} ], [ {b}, %{slow} ]") for a, b in zip(*ways, strict=True)]
            for ways in zip(fast, far, strict=True)
        ]
        n = self.form.states
        for k, angle in enumerate(angles):
            sines, cosines = zip(*pairs[k * n : (k + 1) * n], strict=True)
            self.circles[angle] = sines, cosines

    def _count(self, within: Sequence[str]) -> None:
        """Add the angles that are beyond the limit, unless a thread only repeats what another one does."""
        page, total = self.page, "0"
        for flag in within:
            one = page.new(f"select i1 {flag}, i64 0, i64 1")
            total = page.new(f"add i64 {total}, {one}")
        total = page.new(f"select i1 {page.words['present']}, i64 {total}, i64 0")
        page.new(f"atomicrmw add {page.words['G']} @{COUNTED}, i64 {total} monotonic")


def _all(page: Page, flags: Sequence[str]) -> str:
    first, *others = flags
    for other in others:
        first = page.line("both", first, other)
    return first


# -- kernels --------------------------------------------------------------------------------------------


class _Kernel:
    """A loop over states; what layouts have in common."""

    def __init__(self, functions: Functions, program: Program, form: Form, on_card: bool) -> None:
        self.program = stored_at_once(fuse(program), REGISTERS // (1 if form.in_single else 2), form.order)
        self.form, self.on_card = form, on_card
        self.page = Page(functions)
        self.G = "ptr addrspace(1)" if on_card else "ptr"
        self.page.words |= {"G": self.G, "present": "true"}
        self.places = {
            f"{given.name}[{j}]": (k, j)
            for k, given in enumerate(program.inputs)
            for j in range(given.size)
        }
        self.turns = {
            (k, j): place for k, places in form.turns for place in places for j in range(place, place + 4)
        }
        self.sound: dict[tuple[int, int], Lanes] = {}  # flags of quaternions that are orientations

    @property
    def result(self) -> int:
        """The number of the result among the arguments."""
        return len(self.program.inputs)

    def text(self, name: str) -> str:
        page = self.page
        page.begin("entry")
        self.loop()
        steps = "".join(f", {self.G} %b{k}, i64 %s{k}, i32 %e{k}" for k in range(self.result + 1))
        kind = "ptx_kernel void" if self.on_card else "void"
        begin = f"define {kind} @{name}(i64 %N{steps}) #0 {{"
        return "\n".join([*self._staged(), begin, *page.lines, "  ret void", "}"])

    def _staged(self) -> list[str]:
        """The shared memory of a block, where it takes some."""
        size = shared_bytes(self.sizes, self.form)
        kind = f"external addrspace(3) global [0 x {self.form.memory}]"
        if not self.on_card:
            kind = f"internal global [{size // self.form.bytes} x {self.form.memory}] zeroinitializer"
        return [f"@staged = {kind}, align 16"] if size else []

    @property
    def sizes(self) -> list[int]:
        """Numbers of every argument for one state, and of the result."""
        return [*(given.size for given in self.program.inputs), len(self.program.outputs)]

    @property
    def S(self) -> str:
        """A pointer to shared memory."""
        return "ptr addrspace(3)" if self.on_card else "ptr"

    def compute(self) -> None:
        """The states of a thread."""
        self.sound = {}
        form = self.form if self.on_card else replace(self.form, pace=0)
        States(self.page, self.program, form, self.read, self.store).compute()

    # -- reading and writing --------------------------------------------------------------------------

    def read(self, entry: str) -> Lanes:
        k, j = self.places[entry]
        values = self.loaded(k, j)
        if (k, j) not in self.turns:
            return values
        sound = self._sound(k, self.turns[k, j])
        return tuple(self.page.line("unless", *pair) for pair in zip(sound, values, strict=True))

    def _sound(self, k: int, first: int) -> Lanes:
        """Whether the quaternion that begins there has a length other than one, by lane."""
        if (k, first) not in self.sound:
            least, most = (self.page.functions.number(x) for x in SQUARES)
            parts = [self.loaded(k, j) for j in range(first, first + 4)]
            self.sound[k, first] = tuple(self._off(lane, least, most) for lane in zip(*parts, strict=True))
        return self.sound[k, first]

    def _off(self, parts: Sequence[str], least: str, most: str) -> str:
        line = self.page.line
        square = line("mul", parts[0], parts[0])
        for x in parts[1:]:
            square = line("fma", x, x, square)
        return line("either", line("less", square, least), line("less", most, square))

    def loaded(self, k: int, j: int) -> Lanes:
        """An entry of an argument."""
        raise NotImplementedError

    def store(self, j: int, values: Lanes) -> None:
        """An entry of the result."""
        raise NotImplementedError

    def widened(self, x: str) -> str:
        """A number of memory for arithmetic."""
        return self.page.new(f"fpext float {x} to double") if self.form.wide and self.form.single else x

    def narrowed(self, x: str) -> str:
        return self.page.new(f"fptrunc double {x} to float") if self.form.wide and self.form.single else x

    # -- the grid ---------------------------------------------------------------------------------------

    def loop(self) -> None:
        """Blocks of states in turn: all threads of a block go round as often, and those beyond the end repeat."""
        page, span = self.page, self.form.block * self.form.states
        first, step = "0", str(span)
        if self.on_card:
            block, blocks = self.wide(self.special("ctaid.x")), self.wide(self.special("nctaid.x"))
            first, step = page.new(f"mul i64 {block}, {span}"), page.new(f"mul i64 {blocks}, {span}")
        self.thread = self.special("tid.x") if self.on_card else page.new("alloca i32, align 4")
        page.branch(page.new(f"icmp ult i64 {first}, %N"), "loop", "end")
        page.begin("loop")
        page.lines.append(f"  %first = phi i64 [ {first}, %entry ], [ %next, %again ]")
        self.block()
        page.go("again")
        page.begin("again")
        page.lines.append(f"  %next = add i64 %first, {step}")
        page.branch(page.new("icmp ult i64 %next, %N"), "loop", "end")
        page.begin("end")

    def block(self) -> None:
        """What a block does with its states."""
        raise NotImplementedError

    def phase(self, write: Callable[[str], None], last: bool = False) -> None:
        """What each thread does: on a card a barrier is behind it, here it is a loop over the threads."""
        page = self.page
        if self.on_card:
            write(self.thread)
            if not last:
                page.lines.append("  call void @llvm.nvvm.barrier0()")
            return
        again, done = page.label(), page.label()
        page.lines.append(f"  store i32 0, ptr {self.thread}, align 4")
        page.go(again)
        page.begin(again)
        write(page.new(f"load i32, ptr {self.thread}, align 4"))
        following = page.new(f"add i32 {page.new(f'load i32, ptr {self.thread}, align 4')}, 1")
        page.lines.append(f"  store i32 {following}, ptr {self.thread}, align 4")
        page.branch(page.new(f"icmp ult i32 {following}, {self.form.block}"), again, done)
        page.begin(done)

    def special(self, name: str) -> str:
        """A number that the card knows of a thread."""
        return self.page.new(f"call i32 @llvm.nvvm.read.ptx.sreg.{name}()")

    def wide(self, x: str) -> str:
        return self.page.new(f"zext i32 {x} to i64")


class _Columns(_Kernel):
    """Each thread for itself: columns, and strided."""

    def block(self) -> None:
        self.phase(self._own, last=True)

    def _own(self, thread: str) -> None:
        """The states of a thread, and where it finds them."""
        page, n = self.page, self.form.states
        own = page.new(f"add i64 %first, {page.new(f'mul i64 {self.wide(thread)}, {n}')}")
        last = page.new(f"sub i64 %N, {n}")
        page.words["present"] = page.new(f"icmp ule i64 {own}, {last}")
        self.begin = page.new(f"select i1 {page.words['present']}, i64 {own}, i64 {last}")
        self.rows = [self._row(k) for k in range(self.result + 1)]
        self.vectors: dict[tuple[int, int], Lanes] = {}
        self.waiting: dict[tuple[int, int], str] = {}
        if self.form.staged:
            self._stage(thread)
        self.compute()

    def _stage(self, thread: str) -> None:
        """What differs from state to state, brought to a place of the thread's own in shared memory."""
        page, form = self.page, self.form
        own = page.new(f"mul i32 {thread}, {form.states}")
        places = [p for p in self.places.values() if p[0] not in form.common]
        for first in range(0, len(places), MOST_EARLY):
            group = places[first : first + MOST_EARLY]
            values = [page.new(self._load(self.G, self._address(k, j), constant=True)) for k, j in group]
            for number, (place, value) in enumerate(zip(group, values, strict=True), first):
                at = page.new(f"add i32 {own}, {number * form.block * form.states}")
                inside = page.new(f"getelementptr {form.memory}, {self.S} @staged, i32 {at}")
                page.lines.append(f"  store {self.V} {value}, {self.S} {inside}, align {self.align}")
                self.waiting[place] = inside
        if self.on_card:  # or the assembler would keep them in registers all the same
            page.lines.append(f"  {FENCE}")

    @property
    def V(self) -> str:
        """The type of an entry of all states of a thread."""
        return self.form.memory if self.form.states == 1 else f"<{self.form.states} x {self.form.memory}>"

    @property
    def align(self) -> int:
        return self.form.states * self.form.bytes

    def _load(self, space: str, address: str, constant: bool) -> str:
        known = ", !invariant.load !1" if constant else ""
        return f"load {self.V}, {space} {address}, align {self.align}{known}"

    def _row(self, k: int) -> str:
        """Where the states of a thread begin in an argument."""
        if k in self.form.common:
            return f"%b{k}"
        new, strided = self.page.new, self.form.layout == "strided"
        at = new(f"mul i64 {self.begin}, %s{k}") if strided else self.begin
        return new(f"getelementptr {self.form.memory}, {self.G} %b{k}, i64 {at}")

    def _address(self, k: int, j: int) -> str:
        if not j:
            return self.rows[k]
        new = self.page.new
        at = new(f"mul nsw i64 {new(f'sext i32 %e{k} to i64')}, {j}")
        return new(f"getelementptr {self.form.memory}, {self.G} {self.rows[k]}, i64 {at}")

    def loaded(self, k: int, j: int) -> Lanes:
        if (k, j) not in self.vectors:
            self.vectors[k, j] = tuple(self.widened(x) for x in self._loaded(k, j))
        return self.vectors[k, j]

    def _loaded(self, k: int, j: int) -> Lanes:
        new, n, M = self.page.new, self.form.states, self.form.memory
        if k in self.form.common:
            load = f"load {M}, {self.G} {self._address(k, j)}, align {self.form.bytes}, !invariant.load !1"
            return (new(load),) * n
        if (k, j) in self.waiting:
            value = new(self._load(self.S, self.waiting[k, j], constant=False))
        else:
            value = new(self._load(self.G, self._address(k, j), constant=True))
        return (
            (value,)
            if n == 1
            else tuple(new(f"extractelement {self.V} {value}, i32 {lane}") for lane in range(n))
        )

    def store(self, j: int, values: Lanes) -> None:
        page, V, M = self.page, self.V, self.form.memory
        narrow = [self.narrowed(x) for x in values]
        address, value = self._address(self.result, j), narrow[0]
        if len(narrow) > 1:
            value = "poison"
            for lane, x in enumerate(narrow):
                value = page.new(f"insertelement {V} {value}, {M} {x}, i32 {lane}")
        page.lines.append(f"  store {V} {value}, {self.G} {address}, align {self.align}")


@dataclass(frozen=True)
class Region:
    """Where the rows of an argument lie in shared memory."""

    argument: int
    size: int  # of a row
    first: int  # number of the region

    def spread(self, form: Form) -> int:
        """Words of how many states after which a place is left out, as a power of two; none for odd rows."""
        return 0 if self.size % 2 else 5 if form.single else 4


@dataclass(frozen=True)
class Piece:
    """What one instruction moves between memory and shared memory."""

    kind: str
    outside: str  # its address in memory
    inside: str  # and in shared memory
    align: int

    def at(self, outside: bool) -> str:
        return self.outside if outside else self.inside


def regions(sizes: Sequence[int], form: Form) -> list[Region]:
    """Of arguments that differ from state to state, and of the result."""
    found: list[Region] = []
    for k, size in enumerate(sizes):
        if k not in form.common:
            found.append(Region(k, size, _end(found, form)))
    return found


def _end(of: Iterable[Region], form: Form) -> int:
    """The numbers of shared memory that regions take together."""
    return sum(_room(region, form) for region in of)


class _Rows(_Kernel):
    """A block of threads together, through shared memory."""

    @cached_property
    def region(self) -> dict[int, Region]:
        """The regions of shared memory, by argument."""
        return {region.argument: region for region in regions(self.sizes, self.form)}

    def block(self) -> None:
        page, B = self.page, self.form.block
        left = page.new("sub i64 %N, %first")
        page.lines.append(f"  %full = icmp uge i64 {left}, {B}")
        page.lines.append(f"  %rest = trunc i64 {left} to i32")
        page.lines.append(f"  %rows = select i1 %full, i32 {B}, i32 %rest")
        self.phase(self._fetch)
        self.phase(self._work)
        self.phase(self._bring, last=True)

    def _fetch(self, thread: str) -> None:
        """Rows of the arguments to shared memory."""
        arguments = [region for region in self.region.values() if region.argument != self.result]
        self._copied(arguments, thread, inward=True)

    def _bring(self, thread: str) -> None:
        """Rows of the result from shared memory."""
        self._copied([self.region[self.result]], thread, inward=False)

    def _copied(self, of: Sequence[Region], thread: str, inward: bool) -> None:
        """The rows of a block: in full ones every step is known, in the last one of a batch each is looked at."""
        page = self.page
        outside = {region: self._outside(region) for region in of}
        whole, part, done = page.label(), page.label(), page.label()
        page.branch("%full", whole, part, rarely=True)
        page.begin(whole)
        self._move(
            [piece for region in of for piece in self._pieces(region, thread, outside[region])], inward
        )
        page.go(done)
        page.begin(part)
        for region in of:
            self._one_by_one(region, thread, outside[region], inward)
        page.go(done)
        page.begin(done)

    def _outside(self, region: Region) -> str:
        """Where the rows of a block begin in memory."""
        place = self.page.new(f"mul i64 %first, {region.size}")
        return self.page.new(f"getelementptr {self.form.memory}, {self.G} %b{region.argument}, i64 {place}")

    def _move(self, pieces: Sequence[Piece], inward: bool) -> None:
        """So many pieces are read before the first of them is written, so that their ways overlap."""
        page, constant = self.page, ", !invariant.load !1" if inward else ""
        source, target = (self.G, self.S) if inward else (self.S, self.G)
        for first in range(0, len(pieces), MOST_ON_THE_WAY):
            group = pieces[first : first + MOST_ON_THE_WAY]
            values = [
                page.new(f"load {p.kind}, {source} {p.at(inward)}, align {p.align}{constant}")
                for p in group
            ]
            page.lines += [
                f"  store {p.kind} {x}, {target} {p.at(not inward)}, align {p.align}"
                for p, x in zip(group, values, strict=True)
            ]

    def _pieces(self, region: Region, thread: str, outside: str) -> Iterator[Piece]:
        """What a thread moves of the rows of a full block."""
        return (
            self._spread(region, thread, outside)
            if region.spread(self.form)
            else self._straight(region, thread, outside)
        )

    def _straight(self, region: Region, thread: str, outside: str) -> Iterator[Piece]:
        """Rows that lie in shared memory as they do outside, 16 bytes at a time."""
        page, form = self.page, self.form
        n = 16 // form.bytes
        V, total = f"<{n} x {form.memory}>", form.block * region.size // n
        for step in range(-(-total // form.block)):
            number = page.new(f"add i32 {thread}, {step * form.block}")
            if (step + 1) * form.block > total:  # threads beyond the end move the last piece again
                over = page.new(f"icmp ult i32 {number}, {total - 1}")
                number = page.new(f"select i1 {over}, i32 {number}, i32 {total - 1}")
            there = page.new(f"getelementptr {V}, {self.G} {outside}, i64 {self.wide(number)}")
            yield Piece(V, there, self._inside(region, page.new(f"mul i32 {number}, {n}")), 16)

    def _spread(self, region: Region, thread: str, outside: str) -> Iterator[Piece]:
        """Rows with places left out, number by number."""
        page, form = self.page, self.form
        B, M, at = form.block, form.memory, self.wide(thread)
        begin = self._position(region, thread)
        for step in range(region.size):
            number = page.new(f"add nuw i64 {at}, {step * B}")
            there = page.new(f"getelementptr {M}, {self.G} {outside}, i64 {number}")
            skipped = step * (B + (B >> region.spread(form)))
            yield Piece(M, there, self._inside(region, page.new(f"add i32 {begin}, {skipped}")), form.bytes)

    def _one_by_one(self, region: Region, thread: str, outside: str, inward: bool) -> None:
        """The rows that are there, number by number."""
        page, form = self.page, self.form
        before, again, done = page.label(), page.label(), page.label()
        total = page.new(f"mul i32 %rows, {region.size}")
        page.go(before)
        page.begin(before)
        page.branch(page.new(f"icmp ult i32 {thread}, {total}"), again, done)
        page.begin(again)
        number, following = (
            page.new(f"phi i32 [ {thread}, %{before} ], [ %f{again}, %{again} ]"),
            f"%f{again}",
        )
        there = page.new(f"getelementptr {form.memory}, {self.G} {outside}, i64 {self.wide(number)}")
        inside = self._inside(region, self._position(region, number))
        self._move([Piece(form.memory, there, inside, form.bytes)], inward)
        page.lines.append(f"  {following} = add i32 {number}, {form.block}")
        page.branch(page.new(f"icmp ult i32 {following}, {total}"), again, done)
        page.begin(done)

    def _position(self, region: Region, number: str) -> str:
        """Where a number of a region lies in it."""
        spread = region.spread(self.form)
        if not spread:
            return number
        return self.page.new(f"add i32 {number}, {self.page.new(f'lshr i32 {number}, {spread}')}")

    def _inside(self, region: Region, position: str) -> str:
        M = self.form.memory
        at = self.page.new(f"add i32 {position}, {region.first}") if region.first else position
        return self.page.new(f"getelementptr {M}, {self.S} {'@staged'}, i32 {at}")

    # -- a state ----------------------------------------------------------------------------------------

    def _work(self, thread: str) -> None:
        """The state of a thread; threads beyond the end do the last one again."""
        page = self.page
        page.words["present"] = page.new(f"icmp ult i32 {thread}, %rows")
        last = page.new("sub i32 %rows, 1")
        within = page.new(f"icmp ult i32 {thread}, {last}")
        own = page.new(f"select i1 {within}, i32 {thread}, i32 {last}")
        self.begins = {k: page.new(f"mul i32 {own}, {r.size}") for k, r in self.region.items()}
        self.vectors: dict[tuple[int, int], Lanes] = {}
        self.compute()

    def loaded(self, k: int, j: int) -> Lanes:
        if (k, j) not in self.vectors:
            self.vectors[k, j] = (self.widened(self._loaded(k, j)),)
        return self.vectors[k, j]

    def _loaded(self, k: int, j: int) -> str:
        new, M, size = self.page.new, self.form.memory, self.form.bytes
        if k in self.region:
            return new(f"load {M}, {self.S} {self._own(k, j)}, align {size}")
        at = new(f"mul nsw i64 {new(f'sext i32 %e{k} to i64')}, {j}")
        address = new(f"getelementptr {M}, {self.G} %b{k}, i64 {at}")
        return new(f"load {M}, {self.G} {address}, align {size}, !invariant.load !1")

    def store(self, j: int, values: Lanes) -> None:
        M, size, (value,) = self.form.memory, self.form.bytes, values
        narrow = self.narrowed(value)
        address = self._own(self.result, j)
        self.page.lines.append(f"  store {M} {narrow}, {self.S} {address}, align {size}")

    def _own(self, k: int, j: int) -> str:
        """The address of an entry of a thread's own row."""
        region = self.region[k]
        number = self.page.new(f"add i32 {self.begins[k]}, {j}") if j else self.begins[k]
        return self._inside(region, self._position(region, number))


def _room(region: Region, form: Form) -> int:
    """Numbers that a region takes, to whole pieces of 16 bytes."""
    numbers = form.block * region.size
    spread = region.spread(form)
    return -(-(numbers + (numbers >> spread if spread else 0)) // 4) * 4
