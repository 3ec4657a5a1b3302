"""Every verb means the same frame where none is named: the tip, which it says; or it asks for a name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.kinematics.denavit_hartenberg import denavit_hartenberg
from strobe.robot import Robot
from tests.cli.verb import Verb

LINK = (
    '<link name="{}"><inertial><origin xyz="0.2 0.01 0.02"/><mass value="2"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="{0}" type="{3}"><parent link="{1}"/><child link="{2}"/><origin xyz="{4}"/><axis xyz="0 1 0"/>'
    '<limit lower="-3" upper="3" velocity="2" effort="90"/></joint>'
)
ARM = [  # ends on a frame that rests, as the files of Universal Robots do
    ("shoulder", "base", "upper", "revolute", "0 0 0.3"), ("elbow", "upper", "fore", "revolute", "0.4 0 0"),
    ("to_ee", "fore", "ee_link", "fixed", "0.3 0 0"), ("to_tool", "fore", "tool0", "fixed", "0.35 0.1 0"),
    ("to_table", "base", "table", "fixed", "0 0 -0.1"),
]  # fmt: skip
FORK = [
    ("left", "base", "left_arm", "revolute", "0 0.2 0.3"), ("right", "base", "right_arm", "revolute", "0 -0.2 0.3"),
    ("to_table", "base", "table", "fixed", "0 0 -0.1"),
]  # fmt: skip
REQUEST = """
[bounds]
acceleration = 4
[[points]]
q = [0.1, 0.3]
[[points]]
{}
"""
SWEEP = """
task = "torque"
robots = ["{}"]
samples = 4
[payload]
mass = {{ values = [0, 5] }}
{}
"""
TOLD = 'note: no frame was named: "tool0" is meant, the tip of arm, not "ee_link".'
ASKED = (
    'fork ends in 2 tips, and no frame was named. Name the frame, for example "left_arm" or "right_arm".'
)
REFUSED = (
    'no joint of arm moves frame "table". Name a frame that joints move, such as "tool0"; see robot.frames.'
)
STATE = ["--q", "0.3,0.4"]


def urdf(name: str, joints: list[tuple[str, ...]]) -> str:
    links = dict.fromkeys(link for joint in joints for link in joint[1:3])
    parts = [*(LINK.format(link) for link in links), *(JOINT.format(*joint) for joint in joints)]
    return f'<robot name="{name}">{"".join(parts)}</robot>'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(urdf("arm", ARM))
    Path("fork.urdf").write_text(urdf("fork", FORK))
    Path("joints.toml").write_text(REQUEST.format("q = [0.5, 0.6]"))
    Path("hand.toml").write_text(REQUEST.format("position = [0.6, 0.1, 0.1]"))
    Path("named.toml").write_text('frame = "tool0"\n' + Path("hand.toml").read_text())
    Path("sweep.toml").write_text(SWEEP.format("arm.urdf", ""))
    Path("named_sweep.toml").write_text(SWEEP.format("arm.urdf", 'frame = "tool0"'))
    return tmp_path


run = Verb()


def told(*arguments: str) -> tuple[Any, str]:
    done = run(*arguments, "--json")
    assert done.exit_code in (0, 1), done.output
    return json.loads(done.stdout), done.stderr


VERBS = {
    "torque": ["torque", "{}", *STATE, "--wrench", "1,2,3,4,5,6"],
    "explain": ["explain", "{}", *STATE, "--wrench", "1,2,3,4,5,6"],
    "simulate, wrench": ["simulate", "{}", *STATE, "--duration", "0.05", "--wrench", "1,2,3,4,5,6"],
    "simulate, payload": ["simulate", "{}", *STATE, "--duration", "0.05", "--payload", "5"],
    "control": ["control", "{}", "joints.toml", "--payload", "5", "--rate", "100"],
    "ik": ["ik", "{}", "--at", "0.3,0.4"],
    "compile": ["compile", "{}", "jacobian", "-o", "out", "--force"],
}


def without_times(data: Any) -> Any:
    """What depends on nothing but the question."""
    if isinstance(data, dict):
        return {
            key: without_times(x)
            for key, x in data.items()
            if key not in ("ns", "seconds", "wall", "output")
        }
    return [without_times(x) for x in data] if isinstance(data, list) else data


EACH = [pytest.param(verb, marks=[pytest.mark.slow] if verb == "control" else []) for verb in VERBS]


@pytest.mark.parametrize("verb", EACH)
def test_a_verb_means_the_tip_and_says_so(verb: str, folder: Path) -> None:
    command = [word.format("arm.urdf") for word in VERBS[verb]]
    data, said = told(*command)
    named, unsaid = told(*command, "--frame", "tool0")
    assert data["frame"] == named["frame"] == "tool0"
    assert without_times(data) == without_times(named)
    assert TOLD in said
    assert "--frame names another." in said
    assert "no frame was named" not in unsaid
    other, _ = told(*command, "--frame", "upper")
    assert without_times(other) != without_times(named) or verb == "compile"


@pytest.mark.parametrize("verb", EACH)
def test_a_verb_refuses_a_frame_at_rest_and_asks_for_one_of_several(verb: str, folder: Path) -> None:
    at_rest = run(*(word.format("arm.urdf") for word in VERBS[verb]), "--frame", "table")
    assert (at_rest.exit_code, at_rest.stdout) == (2, "")
    assert REFUSED in at_rest.stderr
    fork = [word.format("fork.urdf") for word in VERBS[verb]]
    unnamed = run(*fork)
    assert (unnamed.exit_code, unnamed.stdout) == (2, "")
    assert ASKED in unnamed.stderr
    assert run(*fork, "--frame", "left_arm").exit_code in (0, 1)


def test_where_no_frame_is_needed_none_is_asked_for(folder: Path) -> None:
    for command in (
        ["torque", "fork.urdf", *STATE],
        ["simulate", "fork.urdf", *STATE, "--duration", "0.05"],
    ):
        data, said = told(*command)
        assert "frame" not in data
        assert "frame was named" not in said


@pytest.mark.slow
def test_a_loop_watches_the_tip_that_is_farthest_off(folder: Path) -> None:
    data, said = told("control", "fork.urdf", "joints.toml", "--rate", "100")
    assert data["frame"] == ["left_arm", "right_arm"]
    assert "the hand is the one farthest off of left_arm, right_arm; --frame names one." in said
    errors = [
        told("control", "fork.urdf", "joints.toml", "--rate", "100", "--frame", x)[0] for x in data["frame"]
    ]
    alone = [each["loops"][0]["hand"]["largest"] for each in errors]
    assert data["loops"][0]["hand"]["largest"] == pytest.approx(max(alone))


def test_the_code_that_is_written_names_the_frame_and_is_of_it(folder: Path) -> None:
    assert run("compile", "arm.urdf", "jacobian", "-o", "out").exit_code == 0
    headers = [path.read_text() for path in Path("out").glob("*.h")]
    assert any("Frame: tool0" in text for text in headers)
    made = strobe.load("arm.urdf").export("jacobian")
    assert made.request.frame is None or made.request.frame == "tool0"
    assert np.abs(made.expected.results).max() > 0.1  # 36 zeros would agree with anything


def test_a_plan_brings_the_tip_to_its_points(folder: Path) -> None:
    data, said = told("plan", "arm.urdf", "hand.toml")
    named, unsaid = told("plan", "arm.urdf", "named.toml")
    assert data["frame"] == named["frame"] == "tool0"
    assert without_times(data) == without_times(named)
    assert TOLD in said
    assert "no frame was named" not in unsaid
    refused = run("plan", "fork.urdf", "hand.toml")
    assert refused.exit_code == 2
    assert ASKED in refused.stderr
    assert told("plan", "fork.urdf", "joints.toml")[0]["frame"] is None


@pytest.mark.slow
def test_a_sweep_loads_the_tip_and_says_so(folder: Path) -> None:
    found = {}
    for name in ("sweep", "named_sweep"):
        done = run("sweep", f"{name}.toml", "-o", name)
        assert done.exit_code == 0, done.output
        found[name] = done.stderr
    assert 'no frame was named: "tool0" is meant, the tip of arm, not "ee_link".' in found["sweep"]
    assert "no frame was named" not in found["named_sweep"]
    unnamed = SWEEP.format("fork.urdf", "")
    Path("fork.toml").write_text(unnamed)
    refused = run("sweep", "fork.toml", "-o", "fork")
    assert refused.exit_code == 2
    assert ASKED in refused.stderr


def test_equations_are_of_the_tip_and_leave_out_what_has_no_frame(folder: Path) -> None:
    done = run("equations", "arm.urdf", "--only", "jacobian")
    assert 'Jacobian of the frame "tool0"' in done.stdout
    whole = run("equations", "fork.urdf")
    assert whole.exit_code == 0
    assert "Equations of motion" in whole.stdout
    assert " ".join(ASKED.split()) in " ".join(whole.stdout.split())
    refused = run("equations", "fork.urdf", "--only", "jacobian")
    assert refused.exit_code == 2
    assert ASKED in refused.stderr
    assert run("equations", "arm.urdf", "--frame", "table", "--only", "jacobian").exit_code == 2
    placed = run("equations", "arm.urdf", "--frame", "table", "--only", "fk")
    assert placed.exit_code == 0
    assert 'no joint of arm moves frame "table": its place is the same in every position.' in placed.stderr


def test_a_table_of_axes_and_the_overview_name_the_tip(folder: Path) -> None:
    assert TOLD in run("convert", "arm.urdf", "--to", "dh").stderr
    assert ASKED in run("convert", "fork.urdf", "--to", "dh").stderr
    assert told("info", "arm.urdf")[0]["tips"] == ["tool0"]
    assert "the tip is tool0" in run("info", "arm.urdf").stdout
    assert told("info", "fork.urdf")[0]["tips"] == ["left_arm", "right_arm"]
    assert "2 tips: left_arm, right_arm" in run("info", "fork.urdf").stdout


def test_python_means_the_same(folder: Path) -> None:
    robot = Robot(strobe.load("arm.urdf").model, compiled=False)
    q, qd, qdd = robot.random_state(seed=3)
    F, pose = np.arange(1.0, 7), robot.forward_kinematics(q, "tool0")
    same = {
        "forward_kinematics": lambda **f: robot.forward_kinematics(q, **f),
        "jacobian": lambda **f: robot.jacobian(q, **f),
        "wrench": lambda **f: robot.inverse_dynamics(q, qd, qdd, wrench=F, **f),
        "payload": lambda **f: robot.with_payload(5.0, **f).gravity(q),
        "manipulability": lambda **f: robot.manipulability(q, **f, of=("x", "z")),
        "hand": lambda **f: robot.hand(q, qd, **f).twist,
        "ik": lambda **f: robot.inverse_kinematics(pose[:3, 3], what="position", **f).q,
        "explain": lambda **f: robot.explain(q, qd, qdd, wrench=F, **f).values,
        "simulate": lambda **f: robot.simulate(q, qd, None, 0.02, payload=[5.0, 0, 0, 0], **f).q,
        "track": lambda **f: robot.track(pose[None, :3, 3], q, what="position", **f).q,
        "closed form": lambda **f: robot.equations(numbers=True).jacobian(**f)[0][0].key,
        "export": lambda **f: robot.export("jacobian", **f).files.keys(),
        "table": lambda **f: denavit_hartenberg(robot, **f).frame,
    }  # fmt: skip
    for name, ask in same.items():
        assert np.array_equal(np.asarray(ask(), object), np.asarray(ask(frame="tool0"), object)), name
    assert np.abs(robot.with_payload(5.0).gravity(q) - robot.gravity(q)).max() > 1.0


def test_a_study_looks_at_the_tip(folder: Path) -> None:
    from strobe.study import kinematics, view
    from strobe.study.case import Case

    case = Case.of(strobe.load("arm.urdf"), quick=True)
    assert case.hand == view.measure(case)["tool"]["name"] == kinematics.measure(case)["frame"] == "tool0"
    fork = Case.of(strobe.load("fork.urdf"), quick=True)
    data = kinematics.measure(fork)
    assert data["frame"] == "right_arm"
    assert "of the tips left_arm, right_arm this is about right_arm" in "\n".join(
        map(str, kinematics.render(data))
    )
