"""A recurrence as LLVM IR: `@march` runs many rounds for many states, W side by side, without leaving the code.

Each program becomes functions on cells, arrays on the stack with one number of W states per vector. Rows of arrays
are turned into such vectors where they enter, and back where they leave: the state at both ends, constants once,
signals every round, records in the rounds that are asked for. A group marches alone to its end: several groups in
turn, call by call, were no faster, even where a program is longer than the instruction cache.

`@march` takes a table of 64-bit words (`words` says what they are). Surplus lanes of the last group repeat its last
state. Flags and fused operations are those of `llvm`, so every width computes the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from strobe.compiler.codegen.llvm import Emitter, Target
from strobe.compiler.codegen.llvm_text import Text
from strobe.compiler.graph.program import Input, Program
from strobe.compiler.graph.recurrence import STATE, Call, Recurrence, Signal, samples
from strobe.scalars import Node

WORDS = ("first", "beyond", "rounds", "state", "state_step", "records", "out", "out_step", "out_row")


def words(recurrence: Recurrence) -> tuple[str, ...]:
    """What `@march` is told: ranges and addresses, and how many bytes lie from state to state or row to row.

    ``records`` holds a number per round: the row of its record in ``out``, or −1. Behind these words stand the
    addresses of the stored numbers of all programs, in their order.
    """
    own = list(WORDS)
    for name in recurrence.constants:
        own += [f"{name}", f"{name}, state"]
    for name in recurrence.signals:
        own += [f"{name}", f"{name}, state", f"{name}, round"]
    return tuple(own)


def march_module(programs: Mapping[str, Program], recurrence: Recurrence, target: Target) -> str:
    """The IR text of a recurrence over programs by name; double precision only."""
    emitters = {name: CellEmitter(k, program, target) for k, (name, program) in enumerate(programs.items())}
    bodies = {name: emitter.body_text() for name, emitter in emitters.items()}
    loop = _March(emitters, recurrence, target).text()
    declared = set[str]().union(*(emitter.declared for emitter in emitters.values()))
    parts = [*sorted(declared), ""]
    for name, emitter in emitters.items():
        parts += [*bodies[name], emitter.table(), ""]
    parts += [
        *loop,
        _gather(target),
        _scatter(target),
        f"attributes #0 = {{ nounwind {target.attributes} }}",
    ]
    return "\n".join(parts) + "\n"


class CellEmitter(Emitter):
    """Writes one program as functions whose inputs and outputs are cells."""

    def __init__(self, number: int, program: Program, target: Target) -> None:
        self.prefix = f"p{number}_"
        super().__init__(program, target)

    def _body(self) -> None:
        """There is none: the march calls the pieces itself."""

    def _signature(self) -> str:
        cells = [f"ptr %c{k}" for k in range(self.arguments + 1)]
        return ", ".join([*cells, "ptr %numbers"])

    def _stored(self, k: int) -> str:
        return f"%c{len(self.program.inputs) + k}"

    def _row_numbers(self) -> list[str]:
        return []

    def _load(self, k: int, argument: Input, rows: list[str], needed: frozenset[Node]) -> None:
        """Nothing yet: a number is read where it is used first."""
        names = {f"{argument.name}[{j}]": j for j in range(argument.size)}
        self._places = self._places if k else {}
        self._places |= {node: (k, names[str(node.value)]) for node in needed if str(node.value) in names}

    _places: dict[Node, tuple[int, int]]  # the cell and the place there of every input

    def _is_there(self, node: Node) -> bool:
        return node.op == "input" or super()._is_there(node)

    def value(self, node: Node) -> str:
        if node.op == "input" and node not in self.values:
            cell, place = self._places[node]
            self.values[node] = self._number(f"%c{cell}", place)
        return super().value(node)

    def _number(self, cell: str, place: int) -> str:
        t = self.target
        address = self.new(f"getelementptr {t.vector}, ptr {cell}, i64 {place}")
        return self.new(f"load {t.vector}, ptr {address}, align {t.size}")

    def _store(self, k: int, rows: list[str], starts: Sequence[int]) -> None:
        t, outputs = self.target, self.program.outputs
        for place in sorted(
            {p for start in starts for p in range(start, min(start + t.half, len(outputs)))}
        ):
            value = self.value(outputs[place])
            address = self.new(f"getelementptr {t.vector}, ptr %c{k}, i64 {place}")
            self.lines.append(f"  store {t.vector} {value}, ptr {address}, align {t.size}")


class _March(Text):
    """Writes the loop: groups of states, rounds, calls."""

    def __init__(self, emitters: Mapping[str, CellEmitter], recurrence: Recurrence, target: Target) -> None:
        super().__init__()
        self.emitters, self.recurrence, self.target = emitters, recurrence, target
        sizes = recurrence.cells({name: len(e.program.outputs) for name, e in emitters.items()})
        self.lines = ["define void @march(ptr %words) #0 {", "entry:"]
        for k, size in enumerate(sizes.values()):
            self.lines.append(f"  %cell{k} = alloca [{max(size, 1)} x {target.vector}], align 64")
        self.cells = {name: f"%cell{k}" for k, name in enumerate(sizes)}
        slots = max((e.layout.kept for e in emitters.values()), default=0)
        self.lines.append(f"  %slots = alloca [{max(slots, 1)} x {target.vector}], align 64")
        self.known = {word: self._word(k) for k, word in enumerate(words(recurrence))}
        self.stored: dict[str, list[str]] = {}  # where the stored numbers of each program lie
        place = len(self.known)
        for name, e in emitters.items():
            count = len(e.program.stored)
            self.stored[name] = [self._loaded("ptr", k) for k in range(place, place + count)]
            place += count
        self.last = self.new(f"sub i64 {self.known['beyond']}, 1")

    def text(self) -> list[str]:
        r, known = self.recurrence, self.known
        with self._loop(self._groups()) as group:
            ahead = self.new(f"mul i64 {group}, {self.target.width}")
            self.first = self.new(f"add i64 {known['first']}, {ahead}")
            self._copy("gather", self.cells[STATE], r.size, known["state"], known["state_step"])
            for name, size in r.constants.items():
                self._copy("gather", self.cells[name], size, known[name], known[f"{name}, state"])
            with self._loop(known["rounds"]) as k:
                self._round(k)
            self._copy("scatter", self.cells[STATE], r.size, known["state"], known["state_step"])
        return [*self.lines, "  ret void", "}"]

    def _round(self, k: str) -> None:
        r = self.recurrence
        for name, signal in r.signals.items():
            self._sample(k, name, signal)
        waiting = True
        for call in r.calls:
            self._call(call)
            if waiting and call.output == r.recorded[0]:
                waiting = False
                self._record(k)
        self.lines.append(
            f"  call void @llvm.memcpy.inline.p0.p0.i64(ptr align 64 {self.cells[STATE]}, "
            f"ptr align 64 {self.cells[r.result]}, i64 {r.size * self.target.size}, i1 false)"
        )

    def _sample(self, k: str, name: str, signal: Signal) -> None:
        """The samples of a signal in a round, each into its cell."""
        ahead = self.new(f"mul i64 {k}, {self.known[f'{name}, round']}")
        row = self.new(f"getelementptr i8, ptr {self.known[name]}, i64 {ahead}")
        for place, cell in enumerate(samples(name, signal)):
            start = self.new(f"getelementptr double, ptr {row}, i64 {place * signal.size}")
            self._copy("gather", self.cells[cell], signal.size, start, self.known[f"{name}, state"])

    def _call(self, call: Call) -> None:
        """The pieces of a program in turn."""
        e = self.emitters[call.program]
        read = [*(self.cells[name] for name in call.inputs), *self.stored[call.program]]
        cells = [f"ptr {place}" for place in (*read, self.cells[call.output])]
        passed = ", ".join([*cells, f"ptr @{e.prefix}numbers", "ptr %slots"])
        for piece in range(len(e.layout.pieces)):
            self.lines.append(f"  call void @{e.prefix}piece{piece}({passed})")

    def _record(self, k: str) -> None:
        """The state and what stands behind it, into the row that is asked for."""
        r, known = self.recurrence, self.known
        address = self.new(f"getelementptr i64, ptr {known['records']}, i64 {k}")
        row = self.new(f"load i64, ptr {address}, align 8")
        asked = self.new(f"icmp sge i64 {row}, 0")
        yes, no = self.label(), self.label()
        self.lines += [f"  br i1 {asked}, label %{yes}, label %{no}", f"{yes}:"]
        down = self.new(f"mul i64 {row}, {known['out_row']}")
        here = self.new(f"getelementptr i8, ptr {known['out']}, i64 {down}")
        self._copy("scatter", self.cells[STATE], r.kept, here, known["out_step"])
        name, place, size = r.recorded
        cell = self.new(f"getelementptr {self.target.vector}, ptr {self.cells[name]}, i64 {place}")
        behind = self.new(f"getelementptr double, ptr {here}, i64 {r.kept}")
        self._copy("scatter", cell, size, behind, known["out_step"])
        self.lines += [f"  br label %{no}", f"{no}:"]

    # -- pieces of text -----------------------------------------------------------------------------

    def _word(self, k: int) -> str:
        """A word: an address where it is one, a number otherwise."""
        name = words(self.recurrence)[k]
        number = name in ("first", "beyond", "rounds", "state_step", "out_step", "out_row") or ", " in name
        return self._loaded("i64" if number else "ptr", k)

    def _loaded(self, kind: str, k: int) -> str:
        address = self.new(f"getelementptr i64, ptr %words, i64 {k}")
        return self.new(f"load {kind}, ptr {address}, align 8")

    @contextmanager
    def _loop(self, count: str) -> Iterator[str]:
        """What is written inside runs for 0, 1, … below a count, which may be zero."""
        counter, test, body, done = (self.label() for _ in range(4))
        self.lines.insert(2, f"  %{counter} = alloca i64, align 8")
        self.lines += [f"  store i64 0, ptr %{counter}, align 8", f"  br label %{test}", f"{test}:"]
        k = self.new(f"load i64, ptr %{counter}, align 8")
        more = self.new(f"icmp slt i64 {k}, {count}")
        self.lines += [f"  br i1 {more}, label %{body}, label %{done}", f"{body}:"]
        yield k
        following = self.new(f"add i64 {k}, 1")
        self.lines += [
            f"  store i64 {following}, ptr %{counter}, align 8",
            f"  br label %{test}",
            f"{done}:",
        ]

    def _groups(self) -> str:
        """How many groups of W the states fill, the last one perhaps not wholly."""
        states = self.new(f"sub i64 {self.known['beyond']}, {self.known['first']}")
        padded = self.new(f"add i64 {states}, {self.target.width - 1}")
        return self.new(f"sdiv i64 {padded}, {self.target.width}")

    def _copy(self, how: str, cell: str, size: int, base: str, step: str) -> None:
        """Rows of the group's states into a cell (gather), or back (scatter)."""
        passed = f"ptr {cell}, ptr {base}, i64 {step}, i64 {self.first}, i64 {self.last}, i64 {size}"
        self.lines.append(f"  call void @{how}({passed})")


def _gather(t: Target) -> str:
    """Rows of W states into a cell; a row that all states share is read once."""
    W, V = t.width, t.vector
    lanes = "\n".join(
        f"  %x{k} = load double, ptr %at{k}, align 8\n"
        f"  %v{k} = insertelement {V} {f'%v{k - 1}' if k else 'poison'}, double %x{k}, i32 {k}"
        for k in range(W)
    )
    return f"""\
define internal void @gather(ptr %cell, ptr %base, i64 %step, i64 %first, i64 %last, i64 %size) #0 {{
entry:
{_rows(W)}
  %shared = icmp eq i64 %step, 0
  br label %again
again:
  %j = phi i64 [ 0, %entry ], [ %next, %done ]
  %to = getelementptr {V}, ptr %cell, i64 %j
  br i1 %shared, label %one, label %each
one:
  %one_at = getelementptr double, ptr %base, i64 %j
  %x = load double, ptr %one_at, align 8
  %only = insertelement {V} poison, double %x, i32 0
  %all = shufflevector {V} %only, {V} poison, <{W} x i32> zeroinitializer
  store {V} %all, ptr %to, align {t.size}
  br label %done
each:
{_addresses(W)}
{lanes}
  store {V} %v{W - 1}, ptr %to, align {t.size}
  br label %done
done:
  %next = add i64 %j, 1
  %more = icmp slt i64 %next, %size
  br i1 %more, label %again, label %end
end:
  ret void
}}
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64 immarg, i1 immarg)
"""


def _scatter(t: Target) -> str:
    """A cell into the rows of W states."""
    W, V = t.width, t.vector
    lanes = "\n".join(
        f"  %x{k} = extractelement {V} %all, i32 {k}\n  store double %x{k}, ptr %at{k}, align 8"
        for k in range(W)
    )
    return f"""\
define internal void @scatter(ptr %cell, ptr %base, i64 %step, i64 %first, i64 %last, i64 %size) #0 {{
entry:
{_rows(W)}
  br label %again
again:
  %j = phi i64 [ 0, %entry ], [ %next, %again ]
  %from = getelementptr {V}, ptr %cell, i64 %j
  %all = load {V}, ptr %from, align {t.size}
{_addresses(W)}
{lanes}
  %next = add i64 %j, 1
  %more = icmp slt i64 %next, %size
  br i1 %more, label %again, label %end
end:
  ret void
}}
"""


def _rows(width: int) -> str:
    """Where the row of each lane begins, the state clamped to the last one."""
    return "\n".join(
        f"  %i{k} = add i64 %first, {k}\n"
        f"  %past{k} = icmp sgt i64 %i{k}, %last\n"
        f"  %clamped{k} = select i1 %past{k}, i64 %last, i64 %i{k}\n"
        f"  %ahead{k} = mul i64 %clamped{k}, %step\n"
        f"  %row{k} = getelementptr i8, ptr %base, i64 %ahead{k}"
        for k in range(width)
    )


def _addresses(width: int) -> str:
    return "\n".join(f"  %at{k} = getelementptr double, ptr %row{k}, i64 %j" for k in range(width))
