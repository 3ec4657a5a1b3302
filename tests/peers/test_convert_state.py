"""States of MuJoCo and Pinocchio, converted: the same motion has the same torques in both engines."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, UnknownNameError
from strobe.models.load import load_model
from strobe.models.mjcf import read_mjcf

MJCF = """<mujoco><option gravity="0 0 -9.81"/><worldbody>
  <body name="trunk"><freejoint name="root"/>
    <inertial pos="0.1 0.02 -0.1" mass="2" diaginertia="0.03 0.05 0.04"/>
    <body name="b_leg" pos="0.2 0 0"><joint name="b_hip" type="ball"/>
      <inertial pos="0.1 0.2 -0.1" mass="1" diaginertia="0.03 0.05 0.04"/>
      <body name="b_foot" pos="0 0 -0.3"><joint name="b_knee" axis="0 1 0" ref="0.2"/>
        <inertial pos="0 0.1 -0.1" mass="0.5" diaginertia="0.01 0.02 0.02"/></body></body>
    <body name="a_leg" pos="-0.2 0 0"><joint name="a_hip" axis="1 0 0"/><joint name="a_slide" type="slide"/>
      <inertial pos="0.1 0.2 -0.1" mass="1" diaginertia="0.03 0.05 0.04"/></body>
  </body></worldbody></mujoco>"""

SOFT = """<mujoco><worldbody>
  <body name="l"><joint name="left" axis="0 1 0"/>
    <inertial pos="0.1 0 0.05" mass="0.3" diaginertia="0.01 0.02 0.02"/></body>
  <body name="r" pos="0 1 0"><joint name="right" axis="0 1 0"/>
    <inertial pos="0.1 0 0.05" mass="0.3" diaginertia="0.01 0.02 0.02"/></body></worldbody>
  <equality><joint joint1="right" joint2="left" polycoef="0.1 -2 0 0 0"/></equality>
  <actuator><motor joint="left"/></actuator></mujoco>"""

LINK = """<link name="{0}"><inertial><origin xyz="0.1 0.02 0.05"/><mass value="0.3"/>
  <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
HINGE = """<joint name="{0}" type="revolute"><parent link="palm"/><child link="{1}"/><axis xyz="0 1 0"/>
  <limit lower="-2" upper="2" effort="1" velocity="1"/>{2}</joint>"""
FINGERS = f"""<robot name="fingers"><link name="palm"/>{LINK.format("l")}{LINK.format("r")}
  {HINGE.format("left", "l", "")}
  {HINGE.format("right", "r", '<mimic joint="left" multiplier="-2" offset="0.1"/>')}</robot>"""


def close(a, b):
    return np.abs(np.asarray(a) - b).max() < 1e-9 * max(1.0, np.abs(np.asarray(b)).max())


def back_and_forth(robot, engine, state):
    """Whether a state comes back as it was, batch axes and all."""
    there = strobe.convert_state(robot, *state, target=engine)
    back = strobe.convert_state(robot, *there, source=engine)
    return all(close(x, y) for x, y in zip(back, state, strict=True))


class TestMuJoCo:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")

    @pytest.fixture
    def both(self):
        model = self.mujoco.MjModel.from_xml_string(MJCF)
        return model, strobe.Robot(read_mjcf("walker.xml", text=MJCF), compiled=False)

    @pytest.mark.parametrize("seed", range(3))
    def test_a_motion_has_the_torques_of_mj_inverse(self, both, seed):
        model, robot = both
        q, qd, qdd = robot.random_state(seed=seed)
        there = strobe.convert_state(robot, q, qd, qdd, target=model)
        data = self.mujoco.MjData(model)
        data.qpos, data.qvel, data.qacc = there[:3]
        self.mujoco.mj_inverse(model, data)
        tau = robot.inverse_dynamics(q, qd, qdd)
        assert close(strobe.convert_state(robot, q, tau=tau, target=model).tau, data.qfrc_inverse)
        here = strobe.convert_state(robot, data.qpos, data.qvel, data.qacc, data.qfrc_inverse, source=model)
        assert close(here.tau, tau)
        assert close(robot.inverse_dynamics(*here[:3]), tau)

    def test_power_is_the_same_in_both(self, both):
        model, robot = both
        q, qd, tau = robot.random_state(seed=7, batch=4)
        there = strobe.convert_state(robot, q, qd, tau=tau, target=model)
        assert close((there.qd * there.tau).sum(-1), (qd * tau).sum(-1))

    def test_batches_come_back(self, both):
        model, robot = both
        q, qd, qdd = robot.random_state(seed=2, batch=(2, 3))
        assert back_and_forth(robot, model, (q, qd, qdd, qd + qdd))

    def test_the_engines_name_and_the_order_do_as_well_as_its_model(self, both):
        model, robot = both
        order = [model.joint(i).name for i in range(model.njnt)]
        state = robot.random_state(seed=3)
        by_name = strobe.convert_state(robot, *state, target="mujoco", joints=order)
        for a, b in zip(by_name[:3], strobe.convert_state(robot, *state, target=model)[:3], strict=True):
            assert np.array_equal(a, b)

    def test_branches_have_no_order_by_themselves(self, both):
        _, robot = both
        with pytest.raises(
            ArgumentError, match="has branches, whose order is mujoco's own: give its model in"
        ):
            strobe.convert_state(robot, robot.neutral, source="mujoco")

    def test_joints_that_the_robot_has_not_are_named(self, both):
        model, robot = both
        with pytest.raises(ArgumentError, match='^the model has a joint "a_slide" that .* does not have'):
            strobe.convert_state(robot.lock({"a_slide": 0.0}), np.zeros(model.nq), source=model)

    def test_a_state_that_mujoco_simulated_is_taken_within_a_tolerance(self):
        model = self.mujoco.MjModel.from_xml_string(SOFT)
        robot = strobe.Robot(read_mjcf("grip.xml", text=SOFT), compiled=False)
        assert (robot.nv, model.nv) == (1, 2)
        data = self.mujoco.MjData(model)
        data.ctrl = [0.3]
        for _ in range(200):
            self.mujoco.mj_step(model, data)
        off = abs(data.qpos[1] - (0.1 - 2 * data.qpos[0]))
        assert 1e-5 < off < 1e-2  # soft, as MuJoCo's constraints are
        with pytest.raises(
            ArgumentError, match=r"more than tolerance=1e-06\. Where the engine holds it softly"
        ):
            strobe.convert_state(robot, data.qpos, source=model)
        here = strobe.convert_state(robot, data.qpos, data.qvel, source=model, tolerance=0.05)
        assert (here.q, here.qd) == (data.qpos[0], data.qvel[0])
        with pytest.raises(
            ArgumentError, match=f"off by {off / max(1, abs(0.1 - 2 * here.q[0])):.2g}, more"
        ):
            strobe.convert_state(robot, data.qpos, source=model, tolerance=off / 10)
        with pytest.raises(ArgumentError, match="^tolerance is -1; expected a number, zero or more"):
            strobe.convert_state(robot, data.qpos, source=model, tolerance=-1)

    def test_accelerations_of_a_free_joint_need_its_velocity(self, both):
        model, robot = both
        q, _, qdd = robot.random_state(seed=1)
        with pytest.raises(
            ArgumentError, match="^qdd of a free joint is converted by its velocity too; give qd"
        ):
            strobe.convert_state(robot, q, qdd=qdd, target=model)


class TestPinocchio:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")

    def loaded(self, name, base):
        spec = importlib.util.find_spec("cmeel")
        assert spec is not None
        site = Path(spec.submodule_search_locations[0]).parent  # pyright: ignore
        path = str(site / "cmeel.prefix/share/example-robot-data/robots" / name)
        root = [self.pin.JointModelFreeFlyer()] if base else []
        robot = strobe.Robot(load_model(path), compiled=False)
        return self.pin.buildModelFromUrdf(path, *root), robot.with_base(base) if base else robot

    @pytest.mark.parametrize(
        ("name", "base"),
        [
            ("solo_description/robots/solo12.urdf", "floating"),
            ("double_pendulum_description/urdf/double_pendulum_continuous.urdf", None),
        ],
    )
    def test_a_motion_has_the_torques_of_rnea(self, name, base):
        model, robot = self.loaded(name, base)
        q, qd, qdd = robot.random_state(seed=4)
        there = strobe.convert_state(robot, q, qd, qdd, target=model)
        assert there.q.shape == (model.nq,)
        tau = self.pin.rnea(model, model.createData(), *there[:3])
        here = strobe.convert_state(robot, *there[:3], tau, source=model)
        assert close(here.tau, robot.inverse_dynamics(q, qd, qdd, friction=False))
        turned = robot.difference(q, here.q)
        assert np.abs(np.sin(turned / 2)).max() < 1e-9  # a cosine and a sine tell no turns
        assert close(here.qd, qd)
        assert close(here.qdd, qdd)

    def test_a_ball_and_a_free_body_have_their_scalar_last(self, tmp_path):
        path = tmp_path / "walker.xml"
        plain = MJCF.replace('<joint name="a_slide" type="slide"/>', "").replace('ref="0.2"', "")
        path.write_text(plain, encoding="utf-8")
        model, robot = self.pin.buildModelFromMJCF(str(path)), strobe.Robot(read_mjcf(path), compiled=False)
        q, qd, qdd = robot.random_state(seed=6)
        there = strobe.convert_state(robot, q, qd, qdd, target=model)
        tau = self.pin.rnea(model, model.createData(), *there[:3])
        here = strobe.convert_state(robot, *there[:3], tau, source=model)
        assert close(here.tau, robot.inverse_dynamics(q, qd, qdd))
        assert back_and_forth(robot, model, (q, qd, qdd, tau))

    def test_a_joint_that_follows_moves_there_and_is_refused_where_it_does_not(self, tmp_path):
        path = tmp_path / "fingers.urdf"
        path.write_text(FINGERS, encoding="utf-8")
        model, robot = self.pin.buildModelFromUrdf(str(path)), strobe.load(path)
        assert (robot.nv, model.nv) == (1, 2)
        there = strobe.convert_state(robot, [0.3], [0.4], [0.5], target=model)
        assert there.q[model.joints[model.getJointId("right")].idx_q] == pytest.approx(-2 * 0.3 + 0.1)
        tau = self.pin.rnea(model, model.createData(), *there[:3])
        here = strobe.convert_state(robot, *there[:3], tau, source=model)
        assert close(here.tau, robot.inverse_dynamics([0.3], [0.4], [0.5]))
        there.q[model.joints[model.getJointId("right")].idx_q] += 0.01
        with pytest.raises(
            ArgumentError, match='^q of joint "right" is -0.49; it follows others in .*, to -0.5.'
        ):
            strobe.convert_state(robot, *there[:3], source=model)


def test_what_cannot_be_converted_is_said():
    arm = strobe.random(2, seed=0, kinds="C")
    q = np.zeros(2)
    for keywords, said in (
        ({}, "give source= or target=, one of both"),
        ({"source": "mujoco", "target": "mujoco"}, "give source= or target="),
        ({"source": 3}, "a int is no engine's model; expected 'mujoco' or 'pinocchio'"),
        ({"target": "mujoco", "joints": ["joint1"]}, 'the engine has no joint "joint2"'),
        ({"target": "mujoco", "joints": "joint1"}, "expected names of joints"),
    ):
        with pytest.raises(ArgumentError, match=said):
            strobe.convert_state(arm, q, **keywords)
    with pytest.raises(UnknownNameError, match='no engine "bullet" in strobe'):
        strobe.convert_state(arm, q, source="bullet")
    with pytest.raises(ArgumentError, match=r'^q of joint "joint1" is no cosine and sine'):
        strobe.convert_state(arm, [1.0, 1.0, 1.0, 0.0], source="pinocchio")
    assert strobe.convert_state(arm, np.float32([1, 2]), target="pinocchio").q.dtype == np.float32


def test_quaternions_that_are_none_are_refused_both_ways():
    ball = strobe.random(1, seed=3, kinds="S")
    for way in ("source", "target"):
        with pytest.raises(ArgumentError, match="q has a quaternion of length 2 in joint"):
            strobe.convert_state(ball, [2.0, 0.0, 0.0, 0.0], **{way: "pinocchio"})
