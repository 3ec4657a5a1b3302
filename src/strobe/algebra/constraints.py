# pyright: reportConstantRedefinition=false
"""Linear conditions on the solution of a positive definite system, redundant ones allowed.

    M x = r + Jᵀ λ,   J x = γ

With M = Lᵀ D L the rows y_k = L⁻ᵀ J_kᵀ are made orthogonal one after the other, a · b = Σ a_i b_i / D_i:

    y_k = Q_k + Σ_{i<k} U_ki Q_i          e_k = Q_k · Q_k
    w_k = γ_k − Σ_{i<k} U_ki w_i          what Q_k demands
    μ_k = (w_k − Q_k · z) / e_k           z = L⁻ᵀ r
    x   = L⁻¹ D⁻¹ (z + Σ μ_k Q_k)         λ_k = μ_k − Σ_{j>k} U_jk λ_j

Orthogonal rows keep twice the digits that J M⁻¹ Jᵀ would. A row that depends on those before it leaves Q_k = 0; a
guard then gives 0 for 1 / e_k, and the row asks for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from strobe.algebra.elimination import downwards, ldl_factors, upwards
from strobe.algebra.rows import dot
from strobe.scalars import Num, Numbers

Guard = Callable[[Num, Num], Num]


@dataclass(frozen=True, slots=True, eq=False)
class Orthogonal:
    """Rows as orthogonal ones: row_k = Q_k + Σ_{i<k} U_ki Q_i, in the metric of some weights."""

    Q: Sequence[Numbers]
    U: Sequence[Numbers]
    inverse: Numbers  # 1 / e_k
    weights: Numbers

    def moved(self, z: Numbers, gamma: Numbers) -> tuple[list[Num], list[Num]]:
        """z + Σ μ_k Q_k, whose products with the rows are γ, and μ."""
        weighted = [x * w for x, w in zip(z, self.weights, strict=True)]
        demands: list[Num] = []
        mu: list[Num] = []
        result = list(z)
        for Q, U, inverse, wanted in zip(self.Q, self.U, self.inverse, gamma, strict=True):
            for factor, demand in zip(U, demands, strict=True):
                wanted = wanted - factor * demand
            demands.append(wanted)
            mu.append((wanted - dot(Q, weighted)) * inverse)
            result = [x + y * mu[-1] for x, y in zip(result, Q, strict=True)]
        return result, mu

    def multipliers(self, mu: Numbers) -> list[Num]:
        """λ with Σ λ_k row_k = Σ μ_k Q_k."""
        found = list(mu)
        for k in reversed(range(len(found))):
            for i, factor in enumerate(self.U[k]):
                found[i] = found[i] - factor * found[k]
        return found


def orthogonalised(rows: Sequence[Numbers], weights: Numbers, guards: Sequence[Guard]) -> Orthogonal:
    """Gram and Schmidt's way, in its stable order; a row's guard gives 1 / e_k for e_k and its own square."""
    Q: list[Numbers] = []
    U: list[Numbers] = []
    inverse: list[Num] = []
    for row, guard in zip(rows, guards, strict=True):
        left, factors = list(row), list[Num]()
        for other, scale in zip(Q, inverse, strict=True):
            factor = _product(left, other, weights) * scale
            factors.append(factor)
            left = [x - y * factor for x, y in zip(left, other, strict=True)]
        inverse.append(guard(_product(left, left, weights), _product(row, row, weights)))
        Q.append(left)
        U.append(factors)
    return Orthogonal(Q, U, inverse, weights)


def _product(a: Numbers, b: Numbers, weights: Numbers) -> Num:
    total: Num = 0.0
    for x, y, w in zip(a, b, weights, strict=True):
        total = total + x * y * w
    return total


class Constrained:
    """M and J, ready for any r and γ."""

    def __init__(
        self, M: Sequence[Numbers], J: Sequence[Numbers], parents: Sequence[int], pivot: Guard,
        guards: Sequence[Guard],
    ) -> None:  # fmt: skip
        self.parents = parents
        self.L, self.inverse = ldl_factors(M, parents, pivot)
        self.rows = orthogonalised([upwards(self.L, row, parents) for row in J], self.inverse, guards)

    def solve(self, r: Numbers, gamma: Numbers) -> tuple[list[Num], list[Num]]:
        """x, and the multipliers λ of the conditions."""
        moved, mu = self.rows.moved(upwards(self.L, r, self.parents), gamma)
        return downwards(self.L, self.inverse, moved, self.parents), self.rows.multipliers(mu)
