"""Requests in files and mappings: every way to give a point, every fault in one go."""

import json

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError
from strobe.trajectory.reading import read_request, request_from

TOML = """
method = "cubic"
envelope = 0.02
frame = "tool"

[parameters]
lift = 0.25

[bounds]
velocity = 2
acceleration = [5, "2*3"]
jerk = {joint1 = 80}
upper = {joint2 = 1.5}

[[points]]
q = [0, "pi/8"]
time = 1.0

[[points]]
name = "above the box"
q = {joint2 = "lift", joint1 = 1}
qd = [0.1, "free"]
time = 3.0

[[points]]
q = [0.5, 0.5]
qd = {joint2 = 0.2}
time = 5.5
"""


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


@pytest.fixture
def toml(tmp_path):
    path = tmp_path / "request.toml"
    path.write_text(TOML, encoding="utf-8")
    return path


def test_a_file_holds_points_velocities_times_and_bounds(arm, toml):
    asked = read_request(arm, toml)
    np.testing.assert_array_equal(asked.q, [(0, np.pi / 8), (1, 0.25), (0.5, 0.5)])
    np.testing.assert_array_equal(asked.qd, [(0, 0), (0.1, np.nan), (0, 0.2)])
    np.testing.assert_array_equal(asked.times, [0, 2, 4.5])
    assert asked.labels == ("point 1", "above the box", "point 3")
    assert (asked.method, asked.envelope, asked.frame) == ("cubic", 0.02, "tool")
    b = asked.bounds
    np.testing.assert_array_equal(b.velocity, [2, 2])
    np.testing.assert_array_equal(b.acceleration, [5, 6])
    np.testing.assert_array_equal(b.jerk, [80, np.inf])
    np.testing.assert_array_equal(b.upper, [3.1, 1.5])
    np.testing.assert_array_equal(b.effort, arm.limits.effort)


def test_json_and_a_mapping_say_the_same(arm, toml, tmp_path):
    import tomllib

    data = tomllib.loads(TOML)
    data["points"][1]["qd"] = [0.1, None]
    path = tmp_path / "request.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    data["points"][0]["q"] = np.array([0, np.pi / 8])
    expected = read_request(arm, toml)
    for other in (read_request(arm, path), request_from(arm, data)):
        np.testing.assert_array_equal(other.q, expected.q)
        np.testing.assert_array_equal(other.qd, expected.qd)
        np.testing.assert_array_equal(other.bounds.acceleration, expected.bounds.acceleration)
        assert other.labels == expected.labels


def test_bounds_can_be_given_instead_of_those_of_the_file(arm, toml):
    asked = read_request(arm, toml, acceleration=9, envelope=0.5)
    np.testing.assert_array_equal(asked.bounds.acceleration, [9, 9])
    assert asked.envelope == 0.5


# -- by the hand --------------------------------------------------------------------------------------------


def test_poses_become_the_joints_nearest_to_the_point_before():
    robot = strobe.load("puma560")
    start = np.array([0.1, 0.6, -0.5, 0.2, 0.3, 0.1])
    there = start + 0.1
    T = robot.forward_kinematics(there)
    ways = ({name: robot.hand(there, angles=name).angles} for name in ("rpy", "waters", "quaternion"))
    for given in ({"pose": T}, *({"position": T[:3, 3], **turn} for turn in ways)):
        asked = request_from(robot, {"points": [{"q": start}, given]})
        np.testing.assert_allclose(asked.q[1], there, atol=1e-7)
        assert asked.posed == (False, True)
        assert asked.frame == robot.frames[-1]


def test_a_position_alone_leaves_the_orientation_open(arm):
    asked = request_from(arm, {"points": [{"q": [0, 0.5]}, {"position": [0.4, 0.3, 0]}]})
    np.testing.assert_allclose(arm.forward_kinematics(asked.q[1])[:3, 3], [0.4, 0.3, 0], atol=1e-9)


def test_a_twist_becomes_joint_velocities():
    robot = strobe.load("puma560")
    q, twist = np.array([0.1, 0.6, -0.5, 0.2, 0.3, 0.1]), np.array([0.1, 0, -0.05, 0, 0.2, 0])
    data = {"points": [{"q": q}, {"q": q + 0.2, "twist": twist}, {"q": q}]}
    asked = request_from(robot, data)
    np.testing.assert_allclose(robot.jacobian(q + 0.2) @ asked.qd[1], twist, atol=1e-12)


# -- faults -------------------------------------------------------------------------------------------------


def test_every_fault_of_a_file_is_reported_with_its_place(arm, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(
        """
        method = "cubicc"
        envelop = 0.02
        [bounds]
        acceleration = {jint1 = 3}
        velocity = "fast"
        [[points]]
        q = [0, "pi/8", 3]
        [[points]]
        position = [0.4, 0.3, 0]
        q = [0, 0]
        qd = [0]
        [[points]]
        q = {joint1 = 1}
        qd = [0, 0]
        twist = [0, 0, 0, 0, 0, 0]
        [[points]]
        quaternion = [1, 1, 0, 0]
        [[points]]
        """,
        encoding="utf-8",
    )
    with pytest.raises(ArgumentError) as found:
        read_request(arm, path)
    told = str(found.value).replace(f"{path}: ", "").splitlines()
    assert told[0] == f"{len(told) - 1} faults:"
    for sentence in (
        "bounds.acceleration.jint1: planar2 has no such joint. Did you mean 'joint1' or 'joint2'?",
        'points[1].q: found [0, "pi/8", 3], expected an array of 2 numbers.',
        "points[2]: expected q (the joints), or the hand by position, orientation or pose, not both.",
        'points[2].qd: found [0], expected 2 entries, each a number or "free".',
        "points[3].q: no position for joint2; expected one for every joint.",
        "points[3].twist: the velocity is given as qd too; keep one.",
        "points[4]: quaternion has length 1.41421 instead of 1. Divide it by its length.",
        "points[5]: expected q (the joints), or the hand by position, orientation or pose.",
        "envelop: unknown key. Did you mean 'envelope'?",
    ):
        assert sentence in told
    assert any(line.startswith('method: found "cubicc", expected one of') for line in told)
    assert any(line.startswith("bounds.velocity: ") for line in told)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.toml", "points = [", r"a\.toml: not valid TOML: .*"),
        ("a.json", "{", r"a\.json: not valid JSON: .*"),
        ("a.json", "[1, 2]", r'a\.json: found \[1, 2\], expected a table with "points"'),
        ("a.json", "{}", r'a\.json: the key "points" is missing; expected one table per point'),
        ("a.json", '{"points": 3}', r"a\.json: points: found 3, expected tables"),
        ("a.json", '{"points": []}', r"a\.json: the request has 0 points; a motion needs two or more"),
        (
            "a.json",
            '{"points": [{"q": [0, 0]}]}',
            r"a\.json: the request has 1 point; a motion needs two or more",
        ),
        (
            "a.json",
            '{"points": [{"q": [0, 0]}, {"q": [4, 0]}]}',
            r'a\.json: point 2 puts joint "joint1" at 4, above its upper bound 3\.1',
        ),
        (
            "a.json",
            '{"points": [{"q": [9, 0], "name": "home"}, {"q": [0, 0]}]}',
            r'a\.json: home puts joint "joint1" at 9, above its upper bound 3\.1',
        ),
        (
            "a.json",
            '{"points": [{"q": [0, 0]}, {"position": [3, 0, 0]}]}',
            r'a\.json: point 2: unreachable: the frame lies 2\.25 m out of the reach of joint "joint2"',
        ),
        (
            "a.json",
            '{"points": [{"q": [0, 0], "time": 2}, {"q": [1, 0], "time": 1}]}',
            r"a\.json: point 2 has time 1 s, after point 1 at 2 s; expected times that go forwards",
        ),
        (
            "a.json",
            '{"points": [{"q": [0, 0], "time": 2}, {"q": [1, 0]}]}',
            r"a\.json: point 2 has no time, but others have",
        ),
        (
            "a.json",
            '{"bounds": {"velocity": [0, 1]}, "points": [{"q": [0, 0]}, {"q": [1, 0]}]}',
            r'a\.json: the velocity bound of joint "joint1" is 0; expected a number above zero',
        ),
        (
            "a.json",
            '{"frame": "tol", "points": [{"q": [0, 0]}, {"q": [1, 0]}]}',
            r'a\.json: no frame "tol" in planar2\. Did you mean .tool',
        ),
        (
            "a.json",
            '{"points": [{"q": [0, 0], "twist": [0, 0, 1, 0, 0, 0]}, {"q": [1, 0]}]}',
            r"a\.json: point 1: tool cannot move with this twist there; 1 of it is left over",
        ),
        ("a.yaml", "points: 3", r"a\.yaml: a request is a \.toml or a \.json file"),
        ("a.toml", "points = 'é'", r"a\.toml:1: byte 0xe9 is not UTF-8"),
    ],
)
def test_what_is_no_request_is_refused(arm, tmp_path, name, text, sentence):
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ArgumentError, match=sentence):
        read_request(arm, path)


def test_a_file_that_is_not_there_is_named(arm):
    with pytest.raises(ArgumentError, match=r"nowhere\.toml: cannot be read: No such file"):
        read_request(arm, "nowhere.toml")
