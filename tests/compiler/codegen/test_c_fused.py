"""Fused C does what compiled code does on a processor that fuses: the same bits."""

import ctypes
import math
import shutil
import subprocess

import numpy as np
import pytest

import strobe
from strobe.compiler.codegen import c
from strobe.compiler.runtime import width
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.traced import trace
from strobe.quantities import Request
from strobe.scalars import atan2, cos, sin

pytestmark = [
    pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed"),
    pytest.mark.skipif(not width.target().fused, reason="this processor does not fuse multiply-adds"),
]
FLAGS = [["-O0"], ["-O3", "-march=native"]]


def built(folder, program, flags):
    """A fused function of NumPy rows (N, size), one state at a time."""
    function = c.Function("f", program, fused=True)
    (folder / "f.h").write_text(c.header(function))
    (folder / "f.c").write_text(c.source(function))
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", *flags]
    library = folder / "f.so"
    subprocess.run(
        [*command, "-ffp-contract=off", "-shared", "-fPIC", "-o", library, folder / "f.c", "-lm"],
        check=True,
    )
    raw = ctypes.CDLL(str(library)).f

    def call(*arrays):
        out = np.empty((len(arrays[0]), function.size))
        for k, row in enumerate(out):
            given = [np.ascontiguousarray(x[k]) for x in (*arrays,)]
            raw(*(x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for x in (*given, row)))
        return out

    return call


@pytest.mark.slow
@pytest.mark.parametrize("flags", FLAGS, ids=["plain", "native"])
def test_sines_cosines_and_angles_have_the_bits_of_compiled_code(tmp_path, flags):
    kernel = trace(lambda x, y: [sin(x[0]), cos(x[0]), atan2(y[0], x[0])], x=1, y=1)
    rng = np.random.default_rng(3)
    signs = rng.choice([-1, 1], 2000)
    special = [
        0.0,
        -0.0,
        math.inf,
        -math.inf,
        math.nan,
        math.pi / 2,
        math.pi / 4,
        2.0**20,
        5e-324,
        2.0**-27,
    ]
    x = np.concatenate([rng.uniform(-7, 7, 4000), signs * 2.0 ** rng.uniform(-1070, 20, 2000), special])
    y = np.concatenate([x[::-1][:3000], rng.permutation(x[3000:])])
    x, y = x[:, None], y[:, None]
    assert np.array_equal(built(tmp_path, kernel.program, flags)(x, y), kernel(x, y), equal_nan=True)


@pytest.mark.parametrize("flags", FLAGS, ids=["plain", "native"])
@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics"])
def test_dynamics_have_the_bits_of_compiled_code(tmp_path, quantity, flags):
    robot = strobe.load("stanford")
    kernel = Kernel(robot.model, Request(quantity))
    state = dict(zip(kernel.inputs, robot.random_state(5, 50), strict=True))
    assert built(tmp_path, kernel.program, flags)(*state.values()).tolist() == kernel(state).tolist()
