# pyright: reportConstantRedefinition=false
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
from strobe.formulations.links import Z0, Arm, Link
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
        a = u + al.cross(link.p) + w.cross(w.cross(link.p))
        abar = a + al.cross(link.r) + w.cross(w.cross(link.r))
        F.append(abar * link.m)
        N.append(link.I @ al + w.cross(link.I @ w))

    return inward(arm, F, N, tool)


def outward(link: Link, w: Vec3, al: Vec3, a: Vec3, rate: Num, accel: Num) -> tuple[Vec3, Vec3, Vec3]:
    """ω_i, α_i, and what a_i is before the link's own rotation acts on p*_i."""
    into = link.R.T
    if link.revolute:
        al = into @ (al + w.cross(Z0) * rate + Z0 * accel)
        return into @ (w + Z0 * rate), al, into @ a
    w = into @ w
    return w, into @ al, into @ a + w.cross(link.z) * (2.0 * rate) + link.z * accel


def inward(arm: Arm, F: list[Vec3], N: list[Vec3], tool: Force | None) -> list[Num]:
    """The forces and moments of every link handed down the arm and projected on its joints."""
    f, n = (Vec3.zero(), Vec3.zero()) if tool is None else (tool.force, tool.moment)
    R = Mat3.identity()
    tau: list[Num] = []
    for link, F_i, N_i in zip(reversed(arm.links), reversed(F), reversed(N), strict=True):
        Rf = R @ f
        n = N_i + link.s.cross(F_i) + link.p.cross(Rf) + R @ n
        f = F_i + Rf
        tau.append(link.z.dot(n if link.revolute else f))
        R = link.R
    return tau[::-1]
