# pyright: reportConstantRedefinition=false
"""Waters' backward recursion: velocities and accelerations of the 4×4 matrices carried outwards, O(n²). [Waters1979]

W_i = W_{i−1} T_i,   U_ii = W_{i−1} Q_i T_i,   U_ji = U_{j−1,i} T_j  (j > i)
P_i = P_{i−1} T_i + qdd_i U_ii                                          accelerations of the joints
V_i = V_{i−1} T_i + qd_i U_ii                                           Ẇ_i
L_i = L_{i−1} T_i + 2 qd_i V_{i−1} Q_i T_i + qd_i² W_{i−1} Q_i² T_i      velocity terms
tau_i = Σ_{j≥i} [ tr(U_ji Ĵ_j (P_j + L_j)ᵀ) − m_j ĝᵀ U_ji r̂_j ]
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
    """U_ii and Ẅ_i = P_i + L_i for every link; what W_0 = 1 and its rates at rest would add is left out."""
    W = P = V = L = None
    U_own: list[Mat4] = []
    W_dd: list[Mat4] = []
    for link, rate, accel in zip(arm.links, qd, qdd, strict=True):
        T, D, DD = link.T, link.Q(link.T), link.QQ(link.T)
        if W is None or P is None or V is None or L is None:
            U, P, V, L, W = D, D * accel, D * rate, DD * (rate * rate), T
        else:
            U = W @ D
            P = P @ T + U * accel
            L = L @ T + (V @ D) * (2.0 * rate) + (W @ DD) * (rate * rate)
            V = V @ T + U * rate
            W = W @ T
        U_own.append(U)
        W_dd.append(P + L)
    return U_own, W_dd
