"""A tree of one-degree joints in base axes: axes, points and Jacobian columns, for the Jacobian methods.

    a_j    axis of joint j              p_j    a point on it, fixed to the parent
    c_i    centre of mass of body i     I_i    its inertia R I Rᵀ about it

Column j of body i exists for the joints j that support it:

    J_ω = a_j (revolute) or 0            J_v = a_j × (c_i − p_j) (revolute) or a_j (prismatic)
"""

from __future__ import annotations

from dataclasses import dataclass

from strobe.algebra import Mat3, Pose, Vec3
from strobe.errors import UnsupportedModelError
from strobe.models.model import ROOT, Model
from strobe.scalars import Num, Numbers


@dataclass(frozen=True, slots=True, eq=False)
class WorldBody:
    """One body in base axes; ``supports`` are the joints it hangs on, its own last."""

    index: int
    parent: int
    supports: tuple[int, ...]
    revolute: bool
    a: Vec3
    p: Vec3
    o: Vec3  # the body's origin
    c: Vec3
    m: Num
    I: Mat3

    def angular(self) -> Vec3:
        """The column of this joint in the angular Jacobian of every body it supports."""
        return self.a if self.revolute else Vec3.zero()

    def linear(self, point: Vec3) -> Vec3:
        """The column of this joint in the linear Jacobian of a point beyond it."""
        return self.a.cross(point - self.p) if self.revolute else self.a


def world(model: Model, q: Numbers) -> list[WorldBody]:
    """Every body of a tree at one configuration."""
    poses: dict[int, Pose] = {ROOT: Pose()}
    supports: dict[int, tuple[int, ...]] = {ROOT: ()}
    bodies: list[WorldBody] = []
    for body in model.bodies:
        if body.joint.nv == 1 and not body.joint.is_elementary:
            raise UnsupportedModelError(
                f'joint "{body.joint.name}" is {body.joint.kind}; a Jacobian method needs joints that turn or slide. '
                "Use spatial-newton-euler."
            )
        if body.joint.nv != 1 or body.inertial.com is None or body.inertial.central is None:
            raise UnsupportedModelError(
                f'link "{body.name}": a Jacobian method needs joints with one degree of freedom and links with a '
                "centre of mass. Use spatial-newton-euler."
            )
        i, parent = body.index, poses[body.parent]
        joint, pose = parent @ body.before, (parent @ body.pose(q)).flat()
        R = pose.rotation
        bodies.append(
            WorldBody(
                index=i,
                parent=body.parent,
                supports=(*supports[body.parent], i),
                revolute=body.joint.turns,
                a=joint.direction(Vec3.unit(body.joint.axis, body.joint.sign)),
                p=joint.translation,
                o=pose.translation,
                c=pose.point(body.inertial.com),
                m=body.inertial.m,
                I=R @ body.inertial.central.matrix() @ R.T,
            )
        )
        poses[i], supports[i] = pose, bodies[-1].supports
    return bodies
