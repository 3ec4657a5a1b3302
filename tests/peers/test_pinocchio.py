"""Real robots against Pinocchio: torques, mass matrix, gravity, bias, accelerations, frames, Jacobians."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from strobe.models.load import load_model
from strobe.robot import Robot

pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")

ROBOTS = {
    # arms
    "panda_description/urdf/panda.urdf": "fixed",
    "ur_description/urdf/ur5_robot.urdf": "fixed",
    "ur_description/urdf/ur10_robot.urdf": "fixed",
    "kinova_description/robots/kinova.urdf": "fixed",
    "xarm_description/urdf/xarm7.urdf": "fixed",
    "z1_description/urdf/z1.urdf": "fixed",
    "so_arm_description/urdf/so101.urdf": "fixed",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf": "fixed",
    # grippers and hands, with mimic joints
    "ur_description/urdf/ur5_gripper.urdf": "fixed",
    "allegro_hand_description/urdf/allegro_right_hand.urdf": "fixed",
    "tiago_description/robots/tiago.urdf": "fixed",
    "baxter_description/urdf/baxter.urdf": "fixed",
    # legs
    "solo_description/robots/solo12.urdf": "floating",
    "anymal_b_simple_description/robots/anymal.urdf": "floating",
    "go2_description/urdf/go2.urdf": "floating",
    "bolt_description/robots/bolt.urdf": "floating",
    "hyq_description/robots/hyq_no_sensors.urdf": "floating",
    # humanoids
    "g1_description/urdf/g1_29dof_rev_1_0.urdf": "floating",
    "talos_data/robots/talos_reduced.urdf": "floating",
    "romeo_description/urdf/romeo_small.urdf": "floating",
    "simple_humanoid_description/urdf/simple_humanoid.urdf": "floating",
    "icub_description/robots/icub.urdf": "floating",
}

COMPILED = {
    "panda",
    "ur5_gripper",
    "solo12",
}  # an arm, couplings, legs; code of long programs: compiler/codegen/test_pieces.py


def robots_folder() -> Path:
    spec = importlib.util.find_spec("cmeel")
    assert spec is not None
    site = Path(spec.submodule_search_locations[0]).parent  # pyright: ignore
    return site / "cmeel.prefix/share/example-robot-data/robots"


class Peer:
    """The same file in both libraries, with states translated by joint name."""

    def __init__(self, path: Path, base: str) -> None:
        self.robot = Robot(load_model(path), compiled=path.stem in COMPILED)
        if base == "floating":
            self.robot = self.robot.with_base("floating")
        root = pin.JointModelFreeFlyer() if base == "floating" else None
        self.model = pin.buildModelFromUrdf(str(path), root) if root else pin.buildModelFromUrdf(str(path))
        self.data = self.model.createData()
        x = self.robot.coordinates
        self.G = np.zeros((self.robot.model.nv, self.robot.nv))
        for i, terms in enumerate(x.velocities):
            for j, factor in terms.items():
                self.G[i, j] = factor
        self.order = np.concatenate([np.arange(j.nv) + self._theirs(joint).idx_v
                                     for joint in self.robot.model.joints for j in [joint]])  # fmt: skip

    def _theirs(self, joint):
        name = "root_joint" if joint.kind == "floating" else joint.name
        return self.model.joints[self.model.getJointId(name)]

    def position(self, q):
        """Their q: Pinocchio's own order, quaternion scalar last, continuous joints as cosine and sine."""
        full = np.array(self.robot.coordinates.expand(q.tolist()))
        theirs = pin.neutral(self.model)
        for joint in self.robot.model.joints:
            their, mine = self._theirs(joint), full[joint.q : joint.q + joint.nq]
            if joint.kind == "floating":
                theirs[their.idx_q : their.idx_q + 7] = [*mine[:3], *mine[4:], mine[3]]
            elif their.nq == 2:
                theirs[their.idx_q : their.idx_q + 2] = [np.cos(mine[0]), np.sin(mine[0])]
            else:
                theirs[their.idx_q] = mine[0]
        return theirs

    def rates(self, v):
        theirs = np.zeros(self.model.nv)
        theirs[self.order] = self.G @ v
        return theirs

    def torques(self, tau):
        return self.G.T @ np.asarray(tau)[self.order]

    def matrix(self, M):
        ours = np.asarray(M)[np.ix_(self.order, self.order)]
        return self.G.T @ ours @ self.G


@pytest.fixture(scope="module", params=ROBOTS, ids=lambda path: Path(path).stem)
def peer(request):
    return Peer(robots_folder() / request.param, ROBOTS[request.param])


def close(ours, theirs, tolerance=1e-9):
    return np.abs(np.asarray(ours) - theirs).max() <= tolerance * np.abs(theirs).max()


def test_torques_mass_matrix_gravity_and_bias_agree(peer):
    for seed in range(3):
        q, qd, qdd = peer.robot.random_state(seed=seed)
        tq, tqd, tqdd = peer.position(q), peer.rates(qd), peer.rates(qdd)
        tau = peer.torques(pin.rnea(peer.model, peer.data, tq, tqd, tqdd))
        assert close(peer.robot.inverse_dynamics(q, qd, qdd, friction=False), tau)
        upper = np.triu(pin.crba(peer.model, peer.data, tq))
        M = peer.matrix(upper + np.triu(upper, 1).T)
        assert close(peer.robot.mass_matrix(q), M)
        weight = peer.torques(pin.computeGeneralizedGravity(peer.model, peer.data, tq))
        assert np.abs(peer.robot.gravity(q) - weight).max() <= 1e-9 * max(1.0, np.abs(weight).max())
        bias = peer.torques(pin.nonLinearEffects(peer.model, peer.data, tq, tqd))
        assert close(peer.robot.bias(q, qd), bias)


@pytest.mark.slow
def test_frames_and_jacobians_agree(peer):
    q, _, _ = peer.robot.random_state(seed=5)
    tq = peer.position(q)
    pin.forwardKinematics(peer.model, peer.data, tq)
    pin.computeJointJacobians(peer.model, peer.data, tq)
    pin.updateFramePlacements(peer.model, peer.data)
    names = [f for f in peer.robot.frames if peer.model.existFrame(f, pin.FrameType.BODY)]
    assert len(names) > 2
    for name in names[-3:]:
        index = peer.model.getFrameId(name, pin.FrameType.BODY)
        placement = peer.data.oMf[index].homogeneous
        assert close(peer.robot.forward_kinematics(q, name), placement)
        J = (
            pin.getFrameJacobian(peer.model, peer.data, index, pin.LOCAL_WORLD_ALIGNED)[:, peer.order]
            @ peer.G
        )
        assert J.any() == (name in peer.robot.moving_frames)
        assert not J.any() or close(peer.robot.jacobian(q, name), J)


@pytest.mark.slow
def test_forward_dynamics_undoes_inverse_dynamics(peer):
    robot = peer.robot
    if massless := robot.singular_joints(robot.random_state(seed=1)[0]):
        pytest.skip(f"joints without inertia: {massless[:3]}")
    q, qd, qdd = robot.random_state(seed=2)
    again = robot.forward_dynamics(q, qd, robot.inverse_dynamics(q, qd, qdd))
    assert np.abs(again - qdd).max() <= 1e-6 * np.abs(qdd).max()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["panda_description/urdf/panda.urdf", "solo_description/robots/solo12.urdf"]
)
def test_the_coriolis_matrix_is_pinocchios(name):
    peer = Peer(robots_folder() / name, ROBOTS[name])
    q, qd, _ = peer.robot.random_state(seed=1)
    C = pin.computeCoriolisMatrix(peer.model, peer.data, peer.position(q), peer.rates(qd))
    assert close(peer.robot.coriolis_matrix(q, qd), peer.matrix(C))


@pytest.mark.parametrize(
    "name", ["panda_description/urdf/panda.urdf", "solo_description/robots/solo12.urdf"]
)
def test_integrate_and_difference_are_pinocchios(name):
    peer = Peer(robots_folder() / name, ROBOTS[name])
    q, v, w = peer.robot.random_state(seed=3)
    moved = peer.robot.integrate(q, v, 0.3)
    theirs = pin.integrate(peer.model, peer.position(q), 0.3 * peer.rates(v))
    assert peer.position(moved) == pytest.approx(theirs, abs=1e-12)
    other = peer.robot.integrate(q, w)
    step = pin.difference(peer.model, peer.position(q), peer.position(other))
    assert peer.rates(peer.robot.difference(q, other)) == pytest.approx(step, abs=1e-9)
    assert peer.robot.difference(q, moved) == pytest.approx(0.3 * v, abs=1e-9)
