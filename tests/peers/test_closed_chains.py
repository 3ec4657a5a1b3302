"""Closed chains and feet on the ground against Pinocchio's constrained dynamics: accelerations and forces."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.mechanisms.loop_forces import loop_forces
from strobe.models.joints import Friction, Motor
from strobe.models.urdf_writer import write_urdf
from strobe.robot import Robot

pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")

POINT, FULL = pin.ContactType.CONTACT_3D, pin.ContactType.CONTACT_6D
KINDS = {POINT: "point", FULL: "full"}
STANDING = {
    "a quadruped on four points": (
        "solo_description/robots/solo12.urdf", POINT, ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"]),
    "a quadruped on two points": (
        "anymal_b_simple_description/robots/anymal.urdf", POINT, ["LF_FOOT", "RH_FOOT"]),
    "a humanoid on one foot": (
        "g1_description/urdf/g1_29dof_rev_1_0.urdf", FULL, ["left_ankle_roll_link"]),
    "a humanoid on both feet": (
        "talos_data/robots/talos_reduced.urdf", FULL, ["left_sole_link", "right_sole_link"]),
    "a humanoid held by feet and hands": (
        "talos_data/robots/talos_reduced.urdf", FULL,
        ["left_sole_link", "right_sole_link", "gripper_left_base_link", "gripper_right_base_link"]),
}  # fmt: skip


class Closed:
    """A robot with loops in both libraries, at one closed state."""

    def __init__(self, peer, robot, q, contacts, seed=5):
        """``contacts`` are their frames by name, or pairs of these, one for each loop of ours."""
        self.peer, self.robot, self.q = peer, robot, q
        rng = np.random.default_rng(seed)
        self.qd = robot.closed_velocities(q, rng.standard_normal(robot.nv))
        self.tau = 10 * rng.standard_normal(robot.nv)
        self.models, self.datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        pin.framesForwardKinematics(peer.model, peer.data, peer.position(q))
        for kind, a, b in contacts:
            self.models.append(
                pin.RigidConstraintModel(kind, peer.model, *self.end(b), *self.end(a), pin.LOCAL)
            )
        for model in self.models:
            self.datas.append(model.createData())

    def end(self, frame):
        """Their joint that carries a frame and where on it; a placement in the world is its own."""
        if not isinstance(frame, str):
            return 0, frame
        found = self.peer.model.frames[self.peer.model.getFrameId(frame)]
        return found.parentJoint, found.placement

    def accelerations(self):
        """Theirs, in our order, and ours."""
        model, data = self.peer.model, self.peer.data
        pin.initConstraintDynamics(model, data, self.models, self.datas)
        state = self.peer.position(self.q), self.peer.rates(self.qd), self.peer.rates(self.tau)
        settings = pin.ProximalSettings(1e-14, 1e-10, 50)
        theirs = pin.constraintDynamics(model, data, *state, self.models, self.datas, settings)
        ours = self.robot.forward_dynamics(self.q, self.qd, self.tau)
        return theirs[self.peer.order], ours

    def forces(self, qdd):
        """Force and moment on every loop's b at its origin in base axes: theirs and ours."""
        ours = loop_forces(self.robot, self.q, self.qd, qdd, self.tau).wrenches
        theirs = [
            [*(data.oMc1.rotation @ data.contact_force.linear),
             *(data.oMc1.rotation @ data.contact_force.angular)]
            for data in self.datas
        ]  # fmt: skip
        return np.array(theirs), np.array([ours[loop.name] for loop in self.robot.model.loops])


def without_friction(model):
    """The model as Pinocchio moves it."""
    joints = (replace(body.joint, friction=Friction(), motor=Motor()) for body in model.bodies)
    return replace(
        model, bodies=tuple(replace(body, joint=j) for body, j in zip(model.bodies, joints, strict=True))
    )


def standing(other, path, kind, feet):
    """A robot whose feet are bound to the ground where they are at a random position."""
    peer = other.Peer(other.robots_folder() / path, "floating")
    robot = Robot(without_friction(peer.robot.model), compiled=False)
    q = robot.random_state(3)[0]
    contacts = []
    for k, foot in enumerate(feet):
        T = robot.forward_kinematics(q, foot)
        ground = f"ground {k}"
        robot = robot.with_frame(
            ground, T[:3, 3], pin.rpy.matrixToRpy(T[:3, :3]), frame=robot.model.base_name
        )
        robot = robot.with_loop(ground, foot, KINDS[kind])
        contacts.append((kind, pin.SE3(T), foot))
    return Closed(peer, robot, q, contacts)


def example(other, name, tmp_path, kind=POINT):
    """A built-in closed chain, and its open tree in Pinocchio with the same loop."""
    model = without_friction(strobe.load(name).model)
    (loop,) = model.loops
    robot = Robot(replace(model, loops=(replace(loop, kind=KINDS[kind]),)), compiled=False)
    path = tmp_path / f"{name}.urdf"
    path.write_text(write_urdf(replace(model, loops=(), couplings=()))[0])
    q = np.array(model.poses["home"])
    return Closed(other.Peer(path, "fixed"), robot, q, [(kind, loop.frame_a, loop.frame_b)])


def close(ours, theirs, tolerance=1e-10):
    return np.abs(ours - theirs).max() <= tolerance * max(1.0, np.abs(theirs).max())


@pytest.mark.parametrize("case", STANDING, ids=lambda case: case.replace(" ", "-"))
def test_feet_on_the_ground_move_and_push_as_in_pinocchio(case, open_trees):
    closed = standing(open_trees, *STANDING[case])
    theirs, ours = closed.accelerations()
    assert close(ours, theirs)
    theirs, ours = closed.forces(ours)
    assert close(ours, theirs)


@pytest.mark.parametrize("name", ["fourbar", "slider-crank", "fivebar"])
def test_plane_linkages_pinned_at_a_point_move_and_push_as_in_pinocchio(name, tmp_path, open_trees):
    closed = example(open_trees, name, tmp_path)
    theirs, ours = closed.accelerations()
    assert close(ours, theirs)
    theirs, ours = closed.forces(ours)
    plane = [0, 2]  # across it nothing pushes, and nothing could
    assert close(ours[:, plane], theirs[:, plane])


def test_a_sole_bound_twice_moves_as_in_pinocchio_though_its_forces_are_not_determined(open_trees):
    path, kind, (foot,) = STANDING["a humanoid on one foot"]
    closed = standing(open_trees, path, kind, [foot, foot.replace("left", "right"), foot])
    theirs, ours = closed.accelerations()
    assert close(ours, theirs)
    assert np.linalg.matrix_rank(closed.robot.loop_jacobian(closed.q)) == 12
