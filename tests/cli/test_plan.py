"""``strobe plan``: requests in, motions and drawings out, and every mistake in one sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.trajectory.files import read
from tests.cli.verb import Verb

REQUEST = """
[bounds]
acceleration = [4, 8]
[[points]]
q = [0, 0.3]
[[points]]
name = "above"
q = [1, 0.6]
[[points]]
q = [1.6, 1.4]
"""


@pytest.fixture
def request_file(tmp_path: Path) -> Path:
    path = tmp_path / "request.toml"
    path.write_text(REQUEST, encoding="utf-8")
    return path


run = Verb()
told = Verb("plan").told
refusal = Verb("plan").refusal


# -- a motion -------------------------------------------------------------------------------------------------


def test_the_motion_is_told_joint_by_joint(request_file: Path) -> None:
    data = told("planar2", request_file)
    motion = strobe.load("planar2").plan(request_file)
    assert data["duration"] == motion.duration
    assert [point["name"] for point in data["points"]] == ["point 1", "above", "point 3"]
    assert [point["time"] for point in data["points"]] == motion.points.tolist()
    assert data["shares"]["acceleration"] == pytest.approx([1, 1])
    assert data["largest"]["velocity"][0] == pytest.approx(
        max(-motion.extremes(1).least[0], motion.extremes(1).largest[0])
    )
    shown = run("plan", "planar2", request_file).stdout
    assert f"constant-acceleration: {motion.duration:.6g} s; point 1 at 0 s, above at" in shown
    assert re.search(r"joint2 +0\.3 +1\.4 .* 8 +100 %", shown)


@pytest.mark.parametrize("kind", ["json", "csv", "npz"])
def test_the_motion_is_written_and_its_torques_are_read_from_it(
    request_file: Path, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / f"traj.{kind}"
    data = told("planar2", request_file, "-o", path, "--step", "0.05")
    motion, times = read(path)
    assert data["rows"] == len(times)
    assert motion.duration == pytest.approx(data["duration"])
    done = run("torque", "planar2", path)
    assert done.exit_code == 0, done.output
    head, *lines = done.stdout.splitlines()
    assert head == "t,tau_joint1,tau_joint2"
    rows = np.array([[float(x) for x in line.split(",")] for line in lines])
    np.testing.assert_allclose(rows[:, 0], times)
    arm = strobe.load("planar2")
    np.testing.assert_allclose(rows[:, 1:], arm.inverse_dynamics(*motion(times)), rtol=1e-6, atol=1e-6)


def test_the_drawing_shows_every_quantity_of_every_joint(request_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "traj.svg"
    assert told("planar2", request_file, "--plot", path)["plot"] == str(path)
    drawn = path.read_text(encoding="utf-8")
    for words in ("q̇ |q̇|, rad²/s²", "q, rad", "q̇, rad/s", "q̈, rad/s²", "torque, N m"):
        assert drawn.count(words) == 2
    assert "position (rad)" in drawn


def test_options_stand_above_the_request(request_file: Path) -> None:
    data = told("planar2", request_file, "--acceleration", "1", "2", "--velocity", "0.5")
    assert data["largest"]["acceleration"] == pytest.approx([1, 2])
    assert max(data["largest"]["velocity"]) <= 0.5 * (1 + 1e-9)
    assert told("planar2", request_file, "--planner", "quintic")["method"] == "quintic"
    assert "points inserted" in told("planar2", request_file, "--envelope", "0.01")["notes"][-1]
    data = told("planar2", request_file, "--planner", "torque-limited", "--effort", "12", "6")
    assert max(data["shares"]["torque"]) == pytest.approx(1, abs=0.02)
    assert max(data["largest"]["torque"]) <= 12 * (1 + 1e-9)


def test_a_torque_beyond_its_limit_is_warned_of(request_file: Path) -> None:
    done = run("plan", "planar2", request_file, "--effort", "5")
    assert done.exit_code == 0
    assert re.search(r'warning: joint "joint1" needs \d+ % of its torque limit', done.stderr)


def test_a_robot_without_masses_has_motions_without_torques(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    points = [{"q": [0.1] * 6}, {"q": [0.4, -0.2, 0.3, 0.1, 0.6, 0]}]
    path.write_text(json.dumps({"bounds": {"acceleration": 3}, "points": points}), encoding="utf-8")
    data = told("rx90", path, "--plot", tmp_path / "a.svg", "-o", tmp_path / "a.json")
    assert list(data["largest"]) == ["velocity", "acceleration"]
    assert "torque" not in (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "effort" not in json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["points"][0]


# -- mistakes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[points]]\nq = [0, 0]", "the request has 1 point; a motion needs two or more."),
        (
            "[[points]]\nq = [0, 9]\n[[points]]\nq = [0, 0]",
            'point 1 puts joint "joint2" at 9, above its upper bound 2.6.',
        ),
        (
            "[[points]]\nq = [0, 0]\n[[points]]\nq = [1, 1]",
            'joint "joint1" has no bound on its acceleration. Give acceleration under [bounds], or --acceleration '
            "(one number, or one per joint), or plan under torque limits.",
        ),
        (
            "bounds.velocity = 0\n[[points]]\nq = [0, 0]\n[[points]]\nq = [1, 1]",
            'the velocity bound of joint "joint1" is 0; expected a number above zero.',
        ),
        (
            "bounds.acceleration = inf\n[[points]]\nq = [0, 0]\n[[points]]\nq = [1, 1]",
            'joint "joint1" has no bound on its acceleration.',
        ),
        (
            "bounds.acceleration = 1\n[[points]]\nq = [0, 0]\ntime = 3\n[[points]]\nq = [1, 1]\ntime = 2",
            "point 2 has time 2 s, after point 1 at 3 s; expected times that go forwards.",
        ),
        (
            "bounds.acceleration = 1\n[[points]]\nq = [0, 0]\n[[points]]\nposition = [3, 0, 0]",
            'point 2: unreachable: the frame lies 2.25 m out of the reach of joint "joint2".',
        ),
        ("points = 3", "points: found 3, expected tables, each under [[points]]."),
        ("points = [", "not valid TOML:"),
    ],
)
def test_a_request_that_cannot_be_is_refused_with_the_point_the_joint_and_the_bound(
    tmp_path: Path, text: str, sentence: str
) -> None:
    path = tmp_path / "request.toml"
    path.write_text(text, encoding="utf-8")
    assert sentence in refusal("planar2", path)


def test_files_and_options_are_checked(request_file: Path, tmp_path: Path) -> None:
    assert "a motion is kept in a .json, .csv or .npz file." in refusal(
        "planar2", request_file, "-o", "a.txt"
    )
    assert "a drawing is an .svg file." in refusal("planar2", request_file, "--plot", "a.png")
    assert "cannot be read: No such file" in refusal("planar2", tmp_path / "nowhere.toml")
    assert 'no method "cubix"' in refusal("planar2", request_file, "--planner", "cubix")
    assert "--velocity has 3 numbers, expected 2." in refusal(
        "planar2", request_file, "--velocity", "1,2,3"
    )
    assert "step is 0; expected a time above zero." in refusal(
        "planar2", request_file, "--step", "0", "-o", tmp_path / "a.csv"
    )
    assert "expected an array of 6 numbers" in refusal("stanford", request_file)
    (tmp_path / "there.json").write_text("{}", encoding="utf-8")
    assert "will not replace" in refusal("planar2", request_file, "-o", tmp_path / "there.json")


def test_torques_of_a_motion_of_another_robot_are_refused(request_file: Path, tmp_path: Path) -> None:
    run("plan", "planar2", request_file, "-o", tmp_path / "a.json")
    done = run("torque", "planar3", tmp_path / "a.json")
    assert done.exit_code == 2
    assert "a.json: the motion has no joint joint3, which planar3 has." in done.stderr
