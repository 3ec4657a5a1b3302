"""A `pinocchio.Model` read joint by joint, without Pinocchio: only what the object itself says is asked for.

Body i hangs on its parent by `jointPlacements[i] · joint(q)`; its frame is the joint's (after = 1), in which
`inertias[i]` is given. It is called as the first BODY frame that lies there; other bodies, operational frames and
sensors become frames. Armature is rotor inertia; damping and dry friction are the joint's, which `pinocchio.rnea`
leaves out. Joints are revolute, prismatic, helical, planar, spherical and free-flyer ones, unbounded ones as
continuous, and those that mimic another; any other kind is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from strobe.algebra import Pose, Vec3
from strobe.files.faults import Faults
from strobe.models.assembly import SNAP, Assembly, JointData, LinkData, assemble
from strobe.models.inertial import Inertial, symmetric
from strobe.models.joints import (
    FIXED,
    HELICAL,
    KINDS,
    PRISMATIC,
    REVOLUTE,
    Friction,
    Limits,
    Motor,
    kind_of,
)
from strobe.models.model import Coupling, Model
from strobe.models.names import NAMELESS, unused_name
from strobe.models.placements import from_matrix, is_placement

MODEL = "<pinocchio.Model>"  # in the place of a file
UNIVERSE = 0
SHORT_NAMES = {short: kind.name for kind in KINDS.values() for short in kind.pinocchio}
MIMIC = "Mimic"
FRAMES = ("BODY", "OP_FRAME", "SENSOR")  # those of joints are their bodies'
UNBOUNDED = 1e30  # limits beyond this are Pinocchio's largest numbers
HERE = 1e-12  # how far a frame may be off its body's to be the same


def read_pinocchio(model: Any, *, snap: float | None = None, strict: bool = False) -> Model:
    """The robot that a `pinocchio.Model` is, or a `ModelFileError` that names what it has beyond ours."""
    return assemble(_Reader(model, Faults(MODEL, strict), SNAP if snap is None else snap).assembly())


class _Reader:
    """One model on its way to an assembly."""

    def __init__(self, model: Any, faults: Faults, snap: float) -> None:
        self.m, self.faults, self.snap = model, faults, snap
        self.names = [str(name) for name in model.names]
        self.frames = [frame for frame in model.frames if str(frame.type) in FRAMES]
        self.own = {self._carrier(frame): frame for frame in reversed(self.frames) if _is_body(frame)}
        self.links = self._links()

    def assembly(self) -> Assembly:
        m = self.m
        links = [LinkData(name, self._inertial(i), self._where(i)) for i, name in enumerate(self.links)]
        joints = [self._joint(i) for i in range(1, m.njoints)]
        name = str(m.name).strip() or NAMELESS
        data = Assembly(name, links, joints, self.faults, gravity=_triple(m.gravity.linear))
        data.frames = list(self._others())
        data.couplings = [self._coupling(i) for i in range(1, m.njoints) if self._kind(i) == MIMIC]
        self._report_rotors()
        return data

    def _where(self, i: int) -> str:
        return f'joint "{self.names[i]}"' if i != UNIVERSE else ""

    # -- bodies and frames --------------------------------------------------------------------------

    @staticmethod
    def _carrier(frame: Any) -> int:
        return int(frame.parentJoint)

    def _links(self) -> list[str]:
        """A name for the body of every joint: that of a frame which is its own, or one after the joint."""
        links: list[str] = []
        stated = [str(frame.name) for frame in self.frames]
        for i, name in enumerate(self.names):
            own = str(self.own[i].name) if i in self.own else ""
            made = name if i == UNIVERSE else f"{name}_link"
            links.append(own if own and own not in links else unused_name(made, {*stated, *links}))
        return links

    def _others(self) -> Iterator[tuple[str, str, Pose, str]]:
        """The frames that are no body's own."""
        taken = set(self.links)
        for frame in self.frames:
            i, name = self._carrier(frame), str(frame.name)
            if self.own.get(i) is frame and self.links[i] == name:
                continue
            fresh = unused_name(name, taken)
            taken.add(fresh)
            where = f'frame "{name}"'
            if fresh != name:
                self.faults.note(where, f'another frame has this name too: this one is called "{fresh}".')
            yield fresh, self.links[i], self._placement(frame.placement, where), where

    def _placement(self, placement: Any, where: str) -> Pose:
        T = np.array(placement.homogeneous, dtype=float)
        if is_placement(T):
            return from_matrix(T, self.snap)
        self.faults.error(
            where, "its placement is no rotation and shift; look for a number that is not finite."
        )
        return Pose()

    def _inertial(self, i: int) -> Inertial:
        body = self.m.inertias[i]
        if not body.mass and not np.any(body.inertia):
            return Inertial.zero()
        return Inertial.at_com(
            float(body.mass), Vec3(*_triple(body.lever)), symmetric(np.array(body.inertia))
        )

    # -- joints -------------------------------------------------------------------------------------

    def _kind(self, i: int) -> str:
        """The kind of a joint in our words; `MIMIC`, or nothing where we have none."""
        short = str(self.m.joints[i].shortname()).removeprefix("JointModel")
        return MIMIC if short == MIMIC else SHORT_NAMES.get(short, "")

    def _joint(self, i: int) -> JointData:
        m, where = self.m, self._where(i)
        kind = self._kind(i)
        before = self._placement(m.jointPlacements[i], where)
        joint = JointData(
            self.names[i], kind, self.links[m.parents[i]], self.links[i], before=before, where=where
        )
        if kind == MIMIC:
            joint.kind, joint.axis = self._mimicking(i)
        elif kind:
            joint.axis = self._columns(i)[1] if joint.nv == 1 else joint.axis  # a plane is across z there
            joint.limits, joint.friction = self._limits(i, kind), self._friction(i)
            joint.motor = Motor(inertia=self._one(i, "armature", m.armature))
        else:
            joint.kind = FIXED.name
            self.faults.error(where, self._unknown(i))
        joint.pitch = self._pitch(i) if joint.has_pitch else 0.0
        return joint

    def _unknown(self, i: int) -> str:
        known = "revolute, prismatic, helical, planar, spherical, free-flyer and mimicking joints"
        return (
            f"{self.m.joints[i].shortname()} is a kind of joint that Strobe does not have ({known}); build the model "
            "with several of those, and massless bodies between them."
        )

    def _column(self, i: int) -> np.ndarray:
        """The motion that a joint with one degree of freedom allows, linear part first."""
        joint = self.m.joints[i]
        data = joint.createData()
        joint.calc(data, np.ones(self.m.nq or 1))
        return np.array(data.S, dtype=float).reshape(-1)[:6]

    def _columns(self, i: int) -> tuple[str, tuple[float, float, float]]:
        """What a joint with one degree of freedom does: about or along which axis it moves."""
        S = self._column(i)
        if not np.any(S[3:]):
            return PRISMATIC.name, _triple(S[:3])
        return (HELICAL if np.any(S[:3]) else REVOLUTE).name, _triple(S[3:])

    def _pitch(self, i: int) -> float:
        S = self._column(i)
        return float(S[:3] @ S[3:] / (S[3:] @ S[3:]))

    def _mimicking(self, i: int) -> tuple[str, tuple[float, float, float]]:
        """Kind and axis of a joint that follows another: its motion comes scaled."""
        kind, (x, y, z) = self._columns(i)
        sign = math.copysign(1.0, float(self.m.joints[i].extract().scaling))
        return kind, (x * sign, y * sign, z * sign)

    def _coupling(self, i: int) -> Coupling:
        rule = self.m.joints[i].extract()
        pairs = zip(self.m.mimicking_joints, self.m.mimicked_joints, strict=True)
        leader = next(int(other) for own, other in pairs if int(own) == i)
        return Coupling(self.names[i], {self.names[leader]: float(rule.scaling)}, float(rule.offset))

    def _slots(self, i: int) -> slice:
        return slice(int(self.m.idx_vs[i]), int(self.m.idx_vs[i]) + int(self.m.nvs[i]))

    def _one(self, i: int, what: str, values: Any) -> float:
        """The number that all degrees of freedom of a joint have."""
        own = [float(x) for x in values[self._slots(i)]]
        if len(set(own)) > 1:
            shown = ", ".join(f"{x:g}" for x in own)
            self.faults.error(
                self._where(i),
                f"it has {what} ({shown}); Strobe has one for all degrees of freedom of a joint.",
            )
        return own[0] if own else 0.0

    def _friction(self, i: int) -> Friction:
        m = self.m
        forwards = getattr(m, "upperDryFrictionLimit", None)
        backwards = getattr(m, "lowerDryFrictionLimit", None)
        forwards = m.friction if forwards is None else forwards
        backwards = -forwards if backwards is None else backwards
        dry = self._one(i, "dry friction", forwards), self._one(i, "dry friction", backwards)
        return Friction(self._one(i, "damping", m.damping), (dry[0] + 0.0, dry[1] + 0.0))

    def _limits(self, i: int, kind: str) -> Limits:
        m, q, v = self.m, int(self.m.idx_qs[i]), int(self.m.idx_vs[i])
        if kind_of(kind).nv > 1:
            return Limits()
        lower, upper = -math.inf, math.inf
        if not kind_of(kind).unlimited:
            lower, upper = _bound(m.lowerPositionLimit[q]), _bound(m.upperPositionLimit[q])
        if lower > upper:
            text = f"it has lower limit {lower:g} above upper limit {upper:g}; treated as unlimited."
            self.faults.warning(self._where(i), text)
            lower, upper = -math.inf, math.inf
        return Limits(lower, upper, _bound(m.velocityLimit[v]), effort=_bound(m.effortLimit[v]))

    def _report_rotors(self) -> None:
        rotors = np.asarray(self.m.rotorInertia) * np.asarray(self.m.rotorGearRatio) ** 2
        if np.any(rotors):
            text = "rotorInertia is in none of Pinocchio's dynamics, and is left out here too; armature is read."
            self.faults.note("", text)


def _is_body(frame: Any) -> bool:
    """Whether a frame is that of a body, and where its joint is."""
    return str(frame.type) == "BODY" and bool(
        np.abs(np.asarray(frame.placement.homogeneous) - np.eye(4)).max() <= HERE
    )


def _triple(values: Any) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z


def _bound(value: Any) -> float:
    number = float(value)
    return math.copysign(math.inf, number) if abs(number) >= UNBOUNDED else number
