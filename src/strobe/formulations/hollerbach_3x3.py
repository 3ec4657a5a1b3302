# pyright: reportConstantRedefinition=false
"""Hollerbach's recursive Lagrangian with 3×3 matrices, corrected, O(n). [Hollerbach1980]

Outward, W_0 = 1, Ẇ_0 = Ẅ_0 = 0, p̈_0 = 0, Z = [z0 ×]:

    revolute   U_i = W_{i−1} Z R_i,   W_i = W_{i−1} R_i,   Ẇ_i = Ẇ_{i−1} R_i + qd_i U_i
               Ẅ_i = Ẅ_{i−1} R_i + 2 qd_i Ẇ_{i−1} Z R_i + qd_i² W_{i−1} Z² R_i + qdd_i U_i
    prismatic  W_i, Ẇ_i, Ẅ_i = those of i−1 times R_i
    p̈_i = p̈_{i−1} + Ẅ_i p*_i   [+ 2 qd_i Ẇ_{i−1} z0 + qdd_i W_{i−1} z0 if prismatic]

Inward, all values of n+1 zero:

    e_i = e_{i+1} + m_i p̈_i + Ẅ_i μ_i,   M_i = M_{i+1} + m_i
    E_i = R_{i+1} E_{i+1} + μ_i p̈_iᵀ + J_i Ẅ_iᵀ + p*_i e_iᵀ
    c_i = R_{i+1} c_{i+1} + μ_i + M_i p*_i
    tau_i = tr(U_i E_i) − gᵀ U_i c_i  (revolute),   (W_{i−1} z0) · (e_i − M_i g)  (prismatic)

The terms p*_i e_iᵀ and M_i p*_i are missing in the paper, where p̈ also has the wrong sign: origin i lies at
the far end of link i and moves with q_i. `hollerbach_3x3_printed` keeps that form.
"""

from __future__ import annotations

from dataclasses import dataclass

from strobe.algebra import Mat3, Vec3
from strobe.formulations.links import Z0, Arm
from strobe.models.model import Model
from strobe.scalars import Num, Numbers

Z = Mat3.cross(Z0)


@dataclass(frozen=True, slots=True, eq=False)
class Kinematics:
    """What the outward pass leaves behind at one link."""

    U: Mat3  # ∂W_i/∂q_i, zero for a prismatic joint
    axis: Vec3  # W_{i−1} z0
    W_dd: Mat3
    p_dd: Vec3


def inverse_dynamics(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces of a serial arm."""
    arm = Arm(model, q)
    motion = outward(arm, qd, qdd, sign=1)
    g = arm.gravity
    e, c, E, R = Vec3.zero(), Vec3.zero(), Mat3.zero(), Mat3.identity()
    M: Num = 0.0
    tau: list[Num] = []
    for link, k in zip(reversed(arm.links), reversed(motion), strict=True):
        e = e + k.p_dd * link.m + k.W_dd @ link.mu
        M = M + link.m
        E = R @ E + Mat3.outer(link.mu, k.p_dd) + link.J @ k.W_dd.T + Mat3.outer(link.p, e)
        c = R @ c + link.mu + link.p * M
        R = link.R
        if link.revolute:
            tau.append((k.U @ E).trace() - g.dot(k.U @ c))
        else:
            tau.append(k.axis.dot(e - g * M))
    return tau[::-1]


def outward(arm: Arm, qd: Numbers, qdd: Numbers, sign: int) -> list[Kinematics]:
    """The outward pass; ``sign`` is that of Ẅ_i p*_i, +1 except in the paper."""
    W, W_d, W_dd, p_dd = Mat3.identity(), Mat3.zero(), Mat3.zero(), Vec3.zero()
    motion: list[Kinematics] = []
    for link, rate, accel in zip(arm.links, qd, qdd, strict=True):
        R, axis = link.R, W @ Z0
        if link.revolute:
            ZR = Z @ R
            U = W @ ZR
            W_dd = W_dd @ R + (W_d @ ZR) * (2.0 * rate) + (W @ (Z @ ZR)) * (rate * rate) + U * accel
            W_d = W_d @ R + U * rate
        else:
            U = Mat3.zero()
            p_dd = p_dd + (W_d @ Z0) * (2.0 * rate) + axis * accel
            W_dd, W_d = W_dd @ R, W_d @ R
        W = W @ R
        p_dd = p_dd + (W_dd @ link.p) * sign
        motion.append(Kinematics(U, axis, W_dd, p_dd))
    return motion
