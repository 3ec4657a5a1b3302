"""Helical and planar joints against Pinocchio's own: every quantity, in chains with other kinds of joints."""

import numpy as np
import pytest

import strobe
from strobe.robot import Robot

pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")

AXIS = np.array([1.0, 2.0, -2.0]) / 3.0
CHAINS = {
    "screw about x": [pin.JointModelHX(0.1)],
    "screws": [pin.JointModelHX(-0.07), pin.JointModelHelicalUnaligned(AXIS, 0.2), pin.JointModelHX(0.03)],
    "plane": [pin.JointModelPlanar()],
    "planes": [pin.JointModelPlanar(), pin.JointModelPlanar()],
    "many kinds": [
        pin.JointModelPlanar(), pin.JointModelRY(), pin.JointModelHelicalUnaligned(AXIS, 0.1),
        pin.JointModelSpherical(), pin.JointModelPlanar(), pin.JointModelPX(),
    ],
    "afloat": [pin.JointModelFreeFlyer(), pin.JointModelHX(0.1), pin.JointModelPlanar()],
}  # fmt: skip


def chain(joints):
    """Joints at places of all kinds, with bodies of all kinds."""
    rng = np.random.default_rng(11)
    model = pin.Model()
    model.name, model.gravity.linear, parent = "chain", np.array([1.0, 2.0, -9.0]), 0
    for k, joint in enumerate(joints):
        place = pin.SE3(pin.rpy.rpyToMatrix(*rng.uniform(-3, 3, 3)), rng.uniform(-1, 1, 3))
        parent = model.addJoint(parent, joint, place, f"j{k}")
        body = pin.Inertia.FromEllipsoid(rng.uniform(1, 3), *rng.uniform(0.1, 0.5, 3))
        turn = pin.SE3(pin.rpy.rpyToMatrix(*rng.uniform(-3, 3, 3)), rng.uniform(-0.3, 0.3, 3))
        model.appendBodyToJoint(parent, body, turn)
        model.addBodyFrame(f"b{k}", parent, pin.SE3.Identity(), 0)
    tool = pin.SE3(pin.rpy.rpyToMatrix(0.3, -0.2, 0.9), np.array([0.1, 0.2, 0.3]))
    model.addFrame(pin.Frame("tool", parent, 0, tool, pin.FrameType.OP_FRAME))
    return model


@pytest.fixture(scope="module", params=CHAINS)
def both(request):
    model = chain(CHAINS[request.param])
    return (
        Robot(strobe.load(model).model, compiled=request.param == "many kinds"),
        model,
        model.createData(),
    )


def state_of(robot, model, seed=5):
    """A state of ours, and the same as Pinocchio writes it."""
    ours = robot.random_state(seed=seed)
    return ours, strobe.convert_state(robot, *ours, target=model)[:3]


def close(ours, theirs):
    theirs = np.reshape(theirs, np.shape(ours))
    assert np.abs(np.asarray(ours) - theirs).max() <= 1e-9 * max(1.0, np.abs(theirs).max())


def test_torques_masses_and_accelerations_are_theirs(both):
    robot, model, data = both
    (q, qd, qdd), (tq, tqd, tqdd) = state_of(robot, model)
    tau = pin.rnea(model, data, tq, tqd, tqdd)
    close(robot.inverse_dynamics(q, qd, qdd), tau)
    M = np.triu(pin.crba(model, data, tq))
    close(robot.mass_matrix(q), M + np.triu(M, 1).T)
    close(robot.forward_dynamics(q, qd, tau), pin.aba(model, data, tq, tqd, tau))
    close(robot.gravity(q), pin.computeGeneralizedGravity(model, data, tq))


def test_places_jacobians_and_their_rates_are_theirs(both):
    robot, model, data = both
    (q, qd, _), (tq, tqd, _) = state_of(robot, model)
    pin.computeJointJacobiansTimeVariation(model, data, tq, tqd)
    pin.framesForwardKinematics(model, data, tq)
    frame, aligned = model.getFrameId("tool"), pin.LOCAL_WORLD_ALIGNED
    close(robot.forward_kinematics(q, "tool"), data.oMf[frame].homogeneous)
    close(robot.jacobian(q, "tool"), pin.computeFrameJacobian(model, data, tq, frame, aligned))
    pin.computeJointJacobiansTimeVariation(model, data, tq, tqd)
    pin.updateFramePlacements(model, data)
    rate = pin.getFrameJacobianTimeVariation(model, data, frame, pin.LOCAL)
    close(robot.jacobian_dot(q, qd, "tool", reference="local"), rate)


def test_derivatives_are_theirs(both):
    robot, model, data = both
    (q, qd, x), (tq, tqd, tx) = state_of(robot, model)
    torques = robot.inverse_dynamics_derivatives(q, qd, x)
    by_q, by_qd, _ = pin.computeRNEADerivatives(model, data, tq, tqd, tx)
    close(torques.dtau_dq, by_q)
    close(torques.dtau_dqd, by_qd)
    accelerations = robot.forward_dynamics_derivatives(q, qd, x)
    by_q, by_qd, _ = pin.computeABADerivatives(model, data, tq, tqd, tx)
    close(accelerations.dqdd_dq, by_q)
    close(accelerations.dqdd_dqd, by_qd)


def test_steps_and_differences_are_theirs(both):
    """Ours go on counting whole turns where Pinocchio has a cosine and a sine."""
    robot, model, _ = both
    (q, v, _), (tq, tv, _) = state_of(robot, model)
    moved = robot.integrate(q, 20.0 * v)
    there = strobe.convert_state(robot, moved, target=model).q
    assert np.abs(pin.difference(model, there, pin.integrate(model, tq, 20.0 * tv))).max() < 1e-9
    (other, _, _), (tother, _, _) = state_of(robot, model, seed=6)
    close(robot.difference(q, other), pin.difference(model, tq, tother))


def test_a_state_comes_back_as_it_was(both):
    robot, model, _ = both
    ours = robot.random_state(seed=8, batch=3)
    back = strobe.convert_state(robot, *strobe.convert_state(robot, *ours, target=model)[:3], source=model)
    for x, y in zip(ours, back, strict=False):
        close(y, x)


def test_a_planar_joint_of_a_file_is_pinocchios_across_z():
    """Pinocchio's reader takes z for the axis, whatever the file says."""
    body = '<inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>'
    body += '<inertia ixx="1" iyy="1.2" izz="1.3" ixy="0.1" ixz="0" iyz="0"/></inertial>'
    text = f"""<robot name="sledge"><link name="a"/><link name="b">{body}</link>
      <joint name="j" type="planar"><origin xyz="1 2 3" rpy="0.3 0.2 0.1"/><parent link="a"/><child link="b"/>
        <axis xyz="0 0 1"/></joint></robot>"""
    model = pin.buildModelFromXML(text)
    robot = Robot(strobe.load(text).model, compiled=False)
    (q, qd, qdd), (tq, tqd, tqdd) = state_of(robot, model)
    close(robot.inverse_dynamics(q, qd, qdd), pin.rnea(model, model.createData(), tq, tqd, tqdd))


def test_a_screw_that_mimics_another_is_read_with_its_pitch():
    model = chain([pin.JointModelRY(), pin.JointModelHX(0.1), pin.JointModelHX(0.2)])
    robot = strobe.load(model)
    assert [joint.pitch for joint in robot.model.joints] == pytest.approx([0.0, 0.1, 0.2])
    assert [joint.kind for joint in robot.model.joints] == ["revolute", "helical", "helical"]
