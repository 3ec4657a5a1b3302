"""MuJoCo models (MJCF): compiled by the package mujoco in a process of its own, then read body by body.

A `mujoco.MjModel` that a user holds is compiled already, and is read in the same way.

MuJoCo places a body by its joints one after the other, each about an anchor p of the body and measured
from its reference position q0:

    body = parent · pos · quat · Π p · joint(q − q0) · p⁻¹

so a body with several joints is a chain whose inner links weigh nothing. q means MuJoCo's qpos; a free
joint's position is absolute. Velocities agree with MuJoCo's qvel except for a free joint's linear part,
which is in world axes there and in body axes here. What the file disables (gravity, damping, friction
loss, equalities) is not there. Equalities hold exactly, where MuJoCo's pull softly: a connect is a loop of kind
"point", a weld one of kind "full", an equality of joints a coupling where it is linear and a curve where it is
not. Actuators say which joints of a closed chain are driven. Contacts, sensors and the forces of actuators are
not read; what else changes the dynamics and is left out (springs, tendons) is reported.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from strobe.algebra import Pose, Shift, Spin, Sym3, Vec3, quaternion_rotation
from strobe.errors import ArgumentError, Fault, ModelFileError
from strobe.files.faults import Faults
from strobe.files.reading import file_fault, read_bytes
from strobe.models.assembly import SNAP, Assembly, JointData, LinkData, assemble, nearly_right
from strobe.models.inertial import Inertial
from strobe.models.joints import FIXED, FLOATING, MUJOCO, Friction, Kind, Limits, Motor
from strobe.models.locking import followed, lock
from strobe.models.loops import settled
from strobe.models.mjcf_child import numbers
from strobe.models.mjcf_compiled import Compiled, Implausible
from strobe.models.mjcf_process import NoAnswer, ask
from strobe.models.mjcf_text import Handed, handed_over
from strobe.models.model import Coupling, Curve, Loop, Model, moved
from strobe.models.names import file_stem, unused_name
from strobe.models.placements import factored

MODEL = "<mujoco.MjModel>"  # in the place of a file
TORQUE_SCALE = 10  # where a weld has the weight of its axes
PLACES = (
    "body_pos", "body_quat", "body_ipos", "body_iquat", "jnt_pos", "jnt_axis", "qpos0", "site_pos", "site_quat",
)  # fmt: skip
SHORTEST = 1e-30  # the square of the length of a quaternion that still says how something is turned
ON_JOINTS = ("joint", "jointinparent")
LINE = re.compile(r"Element (?:name )?'.*?', (?:id -?\d+, )?line (\d+)|Line number=(\d+)", re.DOTALL)

Triple = tuple[float, float, float]


def read_mjcf(
    path: str | PathLike[str],
    *,
    text: str | bytes | None = None,
    snap: float | None = None,
    strict: bool = False,
) -> Model:
    """The model in an MJCF file, or in ``text`` that would stand there and may name no other file."""
    faults = Faults(fspath(path), strict)
    return _read(_compiled(faults, text), faults, snap)


def read_mujoco(model: Any, *, snap: float | None = None, strict: bool = False) -> Model:
    """The model that a `mujoco.MjModel` is; its constants are those that it has now."""
    faults = Faults(MODEL, strict)
    try:
        compiled = Compiled({**numbers(sys.modules["mujoco"], model), "remarks": []})
    except Implausible as error:
        raise file_fault(MODEL, str(error)) from None
    _require_places(MODEL, compiled)
    return _read(compiled, faults, snap)


def _read(compiled: Compiled, faults: Faults, snap: float | None) -> Model:
    reader = _Reader(compiled, faults, SNAP if snap is None else snap)
    model = assemble(reader.assembly())
    try:
        return settled(lock(model, reader.held))
    except ArgumentError as error:
        raise ModelFileError([Fault(faults.path, str(error))]) from None


def _compiled(faults: Faults, text: str | bytes | None) -> Compiled:
    """What MuJoCo makes of a file; its complaints and remarks as faults of that file."""
    path = faults.path
    content = read_bytes(path) if text is None else text
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    handed = handed_over(Path(path), data, Path(path).parent if text is None else None)
    try:
        answer = ask(handed.text, handed.files)
        if "fault" in answer:
            place, said = _told(handed, path, str(answer["fault"]))
            raise ModelFileError([Fault(place, f"MuJoCo cannot compile this: {said}.")])
        compiled = Compiled(answer)
    except (NoAnswer, Implausible) as error:
        raise file_fault(path, str(error)) from None
    for remark in compiled.remarks:
        place, said = _told(handed, path, remark)
        faults.warning(place.removeprefix(path).removeprefix(":"), f"MuJoCo remarks: {said}.")
    _require_places(path, compiled)
    return compiled


def _require_places(path: str, compiled: Compiled) -> None:
    for name in PLACES:
        found = getattr(compiled, name)
        short = name.endswith("quat") and ((found**2).sum(axis=-1) < SHORTEST).any()
        if short or not np.isfinite(found).all():
            wrong = f"MuJoCo makes {name} of it that is no place; look for a number that is huge or tiny."
            raise ModelFileError([Fault(path, wrong)])


def _told(handed: Handed, path: str, message: str) -> tuple[str, str]:
    """The place that a message of MuJoCo's is about, and what it says in one line, in the user's names."""
    found = LINE.search(message)
    place = handed.place(int(found[1] or found[2])) if found else None
    lines = [part.strip() for part in message.splitlines() if part.strip()] or ["no reason is given"]
    said = lines[1] if len(lines) > 1 and lines[0].startswith("XML parse error") else lines[0]
    for ours, theirs in handed.names.items():
        said = said.replace(ours, theirs)
    return f"{place[0]}:{place[1]}" if place else path, said.rstrip(".")


class _Reader:
    """One compiled model on its way to an assembly; every name in it becomes unique."""

    def __init__(self, compiled: Compiled, faults: Faults, snap: float) -> None:
        self.m = compiled
        self.faults = faults
        self.snap = snap
        self.links = self._names("body")
        self.joints = self._names("joint")
        self.taken = set(self.links)  # names of links and frames
        self.held: dict[str, float] = {}  # joints that an equality holds at a position

    def assembly(self) -> Assembly:
        m, faults = self.m, self.faults
        gravity = (0.0, 0.0, 0.0) if self._is_disabled("GRAVITY") else _triple(m.gravity)
        data = Assembly(_model_name(m, faults.path), [], [], faults, gravity=gravity)
        data.links = [
            LinkData(name, self._inertial(i), f'body "{name}"') for i, name in enumerate(self.links)
        ]
        for i in range(1, len(self.links)):
            for link, joint in self._joints_of(i):
                data.joints.append(joint)
                if link is not None:
                    data.links.append(link)
        data.frames = list(self._sites())
        self._constraints(data)
        self._report_what_is_left_out()
        return data

    def _is_disabled(self, *flags: str) -> bool:
        """Whether the file's options disable one of the parts of MuJoCo's dynamics."""
        return any(flag in self.m.disabled for flag in flags)

    # -- names --------------------------------------------------------------------------------------

    def _names(self, kind: str) -> list[str]:
        """The names of things of one kind; one without a name is called by its number."""
        stated = self.m.names[kind]
        return [name or unused_name(f"{kind}{i}", stated) for i, name in enumerate(stated)]

    def _fresh(self, name: str) -> str:
        """A name for a link or frame that no other has."""
        fresh = unused_name(name, self.taken)
        self.taken.add(fresh)
        return fresh

    # -- bodies -------------------------------------------------------------------------------------

    def _inertial(self, i: int) -> Inertial:
        m = self.m
        principal = Sym3(*_triple(m.body_inertia[i]), 0.0, 0.0, 0.0)
        if not m.body_mass[i] and not any(m.body_inertia[i]):
            return Inertial.zero()
        return moved(
            Inertial.at_com(float(m.body_mass[i]), Vec3.zero(), principal),
            self._placement(m.body_ipos[i], m.body_iquat[i]),
        )

    def _placement(self, pos: Any, quat: Any) -> Pose:
        turned = factored(Pose((Spin(quaternion_rotation(*(float(x) for x in quat))),)), self.snap)
        return (_shift(pos) @ turned).trimmed()

    def _joints_of(self, i: int) -> Iterator[tuple[LinkData | None, JointData]]:
        """The joints that carry body i, each but the last with the weightless link it moves."""
        m, name = self.m, self.links[i]
        parent = self.links[m.body_parentid[i]]
        where = f'body "{name}"'
        before = self._placement(m.body_pos[i], m.body_quat[i])
        self._report_nearly_right(before, where)
        first, count = int(m.body_jntadr[i]), int(m.body_jntnum[i])
        if not count:
            yield None, JointData(self._fixed_name(name), FIXED.name, parent, name, before, where=where)
        for j in range(first, first + count):
            last = j == first + count - 1
            child = name if last else self._fresh(f"{self.joints[j]}_link")
            yield (None if last else LinkData(child, where=where)), self._joint(j, parent, child, before)
            parent, before = child, Pose()

    def _fixed_name(self, body: str) -> str:
        return unused_name(f"{body}_fixed", self.joints)

    def _joint(self, j: int, parent: str, child: str, before: Pose) -> JointData:
        m = self.m
        kind, dof = MUJOCO[int(m.jnt_type[j])], int(m.jnt_dofadr[j])
        anchor = Pose() if kind is FLOATING else _shift(m.jnt_pos[j])  # a free joint's position is absolute
        outward = Pose() if kind is FLOATING else before @ anchor
        return JointData(
            self.joints[j],
            kind.name,
            parent,
            child,
            before=outward.trimmed(),
            axis=_triple(m.jnt_axis[j]) if kind.has_axis else (0.0, 0.0, 1.0),
            after=(self._to_reference(j, kind) @ anchor.inverted()).trimmed(),
            limits=self._limits(j, kind),
            motor=Motor(inertia=float(m.dof_armature[dof]) + self._of_actuators("armature", j)),
            friction=self._friction(j),
            where=f'joint "{self.joints[j]}"',
        )

    def _friction(self, j: int) -> Friction:
        m, dof = self.m, int(self.m.jnt_dofadr[j])
        damping = float(m.dof_damping[dof]) + self._of_actuators("damping", j)
        loss = float(m.dof_frictionloss[dof])
        if self._is_disabled("DAMPER"):
            damping = 0.0
        if self._is_disabled("FRICTIONLOSS", "CONSTRAINT"):
            loss = 0.0
        return Friction(damping, (loss, -loss))

    def _of_actuators(self, what: str, j: int) -> float:
        """The armature or damping that actuators add to a joint: gear² × theirs."""
        stated = getattr(self.m, f"actuator_{what}")
        driving = [k for k in self._joint_actuators() if self.m.actuator_trnid[k, 0] == j]
        gears = [float(self.m.actuator_gear[k, 0]) for k in driving]
        return sum(gear * gear * float(stated[k]) for k, gear in zip(driving, gears, strict=True))

    def _joint_actuators(self) -> list[int]:
        """The actuators that act on a joint, not on a tendon, a site or a body."""
        return [k for k, kind in enumerate(self.m.words["actuator_trntype"]) if kind in ON_JOINTS]

    def _to_reference(self, j: int, kind: Kind) -> Pose:
        """The motion by −q0 that follows a motion by q, where a joint has a reference position q0."""
        reference = float(self.m.qpos0[self.m.jnt_qposadr[j]])
        x, y, z = _triple(self.m.jnt_axis[j])
        if kind.slides:
            return _shift((-reference * x, -reference * y, -reference * z))
        if kind.turns and reference:
            c, s = math.cos(reference / 2), -math.sin(reference / 2)
            return self._placement((0.0, 0.0, 0.0), (c, s * x, s * y, s * z))
        return Pose()

    def _limits(self, j: int, kind: Kind) -> Limits:
        m = self.m
        effort = float(max(abs(m.jnt_actfrcrange[j]))) if m.jnt_actfrclimited[j] else math.inf
        if not m.jnt_limited[j] or kind.nv > 1:
            return Limits(effort=effort)
        lower, upper = (float(x) for x in m.jnt_range[j])
        return Limits(lower, upper, effort=effort)

    def _report_nearly_right(self, placement: Pose, where: str) -> None:
        for angle in placement.rpy():
            if nearly_right(angle, self.snap):
                self.faults.note(
                    where, f"a turn by {angle:.7g} rad is nearly a right angle; snap=2e-3 takes it for one."
                )

    # -- frames and constraints -----------------------------------------------------------------------

    def _sites(self) -> Iterator[tuple[str, str, Pose, str]]:
        """Every named site as a frame on its body."""
        for i, name in enumerate(self.m.names["site"]):
            if not name:
                continue
            fresh = self._fresh(name)
            if fresh != name:
                self.faults.note(
                    f'site "{name}"', f'a body has this name too: the frame is called "{fresh}".'
                )
            yield fresh, self.links[self.m.site_bodyid[i]], self._site_placement(i), f'site "{name}"'

    def _site_placement(self, i: int) -> Pose:
        return self._placement(self.m.site_pos[i], self.m.site_quat[i])

    def _constraints(self, data: Assembly) -> None:
        names = self._names("equality")
        if names and self._is_disabled("EQUALITY", "CONSTRAINT"):
            self.faults.note("", f"equalities are disabled: {len(names)} left out.")
            return
        for i, name in enumerate(names):
            kind, where = self.m.words["eq_type"][i], f'equality "{name}"'
            if not self.m.eq_active0[i]:
                self.faults.note(where, "not active at the start: left out.")
            elif kind == "joint":
                self._rule(i, name, where, data)
            elif kind in ("connect", "weld"):
                self._loop(i, name, where, data, welded=kind == "weld")
            else:
                self.faults.warning(
                    where, f"a constraint of kind {kind} is left out: the model moves without it."
                )
        self._holds(data)
        if data.loops or data.curves:
            driven = {int(self.m.actuator_trnid[k, 0]) for k in self._joint_actuators()}
            data.actuated = [self.joints[j] for j in sorted(driven)]

    def _rule(self, i: int, name: str, where: str, data: Assembly) -> None:
        """q1 − q1₀ = Σ a_k (q2 − q2₀)ᵏ: a coupling where it is a line, a curve otherwise; a joint held if alone."""
        m = self.m
        joint, leader = self.joints[m.eq_obj1id[i]], int(m.eq_obj2id[i])
        rest = float(m.qpos0[m.jnt_qposadr[m.eq_obj1id[i]]])
        if leader < 0:
            if joint in self.held:
                self.faults.warning(where, f'"{joint}" is held already: left out.')
            self.held.setdefault(joint, float(m.eq_data[i][0]) + rest)
            return
        first, *higher = _about(m.eq_data[i][:5], float(m.qpos0[m.jnt_qposadr[leader]]))
        other = self.joints[leader]
        if len(higher) > 1 or joint in {coupling.joint for coupling in data.couplings}:
            data.curves.append(Curve(name, joint, other, (first + rest, *higher)))
        else:
            data.couplings.append(Coupling(joint, {other: higher[0] if higher else 0.0}, first + rest))

    def _holds(self, data: Assembly) -> None:
        """Lock joints that are held; one that follows another too is held by a curve that is level."""
        rules = {rule.joint: followed(rule)[0] for rule in (*data.curves, *data.couplings)}
        for joint in [joint for joint in self.held if joint in rules]:
            data.curves.append(Curve(f"{joint}_held", joint, rules[joint], (self.held.pop(joint),)))
        for joint, position in self.held.items():
            self.faults.note(f'joint "{joint}"', f"an equality holds it: it is locked at {position:g}.")

    def _loop(self, i: int, name: str, where: str, data: Assembly, *, welded: bool) -> None:
        """Two frames that MuJoCo pulls together: at their origins, and by their axes where a weld weighs these."""
        frames: list[str] = []
        for side, (link, placement) in enumerate(self._loop_ends(i, welded)):
            frame = self._fresh(f"{name}_{'ab'[side]}")
            data.frames.append((frame, link, placement, where))
            frames.append(frame)
        turning = welded and float(self.m.eq_data[i][TORQUE_SCALE]) > 0
        data.loops.append(Loop(name, frames[0], frames[1], "full" if turning else "point"))

    def _loop_ends(self, i: int, welded: bool) -> list[tuple[str, Pose]]:
        m, data = self.m, self.m.eq_data[i]
        ids = int(m.eq_obj1id[i]), int(m.eq_obj2id[i])
        if m.words["eq_objtype"][i] == "site":
            return [(self.links[m.site_bodyid[k]], self._site_placement(k)) for k in ids]
        places = (
            (self._placement(data[3:6], data[6:10]), _shift(data[0:3]))
            if welded
            else (_shift(data[0:3]), _shift(data[3:6]))
        )
        return [(self.links[k], place) for k, place in zip(ids, places, strict=True)]

    # -- what is left out ---------------------------------------------------------------------------

    def _report_what_is_left_out(self) -> None:
        m, warn = self.m, self.faults.warning
        for j, name in enumerate(self.joints):
            self._report_passive_forces(j, f'joint "{name}"')
        for i, name in enumerate(self.links):
            if m.body_gravcomp[i] and not self._is_disabled("GRAVITY"):
                warn(f'body "{name}"', "its compensation of gravity is left out.")
        for k, name in enumerate(self._names("actuator")):
            self._report_actuator(k, f'actuator "{name}"')
        for count, what in (("ntendon", "tendons"), ("nflex", "flexible bodies"), ("nplugin", "plugins")):
            if m.left_out[count]:
                warn("", f"{m.left_out[count]} {what} left out: the model moves without them.")
        if any(m.medium):
            warn("", "the medium (density, viscosity) is left out: there is no drag.")

    def _report_passive_forces(self, j: int, where: str) -> None:
        m = self.m
        if m.jnt_stiffness[j] and not self._is_disabled("SPRING"):
            text = f"a spring of stiffness {float(m.jnt_stiffness[j]):g} is left out."
            self.faults.warning(where, text)
        curved = any(m.dof_dampingpoly[m.jnt_dofadr[j]])
        if curved and not self._is_disabled("DAMPER"):
            self.faults.warning(where, "damping beyond its linear part is left out.")

    def _report_actuator(self, k: int, where: str) -> None:
        """Armature and damping that an actuator adds elsewhere than to a joint, or not in proportion."""
        direct = k in self._joint_actuators()
        for kind in ("dampingpoly",) if direct else ("armature", "damping", "dampingpoly"):
            if np.any(getattr(self.m, f"actuator_{kind}")[k]):
                what = "damping beyond its linear part" if kind == "dampingpoly" else f"its {kind}"
                self.faults.warning(where, f"{what} is left out.")


def _model_name(compiled: Compiled, path: str) -> str:
    """The name the file states (MuJoCo's own default says nothing), or the file's."""
    return file_stem(path) if compiled.name in ("", "MuJoCo Model") else compiled.name


def _triple(values: Any) -> Triple:
    x, y, z = (float(v) for v in values)
    return x, y, z


def _about(coefficients: Any, origin: float) -> list[float]:
    """Σ a_k (x − origin)ᵏ as a polynomial in x, without zeros at its end."""
    polynomial = np.polynomial.Polynomial([float(a) for a in coefficients]).trim()
    return [float(a) for a in polynomial(np.polynomial.Polynomial([-origin, 1.0])).coef]


def _shift(pos: Any) -> Pose:
    return Pose((Shift(Vec3(*_triple(pos))),)).trimmed()
