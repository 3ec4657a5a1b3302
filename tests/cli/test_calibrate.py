"""``strobe calibrate``: from a table of poses to a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner, Result

import strobe
from strobe.cli import app
from strobe.identify.placement_moves import moved, moves_of


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(app, ["calibrate", *arguments])
    assert "Traceback" not in done.output
    return done


@pytest.fixture(scope="module")
def poses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Poses of an arm of three joints that is not quite what its model says, as a tracker writes them."""
    robot, rng = strobe.load("planar3"), np.random.default_rng(0)
    moves = moves_of(robot.model, robot.moving_frame(None), None)
    true = robot.with_model(moved(robot.model, moves, (1e-3 * rng.normal(size=len(moves))).tolist()))
    q = robot.random_state(seed=1, batch=30)[0]
    T = true.forward_kinematics(q)
    turns = Rotation.from_matrix(T[:, :3, :3]).as_quat()[:, [3, 0, 1, 2]]
    rows = np.column_stack([q, T[:, :3, 3] + 1e-5 * rng.normal(size=(30, 3)), turns])
    path = tmp_path_factory.mktemp("poses") / "poses.csv"
    np.savetxt(path, rows, delimiter=",", header="q1,q2,q3,x,y,z,qw,qx,qy,qz", comments="", fmt="%.9g")
    return path


def test_poses_become_a_calibrated_robot(poses: Path, tmp_path: Path):
    output = tmp_path / "calibrated.toml"
    done = run("planar3", str(poses), "--test", str(poses), "-o", str(output), "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["kind"] == "poses"
    assert len(told["moves"]["values"]) == len(told["moves"]["names"])
    fitted, held = told["misses"]
    assert fitted["after"][0] < 3e-5 < 1e-3 < fitted["before"][0] * 10
    assert held["held_out"]
    q = np.array([0.3, -0.4, 0.5])
    before, after = (strobe.load(name).forward_kinematics(q) for name in ("planar3", output))
    assert 1e-4 < np.abs(before - after).max() < 1e-1


def test_what_was_found_is_shown(poses: Path):
    done = run("planar3", str(poses), "--noise", "1e-5,1e-6")
    assert done.exit_code == 0, done.output
    assert "planar3: 18 placements up to tool from 30 poses" in done.output
    assert "Part of where the base and the target are:" in done.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--noise", "1e-5"], "--noise"),
        (["--parameters", "urdf"], '--parameters is "urdf"; expected dh or origins.'),
        (["--frame", "hand"], 'no frame "hand" in planar3'),
        (["-o", "calibrated.pdf"], "not a format that can be written"),
    ],
)
def test_mistakes_are_told(poses: Path, arguments: list[str], said: str):
    done = run("planar3", str(poses), *arguments)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())
