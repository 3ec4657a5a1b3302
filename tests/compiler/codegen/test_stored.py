"""Stored numbers in code: machine code of every width, C and JavaScript read what the interpreter does."""

import ctypes
import json
import shutil
import subprocess

import numpy as np
import pytest

import strobe
from strobe.compiler.codegen import c, js
from strobe.compiler.codegen.llvm import module
from strobe.compiler.runtime import gufunc, jit
from strobe.compiler.runtime.interpret import evaluate
from strobe.scalars import Stored, floor, sin

RNG = np.random.default_rng(7)
FIRST, SECOND = Stored(RNG.normal(size=101), "first"), Stored(RNG.normal(size=7), "second */ table")


def looked_up(x, y):
    return [
        FIRST.at(x[0] * 8.0) + SECOND.at(y[0]),
        floor(x[1]) * 2.0 - y[0],
        SECOND.at(floor(x[1])) * sin(x[0]) + FIRST.at(SECOND.at(y[0])),
        *FIRST.row(x[1] * 9.0, 2),
        *FIRST.row(x[0] * 9.0, 5),
        *SECOND.row(x[1], 7),
    ]


KERNEL = strobe.trace(looked_up, x=2, y=1)


def states(count, dtype=np.float64):
    x, y = RNG.normal(size=(count, 2)) * 5, RNG.normal(size=(count, 1)) * 4
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 12.5, 1e300]
    x[: len(special), 0], y[-len(special) :, 0] = special[:count], special[:count]
    with np.errstate(over="ignore"):
        return x.astype(dtype), y.astype(dtype)


def interpreted(x, y):
    return evaluate(KERNEL.function(), {"x": x, "y": y}, KERNEL.shape)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_compiled_look_ups_are_those_of_the_interpreter(dtype):
    x, y = states(203, dtype)
    one = 1e-6 if dtype == np.float32 else 1e-15  # of sums of numbers near one, which may cancel
    np.testing.assert_allclose(KERNEL(x, y), interpreted(x, y), rtol=one, atol=one)
    assert KERNEL(x, y).dtype == dtype


def test_rows_that_lie_apart_single_states_threads_and_broadcasts_read_the_same():
    x, y = states(203)
    expected = KERNEL(x, y)
    np.testing.assert_array_equal(KERNEL(np.asfortranarray(x), y), expected)
    np.testing.assert_array_equal(KERNEL(x[::3], y[::3]), expected[::3])
    np.testing.assert_array_equal(KERNEL(x, y, threads=4), expected)
    np.testing.assert_array_equal(KERNEL(x[9], y), KERNEL(np.broadcast_to(x[9], x.shape), y))
    for k in (0, 1, 2, 100):
        np.testing.assert_array_equal(KERNEL(x[k], y[k]), expected[k])


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_every_width_reads_the_same_numbers(width, single):
    dtype = np.float32 if single else np.float64
    x, y = states(21, dtype)
    code = jit.compile_ir(module(KERNEL.program, jit.host_target(single, width)))
    sizes = (2, 1, FIRST.size, SECOND.size)
    call = gufunc.Looped(code.address, single, sizes, KERNEL.shape, code)
    found = call(x, y, FIRST.in_precision(dtype), SECOND.in_precision(dtype))
    np.testing.assert_array_equal(found, KERNEL(x, y))


def test_two_programs_that_differ_in_stored_numbers_only_are_not_mistaken():
    kernels = []
    for factor in (1.0, 2.0):
        numbers = Stored(factor * FIRST.values, "first")
        kernels.append(strobe.trace(lambda x, numbers=numbers: [numbers.at(x[0])], x=1))
    one, other = (kernel([[3.0]]) for kernel in kernels)
    np.testing.assert_array_equal(2.0 * one, other)
    assert kernels[0].fingerprint() != kernels[1].fingerprint()


@pytest.mark.slow
def test_a_law_with_look_ups_runs_inside_the_compiled_simulation():
    robot = strobe.load("planar2")
    springs = Stored(-3.0 * np.sin(np.linspace(-4.0, 4.0, 81)), "springs")

    def law(q, qd):
        return [springs.at((a + 4.0) * 10.0) - 0.5 * v for a, v in zip(q, qd, strict=True)]

    def python(t, q, qd):
        return springs.read_all((q + 4.0) * 10.0)[0] - 0.5 * qd

    traced = strobe.trace(law, q=2, qd=2)
    start = ([0.3, 0.2], [0.0, 0.0])
    compiled = strobe.simulate(robot, *start, traced, 0.02, step=1e-4)
    called = strobe.simulate(robot, *start, python, 0.02, step=1e-4)
    np.testing.assert_allclose(compiled.q, called.q, rtol=0, atol=1e-12)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("single", [False, True])
def test_c_has_the_numbers_as_constants(tmp_path, single):
    function = c.Function("looked_up", KERNEL.program, single)
    (tmp_path / "looked_up.h").write_text(c.header(function), "ascii")
    (tmp_path / "looked_up.c").write_text(c.source(function), "ascii")
    assert "static const" in c.source(function)
    library = tmp_path / "looked_up.so"
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-O2"]
    subprocess.run(
        ["gcc", *strict, "-shared", "-fPIC", "-o", library, tmp_path / "looked_up.c", "-lm"], check=True
    )
    call = ctypes.CDLL(str(library)).looked_up
    dtype = np.float32 if single else np.float64
    for x, y in zip(*states(50, dtype), strict=True):
        out = np.empty(KERNEL.shape, dtype)
        call(*(ctypes.c_void_p(array.ctypes.data) for array in (x, y, out)))
        near = 1e-5 if single else 1e-14
        np.testing.assert_allclose(out, KERNEL(x, y), rtol=near, atol=near)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_javascript_has_the_numbers_before_the_function():
    text = js.function(KERNEL.program, "f")
    assert text.startswith("const f_first = [")
    x, y = states(40)
    rows = json.dumps(
        [[repr(float(v)).replace("inf", "Infinity") for v in (*a, *b)] for a, b in zip(x, y, strict=True)]
    )
    script = f"{text}\nconst rows = {rows}.map(r => r.map(v => v === 'nan' ? NaN : Number(v)));\n"
    script += "console.log(JSON.stringify(rows.map(r => f(r.slice(0, 2), r.slice(2)).map(String))));"
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    found = np.array(
        [[float(v.replace("Infinity", "inf")) for v in row] for row in json.loads(done.stdout)]
    )
    np.testing.assert_allclose(found, KERNEL(x, y), rtol=1e-14, atol=1e-14)
