"""Where joints are, from measured poses: as many placements as there are, with the errors that they have."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import strobe
from strobe.errors import ArgumentError, ShapeError, UnsupportedModelError
from strobe.identify.calibrating import calibrate
from strobe.identify.placement_moves import moved, moves_of
from strobe.identify.pose_errors import ENDS, Placed, PoseErrors
from strobe.identify.pose_readings import read_poses, readings
from strobe.models.writers import written
from strobe.robot import Robot

NOISE = 5e-5, 1e-4  # m, rad
KINDS = ("poses", "positions", "distances")


def placement(turn: list[float], shift: list[float]) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_rotvec(turn).as_matrix(), shift
    return T


BASE, TOOL = placement([0.3, -1.2, 2.0], [2.0, -1.0, 0.5]), placement([1.0, 0.4, 0.2], [0.05, 0.02, 0.12])


class Lab:
    """A robot that is not quite what its model says, and what was measured of it."""

    def __init__(self, name: str, parameters: str | None = None, seed: int = 0, size: float = 1e-3) -> None:
        self.robot = strobe.load(name)
        self.frame = self.robot.moving_frame(None)
        moves = moves_of(self.robot.model, self.frame, parameters)
        self.moves = np.random.default_rng(seed).normal(size=len(moves)) * size
        self.true = self.robot.with_model(moved(self.robot.model, moves, self.moves.tolist()))

    def poses(
        self, count: int, seed: int = 0, noise: tuple[float, float] = NOISE
    ) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(100 + seed)
        q = self.robot.random_state(seed=seed, batch=count)[0]
        T = BASE @ self.true.forward_kinematics(q, frame=self.frame) @ TOOL
        T[:, :3, 3] += noise[0] * rng.normal(size=(count, 3))
        T[:, :3, :3] = (
            T[:, :3, :3] @ Rotation.from_rotvec(noise[1] * rng.normal(size=(count, 3))).as_matrix()
        )
        return q, T

    def measured(self, kind: str, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        q, T = self.poses(count, seed)
        return q, of_kind(kind, T)


def of_kind(kind: str, T: np.ndarray) -> np.ndarray:
    p = T[:, :3, 3]
    return {"poses": T, "positions": p, "distances": np.linalg.norm(p, axis=1)}[kind]


@pytest.fixture(scope="module")
def puma() -> Lab:
    return Lab("puma560")


@pytest.mark.parametrize(
    ("name", "parameters", "turning", "sliding"),
    [
        ("puma560", None, 6, 0), pytest.param("ur5", None, 6, 0, marks=pytest.mark.slow),
        pytest.param("ur5", "origins", 6, 0, marks=pytest.mark.slow),
        pytest.param("panda", None, 7, 0, marks=pytest.mark.slow),
        ("stanford", None, 5, 1), ("planar3", None, 3, 0), ("planar2", "origins", 2, 0),
    ],
)  # fmt: skip
def test_poses_tell_four_placements_of_a_turning_joint_two_of_a_sliding_one_and_six(
    name: str, parameters: str | None, turning: int, sliding: int
):
    robot = strobe.load(name)
    frame = robot.moving_frame(None)
    errors = PoseErrors(robot, frame, moves_of(robot.model, frame, parameters), "poses")
    q = robot.random_state(seed=1, batch=50)[0]
    T = robot.forward_kinematics(q, frame=frame) @ TOOL
    now = Placed(np.eye(4), TOOL, np.zeros(len(errors.joints)))
    J = errors.slopes(readings(robot, q, T), now)
    J = J.reshape(-1, J.shape[-1])
    sizes = np.linalg.norm(J, axis=0)
    assert (
        np.linalg.matrix_rank(J / np.where(sizes > 1e-9, sizes, 1.0), 1e-8) == 4 * turning + 2 * sliding + 6
    )


@pytest.mark.parametrize("kind", KINDS)
def test_slopes_are_those_of_the_errors(puma: Lab, kind: str):
    errors = PoseErrors(puma.robot, puma.frame, moves_of(puma.robot.model, puma.frame, None), kind)
    read = readings(puma.robot, *puma.measured(kind, 3))
    now, h = Placed(BASE, TOOL, puma.moves), 1e-6
    J = errors.slopes(read, now)
    for k in range(len(errors.moves)):
        step = np.eye(len(errors.moves))[k] * h
        assert (errors(read, now.after(step)) - errors(read, now.after(-step))) / (2 * h) == pytest.approx(
            J[..., k], abs=1e-8
        )


def deviation(found: Any, lab: Lab) -> np.ndarray:
    """Errors of what was found in units of what they are said to be."""
    true = found.fit.map[found._found][:, len(ENDS) :] @ lab.moves
    return (found.values - true) / found.deviations


@pytest.mark.parametrize(("kind", "count"), [("poses", 60), ("positions", 100), ("distances", 300)])
def test_what_was_moved_is_found(puma: Lab, kind: str, count: int):
    found = calibrate(puma.robot, *puma.measured(kind, count), test=puma.measured(kind, 20, 5))
    assert len(found.fit.kept) == {"poses": 30, "positions": 27, "distances": 24}[kind]
    assert np.abs(deviation(found, puma)).max() < 4.5
    assert found.fit.noise == pytest.approx(NOISE[: len(found.fit.noise)], rel=0.2)
    fitted, held = found.misses
    assert (held.after < 1.5 * fitted.after + 1e-5).all()
    assert (held.after * 8 < held.before).all()
    assert found.remarks == found.open == ()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameters"), [("ur5", None), ("panda", "origins"), ("stanford", None)])
def test_errors_are_as_large_as_they_are_said_to_be(name: str, parameters: str | None):
    lab = Lab(name, parameters)
    z = [
        deviation(calibrate(lab.robot, *lab.poses(40, seed), parameters=parameters), lab)
        for seed in range(30)
    ]
    assert 0.64 < (np.abs(z) < 1).mean() < 0.72
    assert 0.93 < (np.abs(z) < 2).mean() < 0.97


@pytest.mark.slow
def test_the_calibrated_robot_goes_where_the_real_one_does(tmp_path):
    lab = Lab("ur5")
    found = calibrate(lab.robot, *lab.poses(60))
    q = lab.robot.random_state(seed=9, batch=50)[0]
    wanted = BASE @ lab.true.forward_kinematics(q) @ TOOL
    for format in ("urdf", "toml"):
        path = tmp_path / f"calibrated.{format}"
        path.write_text(written(found.calibrated.model, format)[0])
        again = strobe.load(path)
        got = found.base @ again.forward_kinematics(q, frame=found.frame) @ found.tool
        assert np.abs(got - wanted)[:, :3, 3].max() < 1e-4
        assert np.abs(got - wanted).max() < 2e-4


@pytest.mark.slow
def test_parallel_axes_have_one_distance_along_them_and_a_turn_about_the_third_axis():
    lab = Lab("ur5")
    found = calibrate(lab.robot, *lab.poses(60))
    assert "d2 + d3 + d4" in found.names
    assert {"beta2", "beta3"} <= set(found.names)
    assert found.parts["d3"] == ("d2",)
    assert found.parts["theta1"] == ("base.rz",)
    assert "Part of where the base and the target are: theta1, d1," in str(found)


@pytest.mark.slow
def test_a_base_and_a_target_that_are_known_tell_the_offsets_at_both_ends(puma: Lab):
    found = calibrate(puma.robot, *puma.poses(60), base=BASE, tool=TOOL)
    assert min(found.fit.kept) >= len(ENDS)
    assert any(name.startswith("theta1") for name in found.names)
    assert np.array_equal(found.base, BASE)
    assert not found.tool_deviations.any()
    assert np.abs(deviation(found, puma)).max() < 4.5


@pytest.mark.slow
def test_noise_that_is_known_is_taken(puma: Lab):
    found = calibrate(puma.robot, *puma.poses(40), noise=(1e-4, 2e-4))
    assert found.fit.noise.tolist() == [1e-4, 2e-4]
    free = calibrate(puma.robot, *puma.poses(40))
    assert found.deviations == pytest.approx(2 * free.deviations, rel=0.3)


@pytest.mark.slow
def test_joints_that_stand_leave_open_what_they_would_tell(puma: Lab):
    q, T = puma.poses(60)
    q[:, 3] = 0.4
    T = BASE @ puma.true.forward_kinematics(q) @ TOOL
    found = calibrate(puma.robot, q, T)
    assert found.remarks == ("joint4 does not move: what only such a motion tells is not known.",)
    assert len(found.open) == 30 - len(found.fit.kept) > 0
    assert "Other readings would tell " in str(found)


def test_a_result_is_kept_and_printed(puma: Lab):
    found = calibrate(puma.robot, *puma.poses(40))
    again = pickle.loads(pickle.dumps(found))
    assert str(again) == str(found)
    assert np.array_equal(again.values, found.values)
    assert str(found).startswith("puma560: 30 placements up to tool from 40 poses")
    with pytest.raises(AttributeError):
        found.frame = "other"  # pyright: ignore[reportAttributeAccessIssue]


# -- mistakes -------------------------------------------------------------------------------------------


Change = Callable[[np.ndarray, np.ndarray], tuple[Any, Any]]


def _mirrored(T: np.ndarray) -> np.ndarray:
    return T * np.array([1, 1, -1, 1])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda q, T: (q[:5], T[:5]), "5 poses tell 30 numbers, and puma560 has 30 placements to be found"),
        (lambda q, T: (q, _mirrored(T)), "poses: row 1 is mirrored (its determinant is −1); one of its axes has the"),
        (lambda q, T: (q, 1.1 * T), "poses: row 1 ends in [0.0, 0.0, 0.0, 1.1]; the last row of a placement is"),
        (lambda q, T: (q, T + np.eye(4, k=1) * 0.1), "poses: row 1 is no rotation: its axes are off by"),
        (lambda q, T: (q, 1000 * T[:, :3, 3]), "positions are spread over 685.3 m, where the hand goes 0.623 m"),
        (lambda q, T: (q * [[np.nan]], T), "q has a number that is none in row 1; leave out what was not measured."),
        (lambda q, T: (q, np.full(40, -1.0)), "poses: a distance is -1; distances are positive."),
        (lambda q, T: (q, []), "poses is empty; there is nothing to calibrate with."),
        (lambda q, T: (q, "poses"), "poses is 'poses'; expected numbers."),
        (lambda q, T: (np.tile(q[0], (40, 1)), T), "q: the hand stays where it is in all rows; poses tell of joints"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(puma: Lab, change: Change, said: str):
    with pytest.raises(ArgumentError) as error:
        calibrate(puma.robot, *change(*puma.poses(40)))
    assert str(error.value).startswith(said)


def test_millimetres_are_named(puma: Lab):
    q, T = puma.poses(40)
    with pytest.raises(ArgumentError, match="They seem to be in mm: divide them by 1000"):
        calibrate(puma.robot, q, 1000 * T[:, :3, 3])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda q, T: (np.degrees(q), T), "the angles seem to be in degrees: errors of "),
        (lambda q, T: (q * [1, 1, -1, 1, 1, 1], T), "the position of joint3 seems to have the other sign: "),
        (lambda q, T: (q, np.linalg.inv(T)), "the poses seem to be inverted: errors of "),
    ],
)  # fmt: skip
def test_what_is_mistaken_is_told(puma: Lab, change: Change, said: str):
    found = calibrate(puma.robot, *change(*puma.poses(40)))
    assert any(remark.startswith(said) for remark in found.remarks), found.remarks


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"parameters": "hayati"}, 'parameters is "hayati"; expected dh or origins.'),
        ({"base": np.ones((4, 4))}, "base is no placement: expected a rotation and a position as an array (4, 4)."),
        ({"tool": [1, 2, 3]}, "tool is no placement"),
        ({"noise": 1e-4}, "noise is [0.0001]; expected 2 finite numbers."),
        ({"noise": (1e-4, 0)}, "noise has 0; a standard deviation is positive."),
        ({"test": (np.zeros((4, 6)), np.ones((4, 3)))}, "test holds positions, and poses are fitted; give"),
    ],
)  # fmt: skip
def test_arguments_that_make_no_sense_are_refused(puma: Lab, asked: dict[str, Any], said: str):
    with pytest.raises(ArgumentError) as error:
        calibrate(puma.robot, *puma.poses(40), **asked)
    assert str(error.value).startswith(said)


def test_other_shapes_and_other_robots_are_refused(puma: Lab):
    q, T = puma.poses(40)
    with pytest.raises(ShapeError, match=r"expected \(40, 6\)"):
        calibrate(puma.robot, q[:, :5], T)
    with pytest.raises(ShapeError, match="whole poses, positions or distances"):
        calibrate(puma.robot, q, T[:, :3])
    with pytest.raises(UnsupportedModelError, match="has closed chains"):
        calibrate(strobe.load("fourbar"), q, T)
    robot: Robot = strobe.random(3, seed=1)
    with pytest.raises(
        ArgumentError, match='is not given by Denavit-Hartenberg parameters; take parameters="origins".'
    ):
        calibrate(robot, np.zeros((2, 3)), np.ones((2, 3)), parameters="dh")


# -- files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", ["quaternion", "angles", "degrees", "none", "distance"])
def test_files_hold_what_was_measured(puma: Lab, tmp_path, turned: str):
    q, T = puma.poses(5)
    R, p = Rotation.from_matrix(T[:, :3, :3]), T[:, :3, 3]
    extra = {
        "quaternion": (["qw", "qx", "qy", "qz"], R.as_quat()[:, [3, 0, 1, 2]]),
        "angles": (["roll", "pitch", "yaw"], R.as_euler("xyz")),
        "degrees": (["roll", "pitch", "yaw"], R.as_euler("xyz", degrees=True)),
    }.get(turned, ([], np.zeros((5, 0))))
    angles = np.degrees(q) if turned == "degrees" else q
    names, columns = ["x", "y", "z", *extra[0]], np.column_stack([p, extra[1]])
    if turned == "distance":
        names, columns = ["distance"], np.linalg.norm(p, axis=1)[:, None]
    path = tmp_path / "poses.csv"
    heads = ",".join(
        [*names, *(puma.robot.joint_names if turned == "none" else [f"q{k}" for k in range(1, 7)])]
    )
    np.savetxt(
        path, np.column_stack([columns, angles]), delimiter=",", header=heads, comments="", fmt="%.17g"
    )
    found, measured = read_poses(path, puma.robot, degrees=turned == "degrees")
    assert found == pytest.approx(q, abs=1e-12)
    expected = {"none": p, "distance": columns[:, 0]}.get(turned, T)
    assert measured == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q1,q2,x,y,z\n1,2,3,4,5\n", "the positions of 6 joints are not there; expected columns q1 to q6 or joint1,"),
        ("q1,q2,q3,q4,q5,q6,x,y\n1,2,3,4,5,6,7,8\n", "what was measured is not there; expected columns x, y, z"),
        ("q1,q2,q3,q4,q5,q6,x,y,z,qw,qx,qy,qz\n1,2,3,4,5,6,7,8,9,1,1,0,0\n", "row 1 has a quaternion of length 1.4"),
        ("q1,q2,q3,q4,q5,q6,x,y,z\n1,2,3,4,5,6,7,8,a\n", "a"),
    ],
)  # fmt: skip
def test_files_that_hold_something_else_are_refused(puma: Lab, tmp_path, text: str, said: str):
    path = tmp_path / "poses.csv"
    path.write_text(text)
    with pytest.raises((ArgumentError, strobe.errors.StrobeError), match="poses.csv") as error:
        read_poses(path, puma.robot)
    assert said in str(error.value)
