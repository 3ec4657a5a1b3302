"""A serial arm in the papers' letters: what every link formulation reads of link i.

R_i    rotation frame i -> frame i−1         p*_i   origin i−1 -> origin i, in frame i
z_i    axis z_{i−1} seen in frame i          r_i    centre of mass from origin i, in frame i
s_i    p*_i + r_i                            m_i, I_i (about the centre of mass)
"""

from __future__ import annotations

from dataclasses import dataclass

from strobe.algebra import Mat3, Sym3, Vec3
from strobe.errors import UnsupportedModelError
from strobe.models.model import Body, Model
from strobe.scalars import Num, Numbers

Z0 = Vec3.unit(2)


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """Link i at one configuration."""

    revolute: bool
    R: Mat3
    p: Vec3
    z: Vec3
    m: Num
    r: Vec3
    s: Vec3
    I: Sym3


def links(model: Model, q: Numbers) -> list[Link]:
    """The links of a serial arm in distal frames, link 1 first."""
    return [_link(model, body, q) for body in model.distal().bodies]


def _link(model: Model, body: Body, q: Numbers) -> Link:
    r, I = body.inertial.com, body.inertial.central
    if r is None or I is None:
        raise UnsupportedModelError(
            f'{model.name}: link "{body.name}" has no centre of mass (m = 0 with a first moment, as regrouped '
            "models have); use newton-euler-armstrong or spatial-newton-euler."
        )
    inward = body.after.inverse().inward
    (joint,) = body.joint.position(q)
    slide = Z0 * (0.0 if body.joint.turns else joint)
    entry = model.system.entry
    p = inward(body.after.translation + slide).map(entry)
    z = inward(Z0)
    z = Vec3(z.x, entry(z.y), entry(z.z))  # (0, sin α, cos α) in standard DH: its zero is structure
    return Link(body.joint.turns, body.pose(q).rotation, p, z, body.inertial.m, r, p + r, I)
