"""Strobing: an inverse-dynamics routine driven by unit vectors shows M, C and g. [Turney1980]

    g       = ID(q, 0, 0)
    M e_j   = ID(q, 0, e_j)                                  without gravity
    C_jj    = ID(q, e_j, 0),   C_jk = ½ [ID(q, e_j + e_k, 0) − C_jj − C_kk]    (polarisation)

C_jk is the column of Christoffel symbols C^i_jk, and C(q, qd)_ij = Σ_k C^i_jk qd_k.

Where a joint's velocity is not the rate of coordinates (quaternions), the symmetric part above misses
half the Lie bracket: the Levi-Civita connection is ∇_v e_j = C_jk v_k + ½ [v, e_j]. With it Ṁ − 2C
is skew for every joint; for other joints the bracket vanishes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from strobe.algebra import Motion, ldl_solve
from strobe.models.model import Model
from strobe.scalars import Num, Numbers

InverseDynamics = Callable[[Model, Numbers, Numbers, Numbers], list[Num]]


def gravity(inverse_dynamics: InverseDynamics, model: Model, q: Numbers) -> list[Num]:
    """The torques that hold the robot still."""
    return inverse_dynamics(model, q, _zeros(model), _zeros(model))


def mass_matrix(inverse_dynamics: InverseDynamics, model: Model, q: Numbers) -> list[list[Num]]:
    """M(q), row by row; only entries between a joint and its supports are computed."""
    still = model.weightless()
    n = model.nv
    M: list[list[Num]] = [[0.0] * n for _ in range(n)]
    for j in range(n):
        column = inverse_dynamics(still, q, _zeros(model), _unit(model, j))
        for i in range(j + 1):
            M[i][j] = M[j][i] = column[i]
    return M


def christoffel(inverse_dynamics: InverseDynamics, model: Model, q: Numbers) -> list[list[list[Num]]]:
    """C[j][k][i] = C^i_jk, the symbols of the first kind."""
    still, n, zeros = model.weightless(), model.nv, _zeros(model)

    def velocity_torque(*joints: int) -> list[Num]:
        return inverse_dynamics(still, q, _unit(model, *joints), zeros)

    C: list[list[list[Num]]] = [[[] for _ in range(n)] for _ in range(n)]
    for j in range(n):
        C[j][j] = velocity_torque(j)
    for j in range(n):
        for k in range(j):
            triples = zip(velocity_torque(j, k), C[j][j], C[k][k], strict=True)
            C[j][k] = C[k][j] = [(both - one - other) * 0.5 for both, one, other in triples]
    return C


def coriolis_matrix(
    inverse_dynamics: InverseDynamics, model: Model, q: Numbers, qd: Numbers
) -> list[list[Num]]:
    """C(q, qd) with Ṁ − 2C skew and C qd the velocity torques."""
    n = model.nv
    symbols = christoffel(inverse_dynamics, model, q)
    C = [[_sum(symbols[j][k][i] * qd[k] for k in range(n)) for j in range(n)] for i in range(n)]
    brackets = _brackets(model, qd)
    if not brackets:
        return C
    M = mass_matrix(inverse_dynamics, model, q)
    for j, bracket in brackets.items():
        for i in range(n):
            C[i][j] = C[i][j] + _sum(M[i][k] * x for k, x in bracket.items()) * 0.5
    return C


def forward_dynamics(
    inverse_dynamics: InverseDynamics, model: Model, q: Numbers, qd: Numbers, tau: Numbers, rotor: Numbers
) -> list[Num]:
    """Accelerations: M strobed, ``rotor`` added to its diagonal, solved by elimination without pivoting."""
    M = mass_matrix(inverse_dynamics, model, q)
    for i, inertia in enumerate(rotor):
        M[i][i] = M[i][i] + inertia
    bias = inverse_dynamics(model, q, qd, _zeros(model))
    return ldl_solve(M, [t - b for t, b in zip(tau, bias, strict=True)], model.dof_parents)


def _brackets(model: Model, qd: Numbers) -> dict[int, dict[int, Num]]:
    """The entries of [v, e_j] for every degree of freedom of a joint with a quaternion."""
    found: dict[int, dict[int, Num]] = {}
    for joint in model.joints:
        if joint.nv == 1:
            continue
        columns = joint.columns()
        v = columns @ joint.rates(qd)
        for j, column in enumerate(columns):
            bracket = v.cross(column)
            found[joint.v + j] = {joint.v + k: _component(bracket, c) for k, c in enumerate(columns)}
    return found


def _component(motion: Motion, column: Motion) -> Num:
    """The coordinate of a motion along one of the unit columns."""
    return motion.angular.dot(column.angular) + motion.linear.dot(column.linear)


def _sum(terms: Iterable[Num]) -> Num:
    total: Num = 0.0
    for term in terms:
        total = total + term
    return total


def _zeros(model: Model) -> list[Num]:
    return [0.0] * model.nv


def _unit(model: Model, *joints: int) -> list[Num]:
    return [float(k in joints) for k in range(model.nv)]
