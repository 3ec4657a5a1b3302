"""3×3, symmetric 3×3 and 4×4 matrices over numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import overload

from strobe.algebra.vectors import Vec3
from strobe.scalars import Num, Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Mat3:
    """Three rows."""

    a: Vec3
    b: Vec3
    c: Vec3

    @classmethod
    def identity(cls) -> Mat3:
        return cls(Vec3.unit(0), Vec3.unit(1), Vec3.unit(2))

    @classmethod
    def zero(cls) -> Mat3:
        return cls(Vec3.zero(), Vec3.zero(), Vec3.zero())

    @classmethod
    def cross(cls, v: Vec3) -> Mat3:
        """The matrix [v×] with [v×] b = v × b."""
        return cls(Vec3(0.0, -v.z, v.y), Vec3(v.z, 0.0, -v.x), Vec3(-v.y, v.x, 0.0))

    @classmethod
    def acceleration(cls, w: Vec3, al: Vec3) -> Mat3:
        """[α×] + [ω×]², which takes a vector fixed to a turning body to its acceleration: 6 products, 9 sums."""
        xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
        xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
        return cls(
            Vec3(-(yy + zz), xy - al.z, xz + al.y),
            Vec3(xy + al.z, -(zz + xx), yz - al.x),
            Vec3(xz - al.y, yz + al.x, -(xx + yy)),
        )

    @classmethod
    def outer(cls, v: Vec3, w: Vec3) -> Mat3:
        """v wᵀ."""
        return cls(w * v.x, w * v.y, w * v.z)

    @property
    def T(self) -> Mat3:
        a, b, c = self.a, self.b, self.c
        return Mat3(Vec3(a.x, b.x, c.x), Vec3(a.y, b.y, c.y), Vec3(a.z, b.z, c.z))

    def __add__(self, m: Mat3) -> Mat3:
        return Mat3(self.a + m.a, self.b + m.b, self.c + m.c)

    def __sub__(self, m: Mat3) -> Mat3:
        return Mat3(self.a - m.a, self.b - m.b, self.c - m.c)

    def __neg__(self) -> Mat3:
        return Mat3(-self.a, -self.b, -self.c)

    def __mul__(self, s: Num) -> Mat3:
        return Mat3(self.a * s, self.b * s, self.c * s)

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Mat3) -> Mat3: ...
    def __matmul__(self, other: Vec3 | Mat3) -> Vec3 | Mat3:
        if isinstance(other, Vec3):
            return Vec3(self.a.dot(other), self.b.dot(other), self.c.dot(other))
        t = other.T
        return Mat3(t @ self.a, t @ self.b, t @ self.c)

    def trace(self) -> Num:
        return self.a.x + self.b.y + self.c.z

    def map(self, function: Callable[[Num], Num]) -> Mat3:
        return Mat3(self.a.map(function), self.b.map(function), self.c.map(function))

    def __iter__(self) -> Iterator[Vec3]:
        return iter((self.a, self.b, self.c))


@dataclass(frozen=True, slots=True, eq=False)
class Sym3:
    """A symmetric 3×3 matrix by its entries xx, yy, zz, xy, xz, yz."""

    xx: Num
    yy: Num
    zz: Num
    xy: Num
    xz: Num
    yz: Num

    @classmethod
    def zero(cls) -> Sym3:
        return cls(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    @classmethod
    def of(cls, m: Mat3) -> Sym3:
        """The upper triangle of a matrix known to be symmetric."""
        return cls(m.a.x, m.b.y, m.c.z, m.a.y, m.a.z, m.b.z)

    @classmethod
    def steiner(cls, c: Vec3, h: Vec3) -> Sym3:
        """(c·h) 1 − c hᵀ: what a mass with first moment h = m c adds to the inertia about the origin."""
        x, y, z = c.x * h.x, c.y * h.y, c.z * h.z
        return cls(y + z, x + z, x + y, -(c.x * h.y), -(c.x * h.z), -(c.y * h.z))

    def __add__(self, m: Sym3) -> Sym3:
        return Sym3(*(p + q for p, q in zip(self, m, strict=True)))

    def __sub__(self, m: Sym3) -> Sym3:
        return Sym3(*(p - q for p, q in zip(self, m, strict=True)))

    def __matmul__(self, v: Vec3) -> Vec3:
        return Vec3(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )

    def matrix(self) -> Mat3:
        return Mat3(
            Vec3(self.xx, self.xy, self.xz),
            Vec3(self.xy, self.yy, self.yz),
            Vec3(self.xz, self.yz, self.zz),
        )

    def turned(self, axis: int, c: Num, s: Num) -> Sym3:
        """R self Rᵀ for a rotation R about a coordinate axis."""
        half = Mat3(*(row.turned(axis, c, s) for row in self.matrix()))  # self Rᵀ
        return Sym3.of(Mat3(*(row.turned(axis, c, s) for row in half.T)))

    def map(self, function: Callable[[Num], Num]) -> Sym3:
        return Sym3(*(function(x) for x in self))

    def __iter__(self) -> Iterator[Num]:
        return iter((self.xx, self.yy, self.zz, self.xy, self.xz, self.yz))


@dataclass(frozen=True, slots=True, eq=False)
class Mat4:
    """Four rows of four numbers; order (x, y, z, 1)."""

    rows: tuple[tuple[Num, Num, Num, Num], ...]

    @classmethod
    def homogeneous(cls, R: Mat3, p: Vec3) -> Mat4:
        """[R p; 0 0 0 1]."""
        upper = ((*row, entry) for row, entry in zip(R, p, strict=True))
        return cls((*upper, (0, 0, 0, 1)))  # pyright: ignore[reportArgumentType]

    @property
    def T(self) -> Mat4:
        return Mat4(tuple(zip(*self.rows, strict=True)))  # pyright: ignore[reportArgumentType]

    def __matmul__(self, m: Mat4) -> Mat4:
        columns = m.T.rows
        return Mat4(tuple(tuple(_dot(row, column) for column in columns) for row in self.rows))  # pyright: ignore

    def __add__(self, m: Mat4) -> Mat4:
        return self._zip(m, lambda p, q: p + q)

    def __sub__(self, m: Mat4) -> Mat4:
        return self._zip(m, lambda p, q: p - q)

    def __mul__(self, s: Num) -> Mat4:
        return self.map(lambda p: p * s)

    def apply(self, v: Numbers) -> list[Num]:
        """The product with a column of four numbers."""
        return [_dot(row, v) for row in self.rows]

    def trace(self) -> Num:
        r = self.rows
        return r[0][0] + r[1][1] + r[2][2] + r[3][3]

    def map(self, function: Callable[[Num], Num]) -> Mat4:
        return Mat4(tuple(tuple(function(x) for x in row) for row in self.rows))  # pyright: ignore

    def _zip(self, m: Mat4, function: Callable[[Num, Num], Num]) -> Mat4:
        rows = zip(self.rows, m.rows, strict=True)
        return Mat4(tuple(tuple(map(function, p, q)) for p, q in rows))  # pyright: ignore


def _dot(p: Numbers, q: Numbers) -> Num:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]
