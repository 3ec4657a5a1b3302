"""Newton-Euler at joint frames with first moments, O(n), on trees of one-degree joints. [Armstrong1979]

Everything of body i in its joint frame; e is the joint's axis, P_i the origin seen from the parent, h = m c and
I are about the origin, so that bodies with m = 0 and h ≠ 0 (regrouped ones) are no exception.

    ω' = R_iᵀ ω_p,   ω_i = ω' + e qd_i,   ω̇_i = R_iᵀ ω̇_p + ω' × e qd_i + e qdd_i     revolute
    v̇_i = R_iᵀ (v̇_p + U_p P_i)   [+ 2 ω' × e qd_i + e qdd_i if prismatic, and ω_i = ω', ω̇_i = R_iᵀ ω̇_p]
    U_i = [ω̇_i ×] + [ω_i ×]²
    F_i = m v̇_i + U_i h
    N_i = vee(U_i K) + h × v̇_i,   K = ½ tr(I) 1 − I

    f_p += R_i f_i,   n_p += R_i n_i + P_i × R_i f_i,   tau_i = e · n_i or e · f_i

The moment is written out over the six products of ω, squares before differences: this order needs the
fewest operations once common terms are shared [Khalil1987].
"""

from __future__ import annotations

from strobe.algebra import Mat3, Pose, Sym3, Vec3
from strobe.errors import UnsupportedModelError
from strobe.models.model import ROOT, Body, Model
from strobe.scalars import Num, Numbers


def inverse_dynamics(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces of a tree of revolute and prismatic joints."""
    tree = model.proximal()
    w, wd = {ROOT: tree.rest.angular}, {ROOT: tree.rest.angular}
    vd, U = {ROOT: -tree.gravity.linear}, {ROOT: Mat3.zero()}
    P: dict[int, Vec3] = {}
    poses: dict[int, Pose] = {}
    f: dict[int, Vec3] = {}
    n: dict[int, Vec3] = {}

    for body in tree.bodies:
        i, p, e = body.index, body.parent, _axis(body)
        (rate,), (accel,) = body.rates(qd), body.rates(qdd)
        poses[i], P[i] = body.pose(q), _offset(body, q)
        into = poses[i].inverse().inward
        carried = into(w[p])
        vd[i] = into(vd[p] + U[p] @ P[i])
        if body.joint.turns:
            w[i] = carried + e * rate
            wd[i] = into(wd[p]) + carried.cross(e) * rate + e * accel
        else:
            w[i], wd[i] = carried, into(wd[p])
            vd[i] = vd[i] + carried.cross(e) * (2.0 * rate) + e * accel
        U[i] = Mat3.acceleration(w[i], wd[i])
        m, h, I = body.inertia.m, body.inertia.h, body.inertia.I
        f[i] = vd[i] * m + U[i] @ h
        n[i] = moment(I, w[i], wd[i], U[i]) + h.cross(vd[i])

    for body in reversed(tree.bodies):
        i, p = body.index, body.parent
        if p != ROOT:
            Rf = poses[i].direction(f[i])
            f[p] += Rf
            n[p] = n[p] + poses[i].direction(n[i]) + P[i].cross(Rf)

    return [_axis(body).dot((n if body.joint.turns else f)[body.index]) for body in tree.bodies]


def moment(I: Sym3, w: Vec3, wd: Vec3, U: Mat3) -> Vec3:
    """I ω̇ + ω × I ω, over the products that U is made of."""
    xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
    return Vec3(
        (wd.x * I.xx + (w.y * w.z) * (I.zz - I.yy)) + ((U.b.x * I.xz - U.c.x * I.xy) + (yy - zz) * I.yz),
        (wd.y * I.yy + (w.x * w.z) * (I.xx - I.zz)) + ((U.c.y * I.xy - U.a.y * I.yz) + (zz - xx) * I.xz),
        (wd.z * I.zz + (w.x * w.y) * (I.yy - I.xx)) + ((U.a.z * I.yz - U.b.z * I.xz) + (xx - yy) * I.xy),
    )


def _axis(body: Body) -> Vec3:
    if body.joint.nv != 1:
        raise UnsupportedModelError(
            f'joint "{body.joint.name}" has {body.joint.nv} degrees of freedom; newton-euler-armstrong takes joints '
            "with one. Use spatial-newton-euler."
        )
    return Vec3.unit(body.joint.axis, body.joint.sign)


def _offset(body: Body, q: Numbers) -> Vec3:
    """The joint frame's origin in parent axes; constant unless the joint slides."""
    fixed = body.before.translation
    if body.joint.turns:
        return fixed.map(body.system.entry)
    return fixed + body.before.direction(_axis(body)) * body.joint.position(q)[0]
