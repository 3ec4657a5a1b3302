"""Generated C under the sanitizers of gcc: addresses, undefined behaviour, numbers that do not fit an integer.

    python -m reliability.sanitized --programs 300 --processes 2 --seed 0

Random functions and robots are written as C (plain, fused, in single precision, in fixed point), and so are
controllers and equations of motion; every warning is an error. Each program reads states into memory that is just
large enough, ordinary ones and extreme ones (NaN, infinities, the largest and the smallest numbers, any words of
fixed point), and ends at the first fault. Fused functions have the bits of compiled code, the others differ by no
more than the bounds of `comparison`, and words of fixed point are those of the same steps on integers of NumPy.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import strobe
from reliability.comparison import Arrays, Mismatch, Subject, Tally, check_values
from reliability.graphs import random_recipe, states
from reliability.random_trees import Shape, asked_of, random_request, random_states, random_tree
from reliability.record import record
from strobe.compiler.codegen import c
from strobe.compiler.codegen.c import Function
from strobe.compiler.fixed_point import c_source
from strobe.compiler.fixed_point.c_source import FixedFunction
from strobe.compiler.fixed_point.execution import carried_out
from strobe.compiler.fixed_point.plan import planned
from strobe.compiler.runtime import width
from strobe.compiler.runtime.kernels import Kernel
from strobe.errors import ControlWarning, StrobeError
from strobe.quantities import Request
from strobe.robot import Robot

FLAGS = (
    "-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-ffp-contract=off",
    "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all",
)  # fmt: skip
KINDS = ("function", "function", "function", "fixed", "controller", "equations")
STATES, EXTREME = 2000, 500
EQUATIONS = 1e-9  # of the largest torque: closed forms have another order of operations
LONGEST = 1_500  # operations of a function: gcc with sanitizers takes about a second for each thousand
SPECIAL = (
    np.nan, np.inf, -np.inf, 0.0, -0.0, 1e308, -1e308, 5e-324, -2e-310, 1e22, 2.0**20, 2.0**31, -(2.0**63), 1e-30,
)  # fmt: skip


@dataclass
class Count:
    """What was built and run."""

    programs: int = 0
    evaluations: int = 0
    refused: int = 0  # what Strobe says cannot be written for such a robot
    failures: list[str] = field(default_factory=list)

    def add(self, other: Count) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


# -- building and running -----------------------------------------------------------------------------------


def built(folder: Path, texts: Mapping[str, str], *sources: str) -> Path:
    """The program made of some of the files; a warning is a failure."""
    for name, text in texts.items():
        (folder / name).write_text(text, "ascii")
    program = folder / "program"
    command = ["gcc", *FLAGS, "-o", program, *(folder / name for name in sources), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Mismatch("gcc", done.stderr[:2000])
    return program


def answered(program: Path, given: bytes = b"") -> bytes:
    """What it writes for what it is given; whatever a sanitizer says is a failure."""
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1"}
    done = subprocess.run([program], input=given, capture_output=True, check=False, env=environment)
    if done.returncode or done.stderr:
        raise Mismatch(
            "sanitizer", done.stderr.decode(errors="replace")[:2000] or done.stdout.decode()[:500]
        )
    return done.stdout


def driver(
    header: str, call: str, vectors: Mapping[str, int], size: int, real: str, code: bool = False
) -> str:
    """A program that reads vectors of its states one after another and writes their results."""
    reads = [f"fread({name}, sizeof(*{name}), {n}, stdin) == {n}" for name, n in vectors.items()]
    makes = [
        f"    {real} *{name} = malloc({n} * sizeof(*{name}));"
        for name, n in [*vectors.items(), ("out", size)]
    ]
    frees = [f"    free({name});" for name in (*vectors, "out")]
    return DRIVER.format(
        header=header, makes="\n".join(makes), reads="\n           && ".join(reads), frees="\n".join(frees),
        call=f"{'told = ' if code else ''}{call}({', '.join([*vectors, 'out'])});", size=size,
        told="        fwrite(&told, sizeof(told), 1, stdout);" if code else "",
        kept="    int told;\n" if code else "",
    )  # fmt: skip


DRIVER = """\
#include "{header}"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{{
{kept}{makes}
    while ({reads}) {{
        {call}
        fwrite(out, sizeof(*out), {size}, stdout);
{told}
    }}
{frees}
    return 0;
}}
"""


def extreme(rng: np.random.Generator, array: np.ndarray) -> np.ndarray:
    """States in which a third of the numbers are at the ends of what a number can be."""
    return np.where(rng.random(array.shape) < 0.3, rng.choice(SPECIAL, array.shape), array)


# -- functions ----------------------------------------------------------------------------------------------


def _function(rng: np.random.Generator, folder: Path, count: Count) -> None:
    kernel, draw = _subject(rng)
    form = str(rng.choice(["plain", "fused", "single"]))
    if form == "single" and kernel.request and kernel.request.record.eliminates:
        form = "plain"
    check_function(kernel, draw, form, rng, folder, count)


def check_function(
    kernel: Kernel,
    draw: Callable[[int], Arrays],
    form: str,
    rng: np.random.Generator,
    folder: Path,
    count: Count,
) -> None:
    """A kernel's program as C of one form, on ordinary and on extreme states."""
    written = Function("function", kernel.program, single=form == "single", fused=form == "fused")
    vectors = {p.name: p.size for p in written.parameters}
    texts = {
        "function.h": c.header(written), "function.c": c.source(written),
        "main.c": driver("function.h", "function", vectors, written.size, written.real),
    }  # fmt: skip
    program, dtype = (
        built(folder, texts, "function.c", "main.c"),
        np.dtype(np.float32 if written.single else np.float64),
    )

    def run(arrays: Arrays) -> np.ndarray:
        rows = np.concatenate([x.astype(dtype) for x in arrays.values()], axis=1)
        return np.frombuffer(answered(program, rows.tobytes()), dtype).reshape(len(rows), written.size)

    with np.errstate(over="ignore", invalid="ignore"):
        ordinary = {name: x.astype(dtype) for name, x in draw(STATES).items()}
        ends = {name: extreme(rng, x).astype(dtype) for name, x in draw(EXTREME).items()}
    found, beyond = run(ordinary), run(ends)
    subject, tally = Subject(kernel, lambda arrays: kernel_on(kernel, arrays)), Tally()
    check_values(subject, ordinary, found, tally, form, dtype)
    if form == "fused" and width.target().fused and not {"tanh"} & set(kernel.program.counts):
        _require_bits(subject, ordinary, found, ends, beyond)
    count.programs += 1
    count.evaluations += STATES + EXTREME


def kernel_on(kernel: Kernel, arrays: Arrays) -> np.ndarray:
    """Compiled code on states that are checked by nobody."""
    return Kernel.__call__(kernel, arrays)


def _require_bits(
    subject: Subject, ordinary: Arrays, found: np.ndarray, ends: Arrays, beyond: np.ndarray
) -> None:
    """The same bits as compiled code on ordinary states, numbers where it has numbers on the others."""
    near = np.all([np.all(np.abs(x) < 2.0**20, axis=-1) for x in ordinary.values()], axis=0)
    own = subject.call(ordinary).reshape(found.shape)
    if "sin" not in subject.kernel.program.counts and "cos" not in subject.kernel.program.counts:
        near[...] = True
    if not np.array_equal(own[near], found[near], equal_nan=True) and subject.kernel.request:
        # a function of random steps may turn large angles
        raise Mismatch("fused", "other bits than compiled code")
    if not subject.kernel.request:
        return
    differ = np.isnan(subject.call(ends).reshape(beyond.shape)) != np.isnan(beyond)
    if differ.any():
        row, entry = (int(k) for k in np.argwhere(differ)[0])
        raise Mismatch(
            "fused",
            f"NaN on one side in entry {entry} at { {n: x[row].tolist() for n, x in ends.items()} }",
        )


def _subject(rng: np.random.Generator) -> tuple[Kernel, Callable[[int], Arrays]]:
    """A random function or a quantity of a random robot, and what draws its states."""
    while rng.random() < 0.6:
        model = random_tree(rng, Shape(int(rng.integers(1, 8))))
        kernel = asked_of(Robot(model), random_request(rng, model)) if model.nv else None
        if kernel is not None and all(kernel.shape) and len(kernel.program.nodes) <= LONGEST:
            return kernel, partial(random_states, rng, kernel)
    recipe = random_recipe(rng, int(10 ** rng.uniform(0.5, 2.7)))
    sizes = dict(recipe.inputs)
    traced = strobe.trace(recipe.function, **sizes)
    return traced, lambda n: {name: states(rng, n, size) for name, size in sizes.items()}


# -- fixed point --------------------------------------------------------------------------------------------


def _fixed(rng: np.random.Generator, folder: Path, count: Count) -> None:
    """Inverse dynamics of a robot in words, over all words, the ends of what an integer can be among them."""
    robot = strobe.random(int(rng.integers(1, 5)), int(rng.integers(1000)), kinds="RP")
    bits = int(rng.choice([16, 32]))
    kernel = robot.kernel(Request("inverse_dynamics"))
    ranges = {name: [(-x, x) for x in rng.uniform(0.5, 4.0, n)] for name, n in kernel.inputs.items()}
    plan = planned(kernel.program, ranges, bits)
    written = FixedFunction("function", plan)
    vectors = {p.name: p.size for p in written.parameters}
    texts = {
        "function.h": c_source.header(written), "function.c": c_source.source(written),
        "main.c": driver("function.h", "function", vectors, written.size, written.word, code=True),
    }  # fmt: skip
    program = built(folder, texts, "function.c", "main.c")
    word = np.dtype(f"int{bits}")
    most = 2 ** (bits - 1) - 1
    words = {
        name: rng.integers(-most, most, (STATES, n), endpoint=True) for name, n in kernel.inputs.items()
    }
    ends = np.array([-most - 1, most, 0, 1, -1])
    words = {
        name: np.where(rng.random(x.shape) < 0.1, rng.choice(ends, x.shape), x) for name, x in words.items()
    }
    rows = np.concatenate([x.astype(word) for x in words.values()], axis=1)
    kind = np.dtype([("out", word, (written.size,)), ("told", np.int32)])
    found = np.frombuffer(answered(program, rows.tobytes()), kind)
    expected, codes = carried_out(plan, words)
    if not (np.array_equal(found["out"], expected) and np.array_equal(found["told"], codes)):
        raise Mismatch("fixed", "other words than the same steps on integers of Python")
    count.programs += 1
    count.evaluations += STATES


# -- controllers and equations ------------------------------------------------------------------------------


def _controller(rng: np.random.Generator, folder: Path, count: Count) -> None:
    """A controller's own test, a recorded run bit by bit; then readings and wishes at the ends."""
    from strobe.control import CONTROLLERS, make
    from strobe.control.export import export

    robot = strobe.random(int(rng.integers(1, 4)), int(rng.integers(1000)), kinds="R")
    name = str(rng.choice([name for name in CONTROLLERS if name != "acceleration-servo"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ControlWarning)
        texts = export(make(name, robot, 2e-3))
    answered(built(folder, texts, "controller.c", "test_controller.c"))
    n = robot.nv
    members = re.findall(
        r"double (\w+)\[(\d+)\];", texts["controller.h"].partition("} controller_state")[0]
    )
    read = [
        f"fread(state.{m}, sizeof(double), {size}, stdin) == {size}"
        for m, size in members
        if m in ("q", "qd")
    ]
    main = CONTROL.format(n=n, read="\n           && ".join(read))
    program = built(folder, {"main.c": main}, "controller.c", "main.c")
    rows = extreme(rng, rng.normal(0.0, 2.0, (EXTREME, n * (3 + len(read)))))
    start = rng.normal(0.0, 1.0, 2 * n)
    told = np.frombuffer(answered(program, start.tobytes() + rows.tobytes()), float)
    if told.size != EXTREME * n:
        raise Mismatch("controller", f"{told.size} torques of {EXTREME * n}")
    count.programs += 2
    count.evaluations += EXTREME


CONTROL = """\
#include "controller.h"

#include <stdio.h>

int main(void)
{{
    controller_state state;
    controller_reference reference;
    double q[{n}], qd[{n}], tau[{n}];
    if (fread(q, sizeof(double), {n}, stdin) != {n} || fread(qd, sizeof(double), {n}, stdin) != {n})
        return 2;
    controller_start(&state, q, qd);
    while ({read}
           && fread(&reference, sizeof(reference), 1, stdin) == 1) {{
        controller_step(&state, &reference, tau);
        fwrite(tau, sizeof(double), {n}, stdout);
    }}
    return 0;
}}
"""


def _equations(rng: np.random.Generator, folder: Path, count: Count) -> None:
    """The equations of motion as people read them: their own test, then many states, and some at the ends."""
    from strobe.equations.code import c_sources

    robot = strobe.random(int(rng.integers(1, 4)), int(rng.integers(1000)), kinds="RP")
    texts = c_sources(robot.model, numbers=bool(rng.random() < 0.5), stem="equations")
    answered(built(folder, texts, "equations.c", "test_equations.c"))
    count.programs += 1
    plain = re.search(r"void (\w+_inverse_dynamics)\(const double q", texts["equations.h"])
    if plain is None:  # it takes parameters, which its test gives
        return
    vectors: dict[str, int] = dict.fromkeys(("q", "qd", "qdd"), robot.nv)
    main = driver("equations.h", plain[1], vectors, robot.nv, "double")
    program = built(folder, {"main.c": main}, "equations.c", "main.c")
    motion = robot.random_state(seed=0, batch=STATES)
    rows = np.concatenate(motion, axis=1)
    tau = np.frombuffer(answered(program, rows.tobytes())).reshape(STATES, robot.nv)
    expected = robot.inverse_dynamics(*motion, friction=False)
    if np.abs(tau - expected).max() > EQUATIONS * np.abs(expected).max():
        raise Mismatch("equations", f"torques differ by {np.abs(tau - expected).max():.3g}")
    answered(program, extreme(rng, rows[:EXTREME]).tobytes())
    count.evaluations += STATES + EXTREME


# -- many ---------------------------------------------------------------------------------------------------

TRIALS: Mapping[str, Callable[[np.random.Generator, Path, Count], None]] = {
    "function": _function, "fixed": _fixed, "controller": _controller, "equations": _equations,
}  # fmt: skip


def attempt(seed: int) -> Count:
    """One random program of the kind whose turn it is."""
    count, kind = Count(), KINDS[seed % len(KINDS)]
    os.environ["STROBE_CACHE"] = "off"
    with tempfile.TemporaryDirectory() as folder:
        try:
            TRIALS[kind](np.random.default_rng(seed), Path(folder), count)
        except StrobeError:
            count.refused += 1
        except Exception as error:
            count.failures.append(f"program {seed} ({kind}): {type(error).__name__}: {error}")
    return count


def tried(seeds: range, processes: int) -> tuple[Count, float]:
    """Many programs: what was found, and how long it took."""
    total, start, said = Count(), time.monotonic(), 0.0
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        for done, count in enumerate(pool.map(attempt, seeds), 1):
            total.add(count)
            for failure in count.failures:
                print(failure, flush=True)
            if time.monotonic() - said > 20.0:
                said = time.monotonic()
                print(
                    f"{said - start:6.0f} s  {done} of {len(seeds)}, {total.evaluations:,} evaluations",
                    flush=True,
                )
    return total, time.monotonic() - start


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m reliability.sanitized", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0, help="the first program")
    parser.add_argument("--record", action="store_true", help="append a row to the results")
    asked = parser.parse_args(arguments)
    if shutil.which("gcc") is None:
        print("gcc is not installed; nothing was tried.")
        return 1
    total, seconds = tried(range(asked.seed, asked.seed + asked.programs), asked.processes)
    row = {**vars(total), "failures": len(total.failures), "seed": asked.seed, "seconds": round(seconds)}
    record("sanitized", row, kept=asked.record)
    return 1 if total.failures else 0


if __name__ == "__main__":
    sys.exit(main())
