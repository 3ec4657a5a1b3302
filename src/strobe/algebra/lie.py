"""Exponential and logarithm of rotations and placements, on quaternions w x y z.

    exp(φ)  = (cos θ/2, φ · sin(θ/2)/θ)                        θ = |φ|
    V(φ)    = 1 + (1 − cos θ)/θ² [φ×] + (θ − sin θ)/θ³ [φ×]²    p = V(φ) u for a twist (u, φ)

Every quotient is replaced by its series where θ is small, through `where`, so the same code runs on
a batch and in a graph. Small means θ² < 1e-3: with the terms kept the error is below 1e-16.
"""

from __future__ import annotations

from strobe.algebra.vectors import Vec3
from strobe.scalars import Num, Numbers, atan2, cos, less, sin, sqrt, where

SMALL = 1e-3


def quaternion_product(p: Numbers, q: Numbers) -> list[Num]:
    (a, b, c, d), (w, x, y, z) = p, q
    return [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]


def quaternion_difference(p: Numbers, q: Numbers) -> list[Num]:
    """p⁻¹ q, up to length."""
    w, x, y, z = p
    return quaternion_product([w, -x, -y, -z], q)


def rotation_exponential(phi: Vec3) -> list[Num]:
    """The quaternion of a rotation vector."""
    t2 = phi.dot(phi)
    small, safe = _guarded(t2)
    half = sqrt(safe) * 0.5
    w = where(small, _series(t2, 1.0, -1 / 8, 1 / 384, -1 / 46080), cos(half))
    k = where(small, _series(t2, 1 / 2, -1 / 48, 1 / 3840, -1 / 645120), sin(half) / (half * 2.0))
    return [w, *(phi * k)]


def normalised(q: Numbers) -> list[Num]:
    """The unit quaternion of the same rotation."""
    w, x, y, z = q
    scale = 1.0 / sqrt(w * w + x * x + y * y + z * z)
    return [w * scale, x * scale, y * scale, z * scale]


def rotation_logarithm(q: Numbers) -> Vec3:
    """The rotation vector of a quaternion of any length, shorter than π."""
    q = normalised(q)
    w, v = q[0], Vec3(*q[1:])
    s2 = v.dot(v)
    sign = where(less(w, 0.0), -1.0, 1.0)  # q and −q are one rotation: take the short way
    small, safe = _guarded(s2)
    s = sqrt(safe)
    # atan2(s, w)/s = asin(s)/s = 1 + s²/6 + 3 s⁴/40 + 15 s⁶/336 + … for w > 0
    k = where(
        small,
        _series(s2, 2.0, 1 / 3, 3 / 20, 5 / 56, 35 / 576, 63 / 1408),
        2.0 * atan2(s, w * sign) / s,
    )
    return v * (k * sign)


def pose_exponential(u: Vec3, phi: Vec3) -> tuple[Vec3, list[Num]]:
    """Where a body twist (linear u, angular φ) held for unit time takes the body: position, quaternion."""
    t2 = phi.dot(phi)
    small, safe = _guarded(t2)
    t = sqrt(safe)
    b = where(small, _series(t2, 1 / 2, -1 / 24, 1 / 720, -1 / 40320), (1.0 - cos(t)) / safe)
    c = where(small, _series(t2, 1 / 6, -1 / 120, 1 / 5040, -1 / 362880), (t - sin(t)) / (safe * t))
    once = phi.cross(u)
    return u + once * b + phi.cross(once) * c, rotation_exponential(phi)


def pose_logarithm(p: Vec3, q: Numbers) -> tuple[Vec3, Vec3]:
    """The body twist (linear, angular) that leads to a position and quaternion in unit time."""
    phi = rotation_logarithm(q)
    t2 = phi.dot(phi)
    small, safe = _guarded(t2)
    t = sqrt(safe)
    # V⁻¹ = 1 − ½ [φ×] + k [φ×]²,  k = (1 − (θ/2) cot(θ/2))/θ²
    cotangent = (t * 0.5) * cos(t * 0.5) / sin(t * 0.5)
    k = where(small, _series(t2, 1 / 12, 1 / 720, 1 / 30240, 1 / 1209600), (1.0 - cotangent) / safe)
    once = phi.cross(p)
    return p - once * 0.5 + phi.cross(once) * k, phi


def _guarded(x: Num) -> tuple[Num, Num]:
    """Whether x is small, and x or 1 instead, so that no quotient divides by zero."""
    small = less(x, SMALL)
    return small, where(small, 1.0, x)


def _series(x: Num, *coefficients: float) -> Num:
    """A polynomial by Horner's rule."""
    total: Num = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total
