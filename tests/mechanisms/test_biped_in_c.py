"""The dynamics of the biped as C, as the source ran it from MATLAB: built by gcc, with the reference torques."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from typer.testing import CliRunner

import strobe
from strobe.cli.app import app

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

NAME = "strobe_biped10_inverse_dynamics"


@pytest.mark.parametrize("target", ["c", "mex"])
def test_the_c_of_the_biped_gives_the_reference_torques(tmp_path, target):
    words = ["compile", "biped10", "inverse_dynamics", "--target", target, "-o", str(tmp_path)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    library = tmp_path / "biped.so"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, "-o", library, tmp_path / f"{NAME}.c", "-lm"], check=True)
    function = getattr(ctypes.CDLL(str(library)), NAME)
    function.restype = None
    (golden,) = strobe.load("biped10").model.golden
    rows = [np.array(golden[name], float) for name in ("q", "qd", "qdd")]
    tau = np.empty(10)
    function(*(row.ctypes.data_as(ctypes.c_void_p) for row in (*rows, tau)))
    assert np.allclose(tau, golden["tau"], rtol=2e-11, atol=2e-13)
