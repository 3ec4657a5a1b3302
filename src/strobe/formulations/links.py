"""A serial arm in the papers' letters: what the link formulations read of it.

    R_i    rotation frame i -> frame i−1         p*_i   origin i−1 -> origin i, in frame i
    z_i    axis z_{i−1} seen in frame i          r_i    centre of mass from origin i, in frame i
    s_i    p*_i + r_i                            m_i, I_i (about the centre of mass)
    T_i    4×4 of R_i and R_i p*_i               Q_i    ∂T_i/∂q_i = Q_i T_i, costs no arithmetic
    μ_i    m_i r_i                               K_i    second moments ½ tr(I_i) 1 − I_i
    J_i    second moments about origin i         Ĵ_i    [J_i μ_i; μ_iᵀ m_i]

Frames are distal: the origin of frame i lies on the axis of joint i+1. Each letter is computed when a
formulation first asks for it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar

from strobe.algebra import Mat3, Mat4, Pose, Sym3, Vec3
from strobe.errors import UnsupportedModelError
from strobe.models.model import Body, Model
from strobe.scalars import Num, Numbers

V = TypeVar("V", Vec3, Sym3)

Z0 = Vec3.unit(2)


class Link:
    """Link i at one configuration."""

    def __init__(self, body: Body, q: Numbers) -> None:
        self.body = body
        self.revolute = body.joint.turns
        (self.q,) = body.joint.position(q)
        self._entry = body.system.entry
        self._inward = body.after.inverse().inward

    @cached_property
    def pose(self) -> Pose:
        return self.body.pose([*[0.0] * self.body.joint.q, self.q])

    @cached_property
    def R(self) -> Mat3:
        return self.pose.rotation

    @cached_property
    def p(self) -> Vec3:
        slide = Z0 * (0.0 if self.revolute else self.q)
        return self._inward(self.body.after.translation + slide).map(self._entry)

    @cached_property
    def z(self) -> Vec3:
        z = self._inward(Z0)  # (0, sin α, cos α) in standard DH: its zero is structure
        return Vec3(z.x, self._entry(z.y), self._entry(z.z))

    @property
    def m(self) -> Num:
        return self.body.inertial.m

    @cached_property
    def r(self) -> Vec3:
        return self._require(self.body.inertial.com)

    @cached_property
    def I(self) -> Sym3:
        return self._require(self.body.inertial.central)

    @cached_property
    def s(self) -> Vec3:
        return self.p + self.r

    @cached_property
    def K(self) -> Mat3:
        return second_moments(self.I)

    @property
    def mu(self) -> Vec3:
        return self.body.inertia.h

    @cached_property
    def J(self) -> Mat3:
        return second_moments(self.body.inertia.I)

    @cached_property
    def J_hat(self) -> Mat4:
        rows = [(*row, moment) for row, moment in zip(self.J, self.mu, strict=True)]
        return Mat4((*rows, (*self.mu, self.m))).map(self._entry)  # pyright: ignore[reportArgumentType]

    @cached_property
    def T(self) -> Mat4:
        return self.pose.matrix().map(self._entry)

    def Q(self, X: Mat4) -> Mat4:
        """Q_i X: rows swapped and negated (revolute), or the last row copied (prismatic)."""
        a, b, _, d = X.rows
        zero = (0.0, 0.0, 0.0, 0.0)
        rows = (_minus(b), a, zero, zero) if self.revolute else (zero, zero, d, zero)
        return Mat4(rows).map(self._entry)

    def QQ(self, X: Mat4) -> Mat4:
        """Q_i Q_i X."""
        a, b, _, _ = X.rows
        zero = (0.0, 0.0, 0.0, 0.0)
        rows = (_minus(a), _minus(b), zero, zero) if self.revolute else (zero, zero, zero, zero)
        return Mat4(rows).map(self._entry)

    def _require(self, value: V | None) -> V:
        if value is None:
            raise UnsupportedModelError(
                f'link "{self.body.name}" has no centre of mass (m = 0 with a first moment, as regrouped models '
                "have); use newton-euler-armstrong or spatial-newton-euler."
            )
        return value


def _minus(row: tuple[Num, Num, Num, Num]) -> tuple[Num, Num, Num, Num]:
    a, b, c, d = row
    return -a, -b, -c, -d


def second_moments(I: Sym3) -> Mat3:
    """½ tr(I) 1 − I = ∫ r rᵀ dm, for an inertia about the point that r is measured from."""
    half = (I.xx + I.yy + I.zz) * 0.5
    return Mat3(
        Vec3(half - I.xx, -I.xy, -I.xz),
        Vec3(-I.xy, half - I.yy, -I.yz),
        Vec3(-I.xz, -I.yz, half - I.zz),
    )


class Arm:
    """A serial arm at one configuration: its links, gravity in base axes, and the base at rest."""

    def __init__(self, model: Model, q: Numbers) -> None:
        distal = model.distal()
        self.links = [Link(body, q) for body in distal.bodies]
        self.gravity = distal.gravity.linear
        self.rest = distal.rest.angular

    @property
    def n(self) -> int:
        return len(self.links)
