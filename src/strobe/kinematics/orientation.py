"""Ways to write an orientation down, and what the rates of each set of angles have to do with ω; batched.

    quaternion        (w x y z), length 1, w ≥ 0             ω = 2 q̇ q*
    rotation-vector   r = θ·axis, |r| ≤ π                    ω = (1 + (1−cos θ)/θ² S + (θ−sin θ)/θ³ S²) ṙ,  S = S(r)
    rpy               R = Rz(yaw) Ry(pitch) Rx(roll)         ω = Rz Ry x̂ roll' + Rz ŷ pitch' + ẑ yaw'
    waters            αx = atan2(R32, R22), αy = atan2(R13, R33), αz = atan2(R21, R11)
                      α'x = ωx − R12 (ωy R22 + ωz R32) / (R22² + R32²), and so on cyclically

Waters' angles are those of the hand's Y, Z, X axis seen along the base's X, Y, Z axis [Waters1979]. Back, with c, s
their cosines and sines: squared columns and rows of R have sum one, which gives the ratios of a, b, c below; R equal
to its matrix of cofactors gives their size, and then linear equations for the other three entries:

    A = cy² + sy² sx²   B = cz² + sz² sy²   C = sz² + cz² cx²   m = cx cy cz + sx sy sz
    a = m/√(BC)         b = m/√(AC)         c = m/√(AB)         (R11, R21) = a (cz, sz), (R22, R32) = b (cx, sx), …

Every three angles with m > 0 belong to exactly one rotation, those with m ≤ 0 to none. The angles are undefined where
a, b or c is zero: an axis of the hand points along the direction that it is seen from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked
from strobe.errors import ArgumentError, vector
from strobe.kinematics.screws import cross_matrix
from strobe.models.arguments import require_choice

Array = np.ndarray

ROTATION = 1e-5  # how far RᵀR may be from 1, and the length of a quaternion from one
LOCKED = 1e-10  # below this sine or length the rates of angles are nothing but rounding


@dataclass(frozen=True, slots=True)
class Angles:
    """One set of numbers for an orientation: conversions, and linear maps between ω and their rates."""

    name: str
    labels: tuple[str, ...]
    of_matrix: Callable[[Array], Array]
    matrix: Callable[[Array], Array]
    rates: Callable[[Array, Array], Array]  # (angles, R) -> B, rates = B ω
    velocity: Callable[[Array, Array], Array]  # (angles, R) -> A, ω = A rates
    undefined: str  # where rates do not exist, in words

    @property
    def size(self) -> int:
        return len(self.labels)


def named_angles(name: str) -> Angles:
    """The set of angles with this name."""
    return ANGLES[require_choice("orientation", name, ANGLES)]


def angles_of(R: Any, named: str) -> Array:
    """The named angles (..., 3), or the quaternion (..., 4), of rotation matrices (..., 3, 3)."""
    return named_angles(named).of_matrix(checked_rotation(R))


def matrix_of(angles: Any, named: str) -> Array:
    """The rotation matrices (..., 3, 3) of named angles."""
    chosen = named_angles(named)
    return chosen.matrix(checked_angles(angles, chosen))


def rates_map(angles: Any, named: str) -> Array:
    """The matrices B (..., k, 3) that make rates of the named angles of ω, base axes; NaN where there are none."""
    chosen = named_angles(named)
    here = checked_angles(angles, chosen)
    return chosen.rates(here, chosen.matrix(here))


def velocity_map(angles: Any, named: str) -> Array:
    """The matrices A (..., 3, k) that make ω, base axes, of the rates of named angles."""
    chosen = named_angles(named)
    here = checked_angles(angles, chosen)
    return chosen.velocity(here, chosen.matrix(here))


# -- the border -----------------------------------------------------------------------------------------


def checked_angles(angles: Any, chosen: Angles, name: str = "angles") -> Array:
    """Angles as an array (..., k)."""
    why = f"{chosen.name} has {chosen.size} numbers ({', '.join(chosen.labels)})"
    return checked(name, angles, (chosen.size,), why).astype(float, copy=False)


def checked_rotation(R: Any, name: str = "R") -> Array:
    """Rotation matrices (..., 3, 3); what is none is refused, a NaN goes through."""
    array = checked(name, R, (3, 3), "a rotation is a 3×3 matrix").astype(float, copy=False)
    with np.errstate(invalid="ignore"):
        wrong = np.abs(np.swapaxes(array, -1, -2) @ array - np.eye(3)).max((-1, -2)) > ROTATION
        mirror = ~wrong & (np.linalg.det(array) < 0)
    if wrong.any():
        where, k = first_of(wrong)
        off = np.abs(array[k].T @ array[k] - np.eye(3)).max()
        raise ArgumentError(
            f"{name}{where} is no rotation: RᵀR differs from the identity by {off:.2g}, at most {ROTATION:g} is "
            "taken for rounding. Its columns must be perpendicular unit vectors."
        )
    if mirror.any():
        raise ArgumentError(
            f"{name}{first_of(mirror)[0]} is no rotation but a reflection: its determinant is −1. "
            "Its third column must be the cross product of the first two."
        )
    return array


def first_of(wrong: Array) -> tuple[str, tuple[int, ...]]:
    """Where the first of the wrong ones is, as a sentence says it and as an index."""
    k = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"[{', '.join(map(str, k))}]" if k else "", k


# -- quaternions ------------------------------------------------------------------------------------------


def _quaternion_of(R: Array) -> Array:
    """By the largest of 4 w², 4 x², 4 y², 4 z², which is at least one: no cancellation anywhere."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = _entries(R)
    columns = _matrix(  # 4 q qᵀ
        (1 + xx + yy + zz, zy - yz, xz - zx, yx - xy),
        (zy - yz, 1 + xx - yy - zz, xy + yx, xz + zx),
        (xz - zx, xy + yx, 1 - xx + yy - zz, yz + zy),
        (yx - xy, xz + zx, yz + zy, 1 - xx - yy + zz),
    )
    largest = np.argmax(np.diagonal(columns, axis1=-2, axis2=-1), axis=-1)
    chosen = np.take_along_axis(columns, largest[..., None, None], axis=-1)[..., 0]
    return _signed(chosen / np.linalg.norm(chosen, axis=-1, keepdims=True))


def _signed(q: Array) -> Array:
    """q or −q, the one whose first number other than zero is positive."""
    nonzero = np.argmax(np.abs(q) > 1e-15, axis=-1)
    return q * np.where(np.take_along_axis(q, nonzero[..., None], axis=-1) < 0, -1.0, 1.0)


def _quaternion_matrix(q: Array) -> Array:
    lengths = np.linalg.norm(q, axis=-1, keepdims=True)
    wrong = np.abs(lengths[..., 0] - 1) > ROTATION
    if wrong.any():
        where, k = first_of(wrong)
        raise ArgumentError(
            f"quaternion{where} {vector(q[k])} has length {lengths[k][0]:.6g}; expected 1, in the order w x y z. "
            "Divide it by its length."
        )
    w, x, y, z = np.moveaxis(q / lengths, -1, 0)
    return _matrix(
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def _quaternion_rates(q: Array, _: Array) -> Array:
    """q̇ = ½ (0, ω) q."""
    return 0.25 * np.swapaxes(_quaternion_velocity(q, _), -1, -2)


def _quaternion_velocity(q: Array, _: Array) -> Array:
    """ω = 2 q̇ q*, for |q| = 1."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    return 2 * _matrix((-x, w, -z, y), (-y, z, w, -x), (-z, -y, x, w))


# -- rotation vectors -------------------------------------------------------------------------------------


def _rotation_vector_of(R: Array) -> Array:
    q = _quaternion_of(R)
    w, v = q[..., :1], q[..., 1:]
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v * np.where(length > 0, 2 * np.arctan2(length, w) / np.where(length > 0, length, 1.0), 2.0)


def rotation_vector_matrix(r: Array) -> Array:
    """exp(S(r)) (..., 3, 3): the rotation about r by its length."""
    S = cross_matrix(r)
    first, second, _ = _series(r)
    return np.eye(3) + first * S + second * (S @ S)


def _rotation_vector_velocity(r: Array, _: Array) -> Array:
    S = cross_matrix(r)
    _, second, third = _series(r)
    return np.eye(3) + second * S + third * (S @ S)


def _rotation_vector_rates(r: Array, _: Array) -> Array:
    """1 − S/2 + (1 − (θ/2) cot(θ/2))/θ² S², which is the inverse of the other."""
    S = cross_matrix(r)
    half = np.linalg.norm(r, axis=-1)[..., None, None] / 2
    small = half < 0.125
    safe = np.where(small, 1.0, half)
    series = 1 / 12 + half**2 / 180 + half**4 / 1890 + half**6 / 18900 + half**8 / 187110
    factor = np.where(small, series, (1 - safe / np.tan(safe)) / (4 * safe**2))
    full_turn = ~small & (np.abs(np.sin(half)) < LOCKED)
    return np.eye(3) - S / 2 + np.where(full_turn, np.nan, factor) * (S @ S)


def _series(r: Array) -> tuple[Array, Array, Array]:
    """sin θ/θ, (1 − cos θ)/θ², (θ − sin θ)/θ³ for θ = |r|, each with two axes more."""
    t = np.linalg.norm(r, axis=-1)[..., None, None]
    small = t < 0.5
    u, safe = t * t, np.where(small, 1.0, t)
    third = (1 - u / 20 * (1 - u / 42 * (1 - u / 72 * (1 - u / 110 * (1 - u / 156))))) / 6
    return (
        np.sinc(t / np.pi),
        0.5 * np.sinc(t / (2 * np.pi)) ** 2,
        np.where(small, third, (safe - np.sin(safe)) / safe**3),
    )


# -- roll, pitch, yaw -------------------------------------------------------------------------------------


def _rpy_of(R: Array) -> Array:
    """Yaw first, then roll from the matrix without yaw: right however near to ±π/2 the pitch is."""
    (xx, xy, xz), (yx, yy, yz), (zx, _, _) = _entries(R)
    yaw = np.arctan2(yx, xx)
    c, s = np.cos(yaw), np.sin(yaw)
    roll = np.arctan2(s * xz - c * yz, c * yy - s * xy)
    return np.stack([roll, np.arctan2(0.0 - zx, np.hypot(xx, yx)), yaw], axis=-1)


def _rpy_matrix(a: Array) -> Array:
    (cx, cy, cz), (sx, sy, sz) = (np.moveaxis(f(a), -1, 0) for f in (np.cos, np.sin))
    return _matrix(
        (cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx),
        (sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx),
        (-sy, cy * sx, cy * cx),
    )


def _rpy_velocity(a: Array, _: Array) -> Array:
    (_, cy, cz), (_, sy, sz) = (np.moveaxis(f(a), -1, 0) for f in (np.cos, np.sin))
    o = np.zeros_like(cy)
    return _matrix((cz * cy, -sz, o), (sz * cy, cz, o), (-sy, o, o + 1))


def _rpy_rates(a: Array, _: Array) -> Array:
    (_, cy, cz), (_, sy, sz) = (np.moveaxis(f(a), -1, 0) for f in (np.cos, np.sin))
    o = np.zeros_like(cy)
    c = _unless_zero(cy)
    return _matrix((cz / c, sz / c, o), (-sz, cz, o), (cz * sy / c, sz * sy / c, o + 1))


# -- Waters' angles ---------------------------------------------------------------------------------------


def _waters_of(R: Array) -> Array:
    (xx, _, xz), (yx, yy, _), (_, zy, zz) = _entries(R)
    pairs = ((zy, yy), (xz, zz), (yx, xx))
    return np.stack([np.arctan2(s, _unless_both_zero(s, c)) for s, c in pairs], axis=-1)


def _waters_matrix(angles: Array) -> Array:
    (cx, cy, cz), (sx, sy, sz) = (np.moveaxis(f(angles), -1, 0) for f in (np.cos, np.sin))
    m = cx * cy * cz + sx * sy * sz
    none = m <= 0
    if none.any():
        where, k = first_of(none)
        raise ArgumentError(
            f"no rotation has Waters' angles{where} {vector(angles[k])}: cos αx cos αy cos αz + sin αx sin αy sin αz "
            f"is {m[k]:.3g}, and it is positive for those of a rotation."
        )
    A, B, C = cy**2 + (sy * sx) ** 2, cz**2 + (sz * sy) ** 2, sz**2 + (cz * cx) ** 2
    a, b, c = m / np.sqrt(B * C), m / np.sqrt(A * C), m / np.sqrt(A * B)
    xx, yx, yy, zy, zz, xz = a * cz, a * sz, b * cx, b * sx, c * cy, c * sy
    zx = (xz * (xx * zz - yy) + yy * (yx * zy - xz)) / (xz * xz + yy * yy)  # R = its cofactors,
    xy = (yx * (yy * xx - zz) + zz * (zy * xz - yx)) / (yx * yx + zz * zz)  # two equations for each
    yz = (zy * (zz * yy - xx) + xx * (xz * yx - zy)) / (zy * zy + xx * xx)
    return _matrix((xx, xy, xz), (yx, yy, yz), (zx, zy, zz))


def _waters_rates(_: Array, R: Array) -> Array:
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = _entries(R)
    one = np.ones_like(xx)
    x, y, z = (_unless_zero(np.hypot(u, v)) ** 2 for u, v in ((yy, zy), (zz, xz), (xx, yx)))
    return _matrix(
        (one, -xy * yy / x, -xy * zy / x),
        (-yz * xz / y, one, -yz * zz / y),
        (-zx * xx / z, -zx * yx / z, one),
    )


def _waters_velocity(a: Array, R: Array) -> Array:
    """The inverse of the other map, whose determinant is nowhere below 27/32."""
    B = _waters_rates(a, R)
    known = np.isfinite(B).all((-1, -2), keepdims=True)
    return np.where(known, np.linalg.inv(np.where(known, B, np.eye(3))), np.nan)


# -- small steps ------------------------------------------------------------------------------------------


def _matrix(*rows: tuple[Array, ...]) -> Array:
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _entries(R: Array) -> Array:
    """R with its two axes in front: rows of arrays."""
    return np.moveaxis(R, (-2, -1), (0, 1))


def _unless_zero(x: Array) -> Array:
    return np.where(np.abs(x) < LOCKED, np.nan, x)


def _unless_both_zero(s: Array, c: Array) -> Array:
    return np.where(np.hypot(s, c) < LOCKED, np.nan, c)


ANGLES = {
    angles.name: angles
    for angles in (
        Angles(
            "waters", ("αx", "αy", "αz"), _waters_of, _waters_matrix, _waters_rates, _waters_velocity,
            "an axis of the hand points along the base axis that it is seen from",
        ),
        Angles(
            "rpy", ("roll", "pitch", "yaw"), _rpy_of, _rpy_matrix, _rpy_rates, _rpy_velocity,
            "the pitch is ±π/2, where roll and yaw turn about one axis",
        ),
        Angles(
            "rotation-vector", ("rx", "ry", "rz"), _rotation_vector_of, rotation_vector_matrix,
            _rotation_vector_rates, _rotation_vector_velocity,
            "the vector is as long as a full turn",
        ),
        Angles(
            "quaternion", ("w", "x", "y", "z"), _quaternion_of, _quaternion_matrix, _quaternion_rates,
            _quaternion_velocity, "nowhere",
        ),
    )
}  # fmt: skip
