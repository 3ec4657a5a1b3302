"""D, C and G by cross products, link by link. [Decomposition2012]

Per link i, with J_ω and J_v the angular and centre-of-mass Jacobians in base axes:

    J̇_ω e_j = ω_{j−1} × a_j
    J̇_v e_j = (ω_{j−1} × a_j) × (c_i − p_j) + a_j × (ċ_i − ṗ_j)   (revolute),   ω_{j−1} × a_j   (prismatic)

    D_ω = J_ωᵀ I J_ω         C_ω = J_ωᵀ (I J̇_ω + ω × I J_ω)                             form A
    D_v = m J_vᵀ J_v         C_v = m J_vᵀ J̇_v              G = −m J_vᵀ g

    D = Σ D_ω + D_v,   C = Σ C_ω + C_v,   tau = D qdd + C qd + G

ω_{j−1} is the angular velocity of the body that carries joint j. Form A makes Ḋ − 2C skew; so does the
Christoffel form, which has I − ½ tr(I) 1 in place of the second I of C_ω. Both have the same C qd.
"""

from __future__ import annotations

from dataclasses import dataclass

from strobe.algebra import Mat3, Vec3
from strobe.errors import ArgumentError
from strobe.formulations.world import WorldBody, world
from strobe.models.model import ROOT, Model
from strobe.scalars import Num, Numbers

Matrix = list[list[Num]]
FORMS = ("christoffel", "decomposition")


@dataclass(frozen=True, slots=True, eq=False)
class LinkMatrices:
    """What one link adds to D, C and G; entries between joints that do not support it are zero."""

    Dw: Matrix
    Dv: Matrix
    Cw: Matrix
    Cv: Matrix
    G: list[Num]


def inverse_dynamics(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces tau = D qdd + C qd + G of a tree of revolute and prismatic joints."""
    parts = link_matrices(model, q, qd, "decomposition")
    tau: list[Num] = [0.0] * model.nv
    for part in parts:
        for i in range(model.nv):
            row = zip(part.Dw[i], part.Dv[i], part.Cw[i], part.Cv[i], qdd, qd, strict=True)
            for Dw, Dv, Cw, Cv, accel, rate in row:
                tau[i] = tau[i] + (Dw + Dv) * accel + (Cw + Cv) * rate
            tau[i] = tau[i] + part.G[i]
    return tau


def mass_matrix(model: Model, q: Numbers) -> Matrix:
    """D(q)."""
    parts = link_matrices(model, q, [0.0] * model.nv, "decomposition")
    return _sum([part.Dw for part in parts] + [part.Dv for part in parts], model.nv)


def coriolis_matrix(model: Model, q: Numbers, qd: Numbers, form: str = "christoffel") -> Matrix:
    """C(q, qd) in one of its forms."""
    parts = link_matrices(model, q, qd, form)
    return _sum([part.Cw for part in parts] + [part.Cv for part in parts], model.nv)


def gravity(model: Model, q: Numbers) -> list[Num]:
    """G(q)."""
    parts = link_matrices(model, q, [0.0] * model.nv, "decomposition")
    return _sum([[part.G] for part in parts], 1, model.nv)[0]


def link_matrices(model: Model, q: Numbers, qd: Numbers, form: str) -> list[LinkMatrices]:
    """Dω, Dv, Cω, Cv and G of every link."""
    if form not in FORMS:
        raise ArgumentError(f'form is "{form}"; expected one of {", ".join(FORMS)}.')
    bodies = world(model, q)
    w, p_d, c_d = velocities(bodies, qd)
    g, n = model.gravity.linear, model.nv
    parts: list[LinkMatrices] = []
    for body in bodies:
        Jw = {j: bodies[j].angular() for j in body.supports}
        Jv = {j: bodies[j].linear(body.c) for j in body.supports}
        Jw_d: dict[int, Vec3] = {}
        Jv_d: dict[int, Vec3] = {}
        for j in body.supports:
            joint = bodies[j]
            turned = w[joint.parent].cross(joint.a)
            if joint.revolute:
                Jw_d[j] = turned
                Jv_d[j] = turned.cross(body.c - joint.p) + joint.a.cross(c_d[body.index] - p_d[j])
            else:
                Jw_d[j], Jv_d[j] = Vec3.zero(), turned
        kernel = body.I if form == "decomposition" else _without_half_trace(body.I)
        spin = w[body.index]
        moment = {j: body.I @ Jw_d[j] + spin.cross(kernel @ Jw[j]) for j in body.supports}
        parts.append(
            LinkMatrices(
                Dw=_products(Jw, {j: body.I @ Jw[j] for j in Jw}, n),
                Dv=_products(Jv, {j: Jv[j] * body.m for j in Jv}, n),
                Cw=_products(Jw, moment, n),
                Cv=_products(Jv, {j: Jv_d[j] * body.m for j in Jv}, n),
                G=[-(Jv[j].dot(g) * body.m) if j in Jv else 0.0 for j in range(n)],
            )
        )
    return parts


def velocities(
    bodies: list[WorldBody], qd: Numbers
) -> tuple[dict[int, Vec3], dict[int, Vec3], dict[int, Vec3]]:
    """ω of every body, ṗ of the points on the joint axes, ċ of the centres of mass."""
    w, o_d = {ROOT: Vec3.zero()}, {ROOT: Vec3.zero()}
    p_d: dict[int, Vec3] = {}
    c_d: dict[int, Vec3] = {}
    for body, rate in zip(bodies, qd, strict=True):
        i, parent = body.index, body.parent
        arm = body.p if parent == ROOT else body.p - bodies[parent].o
        p_d[i] = o_d[parent] + w[parent].cross(arm)
        w[i] = w[parent] + body.a * rate if body.revolute else w[parent]
        o_d[i] = p_d[i] + w[i].cross(body.o - body.p)
        if not body.revolute:
            o_d[i] = o_d[i] + body.a * rate
        c_d[i] = o_d[i] + w[i].cross(body.c - body.o)
    return w, p_d, c_d


def _without_half_trace(I: Mat3) -> Mat3:
    """I − ½ tr(I) 1."""
    return I - Mat3.identity() * (I.trace() * 0.5)


def _products(left: dict[int, Vec3], right: dict[int, Vec3], n: int) -> Matrix:
    """The matrix of dot products of columns; zero where a joint does not support the link."""
    return [
        [left[i].dot(right[j]) if i in left and j in right else 0.0 for j in range(n)] for i in range(n)
    ]


def _sum(matrices: list[Matrix], rows: int, columns: int | None = None) -> Matrix:
    total: Matrix = [[0.0] * (rows if columns is None else columns) for _ in range(rows)]
    for matrix in matrices:
        total = [[a + b for a, b in zip(r, s, strict=True)] for r, s in zip(total, matrix, strict=True)]
    return total
