"""Runs in files: everything comes back, a run goes on from a file with the same bits, torques are read from files."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, OutputError, SimulationWarning
from strobe.simulate import Attach, Drop, Run, RunStatus, simulate
from strobe.simulate.files import read_torques, write

# steps too long for friction
pytestmark = pytest.mark.filterwarnings("ignore::strobe.errors.SimulationWarning")


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


def state(robot, batch=(), seed=0):
    q, qd, _ = robot.random_state(seed, batch)
    return q, qd


# -- NPZ ------------------------------------------------------------------------------------------------


def test_a_run_comes_back_from_npz_with_its_books_and_loads(arm, tmp_path):
    q, qd = state(arm, (2, 3))
    events = [Attach(0.02, 0.8, (0.1, 0, 0)), Drop(0.04)]
    run = simulate(
        arm, q, qd, 0.5, 0.06, step=1e-3, events=events, payload=np.full((3, 4), 0.1), error=True
    )
    run.to_npz(tmp_path / "run.npz")
    back = Run.from_npz(tmp_path / "run.npz", arm)
    for name in ("times", "q", "qd", "tau", "status", "stopped", "cut"):
        np.testing.assert_array_equal(getattr(back, name), getattr(run, name))
    for name in ("kinetic", "potential", "work", "events", "momentum", "drift"):
        np.testing.assert_array_equal(getattr(back.audit, name), getattr(run.audit, name))
    np.testing.assert_array_equal(back.error.qd, run.error.qd)
    assert (back.method, back.step, back.notes) == (run.method, run.step, run.notes)
    assert back.done
    with np.load(tmp_path / "run.npz") as plain:  # by NumPy alone
        np.testing.assert_array_equal(plain["t"], run.times)
        np.testing.assert_array_equal(plain["kinetic"], run.audit.kinetic)


@pytest.mark.slow
def test_an_interrupted_run_goes_on_from_its_file_with_the_same_bits(tmp_path):
    robot = strobe.load("pendulum3")
    q, qd = state(robot, 5)
    setting = {"step": 1e-3, "every": 20_000}

    def watch(t):
        if t > 60:
            raise KeyboardInterrupt

    whole = simulate(robot, q, qd, None, 200.0, **setting)
    part = simulate(robot, q, qd, None, 200.0, watch=watch, **setting)
    assert (part.status == RunStatus.INTERRUPTED).all()
    part.to_npz(tmp_path / "part.npz")
    saved = Run.from_npz(tmp_path / "part.npz", strobe.load("pendulum3"))
    rest = simulate(robot, q, qd, None, 200.0, resume=saved.checkpoint, **setting)
    np.testing.assert_array_equal(np.concatenate([saved.q, rest.q], axis=1), whole.q)
    np.testing.assert_array_equal(rest.qd[:, -1], whole.qd[:, -1])


def test_a_file_of_another_robot_is_refused_and_one_of_a_changed_robot_cannot_be_gone_on_with(
    arm, tmp_path
):
    path = tmp_path / "run.npz"
    simulate(arm, *state(arm), None, 0.01, step=1e-3).to_npz(path)
    with pytest.raises(
        ArgumentError, match=r"run\.npz: a run of planar2 with joints joint1, joint2; pendulum3 has"
    ):
        Run.from_npz(path, strobe.load("pendulum3"))
    with pytest.warns(SimulationWarning, match=r"run\.npz: planar2 has changed since this run was made"):
        back = Run.from_npz(path, arm.with_payload(1.0))
    assert back.checkpoint is None


def test_a_robot_whose_limits_changed_is_told_by_joint_and_number(arm, tmp_path):
    path = tmp_path / "run.npz"
    done = simulate(arm, *state(arm), None, 0.01, step=1e-3)
    done.to_npz(path)
    body = arm.model.bodies[1]
    limits = replace(body.joint.limits, upper=1.5)
    bodies = (arm.model.bodies[0], replace(body, joint=replace(body.joint, limits=limits)))
    other = strobe.Robot(replace(arm.model, bodies=bodies))
    said = r'joint "joint2": limits\.upper was 2\.6 and is 1\.5'
    with pytest.warns(
        SimulationWarning, match=rf"has changed since this run was made \({said}\); it cannot be"
    ):
        assert Run.from_npz(path, other).checkpoint is None
    with pytest.raises(
        ArgumentError, match=rf"^resume holds a run with another robot \({said}\); give all as"
    ):
        simulate(other, *state(arm), None, 0.02, step=1e-3, resume=done.checkpoint)


@pytest.mark.slow
def test_what_only_people_read_of_a_robot_may_change(arm, tmp_path):
    path = tmp_path / "run.npz"
    simulate(arm, *state(arm), None, 0.01, step=1e-3).to_npz(path)
    renamed = strobe.Robot(replace(arm.model, name="arm", title="an arm", source="elsewhere.toml"))
    kept = Run.from_npz(path, renamed).checkpoint
    assert simulate(renamed, *state(arm), None, 0.02, step=1e-3, resume=kept).done


def test_a_run_of_an_older_version_is_read_and_not_gone_on_with(arm, tmp_path):
    path = tmp_path / "run.npz"
    simulate(arm, *state(arm), None, 0.01, step=1e-3).to_npz(path)
    with np.load(path) as data:
        np.savez(path, **{name: data[name] for name in data.files if name != "model"})
    with pytest.warns(
        SimulationWarning, match="a run of an older strobe, which kept too little of planar2"
    ):
        assert Run.from_npz(path, arm).checkpoint is None


@pytest.mark.parametrize(
    "model", [np.zeros(3), np.zeros(3, np.uint8), np.frombuffer(b"[" * 9999, np.uint8)]
)
def test_a_model_in_a_file_that_is_none_is_told(arm, tmp_path, model):
    path = tmp_path / "run.npz"
    simulate(arm, *state(arm), None, 0.01, step=1e-3).to_npz(path)
    with np.load(path) as data:
        np.savez(path, **{**data, "model": model})
    with pytest.raises(ArgumentError, match=r'run\.npz: the run is damaged: "model" is no JSON object\.'):
        Run.from_npz(path, arm)


def test_a_file_that_is_no_run_is_refused_by_name(arm, tmp_path):
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04 nothing")
    np.savez(tmp_path / "b.npz", q=np.zeros(3))
    np.save(tmp_path / "c.npz", np.zeros(3))
    for name, sentence in {
        "a.npz": "a.npz: not an NPZ file of plain arrays.",
        "b.npz": "b.npz: not a run; expected an NPZ file that a simulation wrote.",
        "none.npz": "none.npz: cannot be read: No such file or directory.",
    }.items():
        with pytest.raises(ArgumentError, match=sentence):
            Run.from_npz(tmp_path / name, arm)
    with pytest.raises(ArgumentError, match="not an NPZ file"):
        Run.from_npz(tmp_path / "c.npz.npy", arm)


# -- rows -----------------------------------------------------------------------------------------------


def test_csv_has_a_row_per_time_with_every_digit(arm, tmp_path):
    run = simulate(arm, *state(arm), [1.0, -0.5], 0.02, step=1e-3)
    run.to_csv(tmp_path / "run.csv")
    head, *lines = csv.reader((tmp_path / "run.csv").open())
    columns = "t q_joint1 q_joint2 qd_joint1 qd_joint2 tau_joint1 tau_joint2 kinetic potential"
    assert head == columns.split()
    table = np.array(lines, dtype=float)
    np.testing.assert_array_equal(table[:, 0], run.times)
    np.testing.assert_array_equal(table[:, 1:7], np.hstack([run.q, run.qd, run.tau]))
    np.testing.assert_array_equal(table[:, 7], run.audit.kinetic)


def test_csv_of_a_batch_numbers_its_runs_and_leaves_out_what_was_lost(tmp_path):
    robot = strobe.load("pendulum3")
    q, qd = state(robot, 3)
    torque = np.zeros((3, 3))
    torque[1] = 1e14
    run = simulate(robot, q, qd, torque, 0.01, step=1e-3)
    run.to_csv(tmp_path / "run.csv")
    head, *lines = csv.reader((tmp_path / "run.csv").open())
    assert head[:2] == ["run", "t"]
    counts = [sum(line[0] == str(i) for line in lines) for i in range(3)]
    assert counts == [11, int(np.isfinite(run.q[1]).all(axis=-1).sum()), 11]
    assert counts[1] < 11


def test_mcap_holds_joint_states_and_energies(tmp_path):
    reader = pytest.importorskip("mcap.reader", reason="mcap is not installed")
    robot = strobe.load("pendulum3")
    run = simulate(robot, *state(robot), None, 0.05, step=1e-2)
    run.to_mcap(tmp_path / "run.mcap")
    with (tmp_path / "run.mcap").open("rb") as stream:
        found = [
            (c.topic, m.log_time, json.loads(m.data))
            for _, c, m in reader.make_reader(stream).iter_messages()
        ]
    states = [message for topic, _, message in found if topic == "/joint_states"]
    assert [at for topic, at, _ in found if topic == "/energy"] == [k * 10_000_000 for k in range(6)]
    assert states[1]["timestamp"] == {"sec": 0, "nsec": 10_000_000}
    assert states[0]["name"] == list(robot.joint_names)
    np.testing.assert_array_equal([message["velocity"] for message in states], run.qd)


def test_mcap_names_the_rates_of_a_floating_robot(tmp_path):
    reader = pytest.importorskip("mcap.reader", reason="mcap is not installed")
    robot = strobe.random(1, seed=2, kinds="F", tree=True)
    run = simulate(robot, *state(robot, 2), None, 0.01, step=5e-3)
    run.to_mcap(tmp_path / "run.mcap")
    with (tmp_path / "run.mcap").open("rb") as stream:
        found = [(c.topic, json.loads(m.data)) for _, c, m in reader.make_reader(stream).iter_messages()]
    assert {topic for topic, _ in found} == {
        f"/run_{i}/{name}" for i in range(2) for name in ("joint_states", "energy")
    }
    message = next(message for topic, message in found if topic == "/run_1/joint_states")
    assert (len(message["name"]), len(message["rate_name"])) == (robot.nq, robot.nv)
    np.testing.assert_array_equal(message["position"], run.q[1, 0])


def test_an_existing_file_is_kept_and_a_failed_write_leaves_nothing(arm, tmp_path):
    run = simulate(arm, *state(arm), None, 0.01, step=1e-3)
    (tmp_path / "run.csv").write_text("mine")
    with pytest.raises(OutputError, match="will not replace"):
        run.to_csv(tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text() == "mine"
    run.to_csv(tmp_path / "run.csv", force=True)
    assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(ArgumentError, match=r"run\.txt: a run is kept in an \.npz, \.csv or \.mcap file\."):
        write(run, tmp_path / "run.txt")


# -- torques --------------------------------------------------------------------------------------------


def test_the_torques_of_a_run_drive_it_again(arm, tmp_path):
    q, qd = state(arm)
    run = simulate(
        arm, q, qd, strobe.simulate.TimeSeries([0, 0.03, 0.05], [[0, 1], [2, 0], [1, 1]]), 0.05, step=1e-3
    )
    for kind in ("csv", "npz"):
        write(run, tmp_path / f"run.{kind}")
        again = simulate(arm, q, qd, read_torques(tmp_path / f"run.{kind}", arm), 0.05, step=1e-3)
        np.testing.assert_allclose(again.q, run.q, rtol=1e-9)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", 'no column "tau_joint1"; expected t and tau_joint1, tau_joint2.'),
        ("t,tau_joint1\n0,1\n", 'no column "tau_joint2"'),
        ("tau_joint1,tau_joint2\n0,1\n", 'no column "t"'),
        ("t,tau_joint1,tau_joint2\n0,1,2\n1,x,2\n", "tau.csv:3: expected a number in every column."),
        ("t,tau_joint1,tau_joint2\n0,1,2\n0,1,2\n", "the times of a table must be two or more, each after the one"),
        ("t,tau_joint1,tau_joint2\n0,1,2\n1,nan,2\n", "a value that is not finite, at time 1 s."),
    ],
)  # fmt: skip
def test_a_file_of_torques_that_cannot_be_used_says_where(arm, tmp_path, text, sentence):
    (tmp_path / "tau.csv").write_text(text)
    with pytest.raises(ArgumentError) as error:
        read_torques(tmp_path / "tau.csv", arm)
    assert sentence in str(error.value)


def test_arrays_of_torques_are_checked(arm, tmp_path):
    np.savez(tmp_path / "a.npz", t=[0, 1], tau=np.zeros((2, 3)))
    with pytest.raises(
        ArgumentError, match=r"t has shape \(2,\) and tau \(2, 3\); planar2 needs \(T,\) and"
    ):
        read_torques(tmp_path / "a.npz", arm)
    np.savez(tmp_path / "b.npz", t=[0, 1])
    with pytest.raises(ArgumentError, match='no arrays "t" and "tau" in it'):
        read_torques(tmp_path / "b.npz", arm)
    with pytest.raises(ArgumentError, match=r"torques over time are read from a \.csv or \.npz file\."):
        read_torques(tmp_path / "a.json", arm)


# -- drawn ----------------------------------------------------------------------------------------------


def test_a_run_is_drawn_and_written(arm, tmp_path):
    run = simulate(arm, *state(arm, 2), [0.5, 0.1], 0.1, step=1e-3)
    drawn = run.plot(tmp_path / "run.svg", which=1)
    assert (tmp_path / "run.svg").read_text(encoding="utf-8") == drawn
    assert drawn != run.plot()
    for words in (
        "kinetic energy",
        "potential energy",
        "unaccounted for",
        "q, rad",
        "q̇, rad/s",
        "torque, N m",
    ):
        assert words in drawn
    with pytest.raises(ArgumentError, match="which is 2; expected the number of a run, 0 to 1."):
        run.plot(which=2)
