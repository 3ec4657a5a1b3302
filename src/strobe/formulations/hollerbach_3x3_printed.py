# pyright: reportConstantRedefinition=false
"""Hollerbach's 3×3 recursion as printed, but for its first moments: a tested example of its errata. [Hollerbach1980]

    p̈_i = p̈_{i−1} − Ẅ_i p*_i                                            (16): the sign is wrong
    e_i = e_{i+1} + m_i p̈_i + Ẅ_i n_i
    D_i = R_{i+1} D_{i+1} + ⁱp*_{i+1} e_{i+1}ᵀ + n_i p̈_iᵀ + J_i Ẅ_iᵀ       (18): ∂p_i/∂q_i is left out
    c_i = m_i r_i + R_{i+1} c_{i+1}                                       (17): the origins' own weight is left out
    tau_i = tr(U_i D_i) − gᵀ U_i c_i                                      revolute joints only

with n_i = m_i r_i (the definition r_i/m_i under the printed equations is a misprint of its own). It agrees with
the correct torques only where all p* vanish.
"""

from __future__ import annotations

from strobe.algebra import Mat3, Vec3
from strobe.errors import UnsupportedModelError
from strobe.formulations.hollerbach_3x3 import outward
from strobe.formulations.links import Arm
from strobe.models.model import Model
from strobe.scalars import Num, Numbers


def inverse_dynamics(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """The printed torques, which are not the torques of the arm."""
    arm = Arm(model, q)
    if not all(link.revolute for link in arm.links):
        raise UnsupportedModelError(
            f"{model.name} has a prismatic joint; the 3×3 equations as printed hold for revolute joints only. "
            "Use hollerbach-3x3."
        )
    motion = outward(arm, qd, qdd, sign=-1)
    e, c, D, p, R = Vec3.zero(), Vec3.zero(), Mat3.zero(), Vec3.zero(), Mat3.identity()
    tau: list[Num] = []
    for link, k in zip(reversed(arm.links), reversed(motion), strict=True):
        D = R @ D + Mat3.outer(R @ p, e) + Mat3.outer(link.mu, k.p_dd) + link.J @ k.W_dd.T
        e = e + k.p_dd * link.m + k.W_dd @ link.mu
        c = R @ c + link.mu
        p, R = link.p, link.R
        tau.append((k.U @ D).trace() - arm.gravity.dot(k.U @ c))
    return tau[::-1]
