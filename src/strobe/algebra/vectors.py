"""Three numbers in some axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from strobe.scalars import Num


@dataclass(frozen=True, slots=True, eq=False)
class Vec3:
    """A vector. A number stands on the right: ``v * s``."""

    x: Num
    y: Num
    z: Num

    @classmethod
    def zero(cls) -> Vec3:
        return cls(0.0, 0.0, 0.0)

    @classmethod
    def unit(cls, axis: int, sign: int = 1) -> Vec3:
        """The unit vector of axis 0, 1 or 2."""
        return cls(*(sign if k == axis else 0 for k in range(3)))

    def __add__(self, b: Vec3) -> Vec3:
        return Vec3(self.x + b.x, self.y + b.y, self.z + b.z)

    def __sub__(self, b: Vec3) -> Vec3:
        return Vec3(self.x - b.x, self.y - b.y, self.z - b.z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, s: Num) -> Vec3:
        return Vec3(self.x * s, self.y * s, self.z * s)

    def dot(self, b: Vec3) -> Num:
        return self.x * b.x + self.y * b.y + self.z * b.z

    def cross(self, b: Vec3) -> Vec3:
        return Vec3(
            self.y * b.z - self.z * b.y,
            self.z * b.x - self.x * b.z,
            self.x * b.y - self.y * b.x,
        )

    def turned(self, axis: int, c: Num, s: Num) -> Vec3:
        """This vector rotated about a coordinate axis: four multiplications, two additions."""
        x, y, z = self.x, self.y, self.z
        if axis == 0:
            return Vec3(x, y * c - z * s, y * s + z * c)
        if axis == 1:
            return Vec3(x * c + z * s, y, z * c - x * s)
        return Vec3(x * c - y * s, x * s + y * c, z)

    def map(self, function: Callable[[Num], Num]) -> Vec3:
        return Vec3(function(self.x), function(self.y), function(self.z))

    def __iter__(self) -> Iterator[Num]:
        return iter((self.x, self.y, self.z))
