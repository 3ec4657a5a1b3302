"""Parameters that some body can have, nearest to what the torques say: a convex program, solved by its barrier.

    minimise   ½ |A x − y|²  +  Σ_b D(P_b, P⁰_b)            x = (π of all bodies, friction)
    subject to P_b(π) ≻ 0,   G x > h: friction that takes energy and gives none

P(π) is the pseudo-inertia, the moments of the mass about the origin, ∫ (r, 1)(r, 1)ᵀ dm: some spread of mass has π if
and only if P is positive definite. D = tr(P⁰⁻¹P) − log det(P⁰⁻¹P) − 4 is how far P is from what was known of the body
before: it decides what torques leave open, weighs as much as a few readings, and is its own barrier. The other bounds
are barriers −μ log that fade; Newton's steps go down, and every iterate is possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

Array = np.ndarray

SHARE = 1e-6  # of one reading: how much the bounds may still weigh at the end
STEPS = 100  # of Newton, for one optimum
ROUNDING = 1e-14  # of |y|²: a decrement below it is none
SOFT = 1e-13  # of a Hessian with ones on its diagonal: so that rounding makes none singular
NEAR = 1e-10  # Newton's decrement at an optimum, in readings
GROWS = 20.0  # the weight of the rows, from optimum to optimum
FADES = 0.05  # that of the bounds
EASE = 1e-12  # of the largest weight of a friction: the least, so that each has an end

# P = Σ π_k E_k with I = tr(Σ)·1 − Σ: entries (row, column) of P by parameter m, mc, Ixx, Iyy, Izz, Ixy, Ixz, Iyz
_MOMENTS = np.array([[-0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.5, 0.5, -0.5]])


def _entries() -> Array:
    E = np.zeros((10, 4, 4))
    E[0, 3, 3] = 1.0
    for k in range(3):
        E[1 + k, k, 3] = E[1 + k, 3, k] = 1.0
        E[4 + k, range(3), range(3)] = _MOMENTS[:, k]
    for k, (a, b) in enumerate(((0, 1), (0, 2), (1, 2))):
        E[7 + k, a, b] = E[7 + k, b, a] = -1.0
    return E


ENTRIES = _entries()


def pseudo_inertia(parameters: Array) -> Array:
    """P (..., 4, 4) of ten parameters (..., 10)."""
    return np.tensordot(parameters, ENTRIES, axes=(-1, 0))


def is_possible(parameters: Array) -> bool:
    """Whether a body can have each ten of parameters."""
    return bool((np.linalg.eigvalsh(pseudo_inertia(np.reshape(parameters, (-1, 10)))) > 0).all())


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """Linear bounds G x > h of the unknowns."""

    G: Array
    h: Array


@dataclass(frozen=True, slots=True, eq=False)
class Possible:
    """The nearest parameters that bodies can have, and how the program ended."""

    values: Array
    cost: float  # ½ |A x − y|², without prior
    steps: int
    decrement: float  # Newton's, at the end: how far the optimum still is, in units of the objective


def nearest_possible(A: Array, y: Array, prior: Array, bounds: Bounds, start: Array) -> Possible:
    """The x that fits rows (A, y) best among those that bodies can have.

    ``prior`` (bodies, 10) is what was known of each body; x begins with the ten parameters of each. ``start`` keeps
    all bounds, with a possible body each.
    """
    bodies = len(prior)
    known = np.linalg.inv(pseudo_inertia(prior))
    A, y = _condensed(A, y, 10 * bodies)
    c = float(y @ y)
    x, steps, decrement = start.astype(float).copy(), 0, np.inf
    for share, mu in _path(c, len(bounds.h)):
        rows = np.sqrt(share) * A, np.sqrt(share) * y
        H = rows[0].T @ rows[0]
        for _ in range(STEPS):
            gradient, hessian = _slopes(*rows, H, known, bodies, bounds, mu, x)
            scale = 1.0 / np.sqrt(np.diag(hessian))
            even = hessian * np.outer(scale, scale) + SOFT * np.eye(len(x))
            step = -scale * np.linalg.solve(even, scale * gradient)
            decrement = float(-gradient @ step)
            steps += 1
            if decrement <= max(NEAR, ROUNDING * share * c):
                break
            x = _descended(*rows, known, bodies, bounds, mu, x, step, decrement)
    return Possible(x, _objective(A, y, x), steps, decrement)


def _condensed(A: Array, y: Array, bodies: int) -> tuple[Array, Array]:
    """As few rows as say the same; an unknown beside bodies that no row tells of stays near nothing."""
    weights = (A[:, bodies:] ** 2).sum(axis=0)
    ease = (
        np.sqrt(EASE * weights.max(initial=1.0))
        * np.eye(A.shape[1])[bodies:][weights <= EASE * weights.max(initial=1.0)]
    )
    whole = np.column_stack([np.vstack([A, ease]), np.append(y, np.zeros(len(ease)))])
    R = np.asarray(np.linalg.qr(whole, mode="r")) if len(whole) > whole.shape[1] else whole
    return R[:, :-1], R[:, -1]


def _path(c: float, bounds: int) -> Iterator[tuple[float, float]]:
    """The weight of the rows as it grows to 1, then that of the bounds as it fades: each optimum is near the next."""
    share = 1.0 / max(c, 1.0)
    while share < 1:
        yield share, 1.0
        share *= GROWS
    mu = 1.0
    while mu * max(bounds, 1) > SHARE:
        yield 1.0, mu
        mu *= FADES


def _objective(A: Array, y: Array, x: Array) -> float:
    left = A @ x - y  # and not by AᵀA: what is left is much smaller than its parts
    return 0.5 * float(left @ left)


def _whole(A: Array, y: Array, known: Array, bodies: int, bounds: Bounds, mu: float, x: Array) -> float:
    """The objective with its barriers; infinite where no body is."""
    slack = bounds.G @ x - bounds.h
    P = pseudo_inertia(x[: 10 * bodies].reshape(bodies, 10))
    if (slack <= 0).any() or (np.linalg.eigvalsh(P) <= 0).any():
        return np.inf
    sizes = np.linalg.slogdet(P)[1]
    distance = float(np.einsum("bij,bji->", known, P) - sizes.sum())
    return _objective(A, y, x) + distance - mu * float(np.log(slack).sum())


def _slopes(
    A: Array, y: Array, H: Array, known: Array, bodies: int, bounds: Bounds, mu: float, x: Array
) -> tuple[Array, Array]:
    """Gradient and Hessian of the objective with its barriers."""
    gradient, hessian = A.T @ (A @ x - y), H.copy()
    inverse = np.linalg.inv(pseudo_inertia(x[: 10 * bodies].reshape(bodies, 10)))
    along = np.einsum("bij,kjl->bkil", inverse, ENTRIES)  # P⁻¹ E_k
    slope = np.einsum("bij,kji->bk", known, ENTRIES) - np.einsum("bkii->bk", along)
    curve = np.einsum("bkij,blji->bkl", along, along)
    for b in range(bodies):
        own = slice(10 * b, 10 * b + 10)
        gradient[own] += slope[b]
        hessian[own, own] += curve[b]
    slack = bounds.G @ x - bounds.h
    gradient -= mu * (bounds.G.T @ (1 / slack))
    hessian += mu * (bounds.G.T @ (bounds.G / slack[:, None] ** 2))
    return gradient, hessian


def _descended(
    A: Array, y: Array, known: Array, bodies: int, bounds: Bounds, mu: float, x: Array, step: Array,
    decrement: float,
) -> Array:  # fmt: skip
    """A step as long as it goes down."""
    before = _whole(A, y, known, bodies, bounds, mu, x)
    length = 1.0
    while length > 1e-12:
        after = _whole(A, y, known, bodies, bounds, mu, x + length * step)
        if after <= before - 0.1 * length * decrement + 1e-12 * abs(before):
            return x + length * step
        length *= 0.5
    return x


def plain_bodies(lengths: Sequence[float], density: float = 2000.0) -> Array:
    """Ten parameters of a plain ball for each link of a length: all that is known where nothing is."""
    made = []
    for length in lengths:
        r = 0.25 * max(length, 0.1)
        m = density * max(length, 0.1) * np.pi * (0.06) ** 2
        made.append([m, 0, 0, 0, *(3 * [m * (0.4 * r * r + (length / 2) ** 2)]), 0, 0, 0])
    return np.array(made)
