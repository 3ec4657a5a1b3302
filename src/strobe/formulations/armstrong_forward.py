# pyright: reportConstantRedefinition=false
"""Armstrong's forward recursion: accelerations from torques in O(n) with 3×3 matrices. [Armstrong1979], from its idea

A joint that turns about every axis hands on a force, and a moment that is known: its torque. So the force that moves
a body with all beyond it depends on the acceleration a of its joint's origin alone, and so does its angular
acceleration:

    ω̇_i = K_i a_i + d_i,   f_i = M_i a_i + f'_i

Everything of body i in its joint frame, h and I about its origin; P_c is the origin of child c, b_c = ω × (ω × P_c),
and M_c, f'_c and tau_c of the child are turned into the axes of body i. Inward:

    A = I − Σ_c [P_c×] M_c [P_c×],   B = [h×] + Σ_c [P_c×] M_c,   C = m 1 + Σ_c M_c
    e = ω × (ω × h) + Σ_c (M_c b_c + f'_c),   s = ω × I ω + Σ_c (tau_c + P_c × (M_c b_c + f'_c))
    K = −A⁻¹ B,   d = A⁻¹ (tau_i − s),   M_i = C + Bᵀ K,   f'_i = e + Bᵀ d

Outward, a_root = −g, ω' = R_iᵀ ω_p:

    a_i = R_iᵀ (a_p + ω̇_p × P_i + b_i),   ω̇_i = K_i a_i + d_i,   qdd_i = ω̇_i − R_iᵀ ω̇_p − ω' × w_i

A floating joint hands on the force it is given and no other: M_c = 0, f'_c = tau_c, and a_i = M_i⁻¹ (tau_i − f'_i).
For any joints `articulated_body` does the same with 6×6 matrices.
"""

from __future__ import annotations

from collections.abc import Sequence

from strobe.algebra import Columns, Force, Mat3, Pose, Sym3, Vec3, ldl_solve
from strobe.errors import UnsupportedModelError
from strobe.formulations.newton_euler_armstrong import offset
from strobe.models.joints import Joint
from strobe.models.model import ROOT, Body, Model
from strobe.scalars import Num, Numbers
from strobe.scalars.scalar import is_number

FULL = (-1, 0, 1)  # of three unknowns, each meets all others
FREE = {(3, 0), (3, 3)}  # axes that a joint turns about and slides along: spherical, floating


def refusal(model: Model) -> str | None:
    """Why the recursion cannot run on a model, or None."""
    stiff = next((joint for joint in model.joints if _freedoms(joint) not in FREE), None)
    if stiff is None:
        return None
    return (
        f'joint "{stiff.name}" of {model.name} is {stiff.kind}; Armstrong\'s recursion takes joints that turn about '
        "every axis (spherical, floating). Use articulated-body."
    )


def forward_dynamics(model: Model, q: Numbers, qd: Numbers, tau: Numbers) -> list[Num]:
    """Accelerations of every degree of freedom of a tree of spherical and floating joints."""
    if why := refusal(model):
        raise UnsupportedModelError(why)
    tree = model.proximal()
    poses: dict[int, Pose] = {}
    P: dict[int, Vec3] = {}
    w = {ROOT: tree.rest.angular}
    given: dict[int, Force] = {}
    for body in tree.bodies:
        i = body.index
        poses[i], P[i] = body.pose(q), offset(body, q)
        w[i] = poses[i].inverse().inward(w[body.parent]) + (body.S @ body.rates(qd)).angular
        given[i] = _along(body.S, body.rates(tau))

    A = {b.index: b.inertia.I for b in tree.bodies}
    B = {b.index: Mat3.cross(b.inertia.h) for b in tree.bodies}
    C = {b.index: Sym3(b.inertia.m, b.inertia.m, b.inertia.m, 0.0, 0.0, 0.0) for b in tree.bodies}
    e = {b.index: w[b.index].cross(w[b.index].cross(b.inertia.h)) for b in tree.bodies}
    s = {b.index: w[b.index].cross(b.inertia.I @ w[b.index]) for b in tree.bodies}
    K: dict[int, Mat3] = {}
    d: dict[int, Vec3] = {}
    M: dict[int, Sym3] = {}
    left: dict[int, Vec3] = {}  # f'
    for body in reversed(tree.bodies):
        i, p = body.index, body.parent
        K[i] = -Mat3(*(_solved(A[i], column) for column in B[i].T)).T
        d[i] = _solved(A[i], given[i].moment - s[i])
        M[i] = C[i] + Sym3.of(B[i].T @ K[i])
        left[i] = e[i] + B[i].T @ d[i]
        if p == ROOT:
            continue
        pose, lever = poses[i], Mat3.cross(P[i])
        s[p] = s[p] + pose.direction(given[i].moment)
        if _floats(body):
            handed = pose.direction(given[i].force)
        else:
            turned = pose.rotation @ M[i].matrix() @ pose.rotation.T
            A[p] = A[p] - Sym3.of(lever @ turned @ lever)
            B[p] = B[p] + lever @ turned
            C[p] = C[p] + Sym3.of(turned)
            handed = turned @ w[p].cross(w[p].cross(P[i])) + pose.direction(left[i])
        e[p] = e[p] + handed
        s[p] = s[p] + P[i].cross(handed)

    a, wd = {ROOT: -tree.gravity.linear}, {ROOT: tree.rest.angular}
    qdd: list[Num] = []
    for body in tree.bodies:
        i, p = body.index, body.parent
        into, own = poses[i].inverse().inward, body.S @ body.rates(qd)
        spin, turn = into(w[p]), into(wd[p])
        carried = into(a[p] + wd[p].cross(P[i]) + w[p].cross(w[p].cross(P[i])))
        a[i] = _solved(M[i], given[i].force - left[i]) if _floats(body) else carried
        wd[i] = K[i] @ a[i] + d[i]
        slip = spin.cross(own.linear * 2.0) + own.angular.cross(own.linear)
        change = Force(wd[i] - turn - spin.cross(own.angular), a[i] - carried - slip)
        qdd += body.S.T @ change
    return qdd


def _freedoms(joint: Joint) -> tuple[int, int]:
    """About how many axes a joint turns, and along how many it slides."""
    turns = sum(any(is_number(x) and x != 0 for x in column.angular) for column in joint.columns())
    return turns, joint.nv - turns


def _floats(body: Body) -> bool:
    """Whether the joint lets its body go anywhere."""
    return _freedoms(body.joint) == (3, 3)


def _along(S: Columns, tau: Numbers) -> Force:
    """The moment and force whose components along unit columns are given."""
    moment = force = Vec3.zero()
    for column, entry in zip(S, tau, strict=True):
        moment, force = moment + column.angular * entry, force + column.linear * entry
    return Force(moment, force)


def _solved(I: Sym3, b: Vec3) -> Vec3:
    """I⁻¹ b."""
    rows: Sequence[Numbers] = [[*row] for row in I.matrix()]
    return Vec3(*ldl_solve(rows, [*b], FULL))
