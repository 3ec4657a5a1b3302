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
    L, inverse = ldl_factors(M, parents, guard)
    return downwards(L, inverse, upwards(L, b, parents), parents)


def upwards(L: Sequence[dict[int, Num]], b: Numbers, parents: Sequence[int]) -> list[Num]:
    """y with Lᵀ y = b, from the tips to the root."""
    y = list(b)
    for i in reversed(range(len(y))):
        for j in ancestors(i, parents):
            y[j] = y[j] - L[i][j] * y[i]
    return y


def downwards(
    L: Sequence[dict[int, Num]], inverse: Numbers, y: Numbers, parents: Sequence[int]
) -> list[Num]:
    """x with D L x = y, from the root to the tips."""
    x = list(y)
    for i in range(len(x)):
        x[i] = x[i] * inverse[i]
        for j in ancestors(i, parents):
            x[i] = x[i] - L[i][j] * x[j]
    return x


def ldl_inverse(L: Sequence[dict[int, Num]], inverse: Numbers, parents: Sequence[int]) -> list[list[Num]]:
    """M⁻¹, symmetric: what stands above its diagonal in a column is known from the columns before."""
    n = len(inverse)
    X: list[list[Num]] = [[0.0] * n for _ in range(n)]
    for k in range(n):
        for i in range(k, n):
            x: Num = inverse[k] if i == k else 0.0
            for j in ancestors(i, parents):
                x = x - L[i][j] * X[j][k]
            X[i][k] = X[k][i] = x
    return X


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
