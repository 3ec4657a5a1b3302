"""Newton-Euler in spatial form: the joint forces behind a given motion, in O(n), on trees.

    v_i   = X_i v_p + S_i qd_i                       velocities, root to tips
    a_i   = X_i a_p + S_i qdd_i + v_i × S_i qd_i     accelerations, a_root = -g
    f_i   = I_i a_i + v_i ×* I_i v_i                 net force on body i
    f_p  += X_iᵀ f_i                                 transmission, tips to root
    tau_i = S_iᵀ f_i                                 projection on the joint

Body p is the parent of i; X_i takes motions from p to i; the columns S_i span the
joint of i. Every quantity is in the axes of its own body. [Luh1980], [Featherstone2008]
"""

from __future__ import annotations

from strobe.algebra import Force, Motion, Transform
from strobe.models.model import ROOT, Model
from strobe.scalars import Num, Numbers


def inverse_dynamics(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces tau = M(q) qdd + C(q, qd) qd + g(q), one per degree of freedom."""
    X: dict[int, Transform] = {}
    v = {ROOT: Motion.zero()}
    a = {ROOT: -model.gravity}  # a base that accelerates upwards feels what gravity does
    f: dict[int, Force] = {}

    for body in model.bodies:
        i, p, S, I = body.index, body.parent, body.S, body.inertia
        X[i] = body.pose(q).inverse()  # before · joint(q) · after
        vJ = S @ body.rates(qd)
        v[i] = X[i] @ v[p] + vJ
        a[i] = X[i] @ a[p] + S @ body.rates(qdd) + v[i].cross(vJ)
        f[i] = I @ a[i] + v[i].cross(I @ v[i])

    for body in reversed(model.bodies):
        if body.parent != ROOT:
            f[body.parent] += X[body.index].T @ f[body.index]

    return [tau for body in model.bodies for tau in body.S.T @ f[body.index]]
