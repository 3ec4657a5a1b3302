"""Motions as verbs take them: of ``strobe plan``, or recorded by anybody."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import strobe
from strobe.cli import app
from strobe.cli.logs import LogOptions, moved
from strobe.errors import ArgumentError, ModelFileError

T = np.linspace(0.0, 0.5, 26)
Q = np.stack([0.3 * np.sin(2 * T), 0.2 * np.cos(3 * T)], axis=1)
QD = np.stack([0.6 * np.cos(2 * T), -0.6 * np.sin(3 * T)], axis=1)
RTDE = "timestamp,actual_q_0,actual_q_1,actual_qd_0,actual_qd_1"


def saved(path: Path, header: str, *columns: np.ndarray, sign: str = ",") -> Path:
    rows = [sign.join(map(repr, row)) for row in np.column_stack([T, *columns]).tolist()]
    path.write_text("\n".join([header.replace(",", sign), *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def arm() -> strobe.Robot:
    return strobe.load("planar2")


def test_rows_of_another_program_are_the_motion_that_strobes_own_are(
    tmp_path: Path, arm: strobe.Robot
) -> None:
    own = saved(tmp_path / "own.csv", "t,q_joint1,q_joint2,qd_joint1,qd_joint2", Q, QD)
    others = {
        saved(tmp_path / "rtde.csv", RTDE, Q, QD): LogOptions(),
        saved(tmp_path / "deg.csv", RTDE, np.degrees(Q), np.degrees(QD)): LogOptions(degrees=True),
        saved(tmp_path / "a.txt", "s,a,b,c,d", Q, QD, sign="\t"): LogOptions("t=1,q=2:3,qd=4:5"),
    }
    instants = np.linspace(0.0, 0.5, 101)
    expected = moved(own, arm, LogOptions())(instants)
    np.testing.assert_allclose(expected[0][:, 0], 0.3 * np.sin(2 * instants), atol=1e-8)
    for path, how in others.items():
        for found, wanted in zip(moved(path, arm, how)(instants), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)


@pytest.mark.parametrize("verb", ["simulate", "control", "approximate"])
def test_verbs_about_motions_take_logs(tmp_path: Path, verb: str) -> None:
    path = saved(tmp_path / "deg.csv", RTDE, np.degrees(Q), np.degrees(QD))
    asked = {
        "simulate": ["--trajectory", path, "--step", 0.001],
        "control": [path],
        "approximate": [path, "--approximations", "gravity-only"],
    }[verb]
    done = CliRunner().invoke(app, [verb, "planar2", *map(str, asked), "--degrees", "--json"])
    assert done.exit_code == 0, done.output
    assert "angles and their rates are read in degrees." in done.stderr
    assert "planar2" in json.dumps(json.loads(done.stdout))


def test_rows_that_are_no_motion_are_refused(tmp_path: Path, arm: strobe.Robot) -> None:
    timeless = saved(tmp_path / "a.csv", "x,q1,q2,qd1,qd2", Q, QD)
    with pytest.raises(ArgumentError, match='needs the times of its rows; there is no column "t"'):
        moved(timeless, arm, LogOptions())
    still = saved(tmp_path / "b.csv", "t,q1,q2", Q)
    with pytest.raises(ModelFileError, match="--differentiate"):
        moved(still, arm, LogOptions())
    floating = strobe.load("planar2", base="floating")
    columns = ",".join(f"q{k}" for k in range(1, 10)) + "," + ",".join(f"qd{k}" for k in range(1, 9))
    base = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (len(T), 1))
    path = saved(tmp_path / "c.csv", f"t,{columns}", base, Q, np.zeros((len(T), 6)), QD)
    with pytest.raises(ArgumentError, match="a motion is one number for each joint"):
        moved(path, floating, LogOptions())
