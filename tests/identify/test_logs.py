"""Logs of other programs: which column is which joint, in which unit; what could mean two things is refused."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ModelFileError
from strobe.identify.logs import Log

T = np.arange(8) / 100
Q, QD, TAU = (np.stack([k + T, -k - 2 * T], 1) for k in (0.1, 0.2, 0.3))
NAMES = ("joint1", "joint2")


@pytest.fixture(scope="module")
def arm() -> strobe.Robot:
    return strobe.load("planar2")


def saved(path: Path, header: str, *columns: np.ndarray, sign: str = ",") -> Path:
    rows = np.column_stack(columns)
    lines = ([header] if header else []) + [sign.join(map(repr, row)) for row in rows.tolist()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def refusal(path: Path, arm: strobe.Robot, **how: object) -> str:
    with pytest.raises(ArgumentError) as refused:
        strobe.read_log(path, arm, **how)  # pyright: ignore[reportArgumentType]
    return str(refused.value)


def holds(log: Log) -> bool:
    """Whether a log holds positions, velocities and torques as they were written."""
    return all(
        found is not None and np.array_equal(found, expected)
        for found, expected in ((log.q, Q), (log.qd, QD), (log.tau, TAU))
    )


# -- names --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    [
        "t,q_joint1,q_joint2,qd_joint1,qd_joint2,tau_joint1,tau_joint2",
        "time,joint1,joint2,joint1_qd,joint2_qd,tau1,tau2",
        "T,Q1,Q2,QD1,QD2,Tau1,Tau2",
        "__time,/joint_states/joint1/position,/joint_states/joint2/position,/joint_states/joint1/velocity,"
        "/joint_states/joint2/velocity,/joint_states/joint1/effort,/joint_states/joint2/effort",
        "timestamp,actual_q_0,actual_q_1,actual_qd_0,actual_qd_1,actual_moment_0,actual_moment_1",
        "time,.position[0],.position[1],.velocity[0],.velocity[1],.effort[0],.effort[1]",
        "time,position[0],position[1],velocity[0],velocity[1],effort[0],effort[1]",
        "time,field.position0,field.position1,field.velocity0,field.velocity1,field.effort0,field.effort1",
        "time [s],joint1.pos [rad],joint2.pos [rad],joint1.vel [rad/s],joint2.vel [rad/s],tau_joint1 [Nm],"
        "tau_joint2 [Nm]",
        "# t,q1,q2,qd1,qd2,tau1,tau2",
        "t,J1,J2,J1_vel,J2_vel,J1_torque,J2_torque",
    ],
)
def test_the_names_of_other_programs_are_known(tmp_path: Path, arm: strobe.Robot, header: str) -> None:
    log = strobe.read_log(saved(tmp_path / "log.csv", header, T, Q, QD, TAU), arm)
    assert holds(log)
    assert log.qdd is None
    assert log.times is not None
    assert np.allclose(log.times, T)


def test_strobes_own_names_leave_nothing_to_say_and_others_are_told(
    tmp_path: Path, arm: strobe.Robot
) -> None:
    own = strobe.read_log(saved(tmp_path / "own.csv", "t,q1,q2", T, Q), arm)
    assert own.remarks == []
    told = strobe.read_log(saved(tmp_path / "ur.csv", "timestamp,actual_q_0,actual_q_1", T, Q), arm)
    assert told.remarks == [
        'q is read from "actual_q_0" (joint1), "actual_q_1" (joint2).',
        "no unit is said: angles are taken in rad, their rates in rad/s.",
    ]


def test_measured_columns_are_read_and_wanted_ones_left_aside_with_all_that_is_theirs(
    tmp_path: Path, arm: strobe.Robot
) -> None:
    header = "timestamp,target_q_0,target_q_1,target_qdd_0,target_qdd_1,actual_q_0,actual_q_1"
    log = strobe.read_log(saved(tmp_path / "log.csv", header, T, 9 + Q, QD, Q), arm)
    assert np.array_equal(log.q, Q)
    assert log.qdd is None  # accelerations that were wanted are not those of a measured motion
    assert any("were left aside" in remark and "target_qdd_0" in remark for remark in log.remarks)
    wanted = strobe.read_log(tmp_path / "log.csv", arm, topic="target")
    assert np.array_equal(wanted.q, 9 + Q)
    assert wanted.qdd is not None


def test_positions_on_two_topics_are_refused_until_one_is_named(tmp_path: Path, arm: strobe.Robot) -> None:
    header = "t,/left/joint1/position,/left/joint2/position,/right/joint1/position,/right/joint2/position"
    path = saved(tmp_path / "log.csv", header, T, Q, QD)
    said = refusal(path, arm)
    assert 'positions of planar2 are in "/left", "/right"; name one with topic=….' in said
    assert np.array_equal(strobe.read_log(path, arm, topic="/right").q, QD)
    assert 'topic "up" is none of "/left", "/right".' in refusal(path, arm, topic="up")


def test_names_beside_the_numbers_of_a_message_say_the_order(tmp_path: Path, arm: strobe.Robot) -> None:
    lines = ["%time,field.name0,field.name1,field.position0,field.position1"]
    lines += [f"{10**18 + k * 10**7},joint2,joint1,{b!r},{a!r}" for k, (a, b) in enumerate(Q.tolist())]
    (tmp_path / "log.csv").write_text("\n".join(lines))
    log = strobe.read_log(tmp_path / "log.csv", arm)
    assert np.array_equal(log.q, Q)
    assert log.times is not None
    assert np.allclose(log.times, T)
    assert 'column "%time" is read as nanoseconds.' in log.remarks


def test_what_ros2_topic_echo_writes_without_a_header_is_read(tmp_path: Path, arm: strobe.Robot) -> None:
    rows = [
        f"1700000000,{k * 10_000_000},base,joint2,joint1,{b!r},{a!r},{d!r},{c!r},0.0,0.0"
        for k, ((a, b), (c, d)) in enumerate(zip(Q.tolist(), QD.tolist(), strict=True))
    ]
    (tmp_path / "log.csv").write_text("\n".join(rows))
    log = strobe.read_log(tmp_path / "log.csv", arm)
    assert np.array_equal(log.q, Q)
    assert log.qd is not None
    assert np.array_equal(log.qd, QD)
    assert log.stamps[1] == "1700000000.010000000"
    assert log.times is not None
    assert np.array_equal(log.times, T)  # to the last digit, though seconds since 1970 have few


def test_numbers_in_names_are_counted_in_one_way(tmp_path: Path, arm: strobe.Robot) -> None:
    path = saved(tmp_path / "log.csv", "q1,q2,qd0,qd1", Q, QD)
    assert 'no column for the position of "joint1"' in refusal(path, arm)


def test_what_is_there_for_some_joints_alone_is_left_out_and_told(
    tmp_path: Path, arm: strobe.Robot
) -> None:
    path = saved(tmp_path / "log.csv", "t,q1,q2,qd1,tau1", T, Q, T, T)
    log = strobe.read_log(path, arm)
    assert (log.qd, log.tau) == (None, None)
    assert 'qd was ignored: there is no column for "joint2".' in log.remarks
    said = {"t": 1, "q": "2:3", "tau_joint1": 5}
    for differentiate in (False, True):
        found = strobe.read_log(path, arm, columns=said, differentiate=differentiate)
        assert found.tau is None  # and no zeros in the place of torques that nobody measured
        assert 'tau was ignored: there is no column for "joint2".' in found.remarks
    assert "leave out topic=…." in refusal(path, arm, columns=said, topic="actual")


def test_efforts_of_some_joints_are_no_efforts(tmp_path: Path, arm: strobe.Robot) -> None:
    log = strobe.read_log(saved(tmp_path / "log.csv", "q1,q2,current_1", Q, T), arm)
    assert log.current is None
    assert 'current was ignored: there is no column for "joint2".' in log.remarks


# -- units --------------------------------------------------------------------------------------------


def test_degrees_are_read_where_a_header_or_the_caller_says_so(tmp_path: Path, arm: strobe.Robot) -> None:
    path = saved(tmp_path / "a.csv", "t,q1 [deg],q2 (deg),qd1 [deg/s],qd2 [°/s]", T, Q, QD)
    log = strobe.read_log(path, arm)
    assert np.array_equal(log.q, np.radians(Q))
    assert log.qd is not None
    assert np.array_equal(log.qd, np.radians(QD))
    assert "angles and their rates are read in degrees." in log.remarks
    asked = strobe.read_log(saved(tmp_path / "b.csv", "t,q1,q2,tau1,tau2", T, Q, TAU), arm, degrees=True)
    assert np.array_equal(asked.q, np.radians(Q))
    assert asked.tau is not None
    assert np.array_equal(asked.tau, TAU)


def test_a_sliding_joint_is_never_in_degrees(tmp_path: Path) -> None:
    arm = strobe.load("stanford")
    path = saved(tmp_path / "log.csv", ",".join(f"q{k}" for k in range(1, 7)), np.ones((3, 6)))
    q = strobe.read_log(path, arm, degrees=True).q[0]
    assert q[2] == 1.0
    assert np.allclose(np.delete(q, 2), np.pi / 180)


@pytest.mark.parametrize(
    ("header", "how", "sentence"),
    [
        ("q1 [grad],q2", {}, 'column "q1 [grad]": the unit "grad" is not known; expected rad, deg or m.'),
        ("q1 [rad],q2", {"degrees": True}, "says it is in rad, and degrees=True was given."),
        ("q1,q2,tau1 [deg],tau2", {}, 'column "tau1 [deg]" is no angle, and cannot be in degrees.'),
        ("q1 [m],q2", {}, 'column "q1 [m]": the unit "m" does not fit; expected rad.'),
        ("q1 [rad/s],q2", {}, 'column "q1 [rad/s]": the unit "rad/s" does not fit; expected rad.'),
        ("q1 [deg/s],q2 [deg/s]", {}, 'the unit "deg/s" does not fit; expected rad.'),
        ("q1,q2,tau1 [N],tau2", {}, 'column "tau1 [N]": the unit "n" does not fit; expected N m.'),
    ],
)
def test_a_unit_that_does_not_fit_is_refused(
    tmp_path: Path, arm: strobe.Robot, header: str, how: dict[str, bool], sentence: str
) -> None:
    path = saved(tmp_path / "log.csv", header, Q, *([TAU] if "tau" in header else []))
    assert sentence in refusal(path, arm, **how)


def test_degrees_that_only_some_columns_say_are_refused(tmp_path: Path, arm: strobe.Robot) -> None:
    path = saved(tmp_path / "log.csv", "t,q1 [deg],q2 [deg],qd1,qd2", T, Q, QD)
    said = '"q1 [deg]", "q2 [deg]" are in degrees, and "qd1", "qd2" have no unit.'
    assert said in refusal(path, arm)
    whole = strobe.read_log(path, arm, degrees=True)
    assert whole.qd is not None
    np.testing.assert_allclose(whole.qd, np.radians(QD))
    stated = saved(tmp_path / "both.csv", "t,q1 [deg],q2 [deg],qd1 [rad/s],qd2 [rad/s]", T, Q, QD)
    log = strobe.read_log(stated, arm)
    assert log.qd is not None
    np.testing.assert_allclose(log.qd, QD)
    assert "columns that say deg are read in degrees." in log.remarks


def test_the_unit_of_a_slide_is_a_length(tmp_path: Path) -> None:
    path = saved(tmp_path / "log.csv", "q1 [rad],q2 [rad],q3 [rad]", np.zeros((2, 3)))
    assert 'column "q3 [rad]": the unit "rad" does not fit; expected m.' in refusal(
        path, strobe.load("spherical3")
    )


def test_angles_that_look_like_degrees_are_not_converted_but_told(
    tmp_path: Path, arm: strobe.Robot
) -> None:
    log = strobe.read_log(saved(tmp_path / "log.csv", "q1,q2", 500 * Q), arm)
    assert np.array_equal(log.q, 500 * Q)
    assert any("If the angles are in degrees, say degrees=True." in remark for remark in log.remarks)


# -- text ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [",", ";", "\t", " ", "   "])
def test_cells_are_separated_as_the_first_line_separates_them(
    tmp_path: Path, arm: strobe.Robot, sign: str
) -> None:
    path = saved(tmp_path / "log.txt", sign.join(["t", "q1", "q2"]), T, Q, sign=sign)
    assert np.array_equal(strobe.read_log(path, arm).q, Q)


@pytest.mark.parametrize("header", ["t;q1;q2\n", ""])
def test_decimal_commas_are_read_beside_semicolons(tmp_path: Path, arm: strobe.Robot, header: str) -> None:
    rows = [";".join(f"{x!r}" for x in row) for row in np.column_stack([T, Q]).tolist()]
    (tmp_path / "log.csv").write_text(header + "\n".join(rows).replace(".", ","))
    log = strobe.read_log(tmp_path / "log.csv", arm)
    assert np.array_equal(log.q, Q)
    assert "its numbers have decimal commas." in log.remarks


@pytest.mark.parametrize("columns", [(Q,), (Q, QD), (Q, QD, TAU), (T, Q), (T, Q, QD), (T, Q, QD, TAU)])
def test_without_a_header_the_number_of_columns_says_what_they_are(
    tmp_path: Path, arm: strobe.Robot, columns: tuple[np.ndarray, ...]
) -> None:
    log = strobe.read_log(saved(tmp_path / "log.csv", "", *columns), arm)
    timed = columns[0] is T
    expected = columns[timed:]
    assert (log.times is not None) == timed
    for found, given in zip((log.q, log.qd, log.qdd), expected, strict=False):
        assert np.array_equal(found, given)  # pyright: ignore[reportArgumentType]
    assert "no header: the columns are taken as" in log.remarks[0]


def test_columns_without_a_header_that_fit_nothing_or_two_things_are_refused(
    tmp_path: Path, arm: strobe.Robot
) -> None:
    path = saved(tmp_path / "log.csv", "", T, Q, QD, TAU, TAU)
    assert "no header, and 9 columns, which are no q, qd and qdd of planar2." in refusal(path, arm)
    alone = strobe.load("random(1, 1)")
    said = refusal(saved(tmp_path / "two.csv", "", T, T), alone)
    assert "which may be q (1), qd (1) or t, q (1)" in said


def test_times_without_a_header_that_fall_are_refused(tmp_path: Path, arm: strobe.Robot) -> None:
    path = saved(tmp_path / "log.csv", "", T[::-1], Q)
    assert 'column "t" is taken as the time, and does not rise.' in refusal(path, arm)


def test_a_gzip_file_is_read_as_what_is_in_it(tmp_path: Path, arm: strobe.Robot) -> None:
    text = saved(tmp_path / "log.csv", "t,q1,q2", T, Q).read_bytes()
    (tmp_path / "log.csv.gz").write_bytes(gzip.compress(text))
    assert np.array_equal(strobe.read_log(tmp_path / "log.csv.gz", arm).q, Q)


@pytest.mark.parametrize(("unit", "scale"), [("ms", 1e3), ("us", 1e6), ("ns", 1e9)])
def test_times_have_the_unit_of_their_header(
    tmp_path: Path, arm: strobe.Robot, unit: str, scale: float
) -> None:
    log = strobe.read_log(saved(tmp_path / "log.csv", f"t [{unit}],q1,q2", scale * T, Q), arm)
    assert log.times is not None
    assert np.allclose(log.times, T)


def test_whole_numbers_far_too_large_for_seconds_are_parts_of_them(
    tmp_path: Path, arm: strobe.Robot
) -> None:
    rows = [f"{1_700_000_000_000 + 10 * k},{a!r},{b!r}" for k, (a, b) in enumerate(Q.tolist())]
    (tmp_path / "log.csv").write_text("time,q1,q2\n" + "\n".join(rows))
    log = strobe.read_log(tmp_path / "log.csv", arm)
    assert log.times is not None
    assert np.allclose(log.times, T)
    assert 'column "time" is read as milliseconds since 1970.' in log.remarks


# -- a mapping ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "columns",
    [
        "t=1, q=2:3, qd=4:5, tau=6:7",
        "t=clock, q=a:b, qd=speed*, tau=6:7",
        {"t": 1, "q": "A:B", "qd_joint1": "speed_x", "qd_joint2": 5, "tau": "6:7"},
    ],
)
def test_columns_are_said_by_number_name_or_pattern(
    tmp_path: Path, arm: strobe.Robot, columns: str | dict[str, str | int]
) -> None:
    path = saved(tmp_path / "log.csv", "clock,a,b,speed_x,speed_y,m,n", T, Q, QD, TAU)
    assert holds(strobe.read_log(path, arm, columns=columns))


@pytest.mark.parametrize("columns", ["t=Zeit", "time=1", "t=zeit"])
def test_where_only_the_time_is_said_the_names_say_the_rest(
    tmp_path: Path, arm: strobe.Robot, columns: str
) -> None:
    path = saved(tmp_path / "log.csv", "Zeit,q1,q2,qd1,qd2,tau1,tau2", T, Q, QD, TAU)
    found = strobe.read_log(path, arm, columns=columns)
    assert holds(found)
    assert found.time_name == "Zeit"
    assert found.times is not None
    assert np.allclose(found.times, T)


def test_a_log_whose_time_is_not_known_by_name_says_how_to_name_it(
    tmp_path: Path, arm: strobe.Robot
) -> None:
    path = saved(tmp_path / "log.csv", "Zeit,q1,q2", T, Q)
    said = refusal(path, arm, differentiate=True)
    assert 'there is no column "t". If another holds them, say which: columns=t=NAME.' in said


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ("q=1:3", "columns: q=1:3 are 3 columns; planar2 has 2."),
        ("q=7:8", 'columns: no column "7:8" for q. There are 3, counted from 1.'),
        ("q=0:1", 'columns: no column "0:1" for q.'),
        ("qq=1:2", 'columns: "qq" is no quantity of planar2.'),
        ("q", 'columns: "q" is no QUANTITY=COLUMNS, like t=1 or q=2:7.'),
        ("q=1:2,q=2:3", 'columns: "q" is there twice.'),
        ("q=1:2,qd=2:3", 'columns: "b" is given twice.'),
        ("q_joint1=1", 'columns: nothing for the position of "joint2"; give q=… or q_JOINT=….'),
        ("q=3:2", "columns: no column"),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(
    tmp_path: Path, arm: strobe.Robot, columns: str, sentence: str
) -> None:
    assert sentence in refusal(saved(tmp_path / "log.csv", "a,b,c", Q, T), arm, columns=columns)


# -- messages and Parquet -----------------------------------------------------------------------------

JOINT_STATE = """std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec"""


def recorded(compression: str, *topics: tuple[str, tuple[str, ...]]) -> bytes:
    """A file as the ROS 2 support of MCAP writes it."""
    from mcap.writer import CompressionType
    from mcap_ros2.writer import Writer

    stream = io.BytesIO()
    writer = Writer(stream, compression=CompressionType[compression])
    schema = writer.register_msgdef("sensor_msgs/msg/JointState", JOINT_STATE)
    for topic, names in topics:
        for k, t in enumerate(T):
            order = [NAMES.index(name) if name in NAMES else 0 for name in names]
            stamp = {"sec": 1_700_000_000, "nanosec": k * 10_000_000}
            writer.write_message(
                topic, schema,
                {"header": {"stamp": stamp, "frame_id": "odd"}, "name": list(names), "position": Q[k, order].tolist(),
                 "velocity": QD[k, order].tolist(), "effort": TAU[k, order].tolist()},
                log_time=int(1e9 * t),
            )  # fmt: skip
    writer.finish()
    return stream.getvalue()


@pytest.mark.parametrize("compression", ["NONE", "LZ4", "ZSTD"])
def test_joint_states_of_ros_2_are_read_from_mcap(
    tmp_path: Path, arm: strobe.Robot, compression: str
) -> None:
    pytest.importorskip("mcap_ros2", reason="mcap-ros2-support is not installed")
    path = tmp_path / "bag.mcap"
    path.write_bytes(recorded(compression, ("/joint_states", ("joint2", "gripper", "joint1"))))
    log = strobe.read_log(path, arm)
    assert holds(log)
    assert log.stamps[0] == "1700000000.000000000"
    assert log.times is not None
    assert np.array_equal(log.times, T)
    assert any("gripper" in remark and "ignored" in remark for remark in log.remarks)


def test_joint_states_of_two_topics_are_told_apart_or_refused(tmp_path: Path, arm: strobe.Robot) -> None:
    pytest.importorskip("mcap_ros2", reason="mcap-ros2-support is not installed")
    path = tmp_path / "bag.mcap"
    path.write_bytes(recorded("ZSTD", ("/arm", NAMES), ("/hand", ("finger",))))
    log = strobe.read_log(path, arm)
    assert holds(log)
    assert 'read from /arm; joint states on "/hand" were left aside.' in log.remarks
    path.write_bytes(recorded("ZSTD", ("/arm", NAMES), ("/twin", NAMES)))
    assert 'joint states of planar2 are on "/arm", "/twin"; name one with topic=….' in refusal(path, arm)
    assert holds(strobe.read_log(path, arm, topic="twin"))
    assert 'no joint states on topic "foo"' in refusal(path, arm, topic="foo")


def test_a_run_of_simulate_is_read_back_from_mcap(tmp_path: Path, arm: strobe.Robot) -> None:
    run = arm.simulate([0.3, 0.2], [0.0, 0.0], None, 0.2)
    run.to_mcap(tmp_path / "run.mcap")
    log = strobe.read_log(tmp_path / "run.mcap", arm)
    assert np.array_equal(log.q, run.q)
    assert log.qd is not None
    assert np.array_equal(log.qd, run.qd)


def test_columns_of_parquet_are_read_by_the_same_names(tmp_path: Path, arm: strobe.Robot) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow as pa
    import pyarrow.parquet as pq

    flat = dict(zip(("q1", "q2", "qd1", "qd2", "tau1", "tau2"), [*Q.T, *QD.T, *TAU.T], strict=True))
    pq.write_table(pa.table({"time": T, **flat, "note": ["x"] * len(T)}), tmp_path / "a.parquet")
    assert holds(strobe.read_log(tmp_path / "a.parquet", arm))
    lists = {"position": Q.tolist(), "velocity": QD.tolist(), "effort": TAU.tolist()}
    pq.write_table(pa.table({"time": T, **lists}), tmp_path / "b.parquet")
    assert holds(strobe.read_log(tmp_path / "b.parquet", arm))


def test_rows_of_other_topics_which_hold_no_joint_are_left_out(tmp_path: Path, arm: strobe.Robot) -> None:
    header = "__time,/joint_states/joint1/position,/joint_states/joint2/position,/imu/x"
    lines = [header]
    for t, (a, b) in zip(T.tolist(), Q.tolist(), strict=True):
        lines += [f"{t!r},{a!r},{b!r},", f"{t + 0.003!r},, ,1.5"]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = strobe.read_log(path, arm)
    assert np.array_equal(found.q, Q)
    assert found.times is not None
    assert np.allclose(found.times, T)
    assert "8 of 16 rows hold none of the columns that are read, and were left out." in found.remarks
    path.write_text("\n".join([*lines, "1.0,0.5,,"]) + "\n", encoding="utf-8")
    assert f'log.csv:{len(lines) + 1}: column "/joint_states/joint2/position": is empty.' in refusal(
        path, arm
    )
    path.write_text("\n".join([header, "0,,,1.5", "1,,,1.5"]) + "\n", encoding="utf-8")
    assert "is empty" in refusal(path, arm)  # nothing would be left


def test_rows_of_parquet_that_hold_no_joint_are_left_out(tmp_path: Path, arm: strobe.Robot) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra scale is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra scale is not installed")
    gap = np.full((8, 2), np.nan)
    q = np.stack([Q, gap], 1).reshape(-1, 2)
    columns = {"t": np.arange(16) / 200, "q1": q[:, 0], "q2": q[:, 1]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "log.parquet")
    found = strobe.read_log(tmp_path / "log.parquet", arm)
    assert np.array_equal(found.q, Q)
    assert "8 of 16 rows hold none of the columns that are read, and were left out." in found.remarks


def test_a_planned_motion_is_a_log_too(tmp_path: Path, arm: strobe.Robot) -> None:
    motion = arm.plan([[0.0, 0.0], [0.5, 0.3]], acceleration=5.0, velocity=2.0)
    from strobe.trajectory.files import write

    write(motion, tmp_path / "traj.json", arm)
    log = strobe.read_log(tmp_path / "traj.json", arm)
    assert np.allclose(log.q[-1], [0.5, 0.3])
    assert "leave out degrees=" in refusal(tmp_path / "traj.json", arm, degrees=True)


# -- what a user sees ---------------------------------------------------------------------------------


def test_a_log_prints_what_it_holds_and_what_it_lacks(tmp_path: Path, arm: strobe.Robot) -> None:
    shown = str(strobe.read_log(saved(tmp_path / "log.csv", "t,q1,q2,tau1,tau2", T, Q, TAU), arm))
    assert "8 rows of planar2 over 0.07 s, about 100 a second" in shown
    assert "holds    q (rad or m), tau (N m or N)" in shown
    assert "lacks    qd, qdd" in shown


def test_rates_are_differentiated_on_request(tmp_path: Path, arm: strobe.Robot) -> None:
    log = strobe.read_log(saved(tmp_path / "log.csv", "t,q1,q2", T, Q), arm, differentiate=True)
    assert log.qd is not None
    assert np.allclose(log.qd, [1.0, -2.0])
    assert log.qdd is not None
    assert np.allclose(log.qdd, 0.0, atol=1e-8)


def test_every_fault_is_told_and_what_is_no_robot_is_refused(tmp_path: Path, arm: strobe.Robot) -> None:
    path = tmp_path / "log.csv"
    path.write_text("q1,q2\n0,x\ny,0\n")
    with pytest.raises(ModelFileError) as refused:
        strobe.read_log(path, arm)
    assert len(refused.value.faults) == 2
    assert "robot is a str; expected a robot: strobe.load(name)." in refusal(path, "planar2")  # pyright: ignore[reportArgumentType]


def test_a_column_of_a_joint_that_follows_is_said_to_be_one(tmp_path: Path) -> None:
    body = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    link = f'<link name="{{0}}"><inertial>{body}</inertial></link>'
    robot = strobe.load(
        '<robot name="jaws"><link name="base"/>' + link.format("l") + link.format("r") +
        '<joint name="left" type="continuous"><parent link="base"/><child link="l"/><axis xyz="0 0 1"/></joint>'
        '<joint name="right" type="continuous"><parent link="base"/><child link="r"/><axis xyz="0 0 1"/>'
        '<mimic joint="left"/></joint></robot>'
    )  # fmt: skip
    path = saved(tmp_path / "log.csv", "/joint_states/left/position,/joint_states/right/position", Q)
    assert any(
        "is of right, which follows another joint of jaws." in x
        for x in strobe.read_log(path, robot).remarks
    )


def test_a_log_of_more_joints_by_number_is_refused(tmp_path: Path, arm: strobe.Robot) -> None:
    log = tmp_path / "log.csv"
    log.write_text("timestamp,actual_q_0,actual_q_1,actual_q_2\n0,0.1,0.2,0.3\n", encoding="utf-8")
    with pytest.raises(
        strobe.ModelFileError, match="positions of 3 joints are numbered, and planar2 has 2: say"
    ):
        strobe.read_log(log, arm)
    found = strobe.read_log(log, arm, columns="t=1, q=3:4")
    assert found.q.tolist() == [[0.2, 0.3]]


def test_units_that_are_multiples_are_said_in_the_header(tmp_path: Path) -> None:
    path = tmp_path / "units.csv"
    path.write_text(
        "t [ms],q1 [mrad],q2 [deg],tau1 [N mm],tau2 [kNm]\n0,100,90,500,0.002\n10,100,90,500,0.002\n"
    )
    log = strobe.read_log(path, strobe.load("planar2"))
    assert log.tau is not None
    assert np.allclose(log.times, [0, 0.01])
    assert np.allclose(log.q, [[0.1, np.pi / 2]] * 2)
    assert np.allclose(log.tau, [[0.5, 2.0]] * 2)


def test_arrays_of_a_run_are_a_log(tmp_path: Path) -> None:
    t = np.linspace(0, 1, 5)
    np.savez(tmp_path / "log.npz", t=t, q=np.outer(t, [1, 2]), tau=np.outer(t, [3, 4]), kinetic=np.zeros(4))
    log = strobe.read_log(tmp_path / "log.npz", strobe.load("planar2"))
    assert log.tau is not None
    assert np.allclose(log.tau, np.outer(t, [3, 4]))
    assert np.allclose(log.times, t)
