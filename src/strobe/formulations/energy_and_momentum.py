"""Energy, momentum and centre of mass of a tree, in O(n).

    v_i = X_i v_p + S_i qd_i                                         velocities, root to tips
    T   = ½ Σ v_iᵀ I_i v_i                                           kinetic energy
    h   = I v about the base origin:  h_p += X_iᵀ h_i                momentum, tips to root
    μ_p = h_p + Σ_children (R_c μ_c + M_c p_c),   U = −g · μ_root     first moments, M_c the mass beyond joint c

The kinetic energy and the momentum about the base origin do not change when inertia is regrouped: what moves from
a body to its parent has the same velocity in both. The first moments do, by what reaches the base.
"""

from __future__ import annotations

from strobe.algebra import Force, Motion, Transform, Vec3
from strobe.models.model import ROOT, Model
from strobe.scalars import Num, Numbers


def kinetic_energy(model: Model, q: Numbers, qd: Numbers) -> Num:
    """½ qdᵀ M qd of the bodies."""
    v, _ = velocities(model, q, qd)
    twice: Num = 0.0
    for body in model.bodies:
        twice = twice + v[body.index].dot(body.inertia @ v[body.index])
    return twice * 0.5


def potential_energy(model: Model, q: Numbers) -> Num:
    """−Σ m g · c, zero for masses at the base origin."""
    return -(model.gravity.linear.dot(first_moments(model, q)))


def momentum(model: Model, q: Numbers, qd: Numbers) -> Force:
    """Linear momentum and angular momentum about the base origin, base axes."""
    v, X = velocities(model, q, qd)
    h = {ROOT: Force.zero()} | {body.index: body.inertia @ v[body.index] for body in model.bodies}
    for body in reversed(model.bodies):
        h[body.parent] += X[body.index].T @ h[body.index]
    return h[ROOT]


def first_moments(model: Model, q: Numbers) -> Vec3:
    """Σ m c of the bodies in base axes: the centre of mass times the mass."""
    tree = model.proximal()
    poses = {body.index: body.pose(q) for body in tree.bodies}
    mass = {body.index: body.inertia.m for body in tree.bodies}
    fixed = {ROOT: Vec3.zero()} | {body.index: body.inertia.h for body in tree.bodies}
    turned = {index: Vec3.zero() for index in fixed}  # kept apart from what does not depend on q
    for body in reversed(tree.bodies):
        i, p = body.index, body.parent
        if p != ROOT:
            mass[p] = mass[p] + mass[i]
        offset = poses[i].translation * mass[i]
        beyond = poses[i].direction(fixed[i] + turned[i])
        if body.joint.turns:
            fixed[p], turned[p] = fixed[p] + offset, turned[p] + beyond
        else:
            turned[p] = turned[p] + offset + beyond
    return fixed[ROOT] + turned[ROOT]


def mass(model: Model) -> Num:
    """Of all bodies; the base is not one."""
    total: Num = 0.0
    for body in model.bodies:
        total = total + body.inertia.m
    return total


def velocities(model: Model, q: Numbers, qd: Numbers) -> tuple[dict[int, Motion], dict[int, Transform]]:
    """v_i of every body in its own axes, and X_i."""
    v, X = {ROOT: Motion.zero()}, dict[int, Transform]()
    for body in model.bodies:
        X[body.index] = body.pose(q).inverse()
        v[body.index] = X[body.index] @ v[body.parent] + body.S @ body.rates(qd)
    return v, X
