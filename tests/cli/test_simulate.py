"""``strobe simulate``: torques in, motions, books and drawings out, and every mistake in one sentence."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.models.load import load_model
from strobe.models.toml_writer import write_toml
from strobe.simulate import Run
from strobe.trajectory.files import write
from tests.cli.verb import Verb

run = Verb("simulate")


IMPATIENT = "from strobe.cli import main, progress; progress.PATIENCE = progress.PAUSE[False] = 0.1; main()"


def interrupted(*arguments: str) -> str:
    """What a run says that is stopped by Ctrl-C once it has come somewhere.

    It hears the signal even where a shell in the background has told its children not to.
    """
    going = subprocess.Popen(
        [sys.executable, "-c", IMPATIENT, "simulate", *arguments],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert going.stderr is not None
    heard = next(line for line in going.stderr if re.match(r"simulating: [1-9]", line))
    going.send_signal(signal.SIGINT)
    _, said = going.communicate(timeout=60)
    assert going.returncode == 130
    assert "the run was interrupted." in said
    return heard + said


told = run.told
refusal = run.refusal


def test_a_joint_that_falls_through_its_limit_is_told_with_what_would_hold_it() -> None:
    fall = ("stanford", "--duration", "0.5", "--step", "0.01", "--q", "0,0,0.8,0,0,0")
    said = run(*fall).stderr
    assert (
        'warning: joint "joint3" goes to -0.4263 m, 0.7311 m below its limit 0.3048 m (first at t = 0.32 s'
        in said
    )
    assert "limits act only with --stops." in said
    found = told(*fall)["exceeded"][0]
    assert (found["kind"], found["joint"], found["limit"]) == ("position", "joint3", 0.3048)
    assert "--stops" not in run(*fall, "--stops").stderr


# -- a run ----------------------------------------------------------------------------------------------------


def test_the_run_is_that_of_python_and_its_books_are_told(tmp_path: Path) -> None:
    path = tmp_path / "out.npz"
    start = ("pendulum3", "--duration", "0.5", "--step", "0.005")
    data = told(*start, "--q", "0.3", "0.8", "0.4", "--torque", "0.1,-0.2,0", "-o", path)
    robot = strobe.load("pendulum3")
    wanted = strobe.simulate(robot, [0.3, 0.8, 0.4], np.zeros(3), [0.1, -0.2, 0], 0.5, step=0.005)
    back = Run.from_npz(path, robot)
    np.testing.assert_array_equal(back.q, wanted.q)
    assert data["to"] == wanted.q[-1].tolist()
    assert (data["method"], data["step"], data["rows"], data["status"]) == ("rk4", 0.005, 101, "done")
    assert data["energy"]["work"]["drive"] == wanted.audit.work_of("drive")[-1]
    assert data["energy"]["end"]["kinetic"] == wanted.audit.kinetic[-1]
    assert data["assumed"] == {"qd": "0"}
    shown = run(*start, "--q", "0.3,0.8,0.4").stdout
    assert "rk4 in steps of 0.005 s: 0.5 s, 101 rows" in shown
    assert "unaccounted for" in shown
    assert "largest torque" not in shown  # nothing drives it


def test_a_planned_motion_is_fed_forward(tmp_path: Path) -> None:
    arm = strobe.load("planar3")
    motion = arm.plan([(0, 0.3, 0.1), (0.5, 0.6, 0.4)], velocity=2, acceleration=4)
    write(motion, tmp_path / "traj.json", arm)
    data = told("planar3", "--trajectory", tmp_path / "traj.json", "--plot", tmp_path / "out.svg")
    assert data["reached"] == pytest.approx(motion.duration)
    assert data["assumed"] == {}
    np.testing.assert_allclose(data["from"], [0, 0.3, 0.1], atol=1e-12)
    np.testing.assert_allclose(data["to"], [0.5, 0.6, 0.4], atol=1e-3)
    assert "kinetic energy" in (tmp_path / "out.svg").read_text(encoding="utf-8")


def test_torques_of_a_file_drive_it(tmp_path: Path) -> None:
    (tmp_path / "tau.csv").write_text(
        "t,tau_joint1,tau_joint2,tau_joint3\n0,0,0,1\n0.1,1,0,0\n", encoding="utf-8"
    )
    robot = strobe.load("pendulum3")
    q = [0.1, 0.2, 0.3]
    for hold, flags in (("linear", ()), ("zero-order", ("--hold",))):
        table = strobe.simulate.TimeSeries([0, 0.1], [[0, 0, 1], [1, 0, 0]], hold)
        wanted = strobe.simulate(robot, q, np.zeros(3), table, 0.1, step=1e-2)
        data = told(
            "pendulum3", "--q", "0.1,0.2,0.3", "--torque", tmp_path / "tau.csv", "--step", "0.01", *flags
        )
        assert data["to"] == wanted.q[-1].tolist()


@pytest.mark.slow
def test_options_are_those_of_the_simulation() -> None:
    robot = strobe.load("planar2")
    state = [0.4, 0.2], [0.1, 0]
    start = (
        "planar2",
        "--q",
        "0.4,0.2",
        "--qd",
        "0.1,0",
        "--duration",
        "0.1",
        "--step",
        "1e-4",
        "--every",
        "10",
    )
    for flags, how in [
        (("--stops", "--limits", "--torque", "80,0"), {"stops": True, "limits": True, "torque": [80, 0]}),
        (("--payload", "2", "--no-friction", "--wrench", "1", "2", "0", "0", "0", "0"),
         {"payload": [2, 0, 0, 0], "friction": False, "wrench": [1, 2, 0, 0, 0, 0]}),
        (("--conserve-energy", "--formulation", "composite-body"),
         {"conserve_energy": True, "formulation": "composite-body"}),
    ]:  # fmt: skip
        wanted = strobe.simulate(robot, *state, how.pop("torque", None), 0.1, step=1e-4, every=10, **how)
        assert told(*start, *flags)["to"] == wanted.q[-1].tolist(), flags
    assert told(*start, "--estimate-error")["error"]["q"] > 0
    data = told("puma560", "--pose", "ready", "--duration", "0.01", "--integrator", "radau")
    assert data["from"] == pytest.approx([0, np.pi / 2, -np.pi / 2, 0, 0, 0])
    assert data["step"] is None


def test_a_run_that_diverges_is_written_and_ends_with_1(tmp_path: Path) -> None:
    start = ("pendulum3", "--q", "0.1,0.2,0.3", "--duration", "0.1", "--step", "1e-3")
    done = run(*start, "--torque", "0,0,1e14", "-o", tmp_path / "a.csv")
    assert done.exit_code == 1
    assert "warning: after 0" in done.stderr
    assert "the motion grew beyond all bounds" in done.stderr
    assert 'joint "joint' in done.stderr
    assert (tmp_path / "a.csv").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no such signals there")
def test_ctrl_c_keeps_what_is_done_and_the_run_goes_on_from_there(tmp_path: Path) -> None:
    part, rest = tmp_path / "part.npz", tmp_path / "rest.npz"
    setting = ["pendulum3", "--q", "0.3,0.8,0.4", "--step", "1e-3", "--every", "100000"]
    said = interrupted(*setting, "--duration", "1e7", "-o", str(part))
    assert " of 10,000,000,000 ms\n" in said
    assert f"note: the same command with --resume {part} and another -o goes on from there." in said
    robot = strobe.load("pendulum3")
    done = Run.from_npz(part, robot)
    reached = float(done.stopped)
    assert done.checkpoint is not None
    assert 0 < reached < 1e7
    state = [np.array([0.3, 0.8, 0.4]), np.zeros(3)]
    end = round(reached) + 100.0
    data = told(*setting, "--duration", end, "--resume", part, "-o", rest)
    assert data["rows"] >= 1
    assert data["reached"] == end
    whole = strobe.simulate(robot, *state, None, end, step=1e-3, every=100000)
    np.testing.assert_array_equal(Run.from_npz(rest, robot).q[-1], whole.q[-1])


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no such signals there")
def test_ctrl_c_keeps_the_rows_of_scipys_methods_and_a_csv_file_is_not_gone_on_with(tmp_path: Path) -> None:
    for method, told_to in (("rk45", False), ("rk4", True)):
        path = tmp_path / f"{method}.csv"
        start = [
            "pendulum3",
            "--q",
            "0.3,0.8,0.4",
            "--duration",
            "1e5",
            "--integrator",
            method,
            "-o",
            str(path),
        ]
        said = interrupted(*start)
        assert ("only -o FILE.npz keeps a state that --resume could go on from." in said) == told_to
        assert path.read_text(encoding="utf-8").count("\n") > 1


def test_what_deserves_a_look_is_told_before_the_run_and_once() -> None:
    done = run("planar2", "--qd", "100,0", "--q", "9,0", "--duration", "0.01", "--step", "1e-3", "--json")
    warnings = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert [line.split(";")[-1] for line in warnings[:2]] == [
        " limits act only with --stops.",
        " velocity limits act only with --limits.",
    ]
    assert "step is 0.001 s, too long for rk4" in warnings[2]
    assert [f"warning: {note}" for note in json.loads(done.stdout)["notes"]] == warnings
    assert "note: joint" not in done.stderr


# -- mistakes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["planar2"], "give --duration SECONDS: how long the run lasts."),
        (["planar2", "--duration", "0"], "t is 0 s; a run needs a duration above zero."),
        (["planar2", "--duration", "1", "--step", "-1"], "step is -1.0; expected a time above zero."),
        (["planar2", "--duration", "nan"], "--duration is nan; expected a number of seconds above zero."),
        (["planar2", "--duration", "inf"], "--duration is inf; expected a number of seconds above zero."),
        (["planar2", "--duration", "1", "--integrator", "rk5"], 'no method "rk5" in strobe. Did you mean'),
        (["planar2", "--duration", "1", "--torque", "1"],
         "--torque has 1 number, expected 2. The order of planar2: joint1"),
        (["planar2", "--duration", "1", "--torque", "1,x"], '--torque: "x" is not a number'),
        (["planar2", "--duration", "1", "--torque", "a.csv"], "a.csv: cannot be read: No such file or directory."),
        (["planar2", "--duration", "1", "--hold"], "--hold is for the torques of a file"),
        (["planar2", "--duration", "1", "--torque", "1,1", "--trajectory", "b.json"],
         "--torque or from --trajectory, not from both."),
        (["planar2", "--duration", "1", "--frame", "tool"], "--frame says where a wrench or a payload acts"),
        (["planar2", "--duration", "1", "--torque", __file__],
         ".py: torques over time are read from a .csv or .npz file."),
        (["planar2", "--duration", "1", "--step", "1e-12"],
         "step is 1e-12 s: the run would take 1,000,000,000,000 steps"),
        (["planar2", "--trajectory", "b.json"], "b.json: cannot be read"),
        (["puma560", "--duration", "1", "--pose", "redy"], "no pose \"redy\" in puma560. Did you mean 'ready'?"),
        (["puma560", "--duration", "1", "--pose", "ready", "--q", "0"], "stands at --pose or at --q, not at both."),
        (["puma560", "--duration", "1", "--pose", "ready", "--lock", "joint1=0"],
         "puma560 names no poses; give --q."),
        (["planar2", "--duration", "1", "--q", "9,0", "--stops"], 'joint "joint1" starts at 9, outside its limits'),
        (["planar2", "--duration", "1", "--payload", "1,2"], "--payload has 2 numbers, expected 1 (mass), 4"),
        (["planar2", "--duration", "1", "--payload", "-1"], "payload has the mass -1 kg; a mass is not negative."),
        (["planar2", "--duration", "1", "--payload", "1,0,0,0,1,0.1,0.1,0,0,0"],
         "payload has about its centre of mass the"),
        (["planar2", "--duration", "1", "-o", "a.txt"], "a.txt: a run is kept in an .npz, .csv or .mcap file."),
        (["planar2", "--duration", "1", "--plot", "a.png"], "--plot a.png: a drawing is an .svg file."),
        (["planar2", "--duration", "1", "--resume", "c.npz"], "c.npz: cannot be read"),
        (["rx90", "--duration", "1"], "has no dynamics"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_one_sentence(arguments: list[str], sentence: str) -> None:
    assert sentence in refusal(*arguments)


def test_a_run_of_another_robot_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "part.npz"
    told("planar3", "--duration", "0.01", "--step", "1e-3", "-o", path)
    assert "a run of planar3 with joints" in refusal("planar2", "--duration", "1", "--resume", path)
    said = refusal("planar3", "--gravity", "0,0,-1", "--duration", "1", "--resume", path)
    assert "planar3 has changed since this run was made (gravity.linear.y was -9.81 and is 0.0; " in said
    assert said.rstrip().endswith("it cannot be gone on with.")
    assert "will not replace" in refusal("planar3", "--duration", "1", "-o", path)


def test_a_robot_whose_limits_changed_is_not_gone_on_with(tmp_path: Path) -> None:
    text = write_toml(load_model("planar2"))
    assert text.count(", 2.6]") == 1
    arm, path = tmp_path / "arm.toml", tmp_path / "part.npz"
    arm.write_text(text)
    told(str(arm), "--duration", "0.001", "--step", "1e-4", "--stops", "-o", path)
    arm.write_text(text.replace(", 2.6]", ", 1.5]"))
    said = refusal(str(arm), "--duration", "0.002", "--stops", "--resume", path)
    assert 'has changed since this run was made (joint "joint2": limits.upper was 2.6 and is 1.5)' in said
