"""The Lagrangian as Uicker and Kahn evaluate it, 4×4 matrices, O(n⁴). [Kahn1969], [Hollerbach1980]

W_j = T_1 … T_j,   ᵏW_j = T_{k+1} … T_j
U_jk  = W_{k−1} Q_k T_k ᵏW_j                                    ∂W_j/∂q_k,  k ≤ j
U_jkl = W_{k−1} Q_k T_k ᵏW_{l−1} Q_l T_l ˡW_j  (k < l),   U_jkk = W_{k−1} Q_k² T_k ᵏW_j
tau_i = Σ_{j≥i} [ Σ_{k≤j} tr(U_ji Ĵ_j U_jkᵀ) qdd_k + Σ_{k,l≤j} tr(U_ji Ĵ_j U_jklᵀ) qd_k qd_l − m_j ĝᵀ U_ji r̂_j ]
"""

from __future__ import annotations

from strobe.algebra import Mat4
from strobe.formulations.links import Arm
from strobe.models.model import Model
from strobe.scalars import Num, Numbers

Pairs = dict[tuple[int, int], Mat4]


def inverse_dynamics(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces of a serial arm, every trace evaluated on its own."""
    arm = Arm(model, q)
    U, UU = derivatives(arm)
    tau: list[Num] = []
    for i in range(arm.n):
        total: Num = 0.0
        for j in range(i, arm.n):
            link = arm.links[j]
            for k in range(j + 1):
                total = total + (U[j, i] @ link.J_hat @ U[j, k].T).trace() * qdd[k]
            for k in range(j + 1):
                for l in range(j + 1):
                    coefficient = (U[j, i] @ link.J_hat @ UU[j, min(k, l), max(k, l)].T).trace()
                    total = total + coefficient * qd[k] * qd[l]
            total = total - gravity_term(arm, j, U[j, i])
        tau.append(total)
    return tau


def derivatives(arm: Arm) -> tuple[Pairs, dict[tuple[int, int, int], Mat4]]:
    """U_jk, and U_jkl for k ≤ l ≤ j."""
    T, n = [link.T for link in arm.links], arm.n
    chain: Pairs = {}  # ᵏW_j, key (k, j): the product T_{k+1} … T_j
    for k in range(n):
        for j in range(k + 1, n):
            chain[k, j] = T[j] if j == k + 1 else chain[k, j - 1] @ T[j]
    base = [T[0]]  # W_j
    for j in range(1, n):
        base.append(base[-1] @ T[j])

    def left(k: int, D: Mat4) -> Mat4:
        """W_{k−1} D."""
        return D if k == 0 else base[k - 1] @ D

    def reach(X: Mat4, k: int, j: int) -> Mat4:
        """X ᵏW_j."""
        return X if k == j else X @ chain[k, j]

    once = [left(k, link.Q(link.T)) for k, link in enumerate(arm.links)]
    twice = [left(k, link.QQ(link.T)) for k, link in enumerate(arm.links)]
    U = {(j, k): reach(once[k], k, j) for j in range(n) for k in range(j + 1)}
    UU: dict[tuple[int, int, int], Mat4] = {}
    for k in range(n):
        for j in range(k, n):
            UU[j, k, k] = reach(twice[k], k, j)
        for l in range(k + 1, n):
            # W_{k−1} Q_k T_k ᵏW_{l−1} is U_{l−1,k}
            both = U[l - 1, k] @ arm.links[l].Q(T[l])
            for j in range(l, n):
                UU[j, k, l] = reach(both, l, j)
    return U, UU


def gravity_term(arm: Arm, j: int, U: Mat4) -> Num:
    """m_j ĝᵀ U r̂_j with ĝ = (g, 0) and m_j r̂_j = (μ_j, m_j)."""
    link, g = arm.links[j], arm.gravity
    x, y, z, _ = U.apply([*link.mu, link.m])
    return g.x * x + g.y * y + g.z * z
