"""From what a file says (links and joints, fixed ones included) to a model.

Readers collect `LinkData` and `JointData` and every fault they see; `assemble` checks the tree, merges
fixed joints into named frames, orders the joints depth first in file order and turns oblique axes
into placements.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from strobe.algebra import Motion, Pose, Turn, Vec3
from strobe.errors import Fault, ModelFileError, nearest
from strobe.models.checks import check
from strobe.models.inertial import Inertial
from strobe.models.joints import KINDS, Friction, Joint, Limits, Motor
from strobe.models.model import ROOT, Body, Coupling, Frame, Loop, Model, moved

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
SNAP = 1e-9  # angles this close to a right angle are one (radians)
NEARLY = 2e-3  # angles this close are reported


class Faults:
    """Everything found wrong or noteworthy in one file."""

    def __init__(self, path: str, strict: bool = False) -> None:
        self.path = path
        self.strict = strict
        self.found: list[Fault] = []

    def error(self, where: str, text: str) -> None:
        self.found.append(Fault(self._place(where), text, "error"))

    def warning(self, where: str, text: str) -> None:
        """Something that loads by default and is refused when the caller is strict."""
        self.found.append(Fault(self._place(where), text, "error" if self.strict else "warning"))

    def note(self, where: str, text: str) -> None:
        self.found.append(Fault(self._place(where), text, "note"))

    def _place(self, where: str) -> str:
        """A line number is appended to the path, anything else set apart from it."""
        if not where:
            return self.path
        return f"{self.path}:{where}" if where.isdigit() else f"{self.path}: {where}"

    @property
    def errors(self) -> list[Fault]:
        return [fault for fault in self.found if fault.severity == "error"]

    @property
    def remarks(self) -> tuple[Fault, ...]:
        return tuple(fault for fault in self.found if fault.severity != "error")

    def raise_if_any(self) -> None:
        if self.errors:
            raise ModelFileError(self.errors)


@dataclass(slots=True)
class LinkData:
    """A link as a file states it."""

    name: str
    inertial: Inertial = field(default_factory=Inertial.zero)
    where: str = ""


@dataclass(slots=True)
class JointData:
    """A joint as a file states it: parent · before · motion · after = child."""

    name: str
    kind: str  # one of KINDS, or fixed
    parent: str
    child: str
    before: Pose = field(default_factory=Pose)
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    after: Pose = field(default_factory=Pose)
    limits: Limits = field(default_factory=Limits)
    motor: Motor = field(default_factory=Motor)
    friction: Friction = field(default_factory=Friction)
    where: str = ""


@dataclass(slots=True)
class Assembly:
    """A whole file."""

    name: str
    links: list[LinkData]
    joints: list[JointData]
    faults: Faults
    gravity: tuple[float, float, float] = STANDARD_GRAVITY
    frames: list[tuple[str, str, Pose, str]] = field(default_factory=list)  # name, link, placement, where
    couplings: list[Coupling] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    title: str = ""
    source: str = ""
    parameters: Mapping[str, float] = field(default_factory=dict)
    poses: Mapping[str, Sequence[float]] = field(default_factory=dict)
    golden: tuple[Mapping[str, object], ...] = ()
    kinematic_only: str = ""
    physical: str = "warn"  # what an impossible inertia is: error, warn, or a known-violation


def snapped(angle: float, tolerance: float = SNAP) -> float:
    """The angle, or the right angle it is meant to be."""
    right = round(angle / (math.pi / 2)) * (math.pi / 2)
    return right if abs(angle - right) <= tolerance and angle != right else angle


def nearly_right(angle: float, tolerance: float = SNAP) -> bool:
    """Whether an angle looks like a right angle written with few digits."""
    right = round(angle / (math.pi / 2)) * (math.pi / 2)
    return tolerance < abs(angle - right) < NEARLY


def assemble(data: Assembly) -> Model:
    """The model, or a `ModelFileError` with every fault."""
    check(data)
    root, order = _tree(data)
    data.faults.raise_if_any()
    bodies: list[Body] = []
    frames: list[Frame] = []
    inertials = {link.name: link.inertial for link in data.links}
    placed: dict[str, tuple[int, Pose]] = {root: (ROOT, Pose())}  # link -> body that carries it, and where
    base = inertials[root]
    frames.append(Frame(root, ROOT, Pose()))
    q = v = 0
    for joint in order:
        carrier, placement = placed[joint.parent]
        if joint.kind == "fixed":
            here = (placement @ joint.before @ joint.after).trimmed()
            placed[joint.child] = carrier, here
            frames.append(Frame(joint.child, carrier, here))
            extra = inertials[joint.child]
            if carrier == ROOT:
                base = base + moved(extra, here)
            elif not extra.is_zero():
                bodies[carrier] = _heavier(bodies[carrier], moved(extra, here))
            continue
        axis, sign, into, out = _axis(joint.axis, joint.kind)
        moving = Joint(joint.name, joint.kind, axis, sign, q, v, joint.limits, joint.motor, joint.friction)
        index = len(bodies)
        before = (placement @ joint.before @ into).trimmed()
        after = (out @ joint.after).trimmed()
        bodies.append(Body(index, joint.child, carrier, moving, before, after, inertials[joint.child]))
        placed[joint.child] = index, Pose()
        frames.append(Frame(joint.child, index, Pose()))
        q, v = q + moving.nq, v + moving.nv
    for name, link, pose, _ in data.frames:
        carrier, placement = placed[link]
        frames.append(Frame(name, carrier, (placement @ pose).trimmed()))
    return Model(
        name=data.name,
        bodies=tuple(bodies),
        gravity=Motion(Vec3.zero(), Vec3(*data.gravity)),
        frames=tuple(frames),
        couplings=tuple(data.couplings),
        loops=tuple(data.loops),
        base_name=root,
        base_inertial=base,
        title=data.title,
        source=data.source,
        parameters=dict(data.parameters),
        poses=dict(data.poses),
        golden=tuple(data.golden),
        kinematic_only=data.kinematic_only,
        notes=data.faults.remarks,
    )


def _heavier(body: Body, extra: Inertial) -> Body:
    return replace(body, inertial=body.inertial + extra)


def _axis(axis: tuple[float, float, float], kind: str) -> tuple[int, int, Pose, Pose]:
    """Coordinate axis and sign of a joint, and the rotations into and out of its own frame."""
    if kind in KINDS and KINDS[kind].nv > 1:
        return 2, 1, Pose(), Pose()
    size = math.sqrt(sum(x * x for x in axis))
    x, y, z = (a / size for a in axis)
    large = [k for k, component in enumerate((x, y, z)) if abs(component) > SNAP]
    if len(large) == 1:
        return large[0], (1 if axis[large[0]] > 0 else -1), Pose(), Pose()
    turns = (snapped(math.atan2(y, x)), snapped(math.atan2(math.hypot(x, y), z)))
    into = Pose((Turn.by(2, turns[0]), Turn.by(1, turns[1]))).trimmed()
    return 2, 1, into, into.inverted()


def _tree(data: Assembly) -> tuple[str, list[JointData]]:
    """The root link and the joints, depth first in file order; every fault of the structure."""
    faults = data.faults
    names = {link.name: link.where for link in data.links}
    _report_twins(data.links, "link", faults)
    _report_twins(data.joints, "joint", faults)
    usable: list[JointData] = []
    carrier: dict[str, JointData] = {}
    for joint in data.joints:
        good = True
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in names:
                good = False
                faults.error(
                    joint.where,
                    f'joint "{joint.name}" names the {role} link "{link}", which does not exist.'
                    f"{nearest(link, names)}",
                )
        if joint.parent == joint.child and good:
            good = False
            faults.error(joint.where, f'joint "{joint.name}" joins link "{joint.child}" to itself.')
        if good and joint.child in carrier:
            good = False
            faults.error(
                joint.where,
                f'link "{joint.child}" is the child of two joints, "{carrier[joint.child].name}" and '
                f'"{joint.name}"; a tree allows one. Close a loop with a constraint instead.',
            )
        if good:
            carrier[joint.child] = joint
            usable.append(joint)
    for name, link, _, where in data.frames:
        if link not in names:
            faults.error(
                where, f'frame "{name}" is on link "{link}", which does not exist.{nearest(link, names)}'
            )
    roots = [name for name in names if name not in carrier]
    if not names:
        faults.error("", "no links: a robot needs at least one.")
        return "", []
    reached = _walk(roots[0], usable) if len(roots) == 1 else []
    if len(roots) > 1 and not faults.errors:
        listed = ", ".join(f'"{r}"' for r in roots[:6])
        faults.error("", f"{len(roots)} root links ({listed}); a robot has one. Join the others to it.")
    on_cycle = [j for j in usable if not _leads_to_root(j, carrier)]
    if on_cycle:
        loop = ", ".join(f'"{j.name}"' for j in on_cycle[:6])
        faults.error(
            on_cycle[0].where,
            f"the joints {loop} form a cycle: no link of it is the base. Break it at one joint.",
        )
    return (roots[0] if roots else ""), reached


def _leads_to_root(joint: JointData, carrier: Mapping[str, JointData]) -> bool:
    seen: set[str] = set()
    link = joint.child
    while link in carrier:
        if link in seen:
            return False
        seen.add(link)
        link = carrier[link].parent
    return True


def _walk(root: str, joints: Iterable[JointData]) -> list[JointData]:
    """Joints depth first, file order; iterative, so that a long chain is no trouble."""
    children: dict[str, list[JointData]] = {}
    for joint in joints:
        children.setdefault(joint.parent, []).append(joint)
    order: list[JointData] = []
    stack = children.get(root, [])[::-1]
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack += children.pop(joint.child, [])[::-1]
    return order


def _report_twins(items: Sequence[LinkData] | Sequence[JointData], kind: str, faults: Faults) -> None:
    seen: dict[str, str] = {}
    for item in items:
        if item.name in seen:
            first = f" (first at {seen[item.name]})" if seen[item.name] else ""
            faults.error(item.where, f'a second {kind} named "{item.name}"{first}; names must be unique.')
        seen.setdefault(item.name, item.where)
