"""Denavit-Hartenberg tables: those that were published come back, and every other one rebuilds its robot."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

from strobe.errors import StrobeError
from strobe.kinematics.denavit_hartenberg import CONVENTIONS, Convention, DHTable, denavit_hartenberg
from strobe.models.load import load_model
from strobe.models.model import ROOT
from strobe.models.toml_reader import read_toml
from strobe.robot import Robot, random

RIGHT = math.pi / 2
CHAINS = [
    "biped10", "panda", "pendulum3", "planar2", "planar3", "puma560", "rx90", "spherical3", "stanford", "ur5",
]  # fmt: skip


def robot_of(name: str) -> Robot:
    return Robot(load_model(name), compiled=False)


def robot_in(text: str) -> Robot:
    return Robot(read_toml("arm.toml", text=text), compiled=False)


def screw(axis: int, angle: float, shift: float) -> np.ndarray:
    """A turn about, and a slide along, a coordinate axis."""
    c, s = math.cos(angle), math.sin(angle)
    placement = np.eye(4)
    placement[:3, :3] = {0: [[1, 0, 0], [0, c, -s], [0, s, c]], 2: [[c, -s, 0], [s, c, 0], [0, 0, 1]]}[axis]
    placement[axis, 3] = shift
    return placement


def rebuilt(table: DHTable, q: np.ndarray) -> np.ndarray:
    """Forward kinematics from nothing but the numbers of a table."""
    placement = np.eye(4)
    for row, x in zip((table.base, *table.rows, table.tool), (0.0, *q, 0.0), strict=True):
        turn = x if row.kind in ("revolute", "continuous") else 0.0
        along_z = screw(2, row.theta + turn, row.d + x - turn)
        along_x = screw(0, row.alpha, row.a)
        placement = placement @ (along_z @ along_x if table.convention == "standard" else along_x @ along_z)
    return placement


# -- tables as their authors have them -------------------------------------------------------------------


PUBLISHED: dict[tuple[str, Convention], list[tuple[float, float, float, float]]] = {  # a, alpha, d, theta
    ("stanford", "standard"): [
        (0, -RIGHT, 0.412, 0), (0, RIGHT, 0.154, 0), (0, 0, 0, -RIGHT),
        (0, -RIGHT, 0, 0), (0, RIGHT, 0, 0), (0, 0, 0.263, 0),
    ],
    ("puma560", "standard"): [
        (0, RIGHT, 0.67183, 0), (0.4318, 0, 0, 0), (0.0203, -RIGHT, 0.15005, 0),
        (0, RIGHT, 0.4318, 0), (0, -RIGHT, 0, 0), (0, 0, 0, 0),
    ],
    ("ur5", "standard"): [
        (0, RIGHT, 0.089159, 0), (-0.425, 0, 0, 0), (-0.39225, 0, 0, 0),
        (0, RIGHT, 0.10915, 0), (0, -RIGHT, 0.09465, 0), (0, 0, 0.0823, 0),
    ],
    ("panda", "modified"): [
        (0, 0, 0.333, 0), (0, -RIGHT, 0, 0), (0, RIGHT, 0.316, 0), (0.0825, RIGHT, 0, 0),
        (-0.0825, -RIGHT, 0.384, 0), (0, RIGHT, 0, 0), (0.088, RIGHT, 0, 0),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("name", "convention"), PUBLISHED)
def test_a_published_table_comes_back_digit_by_digit(name: str, convention: Convention) -> None:
    table = denavit_hartenberg(robot_of(name), convention=convention)
    rows = [(row.a, row.alpha, row.d, row.theta) for row in table.rows]
    assert rows == PUBLISHED[name, convention]
    assert table.base.idle


def test_the_panda_s_flange_is_what_its_table_leaves_over() -> None:
    tool = denavit_hartenberg(robot_of("panda"), "flange", "modified").tool
    assert (tool.a, tool.alpha, tool.d, tool.theta) == (0, 0, 0.107, 0)


def test_the_table_comes_back_from_a_urdf_of_the_same_arm(tmp_path: Path) -> None:
    from strobe.models.urdf_writer import write_urdf

    path = tmp_path / "puma.urdf"
    path.write_text(write_urdf(load_model("puma560"))[0])
    table = denavit_hartenberg(Robot(load_model(path), compiled=False), "tool")
    assert [(row.a, row.alpha, row.d, row.theta) for row in table.rows] == PUBLISHED["puma560", "standard"]


# -- every table rebuilds its robot ----------------------------------------------------------------------


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("name", CHAINS)
def test_a_built_in_is_rebuilt_from_its_table_at_any_frame(name: str, convention: Convention) -> None:
    robot = robot_of(name)
    q = np.random.default_rng(3).uniform(-3, 3, robot.nq)
    for frame in robot.model.frames:
        if frame.body != ROOT:
            table = denavit_hartenberg(robot, frame.name, convention)
            assert np.allclose(
                rebuilt(table, q[: table.n]), robot.forward_kinematics(q, frame.name), atol=1e-13
            )


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(12))
def test_random_arms_with_oblique_axes_are_rebuilt(seed: int, convention: Convention) -> None:
    robot = Robot(random(7, seed, kinds="RPC").model, compiled=False)
    q = np.random.default_rng(seed).uniform(-3, 3, 7)
    table = denavit_hartenberg(robot, convention=convention)
    assert np.allclose(rebuilt(table, q), robot.forward_kinematics(q), atol=1e-12)
    assert max(table.exactness.position, table.exactness.rotation) < 1e-12


def square_arm(seed: int) -> Robot:
    """Joints along coordinate axes at whole distances: many are parallel, coincide or meet."""
    rng = np.random.default_rng(seed)
    links = [
        f'[[axes.link]]\njoint = "{rng.choice(list("+-"))}{rng.choice(list("RRT"))}{rng.choice(list("xyz"))}"\n'
        f"d = {rng.integers(-1, 2, 3).tolist()}\nrpy = [0, 0, {rng.choice([0.0, 0.0, RIGHT])}]\nmass = 1\n"
        f"com = {rng.normal(size=3).tolist()}\ninertia = [1, 1, 1, 0, 0, 0]\n"
        for _ in range(6)
    ]
    return robot_in("format = 1\n[axes]\n" + "".join(links))


@pytest.mark.slow
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(40))
def test_arms_with_every_kind_of_special_position_are_rebuilt(seed: int, convention: Convention) -> None:
    robot = square_arm(seed)
    table = denavit_hartenberg(robot, convention=convention)
    q, qd, qdd = robot.random_state(seed)
    assert np.allclose(rebuilt(table, q), robot.forward_kinematics(q), atol=1e-13)
    assert table.exactness.position < 1e-14
    again = robot_in(table.toml())
    assert np.allclose(again.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd), atol=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_a_branch_of_a_tree_has_a_table_and_its_own_joints(seed: int) -> None:
    robot = Robot(random(9, seed, tree=True).model, compiled=False)
    q, _, _ = robot.random_state(seed=seed)
    table = denavit_hartenberg(robot)
    columns = [robot.joint_names.index(row.name) for row in table.rows]
    assert np.allclose(rebuilt(table, q[columns]), robot.forward_kinematics(q), atol=1e-12)


def test_both_conventions_read_the_same_numbers_shifted_by_half_a_row() -> None:
    robot = Robot(random(6, 5, kinds="R").model, compiled=False)
    standard, modified = (denavit_hartenberg(robot, convention=each) for each in CONVENTIONS)
    across = [(row.a, row.alpha) for row in (standard.base, *standard.rows)]
    assert across == [(row.a, row.alpha) for row in (*modified.rows, modified.tool)]
    along = [(row.d, row.theta) for row in (standard.base, *standard.rows, standard.tool)]
    assert along == [(row.d, row.theta) for row in (modified.base, *modified.rows, modified.tool)]


def test_forward_kinematics_takes_batches() -> None:
    robot = robot_of("stanford")
    table = denavit_hartenberg(robot)
    q, _, _ = robot.random_state(seed=1, batch=(2, 3))
    assert np.allclose(table.forward_kinematics(q), robot.forward_kinematics(q), atol=1e-14)


def package() -> Path:
    spec = importlib.util.find_spec("cmeel")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("example-robot-data is not installed")
    site = Path(next(iter(spec.submodule_search_locations))).parent
    robots = site / "cmeel.prefix/share/example-robot-data/robots"
    if not robots.is_dir():
        pytest.skip("example-robot-data is not installed")
    return robots


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize(
    ("file", "frame"),
    [
        ("panda_description/urdf/panda.urdf", "panda_link8"),
        ("ur_description/urdf/ur5_robot.urdf", "tool0"),
        ("ur_description/urdf/ur10_robot.urdf", "tool0"),
        ("kinova_description/robots/kinova.urdf", "j2s6s200_end_effector"),
        ("xarm_description/urdf/xarm7.urdf", "link_eef"),
        ("z1_description/urdf/z1.urdf", "gripperMover"),
        ("talos_data/robots/talos_reduced.urdf", "gripper_left_base_link"),
        ("talos_data/robots/talos_reduced.urdf", "right_sole_link"),
    ],
)
def test_arms_in_use_are_rebuilt_and_keep_their_dynamics(
    file: str, frame: str, convention: Convention
) -> None:
    robot = Robot(load_model(package() / file), compiled=False)
    table = denavit_hartenberg(robot, frame, convention)
    q, qd, qdd = robot.random_state(seed=2)
    columns = [robot.joint_names.index(row.name) for row in table.rows]
    assert np.allclose(rebuilt(table, q[columns]), robot.forward_kinematics(q, frame), atol=1e-13)
    assert max(table.exactness.position, table.exactness.rotation) < 1e-12
    part, again = robot.chain(frame), robot_in(table.toml())
    state = q[columns], qd[columns], qdd[columns]
    assert np.allclose(
        again.inverse_dynamics(*state), part.inverse_dynamics(*state), rtol=1e-11, atol=1e-11
    )


# -- as a robot file -------------------------------------------------------------------------------------


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("name", [name for name in CHAINS if name != "rx90"])
def test_the_robot_file_of_a_table_is_the_same_robot(name: str, convention: Convention) -> None:
    robot = robot_of(name)
    again = robot_in(denavit_hartenberg(robot, convention=convention).toml())
    assert again.joint_names == robot.joint_names
    assert again.frames[-1] == robot.frames[-1]
    assert again.limits.upper.tolist() == robot.limits.upper.tolist()
    q, qd, qdd = robot.random_state(seed=4)
    for frame in robot.frames:
        assert np.allclose(
            again.forward_kinematics(q, frame), robot.forward_kinematics(q, frame), rtol=0, atol=1e-13
        )
    scale = np.abs(robot.mass_matrix(q)).max()
    assert np.allclose(again.mass_matrix(q), robot.mass_matrix(q), rtol=0, atol=1e-13 * scale)
    assert np.allclose(again.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd), rtol=1e-11)


def test_named_positions_and_self_tests_go_along_where_the_robot_is_the_same() -> None:
    puma, biped = robot_of("puma560"), robot_of("biped10")
    assert denavit_hartenberg(puma).model().poses == puma.model.poses
    part = denavit_hartenberg(biped, "torso").model()
    assert not part.golden
    assert len(part.bodies) == 5


def test_a_link_whose_frame_moves_leaves_its_name_with_the_old_frame() -> None:
    model = denavit_hartenberg(robot_of("panda")).model()
    assert model.bodies[0].name == "link1_dh"
    assert model.frame("link1").placement.steps
    kept = denavit_hartenberg(robot_of("panda"), convention="modified").model()
    assert kept.bodies[0].name == "link1"


def test_fractions_of_pi_are_written_as_such_and_zeros_left_out() -> None:
    text = denavit_hartenberg(robot_of("panda"), "hand").toml()
    assert 'theta = "-pi/4"' in text
    assert 'alpha = "-pi/2"' in text
    assert "a = 0.0\n" not in text


# -- what was free, and what deserves a remark ------------------------------------------------------------


def test_the_freedom_of_parallel_and_of_coinciding_axes_is_said() -> None:
    choices = denavit_hartenberg(robot_of("ur5")).choices
    parallel = 'the axis of "joint2" and the axis of "joint3" are parallel: x may cross them anywhere; '
    assert parallel + "it is the model's own." in choices
    same = "coincide: x may cross them anywhere and in any direction; it is the model's own."
    assert f'the z axis of the base and the axis of "joint1" {same}' in choices
    slides = '"joint3" slides: its axis has a direction but no place; it passes through its link\'s origin.'
    assert slides in denavit_hartenberg(robot_of("stanford")).choices


ARM = """
format = 1
[joints]
[[joints.link]]
name = "one"
parent = "base"
joint = "revolute"
axis = [0, 1, 0]
[[joints.link]]
name = "two"
parent = "one"
joint = "revolute"
axis = [0, 1, 0]
before = {{ xyz = [0.3, 0.1, 0.4], rpy = [{roll}, 0, 0] }}
[[joints.link]]
name = "three"
parent = "two"
joint = "{kind}"
{axis}
before = {{ xyz = [0.2, 0.05, 0] }}
"""


def arm(roll: float = 0.0, kind: str = "revolute", axis: str = "axis = [0, 0, 1]") -> Robot:
    return robot_in(ARM.format(roll=roll, kind=kind, axis=axis))


def test_where_the_model_has_no_frame_to_keep_offsets_vanish() -> None:
    table = denavit_hartenberg(arm())
    assert table.rows[0].d == 0.0
    assert table.rows[0].a == pytest.approx(0.5, abs=1e-15)
    free = 'the axis of "one" and the axis of "two" are parallel: x may cross them anywhere; '
    assert free + 'it is the one that makes d = 0 along the axis of "one".' in table.choices


def test_axes_that_are_nearly_parallel_are_remarked_and_stay_exact() -> None:
    table = denavit_hartenberg(arm(roll=3.7e-6))
    (remark,) = table.remarks
    assert 'the axis of "one" and the axis of "two" are 3.7e-06 rad off parallel' in remark
    assert "load the model with snap=1e-4." in remark
    assert abs(table.rows[0].d) > 1e5
    assert 0 < table.exactness.position < 1e-9


@pytest.mark.parametrize("roll", [2e-9, 5e-9, 2e-8, 1e-7])
def test_no_angle_between_axes_costs_more_than_the_root_of_rounding(roll: float) -> None:
    table = denavit_hartenberg(arm(roll=roll))
    assert table.exactness.position < 3e-8
    assert len(table.remarks) == 1


def test_limits_of_many_turns_do_not_spoil_the_comparison() -> None:
    text = ARM.format(roll=0.4, kind="revolute", axis="axis = [0, 0, 1]")
    wide = text + "limits = { position = [-1e16, 1e16] }\n"
    assert denavit_hartenberg(robot_in(wide)).exactness.rotation < 1e-14


def test_rounding_that_was_removed_is_reported() -> None:
    exact = denavit_hartenberg(robot_of("panda")).exactness
    assert 0 < exact.snapped_length < 1e-15
    assert exact.snapped_angle < 1e-15


def test_the_text_has_the_variables_in_their_places() -> None:
    text = str(denavit_hartenberg(robot_of("stanford")))
    assert "joint3  prismatic   -π/2     q3  0      0" in text
    assert "(base)" not in text
    assert "(frame)" not in text
    assert 'exactness: on 200 random positions the table has "tool" within ' in text
    assert "gripper (frame)" not in str(denavit_hartenberg(arm()))
    assert "q2 + π/2" in str(denavit_hartenberg(robot_of("pendulum3")))


def test_the_data_are_what_json_knows() -> None:
    import json

    table = denavit_hartenberg(robot_of("panda"), "hand")
    again = json.loads(json.dumps(table.data()))
    assert again["frame"] == "hand"
    assert again["rows"][6] == {
        "name": "joint7", "kind": "revolute", "a": 0.0, "alpha": 0.0, "d": 0.107, "theta": -math.pi / 4,
    }  # fmt: skip


# -- refusals --------------------------------------------------------------------------------------------


def refusal(robot: Robot, *arguments: str) -> str:
    with pytest.raises(StrobeError) as caught:
        denavit_hartenberg(robot, *arguments)  # pyright: ignore[reportArgumentType]
    return str(caught.value)


def test_joints_that_no_table_holds_are_refused_by_name() -> None:
    away = "Lock it, fix the base, or name a frame that it does not carry."
    assert refusal(arm(kind="spherical", axis="")) == (
        'joint "three" of arm has 3 degrees of freedom; a Denavit-Hartenberg table needs joints with one each. '
        + away
    )
    assert refusal(robot_of("panda").with_base("floating")).startswith(
        'joint "base" of panda has 6 degrees'
    )
    coupled = ARM + '[[couplings]]\njoint = "three"\nterms = {{ one = -1.0 }}\n'
    text = coupled.format(roll=0, kind="revolute", axis="axis = [0, 1, 0]")
    assert refusal(robot_in(text)) == (
        f'joint "three" of arm follows other joints; a Denavit-Hartenberg table needs independent joints. {away}'
    )


def test_frames_and_conventions_that_do_not_exist_are_refused() -> None:
    panda = robot_of("panda")
    assert refusal(panda, "base") == (
        'no joint of panda moves frame "base". Name a frame that joints move, such as "tool"; see robot.frames.'
    )
    assert "Did you mean 'hand'?" in refusal(panda, "hnd")
    assert refusal(panda, "hand", "craig") == 'convention is \'craig\'; expected "standard" or "modified".'
