"""What torques and accelerations change with: ∂/∂q, ∂/∂qd, and M or its inverse."""

from __future__ import annotations

from strobe.algebra.elimination import downwards, ldl_factors, ldl_inverse, upwards
from strobe.algebra.rows import minus
from strobe.errors import UnsupportedModelError
from strobe.formulations import composite_derivatives
from strobe.models.regroup import regrouped
from strobe.quantities.drives import friction_slopes, friction_torques, rotor_inertias
from strobe.quantities.evaluation import Asked
from strobe.quantities.pivots import guard
from strobe.quantities.terms import mass_matrix, unaccelerated
from strobe.scalars import Num, Numbers


def inverse_dynamics_derivatives(
    asked: Asked, q: Numbers, qd: Numbers, qdd: Numbers
) -> list[list[list[Num]]]:
    """∂tau/∂q, ∂tau/∂qd and M = ∂tau/∂qdd, one above the other; q along the degrees of freedom."""
    x, tree = asked.coordinates, regrouped(asked.model)
    if asked.model.is_closed:
        raise UnsupportedModelError(
            f"{asked.model.name} has closed chains, and its joints cannot move one by one; derivatives of dynamics "
            "are those of open chains. Take the loops out of the model, and add their forces as wrenches."
        )
    q, qd, qdd = x.expand(q), x.expand_rates(qd), x.expand_rates(qdd)
    loads = [(tree.frame(name), wrench) for name, wrench in asked.wrenches.items()]
    by_q, by_qd, M = composite_derivatives.inverse_dynamics_derivatives(tree, q, qd, qdd, loads)
    added = zip(friction_slopes(asked, qd), rotor_inertias(asked.model), strict=True)
    for i, (slope, inertia) in enumerate(added):
        by_qd[i][i] = by_qd[i][i] + slope
        M[i][i] = M[i][i] + inertia
    return [x.reduce_matrix(matrix) for matrix in (by_q, by_qd, M)]


def forward_dynamics_derivatives(
    asked: Asked, q: Numbers, qd: Numbers, tau: Numbers
) -> list[list[list[Num]]]:
    """∂qdd/∂q, ∂qdd/∂qd and M⁻¹ = ∂qdd/∂tau, one above the other; NaN where the mass matrix is singular.

    M qdd + h(q, qd) = tau holds along every change of q and qd: ∂qdd = −M⁻¹ ∂tau, taken at this qdd.
    """
    x, parents, M = asked.coordinates, asked.parents, mass_matrix(asked, q)
    L, inverse = ldl_factors(M, parents, guard(M))

    def solved(right: Numbers) -> list[Num]:
        return downwards(L, inverse, upwards(L, right, parents), parents)

    friction = x.reduce(friction_torques(asked, x.expand_rates(qd)))
    qdd = solved(minus(minus(tau, friction), unaccelerated(asked, q, qd)))
    by_q, by_qd, _ = inverse_dynamics_derivatives(asked, q, qd, qdd)
    moved = [[solved([-t for t in column]) for column in zip(*by, strict=True)] for by in (by_q, by_qd)]
    return [*([list(row) for row in zip(*columns, strict=True)] for columns in moved),
            ldl_inverse(L, inverse, parents)]  # fmt: skip


def mass_matrix_inverse(asked: Asked, q: Numbers) -> list[list[Num]]:
    """M(q)⁻¹, rotor inertia included; NaN where M is singular."""
    M = mass_matrix(asked, q)
    return ldl_inverse(*ldl_factors(M, asked.parents, guard(M)), asked.parents)
