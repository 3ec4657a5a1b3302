# pyright: reportConstantRedefinition=false
"""Where frames are and how they move with the joints: placements, velocities, Jacobians and their rates.

    T_0i      = T_0p · T_pi                      outwards, along the bodies that support the frame
    J e_j     = (R S_lin + R S_ang × (p_f − p_i),  R S_ang)     column of joint j on body i, base axes
    J̇ e_j     = (ω_i × R S_lin + (ω_i × R S_ang) × (p_f − p_i) + R S_ang × (ṗ_f − ṗ_i),  ω_i × R S_ang)
    ∂_k J e_j = (ω_k × v_j,  ω_k × ω_j) for k up to the body of j,  (ω_j × v_k,  0) beyond;  J e_j = (v_j, ω_j)

    ω_i       = ω_p + R S_ang qd                 ṗ_i = ṗ_p + ω_p × d + R S_lin qd,   d = p_i − p_p
    ω̇_i       = ω̇_p + R S_ang qdd + ω_i × R S_ang qd
    p̈_i       = p̈_p + ω̇_p × d + ω_p × ḋ + R S_lin qdd + ω_i × R S_lin qd

S is fixed to its body, so R S turns with ω_i. A displacement along column k turns what the joints from there on do,
and moves the frame's origin for the joints before. Rows are linear velocity of the frame's origin, then angular
velocity, in base axes; `reference_frames` has them elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from strobe.algebra import Force, Mat3, Mat4, Pose, Shift, Vec3
from strobe.models.model import ROOT, Body, Frame, Model
from strobe.scalars import Num, Numbers

Load = tuple[Frame, Numbers]  # a frame, and the force and moment on it, in base axes at its origin


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A frame in base axes: its rotation, and its origin; it moves outwards step by step."""

    R: Mat3 = field(default_factory=Mat3.identity)
    p: Vec3 = field(default_factory=Vec3.zero)

    def __matmul__(self, pose: Pose) -> Placed:
        R, p = self.R, self.p
        for step in pose.steps:
            if isinstance(step, Shift):
                p = p + R @ step.p
            else:
                R = Mat3(*(step.inward(row) for row in R))
        return Placed(R, p)

    def matrix(self) -> Mat4:
        return Mat4.homogeneous(self.R, self.p)


@dataclass(frozen=True, slots=True, eq=False)
class Moving:
    """Velocity of a body, or of a frame, in base axes: ω, and ṗ of its origin."""

    w: Vec3 = field(default_factory=Vec3.zero)
    p_d: Vec3 = field(default_factory=Vec3.zero)

    def at(self, arm: Vec3) -> Moving:
        """That of what it carries at an arm from its origin."""
        return Moving(self.w, self.p_d + self.w.cross(arm))


@dataclass(frozen=True, slots=True, eq=False)
class Accelerating:
    """Acceleration of a body, or of a frame, in base axes: ω̇, and p̈ of its origin."""

    w_d: Vec3 = field(default_factory=Vec3.zero)
    p_dd: Vec3 = field(default_factory=Vec3.zero)

    def at(self, arm: Vec3, arm_d: Vec3, w: Vec3) -> Accelerating:
        """That of what it carries at an arm with a rate, while it turns with ω."""
        return Accelerating(self.w_d, self.p_dd + self.w_d.cross(arm) + w.cross(arm_d))


def body_placements(bodies: Sequence[Body], q: Numbers) -> dict[int, Placed]:
    """Every one of the bodies (parents first, from the root on) in base axes, the base among them."""
    placed = {ROOT: Placed()}
    for body in bodies:
        placed[body.index] = placed[body.parent] @ body.pose(q)
    return placed


def body_velocities(bodies: Sequence[Body], placed: Mapping[int, Placed], qd: Numbers) -> dict[int, Moving]:
    """How every one of the placed bodies moves with qd, the base at rest among them."""
    moving = {ROOT: Moving()}
    for body in bodies:
        here, own = placed[body.index], body.S @ body.rates(qd)
        carried = moving[body.parent].at(here.p - placed[body.parent].p)
        moving[body.index] = Moving(carried.w + here.R @ own.angular, carried.p_d + here.R @ own.linear)
    return moving


def body_accelerations(
    bodies: Sequence[Body],
    placed: Mapping[int, Placed],
    moving: Mapping[int, Moving],
    qd: Numbers,
    qdd: Numbers,
) -> dict[int, Accelerating]:
    """How every one of the moving bodies is accelerated by qdd, the base at rest among them."""
    accelerating = {ROOT: Accelerating()}
    for body in bodies:
        i, p, R = body.index, body.parent, placed[body.index].R
        own, more = body.S @ body.rates(qd), body.S @ body.rates(qdd)
        arm, arm_d = placed[i].p - placed[p].p, moving[i].p_d - moving[p].p_d
        carried, w = accelerating[p].at(arm, arm_d, moving[p].w), moving[i].w
        accelerating[i] = Accelerating(
            carried.w_d + R @ more.angular + w.cross(R @ own.angular),
            carried.p_dd + R @ more.linear + w.cross(R @ own.linear),
        )
    return accelerating


def frame_velocity(model: Model, q: Numbers, qd: Numbers, frame: Frame) -> Moving:
    """How a frame moves with qd."""
    support = model.support(frame.body)
    placed = body_placements(support, q)
    here = placed[frame.body]
    return body_velocities(support, placed, qd)[frame.body].at((here @ frame.placement).p - here.p)


def frame_acceleration(
    model: Model, q: Numbers, qd: Numbers, qdd: Numbers, frame: Frame
) -> tuple[Moving, Accelerating]:
    """How a frame moves with qd, and how it is accelerated by qdd."""
    support = model.support(frame.body)
    placed = body_placements(support, q)
    moving = body_velocities(support, placed, qd)
    accelerating = body_accelerations(support, placed, moving, qd, qdd)
    i = frame.body
    arm = (placed[i] @ frame.placement).p - placed[i].p
    return moving[i].at(arm), accelerating[i].at(arm, moving[i].w.cross(arm), moving[i].w)


def frame_pose(model: Model, q: Numbers, frame: Frame) -> Pose:
    """The frame seen from the base, as a chain of steps."""
    pose = Pose()
    for body in model.support(frame.body):
        pose = pose @ body.pose(q)
    return pose @ frame.placement


def frame_placement(model: Model, q: Numbers, frame: Frame) -> Placed:
    """One frame seen from the base."""
    return body_placements(model.support(frame.body), q)[frame.body] @ frame.placement


def frame_placements(model: Model, q: Numbers) -> list[Placed]:
    """Every frame of the model seen from the base."""
    placed = body_placements(model.bodies, q)
    return [placed[frame.body] @ frame.placement for frame in model.frames]


def jacobian(model: Model, q: Numbers, frame: Frame) -> list[list[Num]]:
    """Six rows, one column per degree of freedom."""
    support = model.support(frame.body)
    placed = body_placements(support, q)
    tip = (placed[frame.body] @ frame.placement).p
    columns: dict[int, tuple[Vec3, Vec3]] = {}
    for body in support:
        here = placed[body.index]
        arm = tip - here.p
        for k, column in enumerate(body.S):
            angular = here.R @ column.angular
            columns[body.joint.v + k] = (here.R @ column.linear + angular.cross(arm), angular)
    return _rows(model, columns)


def jacobian_derivative(model: Model, q: Numbers, frame: Frame) -> list[list[list[Num]]]:
    """∂J/∂q: six rows of columns j, each with its derivatives along all degrees of freedom k."""
    J = jacobian(model, q, frame)
    columns = [(Vec3(*c[:3]), Vec3(*c[3:])) for c in zip(*J, strict=True)]
    result: list[list[list[Num]]] = [[[0.0] * model.nv for _ in range(model.nv)] for _ in range(6)]
    support = model.support(frame.body)
    for place, body in enumerate(support):
        for other in support[: place + 1]:
            for j in _dofs(body):
                for k in _dofs(other):
                    turn = columns[k][1]
                    carried = (*turn.cross(columns[j][0]), *turn.cross(columns[j][1]))
                    for i, entry in enumerate(carried):
                        result[i][j][k] = entry
                        if other is not body and i < 3:  # ω_k × v_j: joint j moves the origin for k
                            result[i][k][j] = entry
    return result


def _dofs(body: Body) -> range:
    return range(body.joint.v, body.joint.v + body.joint.nv)


def point_jacobian(model: Model, q: Numbers, frame: Frame, point: Numbers) -> list[list[Num]]:
    """Three rows, ∂r/∂q of a material point r that is given in the axes of a frame."""
    there = replace(frame, placement=frame.placement @ Pose((Shift(Vec3(*point)),)))
    return jacobian(model, q, there)[:3]


def jacobian_dot(model: Model, q: Numbers, qd: Numbers, frame: Frame) -> list[list[Num]]:
    """The rate of the Jacobian while the robot moves with qd: six rows."""
    support = model.support(frame.body)
    placed = body_placements(support, q)
    moving = body_velocities(support, placed, qd)
    tip = (placed[frame.body] @ frame.placement).p
    tip_d = moving[frame.body].at(tip - placed[frame.body].p).p_d
    columns: dict[int, tuple[Vec3, Vec3]] = {}
    for body in support:
        here, motion = placed[body.index], moving[body.index]
        arm, arm_d = tip - here.p, tip_d - motion.p_d
        for k, column in enumerate(body.S):
            angular = here.R @ column.angular
            angular_d = motion.w.cross(angular)
            slide = motion.w.cross(here.R @ column.linear)
            linear_d = slide + angular_d.cross(arm) + angular.cross(arm_d)
            columns[body.joint.v + k] = (linear_d, angular_d)
    return _rows(model, columns)


def joint_torques(model: Model, q: Numbers, frame: Frame, wrench: Numbers) -> list[Num]:
    """Jᵀ F for a force and moment on a frame, in base axes at its origin."""
    J = jacobian(model, q, frame)
    force, moment = Vec3(*wrench[:3]), Vec3(*wrench[3:])
    columns = ((Vec3(*c[:3]), Vec3(*c[3:])) for c in zip(*J, strict=True))
    return [linear.dot(force) + angular.dot(moment) for linear, angular in columns]


def forces_on_bodies(
    model: Model, q: Numbers, loads: Sequence[Load], placed: Mapping[int, Placed] | None = None
) -> dict[int, Force]:
    """The loads on bodies that move, each body's in its own axes at its origin.

    One load is turned joint by joint; several cost less by the rotations of the bodies, which may be known.
    """
    placed = body_placements(model.bodies, q) if placed is None and len(loads) > 1 else placed
    forces: dict[int, Force] = {}
    for frame, wrench in loads:
        i = frame.body
        if i == ROOT:
            continue
        force, moment = Vec3(*wrench[:3]), Vec3(*wrench[3:])
        if placed is None:
            for body in model.support(i):
                into = body.pose(q).inverse().inward
                force, moment = into(force), into(moment)
        else:
            force, moment = placed[i].R.T @ force, placed[i].R.T @ moment
        acts = Force(moment + frame.placement.translation.cross(force), force)
        forces[i] = forces[i] + acts if i in forces else acts
    return forces


def _rows(model: Model, columns: dict[int, tuple[Vec3, Vec3]]) -> list[list[Num]]:
    """Six rows out of columns (linear, angular); zero for joints that do not support the frame."""
    rows: list[list[Num]] = [[0.0] * model.nv for _ in range(6)]
    for j, (linear, angular) in columns.items():
        for i, entry in enumerate((*linear, *angular)):
            rows[i][j] = entry
    return rows
