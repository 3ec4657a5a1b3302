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
        ([], "say where to: -o FILE.urdf or -o FILE.toml, or --to urdf, toml or dh to print it."),
        (
            ["--to", "urfd"],
            "--to \"urfd\" is not a format that can be written: urdf, toml or dh. Did you mean 'urdf'?",
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


# -- Denavit-Hartenberg tables ---------------------------------------------------------------------------


def test_both_tables_are_printed_with_how_exact_they_are() -> None:
    done = convert("panda", "--to", "dh", "--frame", "flange")
    assert done.exit_code == 0, done.stderr
    standard, modified = done.stdout.split("\n\npanda, ")
    assert "standard Denavit-Hartenberg: each row is Rz(theta) Tz(d) Tx(a) Rx(alpha) (rad, m)" in standard
    assert "modified Denavit-Hartenberg: each row is Rx(alpha) Tx(a) Rz(theta) Tz(d) (rad, m)" in modified
    assert "joint5          revolute   -π/2  -0.0825     q5  0.384" in modified
    assert standard.count("exactness: on 200 random positions") == modified.count("exactness: ") == 1


def test_modified_alone_and_json() -> None:
    data = json.loads(convert("ur5", "--to", "dh", "--modified", "--json").stdout)
    assert "standard" not in data
    assert [row["a"] for row in data["modified"]["rows"]] == [0, 0, -0.425, -0.39225, 0, 0]
    assert data["modified"]["exactness"]["position"] < 1e-14


@pytest.mark.parametrize("options", [[], ["--modified"]])
def test_a_table_is_a_robot_file_with_the_same_torques(tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "arm.toml"
    done = convert("puma560", "--to", "dh", *options, "-o", str(path))
    assert done.exit_code == 0, done.stderr
    assert 'note: the table has "tool" within ' in done.stderr
    assert f'convention = "{"modified" if options else "standard"}"' in path.read_text()
    robot, again = Robot(load_model("puma560")), Robot(load_model(path))
    state = robot.random_state(seed=5)
    assert np.allclose(again.inverse_dynamics(*state), robot.inverse_dynamics(*state), rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["panda", "--to", "toml", "--modified"], "--frame and --modified belong to --to dh"),
        (["panda", "-o", "arm.urdf", "--frame", "tool"], "--frame and --modified belong to --to dh"),
        (
            ["panda", "-o", "arm.dh"],
            'the ending of "arm.dh" is not a format that can be written: urdf or toml.',
        ),
        (
            ["parallelogram", "--to", "dh"],
            'joint "b2" of parallelogram follows other joints; a Denavit-Hartenberg table needs independent joints.',
        ),
        (["panda", "--to", "dh", "--frame", "tol"], "Did you mean 'tool'?"),
        (
            ["panda", "--to", "dh", "--base", "floating"],
            'joint "base" of panda has 6 degrees of freedom; a Denavit-Hartenberg table needs joints with one each.',
        ),
    ],
)
def test_what_has_no_table_is_explained(arguments: list[str], sentence: str) -> None:
    done = convert(*arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr
