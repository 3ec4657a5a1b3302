"""What `docs/coming_from.md` says of Pinocchio and MuJoCo, line by line, on an arm and on the same arm afloat."""

import numpy as np
import pytest

import strobe
from strobe.models.mjcf import read_mjcf
from strobe.models.urdf_writer import write_urdf

URDF, _ = write_urdf(strobe.load("ur5").model)
FRAME = strobe.load("ur5").frames[-1]


@pytest.fixture(scope="module")
def arms(tmp_path_factory):
    path = tmp_path_factory.mktemp("arm") / "arm.urdf"
    path.write_text(URDF.replace("</joint>", '<dynamics damping="0.3"/></joint>'), encoding="utf-8")
    return path, strobe.load(path), strobe.load(path, base="floating")


def same(ours, theirs):
    return np.abs(ours - theirs).max() < 1e-9 * max(1.0, np.abs(theirs).max())


class TestPinocchio:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")

    @pytest.fixture
    def fixed(self, arms):
        path, robot, _ = arms
        model = self.pin.buildModelFromUrdf(str(path))
        order = [model.joints[model.getJointId(name)].idx_v for name in robot.joint_names]
        assert order == list(range(robot.n))
        return robot, model, model.createData(), robot.random_state(seed=3)

    def test_dynamics_has_these_names(self, fixed):
        robot, model, data, (q, qd, qdd) = fixed
        pin = self.pin
        tau = pin.rnea(model, data, q, qd, qdd)
        assert same(robot.inverse_dynamics(q, qd, qdd, friction=False), tau)
        assert same(robot.forward_dynamics(q, qd, tau, friction=False), pin.aba(model, data, q, qd, tau))
        assert same(robot.mass_matrix(q), pin.crba(model, data, q))
        assert same(robot.coriolis_matrix(q, qd), pin.computeCoriolisMatrix(model, data, q, qd))
        assert same(robot.gravity(q), pin.computeGeneralizedGravity(model, data, q))
        assert same(robot.bias(q, qd), pin.nonLinearEffects(model, data, q, qd))

    def test_frames_have_these_names(self, fixed):
        robot, model, data, (q, qd, _) = fixed
        pin = self.pin
        there = model.getFrameId(FRAME)
        pin.framesForwardKinematics(model, data, q)
        assert same(robot.forward_kinematics(q, FRAME), data.oMf[there].homogeneous)
        how = pin.LOCAL_WORLD_ALIGNED
        assert same(robot.jacobian(q, FRAME), pin.computeFrameJacobian(model, data, q, there, how))
        assert same(
            robot.jacobian_dot(q, qd, FRAME), pin.frameJacobianTimeVariation(model, data, q, qd, there, how)
        )

    def test_totals_have_these_names(self, fixed):
        robot, model, data, (q, qd, _) = fixed
        pin = self.pin
        T, U = robot.energy(q, qd)
        assert same(T, pin.computeKineticEnergy(model, data, q, qd))
        assert same(U, pin.computePotentialEnergy(model, data, q))
        assert same(robot.center_of_mass(q), pin.centerOfMass(model, data, q))
        assert same(robot.momentum(q, qd), pin.computeCentroidalMomentum(model, data, q, qd).vector)
        pin.dccrba(model, data, q, qd)
        assert same(robot.centroidal_momentum_matrix(q), data.Ag)
        assert same(robot.centroidal_momentum_matrix_dot(q, qd), data.dAg)

    def test_external_forces_are_on_the_joints_bodies_in_their_axes(self, fixed):
        robot, model, data, (q, qd, qdd) = fixed
        pin = self.pin
        F, last = np.array([1.0, -2.0, 3.0, 0.3, 0.2, -0.1]), model.njoints - 1
        pin.forwardKinematics(model, data, q)
        forces = [pin.Force.Zero() for _ in range(model.njoints)]
        forces[last] = pin.Force(F)
        R = data.oMi[last].rotation
        ours = np.concatenate([R @ F[:3], R @ F[3:]])
        link = robot.model.bodies[-1].name
        tau = robot.inverse_dynamics(q, qd, qdd, wrench={link: ours}, friction=False)
        assert same(tau, pin.rnea(model, data, q, qd, qdd, forces))

    def test_a_floating_base_differs_in_the_order_of_the_quaternion_alone(self, arms):
        path, _, robot = arms
        pin = self.pin
        model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
        data = model.createData()
        q, qd, qdd = robot.random_state(seed=4)

        def theirs(q):
            return np.concatenate([q[:3], q[4:7], q[3:4], q[7:]])

        assert same(
            robot.inverse_dynamics(q, qd, qdd, friction=False), pin.rnea(model, data, theirs(q), qd, qdd)
        )
        moved = robot.integrate(q, 0.3 * qd)
        assert same(theirs(moved), pin.integrate(model, theirs(q), 0.3 * qd))
        assert same(robot.difference(q, moved), pin.difference(model, theirs(q), theirs(moved)))


class TestMuJoCo:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")

    @pytest.fixture
    def fixed(self, arms):
        path, robot, _ = arms
        model = self.loaded(path.read_text(encoding="utf-8"))
        q, qd, qdd = robot.random_state(seed=3)
        data = self.at(model, q, qd)
        return robot, model, data, (q, qd, qdd)

    def loaded(self, text):
        model = self.mujoco.MjModel.from_xml_string(text)
        model.opt.disableflags |= int(self.mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        model.opt.enableflags |= int(self.mujoco.mjtEnableBit.mjENBL_ENERGY)
        return model

    def at(self, model, q, qd):
        data = self.mujoco.MjData(model)
        data.qpos, data.qvel = q, qd
        self.mujoco.mj_forward(model, data)
        return data

    def test_inverse_dynamics_has_damping_and_their_recursion_alone_has_not(self, fixed):
        robot, model, data, (q, qd, qdd) = fixed
        data.qacc = qdd
        self.mujoco.mj_inverse(model, data)
        assert same(robot.inverse_dynamics(q, qd, qdd), data.qfrc_inverse)
        data.qacc, result = qdd, np.zeros(robot.n)
        self.mujoco.mj_rne(model, data, 1, result)
        assert same(robot.inverse_dynamics(q, qd, qdd, friction=False), result)

    def test_accelerations_follow_from_applied_forces(self, fixed):
        robot, model, data, (q, qd, _) = fixed
        tau = np.linspace(-3.0, 5.0, robot.n)
        data.qfrc_applied = tau
        self.mujoco.mj_forward(model, data)
        assert same(robot.forward_dynamics(q, qd, tau), data.qacc)

    def test_matrices_and_frames_have_these_names(self, fixed):
        robot, model, data, (q, qd, _) = fixed
        M = np.zeros((robot.n, robot.n))
        self.mujoco.mj_fullM(model, data, M)
        assert same(robot.mass_matrix(q), M)
        assert same(robot.bias(q, qd), data.qfrc_bias)
        link = robot.model.bodies[-1].name
        body = self.mujoco.mj_name2id(model, self.mujoco.mjtObj.mjOBJ_BODY, link)
        T = robot.forward_kinematics(q, link)
        assert same(T[:3, 3], data.xpos[body])
        assert same(T[:3, :3], data.xmat[body].reshape(3, 3))
        jacp, jacr = np.zeros((3, robot.n)), np.zeros((3, robot.n))
        self.mujoco.mj_jacBody(model, data, jacp, jacr, body)
        assert same(robot.jacobian(q, link), np.vstack([jacp, jacr]))

    def test_their_energies_come_in_the_other_order(self, fixed):
        robot, model, data, (q, qd, _) = fixed
        assert same(robot.energy(q, qd), data.energy[::-1])

    def test_their_wrench_acts_at_the_centre_of_mass(self, fixed):
        robot, model, data, (q, qd, _) = fixed
        link = robot.model.bodies[-1].name
        body = self.mujoco.mj_name2id(model, self.mujoco.mjtObj.mjOBJ_BODY, link)
        F, m = np.array([4.0, -2.0, 3.0]), np.array([0.3, 0.2, -0.1])
        data.xfrc_applied[body] = [*F, *m]
        self.mujoco.mj_forward(model, data)
        lever = data.xipos[body] - data.xpos[body]
        ours = np.concatenate([F, m + np.cross(lever, F)])
        assert same(robot.forward_dynamics(q, qd, np.zeros(robot.n), wrench={link: ours}), data.qacc)

    def test_a_free_joint_has_its_linear_part_in_world_axes(self):
        text = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body name="brick" pos="0 0 0"><freejoint/>
          <inertial pos="0.1 0.2 -0.1" mass="2" diaginertia="0.03 0.05 0.04"/></body></worldbody></mujoco>"""
        model = self.loaded(text)
        robot = strobe.Robot(read_mjcf("brick.xml", text=text))
        assert robot.nq == 7
        q, qd, _ = robot.random_state(seed=5)
        w, x, y, z = q[3:7]
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        data = self.at(model, q, np.concatenate([R @ qd[:3], qd[3:]]))
        assert same(robot.energy(q, qd), data.energy[::-1])
        tau = np.array([1.0, 2.0, -1.0, 0.1, 0.3, -0.2])
        data.qfrc_applied = np.concatenate([R @ tau[:3], tau[3:]])
        self.mujoco.mj_forward(model, data)
        qdd = robot.forward_dynamics(q, qd, tau)
        linear = R @ (qdd[:3] + np.cross(qd[3:], qd[:3]))  # the rate of R v
        assert same(np.concatenate([linear, qdd[3:]]), data.qacc)
