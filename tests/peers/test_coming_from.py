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

    @pytest.mark.parametrize("reference", ["aligned", "local", "world"])
    def test_motions_of_frames_have_these_references(self, fixed, reference):
        robot, model, data, (q, qd, qdd) = fixed
        pin = self.pin
        there = model.getFrameId(FRAME)
        how = {"aligned": pin.LOCAL_WORLD_ALIGNED, "local": pin.LOCAL, "world": pin.WORLD}[reference]
        J = robot.jacobian(q, FRAME, reference=reference)
        assert same(J, pin.computeFrameJacobian(model, data, q, there, how))
        theirs = pin.frameJacobianTimeVariation(model, data, q, qd, there, how)
        assert same(robot.jacobian_dot(q, qd, FRAME, reference=reference), theirs)
        pin.forwardKinematics(model, data, q, qd, qdd)
        v = robot.frame_velocity(q, qd, FRAME, reference=reference)
        assert same(v, pin.getFrameVelocity(model, data, there, how).vector)
        read = pin.getFrameClassicalAcceleration if reference == "aligned" else pin.getFrameAcceleration
        a = robot.frame_acceleration(q, qd, qdd, FRAME, reference=reference)
        assert same(a, read(model, data, there, how).vector)

    def test_what_an_accelerometer_feels_is_the_aligned_acceleration_turned(self, fixed):
        robot, model, data, (q, qd, qdd) = fixed
        pin = self.pin
        pin.forwardKinematics(model, data, q, qd, qdd)
        there = model.getFrameId(FRAME)
        R = robot.forward_kinematics(q, FRAME)[:3, :3]
        a = robot.frame_acceleration(q, qd, qdd, FRAME)
        theirs = pin.getFrameClassicalAcceleration(model, data, there, pin.LOCAL)
        assert same(np.concatenate([R.T @ a[:3], R.T @ a[3:]]), theirs.vector)

    def test_derivatives_have_these_names(self, fixed):
        robot, model, data, (q, qd, qdd) = fixed
        pin = self.pin
        for ours, theirs in zip(
            robot.inverse_dynamics_derivatives(q, qd, qdd, friction=False),
            pin.computeRNEADerivatives(model, data, q, qd, qdd),
            strict=True,
        ):
            assert same(ours, np.triu(theirs) + np.triu(theirs, 1).T if theirs is data.M else theirs)
        tau = pin.rnea(model, data, q, qd, qdd)
        ours = robot.forward_dynamics_derivatives(q, qd, tau, friction=False)
        theirs = pin.computeABADerivatives(model, data, q, qd, tau)
        assert all(same(a, b) for a, b in zip(ours, theirs, strict=True))
        inverse = pin.computeMinverse(model, data, q)
        assert same(robot.mass_matrix_inverse(q), np.triu(inverse) + np.triu(inverse, 1).T)

    def test_the_regressor_takes_the_same_parameters_in_another_order(self, fixed):
        robot, model, data, (q, qd, qdd) = fixed
        Y = self.pin.computeJointTorqueRegressor(model, data, q, qd, qdd).reshape(robot.n, robot.n, 10)
        # theirs: m, m c, then Ixx Ixy Iyy Ixz Iyz Izz
        order = [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]
        assert same(robot.regressor(q, qd, qdd), Y[:, :, order].reshape(robot.n, -1))

    def test_joints_are_locked_and_the_neutral_position_is_the_same(self, fixed):
        robot, model, _, (q, qd, qdd) = fixed
        pin = self.pin
        assert same(robot.neutral, pin.neutral(model))
        name = robot.joint_names[2]
        less = pin.buildReducedModel(model, [model.getJointId(name)], q)
        kept = [k for k in range(robot.n) if k != 2]
        ours = robot.lock({name: q[2]}).inverse_dynamics(q[kept], qd[kept], qdd[kept], friction=False)
        assert same(ours, pin.rnea(less, less.createData(), q[kept], qd[kept], qdd[kept]))

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

    def test_points_velocities_and_the_inverse_have_these_names(self, fixed):
        robot, model, data, (q, qd, _) = fixed
        mujoco, n = self.mujoco, robot.n
        link, point = robot.model.bodies[-1].name, np.array([0.1, -0.2, 0.3])
        kind = mujoco.mjtObj.mjOBJ_XBODY  # the body's own frame, not that of its inertia
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, link)
        there = data.xpos[body] + data.xmat[body].reshape(3, 3) @ point
        jacp = np.zeros((3, n))
        mujoco.mj_jac(model, data, jacp, None, there, body)
        assert same(robot.point_jacobian(q, link, point), jacp)
        v = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, kind, body, v, 0)
        assert same(robot.frame_velocity(q, qd, link), np.roll(v, 3))
        inverse = np.zeros((n, n))
        mujoco.mj_solveM(model, data, inverse, np.eye(n))
        assert same(robot.mass_matrix_inverse(q), inverse)
        assert same(robot.neutral, model.qpos0)

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
