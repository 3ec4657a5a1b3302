"""Spatial vectors, angular part first [Featherstone2008].

v × u    = (ω × ω_u,  ω × v_u + v × ω_u)            motion on motion
v ×* f   = (ω × n + v × f,  ω × f)                  motion on force
I v      = (I ω + h × v,  m v − h × ω)              h = m c, I about the body's origin
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import overload

from strobe.algebra.matrices import Sym3
from strobe.algebra.vectors import Vec3
from strobe.scalars import Num, Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """A velocity or acceleration: of rotation, and of the point at the origin."""

    angular: Vec3
    linear: Vec3

    @classmethod
    def zero(cls) -> Motion:
        return cls(Vec3.zero(), Vec3.zero())

    def __add__(self, u: Motion) -> Motion:
        return Motion(self.angular + u.angular, self.linear + u.linear)

    def __sub__(self, u: Motion) -> Motion:
        return Motion(self.angular - u.angular, self.linear - u.linear)

    def __neg__(self) -> Motion:
        return Motion(-self.angular, -self.linear)

    def __mul__(self, s: Num) -> Motion:
        return Motion(self.angular * s, self.linear * s)

    @overload
    def cross(self, other: Motion) -> Motion: ...
    @overload
    def cross(self, other: Force) -> Force: ...
    def cross(self, other: Motion | Force) -> Motion | Force:
        """How a vector carried along by this motion changes: v × u, or v ×* f."""
        w, v = self.angular, self.linear
        if isinstance(other, Motion):
            return Motion(w.cross(other.angular), w.cross(other.linear) + v.cross(other.angular))
        return Force(w.cross(other.moment) + v.cross(other.force), w.cross(other.force))

    def dot(self, f: Force) -> Num:
        """The power of a force along this motion."""
        return self.angular.dot(f.moment) + self.linear.dot(f.force)


@dataclass(frozen=True, slots=True, eq=False)
class Force:
    """A moment about the origin, and a force."""

    moment: Vec3
    force: Vec3

    @classmethod
    def zero(cls) -> Force:
        return cls(Vec3.zero(), Vec3.zero())

    def __add__(self, g: Force) -> Force:
        return Force(self.moment + g.moment, self.force + g.force)

    def __sub__(self, g: Force) -> Force:
        return Force(self.moment - g.moment, self.force - g.force)

    def __neg__(self) -> Force:
        return Force(-self.moment, -self.force)

    def __mul__(self, s: Num) -> Force:
        return Force(self.moment * s, self.force * s)


@dataclass(frozen=True, slots=True, eq=False)
class Inertia:
    """The ten parameters of a rigid body about an origin: m, h = m c, I."""

    m: Num
    h: Vec3
    I: Sym3

    @classmethod
    def zero(cls) -> Inertia:
        return cls(0.0, Vec3.zero(), Sym3.zero())

    def __add__(self, b: Inertia) -> Inertia:
        return Inertia(self.m + b.m, self.h + b.h, self.I + b.I)

    def __matmul__(self, v: Motion) -> Force:
        w, u = v.angular, v.linear
        return Force(self.I @ w + self.h.cross(u), u * self.m - self.h.cross(w))

    @property
    def parameters(self) -> list[Num]:
        """m, m·cx, m·cy, m·cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz."""
        return [self.m, *self.h, *self.I]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The motions that a joint allows, one per degree of freedom: S."""

    columns: tuple[Motion, ...]

    def __matmul__(self, rates: Numbers) -> Motion:
        """S q̇."""
        total: Motion | None = None
        for column, rate in zip(self.columns, rates, strict=True):
            part = column * rate
            total = part if total is None else total + part
        return total or Motion.zero()

    @property
    def T(self) -> Projection:
        return Projection(self.columns)

    def map(self, function: Callable[[Motion], Motion]) -> Columns:
        return Columns(tuple(map(function, self.columns)))

    def __iter__(self) -> Iterator[Motion]:
        return iter(self.columns)


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """Sᵀ: a force on a body seen by its joint."""

    columns: tuple[Motion, ...]

    def __matmul__(self, f: Force) -> list[Num]:
        return [column.dot(f) for column in self.columns]
