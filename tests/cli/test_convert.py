"""``strobe convert``: files of another format, remarks on stderr, nothing overwritten."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from strobe.cli import app
from strobe.models.load import load_model
from strobe.robot import Robot


def convert(*arguments: str) -> Result:
    done = CliRunner().invoke(app, ["convert", *arguments])
    assert "Traceback" not in done.output
    return done


@pytest.mark.parametrize("suffix", ["urdf", "toml"])
def test_a_converted_robot_has_the_same_torques(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"stanford.{suffix}"
    done = convert("stanford", "-o", str(path))
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    robot, again = Robot(load_model("stanford")), Robot(load_model(path))
    state = robot.random_state(seed=5)
    assert np.allclose(again.inverse_dynamics(*state), robot.inverse_dynamics(*state), rtol=1e-12)


def test_what_a_format_cannot_hold_is_said_on_stderr() -> None:
    done = convert("planar2", "--to", "urdf")
    assert done.exit_code == 0
    assert "<robot" in done.stdout
    assert "note: " in done.stderr
    assert "gravity" in done.stderr


def test_json_holds_the_text_and_the_remarks() -> None:
    data = json.loads(convert("planar2", "--to", "URDF", "--json").stdout)
    assert data["format"] == "urdf"
    assert "<robot" in data["text"]
    assert any("gravity" in remark for remark in data["remarks"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "say where to: -o FILE.urdf or -o FILE.toml, or --to urdf to print it."),
        (
            ["--to", "urfd"],
            "--to \"urfd\" is not a format that can be written: urdf or toml. Did you mean 'urdf'?",
        ),
        (["-o", "arm.stl"], 'the ending of "arm.stl" is not a format that can be written: urdf or toml.'),
        (["-o", "arm"], 'the ending of "arm" is not a format'),
        (["-o", "nowhere/arm.urdf"], "does not exist"),
    ],
)
def test_a_wrong_target_is_explained(arguments: list[str], sentence: str) -> None:
    done = convert("planar2", *arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_the_model_that_was_read_is_never_written(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    assert convert("planar2", "-o", str(path)).exit_code == 0
    before = path.read_text()
    done = convert(str(path), "-o", str(path), "--lock", "joint1=0", "--force")
    assert done.exit_code == 2
    assert "it is the input" in done.stderr
    assert path.read_text() == before
