"""Every numbered script in `examples/` runs, is short, and says what it shows."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "examples"
SCRIPTS = sorted(FOLDER.glob("*.py"))
SAYS = {  # a line, or a part of one, that shows that the script came to its point
    "01": "M qdd + C qd + g is the same, to",
    "02": "the hand is at [0.7 0.  0.3]",
    "03": "over 4,096 states",
    "04": "hollerbach-3x3-printed   differs",
    "05": "compiled, regrouped         120 ×     102 +",
    "06": "the terms add up to the torque",
    "07": "H12 = m2 (lc2² + l1 lc2 cos q2) + I2",
    "08": "void strobe_planar2_inverse_dynamics(",
    "09": "(10000, 2)",
    "10": "h = m2 l1 lc2 sin(φ1 − φ2)",
    "11": "q has 36 numbers",
    "12": "1000 steps",
    "13": "5^18 = 3,814,697,265,625 sets of 6 numbers",
    "14": "a point mass at (0, 0, -0.263) m is not seen",
    "15": "who learns the load is off by",
    "16": "under computed torque the foot holds",
    "17": "the tool goes 0.534 m and stays level",
    "18": "the shoulder gives most in run",
    "19": "the arm is where it should be",
    "20": "learnt: 1.80 kg at [ 0.05 -0.03  0.21] m",
    "21": "19,080 falls on the processor",
    "22": "torques of a motion it never saw, identified: off by 0.",
}


def test_the_scripts_are_numbered_without_a_gap():
    assert [path.name[:3] for path in SCRIPTS] == [f"{k:02d}_" for k in range(1, len(SAYS) + 1)]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_is_short_and_says_what_it_shows(path):
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) < 60
    assert ast.get_docstring(ast.parse(source)).endswith(".")


@pytest.mark.slow
@pytest.mark.parametrize("given", ["x", "nan", "-1", "1e9", ""])
def test_a_script_refuses_a_number_that_is_none_in_one_sentence(given):
    (path,) = (path for path in SCRIPTS if path.name.startswith("19"))
    done = subprocess.run([sys.executable, str(path), given], capture_output=True, encoding="utf-8")
    assert done.returncode == 1
    assert done.stderr == (f'"{given}" is no time for this loop; expected seconds, from 0.01 to 3600.\n')


@pytest.mark.slow
@pytest.mark.parametrize("given", [["x"], ["0"], ["100", "gpu"]])
def test_a_sample_that_is_none_is_refused_in_one_sentence(given):
    (path,) = (path for path in SCRIPTS if path.name.startswith("21"))
    done = subprocess.run([sys.executable, str(path), *given], capture_output=True, encoding="utf-8")
    assert done.returncode == 1
    assert done.stderr.endswith('is no sample: expected a number above zero, and "processor" or "cuda".\n')
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs(path, tmp_path):
    if "import torch" in path.read_text(encoding="utf-8"):
        pytest.importorskip("torch", reason="torch is not installed")
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    assert SAYS[path.name[:2]] in done.stdout
    assert list(tmp_path.iterdir()) == []
