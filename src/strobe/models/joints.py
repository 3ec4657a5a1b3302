"""Joints: what moves, how many numbers that takes, and what drives it.

| kind | position (nq) | velocity (nv) |
| --- | --- | --- |
| revolute, continuous | angle | rate |
| prismatic | displacement | rate |
| spherical | quaternion w x y z | angular velocity, axes of the moved frame |
| floating | x y z, quaternion w x y z | linear, then angular velocity, axes of the moved frame |
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from strobe.algebra import Columns, Motion, Pose, Shift, Spin, Turn, Vec3, quaternion_rotation
from strobe.algebra.lie import (
    normalised,
    pose_exponential,
    pose_logarithm,
    quaternion_difference,
    quaternion_product,
    rotation_exponential,
    rotation_logarithm,
)
from strobe.scalars import Num, Numbers, cos, sin


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a joint; infinite where nothing was stated."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    acceleration: float = math.inf
    effort: float = math.inf


@dataclass(frozen=True, slots=True)
class Motor:
    """A drive, on the motor's side of its gear: rotor inertia, ratio, friction."""

    inertia: float = 0.0
    gear: float = 1.0
    viscous: float = 0.0
    coulomb: tuple[float, float] = (0.0, 0.0)  # torque when turning forwards, and (negative) backwards
    efficiency: float = 1.0


@dataclass(frozen=True, slots=True)
class Friction:
    """Friction on the joint's side: viscous coefficient, Coulomb torque forwards and (negative) backwards."""

    viscous: float = 0.0
    coulomb: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint about or along a coordinate axis of its own frame; it owns a slice of q and one of q̇."""

    name: str
    kind: str
    axis: int = 2
    sign: int = 1
    q: int = 0  # where its numbers begin
    v: int = 0
    limits: Limits = field(default_factory=Limits)
    motor: Motor = field(default_factory=Motor)
    friction: Friction = field(default_factory=Friction)

    @property
    def nq(self) -> int:
        return KINDS[self.kind].nq

    @property
    def nv(self) -> int:
        return KINDS[self.kind].nv

    @property
    def letter(self) -> str:
        """R where it turns about an axis, P where it slides, S as a ball, F where it floats."""
        return "R" if self.turns else self.kind[0].upper()

    @property
    def turns(self) -> bool:
        """Whether its one position is an angle."""
        return self.kind in ("revolute", "continuous")

    @property
    def range(self) -> tuple[float, float]:
        """The limits of its one position; a turn, or two metres, wide where one or both are open."""
        reach, lower, upper = math.pi if self.turns else 1.0, self.limits.lower, self.limits.upper
        if not math.isfinite(lower):
            lower = upper - 2 * reach if math.isfinite(upper) else -reach
        return lower, upper if math.isfinite(upper) else lower + 2 * reach

    def turns_by(self, k: int) -> bool:
        """Whether its k-th rate is that of an angle."""
        return self.turns or (self.nv > 1 and k >= self.nv - 3)

    @property
    def rotor_inertia(self) -> float:
        """Seen at the joint: gear² × motor."""
        return self.motor.gear**2 * self.motor.inertia

    @property
    def damping(self) -> float:
        return self.friction.viscous + self.motor.gear**2 * self.motor.viscous

    @property
    def coulomb(self) -> tuple[float, float]:
        """Magnitudes of the Coulomb torque at the joint, moving forwards and backwards."""
        gear = abs(self.motor.gear)
        pairs = zip(self.friction.coulomb, self.motor.coulomb, strict=True)
        forwards, backwards = (abs(joint) + gear * abs(motor) for joint, motor in pairs)
        return forwards, backwards

    @property
    def position_names(self) -> tuple[str, ...]:
        """One name per number of its position: its own where it has one."""
        return self._named(POSITIONS)

    @property
    def rate_names(self) -> tuple[str, ...]:
        """One name per degree of freedom: its own where it has one."""
        return self._named(RATES)

    def _named(self, parts: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(f"{self.name}_{part}" for part in parts.get(self.kind, ())) or (self.name,)

    def position(self, q: Numbers) -> Numbers:
        return q[self.q : self.q + self.nq]

    def rates(self, v: Numbers) -> Numbers:
        return v[self.v : self.v + self.nv]

    def pose(self, q: Numbers) -> Pose:
        """The moved frame seen from the resting one."""
        return KINDS[self.kind].pose(self, self.position(q))

    def columns(self) -> Columns:
        """The motions it allows, in the axes of the moved frame."""
        return Columns(KINDS[self.kind].columns(self))

    def integrate(self, q: Numbers, step: Numbers) -> list[Num]:
        """Its position after a velocity has acted; ``step`` is velocity × time."""
        return KINDS[self.kind].integrate(self.position(q), self.rates(step))

    def difference(self, q0: Numbers, q1: Numbers) -> list[Num]:
        """The step with ``integrate(q0, step) = q1``."""
        return KINDS[self.kind].difference(self.position(q0), self.position(q1))

    def position_rates(self, q: Numbers, v: Numbers) -> list[Num]:
        """How fast the numbers of its position change: ½ q ⊗ ω for a quaternion, R v for a floating origin."""
        position, rates = self.position(q), self.rates(v)
        if self.nq == self.nv:
            return list(rates)
        turning = [x * 0.5 for x in quaternion_product(position[-4:], [0.0, *rates[-3:]])]
        if self.nq == 4:
            return turning
        return [*(quaternion_rotation(*position[3:]) @ Vec3(*rates[:3])), *turning]

    def neutral(self) -> list[float]:
        return list(KINDS[self.kind].neutral)

    def at(self, q: int, v: int) -> Joint:
        """The same joint with its numbers elsewhere in the vectors."""
        return replace(self, q=q, v=v)


@dataclass(frozen=True, slots=True)
class Kind:
    """What distinguishes one kind of joint from another."""

    neutral: tuple[float, ...]
    pose: Callable[[Joint, Numbers], Pose]
    columns: Callable[[Joint], tuple[Motion, ...]]
    integrate: Callable[[Numbers, Numbers], list[Num]]
    difference: Callable[[Numbers, Numbers], list[Num]]

    nq = property(lambda self: len(self.neutral))
    nv = property(lambda self: len(self.neutral) - (len(self.neutral) > 1))  # a quaternion has one to spare


def _turn(joint: Joint, q: Numbers) -> Pose:
    return Pose((Turn(joint.axis, cos(q[0]), sin(q[0]) * joint.sign),))


def _slide(joint: Joint, q: Numbers) -> Pose:
    return Pose((Shift(Vec3.unit(joint.axis, joint.sign) * q[0]),))


def _ball(joint: Joint, q: Numbers) -> Pose:
    return Pose((Spin(quaternion_rotation(*q)),))


def _float(joint: Joint, q: Numbers) -> Pose:
    return Pose((Shift(Vec3(*q[:3])), Spin(quaternion_rotation(*q[3:]))))


ANGULAR = tuple(Motion(Vec3.unit(k), Vec3.zero()) for k in range(3))
LINEAR = tuple(Motion(Vec3.zero(), Vec3.unit(k)) for k in range(3))


def _add(q: Numbers, step: Numbers) -> list[Num]:
    return [q[0] + step[0]]


def _subtract(q0: Numbers, q1: Numbers) -> list[Num]:
    return [q1[0] - q0[0]]


def _turn_ball(q: Numbers, step: Numbers) -> list[Num]:
    return normalised(quaternion_product(q, rotation_exponential(Vec3(*step))))


def _between_balls(q0: Numbers, q1: Numbers) -> list[Num]:
    return list(rotation_logarithm(quaternion_difference(q0, q1)))


def _move_float(q: Numbers, step: Numbers) -> list[Num]:
    p, turn = pose_exponential(Vec3(*step[:3]), Vec3(*step[3:]))
    moved = Vec3(*q[:3]) + quaternion_rotation(*q[3:]) @ p
    return [*moved, *normalised(quaternion_product(q[3:], turn))]


def _between_floats(q0: Numbers, q1: Numbers) -> list[Num]:
    p = quaternion_rotation(*q0[3:]).T @ (Vec3(*q1[:3]) - Vec3(*q0[:3]))
    linear, angular = pose_logarithm(p, quaternion_difference(q0[3:], q1[3:]))
    return [*linear, *angular]


IDENTITY = (1.0, 0.0, 0.0, 0.0)

_REVOLUTE = Kind(
    (0.0,), _turn, lambda j: (Motion(Vec3.unit(j.axis, j.sign), Vec3.zero()),), _add, _subtract
)

KINDS: dict[str, Kind] = {
    "revolute": _REVOLUTE,
    "continuous": _REVOLUTE,
    "prismatic": Kind(
        (0.0,), _slide, lambda j: (Motion(Vec3.zero(), Vec3.unit(j.axis, j.sign)),), _add, _subtract
    ),
    "spherical": Kind(IDENTITY, _ball, lambda j: ANGULAR, _turn_ball, _between_balls),
    "floating": Kind(
        (0.0, 0.0, 0.0, *IDENTITY), _float, lambda j: LINEAR + ANGULAR, _move_float, _between_floats
    ),
}

POSITIONS = {"spherical": ("qw", "qx", "qy", "qz"), "floating": ("x", "y", "z", "qw", "qx", "qy", "qz")}
RATES = {"spherical": ("wx", "wy", "wz"), "floating": ("vx", "vy", "vz", "wx", "wy", "wz")}
WITH_AXIS = tuple(name for name, kind in KINDS.items() if kind.nv == 1)  # revolute, continuous, prismatic
