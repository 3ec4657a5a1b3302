"""Exported shortened torques run by themselves, and their test holds them to both promises."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.equations import shortened as module
from strobe.equations.code_shortened import c_sources, python_source, short_cases, short_sheet
from strobe.equations.shortened import Shortened, shortened

STRICT = "-O2 -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@pytest.fixture(scope="module")
def short() -> Shortened:
    return shortened(strobe.Robot(strobe.load("stanford").model, compiled=False), 0.05)


def run_alone(path: Path) -> subprocess.CompletedProcess[str]:
    """Python without this package or any other."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(path)], capture_output=True, text=True, check=False
    )


def ran(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    path = folder / "short.py"
    path.write_text(text)
    return run_alone(path)


def made(folder: Path, texts: dict[str, str]) -> subprocess.CompletedProcess[str]:
    for name, text in texts.items():
        (folder / name).write_text(text, "ascii")
    command = ["make", "test", f"CFLAGS={STRICT}"]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.slow
def test_the_code_takes_the_operations_that_were_counted(short) -> None:
    operations = short_sheet(short).equations.written.operations()
    assert operations.multiplications == short.multiplications
    # the passes, run again on the sheet, find two more
    assert 0 <= short.additions - operations.additions <= 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["planar2", "parallelogram", "stanford"])
def test_the_python_module_tests_itself_with_the_standard_library_alone(name, tmp_path) -> None:
    robot = strobe.Robot(strobe.load(name).model, compiled=False)
    done = ran(tmp_path, python_source(shortened(robot, 0.1)))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{name}: 4 states, largest relative difference ")


def test_python_gives_the_shortened_torques_at_other_states(short) -> None:
    names: dict = {"__name__": "exported"}
    exec(compile(python_source(short), "exported", "exec"), names)
    state = short.robot.random_state(seed=99)
    tau = names["inverse_dynamics"](*(x.tolist() for x in state))
    np.testing.assert_allclose(tau, short.inverse_dynamics(*state), atol=1e-12)


def test_the_test_fails_when_a_number_is_changed(short, tmp_path) -> None:
    text = python_source(short)
    assert text.count("9.81*") == 2
    assert ran(tmp_path, text.replace("9.81*", "9.82*", 1)).returncode == 1


def test_the_test_fails_beyond_the_bound(short, tmp_path) -> None:
    head, tail = python_source(short).split("ALLOWED = ", 1)
    allowed = repr(list(short_cases(short).allowed))
    assert tail.startswith(allowed)
    done = ran(tmp_path, f"{head}ALLOWED = {[0.0] * 6}{tail.removeprefix(allowed)}")
    assert done.returncode == 1
    assert done.stdout.startswith("torque 1 is ")


def test_the_text_says_what_was_left_out_and_over_which_ranges(short) -> None:
    text = python_source(short)
    assert text.startswith('"""Shortened equations of motion of stanford.\n')
    assert "The bound is proven, for every angle and all motions within the ranges.\n" in text
    assert (
        "joint3: q from 0.3048 to 1.27 m; qd from -1 to 1 m per s; qdd from -10 to 10 m per s2; largest"
        in text
    )
    assert " percent; test motion: largest error " in text


@needs_gcc
def test_c_builds_without_a_warning_and_passes_its_test(short, tmp_path) -> None:
    done = made(tmp_path, c_sources(short))
    assert done.returncode == 0, done.stderr
    assert "strobe_stanford_short: 4 states, largest relative difference " in done.stdout


@needs_gcc
def test_the_c_test_fails_beyond_the_bound(short, tmp_path) -> None:
    texts = c_sources(short)
    name = "test_strobe_stanford_short_equations.c"
    head, tail = texts[name].split("allowed[6] = {", 1)
    texts[name] = f"{head}allowed[6] = {{0.0}};{tail.partition('};')[2]}"
    done = made(tmp_path, texts)
    assert done.returncode != 0
    assert "torque 1 is " in done.stdout


@pytest.mark.slow
def test_a_sampled_bound_allows_what_the_test_states_show(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(module, "PROVABLE", 10)
    short = shortened(strobe.Robot(strobe.random(3, 4).model, compiled=False), 0.05)
    assert not short.proven
    assert ran(tmp_path, python_source(short)).returncode == 0
