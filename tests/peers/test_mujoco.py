"""Real robots against MuJoCo, which compiles the same URDF files itself.

MuJoCo refuses massless moving bodies and inertias that violate the triangle inequality, and drops the inertia of a
massless link behind a fixed joint, which Pinocchio and we keep (the feet of `bolt`, among the Pinocchio peers).
Geometry is taken out of the text because meshes are not needed for dynamics.
"""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from strobe.models.load import load_model
from strobe.robot import Robot

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (package mujoco) is not installed")

ROBOTS = [
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "ur_description/urdf/ur10_robot.urdf",
    "kinova_description/robots/kinova.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "z1_description/urdf/z1.urdf",
    "so_arm_description/urdf/so101.urdf",
    "double_pendulum_description/urdf/double_pendulum.urdf",
    "solo_description/robots/solo12.urdf",
    "go2_description/urdf/go2.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "a1_description/urdf/a1.urdf",
    "laikago_description/urdf/laikago.urdf",
    "ur_description/urdf/ur3_robot.urdf",
    "so_arm_description/urdf/so100.urdf",
    "talos_data/robots/talos_left_arm.urdf",
    "asr_twodof_description/urdf/TwoDofs.urdf",
]


def robots_folder() -> Path:
    spec = importlib.util.find_spec("cmeel")
    assert spec is not None
    return Path(spec.submodule_search_locations[0]).parent / "cmeel.prefix/share/example-robot-data/robots"


def compiled(path: Path):
    """MuJoCo's own reading of the file, without shapes, limits or friction of its own making."""
    text = path.read_text()
    text = re.sub(r"<(visual|collision|gazebo|transmission)\b.*?</\1>", "", text, flags=re.S)
    text = re.sub(r"<mimic[^>]*/>", "", text)
    options = '<mujoco><compiler balanceinertia="false" discardvisual="false" fusestatic="true"/></mujoco>'
    return mujoco.MjModel.from_xml_string(re.sub(r"(<robot[^>]*>)", rf"\1{options}", text, count=1))


@pytest.fixture(scope="module", params=ROBOTS, ids=lambda path: Path(path).stem)
def pair(request):
    path = robots_folder() / request.param
    robot = Robot(load_model(path), compiled=path.stem == "panda")  # the others: for four states
    model = compiled(path)
    order = [model.jnt_dofadr[model.joint(joint.name).id] for joint in robot.model.joints]
    return robot, model, np.array(order)


def test_mass_matrix_bias_and_gravity_agree(pair):
    robot, model, order = pair
    data = mujoco.MjData(model)
    G = np.zeros((robot.model.nv, robot.nv))
    for i, terms in enumerate(robot.coordinates.velocities):
        for j, factor in terms.items():
            G[i, j] = factor
    for seed in range(2):
        q, qd, _ = robot.random_state(seed=seed)
        data.qpos[order] = robot.coordinates.expand(q.tolist())
        data.qvel[order] = G @ qd
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        M = G.T @ full[np.ix_(order, order)] @ G
        assert np.abs(robot.mass_matrix(q) - M).max() <= 1e-9 * np.abs(M).max()
        bias = G.T @ data.qfrc_bias[order]
        assert np.abs(robot.bias(q, qd) - bias).max() <= 1e-9 * max(1.0, np.abs(bias).max())


def test_torques_agree_without_friction(pair):
    robot, model, order = pair
    if robot.model.couplings:
        pytest.skip("MuJoCo's reading has no mimic joints")
    data = mujoco.MjData(model)
    q, qd, qdd = robot.random_state(seed=4)
    data.qpos[order], data.qvel[order], data.qacc[order] = q, qd, qdd
    model.dof_damping[:] = 0.0
    model.dof_frictionloss[:] = 0.0
    model.jnt_limited[:] = 0
    mujoco.mj_inverse(model, data)
    theirs = data.qfrc_inverse[order]
    ours = robot.inverse_dynamics(q, qd, qdd, friction=False)
    assert np.abs(ours - theirs).max() <= 1e-9 * max(1.0, np.abs(theirs).max())
