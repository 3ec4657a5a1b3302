"""Newton-Euler at joint frames with first moments, O(n), on trees. [Armstrong1979]

Everything of body i in its joint frame; P_i is its origin seen from the parent, h = m c and I are about that origin,
so that bodies with m = 0 and h ≠ 0 (regrouped ones) are no exception. The joint adds an angular velocity w and a
linear one u of its own, S qd = (w, u) and S qdd = (ẇ, u̇), one of which vanishes for joints of one degree:

    ω' = R_iᵀ ω_p,   ω_i = ω' + w,   ω̇_i = R_iᵀ ω̇_p + ω' × w + ẇ
    v̇_i = R_iᵀ (v̇_p + U_p P_i) + 2 ω' × u + u̇ + w × u
    U_i = [ω̇_i ×] + [ω_i ×]²
    F_i = m v̇_i + U_i h,   N_i = I ω̇_i + ω_i × I ω_i + h × v̇_i

    f_i = F_i − what acts on the body from outside, n_i alike
    f_p += R_i f_i,   n_p += R_i n_i + P_i × R_i f_i,   tau_i = Sᵀ (n_i, f_i)

The moment is written out over the six products of ω, squares before differences: this order needs the
fewest operations once common terms are shared [Khalil1987].
"""

from __future__ import annotations

from collections.abc import Mapping

from strobe.algebra import Force, Mat3, Pose, Sym3, Vec3
from strobe.models.model import ROOT, Body, Model
from strobe.scalars import Num, Numbers


def inverse_dynamics(
    model: Model, q: Numbers, qd: Numbers, qdd: Numbers, outside: Mapping[int, Force] | None = None
) -> list[Num]:
    """Joint forces tau = M(q) qdd + C(q, qd) qd + g(q) − Σ Jᵀ F, one per degree of freedom.

    ``outside`` are the forces F on bodies, by index, in the axes of their joint frame at its origin.
    """
    tree = model.proximal()
    w, wd = {ROOT: tree.rest.angular}, {ROOT: tree.rest.angular}
    vd, U = {ROOT: -tree.gravity.linear}, {ROOT: Mat3.zero()}
    P: dict[int, Vec3] = {}
    poses: dict[int, Pose] = {}
    f: dict[int, Vec3] = {}
    n: dict[int, Vec3] = {}

    for body in tree.bodies:
        i, p = body.index, body.parent
        own, change = body.S @ body.rates(qd), body.S @ body.rates(qdd)
        poses[i], P[i] = body.pose(q), offset(body, q)
        into = poses[i].inverse().inward
        carried = into(w[p])
        w[i] = carried + own.angular
        wd[i] = into(wd[p]) + carried.cross(own.angular) + change.angular
        slip = carried.cross(own.linear * 2.0) + change.linear + own.angular.cross(own.linear)
        vd[i] = into(vd[p] + U[p] @ P[i]) + slip
        U[i] = Mat3.acceleration(w[i], wd[i])
        m, h, I = body.inertia.m, body.inertia.h, body.inertia.I
        f[i] = vd[i] * m + U[i] @ h
        n[i] = moment(I, w[i], wd[i], U[i]) + h.cross(vd[i])

    for i, F in (outside or {}).items():
        f[i] -= F.force
        n[i] -= F.moment

    return inward(tree, poses, P, f, n)


def inward(
    tree: Model,
    poses: Mapping[int, Pose],
    P: Mapping[int, Vec3],
    f: dict[int, Vec3],
    n: dict[int, Vec3],
) -> list[Num]:
    """Joint forces from the force and the moment that every body needs, which are handed on in place."""
    for body in reversed(tree.bodies):
        i, p = body.index, body.parent
        if p != ROOT:
            Rf = poses[i].direction(f[i])
            f[p] += Rf
            n[p] = n[p] + poses[i].direction(n[i]) + P[i].cross(Rf)

    return [tau for body in tree.bodies for tau in body.S.T @ Force(n[body.index], f[body.index])]


def moment(I: Sym3, w: Vec3, wd: Vec3, U: Mat3) -> Vec3:
    """I ω̇ + ω × I ω, over the products that U is made of."""
    xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
    return Vec3(
        (wd.x * I.xx + (w.y * w.z) * (I.zz - I.yy)) + ((U.b.x * I.xz - U.c.x * I.xy) + (yy - zz) * I.yz),
        (wd.y * I.yy + (w.x * w.z) * (I.xx - I.zz)) + ((U.c.y * I.xy - U.a.y * I.yz) + (zz - xx) * I.xz),
        (wd.z * I.zz + (w.x * w.y) * (I.yy - I.xx)) + ((U.a.z * I.yz - U.b.z * I.xz) + (xx - yy) * I.xy),
    )


def offset(body: Body, q: Numbers) -> Vec3:
    """The joint frame's origin in parent axes; constant where the joint only turns."""
    origin = (body.before @ body.joint.pose(q)).translation
    return origin.map(body.system.entry) if body.joint.turns else origin
