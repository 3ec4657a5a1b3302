"""``strobe ik``: poses given in every way, solutions with their branches and limits, and every mistake."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import strobe
from tests.cli.verb import Verb

GOLDEN = "0.3,0.9,0.6,-0.4,0.7,1.1"
POSE = [  # of the Stanford arm there
    [0.385550074088, 0.702045118871, 0.598735159682, 0.560961702979],
    [-0.578495478059, 0.689448621094, -0.435894001723, 0.171375055002],
    [-0.718814386498, -0.178306617772, 0.671946893603, 0.96168801398],
    [0, 0, 0, 1],
]


run = Verb("ik")
told = run.told


# -- solutions --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_all_branches_of_the_stanford_arm_are_told_apart() -> None:
    data = told("stanford", "--at", GOLDEN, "--all")
    assert data["recognised"] == "spherical wrist"
    assert (data["count"], data["within_limits"], data["status"]) == (8, 4, "solved")
    assert len({solution["branch"] for solution in data["solutions"]}) == 8
    own = min(
        data["solutions"],
        key=lambda x: float(np.abs(np.subtract(x["q"], [0.3, 0.9, 0.6, -0.4, 0.7, 1.1])).max()),
    )
    assert np.allclose(own["q"], [0.3, 0.9, 0.6, -0.4, 0.7, 1.1], atol=1e-9)
    outside = [x for x in data["solutions"] if not x["within"]]
    assert all(x["beyond"][0]["joint"] == "joint3" and x["beyond"][0]["bound"] == "lower" for x in outside)
    assert outside[0]["beyond"][0]["by"] == pytest.approx(0.9048)


def test_every_solution_brings_the_frame_to_the_pose() -> None:
    data = told("puma560", "--pose", "0.3 0.2 0.9 0.1 0.4 -0.2", "--all", code=0)
    robot = strobe.Robot(strobe.load("puma560").model, compiled=False)
    for solution in data["solutions"]:
        assert np.allclose(robot.forward_kinematics(solution["q"]), data["pose"], atol=1e-9)


@pytest.mark.slow
def test_a_pose_is_the_same_however_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "pose.json"
    path.write_text(json.dumps(POSE))
    expected = told("stanford", "--at", GOLDEN)["pose"]
    assert np.allclose(told("stanford", "--pose", str(path))["pose"], expected, atol=1e-11)
    path.write_text(json.dumps({"pose": expected}))
    assert told("stanford", "--pose", str(path))["pose"] == expected
    turned = told("ur5", "--pose", "0.3", "0.2", "0.4", "pi", "0", "0")["pose"]
    assert np.allclose(
        told("ur5", "--position", "0.3 0.2 0.4", "--quaternion=0,1,0,0")["pose"], turned, atol=1e-15
    )


def test_a_position_alone_and_an_orientation_alone_may_be_asked_for() -> None:
    place = told("planar2", "--position", "0.4 0.3 0", "--all")
    assert (place["what"], place["count"]) == ("position", 2)
    turn = told("stanford", "--quaternion", f"{math.cos(0.2)} 0 0 {math.sin(0.2)}")
    robot = strobe.Robot(strobe.load("stanford").model, compiled=False)
    reached = robot.forward_kinematics(turn["solutions"][0]["q"])
    assert turn["what"] == "orientation"
    assert np.allclose(reached[:3, :3], np.array(turn["pose"])[:3, :3], atol=1e-5)


@pytest.mark.slow
def test_the_nearest_to_q0_comes_first_and_alone_without_all() -> None:
    near = "-2.2,-0.9,0.6,2.5,1.1,0.8"
    done = run("stanford", "--at", GOLDEN, "--q0", near)
    assert done.exit_code == 0
    assert "note: the best of 8 solutions; --all shows the others." in done.stderr
    (row,) = [line for line in done.stdout.splitlines() if line.startswith("1 ")]
    assert "-2.20832" in row
    assert "(−,+,+) shoulder right, slide forwards, wrist " in row
    assert "\n2 " not in done.stdout


@pytest.mark.slow
def test_a_search_takes_over_where_no_closed_form_is_known() -> None:
    data = told(
        "biped10", "--at", "0.05,0.12,0.25,-0.3,-0.04,0.06,0.35,-0.5,0.15,-0.02", "--solver", "numeric"
    )
    assert data["recognised"] == "numeric"
    assert data["solutions"][0]["residual"] < 1e-5
    assert len(data["moving"]) == 10


def test_seven_joints_are_searched_for_and_all_of_them_are_a_family() -> None:
    pose = ("panda", "--pose", "0.4 0.1 0.5 pi 0 0")
    done = run(*pose)
    assert done.exit_code == 0
    assert "numeric: 1 of 1 solution within the limits." in done.stdout
    assert "note: one of infinitely many solutions; --all shows a family of them." in done.stderr
    family = told(*pose, "--all")
    assert (family["recognised"], family["parameter"], family["count"]) == ("redundant 7R", "joint7", 16)
    assert "redundant 7R (joint7 is the parameter): 16 of 16" in run(*pose, "--all").stdout


def test_where_branches_meet_is_told() -> None:
    done = run("stanford", "--at", "0.3,0,0.6,-0.4,0.7,1.1", "--all")
    assert "the pose is singular: two branches meet at joint1." in done.stdout


def test_another_frame_moves_fewer_joints() -> None:
    data = told(
        "biped10", "--at", "0.05,0.12,0.25,-0.3,-0.04,0.06,0.35,-0.5,0.15,-0.02", "--frame", "stance_thigh"
    )
    assert data["moving"] == ["stance_ankle_roll", "stance_ankle_pitch", "stance_knee"]


# -- no solution ------------------------------------------------------------------------------------------


def test_an_unreachable_pose_says_why_and_exits_with_one() -> None:
    done = run("stanford", "--pose", "0.1 0 0.8 0 0 0")
    assert done.exit_code == 1
    assert "spherical wrist: no solution." in done.stdout
    assert "unreachable: the wrist lies 0.054 m inside the cylinder of radius 0.154 m" in done.stdout


def test_a_pose_outside_the_limits_says_which_joint_and_which_bound() -> None:
    done = run("stanford", "--pose", "0.5 0.2 3.0 0 0 0", "--all")
    assert done.exit_code == 1
    assert "spherical wrist: 0 of 8 solutions within the limits." in done.stdout
    assert 'joint "joint3" is at 2.38158 m' in done.stdout
    assert "joint3 above 1.27 by 1.11158" in done.stdout


def test_a_singular_pose_names_the_joint_that_is_free() -> None:
    done = run("stanford", "--at", "0.3,0.9,0.6,-0.4,0,1.1")
    assert done.exit_code == 0
    assert (
        "the pose is singular: joint4 could stand anywhere in some solutions, and stays put." in done.stdout
    )


# -- mistakes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "say where the frame is to be: --pose x y z roll pitch yaw, --pose FILE.json,"),
        (["--pose", "0 0 0 0 0 0", "--at", GOLDEN], "the pose comes from --pose and from --at; give one of them."),
        (
            ["--pose", "1 2 3"],
            "--pose has 3 numbers, expected 6. They are x y z roll pitch yaw; a matrix comes from a .json file.",
        ),
        (["--pose", "1 2 3 nan 0 0"], '--pose: "nan" is not a finite number.'),
        (["--position", "1 2"], "--position has 2 numbers, expected 3. They are x y z."),
        (["--quaternion", "1 1 0 0"], "quaternion has length 1.41421 instead of 1. Divide it by its length."),
        (["--at", "1 2"], "--at has 2 numbers, expected 6. The order of stanford: joint1, joint2,"),
        (["--at", GOLDEN, "--q0", "0"], "--q0 has 1 number, expected 6."),
        (["--at", GOLDEN, "--frame", "tol"], "no frame \"tol\" in stanford. Did you mean 'tool'?"),
        (["--at", GOLDEN, "--solver", "analitic"], '--solver "analitic" is none of auto, analytic, numeric.'),
        (["--at", GOLDEN, "--frame", "base"], 'no joint of stanford moves frame "base".'),
        (["--pose", "no_such.json"], "no_such.json: cannot be read: No such file or directory."),
    ],
)  # fmt: skip
def test_a_mistake_is_a_sentence(arguments: list[str], sentence: str) -> None:
    done = run("stanford", *arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[1, 0], [0, 1]]", "holds no pose; expected four rows of four numbers, alone or under the key"),
        ("{}", "holds no pose"),
        ('"pose"', "holds no pose"),
        ("[[NaN,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]", "holds no pose"),
        ("[[2,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]", "pose is no rotation"),
        ("[[1,0,0,0],[0,1,0,0],[0,0,1,0],[1,2,3,1]]", "expected (0, 0, 0, 1)"),
        ("{", "not valid JSON"),
    ],
)
def test_a_file_that_holds_no_pose_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "pose.json"
    path.write_text(text)
    done = run("stanford", "--pose", str(path))
    assert done.exit_code == 2, done.output
    assert sentence in done.stderr


def test_a_closed_form_asked_of_an_arm_without_one_is_refused() -> None:
    done = run("biped10", "--at", "0,0,0,0,0,0,0,0,0,0", "--solver", "analytic")
    assert done.exit_code == 2
    assert "Use --solver numeric." in done.stderr
