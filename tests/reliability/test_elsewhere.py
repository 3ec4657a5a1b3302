"""Another machine is like this one in what it is asked, and unlike it in everything else."""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from reliability import elsewhere
from strobe.compiler.runtime import jit

FEATURES = "from reliability.elsewhere import wide_features; print(wide_features())"


def test_numpy_there_uses_none_of_the_wide_features_and_has_nothing_to_say_of_it(tmp_path):
    env = {**os.environ, **elsewhere.environment(tmp_path, "7")}
    command = [sys.executable, "-W", "error", "-c", FEATURES]
    done = subprocess.run(
        command, cwd=elsewhere.ROOT, env=env, capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_machine_without_wide_vectors_is_left_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(np._core._multiarray_umath, "__cpu_dispatch__", ["X86_V3", "ASIMDHP"])
    monkeypatch.setattr(
        np._core._multiarray_umath, "__cpu_features__", {"X86_V3": True, "ASIMDHP": False, "AVX512F": True}
    )
    monkeypatch.setattr(jit, "widest", lambda: 256)
    there = elsewhere.environment(tmp_path, "7")
    assert not {"NPY_DISABLE_CPU_FEATURES", "STROBE_WIDTH", "OPENBLAS_CORETYPE"} & set(there)


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A project with a test that fails where the path of its file has a blank and our name."""
    root = tmp_path / "here"
    root.mkdir()
    monkeypatch.setattr(elsewhere, "ROOT", root)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)  # of whoever runs this
    (root / "test_place.py").write_text("def test_it(): assert 'strobe dir/strobe' not in __file__")
    return root


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_what_is_committed_is_run_elsewhere_and_what_fails_there_is_named_here(tmp_path, root):
    who = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "Begin"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    (root / "test_forgotten.py").write_text("def test_it(): assert False")
    assert elsewhere.run(["-q"], elsewhere.cloned(tmp_path), {"STROBE_ORDER": "7"}) == 1
    assert json.loads((root / elsewhere.LAST_FAILED).read_text()) == {"test_place.py::test_it": True}


def test_where_nothing_is_committed_everything_is_taken_along(tmp_path, root):
    assert [path.name for path in elsewhere.cloned(tmp_path).iterdir()] == ["test_place.py"]
