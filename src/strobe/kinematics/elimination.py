"""Joint positions of six joints in general position from one hand pose, by elimination and eigenvalues.

The loop E_1 E_2 E_3 E_4 E_5 E_6 = G is asked of line 6 only, which E_6 leaves where it is:

    E_3 E_4 E_5 (line 6)  =  E_2⁻¹ E_1⁻¹ G (line 6)                                        [Raghavan1993]

In the numbers of `line_numbers` the right side is a 14 × 8 matrix times the products of 1, cos, sin of θ_1 with those
of θ_2, and a constant. What is orthogonal to its columns leaves six equations in θ_3, θ_4, θ_5. Times cos θ_4/2 and
times sin θ_4/2 they are twelve, linear in the twelve products v of cos, sin of θ_4/2 and 3θ_4/2 with 1, cos θ_5,
sin θ_5. In axes whose z is line 3, a turn by θ_3 mixes sixteen of their combinations in pairs:

    (C + U Rot(θ_3) Y) v = 0          Rot(θ) = cos θ + J sin θ,   J² = −1,   16 × 16

With θ_3 = φ + ψ, x = tan ψ/2, S = C − U Rot(φ) Y (which is singular only where φ + π is a root) and
w = (Rot(ψ) + 1) Y v this is an eigenvalue problem of sixteen unknowns for sixteen solutions, without the eight roots
at ±i of the form of 24 unknowns [Manocha1994]:

    x w = J (2K − 1) w,        K = −Y S⁻¹ U Rot(φ),        v = −S⁻¹ U Rot(φ) w

The loop closes, so any joint may be the third: the others follow in a circle. Where one joint slides it is the third,
and the twelve equations are of second degree in its position d; x = 1 / (d − d_0) leads to a companion matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strobe.kinematics.line_coordinates import line_numbers, slide_maps, turn_maps
from strobe.kinematics.screws import inverse, rigid, turn, vee
from strobe.kinematics.serial_chain import Serial

Array = np.ndarray

NEARLY_REAL = 0.3  # largest imaginary part of the third joint's position that is worth a start
_PHI = (0.3, 1.9, -2.2, -0.7, 2.8, 1.1)  # shifts φ of θ_3
_D0 = (0.31, -0.77, 1.9, -2.3)  # shifts d_0 of a slide, in arm lengths
_WELL = 1e3  # an inverse of this norm or less needs no other shift
_SINGULAR = 1e8  # and one beyond this is rounding
FAR = 1e4  # slides of so many arm lengths are roots at infinity

# (3, 2, 4): 1, cos θ, sin θ times cos θ/2, sin θ/2 in terms of cos θ/2, sin θ/2, cos 3θ/2, sin 3θ/2
_HALVES = 0.5 * np.array(
    [[[2, 0, 0, 0], [0, 2, 0, 0]], [[1, 0, 1, 0], [0, -1, 0, 1]], [[0, 1, 0, 1], [1, 0, -1, 0]]]
)
_J = np.kron([[0, -1], [1, 0]], np.eye(8))
_SLIDE = slide_maps()[:, :14]
_BACKWARDS = np.array([1.0, 1.0, -1.0])[:, None, None]


@dataclass(frozen=True, eq=False)
class Starts:
    """Joint positions close to solutions."""

    pose: Array  # (M,) which pose each belongs to, ascending
    q: Array  # (M, 6)
    imaginary: Array  # (M,) of the third joint's position, dropped; zero for a real root and no other
    singular: Array  # (N,) poses whose equations are singular for every position of the third joint: a special arm


@dataclass(frozen=True, eq=False)
class Loop:
    """Six lines in a circle, in axes whose z is the third of them and in lengths of the arm."""

    order: Array  # (6,) which joint each line is
    axes: Array  # (N or 1, 6, 3)
    points: Array  # (N or 1, 6, 3)
    G: Array  # (N, 4, 4)
    size: float
    slides: bool  # whether the third is a slide


@dataclass(frozen=True, eq=False)
class Eliminated:
    """The equations before the first two joints left them, and what takes those out."""

    left: Array  # (N or 1, 15, 3, 3) of joints 4 and 5
    right: Array  # (N, 14, 9) of joints 2 and 1
    kept: Array  # (N, 14, 8) orthonormal: the columns of `right` without the constant
    triangle: Array  # (N, 8, 8) those columns in terms of `kept`
    free: Array  # (N, 6, 14) what is orthogonal to them


@dataclass(frozen=True, eq=False)
class Roots:
    """Positions of the third joint that are nearly real."""

    pose: Array  # (M,)
    third: Array  # (M,)
    imaginary: Array  # (M,)
    v: Array  # (M, 12) the products of joints 4 and 5
    norm: Array  # (N,) of the inverse that was needed


def starts(chain: Serial, G: Array, third: int) -> Starts:
    """A start for every solution of E_1 … E_6 = G (N, 4, 4), with joint number ``third`` as the eigenvalue."""
    loop = _loop(chain, G, (third - 2) % 6)
    equations = _eliminated(loop)
    roots = _sliding_roots if loop.slides else _turning_roots
    found = roots(equations)
    q = _joints(loop, equations, found)
    return Starts(found.pose, q, found.imaginary, found.norm > _SINGULAR)


def _loop(chain: Serial, G: Array, first: int) -> Loop:
    """The lines from joint ``first`` on; those before it come last, moved by G⁻¹: E_k … E_6 G⁻¹ E_1 … E_{k−1} = 1."""
    order = (first + np.arange(6)) % 6
    axes, points = chain.axes[None, order], chain.points[None, order]
    if first:
        back = np.where((order < first)[:, None, None], inverse(G)[:, None], np.eye(4))
        axes, points = _directed(back, axes), _moved(back, points)
    points, size = _centred(axes, points), arm_length(chain)
    Z = _upright(axes[:, 2])
    X = rigid(Z, -(Z @ points[:, 2, :, None])[..., 0])
    moved = X @ G @ inverse(X)
    moved[:, :3, 3] /= size
    lines = _directed(X[:, None], axes), _moved(X[:, None], points) / size
    return Loop(order, *lines, moved, size, slides=not chain.revolute[order[2]])


def arm_length(chain: Serial) -> float:
    """How far apart the lines of a chain are, roughly: the unit of length."""
    points = _centred(chain.axes[None], chain.points[None])
    return max(3 * float(np.std(points, axis=1).max()), 1e-9)


def _centred(axes: Array, points: Array) -> Array:
    """On each line the point nearest to the middle of the given ones."""
    to_middle = points.mean(axis=1, keepdims=True) - points
    return points + np.sum(to_middle * axes, axis=-1, keepdims=True) * axes


def _upright(a: Array) -> Array:
    """Rotations that take unit vectors to z."""
    helper = np.where(np.abs(a[..., :1]) < 0.6, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    x = np.cross(helper, a)
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    return np.stack([x, np.cross(a, x), a], axis=-2)


def _directed(T: Array, v: Array) -> Array:
    return (T[..., :3, :3] @ v[..., None])[..., 0]


def _moved(T: Array, p: Array) -> Array:
    return _directed(T, p) + T[..., :3, 3]


def _eliminated(loop: Loop) -> Eliminated:
    p, l = loop.points[:, 5], loop.axes[:, 5]
    maps = [turn_maps(loop.axes[:, i], loop.points[:, i]) for i in (0, 1, 3, 4)]
    left = _both(maps[2], maps[3], line_numbers(p, l))
    asked = line_numbers(_moved(loop.G, p), _directed(loop.G, l))
    right = _both(maps[1] * _BACKWARDS, maps[0] * _BACKWARDS, asked)[:, :14].reshape(-1, 14, 9)
    Q, R = np.linalg.qr(right[:, :, 1:], mode="complete")
    return Eliminated(left, right, Q[:, :, :8], R[:, :8], Q[:, :, 8:].swapaxes(1, 2))


def _both(outer: Array, inner: Array, line: Array) -> Array:
    """(N, 15, 3, 3): a line turned by two joints, as what the products of their 1, cos, sin multiply."""
    once = (inner @ line[:, None, :, None])[..., 0].swapaxes(1, 2)
    return (outer @ once[:, None]).swapaxes(1, 2)


def _doubled(rows: Array) -> Array:
    """(N, 2k, 12): k rows in products of joints 4 and 5, times cos θ_4/2 and times sin θ_4/2."""
    n, k = rows.shape[:2]
    return np.einsum("nkab,ach->nkchb", rows.reshape(n, k, 3, 3), _HALVES).reshape(n, 2 * k, 12)


def _turning_roots(equations: Eliminated) -> Roots:
    """Every θ_3 that is nearly real."""
    left, free = equations.left, equations.free
    constant = free[:, :, 8:] @ left[:, 8:14].reshape(-1, 6, 9)
    constant[:, :, 0] -= (free @ equations.right[:, :, :1])[..., 0]
    C, Y = _doubled(constant), _doubled(left[:, :8])
    U = np.einsum("nek,cd->neckd", free[:, :, :8], np.eye(2)).reshape(-1, 12, 16)
    phi, D, norm = _shifted(C, U, Y)
    x, w = np.linalg.eig(_J @ (2 * Y @ D - np.eye(16)))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (1 + 1j * x) / (1 - 1j * x)
        imaginary = _imaginary(x, np.log(np.abs(z)))
    pose, k = np.nonzero((imaginary < NEARLY_REAL) & (np.imag(x) >= 0))
    v = D[pose] @ w[pose, :, k][..., None]
    return Roots(pose, phi[pose] + np.angle(z[pose, k]), imaginary[pose, k], v[..., 0], norm)


def _imaginary(x: Array, part: Array) -> Array:
    """Zero for a real eigenvalue and only for one: a double root may be a pair that rounding has parted."""
    return np.where(np.imag(x) == 0, 0.0, np.maximum(np.abs(part), 1e-300))


def _shifted(C: Array, U: Array, Y: Array) -> tuple[Array, Array, Array]:
    """φ of each pose, the best of a few where the first is close to a root, −S⁻¹ U Rot(φ), and the norm of S⁻¹."""
    Y = np.broadcast_to(Y, (len(C), 16, 12))
    least, phi, D = np.full(len(C), np.inf), np.zeros(len(C)), np.zeros((len(C), 12, 16))
    for angle in _PHI:
        (todo,) = np.nonzero(least > _WELL)
        U_phi = U[todo] @ (np.cos(angle) * np.eye(16) + np.sin(angle) * _J)
        inverted = _inverted(C[todo] - U_phi @ Y[todo])
        norm = np.linalg.norm(inverted, axis=(1, 2))
        better = norm < least[todo]
        best = todo[better]
        least[best], phi[best], D[best] = norm[better], angle, -inverted[better] @ U_phi[better]
    return phi, D, least


def _inverted(S: Array) -> Array:
    """The inverses; of norm 10¹⁵ and more where there is none."""
    try:
        return np.linalg.inv(S)
    except np.linalg.LinAlgError:  # a pivot that is exactly zero, somewhere in the batch
        left, values, right = np.linalg.svd(S)
        values = np.maximum(values, 1e-15 * np.maximum(values[:, :1], 1e-3))
        return (right.swapaxes(1, 2) / values[:, None]) @ left.swapaxes(1, 2)


def _sliding_roots(equations: Eliminated) -> Roots:
    """Every d that is nearly real and not at infinity."""
    n = len(equations.right)
    powers = [equations.free @ (A @ equations.left.reshape(-1, 15, 9)) for A in _SLIDE]
    powers[0][:, :, 0] -= (equations.free @ equations.right[:, :, :1])[..., 0]
    C0, C1, C2 = map(_doubled, powers)
    least = np.full(n, np.inf)
    start, companion = np.zeros(n), np.zeros((n, 24, 24))
    companion[:, :12, 12:] = np.eye(12)
    for d in _D0:
        inverted = _inverted(C0 + d * C1 + d**2 * C2)
        norm = np.linalg.norm(inverted, axis=(1, 2))
        better = norm < least
        least[better], start[better] = norm[better], d
        companion[better, 12:, :12] = -inverted[better] @ C2[better]
        companion[better, 12:, 12:] = -inverted[better] @ (C1 + 2 * d * C2)[better]
    x, w = np.linalg.eig(companion)
    with np.errstate(divide="ignore", invalid="ignore"):
        slide = start[:, None] + 1 / x
    imaginary = _imaginary(x, slide.imag)
    pose, k = np.nonzero((imaginary < NEARLY_REAL) & (np.abs(slide) < FAR) & (np.imag(x) >= 0))
    return Roots(pose, slide[pose, k].real, imaginary[pose, k], w[pose, 12:, k], least)


def _joints(loop: Loop, equations: Eliminated, roots: Roots) -> Array:
    """(M, 6): all joints, from the third and the products of joints 4 and 5."""
    pose, third = roots.pose, roots.third
    fourth, fifth = _factors(roots.v)
    first, second = _first_two(loop, equations, pose, third, fourth, fifth)
    q = np.stack([first, second, third, fourth, fifth], axis=-1)
    axes = np.broadcast_to(loop.axes, (len(loop.G), 6, 3))[pose]
    R = np.eye(3)
    for i in range(5):
        R = R if loop.slides and i == 2 else R @ turn(axes[:, i], q[:, i])
    sixth = _angle_about(axes[:, 5], R.swapaxes(-1, -2) @ loop.G[pose, :3, :3])
    joints = np.empty((len(pose), 6))
    joints[:, loop.order] = np.concatenate([q, sixth[:, None]], axis=-1)
    if loop.slides:
        joints[:, loop.order[2]] *= loop.size
    return joints


def _factors(v: Array) -> tuple[Array, Array]:
    """θ_4 and θ_5 from a multiple of their products, v (M, 12), which has rank one as 4 × 3."""
    largest = np.take_along_axis(v, np.argmax(np.abs(v), axis=-1)[:, None], axis=-1)
    table = (v / largest).real.reshape(-1, 4, 3)
    row = np.argmax(np.linalg.norm(table, axis=2), axis=1)
    column = np.argmax(np.linalg.norm(table, axis=1), axis=1)
    of_fifth = np.take_along_axis(table, row[:, None, None], axis=1)[:, 0]
    of_fourth = np.take_along_axis(table, column[:, None, None], axis=2)[..., 0]
    sign = np.sign(of_fifth[:, 0])
    fifth = np.arctan2(sign * of_fifth[:, 2], sign * of_fifth[:, 1])
    return 2 * np.arctan2(of_fourth[:, 1], of_fourth[:, 0]), fifth


def _first_two(
    loop: Loop, equations: Eliminated, pose: Array, third: Array, fourth: Array, fifth: Array
) -> tuple[Array, Array]:
    """θ_1 and θ_2 from the equations that are linear in their products."""
    left = np.broadcast_to(equations.left, (len(loop.G), 15, 3, 3))[pose]
    y = np.einsum("nkab,na,nb->nk", left, _wave(fourth), _wave(fifth))
    if loop.slides:
        powers = np.stack([np.ones_like(third), third, third**2], axis=-1)
        y = np.einsum("np,pij,nj->ni", powers, _SLIDE, y)
    else:
        c, s = np.cos(third)[:, None], np.sin(third)[:, None]
        x, y, rest = y[:, :4], y[:, 4:8], y[:, 8:14]
        y = np.concatenate([c * x - s * y, s * x + c * y, rest], axis=-1)
    y = (y - equations.right[pose, :, 0])[..., None]
    products = _inverted(equations.triangle)[pose] @ (equations.kept[pose].swapaxes(1, 2) @ y)
    c1, s1, c2, s2 = (products[:, i, 0] for i in (0, 1, 2, 5))
    return np.arctan2(s1, c1), np.arctan2(s2, c2)


def _wave(angle: Array) -> Array:
    return np.stack([np.ones_like(angle), np.cos(angle), np.sin(angle)], axis=-1)


def _angle_about(a: Array, R: Array) -> Array:
    """The angle by which R turns about a."""
    along = np.einsum("ni,nij,nj->n", a, R, a)
    return np.arctan2(2 * np.sum(a * vee(R), axis=-1), np.trace(R, axis1=1, axis2=2) - along)
