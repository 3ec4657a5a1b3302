"""Object files for other machines: made by the targets of llvmlite's LLVM, and looked into before anyone has them.

A machine is a triple, a processor and its features. What comes out calls nothing: an object file with an undefined
symbol is refused, because the machine would need a library for its arithmetic.

Stack is what LLVM itself writes down for debuggers: at the beginning of each function, how far the stack has grown
(`.cfi_def_cfa_offset`). The sum over the longest chain of calls is the stack that a call takes; the address to return
to is in it where the machine pushes it (x86-64), and what interrupts need is not.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from struct import calcsize, iter_unpack, unpack_from
from typing import Any

import llvmlite.binding as llvm

from strobe.child_processes import python_command, python_environment
from strobe.compiler.codegen.llvm_scalar import module_of
from strobe.compiler.graph.program import Program
from strobe.errors import UnknownNameError, UnsupportedModelError

LARGEST = 30_000  # operations: a hundred kilobytes of code, for which LLVM takes about half a minute
EXECUTABLE, ALLOCATED = 4, 2  # flags of a section
SYMBOLS = 2  # the type of a section


@dataclass(frozen=True)
class Machine:
    """What code is made for."""

    triple: str
    cpu: str
    features: str = ""  # beyond what the processor's name says

    def __str__(self) -> str:
        return f"{self.triple}, {self.cpu}"


MACHINES: Mapping[str, Machine] = {
    "aarch64": Machine("aarch64-none-elf", "generic"),
    "armv7a": Machine("armv7a-none-eabihf", "cortex-a7"),
    "riscv32": Machine("riscv32-none-elf", "generic-rv32", "+m,+a,+f,+d,+c"),
    "riscv64": Machine("riscv64-none-elf", "generic-rv64", "+m,+a,+f,+d,+c"),
    "thumbv6m": Machine("thumbv6m-none-eabi", "cortex-m0plus"),
    "thumbv7em": Machine("thumbv7em-none-eabi", "cortex-m4"),
    "thumbv7em-hf": Machine("thumbv7em-none-eabihf", "cortex-m4"),
    "thumbv8m": Machine("thumbv8m.main-none-eabihf", "cortex-m33"),
    "x86_64": Machine("x86_64-none-elf", "x86-64"),
}
"""By short name; a triple of one of these architectures may also be written in full."""


@dataclass(frozen=True)
class Built:
    """An object file and what it takes, in bytes."""

    code: bytes
    machine: Machine
    fused: bool  # whether it multiplies and adds in one instruction
    text: int  # of instructions, with the constants among them
    constants: int  # of data that is only read
    stack: int  # at most, for a call


@cache
def machine(name: str, cpu: str | None = None) -> Machine:
    """The machine of a short name or of a triple, with its usual processor or another one."""
    found = _named(name)
    if cpu is None or cpu == found.cpu:
        return found
    known = processors(found.triple)
    if cpu not in known:
        raise UnknownNameError("processor", cpu, found.triple, known)
    chosen = replace(found, cpu=cpu, features="")
    _require_code(chosen)
    return chosen


def _named(name: str) -> Machine:
    if name in MACHINES:
        return MACHINES[name]
    usual = {m.triple.partition("-")[0]: m for m in MACHINES.values()}
    architecture, dash, _ = name.partition("-")
    if not dash or architecture not in usual or not re.fullmatch(r"[\w.-]+", name, re.ASCII):
        raise UnknownNameError("machine", name, "strobe", list(MACHINES))
    return replace(usual[architecture], triple=name)


# -- code ---------------------------------------------------------------------------------------------


def build(program: Program, name: str, on: Machine, single: bool) -> Built:
    """The object file of a program as a function of this name."""
    return build_all({name: program}, on, single)


def build_all(programs: Mapping[str, Program], on: Machine, single: bool) -> Built:
    """The object file of programs as functions of their names; stack is that of the one that needs most."""
    size = sum(len(program.nodes) for program in programs.values())
    if size > LARGEST:
        one = len(programs) == 1
        raise UnsupportedModelError(
            f"{' and '.join(programs)} {'takes' if one else 'take'} {size:,} operations; an object file is made of "
            f"at most {LARGEST:,}. {'Choose another formulation' if one else 'Export them one by one'}, or write C."
        )
    fused = _fuses(on, single)
    text = module_of(programs, single, fused)
    code = emit(text, on)
    missing = undefined(code)
    if missing:
        raise UnsupportedModelError(_needs_library(on, single, missing))
    sizes = list(_sections(code))
    instructions = sum(size for flags, size in sizes if flags & EXECUTABLE)
    data = sum(size for flags, size in sizes if flags & ALLOCATED and not flags & EXECUTABLE)
    deepest = max(stack(text, name, on) for name in programs)
    return Built(code, on, fused, instructions, data, deepest)


def emit(text: str, on: Machine) -> bytes:
    """The object file of IR."""
    target = _target(on)
    code = target.emit_object(_parsed(text, on, target))
    if not code.startswith(b"\x7fELF"):
        raise UnsupportedModelError(
            f"object files for {on.triple} are not ELF, and no others are made; try {_plain(on)}."
        )
    return code


def stack(text: str, name: str, on: Machine) -> int:
    """Bytes of stack for a call of a function of IR, with all that it calls."""
    target = _target(on)
    parsed = _parsed(text + FOR_DEBUGGERS, on, target)
    calls, frames = _calls(parsed), _frames(target.emit_assembly(parsed))

    def deepest(function: str) -> int:  # an intrinsic has no frame and calls nothing
        return frames.get(function, 0) + max(map(deepest, calls.get(function, ())), default=0)

    return deepest(name)


def _frames(assembly: str) -> dict[str, int]:
    """How far each function lets the stack grow by itself."""
    frames: dict[str, int] = {}
    function = ""
    for line in assembly.splitlines():
        label = re.match(r'"?([A-Za-z_][\w.]*)"?:', line)
        grown = re.match(r"\s*\.cfi_def_cfa_offset (\d+)", line)
        if label:
            function = label[1]
            frames[function] = 0
        elif grown:
            frames[function] = max(frames[function], int(grown[1]))
    return frames


def _calls(parsed: Any) -> dict[str, list[str]]:
    """The functions that each one calls."""
    return {
        function.name: [
            list(instruction.operands)[-1].name
            for block in function.blocks
            for instruction in block.instructions
            if instruction.opcode == "call"
        ]
        for function in parsed.functions
    }


def _needs_library(on: Machine, single: bool, missing: list[str]) -> str:
    """Why a machine cannot have this code, and what it can have."""
    precision = "single" if single else "double"
    other = not single and not undefined(emit(_product(True), on))
    instead = "take single precision" if other else "write C in fixed point"
    return (
        f"{on} does not compute in {precision} precision by itself: it would call {', '.join(missing[:3])}. "
        f"Name another processor, or {instead}."
    )


@cache
def _fuses(on: Machine, single: bool) -> bool:
    """Whether the machine has an instruction that multiplies and adds."""
    return not undefined(emit(_product(single), on))


def _product(single: bool) -> str:
    real, suffix = ("float", "f32") if single else ("double", "f64")
    three = ", ".join([real] * 3)
    named = ", ".join(f"{real} %{x}" for x in "abc")
    return (
        f"declare {real} @llvm.fma.{suffix}({three})\ndefine {real} @f({named}) nounwind {{\n"
        f"  %d = call {real} @llvm.fma.{suffix}({named})\n  ret {real} %d\n}}\n"
    )


# -- LLVM ---------------------------------------------------------------------------------------------


@cache
def _initialised() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def _target(on: Machine) -> Any:
    _initialised()
    target = llvm.Target.from_triple(on.triple)
    return target.create_target_machine(
        cpu=on.cpu, features=on.features, opt=2, reloc="pic", codemodel="default"
    )


def _parsed(text: str, on: Machine, target: Any) -> Any:
    parsed = llvm.parse_assembly(text)
    parsed.triple = on.triple
    parsed.data_layout = str(target.target_data)
    parsed.verify()
    return parsed


FOR_DEBUGGERS = """
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "strobe", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
"""
"""What makes LLVM say how the stack grows; the instructions are the same with and without."""


@cache
def processors(triple: str) -> tuple[str, ...]:
    """The names of processors that LLVM knows for a triple; it only prints them, and once in a process."""
    told = _in_a_process("help", triple).stderr
    listed = told.partition("Available CPUs")[2].partition("Available features")[0]
    return tuple(re.findall(r"^\s+(\S+)\s+- ", listed, re.M))


def _require_code(on: Machine) -> None:
    """Refuse a processor that LLVM knows and still makes no code for: it would end this process too."""
    done = _in_a_process(on.cpu, on.triple)
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["it gave no reason"])[0].removeprefix("LLVM ERROR: ")
        raise UnsupportedModelError(f"LLVM makes no code for {on.cpu} with the triple {on.triple}: {why}")


def _in_a_process(cpu: str, triple: str) -> subprocess.CompletedProcess[str]:
    command = python_command(ALONE, triple, cpu)
    return subprocess.run(command, capture_output=True, text=True, check=False, env=python_environment())


ALONE = """\
import sys
import llvmlite.binding as llvm
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
machine = llvm.Target.from_triple(sys.argv[1]).create_target_machine(cpu=sys.argv[2])
module = llvm.parse_assembly("define double @f(double %x) { %y = fadd double %x, %x ret double %y }")
module.triple, module.data_layout = sys.argv[1], str(machine.target_data)
machine.emit_object(module)
"""


# -- ELF ----------------------------------------------------------------------------------------------


def undefined(code: bytes) -> list[str]:
    """The symbols of an ELF object file that another one must define."""
    wide, sections = _elf(code)
    form = "<IBBHQQ" if wide else "<IIIBBH"
    found: list[str] = []
    for kind, _, offset, size, link in sections:
        if kind != SYMBOLS:
            continue
        names = sections[link][2]
        for entry in iter_unpack(form, code[offset : offset + size]):
            place = entry[3] if wide else entry[5]
            name = code[names + entry[0] : code.index(b"\0", names + entry[0])].decode()
            if place == 0 and name:
                found.append(name)
    return sorted(found)


def _sections(code: bytes) -> Iterator[tuple[int, int]]:
    """Flags and size of every section."""
    for _, flags, _, size, _ in _elf(code)[1]:
        yield flags, size


def _elf(code: bytes) -> tuple[bool, list[tuple[int, int, int, int, int]]]:
    """Whether it is of 64 bits, and of each section: type, flags, offset, size, link."""
    wide = code[4] == 2
    start, _, _, _, _, step, count, _ = unpack_from(
        "<QIHHHHHH" if wide else "<IIHHHHHH", code, 40 if wide else 32
    )
    form = "<IIQQQQI" if wide else "<IIIIIII"
    assert step >= calcsize(form)
    rows = [unpack_from(form, code, start + k * step) for k in range(count)]
    return wide, [(kind, flags, offset, size, link) for _, kind, flags, _, offset, size, link in rows]


def _plain(on: Machine) -> str:
    """The machine of the same architecture without an operating system."""
    return on.triple.partition("-")[0] + "-none-elf"
