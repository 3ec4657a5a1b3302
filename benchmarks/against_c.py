"""What do explicit vectors bring, beside the same graph as C in a scalar loop?

The C source that Strobe writes, included into a loop over states so that gcc may inline and vectorise what it
can, compiled with -O3 -march=native. Skipped where there is no gcc.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import strobe
from benchmarks.timer import Row, answer
from strobe.analysis.peers import AGREEMENT
from strobe.analysis.speed import batch_way
from strobe.compiler.codegen.c import Function, header, source
from strobe.compiler.graph.program import Program
from strobe.compiler.runtime.timing import BATCH, Way, best_times
from strobe.quantities import Request

SECONDS = 0.5
FLAGS = ("-O3", "-march=native", "-std=gnu11", "-shared", "-fPIC")
NAME = "torques"


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    return (
        [against(name, seconds) for name in (("planar2",) if small else ("panda",))]
        if shutil.which("gcc")
        else []
    )


def against(name: str, seconds: float) -> Row:
    """Batch beside loop, on one thread."""
    robot = strobe.load(name)
    request = Request("inverse_dynamics", friction=False)
    ours = batch_way(robot, request, 1)
    with tempfile.TemporaryDirectory() as folder:
        loop = compiled(robot.kernel(request).program, Path(folder))
    out = np.empty((BATCH, robot.nv))
    pointers = [tuple(x.ctypes.data for x in values) for values in ours.arguments]
    theirs = Way(lambda *values: loop(BATCH, *values, out.ctypes.data), pointers)
    theirs.function(*pointers[0])
    expected = ours.function(*ours.arguments[0])
    if not np.abs(out - expected).max() <= AGREEMENT * np.abs(expected).max():
        raise SystemExit(f"the C code finds other torques for {name}.")
    best = best_times({"ours": ours, "c": theirs}, seconds)
    return {
        "robot": name, "quantity": "inverse_dynamics", "N": BATCH, "flags": " ".join(FLAGS[:2]),
        "ours_ns": 1e9 * best["ours"] / BATCH, "c_ns": 1e9 * best["c"] / BATCH, "ratio": best["c"] / best["ours"],
    }  # fmt: skip


def compiled(program: Program, folder: Path):
    """The loop over states, as a function of their number and addresses."""
    function = Function(NAME, program)
    (folder / f"{NAME}.h").write_text(header(function))
    (folder / f"{NAME}.c").write_text(source(function))
    names = [p.name for p in function.parameters]
    arguments = ", ".join(f"const double *{name}" for name in names)
    steps = ", ".join(f"{p.name} + {p.size} * i" for p in function.parameters)
    loop = f"""#include "{NAME}.c"
void loop(long n, {arguments}, double *out)
{{
    for (long i = 0; i < n; ++i) {NAME}({steps}, out + {function.size} * i);
}}
"""
    (folder / "loop.c").write_text(loop)
    library = folder / "loop.so"
    subprocess.run(["gcc", *FLAGS, "-o", library, folder / "loop.c", "-lm"], check=True)
    made = ctypes.CDLL(str(library)).loop
    made.argtypes = [ctypes.c_long, *[ctypes.c_void_p] * (len(names) + 1)]
    made.restype = None
    return made


if __name__ == "__main__":
    answer("against_c", once, SECONDS)
