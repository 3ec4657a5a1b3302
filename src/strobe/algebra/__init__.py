"""Vectors, matrices, spatial vectors and placements over numbers: small, immutable, no NumPy inside.

In the order of the data:

    vectors      three numbers in some axes
    matrices     3×3, symmetric 3×3, 4×4
    quaternions  unit ones, w x y z
    rows         plain lists of numbers, one per joint
    spatial      motions and forces, angular part first
    placement    frames as a chain of elementary steps, never multiplied out
    lie          exponential and logarithm of rotations and placements
    elimination  LᵀDL along the sparsity of a tree
    constraints  M x = r + Jᵀλ under J x = γ, redundant rows allowed
"""

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
