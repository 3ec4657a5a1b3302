"""What is told of long work goes to stderr, whatever stdout is."""

import json
import os
import subprocess
import sys

import pytest

from strobe.cli import progress

AT_ONCE = """
from strobe.cli import progress
from strobe.cli.start import main

class AtOnce(progress.Timer):
    start = lambda self: self.function()

progress.Timer = AtOnce
main()
"""
"""The command on a machine where everything takes longer than patience."""

DERIVATIVES = "forward_dynamics_derivatives"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("simulate", "planar2", "--q", "0.3,-0.4", "--duration", "0.01"), "march of planar2"),
        (("compile", "planar2", DERIVATIVES, "--target", "c", "-o", "c"), f"{DERIVATIVES} of planar2"),
        (("bench", "planar2", "--explain", "--quantity", "gravity"), "gravity of planar2"),
    ],
)
def test_what_is_compiled_is_told_on_stderr(words, told, tmp_path):
    environment = os.environ | {"STROBE_CACHE": str(tmp_path / "kept")}
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE, *words, "--json"],
        capture_output=True, text=True, timeout=300, env=environment, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"compiling {told}\n" in done.stderr
    json.loads(done.stdout)


@pytest.mark.parametrize("terminal", [True, False])
def test_what_is_made_in_time_is_not_told(terminal, monkeypatch, capsys):
    monkeypatch.setattr(progress.Timer, "start", lambda self: None)
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)
    with progress.compiling("gravity of arm"):
        pass
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("terminal", "told"),
    [(True, "\r\x1b[Kcompiling gravity of arm\r\x1b[K"), (False, "compiling gravity of arm\n")],
)
def test_what_takes_longer_is_told_and_wiped_from_a_terminal(terminal, told, monkeypatch, capsys):
    monkeypatch.setattr(progress.Timer, "start", lambda self: self.function())
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)
    with progress.compiling("gravity of arm"):
        pass
    assert capsys.readouterr() == ("", told)


def test_a_second_is_waited_before_anything_is_told(monkeypatch):
    waited = []
    monkeypatch.setattr(progress.Timer, "start", lambda self: waited.append(self.interval))
    with progress.compiling("gravity of arm"):
        pass
    assert waited == [1.0]
