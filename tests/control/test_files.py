"""Closed loops in files and drawings: what is read is what was run."""

import csv

import numpy as np
import pytest

import strobe
from strobe.control import control
from strobe.control.figure import control_figure
from strobe.errors import ArgumentError, OutputError
from strobe.simulate.files import read_torques

BOUNDS = {"velocity": 2.0, "acceleration": 4.0}
POINTS = [(0.1, 0.3), (0.6, 0.9)]


@pytest.fixture(scope="module")
def planar2():
    return strobe.load("planar2")


@pytest.fixture(scope="module")
def run(planar2):
    return control(planar2, POINTS, bounds=BOUNDS, rate=200, payload=(0.5, 0, 0, 0))


@pytest.fixture(scope="module")
def batch(planar2):
    kp = np.array([[100.0, 100.0], [400.0, 400.0]])
    return control(planar2, POINTS, gains={"kp": kp, "kd": 2 * np.sqrt(kp)}, bounds=BOUNDS, rate=200)


def test_an_npz_file_holds_everything(run, planar2, tmp_path):
    run.to_npz(tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as kept:
        for name in ("q", "qd", "tau", "wanted", "cut", "status", "stopped"):
            np.testing.assert_array_equal(kept[name], getattr(run, name))
        np.testing.assert_array_equal(kept["t"], run.times)
        np.testing.assert_array_equal(kept["hand_error"], run.hand_error())
        np.testing.assert_array_equal(kept["gain_kp"], run.controller.gains["kp"])
        assert (str(kept["controller"]), str(kept["robot"])) == ("computed-torque", "planar2")
        assert kept["period"] == 0.005
    table = read_torques(tmp_path / "out.npz", planar2)
    np.testing.assert_array_equal(table.values, run.tau)


def test_a_csv_file_has_a_row_for_every_period(run, planar2, tmp_path):
    run.to_csv(tmp_path / "out.csv")
    with open(tmp_path / "out.csv", encoding="utf-8", newline="") as stream:
        head, *rows = csv.reader(stream)
    assert head[:5] == ["t", "q_joint1", "q_joint2", "qd_joint1", "qd_joint2"]
    assert head[-3:] == ["wanted_qd_joint1", "wanted_qd_joint2", "hand_error"]
    values = np.array(rows, dtype=float)
    np.testing.assert_array_equal(values[:, 1:3], run.q)
    np.testing.assert_array_equal(values[:, head.index("wanted_q_joint1")], run.wanted[:, 0])
    np.testing.assert_array_equal(values[:, -1], run.hand_error())
    np.testing.assert_array_equal(read_torques(tmp_path / "out.csv", planar2).values, run.tau)


def test_loops_of_a_batch_are_numbered(batch, tmp_path):
    batch.to_csv(tmp_path / "out.csv")
    with open(tmp_path / "out.csv", encoding="utf-8", newline="") as stream:
        head, *rows = csv.reader(stream)
    assert head[0] == "run"
    values = np.array(rows, dtype=float)
    np.testing.assert_array_equal(values[values[:, 0] == 1, 2:4], batch.q[1])


def test_a_file_is_not_replaced_unasked(run, tmp_path):
    path = tmp_path / "out.npz"
    run.to_npz(path)
    with pytest.raises(OutputError, match="will not replace"):
        run.to_npz(path)
    run.to_npz(path, force=True)


def test_a_drawing_has_the_hand_every_joint_and_a_line_per_controller(run, planar2, tmp_path):
    other = control(planar2, POINTS, "pd-gravity", bounds=BOUNDS, rate=200, payload=(0.5, 0, 0, 0))
    drawn = control_figure({"one": run, "two": other})
    for word in ("hand", "motors", "joint1", "joint2", "off by, rad", "torque, N m", ">one<", ">two<"):
        assert word in drawn
    run.plot(tmp_path / "out.svg")
    assert "computed torque" in (tmp_path / "out.svg").read_text(encoding="utf-8")


def test_what_cannot_be_drawn_is_refused(run, batch, planar2):
    assert batch.plot(which=1) != batch.plot(which=0)
    with pytest.raises(ArgumentError, match="which is 2; expected the number of a loop, 0 to 1"):
        batch.plot(which=2)
    with pytest.raises(ArgumentError, match="there are 0 controllers to draw; expected 1 to 7"):
        control_figure({})
    slower = control(planar2, POINTS, bounds=BOUNDS, rate=100)
    with pytest.raises(ArgumentError, match="the loops have other periods or durations"):
        control_figure({"one": run, "two": slower})


def test_loops_say_what_they_are(run, batch):
    assert repr(run).startswith("<Tracked planar2: a loop, ")
    assert repr(batch).startswith("<Tracked planar2: 2 loops, ")
