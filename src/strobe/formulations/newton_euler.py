"""Newton-Euler in link coordinates at centres of mass, by cross products, O(n). [Luh1980], [Turney1980]

Outward, i = 1 … n, everything of link i in frame i; ω_0 = α_0 = 0, a_0 = −g:

    revolute   ω_i = R_iᵀ (ω_{i−1} + qd_i z0)
               α_i = R_iᵀ (α_{i−1} + ω_{i−1} × z0 qd_i + qdd_i z0)
               a_i = R_iᵀ a_{i−1} + α_i × p*_i + ω_i × (ω_i × p*_i)
    prismatic  ω_i = R_iᵀ ω_{i−1},  α_i = R_iᵀ α_{i−1}
               a_i = the same + 2 qd_i ω_i × z_i + qdd_i z_i           z_i = R_iᵀ z0
    both       ā_i = a_i + α_i × r_i + ω_i × (ω_i × r_i)

Inward, i = n … 1; f_{n+1}, n_{n+1} is the wrench that the hand exerts on its surroundings, in frame n:

    f_i = m_i ā_i + R_{i+1} f_{i+1}
    n_i = I_i α_i + ω_i × (I_i ω_i) + s_i × m_i ā_i + p*_i × R_{i+1} f_{i+1} + R_{i+1} n_{i+1}
    tau_i = z_i · n_i (revolute) or z_i · f_i (prismatic)
"""

from __future__ import annotations

from strobe.algebra import Force, Mat3, Vec3
from strobe.formulations.links import Z0, links
from strobe.models.model import Model
from strobe.scalars import Num, Numbers


def inverse_dynamics(
    model: Model, q: Numbers, qd: Numbers, qdd: Numbers, tool: Force | None = None
) -> list[Num]:
    """Joint forces of a serial arm; ``tool`` is exerted by the hand, in the last frame."""
    arm = model.distal()
    chain = links(model, q)
    w = arm.rest.angular
    al = arm.rest.angular
    a = -arm.gravity.linear
    motions: list[tuple[Vec3, Vec3, Vec3]] = []

    for link, rate, accel in zip(chain, qd, qdd, strict=True):
        inward = link.R.T
        if link.revolute:
            al = inward @ (al + w.cross(Z0) * rate + Z0 * accel)
            w = inward @ (w + Z0 * rate)
            a = inward @ a
        else:
            al = inward @ al
            w = inward @ w
            a = inward @ a + w.cross(link.z) * (2.0 * rate) + link.z * accel
        a = a + al.cross(link.p) + w.cross(w.cross(link.p))
        abar = a + al.cross(link.r) + w.cross(w.cross(link.r))
        motions.append((w, al, abar))

    f, n = (Vec3.zero(), Vec3.zero()) if tool is None else (tool.force, tool.moment)
    R_next = Mat3.identity()
    tau: list[Num] = []
    for link, (w, al, abar) in zip(reversed(chain), reversed(motions), strict=True):
        F = abar * link.m
        Rf = R_next @ f
        n = link.I @ al + w.cross(link.I @ w) + link.s.cross(F) + link.p.cross(Rf) + R_next @ n
        f = F + Rf
        tau.append(link.z.dot(n if link.revolute else f))
        R_next = link.R
    return tau[::-1]
