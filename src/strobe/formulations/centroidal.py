# pyright: reportConstantRedefinition=false
"""Momentum about the centre of mass as a function of the joint rates: A, its rate and its bias, in O(n), on trees.

    I^c_i = I_i + Σ_children X_cᵀ I^c_c X_c                   inertia of the subtree as one body
    A e_j = X_iᵀ I^c_i S_j                                    momentum = A qd
    Ȧ e_j = X_iᵀ (I^c_i Ṡ_j + (B + Bᵀ) S_j) − ċ × f_j          Ṡ_j = v_i × S_j
    Ȧ qd  = Σ X_iᵀ (I_i a_i + v_i ×* I_i v_i)                 a_i of qdd = 0 without gravity

X_iᵀ takes a force on body i to the centre of mass c, in base axes. B + Bᵀ is the rate of I^c, its integrals over the
mass (V, p) are those of `composite_coriolis`; the last term of Ȧ is that c moves, with f_j the linear part of A e_j.
Along qd it vanishes: ċ and Σ f_j qd_j are parallel. A and Ȧ do not change when inertia is regrouped, c does.
[Orin2013]
"""

from __future__ import annotations

from strobe.algebra import Force, Inertia, Motion, Pose, Vec3
from strobe.formulations.composite_coriolis import Flow, flow_of
from strobe.formulations.kinematics import Placed, body_placements
from strobe.models.model import ROOT, Model
from strobe.scalars import Num, Numbers


def momentum_matrix(model: Model, q: Numbers, c: Vec3) -> list[list[Num]]:
    """A: six rows, linear momentum, then angular momentum about the point c, base axes."""
    placed = body_placements(model.bodies, q)
    inertias = composite_inertias(model, {body.index: body.pose(q) for body in model.bodies})
    columns = [
        _about(c, placed[body.index], inertias[body.index] @ S) for body in model.bodies for S in body.S
    ]
    return _rows(columns)


def momentum_matrix_dot(model: Model, q: Numbers, qd: Numbers, c: Vec3, c_d: Vec3) -> list[list[Num]]:
    """Ȧ while the robot moves with qd and the point c with c_d: six rows."""
    placed = body_placements(model.bodies, q)
    poses = {body.index: body.pose(q) for body in model.bodies}
    inertias = composite_inertias(model, poses)
    v, flows = {ROOT: Motion.zero()}, dict[int, Flow]()
    for body in model.bodies:
        i = body.index
        v[i] = poses[i].inverse() @ v[body.parent] + body.S @ body.rates(qd)
        flows[i] = flow_of(body, v[i])
    for body in reversed(model.bodies):
        if body.parent != ROOT:
            flows[body.parent] += flows[body.index].outward(poses[body.index])

    columns: list[Force] = []
    for body in model.bodies:
        i = body.index
        for S in body.S:
            turned = Force(flows[i].moment(S), Vec3.zero())
            rate = _about(c, placed[i], inertias[i] @ v[i].cross(S) + flows[i] @ S + turned)
            f = placed[i].R @ (inertias[i] @ S).force
            columns.append(Force(rate.moment - c_d.cross(f), rate.force))
    return _rows(columns)


def momentum_bias(model: Model, q: Numbers, qd: Numbers, c: Vec3) -> Force:
    """Ȧ qd, what changes the momentum about the point c while no joint accelerates, base axes."""
    placed = body_placements([body for body in model.bodies if body.parent == ROOT], q)
    X = {body.index: body.pose(q).inverse() for body in model.bodies}
    v, a = {ROOT: Motion.zero()}, {ROOT: Motion.zero()}
    f: dict[int, Force] = {}
    for body in model.bodies:
        i, p, I = body.index, body.parent, body.inertia
        vJ = body.S @ body.rates(qd)
        v[i] = X[i] @ v[p] + vJ
        a[i] = X[i] @ a[p] + v[i].cross(vJ)
        f[i] = I @ a[i] + v[i].cross(I @ v[i])

    total = Force.zero()
    for body in reversed(model.bodies):
        i, p = body.index, body.parent
        if p == ROOT:
            total += _about(c, placed[i], f[i])
        else:
            f[p] += X[i].T @ f[i]
    return total


def composite_inertias(model: Model, poses: dict[int, Pose]) -> dict[int, Inertia]:
    """The inertia of every body with all that hangs on it, in its own axes."""
    inertias = {body.index: body.inertia for body in model.bodies}
    for body in reversed(model.bodies):
        if body.parent != ROOT:
            inertias[body.parent] += poses[body.index].inertia(inertias[body.index])
    return inertias


def _about(c: Vec3, here: Placed, f: Force) -> Force:
    """A force on a body, in its axes at its origin, as a force about the point c, base axes."""
    force = here.R @ f.force
    return Force(here.R @ f.moment + (here.p - c).cross(force), force)


def _rows(columns: list[Force]) -> list[list[Num]]:
    """Six rows out of columns, linear part first."""
    return [list(row) for row in zip(*((*f.force, *f.moment) for f in columns), strict=True)]
