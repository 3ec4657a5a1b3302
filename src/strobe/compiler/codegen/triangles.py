"""Triangles that least squares keeps: how many numbers, and where they lie. What turns rows into them is in
`llvm_triangles`, and as C99 in `c_estimator`.

A row of joint i depends on unknowns of its own and on those that all joints share. Its numbers are the own ones, the
shared ones, the right-hand side, and zeros up to a whole vector. In memory there are first the own rows of each
joint, then the rows that all share (their own numbers are zero), then two numbers of each joint: the squares that are
left over, and how many rows told something.
"""

from __future__ import annotations

from dataclasses import dataclass

ALIGNED = 8  # numbers: rows begin where vectors of any width do


@dataclass(frozen=True)
class Triangles:
    """Sizes: joints, with so many unknowns of their own each, and so many that all share."""

    joints: int
    own: int
    shared: int

    @property
    def unknowns(self) -> int:
        """What one row depends on."""
        return self.own + self.shared

    @property
    def stride(self) -> int:
        """Numbers from row to row."""
        return _whole(self.unknowns + 1)

    @property
    def rows(self) -> int:
        """Of all triangles."""
        return self.joints * self.own + self.shared

    @property
    def sums(self) -> int:
        """Where the squares that are left over lie."""
        return self.rows * self.stride

    @property
    def told(self) -> int:
        """Where the numbers of rows lie."""
        return self.sums + _whole(self.joints)

    @property
    def size(self) -> int:
        """Numbers in memory."""
        return self.told + _whole(self.joints)


def _whole(count: int) -> int:
    return -(-count // ALIGNED) * ALIGNED
