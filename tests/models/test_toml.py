import math
from dataclasses import replace

import numpy as np
import pytest

from strobe.algebra import Pose, Shift, Turn
from strobe.formulations import spatial_newton_euler
from strobe.models.expressions import Expression
from strobe.models.library import built_in_names
from strobe.models.load import load_model
from strobe.models.model import Curve, Loop
from strobe.models.random_robots import random_model
from strobe.models.toml_reader import read_toml
from strobe.models.toml_writer import write_toml
from strobe.robot import Robot
from strobe.scalars import FoldedCount

TWIN = """
format = 1
title = "Column with two one-joint arms (tree)"
[parameters]
h = 0.6
w = 0.2
[joints]
[[joints.link]]
name = "column"
parent = "base"
joint = "revolute"
axis = [0, 0, 1]
after = { xyz = [0, 0, "h"] }
mass = 6
com = [0, 0, "-h/2"]
inertia = [0.2, 0.2, 0.03, 0, 0, 0]
[[joints.link]]
name = "left"
joint_name = "left_arm"
parent = "column"
joint = "revolute"
axis = [0, 1, 0]
before = { xyz = [0, "w", 0], rpy = [0, 0, 0] }
mass = 1.5
com = [0, 0.05, -0.2]
inertia = [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.002]]
[[joints.link]]
name = "right"
parent = "column"
joint = "revolute"
axis = [0, 1, 0]
before = { xyz = [0, "-w", 0] }
mass = 1.5
com = [0, -0.05, -0.2]
inertia = [0.02, 0.02, 0.002, 0, 0, 0]
[[golden]]
q = [0.3, 0.5, -0.4]
qd = [0.6, -0.2, 0.7]
qdd = [1, 0.4, -0.8]
tau = [0.285721630252, 1.49695379963, -1.26906607645]
"""

SLIDER = """
format = 1
[dh]
convention = "standard"
[[dh.link]]
joint = "revolute"
a = 0.5
mass = 2
com = [-0.2, 0, 0]
inertia = [0.01, 0.02, 0.02, 0, 0, 0]
[[dh.link]]
joint = "prismatic"
alpha = "pi/2"
d = 0.1
mass = 1
inertia = [0.01, 0.02, 0.02, 0, 0, 0]
"""


def read(text: str, **options):
    return read_toml("arm.toml", text=text, **options)


def torques(model, seed=0):
    """Torques of all joints at a reproducible state."""
    rng = np.random.default_rng(seed)
    q = [
        x
        for joint in model.joints
        for x in (rng.uniform(-1, 1, joint.nq) if joint.nq == 1 else turn(joint, rng))
    ]
    qd, qdd = rng.uniform(-1, 1, (2, model.nv)).tolist()
    return np.array(spatial_newton_euler.inverse_dynamics(model, q, qd, qdd), float)


def turn(joint, rng):
    q = rng.standard_normal(joint.nq)
    q[-4:] /= np.linalg.norm(q[-4:])
    return q


# -- reading ----------------------------------------------------------------------------------------


def test_a_tree_in_joints_form_meets_its_golden_torques():
    model = read(TWIN)
    (golden,) = model.golden
    tau = Robot(model).inverse_dynamics(golden["q"], golden["qd"], golden["qdd"])
    np.testing.assert_allclose(tau, golden["tau"], rtol=1e-10)
    assert model.name == "arm"
    assert model.joint_names == ("column", "left_arm", "right")
    assert [frame.name for frame in model.frames] == ["base", "column", "left", "right"]


def test_reference_values_say_who_published_them_and_keep_it_when_written():
    model = read(TWIN + 'source = "Somebody 1999, table 3"\n')
    assert model.golden[0]["source"] == "Somebody 1999, table 3"
    assert read(write_toml(model)).golden == model.golden
    assert "source" not in read(TWIN).golden[0]


def test_named_parameters_stay_in_the_model():
    model = load_model("planar2")
    link = model.bodies[0]
    (shift,) = (step for step in link.after.steps if isinstance(step, Shift))
    assert isinstance(link.inertial.m, Expression)
    assert link.inertial.com is not None
    assert link.inertial.com.x.text == "lc1 - l1"  # pyright: ignore
    assert link.inertial.central.xx.text == "I1/20"  # pyright: ignore
    assert shift.p.x.text == "l1"  # pyright: ignore
    assert dict(model.parameters)["lc2"] == 0.15


def test_a_named_angle_keeps_its_name_also_in_degrees():
    text = SLIDER.replace('"pi/2"', '"twist"').replace(
        "[dh]", "degrees = true\n[parameters]\ntwist = 30\n[dh]"
    )
    (turn,) = (step for step in read(text).bodies[1].after.steps if isinstance(step, Turn))
    assert turn.angle == pytest.approx(math.pi / 6)
    assert turn.angle.names == {"twist", "pi"}  # pyright: ignore


def test_a_parameter_may_use_the_ones_above_it():
    model = read(
        SLIDER.replace("[dh]", '[parameters]\nl = 0.5\nhalf = "l/2"\n[dh]').replace(
            "0.5\nmass", '"half"\nmass'
        )
    )
    assert model.parameters["half"] == 0.25
    assert model.bodies[0].after.translation.x == 0.25


def test_standard_and_modified_dh_describe_one_arm_with_other_link_frames():
    standard = Robot(read(SLIDER))
    modified = Robot(
        read("""
format = 1
[dh]
convention = "modified"
[[dh.link]]
joint = "revolute"
mass = 2
com = [0.3, 0, 0]
inertia = [0.01, 0.02, 0.02, 0, 0, 0]
[[dh.link]]
joint = "prismatic"
a = 0.5
d = 0.1
mass = 1
inertia = [0.01, 0.02, 0.02, 0, 0, 0]
""")
    )
    state = [0.4, 0.3], [0.5, -0.6], [0.7, 0.8]
    np.testing.assert_allclose(
        modified.inverse_dynamics(*state), standard.inverse_dynamics(*state), rtol=1e-13, atol=1e-13
    )


def test_theta_is_added_to_the_position_in_both_conventions():
    for convention in ("standard", "modified"):
        plain = SLIDER.replace("standard", convention)
        offset = Robot(read(plain.replace("a = 0.5", "a = 0.5\ntheta = 0.25")))
        np.testing.assert_allclose(
            offset.forward_kinematics([0.1, 0.2]),
            Robot(read(plain)).forward_kinematics([0.35, 0.2]),
            atol=1e-15,
        )


def test_axes_act_with_their_sign():
    text = 'format = 1\n[axes]\n[[axes.link]]\njoint = "-Ry"\nd = [0, 0, 1]\n[[axes.link]]\njoint = "+Tx"\n'
    tip = Robot(read(text)).forward_kinematics([math.pi / 2, 0.5])[:3, 3]
    np.testing.assert_allclose(tip, [0, 0, 1.5], atol=1e-15)


def test_axes_may_be_turned_before_the_joint():
    text = 'format = 1\n[axes]\n[[axes.link]]\njoint = "+Tx"\nd = [1, 0, 0]\nrpy = [0, 0, "pi/2"]\n'
    np.testing.assert_allclose(Robot(read(text)).forward_kinematics([0.5])[:3, 3], [1, 0.5, 0], atol=1e-15)


def test_degrees_apply_to_angles_limits_poses_and_golden_positions():
    text = """
format = 1
degrees = true
[dh]
convention = "standard"
[[dh.link]]
joint = "revolute"
alpha = 90
theta = -45
limits = { position = [-180, 90], velocity = 360, effort = 10 }
[[dh.link]]
joint = "prismatic"
limits = { position = [0, 2], velocity = 3 }
[[frames]]
name = "tool"
link = 2
rpy = [0, 0, 180]
[poses]
home = [90, 1.5]
[[golden]]
q = [180, 0.5]
tau = [0, 0]
"""
    model = read(text)
    turning, sliding = (joint.limits for joint in model.joints)
    assert (turning.lower, turning.upper, turning.velocity) == (-math.pi, math.pi / 2, 2 * math.pi)
    assert turning.effort == 10
    assert (sliding.lower, sliding.upper, sliding.velocity) == (0, 2, 3)
    assert model.poses["home"] == (math.pi / 2, 1.5)
    assert model.golden[0]["q"] == (math.pi, 0.5)
    assert [step.angle for step in model.bodies[0].after.steps if isinstance(step, Turn)] == [
        -math.pi / 4,
        math.pi / 2,
    ]
    assert (
        read(text.replace("degrees = true\n", "").replace("[dh]", "[dh]\ndegrees = true")).poses
        == model.poses
    )


def test_almost_right_angles_are_kept_noted_and_snapped_on_request():
    text = SLIDER.replace('"pi/2"', "1.5708")
    model = read(text)
    (note,) = model.notes
    assert note.severity == "note"
    assert str(note).startswith("arm.toml: dh.link[2].alpha: 1.5708 is almost a right angle and is kept")
    snapped = read(text, snap=1e-4)
    assert snapped.notes == ()
    assert snapped.bodies[1].after.steps[-1].angle == math.pi / 2  # pyright: ignore


def test_fixed_rows_merge_into_the_link_before_and_stay_frames():
    text = SLIDER + '[[dh.link]]\nname = "flange"\njoint = "fixed"\nd = 0.2\nmass = 0.5\n'
    model = read(text)
    assert model.nv == 2
    assert model.bodies[1].inertial.m == 1.5
    assert model.frames[-1].name == "flange"


def test_the_base_may_carry_a_placement_a_name_and_mass():
    text = TWIN.replace(
        "[joints]\n", '[base]\nplacement = { xyz = [1, 0, 0], rpy = ["pi", 0, 0] }\nmass = 3\n[joints]\n'
    )
    model = read(text)
    robot = Robot(model)
    assert model.base_inertial.m == 3
    assert robot.frames[:2] == ("world", "base")
    np.testing.assert_allclose(
        robot.forward_kinematics(np.zeros(3), "column")[:3, 3], [1, 0, -0.6], atol=1e-15
    )
    named = read(
        TWIN.replace('"base"', '"foot"').replace("[joints]\n", '[base]\nname = "foot"\n[joints]\n')
    )
    assert named.base_name == "foot"


def test_a_floating_or_translating_base_adds_its_joints():
    floating = read(
        TWIN.split("[[golden]]")[0].replace("[joints]\n", '[base]\ntype = "floating"\nmass = 2\n[joints]\n')
    )
    assert (floating.nq, floating.nv) == (10, 9)
    sliding = read(SLIDER + '[base]\ntype = "translating"\n[poses]\nhome = [0, 0, 1, 0, 0]\n')
    assert sliding.nv == 5
    assert sliding.poses["home"] == (0, 0, 1, 0, 0)


TWO_KINDS = """format = 1
degrees = true
[axes]
[[axes.link]]
joint = "+Rz"
mass = 1
[[axes.link]]
joint = "+Tx"
mass = 1
[[axes.link]]
joint = "+Ry"
mass = 1
"""


@pytest.mark.parametrize("position", ["90", "[90]"])
def test_a_position_to_lock_at_is_in_degrees_too(position):
    model = read(TWO_KINDS + f'[[locked]]\njoint = "joint1"\nposition = {position}\n')
    turned = model.frame("link1").placement.rotation
    assert [list(row) for row in turned] == [[0, -1, 0], [1, 0, 0], [0, 0, 1]]


def test_factors_are_in_the_units_of_the_file():
    coupling = '[[couplings]]\njoint = "{}"\nterms = {{ joint1 = 0.5 }}\noffset = 3\n'
    slides = read(TWO_KINDS + coupling.format("joint2")).couplings[0]  # 0.5 m per degree, and 3 m
    assert (slides.terms["joint1"], slides.offset) == (pytest.approx(0.5 * 180 / math.pi), 3)
    turns = read(TWO_KINDS + coupling.format("joint3")).couplings[0]  # 0.5 degrees per degree, and 3
    assert (turns.terms["joint1"], turns.offset) == (0.5, math.radians(3))
    back = read(TWO_KINDS + '[[couplings]]\njoint = "joint1"\nterms = { joint2 = 90 }\n').couplings[0]
    assert back.terms["joint2"] == pytest.approx(math.pi / 2)  # 90 degrees per metre


def test_an_axis_that_is_not_a_unit_vector_is_normalised_with_a_note():
    link = '[[joints.link]]\nname = "a"\nparent = "base"\njoint = "revolute"\naxis = [0, "0.6 * 5", 4]\nmass = 1\n'
    model = read("format = 1\n[joints]\n" + link)
    (note,) = model.notes
    assert str(note) == (
        'arm.toml: joints.link[1].axis: joint "a" has axis (0, 3, 4) of length 5; normalised.'
    )


def test_locked_joints_leave_the_robot():
    model = read(TWIN.split("[[golden]]")[0] + '[[locked]]\njoint = "left_arm"\nposition = 0.5\n')
    assert model.joint_names == ("column", "right")
    assert "left" in [frame.name for frame in model.frames]


def test_quaternion_joints_stand_in_a_tree():
    text = """
format = 1
[joints]
[[joints.link]]
name = "body"
parent = "base"
joint = "floating"
mass = 4
inertia = [0.1, 0.1, 0.1, 0, 0, 0]
[[joints.link]]
name = "ball"
parent = "body"
joint = "spherical"
before = { xyz = [0.1, 0, 0] }
mass = 1
com = [0, 0, -0.2]
inertia = [0.01, 0.01, 0.01, 0, 0, 0]
[[joints.link]]
name = "wheel"
parent = "ball"
joint = "continuous"
axis = [0, 3, 4]
mass = 1
inertia = [0.01, 0.01, 0.01, 0, 0, 0]
"""
    model = read(text)
    assert (model.nq, model.nv) == (12, 10)
    again = read(write_toml(model))
    np.testing.assert_allclose(torques(again), torques(model), rtol=1e-13, atol=1e-13)


def test_motors_friction_and_single_coulomb_values_are_read():
    text = SLIDER + (
        "motor = { inertia = 2e-5, gear = -50, viscous = 1e-4, coulomb = 0.02 }\n"
        "friction = { viscous = 0.3, coulomb = [0.1, -0.4] }\n"
    )
    joint = read(text).joints[1]
    assert joint.rotor_inertia == pytest.approx(0.05)
    assert joint.damping == pytest.approx(0.3 + 0.25)
    assert joint.coulomb == pytest.approx((1.1, 1.4))


def test_a_loop_that_nothing_closes_is_left_to_be_solved():
    model = read(TWIN + '[[loops]]\nname = "chain"\nframe_a = "left"\nframe_b = "right"\n')
    assert (model.is_closed, model.loops[0].held, model.notes) == (True, False, ())


def test_a_pose_that_a_closed_chain_cannot_be_in_is_reported():
    text = write_toml(load_model("fourbar")).replace("home = [1.57", "home = [1.67")
    (note,) = read(text).notes
    assert note.severity == "warning"
    assert str(note) == 'arm.toml: poses.home: loop "pin" is open by 0.0523; robot.assemble closes it.'


@pytest.mark.parametrize("kind", ["point", "hinge", "line", "plane", "cylinder"])
def test_a_loop_that_couplings_close_is_held_by_them(kind):
    model = load_model("parallelogram")
    axis = Pose((Turn.by(0, math.pi / 2),))  # z along the axis of the pins
    frames = tuple(
        replace(frame, placement=frame.placement @ axis) if "pin" in frame.name else frame
        for frame in model.frames
    )
    loop = replace(model.loops[0], kind=kind, held=False)
    again = written_again(replace(model, frames=frames, loops=(loop,)))
    assert (again.is_closed, again.loops[0].held) == (False, True)


def test_a_loop_that_couplings_close_only_here_and_there_is_solved():
    model = load_model("parallelogram")
    loop = replace(model.loops[0], kind="full")
    assert written_again(replace(model, loops=(loop,))).is_closed


def test_a_loop_that_couplings_close_is_no_trouble():
    assert load_model("parallelogram").notes == ()
    assert load_model("parallelogram").loops[0].frame_a == "pin_on_link2"


def test_impossible_inertias_are_treated_as_the_file_asks():
    wrong = SLIDER.replace("[0.01, 0.02, 0.02, 0, 0, 0]", "[0.01, 0.02, 0.09, 0, 0, 0]", 1)
    assert [note.severity for note in read(wrong).notes] == ["warning"]
    known = read(wrong.replace("[dh]", 'physical = "known-violation"\n[dh]'))
    assert [note.severity for note in known.notes] == ["note"]


# -- writing ----------------------------------------------------------------------------------------


def written_again(model):
    return read_toml(f"{model.name}.toml", text=write_toml(model))


@pytest.mark.parametrize("name", built_in_names())
def test_a_built_in_robot_comes_back_from_its_text(name):
    model = load_model(name)
    again = written_again(model)
    assert again.joint_names == model.joint_names
    assert [body.name for body in again.bodies] == [body.name for body in model.bodies]
    assert [frame.name for frame in again.frames] == [frame.name for frame in model.frames]
    assert again.joints == model.joints
    assert (again.couplings, again.loops) == (model.couplings, model.loops)
    assert (again.curves, again.actuated) == (model.curves, model.actuated)
    assert (again.title, again.source, again.kinematic_only) == (
        model.title,
        model.source,
        model.kinematic_only,
    )
    assert (again.poses, again.golden, again.parameters) == (model.poses, model.golden, model.parameters)
    np.testing.assert_allclose(torques(again), torques(model), rtol=1e-13, atol=1e-13)


def test_curves_lengths_conditions_and_driven_joints_come_back_from_their_text():
    model = load_model("fourbar")
    (pin,) = model.loops
    rod = Loop("rod", "crank_link", "pin_on_rocker", "distance", 0.4)
    made = replace(
        model,
        loops=(replace(pin, rows=(0, 2)), rod),
        curves=(Curve("cam", "rocker", "crank", (0.1, -0.2, 0.3)),),
        actuated=("rocker", "crank"),
        poses={},
        golden=(),
    )
    again = written_again(made)
    assert (again.loops, again.curves, again.actuated) == (made.loops, made.curves, made.actuated)


def test_curves_in_degrees_are_those_in_radians():
    text = "degrees = true\n" + write_toml(replace(load_model("fourbar"), poses={}, golden=()))
    text += '[[curves]]\njoint = "rocker"\nother = "crank"\ncoefficients = [30, 0.5, 0.01]\n'
    (curve,) = read(text).curves
    crank = math.radians(50.0)
    found = sum(c * crank**k for k, c in enumerate(curve.coefficients))
    assert math.degrees(found) == pytest.approx(30 + 0.5 * 50 + 0.01 * 50**2)


def test_joints_on_a_curve_over_a_locked_one_are_locked_in_poses_too():
    text = write_toml(replace(load_model("fourbar"), loops=(), actuated=(), poses={}, golden=()))
    text += '[[curves]]\njoint = "rocker"\nother = "crank"\ncoefficients = [1, 0, 1]\n'
    model = read(text + '[[locked]]\njoint = "crank"\nposition = 0.5\n[poses]\nhome = [0.3]\n')
    assert (model.joint_names, model.curves) == (("coupler",), ())
    turned = model.frame("rocker_link").placement.rpy()
    assert turned == pytest.approx((0.0, -1.25, 0.0))


@pytest.mark.parametrize("seed", range(4))
def test_a_random_tree_comes_back_from_its_text(seed):
    model = random_model(8, seed, kinds="RPSF", tree=True)
    again = written_again(model)
    assert again.joints == model.joints
    np.testing.assert_allclose(torques(again, seed), torques(model, seed), rtol=1e-13, atol=1e-13)


def test_a_robot_on_a_floating_base_comes_back_from_its_text():
    model = read(
        TWIN.split("[[golden]]")[0].replace("[joints]\n", '[base]\ntype = "floating"\nmass = 2\n[joints]\n')
    )
    again = written_again(model)
    assert again.joint_names == model.joint_names
    assert [frame.name for frame in again.frames] == [frame.name for frame in model.frames]
    np.testing.assert_allclose(torques(again), torques(model), rtol=1e-13, atol=1e-13)


def test_writing_twice_gives_the_same_text():
    for name in ("panda", "parallelogram", "stanford-c"):
        text = write_toml(load_model(name))
        assert write_toml(read_toml(f"{name}.toml", text=text)) == text


def test_a_written_robot_costs_the_same_operations():
    for name in ("panda", "stanford"):
        counts = []
        for model in (load_model(name), written_again(load_model(name))):
            system = FoldedCount()
            lifted = model.lift(system)
            spatial_newton_euler.inverse_dynamics(lifted, *lifted.variables())
            counts.append(dict(system.tally))
        assert counts[0] == counts[1]
        assert counts[0]


def test_a_written_robot_keeps_expressions_by_their_text():
    text = write_toml(load_model("planar2"))
    assert 'com = ["lc1 - l1", 0.0, 0.0]' in text
    assert 'after = { xyz = ["l1", 0.0, 0.0] }' in text
    assert "lc1 = 0.18\n" in text


def test_frames_between_links_keep_their_place():
    text = TWIN.replace(
        '[[joints.link]]\nname = "left"',
        '[[joints.link]]\nname = "shelf"\nparent = "column"\njoint = "fixed"\n'
        "before = { xyz = [0, 0, 1] }\n"
        '[[joints.link]]\nname = "left"',
    )
    model = read(text)
    assert [frame.name for frame in model.frames] == ["base", "column", "shelf", "left", "right"]
    assert [frame.name for frame in written_again(model).frames] == [frame.name for frame in model.frames]


def test_names_made_up_for_fixed_joints_do_not_collide():
    model = read(
        """format = 1
[joints]
[[joints.link]]
name = "a"
joint_name = "b_fixed"
parent = "base"
joint = "revolute"
axis = [0, 0, 1]
mass = 1
[[joints.link]]
name = "b"
joint_name = "weld"
parent = "a"
joint = "fixed"
[[joints.link]]
name = "c"
joint_name = "b"
parent = "b"
joint = "revolute"
axis = [0, 1, 0]
mass = 1
"""
    )
    assert written_again(model).joint_names == ("b_fixed", "b")


def test_odd_names_survive_quoting():
    model = read(SLIDER + '[poses]\n"at \\"rest\\" ü" = [0, 1]\n')
    assert written_again(model).poses == {'at "rest" ü': (0.0, 1.0)}


def test_limits_on_one_side_survive():
    model = read(SLIDER + "limits = { position = [-inf, 2.0], effort = 5 }\n")
    assert written_again(model).joints[1].limits == model.joints[1].limits
    assert model.joints[1].limits.lower == -math.inf
