"""LᵀDL without pivoting, following the sparsity of a tree [Featherstone2008, section 6.5].

A mass matrix has M_ij = 0 unless one of i, j supports the other. Eliminating from the tips to the
root keeps every such zero: M = Lᵀ D L with L unit lower triangular, L_ij ≠ 0 only for ancestors j of
i. No pivoting is needed because M is positive definite; whether it is, is tested at the border.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from strobe.scalars import Num, Numbers


def ldl_solve(
    M: Sequence[Numbers],
    b: Numbers,
    parents: Sequence[int],
    guard: Callable[[Num, Num], Num] = lambda pivot, diagonal: pivot,
) -> list[Num]:
    """x with M x = b, where ``parents[i]`` is the degree of freedom before i on the way to the root (−1).

    ``guard`` gives what to divide by for a pivot and the diagonal entry that it came from.
    """
    L, D = ldl_factors(M, parents, guard)
    x = list(b)
    for i in reversed(range(len(x))):  # Lᵀ y = b
        for j in ancestors(i, parents):
            x[j] = x[j] - L[i][j] * x[i]
    for i in range(len(x)):  # D z = y, L x = z
        x[i] = x[i] * D[i]
        for j in ancestors(i, parents):
            x[i] = x[i] - L[i][j] * x[j]
    return x


def ldl_factors(
    M: Sequence[Numbers],
    parents: Sequence[int],
    guard: Callable[[Num, Num], Num] = lambda pivot, diagonal: pivot,
) -> tuple[list[dict[int, Num]], list[Num]]:
    """The rows of L (without its unit diagonal) and the inverse pivots 1/D of M = Lᵀ D L: one division each."""
    A = [{j: M[i][j] for j in (i, *ancestors(i, parents))} for i in range(len(M))]
    inverse: list[Num] = [0.0] * len(A)
    for k in reversed(range(len(A))):
        inverse[k] = 1.0 / guard(A[k][k], M[k][k])
        for i in ancestors(k, parents):
            factor = A[k][i] * inverse[k]
            for j in (i, *ancestors(i, parents)):
                A[i][j] = A[i][j] - factor * A[k][j]
            A[k][i] = factor
    return A, inverse


def ancestors(i: int, parents: Sequence[int]) -> Iterator[int]:
    """The degrees of freedom between i and the root, nearest first."""
    while (i := parents[i]) >= 0:
        yield i
