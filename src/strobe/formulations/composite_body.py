# pyright: reportConstantRedefinition=false
"""The composite-body method: M from the inertia of everything beyond each joint, O(n²), on trees. [Walker1982]

    I^c_i = I_i + Σ_children X_cᵀ I^c_c X_c                     inertia of the subtree as one body
    F     = I^c_i S_i,   M_ii = S_iᵀ F                          the force that accelerates it along joint i
    F     = X_jᵀ F,      M_ij = S_pᵀ F                          carried to every joint on the way to the root

Torques are M qdd + bias, with the bias of spatial Newton-Euler.
"""

from __future__ import annotations

from strobe.algebra import Inertia
from strobe.formulations import spatial_newton_euler
from strobe.models.model import ROOT, Model
from strobe.scalars import Num, Numbers


def mass_matrix(model: Model, q: Numbers) -> list[list[Num]]:
    """M(q); zero between joints of which neither supports the other."""
    poses = {body.index: body.pose(q) for body in model.bodies}
    composite: dict[int, Inertia] = {body.index: body.inertia for body in model.bodies}
    M: list[list[Num]] = [[0.0] * model.nv for _ in range(model.nv)]
    for body in reversed(model.bodies):
        if body.parent != ROOT:
            composite[body.parent] = composite[body.parent] + poses[body.index].inertia(
                composite[body.index]
            )
        for k, column in enumerate(body.S):
            F = composite[body.index] @ column
            row, ahead = body.joint.v + k, body
            while True:
                for j, entry in enumerate(ahead.S.T @ F):
                    M[row][ahead.joint.v + j] = M[ahead.joint.v + j][row] = entry
                if ahead.parent == ROOT:
                    break
                F = poses[ahead.index].inverse().T @ F
                ahead = model.bodies[ahead.parent]
    return M


def inverse_dynamics(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces tau = M(q) qdd + bias(q, qd)."""
    tau = spatial_newton_euler.inverse_dynamics(model, q, qd, [0.0] * model.nv)
    for i, row in enumerate(mass_matrix(model, q)):
        for entry, accel in zip(row, qdd, strict=True):
            tau[i] = tau[i] + entry * accel
    return tau
