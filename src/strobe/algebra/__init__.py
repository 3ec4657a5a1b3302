"""Vectors, matrices, spatial vectors and placements over numbers: small, immutable, no NumPy inside."""

from strobe.algebra.elimination import ldl_solve
from strobe.algebra.matrices import Mat3, Mat4, Sym3
from strobe.algebra.placement import Pose, Shift, Spin, Transform, Turn
from strobe.algebra.quaternions import quaternion_rotation
from strobe.algebra.spatial import Columns, Force, Inertia, Motion
from strobe.algebra.vectors import Vec3

__all__ = [
    "Columns",
    "Force",
    "Inertia",
    "Mat3",
    "Mat4",
    "Motion",
    "Pose",
    "Shift",
    "Spin",
    "Sym3",
    "Transform",
    "Turn",
    "Vec3",
    "ldl_solve",
    "quaternion_rotation",
]
