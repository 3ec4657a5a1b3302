"""``strobe diff``: what is shown of two robots, and the exit codes of diff."""

from __future__ import annotations

import json
from pathlib import Path

import strobe
from strobe.models.toml_writer import write_toml
from tests.cli.verb import Verb

run = Verb("diff")


def test_the_same_robot_exits_with_0() -> None:
    done = run("planar2", "planar2")
    assert (done.exit_code, done.stdout) == (0, "The same model.\n")


def test_another_robot_exits_with_1_and_says_what_follows(tmp_path: Path) -> None:
    path = tmp_path / "loaded.toml"
    path.write_text(write_toml(strobe.load("planar2").with_payload(1.0).model))
    done = run("planar2", str(path))
    assert done.exit_code == 1
    assert 'link "link2"' in done.stdout
    assert "Torques differ at 1000 random states of 2 joints: most at joint" in done.stdout
    assert "Every frame that both have is where it was." in done.stdout
    assert "largest difference" in done.stdout
    data = json.loads(run("planar2", str(path), "--json").stdout)
    assert data["same"] is False
    assert data["worst_torque"]["unit"] == "N m"
    assert data["farthest_frame"] is None


def test_a_tolerance_may_make_them_the_same(tmp_path: Path) -> None:
    path = tmp_path / "loaded.toml"
    path.write_text(write_toml(strobe.load("planar2").with_payload(1e-6).model))
    assert run("planar2", str(path)).exit_code == 1
    assert run("planar2", str(path), "--tolerance", "0.001").exit_code == 0


def test_a_robot_that_is_not_there_is_a_mistake() -> None:
    done = run("planar2", "planar9")
    assert done.exit_code == 2
    assert "Did you mean 'planar" in done.stderr
