"""Fixed point in C: the words of the NumPy steps, bit for bit, without a floating-point number or a warning."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import strobe
from strobe.approximate import FixedPoint
from strobe.compiler.fixed_point import c_source, c_test
from strobe.compiler.fixed_point.execution import carried_out
from strobe.compiler.fixed_point.plan import planned
from strobe.compiler.graph.program import trace
from strobe.scalars import Graph, cos, sin
from strobe.scalars.functions import absolute, less, maximum, minimum, sqrt, where

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
SANITISED = ["-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"]
STATES = 100_000
RANGES = {"qd": 3.0, "qdd": 10.0}

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

DRIVER = """\
#include "{name}.h"
#include <stdio.h>

int main(void)
{{
    {word} x[{size}], out[{results}];
    int code;
    while (fread(x, sizeof x, 1, stdin) == 1) {{
        code = {name}({arguments}, out);
        fwrite(out, sizeof out, 1, stdout);
        fwrite(&code, sizeof code, 1, stdout);
    }}
    return 0;
}}
"""


CONVERTED = """\
#include "{name}_convert.h"
#include <stdio.h>

int main(void)
{{
    const double numbers[] = {{{numbers}}};
    int i;
    for (i = 0; i < {count}; i++) {{
        const double x[2] = {{numbers[i], 0.0}};
        int32_t words[2];
        const int bad = {name}_q_to_words(x, words);
        printf("%ld %d\\n", (long)words[0], bad);
    }}
    return 0;
}}
"""


def gcc(*arguments):
    done = subprocess.run(["gcc", *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def run_c(folder, function, words, *flags):
    """The words and the return codes that the compiled function gives for rows of words."""
    name, results = function.name, function.size
    starts = np.cumsum([0, *(p.size for p in function.parameters)])
    driver = DRIVER.format(
        name=name,
        word=function.word,
        size=starts[-1],
        results=results,
        arguments=", ".join(f"x + {start}" for start in starts[:-1]),
    )
    files = {
        f"{name}.h": c_source.header(function),
        f"{name}.c": c_source.source(function),
        "driver.c": driver,
    }
    for file, text in files.items():
        (folder / file).write_text(text, "ascii")
    gcc(*STRICT, *flags, "-o", folder / "driver", folder / f"{name}.c", folder / "driver.c")
    word = np.dtype(f"int{function.plan.bits}")
    table = np.concatenate(list(words.values()), axis=1).astype(word)
    done = subprocess.run([folder / "driver"], input=table.tobytes(), capture_output=True, check=True)
    rows = np.frombuffer(done.stdout, np.dtype([("out", word, results), ("code", np.intc)]))
    assert len(rows) == len(table)
    return rows["out"], rows["code"]


def agrees(folder, function, words, *ways):
    """Compiled in each of some ways, the function gives the words and codes of the steps; the codes."""
    expected, clamped = carried_out(function.plan, words)
    for flags in ways:
        out, codes = run_c(folder, function, words, *flags)
        assert np.array_equal(out, expected)
        assert np.array_equal(codes, clamped)
    return clamped


def any_words(plan, count, outside=0.05):
    """Words within the ranges, at their ends, and some anywhere."""
    rng = np.random.default_rng(5)
    most = 2 ** (plan.bits - 1) - 1
    words = {}
    for name, given in plan.given.items():
        low, high = np.array([(g.low, g.high) for g in given]).T
        inside = rng.integers(low, high + 1, (count, len(given)))
        inside[: count // 10] = np.where(rng.random((count // 10, len(given))) < 0.5, low, high)
        far = rng.integers(-most - 1, most + 1, inside.shape)
        words[name] = np.where(rng.random(inside.shape) < outside / inside.shape[1], far, inside)
    return words


@pytest.mark.slow
@needs_gcc
@pytest.mark.parametrize(
    ("name", "bits"), [("planar2", 32), ("stanford", 32), ("panda", 32), ("puma560", 32), ("puma560", 16)]
)
def test_compiled_code_gives_the_words_of_the_steps_bit_for_bit(tmp_path, name, bits):
    method = FixedPoint(strobe.load(name), RANGES, bits)
    words = any_words(method.plan, STATES)
    codes = agrees(tmp_path, method.c_function(), words, ["-O2"], SANITISED)
    assert 0.02 < (codes != 0).mean() < 0.5


def everything(x, q):
    c, s = cos(q[0]), sin(q[0])
    return [
        c * x[0] - s * x[1],
        x[0] / x[2] + 1e-14 * x[1],
        sqrt(x[2]),
        absolute(x[0]) + minimum(x[1], x[0]),
        where(less(x[0], x[1]), x[0] * x[1] * 1e-9, 0.25),
        maximum(minimum(1000.0 * x[0], 1.0), -1.0),
        -x[0],
        x[0] * x[1] + x[2] * 1e-13,
        4.0 * x[0] - x[1],
        1e-12 * x[0] + x[1],
        2.5,
    ]


@pytest.mark.slow
@needs_gcc
@pytest.mark.parametrize(("bits", "fraction"), [(32, None), (16, None), (32, 14), (16, 5)])
def test_every_operation_gives_the_same_words_in_c(tmp_path, bits, fraction):
    small = (lambda x, q: everything(x, q)[:4]) if fraction else everything
    count = 4 if fraction else 11
    program = trace(small, {"x": 3, "q": 2}, (count,), Graph())
    plan = planned(program, {"x": [(-3, 5), (-10, 2), (0.5, 9)], "q": [(-9, 9)] * 2}, bits, fraction)
    function = c_source.FixedFunction("everything", plan)
    codes = agrees(tmp_path, function, any_words(plan, 20_000), ["-O2"], SANITISED)
    assert 0.02 < (codes != 0).mean() < 0.5  # some words are outside, and told


def test_the_step_has_no_floating_point_in_it():
    function = FixedPoint(strobe.load("puma560"), RANGES).c_function()
    for text in (c_source.header(function), c_source.source(function)):
        code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        assert not re.search(r"\b(float|double|math\.h|[0-9]+\.[0-9]*|[0-9]+e[0-9])", code)
    assert "double" in c_source.conversions(function)


def test_the_header_tells_formats_ranges_and_errors():
    method = FixedPoint(strobe.load("planar2"), RANGES)
    text = c_source.header(method.c_function())
    assert "[1]    Q2.29  from -2.6 to 2.6  rad  joint2" in text
    bounds = f"{method.bound[0]:.2g}, {method.arithmetic_bound[0]:.2g}"
    assert f"[0] {method.formats['tau'][0]!s:>8}  {bounds}  N m  joint1" in text
    assert "extern const short strobe_planar2_inverse_dynamics_out_fraction[2];" in text
    fractions = ", ".join(str(format.fraction) for format in method.formats["tau"])
    assert f"strobe_planar2_inverse_dynamics_out_fraction[2] = {{{fractions}}};" in c_source.source(
        method.c_function()
    )


def test_names_from_outside_do_not_clash_with_ours():
    names = ("sine", "rounded", "out", "int", "clamped", 't0 */ "')
    program = trace(
        lambda **x: [sin(v[0]) for v in x.values()], dict.fromkeys(names, 1), (len(names),), Graph()
    )
    function = c_source.FixedFunction("hostile", planned(program, {key: [(-1, 1)] for key in names}))
    found = [p.name for p in function.parameters]
    assert len(set(found)) == len(names)
    assert not set(found) & {"sine", "rounded", "out", "int", "clamped"}


@needs_gcc
def test_code_with_such_names_compiles(tmp_path):
    names = (
        "sine",
        "rounded",
        "outside",
        "int",
        't0 */ "',
        "t0",
        "x",
        "codes",
        "exact",
        "bound",
        "i",
        "smaller",
    )
    program = trace(
        lambda **x: [sin(v[0]) + minimum(v[0], 0.3) for v in x.values()], dict.fromkeys(names, 1), (len(names),),
        Graph(),
    )  # fmt: skip
    plan = planned(program, {key: [(-1, 1)] for key in names})
    function = c_source.FixedFunction("hostile", plan)
    words = any_words(plan, 100)
    agrees(tmp_path, function, words, ["-O1"])
    out, codes = carried_out(plan, words)
    states = {key: value.tolist() for key, value in words.items()}
    numbers = out * np.array([format.resolution for format in plan.formats])
    expected = c_test.Expected(states, out.tolist(), codes.tolist(), numbers.tolist(), "by themselves")
    for file, text in c_test.files(function, expected).items():
        (tmp_path / file).write_text(text, "ascii")
    command = ["make", "-C", tmp_path, "test", "CC=gcc", f"CFLAGS=-O1 {' '.join(STRICT)}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_gcc
@pytest.mark.parametrize("bits", [32, 16])
def test_the_files_test_themselves_and_a_changed_word_fails(tmp_path, bits):
    files = FixedPoint(strobe.load("planar2"), RANGES, bits).c_files("my arm")
    name = "strobe_my_arm_inverse_dynamics"
    assert list(files) == [f"{name}.h", f"{name}.c", f"{name}_convert.h", f"test_{name}.c", "Makefile"]
    for file, text in files.items():
        (tmp_path / file).write_text(text, "ascii")
    command = ["make", "-C", tmp_path, "test", "CC=gcc", f"CFLAGS=-O1 {' '.join(STRICT)}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{name}: 0 of 24 states wrong, largest error 0." in done.stdout
    source = files[f"{name}.c"]
    first = re.search(r"clamped\(q\[0\], \((-\d+)\)", source)
    assert first is not None
    (tmp_path / f"{name}.c").write_text(source.replace(first[1], str(int(first[1]) + 5000)), "ascii")
    done = subprocess.run([*command, "-B"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "states wrong" in done.stdout


@needs_gcc
def test_numbers_are_converted_as_numpy_does(tmp_path):
    method = FixedPoint(strobe.load("planar2"), RANGES)
    name = method.c_function().name
    for file, text in method.c_files().items():
        (tmp_path / file).write_text(text, "ascii")
    numbers = ["0.5", "-2.25", "1e9", "-1e300", "NAN", "3.1e-10"]
    main = CONVERTED.format(name=name, numbers=", ".join(numbers), count=len(numbers))
    (tmp_path / "main.c").write_text(main, "ascii")
    gcc(*STRICT, "-o", tmp_path / "main", tmp_path / "main.c", tmp_path / f"{name}.c", "-lm")
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    most = 2**31 - 1
    scale = 2.0**29
    assert [tuple(map(int, line.split())) for line in done.stdout.splitlines()] == [
        (0.5 * scale, 0), (-2.25 * scale, 0), (most, 1), (-most, 1), (0, 1), (round(3.1e-10 * scale), 0),
    ]  # fmt: skip
