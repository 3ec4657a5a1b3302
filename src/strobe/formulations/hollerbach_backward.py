# pyright: reportConstantRedefinition=false
"""Hollerbach's backward recursion: one acceleration of each 4×4 matrix, left unexpanded, O(n²). [Hollerbach1980]

His (6) to (10):

W_j = W_{j−1} T_j,   U_jj = W_{j−1} Q_j T_j,   U_ji = U_{j−1,i} T_j  (j > i)                      (8)
Ẇ_j = Ẇ_{j−1} T_j + qd_j U_jj                                                                     (9)
Ẅ_j = Ẅ_{j−1} T_j + 2 qd_j Ẇ_{j−1} Q_j T_j + qd_j² W_{j−1} Q_j² T_j + qdd_j U_jj                  (10)
tau_i = Σ_{j≥i} [ tr(U_ji Ĵ_j Ẅ_jᵀ) − m_j ĝᵀ U_ji r̂_j ]                                          (6)

`waters` splits Ẅ_j into P_j + L_j, a product and a sum of matrices more for each link.
"""

from __future__ import annotations

from strobe.algebra import Mat4
from strobe.formulations.links import Arm
from strobe.formulations.uicker_kahn import gravity_term
from strobe.models.model import Model
from strobe.scalars import Num, Numbers


def inverse_dynamics(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces of a serial arm."""
    arm = Arm(model, q)
    U_own, W_dd = outward(arm, qd, qdd)
    tau: list[Num] = []
    for i, U in enumerate(U_own):
        total: Num = 0.0
        for j in range(i, arm.n):
            link = arm.links[j]
            U = U if j == i else U @ link.T
            total = total + (U @ link.J_hat @ W_dd[j].T).trace() - gravity_term(arm, j, U)
        tau.append(total)
    return tau


def outward(arm: Arm, qd: Numbers, qdd: Numbers) -> tuple[list[Mat4], list[Mat4]]:
    """U_jj and Ẅ_j for every link; what W_0 = 1 and its rates at rest would add is left out."""
    W = W_d = W_dd = None
    U_own: list[Mat4] = []
    accelerations: list[Mat4] = []
    for link, rate, accel in zip(arm.links, qd, qdd, strict=True):
        T, D, DD = link.T, link.Q(link.T), link.QQ(link.T)
        if W is None or W_d is None or W_dd is None:
            U, W_dd, W_d, W = D, DD * (rate * rate) + D * accel, D * rate, T
        else:
            U = W @ D
            W_dd = W_dd @ T + (W_d @ D) * (2.0 * rate) + (W @ DD) * (rate * rate) + U * accel
            W_d = W_d @ T + U * rate
            W = W @ T
        U_own.append(U)
        accelerations.append(W_dd)
    return U_own, accelerations
