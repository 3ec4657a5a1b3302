"""A model as URDF: the same joints, frames and torques; what the format cannot say is remarked on.

In URDF the frame of a link is that of its joint. A body placed behind its joint by ``after`` becomes

    after a pure rotation A, or any A behind a slide:   origin = before · A,  axis = A⁻¹ e
    otherwise: a link "…_joint_frame" that carries the mass, and the body's own frame fixed to it.

Frames stand where the model lists them, between the bodies, so that reading finds them in that order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from strobe.algebra import Pose, Shift, Vec3
from strobe.errors import UnsupportedModelError
from strobe.models.default_frame import tip_or_none, unsaid
from strobe.models.inertial import ENTRIES, Inertial
from strobe.models.joints import FIXED, Joint, kind_of
from strobe.models.model import ROOT, Body, Frame, Model, moved
from strobe.models.names import unused_name
from strobe.scalars import Num

UNBOUNDED = 1e300  # a limit at least this large stands for none
LARGEST = repr(1.7976931348623157e308)
WEIGHT = (0.0, 0.0, -9.81)  # the gravity that readers of URDF assume


def write_urdf(model: Model) -> tuple[str, list[str]]:
    """The text of a URDF file, and a remark on everything that it cannot say."""
    writer = _Writer(model)
    writer.write()
    ElementTree.indent(writer.robot)
    text = ElementTree.tostring(writer.robot, encoding="unicode", xml_declaration=False)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n', writer.remarks


class _Writer:
    """The growing document, the names taken in it, and the remarks."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.robot = Element("robot", name=model.name)
        self.remarks: list[str] = []
        bodies = [body.name for body in model.bodies]
        self.links = {model.base_name, *bodies, *(frame.name for frame in model.frames)}
        self.joints = set(model.joint_names)

    def write(self) -> None:
        model = self.model
        self._link(model.base_name, model.base_inertial)
        for part in _parts(model):
            if isinstance(part, Body):
                self._body(part)
            else:
                self._fixed(part.name, self._name_of(part.body), part.placement)
        self._remark_on_model()

    def _name_of(self, index: int) -> str:
        return self.model.base_name if index == ROOT else self.model.bodies[index].name

    # -- links --------------------------------------------------------------------------------------

    def _link(self, name: str, inertial: Inertial) -> None:
        link = SubElement(self.robot, "link", name=name)
        if inertial.is_zero():
            return
        if inertial.com is None or inertial.central is None:
            raise UnsupportedModelError(
                f'link "{name}" has mass 0 and a first moment, which URDF cannot say. Write TOML instead.'
            )
        stated = SubElement(link, "inertial")
        SubElement(stated, "origin", xyz=_text(inertial.com), rpy="0 0 0")
        SubElement(stated, "mass", value=_text([inertial.m]))
        named = zip(ENTRIES, inertial.central, strict=True)
        SubElement(stated, "inertia", {name: _text([x]) for name, x in named})

    def _body(self, body: Body) -> None:
        joint, after = body.joint, body.after
        parent = self._name_of(body.parent)
        axis = joint.direction
        if not after.steps or _is_absorbed(joint, after):
            self._link(body.name, body.inertial)
            self._joint(joint, parent, body.name, body.before @ after, after.inverse().inward(axis))
            return
        moving = unused_name(f"{body.name}_joint_frame", self.links)
        self.links.add(moving)
        self._link(moving, moved(body.inertial, after))
        self._joint(joint, parent, moving, body.before, axis)
        self._fixed(body.name, moving, after)

    def _fixed(self, name: str, parent: str, placement: Pose) -> None:
        """A frame, as a link without mass."""
        SubElement(self.robot, "link", name=name)
        joint = unused_name(f"{name}_fixed", self.joints)
        self.joints.add(joint)
        self._placed(joint, FIXED.urdf, parent, name, placement)

    # -- joints -------------------------------------------------------------------------------------

    def _placed(self, name: str, kind: str, parent: str, child: str, placement: Pose) -> Element:
        element = SubElement(self.robot, "joint", name=name, type=kind)
        SubElement(element, "origin", xyz=_text(placement.translation), rpy=_text(placement.rpy()))
        SubElement(element, "parent", link=parent)
        SubElement(element, "child", link=child)
        return element

    def _joint(self, joint: Joint, parent: str, child: str, placement: Pose, axis: Vec3) -> None:
        kind = kind_of(joint.kind_by_limits)
        if not kind.urdf:
            raise UnsupportedModelError(
                f'joint "{joint.name}" is {joint.kind}, which URDF cannot say. Write TOML instead.'
            )
        element = self._placed(joint.name, kind.urdf, parent, child, placement)
        if joint.has_axis:
            SubElement(element, "axis", xyz=_text(axis))
        if joint.nv == 1:
            self._limit(element, kind.unlimited, joint)
        self._dynamics(element, joint)
        self._mimic(element, joint)
        if kind.urdf_rare:
            self.remarks.append(f'joint "{joint.name}" is {kind.name}, which few readers of URDF know.')
        if joint.rotor_inertia:
            lost = f"its rotor inertia of {joint.rotor_inertia:g}"
            self.remarks.append(f'joint "{joint.name}" loses {lost}: URDF has no place for it.')

    def _limit(self, element: Element, unlimited: bool, joint: Joint) -> None:
        limits = joint.limits
        bounds = {"velocity": limits.velocity, "effort": limits.effort}
        if not unlimited:
            bounds = {"lower": limits.lower, "upper": limits.upper, **bounds}
        elif all(math.isinf(bound) for bound in bounds.values()):
            return
        SubElement(element, "limit", {name: _bound(bound) for name, bound in bounds.items()})
        if math.isfinite(limits.acceleration):
            lost = f"its acceleration limit of {limits.acceleration:g}"
            self.remarks.append(f'joint "{joint.name}" loses {lost}: URDF has no place for it.')

    def _dynamics(self, element: Element, joint: Joint) -> None:
        forwards, backwards = joint.coulomb
        if not (joint.damping or forwards or backwards):
            return
        mean = forwards if forwards == backwards else 0.5 * (forwards + backwards)
        SubElement(element, "dynamics", damping=_text([joint.damping]), friction=_text([mean]))
        if forwards != backwards:
            self.remarks.append(
                f'joint "{joint.name}" has Coulomb friction {forwards:g} forwards and {backwards:g} '
                f"backwards; URDF has one value, and their mean {mean:g} is written."
            )

    def _mimic(self, element: Element, joint: Joint) -> None:
        for coupling in self.model.couplings:
            if coupling.joint != joint.name:
                continue
            if not coupling.terms:
                self.remarks.append(
                    f'joint "{joint.name}" is held at {coupling.offset:g}, which URDF cannot say: it moves '
                    "freely there. Lock it before writing."
                )
                continue
            if len(coupling.terms) != 1:
                text = f'joint "{joint.name}" follows {len(coupling.terms)} joints, URDF can say one: '
                self.remarks.append(f"{text}the coupling is lost.")
                continue
            ((other, factor),) = coupling.terms.items()
            SubElement(
                element, "mimic", joint=other, multiplier=_text([factor]), offset=_text([coupling.offset])
            )

    def _remark_on_model(self) -> None:
        down = tuple(float(cast(float, x)) for x in self.model.gravity.linear)
        if down != WEIGHT:
            shown = ", ".join(f"{x:g}" for x in down)
            self.remarks.append(
                f"gravity ({shown}) is lost: URDF has no place for it. State it when loading."
            )
        for loop in self.model.loops:
            self.remarks.append(f'the closed loop "{loop.name}" is lost: URDF describes trees.')
        for curve in self.model.curves:
            self.remarks.append(f'the curve "{curve.name}" is lost: joints of URDF follow others by lines.')
        for foot in self.model.feet:
            self.remarks.append(f'the sole of foot "{foot.frame}" is lost: URDF has no place for it.')
        if self.model.kinematic_only:
            self.remarks.append(
                "that the model is for kinematics only is lost: URDF has no place for it. "
                f"Do not use its dynamics: {self.model.kinematic_only}"
            )
        self._remark_on_tip()

    def _remark_on_tip(self) -> None:
        """Where no frame is named the tip is meant, which the file has no word for."""
        meant, read = tip_or_none(self.model), tip_or_none(_as_read(self.model, _parts(self.model)))
        if meant is not None and meant != read:
            other = "the written file has none" if read is None else f'of the written file it is "{read}"'
            self.remarks.append(
                f'the tip, "{meant}", is meant where no frame is named; {other}. Name the frame.'
            )


def _as_read(model: Model, parts: Sequence[Body | Frame]) -> Model:
    """The frames of the written file: every body has its own, the others lie behind one fixed joint."""
    own = {frame.name: frame for frame in model.frames}
    kept = [
        Frame(part.name, part.index, Pose()) if isinstance(part, Body) else own[part.name] for part in parts
    ]
    return unsaid(replace(model, frames=tuple(kept), loops=()))


def _parts(model: Model) -> list[Body | Frame]:
    """Bodies, and frames that are not those of bodies, in the order of the model; the tip is last if it has to be."""
    own = {body.name: body for body in model.bodies}
    listed = {
        frame.name: own.get(frame.name, frame) for frame in model.frames if frame.name != model.base_name
    }
    parts = list(listed.values())
    if [part for part in parts if isinstance(part, Body)] != list(model.bodies):
        parts = [*model.bodies, *(part for part in parts if isinstance(part, Frame))]
    meant = tip_or_none(model)
    if meant not in (None, tip_or_none(_as_read(model, parts))):
        parts.sort(key=lambda part: isinstance(part, Frame) and part.name == meant)
    return parts


def _is_absorbed(joint: Joint, after: Pose) -> bool:
    """Whether the joint's origin and axis can take over the placement behind it."""
    return joint.slides or (joint.turns and not any(isinstance(s, Shift) for s in after.steps))


def _bound(value: float) -> str:
    if math.isfinite(value):
        return repr(float(value))
    return LARGEST if value > 0 else f"-{LARGEST}"


def _text(numbers: Iterable[Num]) -> str:
    """Numbers with every digit that tells them apart; no negative zeros."""
    return " ".join(repr(float(cast(float, x)) + 0.0) for x in numbers)
