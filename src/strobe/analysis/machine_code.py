"""Machine code read as text: how many instructions of which kind one group of states takes.

LLVM writes the assembly of a kernel; here its lines become instructions with a kind and their accesses to memory.
What a group of states runs through are the pieces of the body and the loop that calls them. The part that only
angles beyond the fast sine reach is left out: it calls `strobe_sincos…`, and no other part does.

    fma, mul, add    arithmetic of vectors; also where one operand comes from memory
    div              divisions and square roots
    shuffle          numbers moved between lanes, within or between registers
    logic            comparisons, blends, bits and integers of vectors; an insertion from memory is a blend
    move             from register to register: the processor renames it away, it only takes a place in the queue
    load, store      nothing but that; *all* accesses of vectors to memory are counted besides
    integer          addresses, loops and calls
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

ARITHMETIC = ("fma", "mul", "add")
VECTOR = (*ARITHMETIC, "div", "shuffle", "logic")  # what takes a unit for vectors

_TABLE = (  # the first row that fits decides; what comes from memory was looked at before
    ("fma", r"vfn?m(add|sub)(add|sub)?\d{3}[ps][ds]"),
    ("mul", r"vmul[ps][ds]"),
    ("add", r"v(add|sub)[ps][ds]"),
    ("div", r"v(div|sqrt)[ps][ds]"),
    ("move", r"vmov[au]p[ds]|vmovdq[au](32|64)?"),
    ("shuffle", r"vp?(perm|unpck|shuf|insert|extract|broadcast|align)|vmov(d|sl|sh)dup|vmov(hl|lh)"),
)
_VECTOR_REGISTER = re.compile(r"%([xyz]mm\d+|k[0-7])")
_MASKED = re.compile(r"\{%k\d\}")
_STACK = re.compile(r"\(%r[sb]p[,)]")
_OPERANDS = re.compile(r",\s*(?![^()]*\))")
_SLOW = r"strobe_sincos\d+"


@dataclass(frozen=True)
class Instruction:
    """One line of assembly: the mnemonic and its operands, the destination last."""

    name: str
    operands: tuple[str, ...]

    @staticmethod
    def read(line: str) -> Instruction:
        name, _, rest = line.strip().partition("\t")
        return Instruction(name, tuple(part for part in _OPERANDS.split(rest.strip()) if part))

    @property
    def is_vector(self) -> bool:
        return any(_VECTOR_REGISTER.search(part) for part in self.operands)

    @property
    def loads(self) -> bool:
        """Whether a vector, or a part of one, comes from memory."""
        return self.is_vector and any("(" in part for part in self.operands[:-1])

    @property
    def stores(self) -> bool:
        return self.is_vector and "(" in self.operands[-1]

    @property
    def on_stack(self) -> bool:
        """Whether it moves a vector out of the registers or back, for want of room."""
        return self.is_vector and any(_STACK.search(part) for part in self.operands)

    @cached_property
    def kind(self) -> str:
        if not self.is_vector:
            return "integer"
        if self.stores:
            return "store"
        if self.loads and self._only_loads:
            return "load"
        kind = next((kind for kind, pattern in _TABLE if re.match(pattern, self.name)), "logic")
        blends = kind == "move" and _MASKED.search(self.operands[-1])
        inserts = kind == "shuffle" and self.loads and "insert" in self.name
        return "logic" if blends or inserts else kind

    @property
    def _only_loads(self) -> bool:
        masked = _MASKED.search(self.operands[-1])
        return (
            not masked
            and re.match(r"v(mov|p?broadcast)", self.name) is not None
            and len(self.operands) == 2
        )


@dataclass(frozen=True)
class MachineCode:
    """What one group of states runs through, and the room it takes."""

    instructions: tuple[Instruction, ...]
    bytes: int  # of the whole kernel's instructions
    stack: int  # bytes of the largest frame of a piece

    @cached_property
    def counts(self) -> Counter[str]:
        """How many instructions there are of each kind."""
        return Counter(i.kind for i in self.instructions)

    def number(self, kinds: Iterable[str]) -> int:
        return sum(self.counts[kind] for kind in kinds)

    @property
    def loads(self) -> int:
        """Accesses of vectors that read, those of arithmetic among them."""
        return sum(i.loads for i in self.instructions)

    @property
    def stores(self) -> int:
        return sum(i.stores for i in self.instructions)

    @property
    def spills(self) -> int:
        """Stores of vectors that found no register."""
        return sum(i.on_stack and i.stores for i in self.instructions)

    @property
    def reloads(self) -> int:
        return sum(i.on_stack and i.loads for i in self.instructions)


def read(assembly: str, bytes_: int = 0) -> MachineCode:
    """The part of a kernel's assembly that every group of states runs through."""
    functions = dict(_functions(assembly))
    pieces = {name: blocks for name, blocks in functions.items() if re.fullmatch(r"piece\d+", name)}
    lines = [
        line
        for blocks in pieces.values()
        for block in blocks
        if not _calls(block, [_SLOW])
        for line in block
    ]
    lines += [line for block in functions.get("loop", []) if _calls(block, pieces) for line in block]
    stack = max((_frame(blocks) for blocks in pieces.values()), default=0)
    return MachineCode(tuple(map(Instruction.read, lines)), bytes_, stack)


def _functions(assembly: str) -> Iterator[tuple[str, list[list[str]]]]:
    """The name of every function and its blocks, each a list of lines.

    Assembly of our own finds the values that it puts away at %rsi, on the stack.
    """
    name, blocks, own = "", list[list[str]](), False
    for line in assembly.splitlines():
        own = (own or "#APP" in line) and "#NO_APP" not in line
        label = re.match(r"([A-Za-z_.][\w.]*):", line)
        if label and not label[1].startswith(".L"):
            yield name, blocks
            name, blocks = label[1], [[]]
        elif label:
            blocks.append([])
        elif blocks and re.match(r"\t[a-z]", line):
            blocks[-1].append(line.replace("(%rsi)", "(%rsp)") if own else line)
    yield name, blocks


def _calls(block: Sequence[str], names: Iterable[str]) -> bool:
    return any(re.search(rf"\b{name}\b", line) for name in names for line in block)


def _frame(blocks: Sequence[Sequence[str]]) -> int:
    """Bytes by which a function lets the stack grow: what it pushes, and its frame."""
    first = blocks[0]
    pushed = 8 * sum(line.startswith("\tpush") for line in first)
    grown = (re.match(r"\tsubq\t\$(\d+), %rsp", line) for line in first)
    return pushed + sum(int(found[1]) for found in grown if found)
