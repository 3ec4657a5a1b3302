"""CUDA C++ is plain C++ too: built by a compiler that knows no cards it gives the bits of this processor."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime import jit
from strobe.errors import ArgumentError

pytestmark = [
    pytest.mark.numeric,
    pytest.mark.skipif(shutil.which("g++") is None, reason="the sources are built with g++"),
]
PLAIN = ("g++", "-x", "c++", "-std=c++17", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")


@pytest.fixture(scope="module")
def robot() -> strobe.Robot:
    return strobe.load("panda")


def built(made: Any, folder: Path) -> ctypes.CDLL:
    """The functions of a source, for this processor."""
    made.write(folder)
    library = folder / "library.so"
    told = [*PLAIN, "-shared", "-fPIC", str(folder / f"{made.name}.cu"), "-o", str(library)]
    subprocess.run(told, check=True, capture_output=True)
    return ctypes.CDLL(str(library))


def called(library: Any, name: str, layout: str, arrays: list[np.ndarray], size: int) -> np.ndarray:
    order, states = "F" if layout == "columns" else "C", len(arrays[0])
    out = np.full((states, size), np.nan, arrays[0].dtype, order=order)
    given = [np.asarray(a, order=order) for a in arrays]
    places = [ctypes.c_void_p(a.ctypes.data) for a in (*given, out)]
    assert getattr(library, f"{name}_{layout}")(ctypes.c_longlong(states), *places, None) == 0
    return out


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "jacobian"])
def test_both_layouts_give_the_bits_of_this_processor(
    robot: strobe.Robot, quantity: str, tmp_path: Path
) -> None:
    if not jit.host_target().fused:
        pytest.skip("this processor does not fuse multiplications and additions, as the sources do")
    library = built(robot.export(quantity, target="cuda"), tmp_path / "a folder")
    q, qd, qdd = robot.random_state(seed=1, batch=37)
    kernel = robot.kernel(robot.request(quantity))
    arrays = [{"q": q, "qd": qd}.get(name, qdd) for name in kernel.inputs]
    expected = kernel(dict(zip(kernel.inputs, arrays, strict=True)))
    for layout in ("columns", "rows"):
        found = called(library, f"strobe_panda_{quantity}", layout, arrays, prod(kernel.shape))
        assert np.array_equal(found.reshape(expected.shape), expected)


def test_single_precision_is_computed_in_single_precision(robot: strobe.Robot, tmp_path: Path) -> None:
    made = robot.export("inverse_dynamics", target="cuda", single=True)
    body = str(made.files["strobe_panda_inverse_dynamics.cu"])
    assert "double" not in body.replace("rounded to double at once", "")
    library = built(made, tmp_path)
    arrays = [x.astype(np.float32) for x in robot.random_state(seed=1, batch=200)]
    exact = robot.inverse_dynamics(*(x.astype(float) for x in arrays))
    ours = np.abs(robot.inverse_dynamics(*arrays) - exact).max()
    for layout in ("columns", "rows"):
        found = called(library, "strobe_panda_inverse_dynamics", layout, arrays, 7)
        assert np.abs(found - exact).max() <= 1.5 * ours


@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
def test_the_test_that_comes_along_passes_by_cmake(robot: strobe.Robot, tmp_path: Path) -> None:
    robot.export(["inverse_dynamics", "jacobian"], tmp_path, target="cuda")
    steps = "cmake -S . -B build -DWITHOUT_CUDA=ON", "cmake --build build", "build/test_strobe_panda"
    for told in map(str.split, steps):
        done = subprocess.run(told, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "strobe_panda_jacobian: 0 of" in done.stdout


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
def test_the_compiler_for_cards_takes_source_and_test(robot: strobe.Robot, tmp_path: Path) -> None:
    made = robot.export(["inverse_dynamics", "regressor"], tmp_path, target="cuda", single=True)
    for name in (f"{made.name}.cu", f"test_{made.name}.cu"):
        told = ["nvcc", "-arch=sm_90", "--fmad=false", "-c", name, "-o", f"{name}.o"]
        done = subprocess.run(told, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_the_header_says_how_arrays_lie(robot: strobe.Robot) -> None:
    text = str(robot.export("gravity", target="cuda").files["strobe_panda_gravity.h"])
    assert (
        "columns: entry j of state i is at j times states plus i; rows: at i times entries plus j" in text
    )
    assert (
        "int strobe_panda_gravity_columns(long long states, const double *q, double *out, void *stream);"
        in text
    )
    assert "#define STROBE_PANDA_GRAVITY_OUT_SIZE 7" in text


def test_single_precision_eliminates_nowhere(robot: strobe.Robot) -> None:
    with pytest.raises(ArgumentError, match="forward_dynamics divides by pivots"):
        robot.export("forward_dynamics", target="cuda", single=True)
