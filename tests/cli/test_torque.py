"""``strobe torque``: one state and whole logs, and every mistake in them."""

from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

import strobe
from strobe.cli import app, progress, torque
from strobe.errors import MOST_FAULTS
from tests.cli.verb import Verb

STATE = ["--q", "0.7,-1.1", "--qd", "1.3,-0.6", "--qdd", "-0.8,2.1"]


run = Verb("torque")
told = run.told


# -- one state ----------------------------------------------------------------------------------------


def test_the_torques_of_a_state_are_those_of_the_robot() -> None:
    data = told("planar2", *STATE)
    expected = strobe.load("planar2").inverse_dynamics([0.7, -1.1], [1.3, -0.6], [-0.8, 2.1])
    assert data["tau"] == expected.tolist()
    assert data["joints"] == ["joint1", "joint2"]


def test_the_parts_add_up_to_the_torque() -> None:
    wrench = ["--wrench", "3,-2,0,0,0,0.5", "--frame", "tool"]
    data = told("planar2", *STATE, *wrench)
    parts = ("gravity", "velocity", "inertial", "friction", "external")
    assert np.allclose(sum(np.array(data[part]) for part in parts), data["tau"], rtol=1e-13)
    assert np.allclose(data["external"], [1.12078841089, -0.264146563622], rtol=1e-9)  # −Jᵀ F


def test_numbers_may_be_separated_by_spaces_with_or_without_quotes() -> None:
    expected = told("planar2", *STATE)["tau"]
    assert told("planar2", "--q", "0.7", "-1.1", "--qd", "1.3 -0.6", "--qdd=-0.8,2.1")["tau"] == expected


def test_pi_over_two_is_a_number() -> None:
    assert told("planar2", "--q", "pi/2,-pi")["q"] == [np.pi / 2, -np.pi]


@pytest.mark.slow
def test_what_is_not_given_is_assumed_and_said() -> None:
    done = run("stanford")
    assert done.exit_code == 0
    assert "note: assumed q = (0, 0, 0.7874, 0, 0, 0): 0 where a joint can reach it" in done.stderr
    assert "qd = 0; qdd = 0" in done.stderr


def test_gravity_and_friction_can_be_set_aside() -> None:
    data = told("puma560", "--qd", "1,1,1,1,1,1", "--gravity", "0,0,0", "--no-friction")
    assert data["gravity"] == [0.0] * 6
    assert data["friction"] == [0.0] * 6


def test_a_robot_with_a_floating_base_shows_its_position_apart() -> None:
    done = run("planar2", "--base", "floating")
    assert done.exit_code == 0
    assert "base_wz" in done.stdout
    assert "q = 0, 0, 0, 1, 0, 0, 0, 0, 0" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--q", "1,2,3"], "--q has 3 numbers, expected 2. The order of planar2: joint1, joint2."),
        (["--q", "1"], "--q has 1 number, expected 2."),
        (["--q", ""], "--q has 0 numbers, expected 2."),
        (["--q"], "'--q' requires an argument"),
        (["--q", "1_0,0"], '--q: "1_0" is not a number'),
        (["--q", "\u0663,0"], '--q: "\u0663" is not a number'),
        (["--qd", "1,zwei"], '--qd: "zwei" is not a number'),
        (["--q", "nan,0"], '--q: "nan" is not a finite number.'),
        (["--q", "1/0,0"], '--q: "1/0" is not a number'),
        (["--wrench", "1,2"], "--wrench has 2 numbers, expected 6. They are fx fy fz mx my mz."),
        (["--frame", "tool"], "--frame says where a wrench acts"),
        (
            ["--wrench", "1,2,3,4,5,6", "--frame", "tol"],
            "no frame \"tol\" in planar2. Did you mean 'tool'?",
        ),
        (["--gravity", "9.81"], "--gravity has 1 number, expected 3."),
        (["--formulation", "nwton-euler"], "Did you mean 'newton-euler'"),
        (["-o", "tau.csv"], "-o takes the torques of a log"),
        (["log.csv", "--q", "0,0"], "not from both"),
        (["log.csv"], "log.csv: cannot be read: No such file or directory."),
    ],
)
def test_a_mistake_is_explained(arguments: list[str], sentence: str) -> None:
    done = run("planar2", *arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_a_robot_without_masses_says_why_it_has_no_torques() -> None:
    done = run("rx90")
    assert done.exit_code == 2
    assert "rx90 has no dynamics: only its geometry is known" in done.stderr


# -- logs ---------------------------------------------------------------------------------------------


def motion(rows: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return strobe.load("planar2").random_state(seed=3, batch=rows)


def written(path: Path, header: str, rows: np.ndarray) -> str:
    lines = [header, *(",".join(map(repr, row)) for row in rows.tolist())]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


STILL = ",qd1,qd2,qdd1,qdd2"  # the columns of a robot at rest


def at_rest(q: np.ndarray) -> np.ndarray:
    """Rows of positions with zeros behind them."""
    return np.hstack([q, np.zeros((len(q), 4))])


def alike(tau: Any, expected: np.ndarray) -> bool:
    """Equal but for the last digits, in which torques at rest and the gravity term may differ."""
    return np.allclose(tau, expected, rtol=1e-13, atol=1e-13)


def read(text: str) -> tuple[list[str], np.ndarray]:
    header, *rows = csv.reader(text.splitlines())
    return header, np.array(rows, dtype=float)


@pytest.mark.parametrize(
    "header",
    [
        "q_joint1,q_joint2,qd_joint1,qd_joint2,qdd_joint1,qdd_joint2",
        "joint1,joint2,joint1_qd,joint2_qd,joint1_qdd,joint2_qdd",
        "joint1_q,joint2_q,qd1,qd2,qdd1,qdd2",
        "q1,q2,qd1,qd2,qdd1,qdd2",
    ],
)
def test_columns_are_found_by_joint_name_or_number(tmp_path: Path, header: str) -> None:
    q, qd, qdd = motion()
    done = run("planar2", written(tmp_path / "log.csv", header, np.hstack([q, qd, qdd])))
    assert done.exit_code == 0, done.stderr
    names, tau = read(done.stdout)
    assert names == ["tau_joint1", "tau_joint2"]
    assert np.array_equal(tau, strobe.load("planar2").inverse_dynamics(q, qd, qdd))
    assert done.stderr == ""


def test_the_order_of_columns_does_not_matter_and_time_passes_through(tmp_path: Path) -> None:
    q, _, _ = motion(2)
    path = tmp_path / "log.csv"
    rows = [
        f"{b!r};{stamp};{a!r};0;0;0;0" for (a, b), stamp in zip(q.tolist(), ["0.00", "0.10"], strict=True)
    ]
    path.write_text(
        "\ufeffq_joint2; time ;q_joint1;qd1;qdd1;qd2;qdd2\n" + "\n".join(rows) + "\n\n", encoding="utf-8"
    )
    out = tmp_path / "tau.csv"
    done = run("planar2", str(path), "-o", str(out))
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    assert [line.split(",")[0] for line in out.read_text().splitlines()] == ["time", "0.00", "0.10"]
    assert alike(read(out.read_text())[1][:, 1:], strobe.load("planar2").gravity(q))
    assert "2 rows written" in done.stderr


def test_a_floating_base_has_a_column_for_each_of_its_numbers(tmp_path: Path) -> None:
    names = [f"q_base_{part}" for part in ("x", "y", "z", "qw", "qx", "qy", "qz")]
    header = ",".join([*names, "q_joint1", "q_joint2"])
    row = [0, 0, 0, 1.0, 0, 0, 0, 0.3, 0.4]
    rows = np.array([[0.1 * k, *row] for k in range(6)])
    done = run(
        "planar2",
        written(tmp_path / "log.csv", f"t,{header}", rows),
        "--base",
        "floating",
        "--differentiate",
    )
    assert done.exit_code == 0, done.stderr
    assert read(done.stdout)[0][1:4] == ["tau_base_vx", "tau_base_vy", "tau_base_vz"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("qd_jiont1", "qd_joint1"),
        ("qd-joint2", "qd_joint2"),
        ("qdd_jont2", "qdd_joint2"),
        ("qd_joint3", "qd_joint"),
    ],
)
def test_a_column_that_nearly_names_a_quantity_is_a_fault(tmp_path: Path, name: str, meant: str) -> None:
    done = run("planar2", written(tmp_path / "log.csv", f"q1,q2,{name}", np.zeros((1, 3))))
    assert done.exit_code == 2
    assert f'log.csv:1: column "{name}" belongs to no joint of planar2. Did you mean' in done.stderr
    assert f"Did you mean '{meant}" in done.stderr
    assert "Rename it, or leave it out." in done.stderr
    assert done.stdout == ""


def test_a_column_with_a_name_of_many_letters_is_ignored_at_once(tmp_path: Path) -> None:
    header = f"q1,q2,{'q' * 100_000}{STILL}"
    done = run("planar2", written(tmp_path / "log.csv", header, np.zeros((1, 7))))
    assert done.exit_code == 0
    assert "It was ignored." in done.stderr


def test_a_joint_that_the_robot_lacks_is_foreign_where_no_column_is_missing(tmp_path: Path) -> None:
    header = "q_joint1,q_joint2,qd_joint1,qd_joint2,qdd_joint1,qdd_joint2,qd_joint3"
    done = run("planar2", written(tmp_path / "log.csv", header, np.zeros((1, 7))))
    assert done.exit_code == 0, done.stderr
    assert 'note: column "qd_joint3" belongs to no joint of planar2. It was ignored.' in done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "id1",
        "u_joint1",
        "q_des_joint1",
        "temperature",
        "gripper",
        "mode",
        "x",
        "",
        "seq",
        "frame_id",
    ],
)
def test_a_foreign_column_is_ignored_aloud(tmp_path: Path, name: str) -> None:
    rows = np.array([[0.1 * k, 0, 0, 0] for k in range(6)])
    done = run("planar2", written(tmp_path / "log.csv", f"t,q1,q2,{name}", rows), "--differentiate")
    assert done.exit_code == 0, done.stderr
    assert f'note: column "{name}" belongs to no joint of planar2. It was ignored.' in done.stderr


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "log.csv: the file is empty"),
        ("\n\n", "log.csv: the file is empty"),
        ("q1,q2\n", "log.csv: there is a header but no row of numbers."),
        ("q1\n0\n", 'log.csv:1: no column for the position of "joint2"; planar2 needs "q_joint2".'),
        ("q1,q_joint3\n0,0\n", 'log.csv:1: column "q_joint3" belongs to no joint of planar2. Did you mean'),
        ("q1,q2,joint1\n0,0,0\n", 'log.csv:1: columns "q1" and "joint1" hold the same quantity; keep one.'),
        ("q1,q2\n0,0\n0,x\n", 'log.csv:3: column "q2": "x" is not a number.'),
        ("q1,q2\n0,1_000\n", 'log.csv:2: column "q2": "1_000" is not a number.'),
        ("q1,q2\n0,\u0663\n", 'log.csv:2: column "q2": "\u0663" is not a number.'),
        ("q1,q2\n0,\n", 'log.csv:2: column "q2": is empty.'),
        ("q1,q2\n0,nan\n", 'log.csv:2: column "q2": "nan" is not a finite number.'),
        ("q1,q2\ninf,0\n", 'log.csv:2: column "q1": "inf" is not a finite number.'),
        ("q1,q2\n0\n", "log.csv:2: 1 cell; the header has 2."),
    ],
)
def test_a_fault_of_a_log_is_told_with_line_and_column(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text, encoding="utf-8")
    out = tmp_path / "tau.csv"
    done = run("planar2", str(path), "-o", str(out))
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert not out.exists()


def test_all_faults_of_a_log_are_told_at_once_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(f"q1,q2{STILL}\n" + "x,y,0,0,0,0\n" * 50)
    done = run("planar2", str(path))
    assert "100 faults:" in done.stderr
    assert f"and {100 - MOST_FAULTS} more" in done.stderr


def test_a_log_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(b"q1,q2\n\xff\xfe\x00,0\n")
    done = run("planar2", str(path))
    assert done.exit_code == 2
    assert "log.csv:2: byte 0xff is not UTF-8; save the file as UTF-8." in done.stderr


def test_numbers_of_a_log_may_have_signs_exponents_and_spaces(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("q1;q2;qd1;qd2;qdd1;qdd2\n +1.5e-1 ; -.5;0;-0;+0.;0e9\n2.;1E+0;0;0;0;0\n")
    expected = strobe.load("planar2").gravity([[0.15, -0.5], [2.0, 1.0]])
    assert alike(told("planar2", str(path))["tau"], expected)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_or_device_is_no_log(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", Path("/dev/zero")):
        done = run("planar2", str(path))
        assert done.exit_code == 2
        assert ", expected a regular file; save its content to one." in done.stderr


def test_a_folder_is_no_log(tmp_path: Path) -> None:
    done = run("planar2", str(tmp_path))
    assert done.exit_code == 2
    assert f"{tmp_path}: a folder, expected a regular file." in done.stderr


def test_an_output_is_not_replaced_unless_forced_and_an_input_never(tmp_path: Path) -> None:
    path = written(tmp_path / "log.csv", "q1,q2" + STILL, np.zeros((1, 6)))
    out = tmp_path / "tau.csv"
    out.write_text("precious")
    done = run("planar2", path, "-o", str(out))
    assert done.exit_code == 2
    assert "it exists" in done.stderr
    assert out.read_text() == "precious"
    assert run("planar2", path, "-o", str(out), "--force").exit_code == 0
    assert out.read_text().startswith("tau_joint1,tau_joint2\n")
    done = run("planar2", path, "-o", path, "--force")
    assert done.exit_code == 2
    assert "it is the input" in done.stderr
    assert Path(path).read_text().startswith("q1,q2,")


def test_json_of_a_log_holds_the_torques_or_where_they_went(tmp_path: Path) -> None:
    q, _, _ = motion(3)
    path = written(tmp_path / "log.csv", "q1,q2" + STILL, at_rest(q))
    assert alike(told("planar2", path)["tau"], strobe.load("planar2").gravity(q))
    data = told("planar2", path, "-o", str(tmp_path / "tau.csv"))
    assert (data["rows"], data["output"]) == (3, str(tmp_path / "tau.csv"))
    assert len(data["largest"]) == 2


def test_a_long_log_is_worked_off_in_chunks_and_tells_its_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torque, "CHUNK", 2)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "PAUSE", {True: 0.0, False: 0.0})
    q, _, _ = motion(5)
    done = run("planar2", written(tmp_path / "log.csv", "q1,q2" + STILL, at_rest(q)))
    assert alike(read(done.stdout)[1], strobe.load("planar2").gravity(q))
    assert "torque: 4 of 5 rows" in done.stderr


# -- rates that a log lacks -----------------------------------------------------------------------------------


def swing(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A motion of two joints with its derivatives, by hand."""
    a, w = np.array([0.7, -1.1]), np.array([2.0, 3.0])
    x = w * t[:, None]
    return a * np.sin(x), a * w * np.cos(x), -a * w**2 * np.sin(x)


@pytest.mark.parametrize("columns", ["q1,q2", "q1,q2,qd1,qd2", "q1,q2,qd1,qdd1,qdd2"])
def test_a_log_without_velocities_or_accelerations_is_refused_by_name(tmp_path: Path, columns: str) -> None:
    rows = np.zeros((3, columns.count(",") + 1))
    done = run("planar2", written(tmp_path / "log.csv", columns, rows))
    assert done.exit_code == 2
    absent = "qdd_joint1" if "qd2" in columns and "qdd" not in columns else "qd_joint"
    assert 'log.csv:1: no column for "' in done.stderr
    assert absent in done.stderr
    assert "or let them be taken from the other columns: --differentiate." in done.stderr
    assert done.stdout == ""


def test_differentiated_positions_give_the_torques_of_the_closed_form(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    ms = np.cumsum(rng.integers(8, 12, 200))  # uneven, told in seconds since 1970
    q, qd, qdd = swing(ms / 1000)
    rows = zip(ms.tolist(), q.tolist(), strict=True)
    lines = [f"{1_700_000_000 + k // 1000}.{k % 1000:03},{a!r},{b!r}" for k, (a, b) in rows]
    path = tmp_path / "log.csv"
    path.write_text("time,q1,q2\n" + "\n".join(lines) + "\n")
    data = told("planar2", str(path), "--differentiate")
    exact = strobe.load("planar2").inverse_dynamics(q, qd, qdd)
    assert np.abs(np.array(data["tau"]) - exact).max() < 1e-4 * np.abs(exact).max()
    how = "taken from positions by the quintic spline through the rows; nothing is smoothed."
    assert data["remarks"] == [f'"{kind}_joint1", "{kind}_joint2": {how}' for kind in ("qd", "qdd")]


def test_dates_are_times_too(tmp_path: Path) -> None:
    t = np.arange(50) / 50
    q, qd, qdd = swing(t)
    lines = [
        f"2026-01-01T00:00:{x:06.3f}Z,{a!r},{b!r}" for x, (a, b) in zip(t.tolist(), q.tolist(), strict=True)
    ]
    path = tmp_path / "log.csv"
    path.write_text("time,q1,q2\n" + "\n".join(lines) + "\n")
    exact = strobe.load("planar2").inverse_dynamics(q, qd, qdd)
    assert np.abs(np.array(told("planar2", str(path), "--differentiate")["tau"]) - exact).max() < 0.01


def test_given_velocities_are_kept_and_accelerations_taken_from_them(tmp_path: Path) -> None:
    t = np.linspace(0.0, 2.0, 101)
    q, qd, qdd = swing(t)
    path = written(tmp_path / "log.csv", "t,q1,q2,qd1,qd2", np.column_stack([t, q, qd]))
    data = told("planar2", path, "--differentiate")
    exact = strobe.load("planar2").inverse_dynamics(q, qd, qdd)
    assert np.abs(np.array(data["tau"]) - exact).max() < 1e-5 * np.abs(exact).max()
    assert data["remarks"][0].startswith('"qdd_joint1", "qdd_joint2": taken from velocities')


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "q1,q2\n" + "0,0\n" * 6,
            'log.csv:1: --differentiate needs the times of the rows: there is no column "t". If another holds '
            "them, say which: --columns t=NAME.",
        ),
        ("t,q1,q2\n0,0,0\n1,0,0\n", "there are 2 rows; to be differentiated a motion needs 6 or more."),
        (
            "t,q1,q2\n" + "".join(f"{k % 5},0,0\n" for k in range(7)),
            "time 0 s of row 6 does not follow 4 s",
        ),
        (
            "t,q1,q2\n" + "2026-01-01T00:00:00,0,0\n" * 3 + "7,0,0\n" * 3,
            'log.csv:5: column "t": "7" is not a time in seconds.',
        ),
    ],
)
def test_what_cannot_be_differentiated_is_told(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "log.csv").write_text(text)
    done = run("planar2", str(tmp_path / "log.csv"), "--differentiate")
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_a_message_with_positions_alone_is_refused_or_differentiated(tmp_path: Path) -> None:
    t = np.linspace(0.0, 2.0, 101)
    q, qd, qdd = swing(t)
    points = [
        {"positions": row, "time_from_start": when}
        for row, when in zip(q.tolist(), t.tolist(), strict=True)
    ]
    path = tmp_path / "traj.json"
    path.write_text(json.dumps({"joint_names": ["joint1", "joint2"], "points": points}))
    done = run("planar2", str(path))
    assert done.exit_code == 2
    assert "traj.json: its rows have positions and no velocities, which torques depend on." in done.stderr
    data = told("planar2", str(path), "--differentiate")
    exact = strobe.load("planar2").inverse_dynamics(q, qd, qdd)
    assert np.abs(np.array(data["tau"]) - exact).max() < 1e-3 * np.abs(exact).max()
    assert "taken from positions by the quintic spline" in data["remarks"][0]


# -- drawings -----------------------------------------------------------------------------------------


def test_the_terms_of_one_state_are_drawn_with_every_joint_and_its_unit(tmp_path):
    target = tmp_path / "terms.svg"
    done = run("stanford", "--q", "0.1,0.5,0.6,0.3,0.2,0.1", "--qd", "1,1,1,1,1,1", "--plot", str(target))
    assert done.exit_code == 0, done.output
    words = " ".join(ElementTree.parse(target).getroot().itertext())
    assert all(f"joint{k + 1}" in words for k in range(6))
    tau = told("stanford", "--q", "0.1,0.5,0.6,0.3,0.2,0.1", "--qd", "1,1,1,1,1,1")["tau"]
    assert f"{tau[2]:.4g} N".replace("-", "−") in words
    assert {"gravity", "centrifugal", "Coriolis"} <= set(re.findall(r"\w+", words))


def test_a_log_is_drawn_over_time_with_effort_limits(tmp_path):
    log, target = tmp_path / "log.csv", tmp_path / "tau.svg"
    heads = ["t", *(f"{letter}_joint{k}" for letter in ("q", "qd", "qdd") for k in (1, 2))]
    rows = [f"{t / 10},{t / 10},0.2,1,0,0,0" for t in range(20)]
    log.write_text("\n".join([",".join(heads), *rows]))
    assert told("planar2", str(log), "--plot", str(target))["plot"] == str(target)
    words = " ".join(ElementTree.parse(target).getroot().itertext())
    limit = strobe.load("planar2").limits.effort[0]
    assert ("limit" in words) == bool(np.isfinite(limit))
    assert "time (s)" in words


@pytest.mark.parametrize(
    ("target", "said"),
    [("out.png", "a drawing is an .svg file."), ("there.svg", "it exists. Choose another name")],
)
def test_a_drawing_that_cannot_be_written_is_refused(tmp_path, target, said):
    (tmp_path / "there.svg").write_text("mine")
    done = run("planar2", "--plot", str(tmp_path / target))
    assert done.exit_code == 2
    assert said in done.stderr
    assert (tmp_path / "there.svg").read_text() == "mine"


def test_a_payload_is_carried_as_with_payload_does() -> None:
    arm = strobe.load("planar2")
    state = [0.3, 0.2], [0.5, -0.4], [1.0, 2.0]
    given = ["--q", "0.3,0.2", "--qd", "0.5,-0.4", "--qdd", "1,2", "--json"]
    expected = arm.with_payload(2, (0.01, 0.02, 0)).inverse_dynamics(*state)
    ten = "2,0.02,0.04,0,0.0008,0.0002,0.001,-0.0004,0,0"  # of the same point mass, about the tool
    for load in ("2,0.01,0.02,0", ten):
        done = CliRunner().invoke(app, ["torque", "planar2", "--payload", load, *given])
        assert np.allclose(json.loads(done.stdout)["tau"], expected, atol=1e-12)
    done = CliRunner().invoke(app, ["torque", "planar2", "--payload", "2,1"])
    assert done.exit_code == 2
    assert "--payload has 2 numbers" in done.stderr


# -- what a wrist sensor recorded ---------------------------------------------------------------------


def sensed_log(folder: Path, rows: int = 5) -> tuple[Path, np.ndarray, list[np.ndarray]]:
    """A log of planar2 with six columns of a wrist sensor between others."""
    rng = np.random.default_rng(3)
    state = [rng.uniform(-1, 1, (rows, 2)) for _ in range(3)]
    wrench = rng.uniform(-4, 4, (rows, 6))
    names = [
        "t",
        "fx",
        "fy",
        "fz",
        "mx",
        "my",
        "mz",
        *(f"{k}_joint{j}" for k in ("q", "qd", "qdd") for j in (1, 2)),
    ]
    path = folder / "log.csv"
    table = np.column_stack([np.arange(rows) * 0.1, wrench, *state])
    np.savetxt(path, table, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    return path, wrench, state


@pytest.mark.parametrize("columns", ["fx,fy,fz,mx,my,mz", "2:7", "FX,3,fz,mx,my,7"])
@pytest.mark.parametrize("axes", ["base", "sensor"])
def test_wrenches_of_a_sensor_act_row_by_row_in_base_or_sensor_axes(
    tmp_path: Path, columns: str, axes: str
) -> None:
    path, wrench, state = sensed_log(tmp_path)
    data = told("planar2", str(path), "--wrench-columns", columns, "--wrench-axes", axes, "--frame", "tool")
    robot = strobe.load("planar2")
    R = robot.forward_kinematics(state[0], "tool")[:, :3, :3]
    turn = R if axes == "sensor" else np.broadcast_to(np.eye(3), R.shape)
    F = np.concatenate(
        [np.einsum("nij,nj->ni", turn, part) for part in (wrench[:, :3], wrench[:, 3:])], axis=1
    )
    J = robot.jacobian(state[0], "tool")
    expected = robot.inverse_dynamics(*state) - np.einsum("nji,nj->ni", J, F)
    assert np.allclose(data["tau"], expected, atol=1e-12)
    assert (data["frame"], data["wrench_axes"]) == ("tool", axes)
    assert data["remarks"] == []  # the six columns belong to no joint, and were read


def test_one_wrench_in_sensor_axes_turns_with_the_hand(tmp_path: Path) -> None:
    path, _, state = sensed_log(tmp_path)
    options = ["--wrench", "3,-2,0,0,0,1", "--wrench-axes", "sensor"]
    tau = told("planar2", str(path), *options)["tau"]
    robot = strobe.load("planar2")
    R = robot.forward_kinematics(state[0])[:, :3, :3]
    F = np.concatenate([R @ [3, -2, 0], R @ [0, 0, 1]], axis=1)
    assert np.allclose(tau, robot.inverse_dynamics(*state, wrench=F), atol=1e-12)
    one = told("planar2", "--q", *map(repr, state[0][2].tolist()), *options)
    alone = robot.inverse_dynamics(state[0][2], [0, 0], [0, 0], wrench=F[2])
    assert np.allclose(one["tau"], alone, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--wrench-columns", "fx,fy"], "--wrench-columns: fx,fy are 2 columns; a wrench has six"),
        (["--wrench-columns", "fx,fy,fz,mx,my,force"], '--wrench-columns: no column "force".'),
        (["--wrench-columns", "2:7", "--wrench", "1,0,0,0,0,0"], "not from both"),
        (
            ["--wrench-columns", "2:7", "--wrench-axes", "hand"],
            '--wrench-axes is "hand"; expected base or sensor.',
        ),
        (["--wrench-axes", "sensor"], "give --wrench or --wrench-columns too"),
    ],
)
def test_mistakes_in_the_columns_of_a_wrench_are_sentences(
    tmp_path: Path, options: list[str], sentence: str
) -> None:
    done = run("planar2", str(sensed_log(tmp_path)[0]), *options)
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_columns_of_a_wrench_need_a_log_that_is_a_table(tmp_path: Path) -> None:
    assert "are columns of a log" in run("planar2", *STATE, "--wrench-columns", "2:7").stderr
    planned = tmp_path / "traj.json"
    planned.write_text("{}")
    done = run("planar2", str(planned), "--wrench-columns", "2:7")
    assert "wrenches are read from the columns of a table" in done.stderr
