"""Where frames are and how they move with the joints: placements and geometric Jacobians.

    T_0f      = T_0i · placement                 along the bodies that support the frame
    J e_j     = (R S_lin + R S_ang × (p_f − p_i),  R S_ang)     column of joint j on body i, base axes

Rows are linear velocity of the frame's origin, then angular velocity, in base axes.
"""

from __future__ import annotations

from strobe.algebra import Pose, Vec3
from strobe.models.model import Frame, Model
from strobe.scalars import Num, Numbers


def frame_pose(model: Model, q: Numbers, frame: Frame) -> Pose:
    """The frame seen from the base, as a chain of steps."""
    pose = Pose()
    for body in model.support(frame.body):
        pose = pose @ body.pose(q)
    return pose @ frame.placement


def jacobian(model: Model, q: Numbers, frame: Frame) -> list[list[Num]]:
    """Six rows, one column per degree of freedom."""
    rows: list[list[Num]] = [[0.0] * model.nv for _ in range(6)]
    tip = frame_pose(model, q, frame).translation
    pose = Pose()
    for body in model.support(frame.body):
        pose = pose @ body.pose(q)
        arm = tip - pose.translation
        for k, column in enumerate(body.S):
            angular = pose.direction(column.angular)
            linear = pose.direction(column.linear) + angular.cross(arm)
            for i, entry in enumerate((*linear, *angular)):
                rows[i][body.joint.v + k] = entry
    return rows


def joint_torques(model: Model, q: Numbers, frame: Frame, wrench: Numbers) -> list[Num]:
    """Jᵀ F for a force and moment on a frame, in base axes at its origin."""
    J = jacobian(model, q, frame)
    force, moment = Vec3(*wrench[:3]), Vec3(*wrench[3:])
    columns = ((Vec3(*c[:3]), Vec3(*c[3:])) for c in zip(*J, strict=True))
    return [linear.dot(force) + angular.dot(moment) for linear, angular in columns]
