"""Motions in files: exactly back from JSON and NPZ, close from CSV, joined from what others write."""

import json

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, OutputError
from strobe.trajectory import files
from strobe.trajectory.constant_acceleration import plan
from strobe.trajectory.requests import request


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


@pytest.fixture(scope="module")
def motion(arm):
    return plan(request(arm, [(0, 0), (1, 0.4), (1.6, 2)], velocity=2, acceleration=(4, 3)))


@pytest.mark.parametrize("kind", [".json", ".npz"])
def test_a_motion_comes_back_exactly(arm, motion, tmp_path, kind):
    path = tmp_path / f"motion{kind}"
    count = files.write(motion, path, arm)
    back, times = files.read(path)
    np.testing.assert_array_equal(back.times, motion.times)
    np.testing.assert_array_equal(back.coefficients, motion.coefficients)
    np.testing.assert_array_equal(back.points, motion.points)
    assert (back.joint_names, back.method, back.notes) == (motion.joint_names, motion.method, motion.notes)
    assert len(times) == count
    np.testing.assert_allclose(times[:-1], 0.01 * np.arange(count - 1), atol=1e-9)
    assert times[-1] == pytest.approx(motion.duration, abs=1e-9)


def test_csv_comes_back_as_close_as_its_rows(motion, tmp_path):
    files.write(motion, tmp_path / "a.csv", step=0.001)
    back, times = files.read(tmp_path / "a.csv")
    np.testing.assert_array_equal(back(times).q, motion(times).q)
    t = np.linspace(0, motion.duration, 777)
    np.testing.assert_allclose(back(t).q, motion(t).q, atol=1e-6)


def test_json_is_a_joint_trajectory_of_ros(arm, motion, tmp_path):
    path = tmp_path / "a.json"
    files.write(motion, path, arm, step=0.25)
    message = json.loads(path.read_text(encoding="utf-8"))
    assert message["joint_names"] == ["joint1", "joint2"]
    assert set(message["header"]) == {"stamp", "frame_id"}
    second = message["points"][1]
    assert second["time_from_start"] == {"sec": 0, "nanosec": 250_000_000}
    state = motion(0.25)
    np.testing.assert_array_equal(second["positions"], state.q)
    np.testing.assert_array_equal(second["velocities"], state.qd)
    np.testing.assert_array_equal(second["accelerations"], state.qdd)
    np.testing.assert_allclose(second["effort"], arm.inverse_dynamics(*state), rtol=1e-12)


def test_npz_holds_rows_that_numpy_reads(arm, motion, tmp_path):
    files.write(motion, tmp_path / "a.npz", arm, step=0.1)
    with np.load(tmp_path / "a.npz") as found:
        np.testing.assert_array_equal(found["q"], motion(found["t"]).q)
        np.testing.assert_allclose(found["tau"], arm.inverse_dynamics(*motion(found["t"])), rtol=1e-12)


def test_a_motion_that_stays_where_it_is_comes_back(arm, tmp_path):
    still = plan(request(arm, [(0.3, 0.1)] * 2, acceleration=1))
    for kind in (".json", ".npz"):
        files.write(still, tmp_path / f"a{kind}")
        assert files.read(tmp_path / f"a{kind}").motion.duration == 0.0


# -- from other programs ------------------------------------------------------------------------------------


def message(**columns):
    """A message of two joints and three points, by hand."""
    points = [
        {name: rows[k] for name, rows in columns.items()} | {"time_from_start": time}
        for k, time in enumerate(({"secs": 2, "nsecs": 0}, {"sec": 3, "nanosec": 500_000_000}, 4.0))
    ]
    return {"joint_names": ["b", "a"], "points": points}


def read_message(tmp_path, data):
    (tmp_path / "m.json").write_text(json.dumps(data), encoding="utf-8")
    return files.read(tmp_path / "m.json")


def test_rows_are_joined_by_what_they_say(tmp_path):
    def law(t):  # of degree five, so that every kind of joining can be held against it
        return np.array([t**5, 1 + t**2]), np.array([5 * t**4, 2 * t]), np.array([20 * t**3, 2])

    q, qd, qdd = (np.array(x).tolist() for x in zip(*(law(t) for t in (0.0, 1.5, 2.0)), strict=True))
    quintic, times = read_message(tmp_path, message(positions=q, velocities=qd, accelerations=qdd))
    np.testing.assert_array_equal(times, [0, 1.5, 2])  # from the first row on
    np.testing.assert_allclose(quintic(0.7).q, law(0.7)[0], rtol=1e-12)
    np.testing.assert_allclose(quintic(1.9).qdd, law(1.9)[2], rtol=1e-9)
    cubic, _ = read_message(tmp_path, message(positions=q, velocities=qd))
    np.testing.assert_allclose(cubic(times).qd, qd, atol=1e-9)
    np.testing.assert_allclose(cubic(0.7).q[1], law(0.7)[0][1], rtol=1e-12)  # a parabola is a cubic
    with pytest.raises(
        ArgumentError, match=r"m\.json: its rows have positions and no velocities.*--differentiate"
    ):
        read_message(tmp_path, message(positions=q, velocities=[[], [], []]))


def test_joints_are_put_in_the_order_of_a_robot(motion):
    turned = files.in_order(motion, ("joint2", "joint1"), "arm")
    np.testing.assert_array_equal(turned(0.5).q, motion(0.5).q[::-1])
    with pytest.raises(ArgumentError, match=r"the motion has no joint elbow, which arm has"):
        files.in_order(motion, ("joint1", "elbow"), "arm")
    with pytest.raises(ArgumentError, match=r"the motion moves joint2, which arm does not have"):
        files.in_order(motion, ("joint1",), "arm")


# -- refusals -----------------------------------------------------------------------------------------------


Q = [[0, 0], [1, 1], [2, 2]]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([], r'm\.json: expected an object with "joint_names" and "points"'),
        ({"points": []}, r'm\.json: "joint_names" is no list of names'),
        ({"joint_names": ["a", "a"], "points": []}, r'"joint_names" has a name twice'),
        ({"joint_names": ["a"], "points": 3}, r'"points" is no list of points'),
        ({"joint_names": ["a"], "points": []}, r"there are no rows"),
        (
            {"joint_names": ["a"], "points": [{"positions": [1], "time_from_start": 0}]},
            r"there is one row; a motion needs two or more",
        ),
        ({"joint_names": ["a"], "points": [{"positions": [1]}]}, r"point 1 has no time_from_start"),
        (
            message(positions=[[0, 0], [1], [2, 2]]),
            r"positions of point 2 are not 2 numbers, one per joint",
        ),
        (message(positions=Q, velocities=[[0, 0], [], [0, 0]]), r"velocities of point 2 are not 2 numbers"),
        (message(velocities=Q), r"the points have no positions"),
        (
            {
                "joint_names": ["a"],
                "points": [{"positions": [t], "time_from_start": t} for t in (0, 2, 1)],
            },
            r"time 1 s of row 3 does not follow 2 s; times must go forwards",
        ),
        (message(positions=Q) | {"strobe": {}}, r"the polynomials of the motion are incomplete"),
        (
            message(positions=Q)
            | {
                "strobe": {
                    "method": "",
                    "notes": [],
                    "points": [],
                    "times": [0, 1],
                    "coefficients": [[[1]]],
                }
            },
            r"the polynomials of the motion do not fit together",
        ),
    ],
)
def test_what_is_no_motion_is_refused_with_the_place(tmp_path, data, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        read_message(tmp_path, data)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.txt", b"", r"a\.txt: a motion is kept in a \.json, \.csv or \.npz file"),
        ("a.json", b"{", r"a\.json: not valid JSON"),
        ("a.json", b"\xff", r"a\.json:1: byte 0xff is not UTF-8"),
        ("a.npz", b"PK", r"a\.npz: not an NPZ file of plain arrays"),
        ("a.csv", b"q_a\n1\n2\n", r'a\.csv: expected rows of numbers below a header with a column "t"'),
        ("a.csv", b"t,q_a\n0,1\n1,nan\n", r"a\.csv: expected 2 finite numbers in every row"),
        (
            "a.csv",
            b"t,x\n0,1\n1,2\n",
            r"a\.csv: no column holds the position of a joint; expected q_<joint>",
        ),
        ("a.csv", b"t,q_a\n0,1\n0,2\n", r"a\.csv: time 0 s of row 2 does not follow 0 s"),
        ("a.csv", b"t,q_a,q_a\n0,1,1\n1,2,3\n", r"a\.csv: the header names q_a more than once"),
        (
            "a.csv",
            b"t,q_a,qd_a\n0,0,0\n1e300,1,0\n",
            r"a\.csv: time 1e\+300 s of row 2 is more than 1e\+30 s after 0 s",
        ),
        (
            "a.csv",
            b"t,q_a,qd_a\n0,-1e308,0\n1,1e308,0\n",
            r"a\.csv: its numbers are too large, or its times too close",
        ),
    ],
)
def test_files_of_another_kind_are_refused(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ArgumentError, match=sentence):
        files.read(tmp_path / name)


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(ArgumentError, match=r"nowhere\.json: cannot be read: No such file"):
        files.read("nowhere.json")


def test_objects_are_not_unpacked(tmp_path):
    np.savez(tmp_path / "a.npz", joint_names=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ArgumentError, match=r"not an NPZ file of plain arrays"):
        files.read(tmp_path / "a.npz")


def test_times_of_rows_are_numbers(motion, tmp_path):
    files.write(motion, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as found:
        arrays = dict(found)
    for t in (np.array(["soon"]), np.array([np.nan])):
        np.savez(tmp_path / "b.npz", **(arrays | {"t": t}))
        with pytest.raises(ArgumentError, match=r'"t" holds something that is no finite number'):
            files.read(tmp_path / "b.npz")


def test_a_file_is_replaced_only_if_asked(motion, tmp_path):
    path = tmp_path / "a.npz"
    files.write(motion, path)
    with pytest.raises(OutputError, match=r"will not replace"):
        files.write(motion, path)
    files.write(motion, path, force=True)


def test_steps_are_checked(motion, tmp_path):
    for step, sentence in (
        (0.0, r"step is 0; expected a time above zero"),
        (1e-9, r"more than 1,000,000 rows"),
    ):
        with pytest.raises(ArgumentError, match=sentence):
            files.write(motion, tmp_path / "a.csv", step=step)
