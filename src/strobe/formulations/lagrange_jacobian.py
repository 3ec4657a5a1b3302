"""Lagrange's equations through link Jacobians: H, h and G. [Asada2005], section 7.2

    H_jk  = Σ_i m_i J_v,j · J_v,k + J_ω,j · I_i J_ω,k
    C_ijk = ∂H_ij/∂q_k − ½ ∂H_jk/∂q_i,     h_i = Σ_jk C_ijk qd_j qd_k
    G_i   = −Σ_j m_j g · J_v,i
    tau   = H qdd + h + G

The partial derivatives are exact, from how axes, points and inertias turn with a joint k that supports them:

    ∂a_j/∂q_k = a_k × a_j,    ∂x/∂q_k = J_x,k for a point x,    ∂I/∂q_k = [a_k×] I − I [a_k×]      (k revolute)
"""

from __future__ import annotations

from strobe.algebra import Vec3
from strobe.formulations.world import WorldBody, world
from strobe.models.model import Model
from strobe.scalars import Num, Numbers

Matrix = list[list[Num]]


def inverse_dynamics(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces of a tree of revolute and prismatic joints."""
    bodies, n = world(model, q), model.nv
    H, G = inertia(bodies, n), weight(bodies, model.gravity.linear, n)
    dH = [inertia_derivative(bodies, n, k) for k in range(n)]
    tau: list[Num] = []
    for i in range(n):
        total = G[i]
        for j in range(n):
            total = total + H[i][j] * qdd[j]
            for k in range(n):
                total = total + (dH[k][i][j] - dH[i][j][k] * 0.5) * qd[j] * qd[k]
        tau.append(total)
    return tau


def inertia(bodies: list[WorldBody], n: int) -> Matrix:
    """H."""
    H: Matrix = [[0.0] * n for _ in range(n)]
    for body in bodies:
        for j in body.supports:
            v, w = bodies[j].linear(body.c) * body.m, body.I @ bodies[j].angular()
            for i in body.supports:
                H[i][j] = H[i][j] + v.dot(bodies[i].linear(body.c)) + w.dot(bodies[i].angular())
    return H


def weight(bodies: list[WorldBody], g: Vec3, n: int) -> list[Num]:
    """G."""
    G: list[Num] = [0.0] * n
    for body in bodies:
        for i in body.supports:
            G[i] = G[i] - g.dot(bodies[i].linear(body.c)) * body.m
    return G


def inertia_derivative(bodies: list[WorldBody], n: int, k: int) -> Matrix:
    """∂H/∂q_k: only bodies that joint k supports change."""
    dH: Matrix = [[0.0] * n for _ in range(n)]
    turn = bodies[k].angular()
    for body in bodies:
        if k not in body.supports:
            continue
        linear = {j: bodies[j].linear(body.c) for j in body.supports}
        angular = {j: bodies[j].angular() for j in body.supports}
        d_linear = {j: _linear_derivative(bodies, body, j, k) for j in body.supports}
        d_angular = {
            j: _axis_derivative(bodies, j, k) if bodies[j].revolute else Vec3.zero() for j in body.supports
        }
        for j in body.supports:
            Iw = body.I @ angular[j]
            # d(I ω_j) with I turning about joint k
            d_Iw = turn.cross(Iw) - body.I @ turn.cross(angular[j]) + body.I @ d_angular[j]
            for i in body.supports:
                translation = d_linear[i].dot(linear[j]) + linear[i].dot(d_linear[j])
                dH[i][j] = dH[i][j] + translation * body.m + d_angular[i].dot(Iw) + angular[i].dot(d_Iw)
    return dH


def _axis_derivative(bodies: list[WorldBody], j: int, k: int) -> Vec3:
    """∂a_j/∂q_k: an axis turns with the revolute joints before it."""
    return bodies[k].angular().cross(bodies[j].a) if k in bodies[j].supports[:-1] else Vec3.zero()


def _linear_derivative(bodies: list[WorldBody], body: WorldBody, j: int, k: int) -> Vec3:
    """∂J_v,j/∂q_k of a body's centre of mass."""
    joint, d_axis = bodies[j], _axis_derivative(bodies, j, k)
    if not joint.revolute:
        return d_axis
    d_arm = bodies[k].linear(body.c)
    if k in joint.supports[:-1]:  # the point on the axis moves too
        d_arm = d_arm - bodies[k].linear(joint.p)
    return d_axis.cross(body.c - joint.p) + joint.a.cross(d_arm)
