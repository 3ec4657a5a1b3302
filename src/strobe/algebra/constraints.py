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

Where it is known how many rows are independent, but not which (they may change places while x moves on), each Q is
made of the row of which most is left, and the rest is rounding and asks for nothing:

    Q_s = Σ_k B_sk y_k        w_s = Σ_k B_sk γ_k        λ_k = Σ_s μ_s B_sk
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from strobe.algebra.elimination import downwards, ldl_factors, upwards
from strobe.algebra.rows import dot
from strobe.scalars import Num, Numbers, less, where

Guard = Callable[[Num, Num], Num]
SMALL = 1e-6  # a row whose square is below this part of all of them together may be rounding


class Rows(Protocol):
    """Conditions made orthogonal."""

    def moved(self, z: Numbers, gamma: Numbers) -> tuple[list[Num], list[Num]]: ...

    def multipliers(self, mu: Numbers) -> list[Num]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Orthogonal:
    """Rows as orthogonal ones: row_k = Q_k + Σ_{i<k} U_ki Q_i, in the metric of some weights."""

    Q: Sequence[Numbers]
    U: Sequence[Numbers]
    inverse: Numbers  # 1 / e_k
    weights: Numbers

    def moved(self, z: Numbers, gamma: Numbers) -> tuple[list[Num], list[Num]]:
        """z + Σ μ_k Q_k, whose products with the rows are γ, and μ."""
        demands: list[Num] = []
        for U, wanted in zip(self.U, gamma, strict=True):
            for factor, demand in zip(U, demands, strict=True):
                wanted = wanted - factor * demand
            demands.append(wanted)
        return _moved(self, z, demands)

    def multipliers(self, mu: Numbers) -> list[Num]:
        """λ with Σ λ_k row_k = Σ μ_k Q_k."""
        found = list(mu)
        for k in reversed(range(len(found))):
            for i, factor in enumerate(self.U[k]):
                found[i] = found[i] - factor * found[k]
        return found


def orthogonalised(rows: Sequence[Numbers], weights: Numbers, guard: Guard) -> Orthogonal:
    """Gram and Schmidt's way, in its stable order; the guard gives 1 / e_k for e_k and the row's own square."""
    Q: list[Numbers] = []
    U: list[Numbers] = []
    inverse: list[Num] = []
    for row in rows:
        left, factors = list(row), list[Num]()
        for other, scale in zip(Q, inverse, strict=True):
            factor = _product(left, other, weights) * scale
            factors.append(factor)
            left = [x - y * factor for x, y in zip(left, other, strict=True)]
        inverse.append(guard(_product(left, left, weights), _product(row, row, weights)))
        Q.append(left)
        U.append(factors)
    return Orthogonal(Q, U, inverse, weights)


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """Orthogonal rows, each a combination B_s of those given, in the metric of some weights."""

    Q: Sequence[Numbers]
    B: Sequence[Numbers]
    inverse: Numbers  # 1 / e_s
    weights: Numbers

    def moved(self, z: Numbers, gamma: Numbers) -> tuple[list[Num], list[Num]]:
        """z + Σ μ_s Q_s, whose products with the rows are γ, and μ."""
        return _moved(self, z, [dot(B, gamma) for B in self.B])

    def multipliers(self, mu: Numbers) -> list[Num]:
        """λ with Σ λ_k row_k = Σ μ_s Q_s."""
        return [dot(column, mu) for column in zip(*self.B, strict=True)]


def _moved(rows: Orthogonal | Chosen, z: Numbers, demands: Numbers) -> tuple[list[Num], list[Num]]:
    """z + Σ μ_k Q_k, whose products with the orthogonal rows are what they demand, and μ."""
    weighted = [x * w for x, w in zip(z, rows.weights, strict=True)]
    mu: list[Num] = []
    result = list(z)
    for Q, inverse, wanted in zip(rows.Q, rows.inverse, demands, strict=True):
        mu.append((wanted - dot(Q, weighted)) * inverse)
        result = [x + y * mu[-1] for x, y in zip(result, Q, strict=True)]
    return result, mu


@dataclass(frozen=True, slots=True, eq=False)
class _Left:
    """What is left of a row besides those chosen, which combination of rows that is, and its own square."""

    row: Numbers
    made_of: Numbers
    own: Num  # of the row as it was given

    def without(self, other: _Left, scale: Num, weights: Numbers) -> _Left:
        factor = _product(self.row, other.row, weights) * scale
        row, made_of = (
            [x - y * factor for x, y in zip(a, b, strict=True)]
            for a, b in ((self.row, other.row), (self.made_of, other.made_of))
        )
        return _Left(row, made_of, self.own)

    def rather(self, other: _Left, chosen: Num) -> _Left:
        """The other one where it is chosen."""
        row, made_of = (
            [where(chosen, y, x) for x, y in zip(a, b, strict=True)]
            for a, b in ((self.row, other.row), (self.made_of, other.made_of))
        )
        return _Left(row, made_of, where(chosen, other.own, self.own))


def chosen(rows: Sequence[Numbers], weights: Numbers, rank: int, first: int, guard: Guard) -> Chosen:
    """The first rows in their order, then as many as make up the rank: in turn the one of which most is left."""
    count = len(rows)
    left = [
        _Left(row, [1.0 if j == k else 0.0 for j in range(count)], _product(row, row, weights))
        for k, row in enumerate(rows)
    ]
    least = sum((each.own for each in left), start=0.0) * SMALL
    found: list[_Left] = []
    inverse: list[Num] = []
    for step in range(rank):
        next_one = left[step] if step < first else _most(left[first:], weights, least)
        scale = guard(_product(next_one.row, next_one.row, weights), next_one.own)
        left = [each.without(next_one, scale, weights) for each in left]
        found.append(next_one)
        inverse.append(scale)
    return Chosen([each.row for each in found], [each.made_of for each in found], inverse, weights)


def _most(left: Sequence[_Left], weights: Numbers, least: Num) -> _Left:
    """The row of which most is left, as a part of what it was; one that was next to nothing does not count."""
    best, *others = left
    share = _product(best.row, best.row, weights) / (best.own + least)
    for other in others:
        theirs = _product(other.row, other.row, weights) / (other.own + least)
        better = less(share, theirs)
        best, share = best.rather(other, better), where(better, theirs, share)
    return best


def _product(a: Numbers, b: Numbers, weights: Numbers) -> Num:
    total: Num = 0.0
    for x, y, w in zip(a, b, weights, strict=True):
        total = total + x * y * w
    return total


class Constrained:
    """M and J, ready for any r and γ; where a rank is given, the first rows and some others make it up."""

    def __init__(
        self, M: Sequence[Numbers], J: Sequence[Numbers], parents: Sequence[int], pivot: Guard, guard: Guard,
        rank: int | None = None, first: int = 0,
    ) -> None:  # fmt: skip
        self.parents = parents
        self.L, self.inverse = ldl_factors(M, parents, pivot)
        rows = [upwards(self.L, row, parents) for row in J]
        self.rows: Rows = (
            orthogonalised(rows, self.inverse, guard)
            if rank is None
            else chosen(rows, self.inverse, rank, first, guard)
        )

    def solve(self, r: Numbers, gamma: Numbers) -> tuple[list[Num], list[Num]]:
        """x, and the multipliers λ of the conditions."""
        moved, mu = self.rows.moved(upwards(self.L, r, self.parents), gamma)
        return downwards(self.L, self.inverse, moved, self.parents), self.rows.multipliers(mu)
