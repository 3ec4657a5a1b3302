"""A robot as data: bodies joined by ``before · joint(q) · after``, on numbers of any system.

Standard DH: before = 1, after = Rz(θ₀) Tz(d) Tx(a) Rx(α); modified DH: before = Rx(α) Tx(a) Tz(d);
URDF: after = 1. A parent comes before its children. Models are immutable; an edit returns a new one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from strobe.algebra import Columns, Inertia, Motion, Pose, Turn, Vec3
from strobe.errors import Fault, UnknownNameError, UnsupportedModelError
from strobe.models.arguments import require_text
from strobe.models.feet import Foot
from strobe.models.inertial import Inertial
from strobe.models.joints import RAD, Joint
from strobe.models.uncertainty import Uncertainty
from strobe.scalars import FLOAT, Num, Numbers, System

ROOT = -1  # the index of the base
MASSLESS = (
    "none of its moving links has mass or inertia. Give them some (mass and inertia of a link in a file, "
    "with_parameters, with_payload), or ask for kinematics alone."
)


@dataclass(frozen=True, eq=False)
class Body:
    """A moving link and the joint that carries it."""

    index: int
    name: str
    parent: int
    joint: Joint
    before: Pose
    after: Pose
    inertial: Inertial
    system: System = FLOAT

    @cached_property
    def S(self) -> Columns:
        """The joint's columns in the body's own axes."""
        inward = self.after.inverse()
        return self.joint.columns().map(lambda column: inward @ column)

    @property
    def inertia(self) -> Inertia:
        """The ten parameters about the body's origin."""
        return self.inertial.about_origin

    def pose(self, q: Numbers) -> Pose:
        """The body seen from its parent."""
        return self.system.pose(self.before @ self.joint.pose(q) @ self.after)

    def rates(self, v: Numbers) -> Numbers:
        """The joint's own part of a vector of velocities or accelerations."""
        return self.joint.rates(v)

    def lift(self, system: System) -> Body:
        return replace(
            self,
            before=self.before.lift(system),
            after=self.after.lift(system),
            inertial=self.inertial.lift(system),
            joint=self.joint.lift(system),
            system=system,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A named frame fixed to a body (or to the base)."""

    name: str
    body: int
    placement: Pose
    depth: int = 0  # fixed joints between the body and it

    def lift(self, system: System) -> Frame:
        return replace(self, placement=self.placement.lift(system))


@dataclass(frozen=True, slots=True)
class Coupling:
    """A joint that follows others: q = Σ factor · q_other + offset (mimic joints, gears, parallelograms)."""

    joint: str
    terms: Mapping[str, float]
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Loop:
    """Two frames that a closed chain keeps together; `models.loops` says what each kind holds."""

    name: str
    frame_a: str
    frame_b: str
    kind: str = "point"
    length: float = 0.0  # of a kind that keeps a distance
    rows: tuple[int, ...] = ()  # those of its conditions that count, where the others follow from the rest
    held: bool = False  # whether couplings keep it closed, so that nothing is left to solve


@dataclass(frozen=True, slots=True)
class Curve:
    """A joint held on a curve over another: q = Σ coefficients[k] · q_otherᵏ."""

    name: str
    joint: str
    other: str
    coefficients: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Model:
    """Bodies in an order in which parents come first, gravity, named frames and constraints."""

    name: str
    bodies: tuple[Body, ...]
    gravity: Motion  # no rotation; the linear part is the true acceleration of gravity, base axes
    frames: tuple[Frame, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    loops: tuple[Loop, ...] = ()
    curves: tuple[Curve, ...] = ()
    actuated: tuple[str, ...] = ()  # joints with motors, where the model says which; else all
    feet: tuple[Foot, ...] = ()  # what the robot may stand on
    # the frame meant where none is named, where somebody said which; else `default_frame` decides
    tip: str = ""
    base_name: str = "base"
    base_inertial: Inertial = field(default_factory=Inertial.zero)
    title: str = ""
    source: str = ""
    parameters: Mapping[str, float] = field(default_factory=dict)
    poses: Mapping[str, Sequence[float]] = field(default_factory=dict)  # named configurations
    golden: tuple[Mapping[str, object], ...] = ()  # states with their torques, run as self-tests
    # how well parameters are known, where logs told
    uncertainty: Uncertainty | None = field(default=None, metadata={"if set": True})
    kinematic_only: str = ""  # why dynamics must be refused, if so
    notes: tuple[Fault, ...] = ()
    system: System = FLOAT

    # -- sizes and names ----------------------------------------------------------------------------

    @property
    def nq(self) -> int:
        """Numbers in a position vector of all joints."""
        return sum(body.joint.nq for body in self.bodies)

    @property
    def nv(self) -> int:
        """Degrees of freedom of all joints."""
        return sum(body.joint.nv for body in self.bodies)

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: what was given, not what was found from it."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        return tuple(body.joint for body in self.bodies)

    @cached_property
    def without_dynamics(self) -> str:
        """Why this robot has kinematics alone: the model says so, or nothing that moves has mass or inertia."""
        if self.kinematic_only or not self.bodies:
            return self.kinematic_only
        heavy = any(x != 0.0 for body in self.bodies for x in body.inertial.about_origin.parameters)
        turning = any(joint.motor.inertia != 0.0 for joint in self.joints)
        return "" if heavy or turning else MASSLESS

    @cached_property
    def joints_by_name(self) -> Mapping[str, Joint]:
        return {joint.name: joint for joint in reversed(self.joints)}  # of two the first

    @property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(joint.name for joint in self.joints)

    @property
    def is_closed(self) -> bool:
        """Whether joints are bound by closed chains that couplings do not already close."""
        return bool(self.curves) or any(not loop.held for loop in self.loops)

    def joint(self, name: str) -> Joint:
        require_text("joint", name, f"the name of a joint of {self.name}")
        if (found := self.joints_by_name.get(name)) is not None:
            return found
        raise UnknownNameError("joint", name, self.name, self.joint_names, "robot.joint_names")

    def frame(self, name: str) -> Frame:
        require_text("frame", name, f"the name of a frame of {self.name}")
        if (found := self._frames_by_name.get(name)) is not None:
            return found
        raise UnknownNameError("frame", name, self.name, [f.name for f in self.frames], "robot.frames")

    @cached_property
    def _frames_by_name(self) -> Mapping[str, Frame]:
        return {frame.name: frame for frame in reversed(self.frames)}  # of two the first

    @cached_property
    def is_serial(self) -> bool:
        """One chain of joints that turn about or slide along one axis each."""
        return all(body.parent == body.index - 1 and body.joint.is_elementary for body in self.bodies)

    @property
    def not_serial(self) -> str:
        """What a model is that is not serial, for sentences."""
        screw = next((joint for joint in self.joints if joint.nv == 1 and not joint.is_elementary), None)
        if screw is None:
            return "is not a single chain of one-degree joints"
        return f'has the {screw.kind} joint "{screw.name}": it is not a chain of joints that turn or slide'

    @cached_property
    def dof_parents(self) -> tuple[int, ...]:
        """For each degree of freedom the one before it on the way to the root, or −1."""
        parents: list[int] = []
        for body in self.bodies:
            before = self._last_dof(body.parent)
            for k in range(body.joint.nv):
                parents.append(before if k == 0 else len(parents) - 1)
        return tuple(parents)

    def _last_dof(self, index: int) -> int:
        if index == ROOT:
            return -1
        joint = self.bodies[index].joint
        return joint.v + joint.nv - 1

    def support(self, index: int) -> list[Body]:
        """The bodies from the root to this one."""
        chain: list[Body] = []
        while index != ROOT:
            chain.append(self.bodies[index])
            index = chain[-1].parent
        return chain[::-1]

    # -- numbers ------------------------------------------------------------------------------------

    @property
    def rest(self) -> Motion:
        """The velocity of a base that does not move."""
        zero = self.system.rest
        return Motion(Vec3(zero(), zero(), zero()), Vec3(zero(), zero(), zero()))

    def lift(self, system: System) -> Model:
        """The same robot with every constant a number of another system."""
        down = self.gravity.linear.map(lambda x: system.number(x))  # pyright: ignore[reportArgumentType]
        return replace(
            self,
            bodies=tuple(body.lift(system) for body in self.bodies),
            gravity=Motion(Vec3.zero(), down),
            frames=tuple(frame.lift(system) for frame in self.frames),
            base_inertial=self.base_inertial.lift(system),
            system=system,
        )

    def variables(self) -> tuple[list[Num], list[Num], list[Num]]:
        """Inputs q, q̇, q̈ of this model's system, named after their degree of freedom."""
        q: list[Num] = []
        for joint in self.joints:
            q += [
                self.system.variable(f"q{joint.q + k + 1}", unit == RAD)
                for k, unit in enumerate(joint.position_units)
            ]
        qd, qdd = (
            [self.system.variable(f"{name}{k + 1}") for k in range(self.nv)] for name in ("qd", "qdd")
        )
        return q, qd, qdd

    def with_gravity(self, gravity: Vec3) -> Model:
        return replace(self, gravity=Motion(Vec3.zero(), gravity))

    def weightless(self) -> Model:
        return self.with_gravity(Vec3.zero())

    # -- the papers' link frames --------------------------------------------------------------------

    def distal(self) -> Model:
        """Link frames moved to the next joint; see `_distal`. Computed once per model."""
        return self._distal

    def proximal(self) -> Model:
        """Link frames moved back to their own joint (after = 1), on trees and for every joint.

        Works on numbers of any system: lift first, then edit.
        """
        return self._proximal

    @cached_property
    def _proximal(self) -> Model:
        bodies: list[Body] = []
        for body in self.bodies:
            carried = Pose() if body.parent == ROOT else self.bodies[body.parent].after
            inertial = moved(body.inertial, body.after) if body.after.steps else body.inertial
            before = (carried @ body.before).trimmed()
            bodies.append(replace(body, before=before, after=Pose(), inertial=inertial))
        frames = tuple(
            frame
            if frame.body == ROOT
            else replace(frame, placement=(self.bodies[frame.body].after @ frame.placement).trimmed())
            for frame in self.frames
        )
        return replace(self, bodies=tuple(bodies), frames=frames)

    @cached_property
    def _distal(self) -> Model:
        """Link frames moved to the next joint, which then acts along z (before = 1).

        What the serial formulations of the papers start from; the identity on standard-DH models.
        Works on numbers of any system: lift first, then edit.
        """
        if not self.bodies:
            raise UnsupportedModelError(f"{self.name} has no joints: there is no chain to walk along.")
        if not self.is_serial:
            raise UnsupportedModelError(
                f"{self.name} {self.not_serial}; this formulation needs one. "
                "Use spatial-newton-euler, or take a sub-chain."
            )
        bodies: list[Body] = []
        entry, chain = _onto_z(self.bodies[0].joint), self.bodies
        start = self.bodies[0].before @ entry
        for body in chain:
            last = body.index == len(chain) - 1
            following = Pose() if last else chain[body.index + 1].before
            leaving = _onto_z(body.joint).inverted() @ body.after
            entering = Pose() if last else following @ _onto_z(chain[body.index + 1].joint)
            shift = entering.inverted()  # from the old link frame to the new one
            inertial = body.inertial if not entering.steps else moved(body.inertial, shift)
            after = (leaving @ entering).trimmed()
            joint = replace(body.joint, axis=2, sign=1)
            bodies.append(replace(body, joint=joint, before=Pose(), after=after, inertial=inertial))
        # the world is now seen from the first joint's frame
        down = start.inverse().inward(self.gravity.linear)
        return replace(self, bodies=tuple(bodies), frames=(), gravity=Motion(Vec3.zero(), down))


def _onto_z(joint: Joint) -> Pose:
    """The rotation that takes z onto the joint's axis, out of right angles."""
    turns = {
        (2, 1): (),
        (2, -1): ((0, 2),),
        (1, 1): ((0, -1),),
        (1, -1): ((0, 1),),
        (0, 1): ((1, 1),),
        (0, -1): ((1, -1),),
    }[joint.axis, joint.sign]
    return Pose(tuple(Turn.by(axis, quarters * (math.pi / 2)) for axis, quarters in turns))


def moved(inertial: Inertial, shift: Pose) -> Inertial:
    """Mass properties given in one frame, in another that sees the first at ``shift``."""
    if inertial.com is None or inertial.central is None:
        return Inertial.of(shift.inertia(inertial.about_origin))
    com, central = shift.point(inertial.com), shift.inertia(Inertia(0.0, Vec3.zero(), inertial.central)).I
    if inertial.given == "parameters":  # neither follows from the other
        return Inertial(inertial.m, com, central, shift.inertia(inertial.about_origin), "parameters")
    return Inertial.at_com(inertial.m, com, central)
