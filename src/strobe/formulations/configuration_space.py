"""The configuration-space method: coefficients that depend on q alone, then a quadratic form. [Horn1977]

    tau_i = G_i(q) + Σ_j M_ij(q) qdd_j + Σ_j Σ_k C^i_jk(q) qd_j qd_k

Horn and Raibert tabulate the coefficients off line; here they are exact, read off by strobing.
"""

from __future__ import annotations

from collections.abc import Sequence

from strobe.formulations import spatial_newton_euler, strobing
from strobe.models.model import Model
from strobe.scalars import Num, Numbers

Matrix = list[list[Num]]


def coefficients(model: Model, q: Numbers) -> tuple[list[Num], Matrix, list[Matrix]]:
    """G_i, M_ij and C^i_jk (as C[j][k][i])."""
    ID = spatial_newton_euler.inverse_dynamics
    return (
        strobing.gravity(ID, model, q),
        strobing.mass_matrix(ID, model, q),
        strobing.christoffel(ID, model, q),
    )


def inverse_dynamics(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces, coefficients included."""
    return evaluate(*coefficients(model, q), qd, qdd)


def evaluate(
    G: Numbers, M: Sequence[Numbers], C: Sequence[Sequence[Numbers]], qd: Numbers, qdd: Numbers
) -> list[Num]:
    """The on-line part: n + 2n² multiplications for each joint."""
    n = len(G)
    tau: list[Num] = []
    for i in range(n):
        total = G[i]
        for j in range(n):
            total = total + M[i][j] * qdd[j]
            for k in range(n):
                total = total + C[j][k][i] * qd[j] * qd[k]
        tau.append(total)
    return tau
