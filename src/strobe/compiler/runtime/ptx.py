"""PTX from IR, through LLVM; and what NVIDIA's assembler, where it is, tells of it.

PTX is text that the driver of a card assembles for that card when it is loaded: one text serves all cards from
`OLDEST` on, and is kept on disk. Nothing here needs a card, and nothing on the machine with the card needs this.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from strobe.compiler.codegen.llvm_cuda import TRIPLE
from strobe.compiler.runtime.jit import parsed_for

OLDEST = "sm_75"  # what PTX is written for; cards made since take it
VERSION = "+ptx63"
ARCHITECTURE = "sm_90"  # that the assembler is asked about where there is no card
PACKAGE = "nvidia"  # whose wheels hold the assembler
SAID = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")


@dataclass(frozen=True)
class Assembled:
    """What a kernel takes of a card: per thread, registers, and bytes of memory that stand in for more of them."""

    architecture: str
    registers: int
    stack: int
    spills: int  # bytes written and read again


@cache
def _machine() -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=OLDEST, features=VERSION, opt=3)


def ptx(text: str) -> str:
    """The PTX of a module of IR."""
    machine = _machine()
    with parsed_for(text, machine, TRIPLE) as parsed:
        return machine.emit_assembly(parsed)


@cache
def assembler() -> str | None:
    """Where NVIDIA's assembler is: on the path, or in a wheel of nvidia-cuda-nvcc; nothing where it is not."""
    found = shutil.which("ptxas")
    if found:
        return found
    spec = importlib.util.find_spec(PACKAGE)
    places = spec.submodule_search_locations if spec else None
    wheels = (path for place in places or () for path in sorted(Path(place).glob("*/bin/ptxas")))
    return next(map(str, wheels), None)


def assembled(text: str, architecture: str = ARCHITECTURE) -> Assembled:
    """What the assembler tells of the PTX of one kernel; a RuntimeError with its words where it refuses it."""
    program = assembler()
    if program is None:
        raise RuntimeError("ptxas is not here: pip install nvidia-cuda-nvcc, or a CUDA toolkit.")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "kernel.ptx")
        file.write_text(text, encoding="utf-8")
        asked = [
            program,
            f"-arch={architecture}",
            "-fmad=false",
            "-v",
            str(file),
            "-o",
            str(file.with_suffix(".cubin")),
        ]
        done = subprocess.run(asked, capture_output=True, text=True, encoding="utf-8", check=False)
    said = done.stdout + done.stderr
    if done.returncode:
        raise RuntimeError(f"ptxas refuses the PTX: {said.strip()[:500]}")
    kernel = said[said.index("Compiling entry function") :]
    frames, registers = SAID.search(kernel), REGISTERS.search(kernel)
    assert frames is not None, said
    assert registers is not None, said
    stack, stores, loads = map(int, frames.groups())
    return Assembled(architecture, int(registers[1]), stack, stores + loads)
