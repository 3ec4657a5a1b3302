"""Generated C in single precision: nothing is computed in double, and sines keep nearly all their bits."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import strobe
from strobe.compiler.codegen import c
from strobe.compiler.graph.program import trace
from strobe.quantities import QUANTITIES
from strobe.scalars import Graph, cos, sin
from strobe.scalars.functions import absolute, atan2, less, maximum, minimum, sqrt, tanh, where

STRICT = [
    "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wdouble-promotion", "-Wfloat-conversion",
    "-Werror",
]  # fmt: skip
PI, LARGEST = 0x40490FDB, 0x7F7FFFFF  # bits
OF_LOOPS = ("loop_residuals", "loop_facing", "loop_jacobian", "loop_bias")

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def written(folder: Path, function: c.Function) -> Path:
    (folder / f"{function.name}.h").write_text(c.header(function), "ascii")
    path = folder / f"{function.name}.c"
    path.write_text(c.source(function), "ascii")
    return path


def gcc(*arguments: object) -> None:
    done = subprocess.run(["gcc", *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def circle() -> c.Function:
    return c.Function(
        "circle", trace(lambda x: [sin(x[0]), cos(x[0])], {"x": 1}, (2,), Graph()), single=True
    )


def every() -> c.Function:
    """Every operation that generated code has."""

    def function(x, y):
        (a,), (b,) = x, y
        chosen = where(less(a, b), a, b * 2.0)
        return [
            a + b * 0.1, a / b, -a, sqrt(absolute(a)), tanh(a), atan2(a, b), minimum(a, b), maximum(a, b), chosen,
            less(a, b), sin(a), cos(b), float("nan"), float("inf"),
        ]  # fmt: skip

    return c.Function("every", trace(function, {"x": 1, "y": 1}, (14,), Graph()), single=True)


# -- sines --------------------------------------------------------------------------------------------

ERRORS = """
#include "circle.c"
#include <stdio.h>
#include <stdlib.h>
static double error(float found, double exact) /* in units of the last place of the number next to it */
{
    int e;
    frexp(exact, &e);
    return fabs((double)found - exact) / ldexp(1.0, e - 24 < -149 ? -149 : e - 24);
}
int main(int count, char **given)
{
    const unsigned long first = strtoul(given[1], NULL, 0), last = strtoul(given[2], NULL, 0);
    const unsigned long step = strtoul(given[count - 1], NULL, 0);
    unsigned long k;
    double worst = 0.0;
    for (k = first; k <= last; k += step) {
        const uint32_t bits = (uint32_t)k;
        float x, y, up[2], down[2];
        double d;
        memcpy(&x, &bits, sizeof x);
        y = -x;
        circle(&x, up);
        circle(&y, down);
        if (down[0] != -up[0] || down[1] != up[1])
            return 1;
        d = fmax(error(up[0], sin((double)x)), error(up[1], cos((double)x)));
        if (!(d <= worst))
            worst = d;
    }
    printf("%.4f", worst);
    return 0;
}
"""


def worst(folder: Path, first: int, last: int, step: int, *flags: str) -> float:
    """The largest error of sine and cosine of every step-th float, of both signs, against double precision."""
    written(folder, circle())
    (folder / "errors.c").write_text(ERRORS)
    gcc("-std=gnu99", "-O2", *flags, "-o", folder / "errors", folder / "errors.c", "-lm")
    done = subprocess.run(
        [folder / "errors", *map(str, (first, last, step))], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


@needs_gcc
@pytest.mark.parametrize("flags", [[], ["-march=native", "-ffp-contract=fast"]], ids=["plain", "fused"])
def test_sines_and_cosines_of_floats_are_within_one_unit_in_the_last_place(
    tmp_path: Path, flags: list[str]
) -> None:
    assert worst(tmp_path, 0, LARGEST, 15013, *flags) < 0.95


@pytest.mark.slow
@needs_gcc
def test_sines_and_cosines_up_to_half_a_turn_are_within_nine_tenths_of_a_unit(tmp_path: Path) -> None:
    # with a step of 1, in a quarter of a minute: 0.9050
    assert worst(tmp_path, 0x38000000, PI, 23) < 0.906


@needs_gcc
def test_the_float_nearest_to_a_multiple_of_a_right_angle_keeps_its_digits(tmp_path: Path) -> None:
    bits = 0x6F79BE45  # 16367173 · 2⁷², 1.6e-9 from such a multiple
    assert worst(tmp_path, bits, bits, 1) < 1.0


@needs_gcc
def test_infinity_and_nan_give_nan_and_zero_keeps_its_sign(tmp_path: Path) -> None:
    written(tmp_path, circle())
    (tmp_path / "main.c").write_text(
        """#include "circle.c"
        int main(void)
        {
            float x[4] = {INFINITY, -INFINITY, NAN, -0.0f}, out[2];
            int k;
            for (k = 0; k < 3; k++) {
                circle(&x[k], out);
                if (out[0] == out[0] || out[1] == out[1])
                    return 1 + k;
            }
            circle(&x[3], out);
            return !(out[0] == 0.0f && signbit(out[0]) && out[1] == 1.0f);
        }"""
    )
    gcc("-std=c99", "-o", tmp_path / "main", tmp_path / "main.c", "-lm")
    subprocess.run([tmp_path / "main"], check=True)


# -- no double ----------------------------------------------------------------------------------------


@needs_gcc
def test_every_operation_compiles_without_a_promotion_to_double(tmp_path: Path) -> None:
    gcc(*STRICT, "-c", "-o", tmp_path / "x.o", written(tmp_path, every()))
    assert (tmp_path / "x.o").stat().st_size > 0


@pytest.mark.slow
@needs_gcc
@pytest.mark.parametrize("name", ["stanford", "floating"])
def test_all_quantities_in_one_file_compile_without_a_warning_as_c_and_cpp(
    tmp_path: Path, name: str
) -> None:
    robot = strobe.load("stanford") if name == "stanford" else strobe.load("planar2").with_base("floating")
    some = [key for key, record in QUANTITIES.items() if not record.eliminates and key not in OF_LOOPS]
    made = robot.export(some, tmp_path, single=True)
    source = tmp_path / f"{made.name}.c"
    gcc(*STRICT, "-fsyntax-only", source)
    gcc("-x", "c++", "-std=c++11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", source)
    text = source.read_text()
    assert text.count("static inline void sine_cosine") == 1
    assert not re.search(r"\bdouble\b", re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", text, flags=re.DOTALL))


@pytest.mark.skipif(
    shutil.which("gcc") is None or platform.machine() != "x86_64", reason="no gcc for x86-64 here"
)
def test_the_machine_code_has_no_instruction_in_double_precision(tmp_path: Path) -> None:
    robot = strobe.load("stanford")
    robot.export(["inverse_dynamics", "jacobian"], tmp_path, single=True)
    gcc("-O1", "-S", "-o", tmp_path / "x.s", tmp_path / "strobe_stanford.c")
    assembly = (tmp_path / "x.s").read_text()
    assert re.search(r"\bv?mulss\b", assembly)
    assert not re.findall(
        r"\bv?(?:(?:add|sub|mul|div|sqrt|ucomi|comi)[sp]d|cvt\w*sd\w*|cvt\w*2pd)\b", assembly
    )


@pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="arm-none-eabi-gcc is not installed")
def test_a_small_processor_needs_no_helper_of_double_precision(tmp_path: Path) -> None:
    strobe.load("stanford").export(["inverse_dynamics", "jacobian"], tmp_path, single=True)
    path = tmp_path / "strobe_stanford.c"
    flags = ["-mcpu=cortex-m3", "-mfloat-abi=soft", "-O2", "-std=c99", "-c"]
    subprocess.run(["arm-none-eabi-gcc", *flags, "-o", tmp_path / "x.o", path], check=True)
    symbols = subprocess.run(
        ["arm-none-eabi-nm", "-u", tmp_path / "x.o"], capture_output=True, text=True, check=True
    )
    assert "__aeabi_fmul" in symbols.stdout
    assert not re.findall(r"__aeabi_(?:d\w+|\w*2d)\b|__\w*df\w*", symbols.stdout)
