"""How fast a processor could run given instructions, if none waited for another.

A core has a few units of each sort, and each begins so many instructions per cycle. A group of states therefore takes

    at least  instructions of a sort / how many of that sort begin per cycle

for every sort, and what takes longest is the bound. On the machine that runs this, the rates are *measured*, by
kernels of nothing but one or two instructions on registers that do not wait for each other. Those of other cores are
taken from LLVM's scheduling models (`X86ScheduleZnver4.td`, `X86SchedSkylakeServer.td`, `X86SchedSapphireRapids.td`),
except that the last one knows one multiplier of 512 bits, where servers have two (measured).

A cycle is the time of one of many additions of which each needs the one before.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.analysis.machine_code import ARITHMETIC, VECTOR, Instruction, MachineCode
from strobe.compiler.runtime.timing import Way, best_times

CHAIN = 200  # instructions in a row, so that the loop around them does not count
TURNS = 1_000  # of that loop in a call: long beside the call itself
SETTLED = 3e-4  # seconds of a round: short, so that some rounds pass undisturbed on a busy machine
SCRATCH = 4096  # bytes of memory that small kernels read and write
FREE = range(2, 16)  # registers written in turn; the first two are only read


@dataclass(frozen=True)
class Rates:
    """How many instructions of a sort a core begins per cycle; of divisions, the cycles from one to the next."""

    multiply: float  # fused ones too
    arithmetic: float  # multiplications and additions, mixed
    shuffle: float
    vector: float  # arithmetic and logic, mixed
    load: float
    store: float
    instruction: float
    division: float


CORES: Mapping[str, Mapping[int, Rates]] = {
    "Golden Cove": {
        256: Rates(2, 3, 2, 3, 3, 2, 6, 8),
        512: Rates(2, 2, 1, 2, 2, 1, 6, 16),
    },
    "Skylake-X": {
        256: Rates(2, 2, 1, 3, 2, 1, 6, 8),
        512: Rates(2, 2, 1, 2, 2, 1, 6, 16),
    },
    "Zen 4": {
        256: Rates(2, 4, 2, 4, 2, 1, 6, 5),
        512: Rates(1, 2, 1, 2, 1, 0.5, 6, 10),
    },
}
"""By core and width of vectors in bits."""


def limits(code: MachineCode, rates: Rates) -> dict[str, float]:
    """The least cycles for a group of states that each sort of unit allows, by name."""
    return {
        "multiplications": code.number(("fma", "mul")) / rates.multiply,
        "arithmetic": code.number(ARITHMETIC) / rates.arithmetic,
        "divisions": code.counts["div"] * rates.division,
        "shuffles": code.counts["shuffle"] / rates.shuffle,
        "vector operations": code.number(VECTOR) / rates.vector,
        "loads": code.loads / rates.load,
        "stores": code.stores / rates.store,
        "front end": len(code.instructions) / rates.instruction,
    }


# -- kernels of stated instructions -------------------------------------------------------------------


def measured_rates(bits: int, seconds: float) -> Rates:
    """The rates of this machine for vectors of so many bits."""
    r = f"%{REGISTER[bits]}"
    fma, both = f"vfmadd231pd {r}0, {r}1, {r}{{0}}", f"{r}0, {r}1, {r}{{0}}"
    kernels = {
        "multiply": [fma],
        "arithmetic": [fma, f"vaddpd {both}"],
        "shuffle": [f"vunpcklpd {both}"],
        "vector": [fma, f"vandpd {both}"],
        "load": [f"vmovupd {{1}}($0), {r}{{0}}"],
        "store": [f"vmovupd {r}{{0}}, {{1}}($0)"],
        "instruction": ["nop"],
        "division": [f"vdivpd {both}"],
    }
    ways = {name: Way(Stream(_in_turn(lines), bits, ones=True)) for name, lines in kernels.items()}
    times = best_times(ways | {"cycle": Way(clock())}, seconds, SETTLED)
    per_cycle = {name: times["cycle"] / times[name] for name in kernels}
    return Rates(**(per_cycle | {"division": 1 / per_cycle["division"]}))


def clock() -> Stream:
    """A stream that takes one cycle per instruction."""
    return Stream(["addq %rcx, %rax"] * CHAIN, 128)


def _in_turn(lines: Sequence[str]) -> list[str]:
    """A row of instructions on registers and places of memory that change."""
    places = range(0, SCRATCH, 64)
    return [
        lines[k % len(lines)].format(FREE[k % len(FREE)], places[k % len(places)]) for k in range(CHAIN)
    ]


REGISTER = {128: "xmm", 256: "ymm", 512: "zmm"}


class Stream:
    """A call runs a row of instructions again and again; ``$0`` is where its memory begins."""

    def __init__(self, lines: Sequence[str], bits: int, ones: bool = False) -> None:
        self.memory = np.zeros(SCRATCH // 8 + 64)
        self.address = -(-self.memory.ctypes.data // 64) * 64
        self.code = _compiled(_text(lines, bits, ones))
        self.call = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(self.code.address)

    def __call__(self) -> None:
        self.call(TURNS, self.address)


def _compiled(text: str) -> Any:
    import llvmlite.binding as llvm

    from strobe.compiler.runtime import jit

    llvm.initialize_native_asmparser()
    return jit.compile_ir(text)


def _text(lines: Sequence[str], bits: int, ones: bool) -> str:
    """A loop around instructions, whose registers all hold 0 at first, or 1 in those that are only read."""
    r, wide = REGISTER[bits], bits == 512
    used = [f"{r}{k}" for k in range(16)] + [f"k{k}" for k in range(1, 8)] * wide
    zero = [f"vxorpd %xmm{k}, %xmm{k}, %xmm{k}" for k in range(16)] + ["kxnorw %k1, %k1, %k1"] * wide
    one = [f"vbroadcastsd %xmm0, %{r}{k}" for k in (1, 0)] * ones
    start = [*zero, *(["movabsq $$0x3ff0000000000000, %rax", "vmovq %rax, %xmm0"] * ones), *one]
    lost = ",".join(f"~{{{name}}}" for name in ("rax", "rcx", "rdx", "memory", *used))
    return f"""\
define void @loop(i64 %n, ptr %p) nounwind {{
entry:
  call void asm sideeffect "{_joined(start)}", "{lost}"()
  br label %again
again:
  %k = phi i64 [ 0, %entry ], [ %next, %again ]
  call void asm sideeffect "{_joined(lines)}", "r,{lost}"(ptr %p)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %again, label %done
done:
  ret void
}}
"""


def _joined(lines: Iterable[str]) -> str:
    return "\\0A".join(lines)


# -- the same instructions, waiting for nothing -------------------------------------------------------


def independent(instructions: Iterable[Instruction]) -> list[str]:
    """The same instructions in the same order, on other registers: none needs what one shortly before it makes.

    Integer ones become additions, and what leaves the function is left out.
    """
    lines: list[str] = []
    for k, instruction in enumerate(instructions):
        if re.match(r"push|pop|call|ret|j[a-z]|vzeroupper", instruction.name):
            continue
        if not instruction.is_vector:
            lines.append(f"addq %rcx, %{('rax', 'rdx')[k % 2]}")
        else:
            lines.append(f"{instruction.name} {', '.join(_renamed(instruction, k))}")
    return lines


def _renamed(instruction: Instruction, k: int) -> list[str]:
    *sources, target = instruction.operands
    read = [_operand(part, str(n % 2), k) for n, part in enumerate(sources)]
    return [*read, _operand(target, str(FREE[k % len(FREE)]), k)]


def _operand(part: str, number: str, k: int) -> str:
    if "(" in part:
        spread = re.search(r"\{1to\d+\}", part)
        masked = re.search(r"\s*\{%k\d\}", part)
        tail = (spread[0] if spread else "") + (" {%k1}" if masked else "")
        return f"{64 * k % SCRATCH}($0){tail}"
    if part.startswith("$"):
        return "$" + part
    renamed = re.sub(r"(%[xyz]mm)\d+", rf"\g<1>{number}", part)
    plain = re.sub(r"^%k\d", f"%k{2 + k % 6}", renamed)
    return re.sub(r"\{%k\d\}", "{%k1}", plain)
