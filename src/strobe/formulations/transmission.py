"""All six components of what every joint transmits, by spatial Newton-Euler on trees. [Luh1980], [Asada2005]

    f_i   = I_i a_i + v_i ×* I_i v_i − Σ F_ext          what moves body i, less what acts on it from outside
    f_p  += X_iᵀ f_i                                    transmission, tips to root

f_i is what the parent exerts on body i through the joint. It is taken at the origin of the joint's moved frame
and turned into base axes. Along the joint it is the torque without rotor inertia and friction, which act between
the motor and the joint; across it, what the bearings carry.
"""

from __future__ import annotations

from collections.abc import Iterable

from strobe.algebra import Force, Motion, Transform
from strobe.formulations.kinematics import Load, body_placements, forces_on_bodies
from strobe.models.model import ROOT, Model
from strobe.scalars import Num, Numbers


def joint_wrenches(
    model: Model, q: Numbers, qd: Numbers, qdd: Numbers, loads: Iterable[Load] = ()
) -> list[list[Num]]:
    """Force, then moment on every body at its joint, base axes.

    ``loads`` are frames of the model with the force and moment on them, in base axes at their origins.
    """
    tree = model.proximal()
    X: dict[int, Transform] = {}
    v, a = {ROOT: Motion.zero()}, {ROOT: -tree.gravity}
    f = {ROOT: Force.zero()}
    for body in tree.bodies:
        i, p, S, I = body.index, body.parent, body.S, body.inertia
        X[i] = body.pose(q).inverse()
        vJ = S @ body.rates(qd)
        v[i] = X[i] @ v[p] + vJ
        a[i] = X[i] @ a[p] + S @ body.rates(qdd) + v[i].cross(vJ)
        f[i] = I @ a[i] + v[i].cross(I @ v[i])

    placed = body_placements(tree.bodies, q)
    on_tree = [(tree.frame(frame.name), wrench) for frame, wrench in loads]
    for i, force in forces_on_bodies(tree, q, on_tree, placed).items():
        f[i] -= force

    for body in reversed(tree.bodies):
        f[body.parent] += X[body.index].T @ f[body.index]

    turned = ((placed[b.index].R, f[b.index]) for b in tree.bodies)
    return [[*(R @ force.force), *(R @ force.moment)] for R, force in turned]
