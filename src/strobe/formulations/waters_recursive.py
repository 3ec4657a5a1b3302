# pyright: reportConstantRedefinition=false
"""Waters' recursion with the inertial part and gravity carried inwards as well, O(n). [Waters1979]

Outward as in `waters`: W_i, U_ii and Ẅ_i = P_i + L_i. Inward, with D_{n+1} = 0 and c_{n+1} = 0:

    D_i = Ĵ_i (P_i + L_i)ᵀ + T_{i+1} D_{i+1},   c_i = m_i r̂_i + T_{i+1} c_{i+1}
    tau_i = tr(U_ii D_i) − ĝᵀ U_ii c_i

It is the last row of his ladder. `hollerbach_4x4` keeps one Ẅ_i, which spares a product of matrices for each link.
"""

from __future__ import annotations

from strobe.algebra import Mat4
from strobe.formulations.links import Arm
from strobe.formulations.waters import outward
from strobe.models.model import Model
from strobe.scalars import Num, Numbers


def inverse_dynamics(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces of a serial arm."""
    arm = Arm(model, q)
    return inward(arm, *outward(arm, qd, qdd))


def inward(arm: Arm, U: list[Mat4], W_dd: list[Mat4]) -> list[Num]:
    """The links' matrices handed down the arm as one sum, and one trace for each joint."""
    g = arm.gravity
    tau: list[Num] = []
    D = c = T = None
    for i in reversed(range(arm.n)):
        link = arm.links[i]
        D_own, c_own = link.J_hat @ W_dd[i].T, [*link.mu, link.m]
        if D is None or c is None or T is None:
            D, c = D_own, c_own
        else:
            D = D_own + T @ D
            c = [own + moved for own, moved in zip(c_own, T.apply(c), strict=True)]
        T = link.T
        x, y, z, _ = U[i].apply(c)
        tau.append((U[i] @ D).trace() - (g.x * x + g.y * y + g.z * z))
    return tau[::-1]
