"""A `pinocchio.Model` becomes the robot whose torques and places are Pinocchio's own."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.errors import ModelFileError
from strobe.models.load import load_model
from strobe.robot import Robot

pin = pytest.importorskip("pinocchio", reason="pin is not installed")

SE3, Inertia = pin.SE3, pin.Inertia


def agree(model, seed=0):
    """Torques, and the places of all named frames, in one state."""
    robot = Robot(load_model(model), compiled=False)
    q, qd, qdd = robot.random_state(seed=seed)
    there = strobe.convert_state(robot, q, qd, qdd, target=model)
    data = model.createData()
    tau = pin.rnea(model, data, there.q, there.qd, there.qdd)
    tau = strobe.convert_state(robot, there.q, there.qd, there.qdd, tau, source=model).tau
    ours = robot.inverse_dynamics(q, qd, qdd, friction=False)
    np.testing.assert_allclose(ours, tau, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(tau).max()))
    pin.framesForwardKinematics(model, data, there.q)
    for k, frame in enumerate(model.frames):
        if str(frame.type) in ("BODY", "OP_FRAME"):
            np.testing.assert_allclose(
                robot.forward_kinematics(q, frame.name), data.oMf[k].homogeneous, atol=1e-9
            )
    return robot


@pytest.fixture(scope="module")
def robots():
    found = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
    if not found.is_dir():
        pytest.skip("example-robot-data is not installed")
    return found


REAL = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "double pendulum, continuous": "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
}


@pytest.mark.parametrize("base", ["fixed", "free-flyer"])
@pytest.mark.parametrize("name", REAL)
def test_real_robots_have_pinocchios_torques_and_places(robots, name, base):
    path = str(robots / REAL[name])
    root = [pin.JointModelFreeFlyer()] if base == "free-flyer" else []
    model = pin.buildModelFromUrdf(path, *root)
    robot = agree(model)
    own = load_model(path)
    assert set(robot.joint_names) - {"root_joint"} == set(own.joint_names)
    assert set(robot.frames) - {"universe"} == {frame.name for frame in own.frames} - {"universe"}


def test_a_joint_that_mimics_follows(robots):
    model = pin.buildModelFromUrdf(str(robots / REAL["panda"]), mimic=True)
    robot = agree(model)
    assert (robot.n, robot.tip) == (8, "panda_hand_tcp")
    (rule,) = robot.model.couplings
    assert (rule.joint, dict(rule.terms)) == ("panda_finger_joint2", {"panda_finger_joint1": 1.0})


def test_a_joint_that_mimics_backwards_and_by_an_offset_follows():
    body = '<inertial><origin xyz="0.1 0.02 0.05"/><mass value="0.3"/>'
    body += '<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    joint = """<joint name="{0}" type="revolute"><parent link="palm"/><child link="{0}_tip"/><axis xyz="0 1 0.5"/>
      <limit lower="-2" upper="2" effort="1" velocity="1"/>{1}</joint>"""
    text = f"""<robot name="fingers"><link name="palm"/><link name="left_tip">{body}<link name="right_tip">{body}
      {joint.format("left", "")}
      {joint.format("right", '<mimic joint="left" multiplier="-2" offset="0.1"/>')}</robot>"""
    robot = agree(pin.buildModelFromXML(text, mimic=True))
    (rule,) = robot.model.couplings
    assert (dict(rule.terms), rule.offset) == ({"left": -2.0}, 0.1)


AXIS = np.array([1.0, 2.0, -2.0]) / 3
KINDS = {
    "RX": pin.JointModelRX(), "RY": pin.JointModelRY(), "RZ": pin.JointModelRZ(),
    "RevoluteUnaligned": pin.JointModelRevoluteUnaligned(AXIS),
    "PX": pin.JointModelPX(), "PY": pin.JointModelPY(), "PZ": pin.JointModelPZ(),
    "PrismaticUnaligned": pin.JointModelPrismaticUnaligned(AXIS),
    "RUBX": pin.JointModelRUBX(), "RUBY": pin.JointModelRUBY(), "RUBZ": pin.JointModelRUBZ(),
    "Spherical": pin.JointModelSpherical(), "FreeFlyer": pin.JointModelFreeFlyer(),
    "HX": pin.JointModelHX(0.1), "HelicalUnaligned": pin.JointModelHelicalUnaligned(AXIS, -0.2),
    "Planar": pin.JointModelPlanar(),
}  # fmt: skip
OTHERS = {
    "Translation": pin.JointModelTranslation(),
    "SphericalZYX": pin.JointModelSphericalZYX(), "Composite": pin.JointModelComposite(pin.JointModelRX()),
}  # fmt: skip


def chain(*joints):
    """A chain of joints at places of all kinds, with bodies of all kinds."""
    rng = np.random.default_rng(3)
    model = pin.Model()
    model.name, model.gravity.linear = "chain", np.array([1.0, 2.0, -9.0])
    parent = 0
    for k, joint in enumerate(joints):
        place = SE3(pin.rpy.rpyToMatrix(*rng.uniform(-3, 3, 3)), rng.uniform(-1, 1, 3))
        parent = model.addJoint(parent, joint, place, f"j{k}")
        body = Inertia.FromEllipsoid(rng.uniform(1, 3), *rng.uniform(0.1, 0.5, 3))
        turn = SE3(pin.rpy.rpyToMatrix(*rng.uniform(-3, 3, 3)), rng.uniform(-0.3, 0.3, 3))
        model.appendBodyToJoint(parent, body, turn)
    return model


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint_that_we_have_is_pinocchios(kind):
    robot = agree(chain(pin.JointModelRY(), KINDS[kind], pin.JointModelRX()), seed=2)
    assert robot.joint_names[0] == "j0"
    assert robot.model.gravity.linear.x == 1.0


def test_an_unbounded_joint_about_any_axis_is_continuous():
    body = '<link name="b"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>'
    body += '<inertia ixx="1" iyy="1.2" izz="1.3" ixy="0.1" ixz="0" iyz="0"/></inertial></link>'
    joint = (
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="1 2 -2"/></joint>'
    )
    model = pin.buildModelFromXML(f'<robot name="x"><link name="a"/>{body}{joint}</robot>')
    assert model.joints[1].shortname() == "JointModelRevoluteUnboundedUnaligned"
    assert agree(model).model.joints[0].kind == "continuous"


@pytest.mark.parametrize("kind", OTHERS)
def test_every_other_kind_is_refused_by_the_name_of_its_joint(kind):
    with pytest.raises(ModelFileError) as caught:
        strobe.load(chain(pin.JointModelRY(), OTHERS[kind]))
    (said,) = caught.value.faults
    assert str(said).startswith(
        f'<pinocchio.Model>: joint "j1": JointModel{kind} is a kind of joint that Strobe does not have'
    )


def test_drives_and_limits_are_those_of_the_model():
    model = chain(pin.JointModelRY(), pin.JointModelPX(), pin.JointModelFreeFlyer())
    model.armature = np.array([0.1, 0.2, *[0.3] * 6])
    model.damping = np.array([0.5, 0.6, *[0.0] * 6])
    model.lowerPositionLimit[:2], model.upperPositionLimit[:2] = [-1, -2], [1.5, 2.5]
    robot = agree(model)
    turning, sliding, floating = robot.model.joints
    assert [joint.rotor_inertia for joint in robot.model.joints] == [0.1, 0.2, 0.3]
    assert (turning.friction.viscous, sliding.friction.viscous) == (0.5, 0.6)
    assert (turning.limits.lower, turning.limits.upper) == (-1, 1.5)
    assert (sliding.limits.lower, sliding.limits.upper, sliding.limits.effort) == (-2, 2.5, np.inf)
    model.upperPositionLimit[0] = np.nan
    with pytest.raises(ModelFileError, match='joint "j0" has a limit that is not a number'):
        load_model(model)
    model.upperPositionLimit[0] = 1.5
    model.armature[4] = 0.7
    with pytest.raises(
        ModelFileError, match=r'joint "j2": it has armature \(0.3, 0.3, 0.7, .* one for all'
    ):
        load_model(model)


def test_bodies_without_frames_are_called_after_their_joints_and_twins_are_renamed():
    model = chain(pin.JointModelRY(), pin.JointModelRX())
    model.addFrame(pin.Frame("tool", 2, 0, SE3.Random(), pin.FrameType.OP_FRAME))
    model.addFrame(pin.Frame("tool", 2, 0, SE3.Identity(), pin.FrameType.BODY))
    found = load_model(model)
    assert [frame.name for frame in found.frames] == ["universe", "j0_link", "tool", "tool_2"]
    assert any("another frame has this name too" in note.text for note in found.notes)


def test_a_placement_with_a_number_that_is_not_finite_is_refused():
    model = chain(pin.JointModelRY())
    model.jointPlacements[1].rotation = np.full((3, 3), np.nan)
    with pytest.raises(ModelFileError, match='joint "j0": its placement is no rotation and shift'):
        load_model(model)


def test_no_library_is_imported_to_know_what_an_object_is():
    code = "import sys, strobe\ntry: strobe.load(3.5)\nexcept strobe.StrobeError: print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"pinocchio", "mujoco", "roboticstoolbox"} & set(loaded.split())
