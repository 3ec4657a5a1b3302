# pyright: reportConstantRedefinition=false
"""The Lagrangian with kinematics summed before the trace, O(n³). [Turney1980], appendix

    dT_qj    = T_0^{j−1} (Q_j T_{j−1}^q)                                              j ≤ q
    d²T_qjk  = Q_1 dT_qk (j = 1),   T_0^{j−1} (Q_j² T_{j−1}^q) (j = k),   dT_{k−1,j} (Q_k T_{k−1}^q) (j < k)
    S_q      = (Σ_j dT_qj qdd_j + Σ_{j≤k} (2 − δ_jk) qd_j qd_k d²T_qjk) Ĵ_q
    tau_i    = Σ_{q≥i} [ Σ_ab (S_q)_ab (dT_qi)_ab − m_q ĝᵀ dT_qi r̂_q ]

All chains T_j^q are formed by increasing span, and a trace is sixteen products, never a matrix product.
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
    dT, ddT = derivatives(arm)
    rates = {(j, k): qd[j] * qd[k] * (1.0 if j == k else 2.0) for k in range(arm.n) for j in range(k + 1)}
    tau: list[Num] = [0.0] * arm.n
    for m, link in enumerate(arm.links):
        kinetic = dT[m, 0] * qdd[0]
        for j in range(1, m + 1):
            kinetic = kinetic + dT[m, j] * qdd[j]
        for k in range(m + 1):
            for j in range(k + 1):
                kinetic = kinetic + ddT[m, j, k] * rates[j, k]
        S = kinetic @ link.J_hat
        for i in range(m + 1):
            tau[i] = tau[i] + contraction(S, dT[m, i]) - gravity_term(arm, m, dT[m, i])
    return tau


def derivatives(arm: Arm) -> tuple[dict[tuple[int, int], Mat4], dict[tuple[int, int, int], Mat4]]:
    """dT_qj for j ≤ q, and d²T_qjk for j ≤ k ≤ q."""
    n, links = arm.n, arm.links
    chain: dict[tuple[int, int], Mat4] = {(j, j): links[j].T for j in range(n)}  # T_{j−1}^q, key (j, q)
    for span in range(1, n):
        for j in range(n - span):
            chain[j, j + span] = chain[j, j + span - 1] @ links[j + span].T
    dT: dict[tuple[int, int], Mat4] = {}
    ddT: dict[tuple[int, int, int], Mat4] = {}
    for m in range(n):
        for j in range(m + 1):
            own = links[j].Q(chain[j, m])
            dT[m, j] = own if j == 0 else chain[0, j - 1] @ own
    for m in range(n):
        for k in range(m + 1):
            for j in range(k + 1):
                if j == 0:
                    ddT[m, j, k] = links[0].Q(dT[m, k])
                elif j == k:
                    ddT[m, j, k] = chain[0, j - 1] @ links[j].QQ(chain[j, m])
                else:
                    ddT[m, j, k] = dT[k - 1, j] @ links[k].Q(chain[k, m])
    return dT, ddT


def contraction(A: Mat4, B: Mat4) -> Num:
    """Σ_ab A_ab B_ab = tr(A Bᵀ)."""
    total: Num = 0.0
    for row, other in zip(A.rows, B.rows, strict=True):
        for a, b in zip(row, other, strict=True):
            total = total + a * b
    return total
