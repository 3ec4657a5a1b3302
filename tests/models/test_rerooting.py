"""A tree hung from another link is the same mechanism: energies, torques, placements, and the way back."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError, UnknownNameError, UnsupportedModelError
from strobe.models.load import load_model
from strobe.models.model import ROOT
from strobe.models.random_robots import random_model
from strobe.models.rerooting import reroot
from strobe.models.toml_reader import read_toml
from strobe.models.toml_writer import write_toml
from strobe.robot import Robot

CASES = [
    ("biped10", "swing_foot"),
    ("biped10", "torso"),
    ("panda", "hand"),
    ("puma560", "link3"),
    ("spherical3", "link3"),
    ("random(6,3)", "link4"),
    ("a tree", "link5"),
]


def loaded(name):
    if name == "a tree":
        return Robot(random_model(8, 4, tree=True), compiled=False)
    return Robot(load_model(name), compiled=False)


@pytest.fixture(params=CASES, ids=" ".join)
def pair(request):
    """A robot and the same one standing on another frame."""
    name, frame = request.param
    robot = loaded(name)
    frame = frame if frame in robot.frames else robot.frames[-2]
    return robot, robot.standing_on(frame), frame


def across(robot, other, x):
    """Values by joint of one robot, in the order of another."""
    return x[..., [robot.joint_names.index(name) for name in other.joint_names]]


def inverse(T):
    return np.linalg.inv(T)


def matrix_of(q):
    """A rotation as a quaternion w x y z."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(q).as_quat()[[3, 0, 1, 2]]


# -- the same mechanism ---------------------------------------------------------------------------------------


def test_frames_lie_to_one_another_as_they_did(pair):
    robot, moved, frame = pair
    q, _, _ = robot.random_state(seed=1)
    other = across(robot, moved, q)
    here = inverse(robot.forward_kinematics(q, frame))
    assert set(moved.frames) == set(robot.frames)
    for name in robot.frames:
        assert np.allclose(moved.forward_kinematics(other, name), here @ robot.forward_kinematics(q, name))


def test_joints_keep_names_limits_and_drives(pair):
    robot, moved, _ = pair
    assert set(moved.joint_names) == set(robot.joint_names)
    for joint in robot.model.joints:
        same = moved.model.joint(joint.name)
        assert (same.kind, same.limits, same.motor, same.friction) == (
            joint.kind, joint.limits, joint.motor, joint.friction
        )  # fmt: skip


def floating_state(robot, moved, frame, seed):
    """The same motion of both on floating bases: q, qd, qdd of each; the old base moves at random."""
    first, second = robot.with_base("floating"), moved.with_base("floating")
    q, qd, qdd = first.random_state(seed)
    T = first.forward_kinematics(q, frame)
    J, Jd = first.jacobian(q, frame), first.jacobian_dot(q, qd, frame)
    v, a = J @ qd, J @ qdd + Jd @ qd
    R, w = T[:3, :3], v[3:]
    a[:3] -= np.cross(w, v[:3])  # the rate of the velocity in body axes
    there = [
        np.concatenate([T[:3, 3], matrix_of(R), across(robot, moved, q[7:])]),
        np.concatenate([R.T @ v[:3], R.T @ w, across(robot, moved, qd[6:])]),
        np.concatenate([R.T @ a[:3], R.T @ a[3:], across(robot, moved, qdd[6:])]),
    ]
    return first, (q, qd, qdd), second, there


def test_kinetic_energy_is_the_same_in_every_relative_motion(pair):
    robot, moved, frame = pair
    first, (q, qd, _), second, (p, pd, _) = floating_state(robot, moved, frame, 2)
    assert second.energy(p, pd)[0] == pytest.approx(first.energy(q, qd)[0], rel=1e-12)


def test_joint_torques_are_the_same_where_motion_and_support_are(pair):
    """What moves the floating base of one acts on the frame that the other stands on."""
    robot, moved, frame = pair
    for seed in range(3):
        first, motion, second, there = floating_state(robot, moved, frame, seed)
        second = second.with_gravity([float(x) for x in first.model.gravity.linear])
        found = second.inverse_dynamics(*there, friction=False)
        R = second.forward_kinematics(there[0], frame)[:3, :3]
        support = np.concatenate([R @ found[:3], R @ found[3:6]])
        tau = first.inverse_dynamics(*motion, friction=False, wrench=support, frame=frame)
        scale = np.abs(found).max()
        assert np.abs(tau[:6]).max() < 1e-12 * scale
        assert np.abs(found[6:] - across(robot, moved, tau[6:])).max() < 1e-12 * scale


def test_friction_and_rotor_inertia_go_with_the_joints():
    robot = loaded("puma560")
    moved = robot.standing_on("link3")
    q, qd, qdd = robot.random_state(1)
    for motion in ((q, qd, 0 * qdd), (q, 0 * qd, qdd)):
        here = robot.inverse_dynamics(*motion) - robot.inverse_dynamics(*motion, friction=False)
        other = [across(robot, moved, x) for x in motion]
        there = moved.inverse_dynamics(*other) - moved.inverse_dynamics(*other, friction=False)
        assert np.allclose(there, across(robot, moved, here), atol=1e-12)
    assert [moved.model.joint(n).rotor_inertia for n in robot.joint_names] == [
        robot.model.joint(n).rotor_inertia for n in robot.joint_names
    ]


def test_hung_back_it_is_the_robot_it_was(pair):
    robot, moved, frame = pair
    back = moved.standing_on(robot.model.base_name)
    assert back.joint_names == robot.joint_names
    q, qd, qdd = robot.random_state(3, 4)
    assert np.allclose(back.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd), rtol=1e-12)
    assert np.allclose([*back.model.gravity.linear], [*robot.model.gravity.linear], atol=1e-12)
    for one, other in zip(back.model.bodies, robot.model.bodies, strict=True):
        assert (one.parent, one.joint) == (other.parent, other.joint)
        assert one.name in (other.name, frame)


def test_the_base_carries_what_the_link_did_and_the_base_is_a_body_with_its_mass(pair):
    robot, moved, _ = pair
    model, old = moved.model, robot.model
    whole = float(old.base_inertial.m) + sum(float(body.inertial.m) for body in old.bodies)  # pyright: ignore
    assert float(model.base_inertial.m) + sum(float(b.inertial.m) for b in model.bodies) == pytest.approx(
        whole
    )  # pyright: ignore
    (base,) = [body for body in model.bodies if body.name == old.base_name]
    assert base.inertial is old.base_inertial


# -- exactly --------------------------------------------------------------------------------------------------


def test_right_angles_stay_exact_and_chains_short():
    for name in ("panda", "stanford", "ur5"):
        robot = loaded(name)
        moved = robot.standing_on(robot.frames[-1])
        for body in moved.model.bodies:
            for step in (*body.before.steps, *body.after.steps):
                if hasattr(step, "angle"):
                    assert {abs(step.c), abs(step.s)} == {0.0, 1.0} or not np.isclose(
                        step.angle % (np.pi / 2), 0
                    )
        before = sum(len(b.before.steps) + len(b.after.steps) for b in robot.model.bodies)
        frame = len(robot.model.frame(robot.frames[-1]).placement.steps)
        assert sum(len(b.before.steps) + len(b.after.steps) for b in moved.model.bodies) <= before + frame


def test_the_biped_on_its_other_foot_is_a_chain_the_other_way_round():
    biped = loaded("biped10")
    moved = biped.standing_on("swing_foot")
    assert moved.joint_names == biped.joint_names[::-1]
    assert moved.frames == biped.frames[::-1]
    assert moved.model.is_serial
    assert moved.model.base_name == "swing_foot"
    assert [body.joint.sign for body in moved.model.bodies] == [-1] * 10
    assert moved.model.feet == biped.model.feet


def test_joints_come_depth_first_in_the_order_of_the_model():
    model = random_model(8, 4, tree=True)
    moved = reroot(model, "link5")
    assert all(body.parent < body.index for body in moved.bodies)
    for body in moved.bodies[1:]:  # a body hangs on the one before it, or on one of its ancestors
        line = [ROOT, *(each.index for each in moved.support(body.index - 1))]
        assert body.parent in line


def test_named_parameters_stay_named_and_the_equations_tell_them():
    robot = loaded("planar2")
    moved = robot.standing_on("tool")
    (shift,) = moved.model.bodies[1].before.steps
    assert shift.p.x.text == "-(l1)"
    assert [str(x) for x in (shift.p.y, shift.p.z)] == ["0.0", "0.0"]
    assert "x = −l2 − l1 cos q1" in str(moved.equations())
    back = moved.standing_on("base").model.bodies
    assert [body.after.steps[0].p.x.text for body in back] == ["l1", "l2"]


def test_standing_on_a_frame_of_the_base_moves_only_the_axes():
    robot = loaded("panda").with_frame("corner", (0.1, 0.2, 0.3), (0, 0, np.pi / 2), frame="base")
    moved = robot.standing_on("corner")
    q, qd, qdd = robot.random_state(0, 3)
    assert moved.joint_names == robot.joint_names
    assert np.allclose(moved.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd), rtol=1e-12)
    here = robot.forward_kinematics(q, "corner")
    assert np.allclose(
        moved.forward_kinematics(q, "tool"), inverse(here) @ robot.forward_kinematics(q, "tool")
    )


def test_a_rerooted_robot_comes_back_from_its_file(tmp_path):
    moved = loaded("biped10").standing_on("swing_foot")
    path = tmp_path / "moved.toml"
    path.write_text(write_toml(moved.model), encoding="utf-8")
    again = Robot(read_toml(path), compiled=False)
    q, qd, qdd = moved.random_state(0, 3)
    assert np.array_equal(again.inverse_dynamics(q, qd, qdd), moved.inverse_dynamics(q, qd, qdd))
    assert again.model.feet == moved.model.feet


# -- gravity and moving bases ---------------------------------------------------------------------------------


def test_gravity_lies_as_it_does_there_at_the_position_that_is_given():
    robot = loaded("planar2")
    tip, q = robot.frames[-1], [0.7, -0.2]
    down = np.array([float(x) for x in robot.model.gravity.linear])
    for moved, at in ((robot.standing_on(tip), [0, 0]), (robot.standing_on(tip, q), q)):
        R = robot.forward_kinematics(at, tip)[:3, :3]
        assert np.allclose([float(x) for x in moved.model.gravity.linear], R.T @ down)


def test_holding_torques_are_those_of_the_robot_held_by_its_other_end():
    """At rest a joint carries the weight of one side or of the other: together they are all the robot."""
    biped = loaded("biped10")
    (golden,) = biped.model.golden
    q = np.array(golden["q"])
    moved = biped.standing_on("swing_foot", q)
    weight = np.array([0, 0, 38 * 9.81, 0, 0, 0])
    T = biped.forward_kinematics(q, "swing_foot")
    on_hand = np.zeros(6)  # what held the robot at its stance foot now holds it at the other
    from strobe.mechanisms.zero_moment_point import center_of_mass

    on_hand[:3] = weight[:3]
    on_hand[3:] = np.cross(center_of_mass(biped, q) - T[:3, 3], weight[:3])
    held = biped.gravity(q) - biped.jacobian(q, "swing_foot").T @ on_hand
    assert np.allclose(moved.gravity(across(biped, moved, q)), across(biped, moved, held), atol=1e-9)


def test_a_floating_robot_stands_fixed_on_its_foot():
    biped = loaded("biped10")
    floating = biped.with_base("floating")
    moved = floating.standing_on("swing_foot")
    same = biped.standing_on("swing_foot")
    q, qd, qdd = same.random_state(1, 3)
    assert moved.joint_names == same.joint_names
    assert "world" not in moved.frames
    assert np.allclose(moved.inverse_dynamics(q, qd, qdd), same.inverse_dynamics(q, qd, qdd), rtol=1e-12)


def test_a_floating_humanoid_on_its_foot_has_pinocchios_torques():
    """The torques of the joints, told by Pinocchio's free flyer while the foot stands still."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")
    site = Path(importlib.util.find_spec("cmeel").submodule_search_locations[0]).parent  # pyright: ignore
    path = site / "cmeel.prefix/share/example-robot-data/robots/talos_data/robots/talos_reduced.urdf"
    robot = Robot(load_model(path), compiled=False)
    moved = robot.standing_on("left_sole_link")
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    data = model.createData()
    names = list(model.names[2:])
    q, qd, qdd = moved.random_state(2)
    order = [moved.joint_names.index(name) for name in names]
    base = moved.forward_kinematics(q, robot.model.base_name)
    J = moved.jacobian(q, robot.model.base_name)
    R, v = base[:3, :3], J @ qd
    a = J @ qdd + moved.jacobian_dot(q, qd, robot.model.base_name) @ qd
    a[:3] -= np.cross(v[3:], v[:3])
    theirs = np.concatenate([base[:3, 3], matrix_of(R)[[1, 2, 3, 0]], q[order]])
    rates = [np.concatenate([R.T @ x[:3], R.T @ x[3:], y[order]]) for x, y in ((v, qd), (a, qdd))]
    tau = pin.rnea(model, data, theirs, *rates)
    pin.forwardKinematics(model, data, theirs)
    # the sole's wrench carries the whole robot: its part in the torques of the leg is taken off
    foot = model.getFrameId("left_sole_link")
    total = data.oMi[1].act(pin.Force(tau[:6]))
    J = pin.computeFrameJacobian(model, data, theirs, foot, pin.LOCAL_WORLD_ALIGNED)
    place = pin.updateFramePlacement(model, data, foot)
    at_foot = np.concatenate([total.linear, total.angular - np.cross(place.translation, total.linear)])
    expected = (tau - J.T @ at_foot)[6:]
    assert np.abs((tau - J.T @ at_foot)[:6]).max() < 1e-9 * np.abs(tau).max()
    found = moved.inverse_dynamics(q, qd, qdd, friction=False)[order]
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


def test_couplings_stay_and_positions_mean_the_same():
    robot = loaded("panda")
    assert robot.model.couplings == robot.standing_on("hand").model.couplings
    linkage = loaded("parallelogram")
    moved = linkage.standing_on(linkage.frames[2])
    assert {c.joint for c in moved.model.couplings} == {c.joint for c in linkage.model.couplings}
    assert moved.nv == linkage.nv


# -- what is refused ------------------------------------------------------------------------------------------


def test_a_frame_that_is_not_there_is_refused_with_the_nearest():
    with pytest.raises(
        UnknownNameError, match=r'no frame "swing_fot" in biped10\. Did you mean \'swing_foot'
    ):
        loaded("biped10").standing_on("swing_fot")


def test_the_ground_of_a_floating_robot_is_no_foot():
    with pytest.raises(
        ArgumentError, match=r'frame "world" belongs to the ground of biped10; choose a frame that moves'
    ):
        loaded("biped10").with_base("floating").standing_on("world")


def test_a_ball_joint_on_the_way_is_refused_by_name_and_elsewhere_is_not():
    robot = strobe.random(3, seed=1, kinds="S")
    with pytest.raises(
        UnsupportedModelError, match=r'joint "joint3" is spherical: seen from its other side'
    ):
        robot.standing_on(robot.frames[-1])
    assert robot.standing_on(robot.model.base_name).joint_names == robot.joint_names


def test_one_position_is_asked_for():
    with pytest.raises(ShapeError, match=r"q has shape \(2, 10\); it is one position, expected \(10,\)"):
        loaded("biped10").standing_on("swing_foot", np.zeros((2, 10)))
