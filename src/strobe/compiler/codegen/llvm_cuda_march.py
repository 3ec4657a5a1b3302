"""A recurrence as a kernel of a card: one program, round after round, its state in registers all the while.

    state = program(state, constants, signals of the round)

Each thread marches states of its own to the end. The state begins with numbers of vectors that are given, and zeros.
Constants are read once, signals in every round: those that all states share lie in the cache of the card. A step may
take several rounds, the stages of a method. Every so many rounds some numbers of the state are written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from strobe.compiler.codegen.llvm_cuda import Form, Functions, Lanes, States, _Kernel, finished
from strobe.compiler.graph.program import Program

# of the inputs behind the state: one for all rounds, one for a stage, one for a step, one for a round
KINDS = ("constant", "stage", "step", "round")


@dataclass(frozen=True)
class March:
    """What marches a program, whose first input is the state."""

    kinds: tuple[str, ...]  # of its other inputs
    # every number of the state: of which given vector, and where; or zero
    begins: tuple[tuple[int, int] | None, ...]
    given: int  # vectors that the state begins with
    kept: tuple[int, ...]  # numbers of the state that are written
    stages: int = 1  # rounds of a step

    def argument(self, k: int) -> int:
        """The place of an input of the program among the arguments: behind the vectors that begin the state."""
        return self.given + k - 1


def march_module(program: Program, name: str, march: March, form: Form) -> str:
    """The IR text of a march for cards."""
    return _written(program, name, march, form, on_card=True)


def march_twin(program: Program, name: str, march: March, form: Form) -> str:
    """The same as a function of this processor."""
    return _written(program, name, march, form, on_card=False)


def _written(program: Program, name: str, march: March, form: Form, on_card: bool) -> str:
    functions = Functions(form.in_single)
    form = replace(form, layout="strided", early=0)
    kernel = _March(functions, program, form, on_card, march).text(name)
    return finished(functions, kernel, name, form, on_card)


class _March(_Kernel):
    """The loop over states, and in it the one over rounds."""

    def __init__(
        self, functions: Functions, program: Program, form: Form, on_card: bool, march: March
    ) -> None:  # fmt: skip
        super().__init__(functions, program, form, on_card)
        self.march = march
        self.now: dict[int, Lanes] = {}  # numbers of the state in this round
        self.fixed: dict[tuple[int, int], Lanes] = {}
        self.fresh: dict[tuple[int, int], Lanes] = {}

    @property
    def last(self) -> int:
        """The place of the result among the arguments."""
        return self.march.argument(len(self.program.inputs))

    def text(self, name: str) -> str:
        page = self.page
        page.begin("entry")
        self.loop()
        steps = "".join(f", {self.G} %b{k}, i64 %s{k}, i64 %r{k}, i32 %e{k}" for k in range(self.last + 1))
        kind = "ptx_kernel void" if self.on_card else "void"
        head = f"define {kind} @{name}(i64 %N, i64 %rounds, i64 %every{steps}) #0 {{"
        return "\n".join([head, *page.lines, "  ret void", "}"])

    def loop(self) -> None:
        page = self.page
        first, step = self.first_and_step()
        page.branch(page.new(f"icmp ult i64 {first}, %N"), "state", "end")
        page.begin("state")
        page.lines.append(f"  %i = phi i64 [ {first}, %entry ], [ %next, %again ]")
        self.rows = [self._row(k) for k in range(self.last + 1)]
        self._rounds()
        page.begin("again")
        page.lines.append(f"  %next = add i64 %i, {step}")
        page.branch(page.new("icmp ult i64 %next, %N"), "state", "end")
        page.begin("end")

    def first_and_step(self) -> tuple[str, str]:
        """The state of a thread, and how far its next one is."""
        if not self.on_card:
            return "0", "1"
        new = self.page.new
        thread, block, threads, blocks = (
            self.wide(self.special(x)) for x in ("tid.x", "ctaid.x", "ntid.x", "nctaid.x")
        )
        return new(f"add i64 {new(f'mul i64 {block}, {threads}')}, {thread}"), new(
            f"mul i64 {blocks}, {threads}"
        )

    def _row(self, k: int) -> str:
        new = self.page.new
        return new(f"getelementptr {self.form.memory}, {self.G} %b{k}, i64 {new(f'mul i64 %i, %s{k}')}")

    def _rounds(self) -> None:
        """All rounds of one state."""
        page, T = self.page, self.page.functions.real
        size, zero = self.program.inputs[0].size, page.functions.number(0.0)
        used = {str(node.value) for node in self.program.nodes if node.op == "input"}
        begin = [
            zero if at is None else self._read_at(*at, self.rows[at[0]])[0] for at in self.march.begins
        ]
        for name, (k, j) in self.places.items():
            if k and self.march.kinds[k - 1] == "constant" and name in used:
                argument = self.march.argument(k)
                self.fixed[k, j] = self._read_at(argument, j, self.rows[argument])
        page.branch(page.new("icmp eq i64 %rounds, 0"), "again", "march")
        page.begin("march")
        page.go("round")
        page.begin("round")
        place = len(page.lines)
        self.fresh = {}
        self.now = {j: (f"%x{j}",) for j in range(size)}
        self.at = {
            k: self._row_of(k, kind) for k, kind in enumerate(self.march.kinds, 1) if kind != "constant"
        }
        following = [lanes[0] for lanes in self._computed()]
        phis = ["  %k = phi i64 [ 0, %march ], [ %k_next, %turn ]"]
        phis += ["  %left = phi i64 [ %every, %march ], [ %left_next, %turn ]"]
        phis += ["  %row = phi i64 [ 0, %march ], [ %row_next, %turn ]"]
        phis += [
            f"  %x{j} = phi {T} [ {a}, %march ], [ {b}, %turn ]"
            for j, (a, b) in enumerate(zip(begin, following, strict=True))
        ]
        page.lines[place:place] = phis
        self._kept(following)
        page.lines.append("  %k_next = add i64 %k, 1")
        page.branch(page.new("icmp ult i64 %k_next, %rounds"), "round", "again")

    def _row_of(self, k: int, kind: str) -> str:
        """Where the numbers of this round begin in an input."""
        new, stages, argument = self.page.new, self.march.stages, self.march.argument(k)
        places = {"round": "%k", "stage": f"urem i64 %k, {stages}", "step": f"udiv i64 %k, {stages}"}
        place = places[kind] if kind == "round" else new(places[kind])
        ahead = new(f"mul i64 {place}, %r{argument}")
        return new(f"getelementptr {self.form.memory}, {self.G} {self.rows[argument]}, i64 {ahead}")

    def _computed(self) -> list[Lanes]:
        """The numbers of the next state."""
        self.sound = {}
        states = States(self.page, self.program, self.form, self.read, lambda place, values: None)
        states.compute()
        return [states.value(node) for node in self.program.outputs]

    def _kept(self, state: Sequence[str]) -> None:
        """The numbers that are written, in a round that ends a row."""
        page, k = self.page, self.last
        page.lines.append("  %less = sub i64 %left, 1")
        due = page.new("icmp eq i64 %less, 0")
        page.branch(due, "keep", "turn_by")
        page.begin("keep")
        row = page.new(
            f"getelementptr {self.form.memory}, {self.G} {self.rows[k]}, i64 {page.new(f'mul i64 %row, %r{k}')}"
        )
        for j, place in enumerate(self.march.kept):
            value, M = self.narrowed(state[place]), self.form.memory
            page.lines.append(
                f"  store {M} {value}, {self.G} {self._entry(k, j, row)}, align {self.form.bytes}"
            )
        page.lines.append("  %row_more = add i64 %row, 1")
        page.go("turn")
        page.begin("turn_by")
        page.go("turn")
        page.begin("turn")
        page.lines.append("  %left_next = phi i64 [ %every, %keep ], [ %less, %turn_by ]")
        page.lines.append("  %row_next = phi i64 [ %row_more, %keep ], [ %row, %turn_by ]")

    def loaded(self, k: int, j: int) -> Lanes:
        if not k:
            return self.now[j]
        if self.march.kinds[k - 1] == "constant":
            return self.fixed[k, j]
        if (k, j) not in self.fresh:
            self.fresh[k, j] = self._read_at(self.march.argument(k), j, self.at[k])
        return self.fresh[k, j]

    def _read_at(self, k: int, j: int, row: str) -> Lanes:
        M, size = self.form.memory, self.form.bytes
        value = self.page.new(
            f"load {M}, {self.G} {self._entry(k, j, row)}, align {size}, !invariant.load !1"
        )
        return (self.widened(value),)

    def _entry(self, k: int, j: int, row: str) -> str:
        if not j:
            return row
        new = self.page.new
        at = new(f"mul nsw i64 {new(f'sext i32 %e{k} to i64')}, {j}")
        return new(f"getelementptr {self.form.memory}, {self.G} {row}, i64 {at}")
