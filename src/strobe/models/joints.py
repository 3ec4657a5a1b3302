"""Joints: what moves, how many numbers that takes, and what drives it.

| kind | position (nq) | velocity (nv) |
| --- | --- | --- |
| revolute, continuous | angle | rate |
| prismatic | displacement | rate |
| spherical | quaternion w x y z | angular velocity, axes of the moved frame |
| floating | x y z, quaternion w x y z | linear, then angular velocity, axes of the moved frame |
| helical | angle; the joint slides by pitch × angle | rate |
| planar | x y in the axes of the resting frame, angle | linear x y in those of the moved one, rate |

A kind is one record (`Kind`), in this file and nowhere else; everybody else asks a joint for what is meant
(`turns`, `slides`, `angular`, `has_axis`, `has_quaternion`, `additive`, …). docs/adding.md says how one is added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

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
from strobe.scalars import Num, Numbers, System, cos, sin

# what a number of a position is: an angle, a length, part of a quaternion
RAD, METRE, PURE = "rad", "m", ""


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


class OfKind:
    """What the kind of a joint says of it; for joints of models, and of files, where they may be fixed."""

    __slots__ = ()

    kind: str

    @property
    def record(self) -> Kind:
        return kind_of(self.kind)

    @property
    def nq(self) -> int:
        """Numbers of its position."""
        return self.record.nq

    @property
    def nv(self) -> int:
        """Its degrees of freedom."""
        return self.record.nv

    @property
    def is_fixed(self) -> bool:
        return self.kind == FIXED.name

    @property
    def turns(self) -> bool:
        """Whether it turns about an axis, and does nothing else."""
        return self.record.turns

    @property
    def slides(self) -> bool:
        """Whether it slides along an axis, and does nothing else."""
        return self.record.slides

    @property
    def is_elementary(self) -> bool:
        """Whether it turns about or slides along one axis."""
        return self.turns or self.slides

    @property
    def angular(self) -> bool:
        """Whether it has one position, and that is an angle."""
        return self.record.position_units == (RAD,)

    @property
    def unlimited(self) -> bool:
        """Whether its position has no limits by its kind, though it is one number."""
        return self.record.unlimited

    @property
    def has_axis(self) -> bool:
        """Whether it is about, along or across an axis that a file states."""
        return self.record.has_axis

    @property
    def has_pitch(self) -> bool:
        """Whether it slides as it turns."""
        return self.record.has_pitch

    @property
    def has_quaternion(self) -> bool:
        """Whether the last four numbers of its position are a quaternion w x y z."""
        return self.record.has_quaternion

    @property
    def is_ball(self) -> bool:
        """Whether it turns about every axis, and does nothing else."""
        return self.rate_units == (RAD, RAD, RAD)

    @property
    def is_free(self) -> bool:
        """Whether it lets a body go anywhere: six degrees of freedom."""
        return self.rate_units == (METRE, METRE, METRE, RAD, RAD, RAD)

    @property
    def additive(self) -> bool:
        """Whether velocities are the rates of positions, so that a step is added to a position."""
        return self.record.additive

    @property
    def position_units(self) -> tuple[str, ...]:
        """Of every number of its position: rad, m, or nothing for those of a quaternion."""
        return self.record.position_units

    @property
    def rate_units(self) -> tuple[str, ...]:
        """Of every degree of freedom: rad or m, to be taken per second."""
        return self.record.rate_units

    def turns_by(self, k: int) -> bool:
        """Whether its k-th rate is that of an angle."""
        return self.rate_units[k] == RAD


@dataclass(frozen=True, slots=True)
class Joint(OfKind):
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
    pitch: Num = field(default=0.0, metadata={"if set": True})  # m/rad, of a kind that slides as it turns

    @property
    def letter(self) -> str:
        """R where it turns about an axis, P where it slides; S a ball, F afloat, H a screw, E in a plane."""
        return self.record.letter

    @property
    def kind_by_limits(self) -> str:
        """Its kind, or that of a joint which turns without end where it turns and has no limits."""
        unbounded = math.isinf(self.limits.lower) and math.isinf(self.limits.upper)
        return CONTINUOUS.name if self.turns and unbounded else self.kind

    @property
    def range(self) -> tuple[float, float]:
        """The limits of its one position; a turn, or two metres, wide where one or both are open."""
        reach, lower, upper = math.pi if self.angular else 1.0, self.limits.lower, self.limits.upper
        if not math.isfinite(lower):
            lower = upper - 2 * reach if math.isfinite(upper) else -reach
        return lower, upper if math.isfinite(upper) else lower + 2 * reach

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
        return self._named(self.record.positions)

    @property
    def rate_names(self) -> tuple[str, ...]:
        """One name per degree of freedom: its own where it has one."""
        return self._named(self.record.velocities)

    def _named(self, parts: Sequence[Part]) -> tuple[str, ...]:
        return tuple(f"{self.name}_{part.name}" if part.name else self.name for part in parts)

    def position(self, q: Numbers) -> Numbers:
        return q[self.q : self.q + self.nq]

    def rates(self, v: Numbers) -> Numbers:
        return v[self.v : self.v + self.nv]

    @property
    def direction(self) -> Vec3:
        """Its axis, in its own frame."""
        return Vec3.unit(self.axis, self.sign)

    def pose(self, q: Numbers) -> Pose:
        """The moved frame seen from the resting one."""
        return self.record.pose(self, self.position(q), turned)

    def columns(self) -> Columns:
        """The motions it allows, in the axes of the moved frame."""
        return Columns(self.record.columns(self))

    def integrate(self, q: Numbers, step: Numbers) -> list[Num]:
        """Its position after a velocity has acted; ``step`` is velocity × time."""
        return self.record.integrate(self.position(q), self.rates(step))

    def difference(self, q0: Numbers, q1: Numbers) -> list[Num]:
        """The step with ``integrate(q0, step) = q1``; turns of joints that are not additive go the short way."""
        return self.record.difference(self.position(q0), self.position(q1))

    def position_rates(self, q: Numbers, v: Numbers) -> list[Num]:
        """How fast the numbers of its position change: ½ q ⊗ ω for a quaternion, R v for a moved origin."""
        return self.record.position_rates(self.position(q), self.rates(v))

    def velocity(self, q: Numbers, change: Numbers) -> list[Num]:
        """The velocity at which its position changes at a rate: ω = 2 q⁻¹ q̇ of a quaternion, Rᵀ ṗ of an origin."""
        return self.record.velocity(self.position(q), self.position(change))

    def neutral(self) -> list[float]:
        return list(self.record.neutral)

    def at(self, q: int, v: int) -> Joint:
        """The same joint with its numbers elsewhere in the vectors."""
        return replace(self, q=q, v=v)

    def lift(self, system: System) -> Joint:
        """The same joint with its pitch a number of another system."""
        return replace(self, pitch=system.number(self.pitch)) if self.has_pitch else self  # pyright: ignore[reportArgumentType]


# -- a kind -------------------------------------------------------------------------------------------

Turned = Callable[[int, int, Num], Turn]  # axis, sign, angle


@dataclass(frozen=True, slots=True)
class Part:
    """One number of a position or velocity."""

    name: str  # behind that of the joint; none where it has one number
    unit: str  # rad, m, or none
    neutral: float = 0.0


@dataclass(frozen=True)
class Kind:
    """What distinguishes one kind of joint from another."""

    name: str
    letter: str  # in patterns such as 2RP3R
    positions: tuple[Part, ...]
    velocities: tuple[Part, ...]
    pose: Callable[[Joint, Numbers, Turned], Pose]
    columns: Callable[[Joint], tuple[Motion, ...]]
    integrate: Callable[[Numbers, Numbers], list[Num]]
    difference: Callable[[Numbers, Numbers], list[Num]]
    position_rates: Callable[[Numbers, Numbers], list[Num]]
    velocity: Callable[[Numbers, Numbers], list[Num]]  # the other way
    units: str  # of q; of qd, qdd and tau: for headers
    convention: str = ""  # the same in full, where several numbers need it
    row: str = ""  # the letter of random robots and tables, where `letter` is another's
    reach: float = math.inf  # how far from zero a random one goes, rad or m
    turns: bool = False
    slides: bool = False
    has_axis: bool = False
    has_pitch: bool = False
    unlimited: bool = False
    unfelt: tuple[str, ...] = ()  # parts of an inertia beyond it that may as well belong to the link before
    glyph: str = ""  # the mark it is drawn as
    # what others call it; nothing where they have no such joint
    urdf: str = ""
    urdf_rare: bool = False  # whether few readers of URDF know it
    mujoco: str = ""
    pinocchio: tuple[str, ...] = ()
    circle: bool = False  # whether its last angle is a cosine and a sine to Pinocchio
    otherwise: str = ""  # what to do where it is not taken

    @property
    def nq(self) -> int:
        return len(self.positions)

    @property
    def nv(self) -> int:
        return len(self.velocities)

    @property
    def random_letter(self) -> str:
        return self.row or self.letter

    @cached_property
    def neutral(self) -> tuple[float, ...]:
        return tuple(part.neutral for part in self.positions)

    @cached_property
    def position_units(self) -> tuple[str, ...]:
        return tuple(part.unit for part in self.positions)

    @cached_property
    def rate_units(self) -> tuple[str, ...]:
        return tuple(part.unit for part in self.velocities)

    @cached_property
    def has_quaternion(self) -> bool:
        return PURE in self.position_units

    @property
    def additive(self) -> bool:
        return self.position_rates is _rates


def turned(axis: int, sign: int, angle: Num) -> Turn:
    """A turn by a number of any kind."""
    return Turn(axis, cos(angle), sin(angle) * sign)


# -- positions and their rates --------------------------------------------------------------------------


def _rates(q: Numbers, v: Numbers) -> list[Num]:
    return list(v)


def _add(q: Numbers, step: Numbers) -> list[Num]:
    return [q[0] + step[0]]


def _subtract(q0: Numbers, q1: Numbers) -> list[Num]:
    return [q1[0] - q0[0]]


def _spin(q: Numbers, v: Numbers) -> list[Num]:
    """½ q ⊗ ω."""
    return [x * 0.5 for x in quaternion_product(q, [0.0, *v])]


def _spun(q: Numbers, change: Numbers) -> list[Num]:
    """2 q⁻¹ q̇."""
    w, x, y, z = q
    _, *spin = quaternion_difference(q, change)
    return [*(Vec3(*spin) * (2.0 / (w * w + x * x + y * y + z * z)))]


def _turn_ball(q: Numbers, step: Numbers) -> list[Num]:
    return normalised(quaternion_product(q, rotation_exponential(Vec3(*step))))


def _between_balls(q0: Numbers, q1: Numbers) -> list[Num]:
    return list(rotation_logarithm(quaternion_difference(q0, q1)))


def _fly(q: Numbers, v: Numbers) -> list[Num]:
    turning = _spin(q[3:], v[3:])
    return [*(quaternion_rotation(*q[3:]) @ Vec3(*v[:3])), *turning]


def _flown(q: Numbers, change: Numbers) -> list[Num]:
    angular = _spun(q[3:], change[3:])
    return [*(quaternion_rotation(*q[3:]).T @ Vec3(*change[:3])), *angular]


def _move_float(q: Numbers, step: Numbers) -> list[Num]:
    p, turn = pose_exponential(Vec3(*step[:3]), Vec3(*step[3:]))
    moved = Vec3(*q[:3]) + quaternion_rotation(*q[3:]) @ p
    return [*moved, *normalised(quaternion_product(q[3:], turn))]


def _between_floats(q0: Numbers, q1: Numbers) -> list[Num]:
    p = quaternion_rotation(*q0[3:]).T @ (Vec3(*q1[:3]) - Vec3(*q0[:3]))
    linear, angular = pose_logarithm(p, quaternion_difference(q0[3:], q1[3:]))
    return [*linear, *angular]


def _drive(q: Numbers, v: Numbers) -> list[Num]:
    """R v in the plane."""
    c, s = cos(q[2]), sin(q[2])
    return [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]]


def _driven(q: Numbers, change: Numbers) -> list[Num]:
    """Rᵀ ṗ in the plane."""
    c, s = cos(q[2]), sin(q[2])
    return [c * change[0] + s * change[1], c * change[1] - s * change[0], change[2]]


def _move_in_plane(q: Numbers, step: Numbers) -> list[Num]:
    p, _ = pose_exponential(Vec3(step[0], step[1], 0.0), Vec3(0.0, 0.0, step[2]))
    x, y, turn = _drive(q, [p.x, p.y, step[2]])
    return [q[0] + x, q[1] + y, q[2] + turn]


def _between_planes(q0: Numbers, q1: Numbers) -> list[Num]:
    """The short way round: up to whole turns."""
    x, y, turn = _driven(q0, [b - a for a, b in zip(q0, q1, strict=True)])
    linear, angular = pose_logarithm(Vec3(x, y, 0.0), [cos(turn * 0.5), 0.0, 0.0, sin(turn * 0.5)])
    return [linear.x, linear.y, angular.z]


# -- where a joint puts its frame, and the motions it allows ----------------------------------------------


def _turn(joint: Joint, q: Numbers, turn: Turned) -> Pose:
    return Pose((turn(joint.axis, joint.sign, q[0]),))


def _slide(joint: Joint, q: Numbers, turn: Turned) -> Pose:
    return Pose((Shift(joint.direction * q[0]),))


def _ball(joint: Joint, q: Numbers, turn: Turned) -> Pose:
    return Pose((Spin(quaternion_rotation(*q)),))


def _float(joint: Joint, q: Numbers, turn: Turned) -> Pose:
    return Pose((Shift(Vec3(*q[:3])), Spin(quaternion_rotation(*q[3:]))))


def _screw(joint: Joint, q: Numbers, turn: Turned) -> Pose:
    return Pose((Shift(joint.direction * (q[0] * joint.pitch)), turn(joint.axis, joint.sign, q[0])))


def _glide(joint: Joint, q: Numbers, turn: Turned) -> Pose:
    x, y = _across(joint)
    return Pose((Shift(x * q[0] + y * q[1]), turn(joint.axis, joint.sign, q[2])))


def _across(joint: Joint) -> tuple[Vec3, Vec3]:
    """x and y of a plane across the axis, right-handed with it: the next two axes of its frame."""
    return Vec3.unit((joint.axis + 1) % 3), Vec3.unit((joint.axis + 2) % 3, joint.sign)


ANGULAR = tuple(Motion(Vec3.unit(k), Vec3.zero()) for k in range(3))
LINEAR = tuple(Motion(Vec3.zero(), Vec3.unit(k)) for k in range(3))


def _about(joint: Joint) -> tuple[Motion, ...]:
    return (Motion(joint.direction, Vec3.zero()),)


def _along(joint: Joint) -> tuple[Motion, ...]:
    return (Motion(Vec3.zero(), joint.direction),)


def _about_and_along(joint: Joint) -> tuple[Motion, ...]:
    return (Motion(joint.direction, joint.direction * joint.pitch),)


def _in_plane(joint: Joint) -> tuple[Motion, ...]:
    return (*(Motion(Vec3.zero(), way) for way in _across(joint)), *_about(joint))


# -- the kinds --------------------------------------------------------------------------------------------

TURN, SLIDE = (Part("", RAD),), (Part("", METRE),)
POINT = tuple(Part(name, METRE) for name in "xyz")
QUATERNION = (Part("qw", PURE, 1.0), *(Part(name, PURE) for name in ("qx", "qy", "qz")))
SPEED, SPIN = (tuple(Part(f"{of}{k}", unit) for k in "xyz") for of, unit in (("v", METRE), ("w", RAD)))
ABOUT = "rad; rad/s, rad/s^2, N m (a torque)"

REVOLUTE = Kind(
    "revolute", "R", TURN, TURN, _turn, _about, _add, _subtract, _rates, _rates, ABOUT,
    turns=True, has_axis=True, reach=math.pi, unfelt=("mass", "first moment along", "inertia across"), glyph="hinge",
    urdf="revolute", mujoco="hinge", pinocchio=("RX", "RY", "RZ", "RevoluteUnaligned"),
)  # fmt: skip
CONTINUOUS = replace(
    REVOLUTE, name="continuous", row="C", unlimited=True, reach=math.inf, urdf="continuous", circle=True,
    pinocchio=("RUBX", "RUBY", "RUBZ", "RevoluteUnboundedUnaligned"),
)  # fmt: skip
PRISMATIC = Kind(
    "prismatic", "P", SLIDE, SLIDE, _slide, _along, _add, _subtract, _rates, _rates, "m; m/s, m/s^2, N (a force)",
    slides=True, has_axis=True, reach=0.5, unfelt=("inertia",), glyph="slide",
    urdf="prismatic", mujoco="slide", pinocchio=("PX", "PY", "PZ", "PrismaticUnaligned"),
)  # fmt: skip
SPHERICAL = Kind(
    "spherical", "S", QUATERNION, SPIN, _ball, lambda joint: ANGULAR, _turn_ball, _between_balls, _spin, _spun,
    "quaternion w x y z; rad/s, rad/s^2, N m",
    "A spherical joint has as q the quaternion w x y z (scalar first, length 1) that turns vectors from the axes "
    "of the moved frame to those of the resting one; as qd its angular velocity x y z in rad/s, in the axes of "
    "the moved frame; as qdd the rates of these numbers; as tau the moment x y z in N m, in the same axes.",
    unfelt=("mass",), glyph="ball", urdf="spherical", urdf_rare=True, mujoco="ball", pinocchio=("Spherical",),
    otherwise="Lock it, or describe it by turning joints one after the other.",
)  # fmt: skip
FLOATING = Kind(
    "floating", "F", POINT + QUATERNION, SPEED + SPIN, _float, lambda joint: LINEAR + ANGULAR, _move_float,
    _between_floats, _fly, _flown, "m and quaternion w x y z; linear and angular",
    "A floating joint has as q the position x y z in m of the origin of the moved frame in the axes of the "
    "resting one, then the quaternion w x y z (scalar first, length 1) that turns vectors from the axes of the "
    "moved frame to those of the resting one; as qd the velocity of that origin in m/s, then the angular "
    "velocity in rad/s, both in the axes of the moved frame; as qdd the rates of these numbers; as tau the "
    "force in N, then the moment about that origin in N m, in the same axes.",
    urdf="floating", mujoco="free", pinocchio=("FreeFlyer",),
    otherwise="Put the robot on a fixed or translating base, or describe it by sliding and turning joints one after "
    "the other.",
)  # fmt: skip
HELICAL = Kind(
    "helical", "H", TURN, TURN, _screw, _about_and_along, _add, _subtract, _rates, _rates, ABOUT,
    "A helical joint is a screw: as it turns by q it slides along its axis by its pitch (m/rad) times q; tau is "
    "the torque about the axis plus the pitch times the force along it.",
    has_axis=True, has_pitch=True, reach=math.pi, unfelt=("inertia across",), glyph="screw",
    pinocchio=("HX", "HY", "HZ", "HelicalUnaligned"),
    otherwise="Lock it, or describe it by a turning joint and a sliding one that follows it.",
)  # fmt: skip
PLANAR = Kind(
    "planar", "E", (*POINT[:2], Part("turn", RAD)), (*SPEED[:2], SPIN[2]), _glide, _in_plane, _move_in_plane,
    _between_planes, _drive, _driven, "m, m, rad; linear and angular",
    "A planar joint has as q the position x y in m of the origin of the moved frame in the plane across its axis, "
    "in the axes of the resting frame, then the angle about the axis in rad; as qd the velocity x y of that origin "
    "in m/s, in the axes of the moved frame, then the rate of the angle in rad/s; as qdd the rates of these "
    "numbers; as tau the force x y in N, in the same axes, then the moment about that origin in N m. x and y are "
    "the two axes of its frame that follow its own (x, y for an axis z).",
    has_axis=True, unfelt=("inertia across",), glyph="plane", urdf="planar", urdf_rare=True,
    pinocchio=("Planar",), circle=True,
    otherwise="Lock it, or describe it by two sliding joints and a turning one.",
)  # fmt: skip

KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (REVOLUTE, CONTINUOUS, PRISMATIC, SPHERICAL, FLOATING, HELICAL, PLANAR)
}
FIXED = Kind(
    "fixed", "", (), (), lambda joint, q, turn: Pose(), lambda joint: (), _rates, _rates, _rates, _rates, "",
    urdf="fixed",
)  # fmt: skip
MUJOCO = tuple(  # by the number of its type there
    next(kind for kind in KINDS.values() if kind.mujoco == word)
    for word in ("free", "ball", "slide", "hinge")
)
SINGLE = tuple(name for name, kind in KINDS.items() if kind.nv == 1)  # those of one degree of freedom


def kind_of(name: str) -> Kind:
    """A kind by its name, or what a fixed joint is."""
    return FIXED if name == FIXED.name else KINDS[name]
