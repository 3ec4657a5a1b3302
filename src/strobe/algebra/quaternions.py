"""Unit quaternions in the order w x y z."""

from __future__ import annotations

from strobe.algebra.matrices import Mat3
from strobe.algebra.vectors import Vec3
from strobe.scalars import Num

OFF_UNIT = 1e-3  # by which the length of a given quaternion may differ from one: three typed digits
SQUARES = (1.0 - OFF_UNIT) ** 2, (1.0 + OFF_UNIT) ** 2  # the squared lengths that are taken


def quaternion_rotation(w: Num, x: Num, y: Num, z: Num) -> Mat3:
    """The rotation of a quaternion: the homogeneous form divided by |q|², so no square root."""
    ww, xx, yy, zz = w * w, x * x, y * y, z * z
    s = 2.0 / (ww + xx + yy + zz)
    xy, xz, yz, wx, wy, wz = x * y, x * z, y * z, w * x, w * y, w * z
    return Mat3(
        Vec3(1.0 - s * (yy + zz), s * (xy - wz), s * (xz + wy)),
        Vec3(s * (xy + wz), 1.0 - s * (xx + zz), s * (yz - wx)),
        Vec3(s * (xz - wy), s * (yz + wx), 1.0 - s * (xx + yy)),
    )
