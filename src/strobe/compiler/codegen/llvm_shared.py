"""A program some of whose inputs are the same for all states: what only they decide is computed once per call.

`@loop` has the signature of NumPy's inner loop and is made of two others. `@before_loop` turns one row of those
inputs into coefficients, `@after_loop` runs over the states and reads the coefficients like constants of the code,
one number for all lanes, straight from memory. Where the inputs do change from state to state, both run for every
state in turn: correct, and slow; `llvm.module` is the code for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from strobe.compiler.codegen.llvm import PACK, RECENT, Emitter, Target, module
from strobe.compiler.codegen.llvm_text import Text
from strobe.compiler.graph.hoist import COEFFICIENTS, hoist
from strobe.compiler.graph.program import Input, Program
from strobe.scalars import Node

SHARED = ("parameters", "geometry")  # the inputs, by name


def shared_module(program: Program, target: Target) -> str:
    """The IR text of a program with inputs that are `SHARED`."""
    parts = hoist(program, SHARED)
    if not parts.before.outputs:
        return module(program, target)
    after = AfterEmitter(parts.after, target)
    functions = [*after.body_text(), *after.loop_text()]
    outputs = tuple(parts.before.outputs[k] for k in after.reads)
    before = BeforeEmitter(replace(parts.before, outputs=outputs, shape=(len(outputs),)), target)
    functions += [*before.body_text(), *before.loop_text()]
    lines = [*sorted(after.declared | before.declared), *functions, *_loop(program, target, len(outputs))]
    lines += [PACK.format(T=target.scalar), after.table(), before.table()]
    return "\n".join([*lines, f"attributes #0 = {{ nounwind {target.attributes} }}", ""])


class BeforeEmitter(Emitter):
    """Writes what is computed once."""

    prefix = "before_"


class AfterEmitter(Emitter):
    """Writes what is computed for every state; ``reads`` are the coefficients in the order in which it reads them.

    A coefficient that is used again much later is read again, from a place of its own, like a constant.
    """

    prefix = "after_"

    def __init__(self, program: Program, target: Target) -> None:
        self.reads: list[int] = []
        self._held: dict[Node, tuple[str, int]] = {}
        super().__init__(program, target)

    def _load(self, k: int, argument: Input, rows: list[str], needed: frozenset[Node]) -> None:
        if argument.name == COEFFICIENTS:
            self._held = {}
        else:
            super()._load(k, argument, rows, needed)

    def _is_there(self, node: Node) -> bool:
        return _coefficient(node) is not None or super()._is_there(node)

    def value(self, node: Node) -> str:
        place = _coefficient(node)
        if place is None:
            return super().value(node)
        vector, line = self._held.get(node, ("", -RECENT))
        if self._count - line >= RECENT:
            T, k = self.target.scalar, len(self.program.inputs) - 1
            address = self.new(f"getelementptr {T}, ptr %b{k}, i64 {len(self.reads)}")
            number = self.new(f"load {T}, ptr {address}, align {self.target.bytes}")
            vector = self.spread(number, T)
            self.reads.append(place)
            self._held[node] = vector, self._count
        return vector


def _coefficient(node: Node) -> int | None:
    """Which coefficient a node is, if it is one."""
    name, _, place = str(node.value).partition("[")
    return int(place[:-1]) if node.op == "input" and name == COEFFICIENTS else None


# -- the loop of both -----------------------------------------------------------------------------------


def _loop(program: Program, target: Target, coefficients: int) -> list[str]:
    """@loop: one run over all states where the shared inputs do not move from state to state, else runs of one."""
    shared = [k for k, given in enumerate(program.inputs) if given.name in SHARED]
    varying = [k for k in range(len(program.inputs)) if k not in shared]
    result = len(program.inputs)
    e, arguments = _Text(), result + 1
    n = e.word("%dims", 0)
    moves = [e.word("%steps", k) for k in range(arguments)]
    inner = [e.word("%steps", arguments + k) for k in range(result + len(program.shape))]
    room = e.new(f"alloca [{coefficients} x {target.scalar}], align 64")
    run = e.new(f"select i1 {_still(e, [moves[k] for k in shared])}, i64 {n}, i64 1")
    beside = str(target.bytes)
    before = _tables(e, "1", [*["0"] * (len(shared) + 1), *(inner[k] for k in shared), beside])
    steps = [*(moves[k] for k in varying), "0", moves[result]]
    after = _tables(e, run, [*steps, *(inner[k] for k in varying), beside, *inner[result:]])
    bases = [e.word("%args", k, "ptr") for k in range(arguments)]
    e.lines += [f"  %some = icmp sgt i64 {n}, 0", "  br i1 %some, label %again, label %done", "again:"]
    e.lines.append("  %j = phi i64 [ 0, %entry ], [ %next, %again ]")
    rows = [e.moved(*place) for place in zip(bases, moves, strict=True)]
    e.call("@before_loop", before, [*(rows[k] for k in shared), room])
    e.call("@after_loop", after, [*(rows[k] for k in varying), room, rows[result]])
    e.lines += [f"  %next = add i64 %j, {run}", f"  %more = icmp slt i64 %next, {n}"]
    e.lines += ["  br i1 %more, label %again, label %done", "done:", "  ret void", "}"]
    return ["define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) #0 {", "entry:", *e.lines]


def _still(e: _Text, moves: Sequence[str]) -> str:
    """Whether no step leads anywhere."""
    still = "true"
    for step in moves:
        still = e.new(f"and i1 {still}, {e.new(f'icmp eq i64 {step}, 0')}")
    return still


def _tables(e: _Text, many: str, steps: Sequence[str]) -> tuple[str, str, str]:
    """Room for the pointers of a loop, its number of states, and its steps."""
    pointers, dims, table = (e.new(f"alloca [{n} x i64], align 8") for n in (len(steps), 1, len(steps)))
    e.store(f"i64 {many}", dims, 0)
    for k, step in enumerate(steps):
        e.store(f"i64 {step}", table, k)
    return pointers, dims, table


class _Text(Text):
    """Lines that read and write tables of words."""

    def word(self, table: str, k: int, kind: str = "i64") -> str:
        """A number or pointer of a table."""
        return self.new(f"load {kind}, ptr {self.new(f'getelementptr i64, ptr {table}, i64 {k}')}")

    def moved(self, start: str, step: str) -> str:
        """Where the row of state j begins."""
        return self.new(f"getelementptr i8, ptr {start}, i64 {self.new(f'mul i64 %j, {step}')}")

    def call(self, loop: str, tables: tuple[str, str, str], rows: Sequence[str]) -> None:
        """A loop on rows, for as many states and with such steps as its tables say."""
        for k, row in enumerate(rows):
            self.store(f"ptr {row}", tables[0], k)
        self.lines.append(f"  call void {loop}({', '.join(f'ptr {table}' for table in tables)}, ptr null)")

    def store(self, what: str, table: str, k: int) -> None:
        self.lines.append(f"  store {what}, ptr {self.new(f'getelementptr i64, ptr {table}, i64 {k}')}")
