"""How fast the fixed-point code is on this machine, beside the same program in floating point.

All are C sources in a loop over states, built by the C compiler of this machine for its plainest instructions (-O2):
what a processor without a floating-point unit gains is not seen here, what the integers themselves cost is.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from strobe.approximate.fixed_point import INPUTS, FixedPoint
from strobe.compiler.codegen import c
from strobe.compiler.fixed_point import c_source
from strobe.compiler.runtime.timing import BATCH, Way, best_times

Array = np.ndarray
FLAGS = ("-O2", "-std=gnu11", "-shared", "-fPIC")
COMPILERS = ("cc", "gcc", "clang")


@dataclass(frozen=True, slots=True)
class Times:
    """Nanoseconds per state."""

    fixed: float
    double: float
    single: float


def c_times(method: FixedPoint, seconds: float = 0.5, states: int = BATCH) -> Times | None:
    """What one state takes as C, timed in turn; None where there is no C compiler."""
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        return None
    state = method.random_states(states)
    words = method.words(*state)
    fixed = method.c_function()
    integer = np.dtype(f"int{method.bits}")
    ways: dict[str, Way] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # Windows keeps what is loaded
        texts = (c_source.header(fixed), c_source.source(fixed))
        arrays = [words[name].astype(integer) for name in INPUTS]
        ways["fixed"] = _loop(compiler, Path(folder), fixed.name, texts, arrays)
        for single in (False, True):
            name = "single" if single else "double"
            function = c.Function(f"{fixed.name}_{name}", method.program, single)
            real = np.dtype(np.float32 if single else np.float64)
            arrays = [x.astype(real) for x in state]
            ways[name] = _loop(
                compiler, Path(folder), function.name, (c.header(function), c.source(function)), arrays
            )
        best = best_times(ways, seconds)
    return Times(**{name: 1e9 * time / states for name, time in best.items()})


def _loop(compiler: str, folder: Path, name: str, texts: Sequence[str], arrays: Sequence[Array]) -> Way:
    """A generated function over all rows of its arguments, as a way to time."""
    kind = {"i": "int{}_t", "f": "float" if arrays[0].itemsize == 4 else "double"}[arrays[0].dtype.kind]
    kind = kind.format(8 * arrays[0].itemsize)
    out = np.empty_like(arrays[1])
    columns = [*(f"const {kind} *a{k}" for k in range(len(arrays))), f"{kind} *out"]
    rows = [
        *(f"a{k} + {array.shape[1]} * i" for k, array in enumerate(arrays)),
        f"out + {out.shape[1]} * i",
    ]
    loop = f"""#include "{name}.c"
void loop(long n, {", ".join(columns)})
{{
    for (long i = 0; i < n; ++i) {name}({", ".join(rows)});
}}
"""
    for file, text in ((f"{name}.h", texts[0]), (f"{name}.c", texts[1]), (f"loop_{name}.c", loop)):
        (folder / file).write_text(text, "ascii")
    library = folder / f"{name}.so"
    subprocess.run([compiler, *FLAGS, "-o", library, folder / f"loop_{name}.c", "-lm"], check=True)
    run = ctypes.CDLL(str(library)).loop
    run.argtypes, run.restype = [ctypes.c_long, *[ctypes.c_void_p] * len(columns)], None
    kept = [np.ascontiguousarray(array) for array in (*arrays, out)]
    return Way(lambda: run(len(out), *(array.ctypes.data for array in kept)))
