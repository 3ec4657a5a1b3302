"""Modified Newton-Euler: forces and moments of a link straight from the matrix Â. [Turney1980]

    Â_i = [α_i ×] + [ω_i ×]²,   u_i = a_i − Â_i p*_i          (ω, α, u as in `newton_euler`)
    a_i = u_i + Â_i p*_i                                      not needed for the last link
    F_i = Â_i (m_i s_i) + m_i u_i                             m_i s_i is a constant of the link
    B = Â_i K_i,  N_i = (B_zy − B_yz, B_xz − B_zx, B_yx − B_xy)      = I_i α_i + ω_i × I_i ω_i

K_i = ½ tr(I_i) 1 − I_i about the centre of mass; it may be full. The inward pass is that of `newton_euler`.
"""

from __future__ import annotations

from strobe.algebra import Force, Mat3, Vec3
from strobe.formulations.links import Arm
from strobe.formulations.newton_euler import inward, outward
from strobe.models.model import Model
from strobe.scalars import Num, Numbers


def inverse_dynamics(
    model: Model, q: Numbers, qd: Numbers, qdd: Numbers, tool: Force | None = None
) -> list[Num]:
    """Joint forces of a serial arm; ``tool`` is exerted by the hand, in the last frame."""
    arm = Arm(model, q)
    w = al = arm.rest
    a = -arm.gravity
    F: list[Vec3] = []
    N: list[Vec3] = []

    for link, rate, accel in zip(arm.links, qd, qdd, strict=True):
        w, al, u = outward(link, w, al, a, rate, accel)
        A = Mat3.acceleration(w, al)
        if link is not arm.links[-1]:
            a = u + A @ link.p
        F.append(A @ (link.s * link.m) + u * link.m)
        N.append(vee(A, link.K))

    return inward(arm, F, N, tool)


def vee(A: Mat3, K: Mat3) -> Vec3:
    """The vector of the skew part of B = A K (K symmetric); only the six entries it needs."""
    return Vec3(A.c.dot(K.b) - A.b.dot(K.c), A.a.dot(K.c) - A.c.dot(K.a), A.b.dot(K.a) - A.a.dot(K.b))
