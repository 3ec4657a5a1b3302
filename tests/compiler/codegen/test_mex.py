"""The MATLAB gateway in Octave, which has MATLAB's interface for C: built, called, and refusing what it must."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from typer.testing import CliRunner

import strobe
from strobe.cli.app import app

pytestmark = [
    pytest.mark.skipif(
        shutil.which(tool) is None,
        reason=f"optional: there is no {tool}; Debian's octave and octave-dev have it",
    )
    for tool in ("mkoctfile", "octave-cli")
]


def octave(folder, script):
    """What a script prints, run in a folder."""
    command = ["octave-cli", "--norc", "--no-history", "--eval", script]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def written(folder, *arguments):
    """The name of a function whose sources are now in the folder."""
    words = ["compile", *map(str, arguments), "--target", "mex", "-o", str(folder)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    (script,) = folder.glob("build_*.m")
    return script.stem.removeprefix("build_")


def called(folder, name, *arrays):
    """The result on a batch of states as an array of MATLAB's shape."""
    text = ", ".join(f"reshape({x.ravel().tolist()}, {x.shape[1]}, {x.shape[0]})" for x in arrays)
    done = octave(folder, f"x = {name}({text}); printf('%d ', size(x)); disp(''); printf('%.17g ', x);")
    assert done.returncode == 0, done.stderr
    sizes, numbers = (*done.stdout.splitlines(), "")[:2]
    return np.array([float(x) for x in numbers.split()]).reshape([*map(int, sizes.split())], order="F")


@pytest.mark.parametrize(
    "arguments",
    [
        ["panda", "inverse_dynamics"],
        ["panda", "inverse_dynamics", "--float", "--wrench", "tool", "--gravity-input"],
        ["planar3", "coriolis_matrix"],
        ["biped10", "frame_placements"],
        ["biped10", "inverse_dynamics"],
        ["ur5", "forward_dynamics"],
    ],
    ids=" ".join,
)
def test_the_build_script_and_the_self_test_run_in_octave(tmp_path, arguments):
    name = written(tmp_path, *arguments)
    done = octave(tmp_path, f"build_{name}; test_{name};")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(
        rf"{name}: 0 of \d+ states wrong, largest relative difference [\d.e-]+\n", done.stdout
    )
    assert "warning" not in done.stderr


@pytest.mark.parametrize("error", ["1e-9", "NAN"])
def test_a_wrong_result_fails_the_self_test(tmp_path, error):
    name = written(tmp_path, "planar2", "mass_matrix")
    source = tmp_path / f"{name}.c"
    text = source.read_text()
    assert "out[1] = " in text
    source.write_text(text.replace("out[1] = ", f"out[1] = {error} + "))
    done = octave(tmp_path, f"build_{name}; test_{name};")
    assert done.returncode == 1
    assert f"error: {name} does not give what is expected." in done.stderr


def test_columns_are_states_and_matrices_keep_their_rows_and_columns(tmp_path):
    robot = strobe.load("ur5")
    q, qd, _ = robot.random_state(seed=2, batch=3)
    folders = {
        quantity: tmp_path / quantity for quantity in ("gravity", "jacobian_dot", "frame_placements")
    }
    names = {quantity: written(folder, "ur5", quantity) for quantity, folder in folders.items()}
    for quantity, folder in folders.items():
        assert octave(folder, f"build_{names[quantity]};").returncode == 0

    def result(quantity, *arrays):
        return called(folders[quantity], names[quantity], *arrays)

    assert np.allclose(result("gravity", q), robot.gravity(q).T, rtol=1e-13, atol=1e-13)
    rates = result("jacobian_dot", q, qd)
    assert np.allclose(rates, np.moveaxis(robot.jacobian_dot(q, qd), 0, -1), rtol=1e-13, atol=1e-13)
    placed = result("frame_placements", q)  # (4, 4, frames, states)
    assert np.allclose(placed, robot.frame_placements(q).transpose(2, 3, 1, 0), rtol=1e-13, atol=1e-13)
    one_for_all = result("jacobian_dot", q, qd[:1])
    assert np.allclose(one_for_all, np.moveaxis(robot.jacobian_dot(q, qd[0]), 0, -1), rtol=1e-13)
    assert result("jacobian_dot", q[:1], qd[:1]).shape == (6, 6)
    assert result("jacobian_dot", q[:0], qd[:0]).shape == (6, 6, 0)


REAL = "strobe:class q must be a full real array of class double."
ROWS = "strobe:size q must have 2 rows, one column per state."
REFUSED = {
    "single(zeros(2, 3)), [1; 2]": REAL,
    "int32(zeros(2, 3)), [1; 2]": REAL,
    "sparse(ones(2, 3)), [1; 2]": REAL,
    "[1; 2] + 3i, [1; 2]": REAL,
    "'ab', [1; 2]": REAL,
    "{1; 2}, [1; 2]": REAL,
    "true(2, 1), [1; 2]": REAL,
    "zeros(3, 2), [1; 2]": ROWS,
    "zeros(2, 2, 2), [1; 2]": ROWS,
    "zeros(2, 3), zeros(2, 2)": "strobe:size qd has 2 columns; the arguments before it have 3.",
    "[1; 2]": "strobe:arguments strobe_planar2_coriolis_matrix takes 2 arguments: q, qd.",
}


def test_what_the_gateway_cannot_take_is_refused_by_a_sentence(tmp_path):
    name = written(tmp_path, "planar2", "coriolis_matrix")
    caught = "catch e; printf('%s %s\\n', e.identifier, e.message); end;"
    lines = [f"try; {name}({given}); disp('taken'); {caught}" for given in REFUSED]
    done = octave(tmp_path, "\n".join([f"build_{name};", *lines]))
    said = [line.replace(f"{name}: ", "", 1) for line in done.stdout.splitlines()]  # Octave says who speaks
    assert said == list(REFUSED.values())
