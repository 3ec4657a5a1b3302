"""``strobe fk``: poses and twists against Pinocchio, there and back with ``strobe ik``, and every mistake."""

from __future__ import annotations

import csv
import json
import math
import shlex
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import strobe
from strobe.cli import app
from strobe.models.urdf_writer import write_urdf
from tests.cli.verb import Verb

GOLDEN = "0.3,0.9,0.6,-0.4,0.7,1.1"


run = Verb("fk")
told = run.told


def numbers(text: str) -> list[float]:
    return [float(word) for word in text.split(",")]


# -- one state --------------------------------------------------------------------------------------------


def test_pose_and_twist_are_those_of_pinocchio() -> None:
    at, rates = "0.2,-0.8,0.1,-2.4,0.3,1.6,0.8", "0.5,-0.4,0.3,0.2,-0.1,0.7,0.9"
    pin = pytest.importorskip("pinocchio")
    text, _ = write_urdf(strobe.load("panda").model)
    model = pin.buildModelFromXML(text)
    data = model.createData()
    q, qd = np.array(numbers(at)), np.array(numbers(rates))
    name = strobe.load("panda").tip
    pin.forwardKinematics(model, data, q, qd)
    pin.updateFramePlacements(model, data)
    found = told("panda", "--q", at, "--qd", rates)["frames"][0]
    index = model.getFrameId(name)
    place = data.oMf[index]
    moving = pin.getFrameVelocity(model, data, index, pin.LOCAL_WORLD_ALIGNED)
    assert found["frame"] == name
    assert np.allclose(found["pose"], place.homogeneous, atol=1e-12)
    assert np.allclose(found["rpy"], pin.rpy.matrixToRpy(place.rotation), atol=1e-12)
    w, *xyz = found["quaternion"]
    assert np.allclose(np.abs([*xyz, w]), np.abs(pin.SE3ToXYZQUAT(place)[3:]), atol=1e-12)
    assert np.allclose(found["rotation_vector"], pin.log3(place.rotation), atol=1e-12)
    assert np.allclose(found["velocity"], moving.linear, atol=1e-12)
    assert np.allclose(found["angular_velocity"], moving.angular, atol=1e-12)


def test_waters_angles_are_those_of_the_axes_seen_along_base_axes() -> None:
    found = told("stanford", "--q", GOLDEN)["frames"][0]
    R = np.array(found["rotation"])
    expected = [math.atan2(R[2, 1], R[1, 1]), math.atan2(R[0, 2], R[2, 2]), math.atan2(R[1, 0], R[0, 0])]
    assert np.allclose(found["waters"], expected, atol=1e-12)


def test_angles_that_do_not_exist_are_said_so() -> None:
    at = "0,-pi/2"  # the hand's y axis lies along x, from where it is seen as a point
    assert None in told("planar2", "--q", at)["frames"][0]["waters"]
    assert "not defined here" in run("planar2", "--q", at).stdout


def test_the_last_line_leads_back_to_the_joints() -> None:
    shown = run("stanford", "--q", GOLDEN).stdout
    line = next(line for line in shown.splitlines() if line.startswith("back to the joints: "))
    words = shlex.split(line.partition(": ")[2])
    assert words[:2] == ["strobe", "ik"]
    done = CliRunner().invoke(app, [*words[1:], "--q0", GOLDEN, "--json"])
    assert done.exit_code == 0, done.output
    assert np.allclose(json.loads(done.stdout)["solutions"][0]["q"], numbers(GOLDEN), atol=1e-9)


def test_the_json_is_a_pose_for_ik(tmp_path: Path) -> None:
    path = tmp_path / "pose.json"
    path.write_text(run("stanford", "--q", GOLDEN, "--json").stdout)
    done = CliRunner().invoke(app, ["ik", "stanford", "--pose", str(path), "--q0", GOLDEN, "--json"])
    assert np.allclose(json.loads(done.stdout)["solutions"][0]["q"], numbers(GOLDEN), atol=1e-9)


def test_waters_angles_and_rpy_are_taken_back_by_ik() -> None:
    found = told("stanford", "--q", GOLDEN)["frames"][0]
    for way in ("waters", "rpy", "quaternion"):
        place, turn = (" ".join(map(repr, found[key])) for key in ("position", way))
        asked = ["ik", "stanford", "--position", place, f"--{way}", turn, "--q0", GOLDEN, "--json"]
        done = CliRunner().invoke(app, asked)
        assert np.allclose(json.loads(done.stdout)["solutions"][0]["q"], numbers(GOLDEN), atol=1e-8), way


def test_several_frames_are_rows_of_one_table_with_units() -> None:
    shown = run("planar2", "--frame", "base", "--frame", "tool", "--q", "0.3 0.4", "--qd", "1,1").stdout
    assert "x m" in shown
    assert "wz rad/s" in shown
    data = told("planar2", "--frame", "base", "--frame", "tool", "--q", "0.3 0.4", "--qd", "1 1")
    still, tool = data["frames"]
    assert still["velocity"] == [0, 0, 0]
    assert tool["angular_velocity"] == [0, 0, 2]
    assert "pose" not in data
    assert len(told("planar2", "--all-frames")["frames"]) == len(strobe.load("planar2").frames)


# -- a log ------------------------------------------------------------------------------------------------


def test_positions_of_a_log_are_enough_for_poses(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("t,q1,q2\n0,0.1,0.2\n0.1,0.3,-0.4\n")
    done = run("planar2", str(log))
    rows = list(csv.reader(done.stdout.splitlines()))
    assert rows[0] == ["t", "x", "y", "z", "roll", "pitch", "yaw"]
    place = strobe.load("planar2").forward_kinematics([0.3, -0.4])
    assert np.allclose([float(x) for x in rows[2][1:4]], place[:3, 3], atol=1e-15)
    assert float(rows[2][6]) == pytest.approx(-0.1)


def test_velocities_of_a_log_move_the_frames(tmp_path: Path) -> None:
    log, out = tmp_path / "log.csv", tmp_path / "poses.csv"
    log.write_text("t,q1,q2,qd1,qd2\n0,0.1,0.2,1,0\n0.1,0.3,-0.4,0,1\n")
    frames = ["--frame", "tool", "--frame", "link1"]
    assert run("planar2", str(log), "--twist", "-o", str(out), *frames).exit_code == 0
    first = next(csv.DictReader(out.read_text().splitlines()))
    assert float(first["tool_wz"]) == 1
    J = strobe.load("planar2").jacobian([0.1, 0.2], "link1")
    assert np.allclose([float(first[f"link1_{v}"]) for v in ("vx", "vy", "vz")], J[:3, 0], atol=1e-15)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["planar2", "--frame", "tol"], "Did you mean 'tool'"),
        (["planar2", "--frame", "tool", "--all-frames"], "give one of them"),
        (["planar2", "--q", "1"], "--q has 1 number, expected 2"),
        (["planar2", "--twist"], "are for logs"),
        (["planar2", "log.csv", "--q", "1,2"], "not from both"),
        (["planar2", "none.csv"], "none.csv"),
    ],
)
def test_a_mistake_is_a_sentence(arguments: list[str], sentence: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_the_way_back_is_that_of_the_same_robot() -> None:
    held = run("planar3", "--lock", "joint3=0.4", "--q", "0.2,0.3").stdout
    words = shlex.split(held.splitlines()[-1].partition(": strobe ")[2])
    assert words[:4] == ["ik", "planar3", "--lock", "joint3=0.4"]
    back = CliRunner().invoke(app, [*words, "--json"])
    assert back.exit_code == 0, back.output
    branches = np.array([each["q"] for each in json.loads(back.stdout)["solutions"]])
    assert np.abs(branches - [0.2, 0.3]).max(axis=-1).min() < 1e-9
    free = run("planar2", "--base", "floating", "--q", "1,2,3,1,0,0,0,0,0").stdout
    assert "in world axes" in free
    assert "strobe ik planar2 --base floating" in free


def test_poses_of_a_closed_chain_in_a_log_follow_its_actuated_joints_or_are_refused(tmp_path: Path) -> None:
    led, wrong = tmp_path / "led.csv", tmp_path / "open.csv"
    led.write_text("t,crank\n0,0.6\n0.1,0.7\n", encoding="utf-8")
    poses = told("fourbar", str(led))["frames"][0]["position"]
    np.testing.assert_allclose(poses[0], told("fourbar", "--q", "0.6")["frames"][0]["position"], atol=1e-9)
    wrong.write_text("t,q1,q2,q3\n0,0.6,0.1,0.2\n", encoding="utf-8")
    done = run("fourbar", str(wrong))
    assert done.exit_code == 2
    assert 'loop "pin" is open by 0.411' in done.stderr
