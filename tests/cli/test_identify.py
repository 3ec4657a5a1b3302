"""``strobe identify``: from files to a file, and every mistake."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import strobe
from strobe.cli import app

GAINS = np.array([5.0, 3.0, 2.0])


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(app, ["identify", *arguments])
    assert "Traceback" not in done.output
    return done


def _write(path: Path, seed: int, current: bool = False) -> str:
    """A log of a three-joint arm, with noise, an unfinished last row and a row of nonsense."""
    robot, rng = strobe.load("planar3"), np.random.default_rng(seed)
    t = np.arange(0, 30, 0.01)
    w = 2 * np.pi * np.arange(1, 5) / 10.0
    a, b = rng.normal(size=(2, 3, 4)) * 0.5
    s, c = np.sin(np.outer(w, t)), np.cos(np.outer(w, t))
    q, qd, qdd = (a @ s + b @ c).T, ((a * w) @ c - (b * w) @ s).T, (-(a * w**2) @ s - (b * w**2) @ c).T
    tau = robot.inverse_dynamics(q, qd, qdd) + 0.5 * qd + rng.normal(size=q.shape) * 0.05
    what = "current" if current else "tau"
    names = ["t", *(f"{x}_{joint}" for x in ("q", what) for joint in robot.joint_names)]
    rows = np.column_stack([t, q, tau / GAINS if current else tau])
    rows[1000, 2] = 1e200
    text = "\n".join(",".join(f"{x:.9g}" for x in row) for row in rows)
    path.write_text(f"{','.join(names)}\n{text}\n30.0,1.5")
    return str(path)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("logs")
    return {
        "first": _write(folder / "first.csv", 1),
        "second": _write(folder / "second.csv", 2),
        "current": _write(folder / "current.csv", 1, current=True),
    }


def test_a_log_becomes_a_model_file_that_predicts_another_log(logs, tmp_path: Path):
    output = tmp_path / "found.toml"
    done = run(
        "planar3",
        logs["first"],
        "--test",
        logs["second"],
        "--friction",
        "viscous",
        "-o",
        str(output),
        "--json",
    )
    assert done.exit_code == 0, done.output
    told: Any = json.loads(done.stdout)
    assert [log["held_out"] for log in told["logs"]] == [False, True]
    assert max(max(log["after"]) for log in told["logs"]) < 3
    assert np.allclose(np.ravel(told["friction"]["values"]), 0.5, atol=0.02)
    assert len(told["base_parameters"]["names"]) == len(told["base_parameters"]["deviations"])
    arm, q = strobe.load(str(output)), [0.3, -0.4, 0.2]
    assert np.allclose(arm.gravity(q), strobe.load("planar3").gravity(q), atol=0.05)


def test_what_was_left_out_is_told(logs):
    done = run("planar3", logs["first"], "--friction", "viscous")
    assert done.exit_code == 0, done.output
    assert (
        "note: 1 of 3001 rows are broken off or hold no number where one belongs, and were left out."
        in done.stderr
    )
    assert "1 row hold numbers that no robot has, and were left out." in done.stderr
    assert "base parameters and friction of 3 joints from 3000 rows" in done.stdout
    assert "relative residual error, %" in done.stdout


def test_currents_become_torques_by_gains(logs):
    words = ("planar3", logs["current"], "--friction", "viscous", "--json")
    done = run(*words, "--gains", "5,3,2")
    assert done.exit_code == 0, done.output
    assert np.allclose(np.ravel(json.loads(done.stdout)["friction"]["values"]), 0.5, atol=0.02)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--gains", "5,3"], "--gains has 2 numbers, expected 3. There is one for each joint."),
        ([], "there are currents, of which --gains makes torques; torques are what is explained."),
        (["--gains", "5,3,2", "--friction", "sticky"], 'friction: there is no term "sticky".'),
        (["--load", "2"], "loaded and load belong together"),
        (["--gains", "5,3,2", "--cutoff", "70"], "100 rows a second hold no frequencies up to 70 Hz"),
        (
            ["--gains", "5,3,2", "-o", "found.txt"],
            'the ending of "found.txt" is not a format that can be written',
        ),
    ],
)
def test_mistakes_are_sentences(logs, words: list[str], said: str):
    done = run("planar3", logs["current"], *words)
    assert done.exit_code == 2
    assert said in done.stderr.replace("\n", " ")


def test_a_file_that_is_not_there_is_told(tmp_path: Path):
    done = run("planar3", str(tmp_path / "none.csv"))
    assert done.exit_code == 2
    assert "none.csv" in done.stderr


def test_the_report_is_one_page_that_needs_nothing_beside_it(logs, tmp_path: Path):
    target = tmp_path / "report.html"
    words = ("--test", logs["second"], "--friction", "viscous", "--report", str(target))
    done = run("planar3", logs["first"], *words)
    assert done.exit_code == 0, done.output
    text = target.read_text()
    assert "held out" in text
    assert text.count("<svg") == 2
    without = text.replace("http://www.w3.org/2000/svg", "")
    assert not any(word in without for word in ("http://", "https://", "<script", "nan"))
    assert run("planar3", logs["first"], *words).exit_code == 2  # it is not replaced unasked
    done = run("planar3", logs["first"], "--report", "report.pdf")
    assert "--report report.pdf: a report is an .html file." in done.stderr


def test_constants_of_motors_and_their_gears_are_gains(logs):
    words = ("planar3", logs["current"], "--friction", "viscous", "--json")
    one = run(*words, "--gains", "5,3,2")
    other = run(*words, "--torque-constants", "0.05,0.1,0.02", "--gear", "100,30,100")
    assert other.exit_code == 0, other.output
    assert json.loads(other.stdout)["base_parameters"] == json.loads(one.stdout)["base_parameters"]


def test_what_is_known_goes_on_to_the_next_motion(logs, tmp_path: Path):
    known = tmp_path / "known.npz"
    done = run("planar3", logs["first"], "--friction", "viscous", "--information", str(known))
    assert done.exit_code == 0, done.output
    assert f"strobe excite planar3 --known {known} -o next.json" in done.stderr.replace("\n", " ")
    bounds = ["--lower", "-2", "--upper", "2", "--velocity", "2", "--acceleration", "5"]
    words = [
        "excite",
        "planar3",
        *bounds,
        "--known",
        str(known),
        "--waves",
        "2",
        "--duration",
        "3",
        "--json",
    ]
    asked = CliRunner().invoke(app, words)
    assert asked.exit_code == 0, asked.output
    refused = CliRunner().invoke(app, [*words, "--friction", "viscous"])
    assert "--friction: the terms are those of --known; leave it out." in refused.stderr


def _changed(path: str, target: Path, columns: list[str], to: list[str], factor: float = 1.0) -> str:
    """A log whose columns have the names of others, or other signs."""
    head, *rows = Path(path).read_text().splitlines()[:3001]
    names = head.split(",")
    swapped = [to[columns.index(name)] if name in columns else name for name in names]
    cells = [row.split(",") for row in rows]
    for name in columns if factor != 1.0 else []:
        k = names.index(name)
        for row in cells:
            row[k] = repr(factor * float(row[k]))
    target.write_text("\n".join([",".join(swapped), *(",".join(row) for row in cells)]))
    return str(target)


@pytest.mark.parametrize(
    ("columns", "to", "factor", "said"),
    [
        (
            ["tau_joint1", "tau_joint2"],
            ["tau_joint2", "tau_joint1"],
            1.0,
            "the torques of joint1 and joint2 seem to be",
        ),
        (["tau_joint2"], ["tau_joint2"], -1.0, "the torque of joint2 seems to have the other sign"),
        (["q_joint1"], ["q_joint1"], 180 / np.pi, "note: "),
        (["t"], ["t"], -1.0, "the time does not rise at 2998 rows, which were left out."),
        (["t"], ["t"], 1e-9, "tell nothing of a motion. See the column of the time and its unit."),
    ],
)
def test_columns_that_are_mistaken_are_told_and_nothing_falls_over(
    logs, tmp_path: Path, columns: list[str], to: list[str], factor: float, said: str
):
    path = _changed(logs["first"], tmp_path / "log.csv", columns, to, factor)
    done = run("planar3", path, "--friction", "viscous")
    assert said in done.stderr.replace("\n", " "), done.stderr
    assert done.exit_code in (0, 2)
