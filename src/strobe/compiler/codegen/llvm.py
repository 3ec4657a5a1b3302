"""A program as LLVM IR: one function with the signature of a NumPy inner loop, W states at a time.

`@loop` takes what NumPy hands to a generalized ufunc and runs the body once per group of W states. The body loads
rows of the inputs, transposes them into one vector per number, computes, transposes back and stores. The last
group clamps its row index to the last state: surplus lanes load and store that row again, with equal values.
Arguments whose numbers do not lie side by side in memory are copied to and from a scratch area.

The body of a long program is several functions, `@piece0`, `@piece1`, …: values that cross from one to a later one
are kept in slots of memory, one set of slots per group, so that each piece can run over several groups in turn.

No operation has a flag: LLVM computes what stands there, and what is fused was fused by `compiler.graph.fuse`, so
every width computes the same bits, signs of zeros among them. A NaN stays a NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from strobe.compiler.codegen.assembly import ASSEMBLED, Assembly, Registers
from strobe.compiler.codegen.constants import bits_of
from strobe.compiler.codegen.llvm_elementary import emit_atan2, emit_sincos
from strobe.compiler.codegen.llvm_pieces import Piece, layout
from strobe.compiler.codegen.llvm_text import BINARY, Text
from strobe.compiler.graph.fuse import fuse
from strobe.compiler.graph.order import ordered
from strobe.compiler.graph.program import CIRCLE, Input, Program, turns
from strobe.scalars import Node, Stored

SLOW = ("div", "sqrt")  # what others wait for
MOST_PAIRED = 1_400  # nodes of a program whose code, twice, stays in the instruction cache
# operations of a program whose registers LLVM assigns: a little better, for much longer
LONGEST_BY_LLVM = 700
LONGEST_CROWDED_BY_LLVM = 400  # the same with 16 registers, of which it makes less from there on
LONGEST_ALONE = 3_000  # the same for one state at a time, which waits for its own results
MOST_STORED_BY_LLVM = 1_000  # results of a program: its scheduler takes a time with the square of them
FEWEST_IN_TURN = 16  # blocks of results that a loop stores
FULL = 4  # states side by side where rows are loaded by whole vectors
RECENT = 20  # results for which a constant stays in a register


@dataclass(frozen=True)
class Target:
    """What code is made for: how many states side by side, and of which precision."""

    width: int = 8
    single: bool = False
    attributes: str = ""
    fused: bool = True  # whether the processor multiplies and adds in one instruction
    # the instructions in which arithmetic of long programs is written here, avx2 or avx512, if any
    assembly: str = ""
    hurry: bool = False  # whether code that runs a little slower will do, if it is made faster

    @property
    def scalar(self) -> str:
        return "float" if self.single else "double"

    @property
    def vector(self) -> str:
        return f"<{self.width} x {self.scalar}>"

    @property
    def bytes(self) -> int:
        return 4 if self.single else 8

    @property
    def size(self) -> int:
        """Bytes of a vector."""
        return self.width * self.bytes

    @property
    def fills_registers(self) -> bool:
        """Whether assembly is written for its vectors: single numbers, or whole registers of them."""
        widths = {"": (), "avx2": (16, 32), "avx512": (16, 32, 64)}[self.assembly]
        return self.size in widths or (self.width == 1 and bool(widths))

    @property
    def half(self) -> int:
        """Numbers of a row that are loaded at once: half a vector, so that two rows fill one."""
        return max(self.width // 2, 1)

    @property
    def half_suffix(self) -> str:
        return f"v{self.half}f{32 if self.single else 64}"

    @property
    def suffix(self) -> str:
        return f"v{self.width}f{32 if self.single else 64}"


def module(program: Program, target: Target) -> str:
    """The IR text of a program."""
    return Emitter(program, paired(program, target)).text()


def paired(program: Program, target: Target) -> Target:
    """The target, or one of twice the width for a program that divides again and again.

    What needs a quotient stands still until it is there. LLVM makes two instructions of each operation on vectors of
    twice the width, and one half of the states computes while the other waits; unless the code, twice as long, would
    leave the instruction cache. One quotient alone, such as that of a quaternion, is not worth it: inverse dynamics
    of a quadruped took half as long again.
    """
    waits = sum(program.counts[op] for op in SLOW) > 1
    alone = target.width == 1 or target.single or target.hurry
    if alone or not waits or len(program.nodes) > MOST_PAIRED:
        return target
    return replace(target, width=2 * target.width, assembly="")


class Emitter(Text):
    """Writes one module, line by line."""

    prefix = ""  # of the names of its functions and of its table, where a module holds several programs

    def __init__(self, program: Program, target: Target) -> None:
        super().__init__()
        self.program = _arranged(program, target.fused)
        self.target = target
        self.arguments = len(program.inputs) + len(program.stored)  # the results come behind them
        long = len(self.program.nodes) > _longest_by_llvm(target)
        long = long or len(self.program.outputs) > MOST_STORED_BY_LLVM
        self.assembled = target.fills_registers and long
        blocks = _blocks(len(self.program.outputs), target.half)
        self.layout = layout(self.program, blocks, target.size, target.assembly == "avx2")
        self.values: dict[Node, str] = {}  # of the piece that is being written
        self.kept: set[Node] = set()  # by the pieces before it
        self.declared: set[str] = set()
        self.circle: dict[tuple[str, Node], str] = {}  # sines and cosines, by operation and angle
        self.rows: dict[tuple[Node, Node, int], list[str]] = {}  # of stored numbers, by place and length
        self._turns: list[int] = []  # the table of results that are stored in turn
        self.cells: dict[Node, int] = {}  # where values of the piece lie on the stack
        self._cells = 0  # of them
        self._fixed: dict[int, str] = {}  # constants that the piece reads by their address
        self._numbers: list[int] = []  # the table of constants, by their bits
        self._loaded: dict[tuple[int, str], tuple[str, int]] = {}  # those read by the piece, and when
        self._entry = 0

    def body_text(self) -> list[str]:
        """The lines of the body; what is written next starts on a clean page."""
        for number, piece in enumerate(self.layout.pieces):
            self._piece(number, piece)
        self._body()
        body, self.lines = self.lines, []
        return body

    def loop_text(self) -> list[str]:
        """The lines of the loop over states, behind those of the body."""
        self._loop()
        loop, self.lines = self.lines, []
        return loop

    def text(self) -> str:
        body, loop = self.body_text(), self.loop_text()
        parts = [*sorted(self.declared), "", *body, "", *loop, "", PACK.format(T=self.target.scalar)]
        parts.append(self.table())
        parts.append(f"attributes #0 = {{ nounwind {self.target.attributes} }}")
        return "\n".join(parts) + "\n"

    # -- one group of states ------------------------------------------------------------------------

    def _piece(self, number: int, piece: Piece) -> None:
        """@piece0(rows and steps of every argument, first state, last state, slots) and so on."""
        self.kept |= self.values.keys() & self.layout.slots.keys()
        self.values, self.circle, self.rows, self._loaded = {}, {}, {}, {}
        self.cells, self._cells, self._fixed = {}, 0, {}
        self.lines.append(
            f"define internal void @{self.prefix}piece{number}({self._signature()}, ptr %kept) #0 {{"
        )
        self.lines.append("entry:")
        self._entry = len(self.lines)
        rows = self._row_numbers()
        for k, argument in enumerate(self.program.inputs):
            self._load(k, argument, rows, piece.inputs)
            if self.assembled:
                self._put_away(piece)
        self._compute(piece)
        self._store(self.arguments, rows, piece.results)
        if self.assembled:
            self.lines.insert(
                self._entry, f"  %cells = alloca [{max(self._cells, 1)} x {self.target.vector}], align 64"
            )
        self.lines += ["  ret void", "}"]

    def _body(self) -> None:
        """@body: all pieces in turn for one group of states."""
        self.lines.append(f"define internal void @{self.prefix}body({self._signature()}) #0 {{")
        self.lines.append("entry:")
        self.lines.append(f"  %kept = alloca [{self.layout.kept} x {self.target.vector}], align 64")
        for number in range(len(self.layout.pieces)):
            self.lines.append(f"  call void @{self.prefix}piece{number}({self._signature()}, ptr %kept)")
        self.lines += ["  ret void", "}"]

    def _signature(self) -> str:
        """Parameters of the body, which are also the arguments it hands on."""
        rows = [f"ptr %b{k}, i64 %s{k}" for k in range(self.arguments + 1)]
        return ", ".join([*rows, "i64 %i", "i64 %last", "ptr %numbers"])

    def _row_numbers(self) -> list[str]:
        """The state of each lane, clamped to the last one."""
        numbers: list[str] = []
        for lane in range(self.target.width):
            number = self.new(f"add nuw i64 %i, {lane}")
            past = self.new(f"icmp ugt i64 {number}, %last")
            numbers.append(self.new(f"select i1 {past}, i64 %last, i64 {number}"))
        return numbers

    def _rows(self, k: int, rows: list[str]) -> list[str]:
        pointers: list[str] = []
        for number in rows:
            offset = self.new(f"mul i64 {number}, %s{k}")
            pointers.append(self.new(f"getelementptr i8, ptr %b{k}, i64 {offset}"))
        return pointers

    def _load(self, k: int, argument: Input, rows: list[str], needed: frozenset[Node]) -> None:
        wanted = {str(node.value): node for node in needed}
        names = [f"{argument.name}[{j}]" for j in range(argument.size)]
        used = {j: wanted[name] for j, name in enumerate(names) if name in wanted}
        if not used:
            return
        pointers = self._rows(k, rows)
        part = self._part(argument.size)
        for block in _blocks(argument.size, part):
            columns = [j for j in block if j in used and used[j] not in self.values]
            if len(columns) < 2 or self.target.width == 1:
                self.values |= {used[j]: self._gather(pointers, j) for j in columns}
            elif columns:
                loaded = [self._load_part(p, block.start, argument.size, part) for p in pointers]
                turned = self._transpose(loaded if part == self.target.width else self._joined(loaded))
                self.values |= {used[j]: turned[j - block.start] for j in columns}

    def _gather(self, pointers: list[str], j: int) -> str:
        """One number of every row."""
        T, V = self.target.scalar, self.target.vector
        vector = "poison"
        for lane, pointer in enumerate(pointers):
            address = self.new(f"getelementptr {T}, ptr {pointer}, i64 {j}")
            value = self.new(f"load {T}, ptr {address}, align {self.target.bytes}")
            vector = self.new(f"insertelement {V} {vector}, {T} {value}, i32 {lane}")
        return vector

    def _part(self, size: int) -> int:
        """How many numbers of a row are loaded at once: half a vector, or all of a short one."""
        t = self.target
        return t.width if t.width == FULL and size >= t.width else t.half

    def _load_part(self, pointer: str, start: int, size: int, part: int) -> str:
        """A part of a row; beyond its end nothing is read."""
        t = self.target
        H = f"<{part} x {t.scalar}>"
        address = self.new(f"getelementptr {t.scalar}, ptr {pointer}, i64 {start}")
        if start + part <= size:
            return self.new(f"load {H}, ptr {address}, align {t.bytes}")
        name = f"@llvm.masked.load.{t.half_suffix}.p0"
        self.declared.add(f"declare {H} {name}(ptr, i32, <{t.half} x i1>, {H})")
        mask = _mask(size - start, t.half)
        return self.new(f"call {H} {name}(ptr {address}, i32 {t.bytes}, {mask}, {H} poison)")

    def _store(self, k: int, rows: list[str], starts: Sequence[int]) -> None:
        """The blocks of results that begin at these places."""
        t, outputs = self.target, self.program.outputs
        if not starts:
            return
        pointers = self._rows(k, rows)
        if self.assembled and len(starts) >= FEWEST_IN_TURN:
            self._store_in_turn(pointers, starts)
            return
        for start in starts:
            block = outputs[start : start + t.half]
            if t.width == 1:
                self._store_one(pointers[0], start, self.value(block[0]))
                continue
            for pointer, part in zip(pointers, self._as_rows(block), strict=True):
                self._store_part(pointer, start, len(outputs), part)

    def _store_in_turn(self, pointers: list[str], starts: Sequence[int]) -> None:
        """The same by a loop over a table: of each block its place in a row, and where its columns lie."""
        t, outputs = self.target, self.program.outputs
        base, where = self._columns([node for start in starts for node in outputs[start : start + t.half]])
        first = len(self._turns)
        for start in starts:
            self._turns += [start, *(t.size * where[node] for node in outputs[start : start + t.half])]
        rows = self.scratch(f"[{t.width} x ptr]")
        for lane, pointer in enumerate(pointers):
            place = self.new(f"getelementptr ptr, ptr {rows}, i64 {lane}")
            self.lines.append(f"  store ptr {pointer}, ptr {place}, align 8")
        table = self.new(f"getelementptr i32, ptr @{self.prefix}turns, i64 {first}")
        self.lines.append(
            f"  call void @{self.prefix}in_turn(ptr {rows}, ptr {base}, ptr {table}, i64 {len(starts)})"
        )

    def _columns(self, nodes: Sequence[Node]) -> tuple[str, Mapping[Node, int]]:
        """Where columns of results lie: in slots, where a piece of its own writes them, else in cells."""
        slots = self.layout.slots
        if all(node in slots for node in nodes) and not any(node in self.cells for node in nodes):
            for node in dict.fromkeys(node for node in nodes if node.op == "constant"):
                self._put_vector(self.value(node), node)
            return "%kept", slots
        return "%cells", {node: self._in_cell(node) for node in dict.fromkeys(nodes)}

    def _in_turn_text(self) -> str:
        """The loop that stores blocks of columns, if it is called, and its table."""
        if not self._turns:
            return ""
        t, self.lines = self.target, []
        out = self.lines.append
        out(f"define internal void @{self.prefix}in_turn(ptr %rows, ptr %from, ptr %table, i64 %n) #0 {{")
        out("entry:")
        places = [self.new(f"getelementptr ptr, ptr %rows, i64 {lane}") for lane in range(t.width)]
        rows = [self.new(f"load ptr, ptr {place}, align 8") for place in places]
        out("  br label %block")
        out("block:")
        out("  %k = phi i64 [ 0, %entry ], [ %next, %block ]")
        out(f"  %at = mul i64 %k, {1 + t.half}")
        out("  %line = getelementptr i32, ptr %table, i64 %at")
        numbers: list[str] = []
        for k in range(1 + t.half):
            short = self.new(f"load i32, ptr {self.new(f'getelementptr i32, ptr %line, i64 {k}')}, align 4")
            numbers.append(self.new(f"zext i32 {short} to i64"))
        columns: list[str] = []
        for number in numbers[1:]:
            place = self.new(f"getelementptr i8, ptr %from, i64 {number}")
            columns.append(self.new(f"load {t.vector}, ptr {place}, align {t.size}"))
        parts = columns if t.width == 1 else self._parted(self._transpose(columns))
        for row, part in zip(rows, parts, strict=True):
            address = self.new(f"getelementptr {t.scalar}, ptr {row}, i64 {numbers[0]}")
            out(f"  store <{t.half} x {t.scalar}> {part}, ptr {address}, align {t.bytes}")
        out("  %next = add i64 %k, 1")
        out("  %more = icmp ult i64 %next, %n")
        out("  br i1 %more, label %block, label %done")
        self.lines += ["done:", "  ret void", "}"]
        table = ", ".join(f"i32 {number}" for number in self._turns)
        out(f"@{self.prefix}turns = internal constant [{len(self._turns)} x i32] [{table}], align 64")
        return "\n".join(self.lines) + "\n"

    def _as_rows(self, block: Sequence[Node]) -> list[str]:
        """Half vectors of one state each; of one constant throughout, such as a zero of the structure, all alike."""
        t, columns = self.target, [self.value(node) for node in block]
        if block[0].op == "constant" and len(set(block)) == 1:
            return self._parted(columns[:1])[:1] * t.width
        return self._parted(self._transpose([*columns, *["poison"] * (t.half - len(columns))]))

    def _store_one(self, pointer: str, j: int, value: str) -> None:
        t = self.target
        element = self.new(f"extractelement {t.vector} {value}, i32 0")
        address = self.new(f"getelementptr {t.scalar}, ptr {pointer}, i64 {j}")
        self.lines.append(f"  store {t.scalar} {element}, ptr {address}, align {t.bytes}")

    def _store_part(self, pointer: str, start: int, size: int, part: str) -> None:
        t = self.target
        H = f"<{t.half} x {t.scalar}>"
        address = self.new(f"getelementptr {t.scalar}, ptr {pointer}, i64 {start}")
        if start + t.half <= size:
            self.lines.append(f"  store {H} {part}, ptr {address}, align {t.bytes}")
            return
        name = f"@llvm.masked.store.{t.half_suffix}.p0"
        self.declared.add(f"declare void {name}({H}, ptr, i32, <{t.half} x i1>)")
        mask = _mask(size - start, t.half)
        self.lines.append(f"  call void {name}({H} {part}, ptr {address}, i32 {t.bytes}, {mask})")

    def _joined(self, parts: list[str]) -> list[str]:
        """Half vectors of rows i and i + W/2 side by side: an insertion from memory, which costs no shuffle."""
        t = self.target
        H = f"<{t.half} x {t.scalar}>"
        picks = _picks(range(t.width))
        return [
            self.new(f"shufflevector {H} {parts[i]}, {H} {parts[i + t.half]}, <{t.width} x i32> <{picks}>")
            for i in range(t.half)
        ]

    def _parted(self, vectors: list[str]) -> list[str]:
        """The halves of vectors as rows: the inverse of `_joined`."""
        t = self.target
        low, high = _picks(range(t.half)), _picks(range(t.half, t.width))
        return [
            self.new(f"shufflevector {t.vector} {v}, {t.vector} poison, <{t.half} x i32> <{picks}>")
            for picks in (low, high)
            for v in vectors
        ]

    def _transpose(self, rows: Sequence[str]) -> list[str]:
        """W/2 vectors whose halves are W/2 × W/2 blocks, or W of one block, each block transposed in place."""
        vectors, W, V = list(rows), self.target.width, self.target.vector
        distance = len(vectors) // 2
        while distance:
            for i in range(len(vectors)):
                if i & distance:
                    continue
                a, b = vectors[i], vectors[i + distance]
                low = [c if not c & distance else W + c - distance for c in range(W)]
                high = [c + distance if not c & distance else W + c for c in range(W)]
                for slot, picks in ((i, low), (i + distance, high)):
                    vectors[slot] = self.new(
                        f"shufflevector {V} {a}, {V} {b}, <{W} x i32> <{_picks(picks)}>"
                    )
            distance //= 2
        return vectors

    # -- arithmetic ---------------------------------------------------------------------------------

    def _compute(self, piece: Piece) -> None:
        nodes = piece.nodes
        angles = {node.args[0]: None for node in nodes if node.op in CIRCLE}
        for angle in angles:  # what angles are made of comes first, so that one test serves all of them
            self._need(angle)
        plain = [angle for angle in angles if not turns(angle)]
        if plain:
            self._sincos(plain)
        if not self.assembled:
            for node in nodes:
                self._need(node)
            return
        for node in nodes:
            if node.op in CIRCLE and (node.op, node.args[0]) in self.circle:
                self._need(node)
        self._assemble(piece)

    def _put_away(self, piece: Piece) -> None:
        """Inputs go to cells at once: held until assembly asks for them, they would go to memory twice."""
        asked = {a for node in piece.nodes if node.op in ASSEMBLED for a in node.args}
        for node in [node for node in self.values if node in asked]:
            self._in_cell(node)
            del self.values[node]

    def _assemble(self, piece: Piece) -> None:
        """What is left of a piece: runs of arithmetic as assembly, and what is between them."""
        left = [node for node in piece.nodes if node not in self.values]
        runs = [list(run) for _, run in groupby(left, lambda node: node.op in ASSEMBLED)]
        number = {node: k for k, run in enumerate(runs) for node in run}
        wanted = {a for node in left for a in node.args if number.get(a, -1) not in (-1, number[node])}
        wanted |= {
            node
            for start in piece.results
            for node in self.program.outputs[start : start + self.target.half]
        }
        for run in runs:
            if run[0].op in ASSEMBLED:
                self._assembled(run, wanted)
            else:
                for node in run:
                    self._need(node)

    def _assembled(self, run: Sequence[Node], wanted: set[Node]) -> None:
        """One statement of assembly. What it needs lies in memory before it, what others need of it after it."""
        own, slots = set(run), self.layout.slots
        places = {
            a: self._address(a) for node in run for a in node.args if a not in own and a.op != "constant"
        }
        results: dict[Node, list[str]] = {}
        for node in run:
            if node in slots:
                results[node] = [f"{self.target.size * slots[node]}(%rdi)"]
                self.kept.add(node)
            if node in wanted:
                results.setdefault(node, []).append(self._cell(node))
        t = self.target
        registers = Registers(t.width, t.single, t.assembly == "avx512")
        number = partial(self._fixed_number, copies=1 if registers.spreads else max(t.size // 8, 1))
        lines = Assembly(registers, places, results, number, self._new_cell).write(run)
        text = "\\0A".join(lines)
        self.lines.append(
            f'  call void asm sideeffect "{text}", "{{rdi}},{{rsi}},{{rdx}},{registers.clobbered},~{{memory}}"'
            "(ptr %kept, ptr %cells, ptr %numbers)"
        )

    def _address(self, node: Node) -> str:
        """Where a value lies in memory, as assembly says it; put there if it does not yet."""
        t = self.target
        if node in self.kept or (node in self.values and node in self.layout.slots):
            return f"{t.size * self.layout.slots[node]}(%rdi)"
        self._in_cell(node)
        return f"{t.size * self.cells[node]}(%rsi)"

    def _in_cell(self, node: Node) -> int:
        """The cell that holds a value, from now on if it is in none."""
        if node not in self.cells:
            value = self.value(node)
            self._cell(node)
            self._put_vector(value, node)
        return self.cells[node]

    def _put_vector(self, value: str, node: Node) -> None:
        t, place = self.target, self._slot(node)
        self.lines.append(f"  store {t.vector} {value}, ptr {place}, align {t.size}")

    def _cell(self, node: Node) -> str:
        """A cell for a value, as assembly says it."""
        self.cells[node] = self._cells
        return self._new_cell()

    def _new_cell(self) -> str:
        self._cells += 1
        return f"{self.target.size * (self._cells - 1)}(%rsi)"

    def _fixed_number(self, bits: int, copies: int) -> str:
        """The address of a constant, as assembly says it; of a whole vector where no instruction spreads numbers."""
        if bits not in self._fixed:
            self._numbers += [0] * (-len(self._numbers) % copies)
            self._fixed[bits] = f"{8 * len(self._numbers)}(%rdx)"
            self._numbers += [bits | bits << 32 if self.target.single else bits] * copies
        return self._fixed[bits]

    def _need(self, root: Node) -> None:
        """Emit a node and what it needs, unless it is there already."""
        stack = [root]
        while stack:
            node = stack[-1]
            missing = [a for a in node.args if not self._is_there(a)]
            if self._is_there(node):
                stack.pop()
            elif missing:
                stack += missing
            else:
                if node.op in CIRCLE and (node.op, node.args[0]) not in self.circle:
                    self._sincos([node.args[0]])
                self.values[node] = self._operation(node)
                self._keep(node)
                stack.pop()

    def _is_there(self, node: Node) -> bool:
        """Whether a value is a constant, made or read in this piece, or kept by an earlier one."""
        return (
            node.op in ("constant", "stored")
            or node in self.values
            or node in self.kept
            or node in self.cells
        )

    def _keep(self, node: Node) -> None:
        """Store a value that a later piece uses."""
        if node in self.layout.slots:
            self._put_vector(self.values[node], node)

    def _slot(self, node: Node) -> str:
        """Where a value lies that the piece left in a cell, or that crosses from one piece to another."""
        if node in self.cells:
            return self.new(f"getelementptr {self.target.vector}, ptr %cells, i64 {self.cells[node]}")
        return self.new(f"getelementptr {self.target.vector}, ptr %kept, i64 {self.layout.slots[node]}")

    def value(self, node: Node) -> str:
        if node.op == "constant":
            return self._splat(node.value)  # pyright: ignore[reportArgumentType]
        if node not in self.values:
            t, place = self.target, self._slot(node)
            self.values[node] = self.new(f"load {t.vector}, ptr {place}, align {t.size}")
        return self.values[node]

    def _operation(self, node: Node) -> str:
        V, op = self.target.vector, node.op
        if op in CIRCLE:
            return self.circle[op, node.args[0]]
        if op == "pick":
            return self._picked(node)
        args = [self.value(a) for a in node.args]
        if op in BINARY:
            return self.new(f"{BINARY[op]} {V} {args[0]}, {args[1]}")
        return SECOND_GROUP[op](self, *args)

    def _picked(self, node: Node) -> str:
        """One of a row of stored numbers, which are read together."""
        from strobe.compiler.codegen.llvm_stored import emit_row

        (leaf, place), (k, width) = node.args, node.value  # pyright: ignore[reportGeneralTypeIssues]
        if (leaf, place, width) not in self.rows:
            stored = leaf.value
            assert isinstance(stored, Stored)
            where = self._stored(self.program.stored.index(stored))
            self.rows[leaf, place, width] = emit_row(self, where, stored.size, width, self.value(place))
        return self.rows[leaf, place, width][k]

    def _stored(self, k: int) -> str:
        """Where stored numbers lie."""
        return f"%b{len(self.program.inputs) + k}"

    def _sincos(self, angles: list[Node]) -> None:
        """Sines and cosines of several angles, with one test for lanes that need the slower path."""
        emit_sincos(self, angles)

    # -- the loop over states -----------------------------------------------------------------------

    def _loop(self) -> None:
        from strobe.compiler.codegen.llvm_loop import emit_loop

        emit_loop(self)

    # -- text ---------------------------------------------------------------------------------------

    def widened(self, x: str) -> str:
        """A vector in double precision."""
        t = self.target
        return self.new(f"fpext {t.vector} {x} to <{t.width} x double>") if t.single else x

    def narrowed(self, x: str) -> str:
        """A vector in double precision as the target has it."""
        t = self.target
        return self.new(f"fptrunc <{t.width} x double> {x} to {t.vector}") if t.single else x

    def scratch(self, kind: str) -> str:
        """A cell on the stack of the body."""
        self._count += 1
        self.lines.insert(self._entry, f"  %cell{self._count} = alloca {kind}, align 64")
        return f"%cell{self._count}"

    def intrinsic(self, name: str, *args: str) -> str:
        """A call of an LLVM intrinsic on vectors."""
        V = self.target.vector
        full = f"@llvm.{name}.{self.target.suffix}"
        self.declared.add(f"declare {V} {full}({', '.join([V] * len(args))})")
        return self.new(f"call {V} {full}({', '.join(f'{V} {a}' for a in args)})")

    def _splat(self, value: float) -> str:
        return self.constant(bits_of(value, self.target.single), self.target.scalar)

    def constant(self, bits: int, kind: str = "double") -> str:
        """A vector with these bits in every lane, read from the table of constants.

        A constant used again much later is read again, from a place of its own: LLVM would take equal addresses for
        one value, hold it in a register all the while, and move others to memory instead.
        """
        vector, line = self._loaded.get((bits, kind), ("", -RECENT))
        if self._count - line >= RECENT:
            place = len(self._numbers)
            self._numbers.append(bits)
            address = self.new(f"getelementptr i64, ptr %numbers, i64 {place}")
            vector = self.spread(self.new(f"load {kind}, ptr {address}, align 8"), kind)
            self._loaded[bits, kind] = vector, self._count
        return vector

    def forget(self) -> None:
        """Constants read so far are not at hand any more: what follows is reached by another way too."""
        self._loaded = {}

    def spread(self, number: str, kind: str) -> str:
        """A vector with a number in every lane."""
        V = f"<{self.target.width} x {kind}>"
        first = self.new(f"insertelement {V} poison, {kind} {number}, i32 0")
        lanes = f"<{self.target.width} x i32> zeroinitializer"
        return self.new(f"shufflevector {V} {first}, {V} poison, {lanes}")

    def table(self) -> str:
        """The constants by their bits, the first byte the lowest: as code finds them by one pointer."""
        numbers = ", ".join(f"i64 {bits}" for bits in self._numbers)
        return self._in_turn_text() + (
            f"@{self.prefix}numbers = internal constant [{len(self._numbers)} x i64] [{numbers}], align 64"
        )


def _arranged(program: Program, fused: bool) -> Program:
    """A program with its operations fused and in a good order."""
    plain = fuse(program) if fused else program
    best = ordered(plain)
    if plain is not program and plain is not best:
        plain.let_go()
    if best is not program:
        best.let_go()
    return best


def _longest_by_llvm(target: Target) -> int:
    """The operations of a program whose registers LLVM assigns."""
    if target.hurry:
        return 0
    if target.width == 1:
        return LONGEST_ALONE
    return min(LONGEST_BY_LLVM, LONGEST_CROWDED_BY_LLVM) if target.assembly == "avx2" else LONGEST_BY_LLVM


def _blocks(size: int, half: int) -> list[range]:
    """Half vectors that cover a row; the last one overlaps the one before rather than reach beyond."""
    if size <= half:
        return [range(size)]
    return [range(start, start + half) for start in (*range(0, size - half, half), size - half)]


def _picks(indices: Iterable[int]) -> str:
    return ", ".join(f"i32 {k}" for k in indices)


def _mask(valid: int, width: int) -> str:
    lanes = ", ".join(f"i1 {'true' if k < valid else 'false'}" for k in range(width))
    return f"<{width} x i1> <{lanes}>"


def _compare(e: Emitter, x: str, y: str) -> str:
    W, V = e.target.width, e.target.vector
    flag = e.new(f"fcmp olt {V} {x}, {y}")
    return e.new(f"uitofp <{W} x i1> {flag} to {V}")


def _choose(e: Emitter, condition: str, x: str, y: str) -> str:
    W, V = e.target.width, e.target.vector
    flag = e.new(f"fcmp une {V} {condition}, zeroinitializer")
    return e.new(f"select <{W} x i1> {flag}, {V} {x}, {V} {y}")


def _called(e: Emitter, name: str, *args: str) -> str:
    """A function of the C library, lane by lane in double precision."""
    W = e.target.width
    V = f"<{W} x double>"
    e.declared.add(f"declare double @{name}({', '.join(['double'] * len(args))})")
    wide = [e.widened(x) for x in args]
    result = "poison"
    for lane in range(W):
        numbers = [e.new(f"extractelement {V} {x}, i32 {lane}") for x in wide]
        value = e.new(f"call double @{name}({', '.join(f'double {x}' for x in numbers)})")
        result = e.new(f"insertelement {V} {result}, double {value}, i32 {lane}")
    return e.narrowed(result)


SECOND_GROUP: dict[str, Callable[..., str]] = {
    "fma": lambda e, a, b, c: e.intrinsic("fma", a, b, c),
    "fnma": lambda e, a, b, c: e.intrinsic("fma", e.new(f"fneg {e.target.vector} {a}"), b, c),
    "neg": lambda e, x: e.new(f"fneg {e.target.vector} {x}"),
    "sqrt": lambda e, x: e.intrinsic("sqrt", x),
    "floor": lambda e, x: e.intrinsic("floor", x),
    "abs": lambda e, x: e.intrinsic("fabs", x),
    "min": lambda e, x, y: e.intrinsic("minimum", x, y),
    "max": lambda e, x, y: e.intrinsic("maximum", x, y),
    "less": _compare,
    "where": _choose,
    "atan2": emit_atan2,
    "tanh": lambda e, x: _called(e, "tanh", x),
}

PACK = """\
define internal void @copy(ptr %to, i64 %to_step, ptr %from, i64 %from_step, i64 %n) {{
entry:
  br label %again
again:
  %k = phi i64 [ 0, %entry ], [ %next, %again ]
  %a = mul i64 %k, %from_step
  %b = mul i64 %k, %to_step
  %source = getelementptr i8, ptr %from, i64 %a
  %target = getelementptr i8, ptr %to, i64 %b
  %value = load {T}, ptr %source, align 1
  store {T} %value, ptr %target, align 1
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %again, label %done
done:
  ret void
}}
"""
