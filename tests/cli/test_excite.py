"""``strobe excite``: motions in files that other verbs read, what they tell, and every mistake in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import strobe
from strobe.cli import app
from strobe.trajectory.files import read

QUICK = ("planar2", "--duration", "4", "--waves", "3")


def run(*arguments: Any) -> Result:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert "Traceback" not in done.output
    return done


def refusal(*arguments: Any) -> str:
    done = run("excite", *arguments)
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize("kind", ["json", "csv", "npz"])
def test_the_motion_is_written_and_its_torques_are_read_from_it(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"motion.{kind}"
    done = run("excite", *QUICK, "-o", path, "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    motion = strobe.load("planar2").excite(duration=4.0, waves=3).motions[0]
    back = read(path).motion
    assert back(1.0).q == pytest.approx(motion(1.0).q, abs=1e-6)
    assert data["motions"][0]["rows"] == 401
    assert data["found"]["log_det"] > data["random"]["log_det"]
    assert len(data["found"]["deviations"]) == len(data["parameters"]) == 6
    assert run("torque", "planar2", path).exit_code == 0


def test_several_motions_are_numbered(tmp_path: Path) -> None:
    done = run("excite", *QUICK, "--motions", "2", "-o", tmp_path / "m.json", "--plot", tmp_path / "m.svg")
    assert done.exit_code == 0, done.output
    ends = [read(tmp_path / f"m-{k}.json").motion(0.0).q for k in (1, 2)]
    assert not np.allclose(*ends)
    assert (tmp_path / "m.svg").read_text(encoding="utf-8").startswith("<svg")


def test_what_is_told_stands_beside_what_a_random_motion_tells() -> None:
    shown = run("excite", *QUICK, "--friction", "viscous", "--noise", "0.1", "--start", "0.1,0.2").stdout
    assert "no bound is used by more than" in shown
    assert "random motion" in shown
    assert "v joint1" in shown


def test_what_is_missing_or_wrong_is_said_in_options() -> None:
    assert "Give --velocity (one number, or one per joint)" in refusal("puma560")
    assert "Give --acceleration or --effort (one number" in refusal("puma560", "--velocity", "2")
    assert "give --duration of 0.06 s or more" in refusal("planar2", "--duration", "0.01")
    assert "no motion can begin at --start:" in refusal("planar2", "--start", "9,0")
    assert "--workspace has 3 numbers, expected 6" in refusal("planar2", "--workspace", "1,2,3")
    assert "--start has 1 number, expected 2" in refusal("planar2", "--start", "1")
    assert "a motion is kept in a .json, .csv or .npz file" in refusal("planar2", "-o", "m.txt")
    assert "--friction: " in refusal("planar2", "--friction", "presliding")


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "motion.json"
    path.write_text("mine")
    assert "--force" in refusal("planar2", "-o", path)
    assert path.read_text() == "mine"
