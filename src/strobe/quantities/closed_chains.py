"""Closed chains, which add forces that do no work:

    M qdd + … = tau + Σ Jᵀ F + Kᵀ λ        K qdd = γ

K are the rows of `formulations.loop_constraints`, γ what they demand of accelerations.
"""

from __future__ import annotations

from collections.abc import Sequence

from strobe.algebra.constraints import Constrained, orthogonalised
from strobe.algebra.rows import dot, minus, plus
from strobe.formulations import loop_constraints
from strobe.quantities.evaluation import Asked
from strobe.quantities.kinematics import integrate
from strobe.quantities.pivots import guard
from strobe.quantities.terms import mass_matrix, unaccelerated
from strobe.scalars import Num, Numbers, less, where
from strobe.scalars.scalar import is_number

LEAST_ROW = 1e-12  # a condition of which less is left than this part of its square is no new one


def conditions_of(asked: Asked, q: Numbers, qd: Numbers) -> loop_constraints.Closures:
    """The conditions of closed chains on the independent coordinates."""
    x = asked.coordinates
    found = loop_constraints.closures(asked.model.proximal(), x.expand(q), x.expand_rates(qd))
    return loop_constraints.Closures(found.residuals, x.reduce_columns(found.J), found.bias)


def constrained_dynamics(
    asked: Asked, q: Numbers, qd: Numbers, tau: Numbers
) -> tuple[list[Num], list[Num]]:
    """qdd under torques, friction taken off, and the multipliers λ."""
    held = conditions_of(asked, q, qd)
    return bound(asked, q, held.J).solve(
        minus(tau, unaccelerated(asked, q, qd)), [-demand for demand in held.bias]
    )


def driven(asked: Asked, q: Numbers, tau: Numbers) -> list[Num]:
    """The torques of the actuated joints that do what tau does on all of them: Kᵀ λ takes the rest.

    K_pᵀ λ = tau_p at passive joints,   tau_a − K_aᵀ λ at actuated ones
    """
    n, own = asked.coordinates.nv, asked.dofs(asked.request.actuated or asked.model.actuated)
    passive = [k for k in range(n) if k not in own]
    K = conditions_of(asked, q, [0.0] * n).J
    rows = orthogonalised([[row[k] for k in passive] for row in K], [1.0] * len(passive), _own)
    wanted = [tau[k] for k in passive]
    mu = [dot(Q, wanted) * scale for Q, scale in zip(rows.Q, rows.inverse, strict=True)]
    result: list[Num] = [0.0] * n
    multipliers = rows.multipliers(mu)
    for k in own:
        result[k] = tau[k] - dot([row[k] for row in K], multipliers)
    return result


def closed_state(asked: Asked, q: Numbers, qd: Numbers) -> tuple[list[Num], list[Num]]:
    """A position nearer to closed by a step of Newton's, and velocities that keep it closed there; nearest in M."""
    q = closed_positions(asked, q)
    return q, closed_velocities(asked, q, qd)


def closed_positions(asked: Asked, q: Numbers) -> list[Num]:
    """q after one of Newton's steps towards closed chains; joints whose acceleration is given stay where they are."""
    n, locked = asked.coordinates.nv, asked.dofs(asked.request.accelerated)
    held = conditions_of(asked, q, [0.0] * n)
    demands = [0.0] * len(locked) + [-c for c in held.residuals]
    step, _ = bound(asked, q, held.J, locked).solve([0.0] * n, demands)
    return integrate(asked, q, step, [1.0])


def closed_velocities(asked: Asked, q: Numbers, v: Numbers) -> list[Num]:
    """The velocities nearest to v that closed chains allow; joints whose acceleration is given have none."""
    J, locked = loop_jacobian(asked, q), asked.dofs(asked.request.accelerated)
    demands = [-v[k] for k in locked] + [-dot(row, v) for row in J]
    return plus(v, bound(asked, q, J, locked).solve([0.0] * len(v), demands)[0])


def closed_accelerations(asked: Asked, q: Numbers, qd: Numbers, v: Numbers) -> list[Num]:
    """The accelerations nearest to v that closed chains allow while they move with qd."""
    held = conditions_of(asked, q, qd)
    short = [-bias - dot(row, v) for row, bias in zip(held.J, held.bias, strict=True)]
    return plus(v, bound(asked, q, held.J).solve([0.0] * len(v), short)[0])


def loop_residuals(asked: Asked, q: Numbers) -> list[Num]:
    """How far every condition of closed chains is from holding."""
    return loop_constraints.residuals(asked.model.proximal(), asked.coordinates.expand(q))


def loop_facing(asked: Asked, q: Numbers) -> list[Num]:
    """For each loop that is solved a cosine, negative where its frames face each other the wrong way round."""
    return loop_constraints.facing(asked.model.proximal(), asked.coordinates.expand(q))


def loop_jacobian(asked: Asked, q: Numbers) -> list[list[Num]]:
    """K: velocities are allowed where K qd = 0."""
    return conditions_of(asked, q, [0.0] * asked.coordinates.nv).J


def loop_bias(asked: Asked, q: Numbers, qd: Numbers) -> list[Num]:
    """−γ: accelerations are allowed where K qdd + loop_bias = 0."""
    return conditions_of(asked, q, qd).bias


def bound(asked: Asked, q: Numbers, J: Sequence[Numbers], given: Sequence[int] = ()) -> Constrained:
    """The mass matrix and conditions on accelerations: those given, then J; what follows from others is idle."""
    M, rank = mass_matrix(asked, q), asked.request.rank
    units = [[1.0 if j == k else 0.0 for j in range(len(M))] for k in given]
    total = None if rank is None else len(given) + rank
    return Constrained(M, [*units, *J], asked.parents, guard(M), _own, total, len(given))


def _own(left: Num, whole: Num) -> Num:
    """1 / the square that is left of a condition besides those before it, or 0 where that is nothing."""
    if is_number(left) and left == 0:
        return 0.0
    return where(less(whole * LEAST_ROW, left), 1.0 / left, 0.0)
