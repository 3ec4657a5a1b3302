"""Placements of frames as a chain of elementary steps, applied one by one, never multiplied out.

A step takes coordinates in its inner frame to its outer frame: `Turn` about a coordinate axis,
`Shift` of the origin, `Spin` by a whole rotation matrix. A turn costs four multiplications, a matrix nine, and
the zeros of a robot stay visible in its steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from strobe.algebra.matrices import Mat3, Mat4, Sym3
from strobe.algebra.spatial import Force, Inertia, Motion
from strobe.algebra.vectors import Vec3
from strobe.scalars import FLOAT, Num, System, quarter_turns


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """A rotation about coordinate axis 0, 1 or 2. A fixed turn knows its angle."""

    axis: int
    c: Num
    s: Num
    angle: float | None = None

    @classmethod
    def by(cls, axis: int, angle: float) -> Turn:
        """A fixed rotation by an angle in radians."""
        return cls(axis, *FLOAT.circle(angle), angle)

    def outward(self, v: Vec3) -> Vec3:
        return v.turned(self.axis, self.c, self.s)

    def inward(self, v: Vec3) -> Vec3:
        return v.turned(self.axis, self.c, -self.s)

    def lift(self, system: System) -> Turn:
        if self.angle is None:
            raise ValueError("a turn without an angle is lifted already")
        return Turn(self.axis, *system.circle(self.angle), self.angle)

    def inverse(self) -> Turn:
        return Turn(self.axis, self.c, -self.s, None if self.angle is None else -self.angle)

    def is_identity(self) -> bool:
        return self.angle is not None and quarter_turns(self.angle) == 0


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """A displacement of the origin, in outer (which are also inner) axes."""

    p: Vec3

    def outward(self, v: Vec3) -> Vec3:
        return v

    def inward(self, v: Vec3) -> Vec3:
        return v

    def lift(self, system: System) -> Shift:
        return Shift(self.p.map(lambda x: system.number(x)))  # pyright: ignore[reportArgumentType]

    def inverse(self) -> Shift:
        return Shift(-self.p)

    def is_identity(self) -> bool:
        return all(isinstance(x, float | int) and x == 0 for x in self.p)


@dataclass(frozen=True, slots=True, eq=False)
class Spin:
    """A rotation by a matrix of numbers, such as that of a quaternion."""

    R: Mat3

    def outward(self, v: Vec3) -> Vec3:
        return self.R @ v

    def inward(self, v: Vec3) -> Vec3:
        return self.R.T @ v

    def inverse(self) -> Spin:
        return Spin(self.R.T)

    def lift(self, system: System) -> Spin:
        raise ValueError("a fixed rotation is stored as turns, which each system lifts itself")

    def is_identity(self) -> bool:
        return False


Step: TypeAlias = Turn | Shift | Spin


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Where a frame is: steps from the outer frame to the inner one."""

    steps: tuple[Step, ...] = ()

    @classmethod
    def at(cls, xyz: tuple[float, float, float] = (0.0, 0.0, 0.0),
           rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Pose:  # fmt: skip
        """A fixed placement: origin, then Rz(yaw) Ry(pitch) Rx(roll)."""
        turns = (Turn.by(axis, angle) for axis, angle in ((2, rpy[2]), (1, rpy[1]), (0, rpy[0])))
        return cls((Shift(Vec3(*xyz)), *turns)).trimmed()

    def trimmed(self) -> Pose:
        """The same placement without steps that do nothing."""
        return Pose(tuple(step for step in self.steps if not step.is_identity()))

    def __matmul__(self, other: Pose) -> Pose:
        return Pose((*self.steps, *other.steps))

    def inverse(self) -> Transform:
        """What takes motions from the outer frame to the inner one, and its transpose forces back."""
        return Transform(self.steps)

    def inverted(self) -> Pose:
        """The placement of the outer frame seen from the inner one."""
        return Pose(tuple(step.inverse() for step in reversed(self.steps)))

    def point(self, p: Vec3) -> Vec3:
        """A point given in inner coordinates, in outer ones."""
        for step in reversed(self.steps):
            p = step.p + p if isinstance(step, Shift) else step.outward(p)
        return p

    def direction(self, v: Vec3) -> Vec3:
        """A direction given in inner axes, in outer ones."""
        for step in reversed(self.steps):
            v = step.outward(v)
        return v

    @property
    def rotation(self) -> Mat3:
        """R with outer = R inner for directions."""
        return Mat3(*(self.direction(Vec3.unit(k)) for k in range(3))).T

    @property
    def translation(self) -> Vec3:
        return self.point(Vec3.zero())

    def matrix(self) -> Mat4:
        return Mat4.homogeneous(self.rotation, self.translation)

    def inertia(self, body: Inertia) -> Inertia:
        """An inertia given in the inner frame, in the outer one."""
        for step in reversed(self.steps):
            body = _outer_inertia(step, body)
        return body

    def flat(self) -> Pose:
        """The same placement multiplied out: one shift, one rotation matrix."""
        return Pose((Shift(self.translation), Spin(self.rotation)))

    def lift(self, system: System) -> Pose:
        return Pose(tuple(step.lift(system) for step in self.steps))

    def opaque(self, fresh: Callable[[], Num]) -> Pose:
        """The same kind of placement with nothing known of its entries."""
        vectors = [Vec3(fresh(), fresh(), fresh()) for _ in range(4)]
        return Pose((Shift(vectors[0]), Spin(Mat3(*vectors[1:]))))

    def rpy(self) -> tuple[float, float, float]:
        """Roll, pitch and yaw of a placement over floats."""
        turns = {step.axis: step.angle for step in self.steps if isinstance(step, Turn)}
        rotations = [getattr(step, "axis", None) for step in self.steps if not isinstance(step, Shift)]
        if rotations == sorted(turns, reverse=True) and None not in turns.values():
            return turns.get(0) or 0.0, turns.get(1) or 0.0, turns.get(2) or 0.0  # Rz Ry Rx as it was given
        (r00, r01, r02), (r10, r11, r12), (r20, _, _) = (map(float, row) for row in self.rotation)  # pyright: ignore
        cos_pitch = math.hypot(r00, r10)
        pitch = math.atan2(-r20, cos_pitch)
        if cos_pitch < 1e-13:  # roll and yaw act about one axis: all of it goes to yaw
            return 0.0, pitch, math.atan2(-r01, r11)
        yaw = math.atan2(r10, r00)
        c, s = math.cos(yaw), math.sin(yaw)  # roll is what yaw leaves: accurate however small cos_pitch is
        return math.atan2(r02 * s - r12 * c, r11 * c - r01 * s), pitch, yaw


def _outer_inertia(step: Step, body: Inertia) -> Inertia:
    if isinstance(step, Turn):
        turned = body.I.turned(step.axis, step.c, step.s)
        return Inertia(body.m, step.outward(body.h), turned)
    if isinstance(step, Spin):
        return Inertia(body.m, step.outward(body.h), Sym3.of(step.R @ body.I.matrix() @ step.R.T))
    # about the outer origin: I + (2 p·h + m p·p) 1 − (p hᵀ + h pᵀ + m p pᵀ), with h about the inner one
    p, h = step.p, body.h
    mp = p * body.m
    moved = Sym3.steiner(p, mp) + _symmetric_steiner(p, h)
    return Inertia(body.m, h + mp, body.I + moved)


def _symmetric_steiner(p: Vec3, h: Vec3) -> Sym3:
    """2 (p·h) 1 − p hᵀ − h pᵀ."""
    x, y, z = (2.0 * (a * b) for a, b in zip(p, h, strict=True))
    return Sym3(
        y + z, x + z, x + y,
        -(p.x * h.y + p.y * h.x), -(p.x * h.z + p.z * h.x), -(p.y * h.z + p.z * h.y),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Transform:
    """X: takes motions from the outer frame of a placement to the inner one."""

    steps: tuple[Step, ...]

    def __matmul__(self, v: Motion) -> Motion:
        w, u = v.angular, v.linear
        for step in self.steps:
            if isinstance(step, Shift):
                u = u + w.cross(step.p)
            else:
                w, u = step.inward(w), step.inward(u)
        return Motion(w, u)

    def inward(self, v: Vec3) -> Vec3:
        """A direction of the outer frame in inner axes."""
        for step in self.steps:
            v = step.inward(v)
        return v

    @property
    def T(self) -> ForceTransform:
        return ForceTransform(self.steps)


@dataclass(frozen=True, slots=True, eq=False)
class ForceTransform:
    """Xᵀ: takes forces from the inner frame of a placement to the outer one."""

    steps: tuple[Step, ...]

    def __matmul__(self, f: Force) -> Force:
        n, g = f.moment, f.force
        for step in reversed(self.steps):
            if isinstance(step, Shift):
                n = n + step.p.cross(g)
            else:
                n, g = step.outward(n), step.outward(g)
        return Force(n, g)
