"""Energy, momentum, joint wrenches, Jacobian rates, Coriolis matrix and accelerations against Pinocchio."""

from pathlib import Path

import numpy as np
import pytest

from strobe.robot import Robot

pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")

ROBOTS = {
    "panda_description/urdf/panda.urdf": ("fixed", True),
    "xarm_description/urdf/xarm7.urdf": ("floating", False),  # an arm that drifts
    "solo_description/robots/solo12.urdf": ("floating", True),
    "go2_description/urdf/go2.urdf": ("floating", False),
    "talos_data/robots/talos_reduced.urdf": ("floating", False),
    "g1_description/urdf/g1_29dof_rev_1_0.urdf": ("floating", False),
}
GRAVITY = np.array([1.0, -2.0, -3.7])


@pytest.fixture(scope="module", params=ROBOTS, ids=lambda path: Path(path).stem)
def peer(request, open_trees):
    base, compiled = ROBOTS[request.param]
    found = open_trees.Peer(open_trees.robots_folder() / request.param, base)
    found.robot = Robot(found.robot.model, compiled)
    return found


@pytest.fixture(scope="module")
def state(peer):
    q, qd, qdd = peer.robot.random_state(seed=7)
    return (q, qd, qdd), (peer.position(q), peer.rates(qd), peer.rates(qdd))


def close(ours, theirs, tolerance=1e-11):
    return np.abs(np.asarray(ours) - theirs).max() <= tolerance * max(1.0, np.abs(theirs).max())


def test_energies_and_centre_of_mass_agree(peer, state):
    (q, qd, _), (tq, tqd, _) = state
    kinetic = pin.computeKineticEnergy(peer.model, peer.data, tq, tqd)
    potential = pin.computePotentialEnergy(peer.model, peer.data, tq)
    assert close(peer.robot.energy(q, qd), np.array([kinetic, potential]))
    assert close(peer.robot.center_of_mass(q), pin.centerOfMass(peer.model, peer.data, tq))


def test_the_centroidal_momentum_agrees(peer, state):
    (q, qd, _), (tq, tqd, _) = state
    theirs = pin.computeCentroidalMomentum(peer.model, peer.data, tq, tqd).vector
    assert close(peer.robot.momentum(q, qd), theirs)


@pytest.mark.slow
def test_the_centroidal_momentum_matrix_its_rate_and_its_bias_agree(peer, state):
    (q, qd, _), (tq, tqd, _) = state
    pin.dccrba(peer.model, peer.data, tq, tqd)
    A, rate = (matrix[:, peer.order] @ peer.G for matrix in (peer.data.Ag, peer.data.dAg))
    assert close(peer.robot.centroidal_momentum_matrix(q), A)
    assert close(peer.robot.centroidal_momentum_matrix_dot(q, qd), rate)
    assert close(peer.robot.centroidal_momentum_bias(q, qd), rate @ qd)


def test_torques_masses_and_weights_agree(peer, state):
    (q, qd, qdd), (tq, tqd, tqdd) = state
    assert close(
        peer.robot.inverse_dynamics(q, qd, qdd, friction=False),
        peer.torques(pin.rnea(peer.model, peer.data, tq, tqd, tqdd)),
    )
    upper = np.triu(pin.crba(peer.model, peer.data, tq))
    assert close(peer.robot.mass_matrix(q), peer.matrix(upper + np.triu(upper, 1).T))
    weight = pin.computeGeneralizedGravity(peer.model, peer.data, tq)
    assert close(peer.robot.gravity(q), peer.torques(weight))


def joint_frame(peer, joint):
    """Their index of a joint of ours."""
    return peer.model.getJointId("root_joint" if joint.kind == "floating" else joint.name)


def their_wrenches(peer):
    """data.f of every joint in base axes."""
    rows = []
    for joint in peer.robot.model.joints:
        index = joint_frame(peer, joint)
        R = peer.data.oMi[index].rotation
        f = peer.data.f[index]
        rows.append([*(R @ f.linear), *(R @ f.angular)])
    return np.array(rows)


@pytest.mark.slow
def test_joint_wrenches_agree_with_and_without_wrenches_from_outside(peer, state):
    ours, theirs = state
    pin.rnea(peer.model, peer.data, *theirs)
    pin.forwardKinematics(peer.model, peer.data, theirs[0])
    assert close(peer.robot.joint_wrenches(*ours), their_wrenches(peer))

    joint = peer.robot.model.bodies[-1].joint
    frame = next(f for f in peer.robot.model.frames if f.body == len(peer.robot.model.bodies) - 1)
    F = np.array([3.0, -1.0, 2.0, 0.2, 0.1, -0.3])
    T = peer.robot.forward_kinematics(ours[0], frame.name)
    index = joint_frame(peer, joint)
    oMi = peer.data.oMi[index]
    at_base = pin.Force(F[:3], F[3:] + np.cross(T[:3, 3], F[:3]))
    forces = [pin.Force.Zero() for _ in range(peer.model.njoints)]
    forces[index] = oMi.actInv(at_base)
    tau = pin.rnea(peer.model, peer.data, *theirs, forces)
    held = peer.robot.joint_wrenches(*ours, wrench=F, frame=frame.name)
    assert close(held, their_wrenches(peer))
    torques = peer.robot.inverse_dynamics(*ours, wrench=F, frame=frame.name, friction=False)
    assert close(torques, peer.torques(tau))


def test_the_rate_of_the_jacobian_agrees(peer, state):
    (q, qd, _), (tq, tqd, _) = state
    pin.computeJointJacobiansTimeVariation(peer.model, peer.data, tq, tqd)
    pin.forwardKinematics(peer.model, peer.data, tq, tqd)
    pin.updateFramePlacements(peer.model, peer.data)
    names = [f for f in peer.robot.frames if peer.model.existFrame(f, pin.FrameType.BODY)]
    name = names[-1]
    index = peer.model.getFrameId(name, pin.FrameType.BODY)
    theirs = pin.getFrameJacobianTimeVariation(peer.model, peer.data, index, pin.LOCAL_WORLD_ALIGNED)
    assert close(peer.robot.jacobian_dot(q, qd, name), theirs[:, peer.order] @ peer.G)


def test_the_jacobian_of_a_point_agrees(peer, state):
    (q, _, _), (tq, _, _) = state
    pin.computeJointJacobians(peer.model, peer.data, tq)
    names = [f for f in peer.robot.frames if peer.model.existFrame(f, pin.FrameType.BODY)]
    frame = peer.model.frames[peer.model.getFrameId(names[-1], pin.FrameType.BODY)]
    point = np.array([0.02, 0.03, -0.3])
    there = frame.placement * pin.SE3(np.eye(3), point)
    joint = frame.parentJoint
    theirs = pin.getFrameJacobian(peer.model, peer.data, joint, there, pin.LOCAL_WORLD_ALIGNED)[:3]
    assert close(peer.robot.point_jacobian(q, names[-1], point), theirs[:, peer.order] @ peer.G)


def test_all_frames_at_once_are_the_frames_one_by_one_and_pinocchios(peer, state):
    (q, _, _), (tq, _, _) = state
    pin.framesForwardKinematics(peer.model, peer.data, tq)
    placements = peer.robot.frame_placements(q)
    for name, T in zip(peer.robot.frames, placements, strict=True):
        if peer.model.existFrame(name, pin.FrameType.BODY):
            index = peer.model.getFrameId(name, pin.FrameType.BODY)
            assert close(T, peer.data.oMf[index].homogeneous)


@pytest.mark.slow
def test_the_coriolis_matrix_agrees(peer, state):
    (q, qd, _), (tq, tqd, _) = state
    C = pin.computeCoriolisMatrix(peer.model, peer.data, tq, tqd)
    assert close(peer.robot.coriolis_matrix(q, qd), peer.matrix(C))


@pytest.mark.slow
def test_accelerations_agree_under_either_gravity(peer, state):
    if not np.array_equal(peer.G, np.eye(len(peer.G))):
        pytest.skip("joints that follow others: Pinocchio lets them go free")
    (q, qd, tau), (tq, tqd, ttau) = state
    tau, ttau = 10 * tau, 10 * ttau
    given = peer.model.gravity.linear.copy()
    for gravity in (None, GRAVITY):
        peer.model.gravity.linear = given if gravity is None else gravity
        theirs = pin.aba(peer.model, peer.data, tq, tqd, ttau)[peer.order]
        ours = peer.robot.forward_dynamics(q, qd, tau, gravity=gravity, friction=False)
        assert close(ours, theirs, 1e-9)
    peer.model.gravity.linear = given


def test_hybrid_dynamics_agree_when_half_the_joints_are_driven(peer, state):
    (q, qd, qdd), (tq, tqd, tqdd) = state
    robot = peer.robot
    tau = peer.torques(pin.rnea(peer.model, peer.data, tq, tqd, tqdd))
    names = robot.joint_names[1::2]
    x = tau.copy()
    for joint in robot.coordinates.joints:
        if joint.name in names:
            x[joint.v : joint.v + joint.nv] = qdd[joint.v : joint.v + joint.nv]
    torques, accelerations = robot.hybrid_dynamics(q, qd, x, accelerated=names, friction=False)
    assert close(torques, tau, 1e-9)
    assert close(accelerations, qdd, 1e-8)
