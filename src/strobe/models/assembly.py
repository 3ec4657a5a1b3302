"""From what a file says (links and joints, fixed ones included) to a model.

Readers collect `LinkData` and `JointData` and every fault they see; `assemble` checks the tree, merges
fixed joints into named frames, orders the joints depth first in file order and turns oblique axes
into placements.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter

from strobe.algebra import Motion, Pose, Turn, Vec3
from strobe.errors import MOST_FAULTS
from strobe.files.faults import Faults
from strobe.models.checks import check
from strobe.models.feet import Foot
from strobe.models.inertial import Inertial
from strobe.models.joints import Friction, Joint, Limits, Motor, OfKind, kind_of
from strobe.models.model import ROOT, Body, Coupling, Curve, Frame, Loop, Model, moved

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
SNAP = 1e-9  # angles this close to a right angle are one (radians)
MOST_LINKS = 50_000  # of a file; reading so many takes seconds
MOST_STEPS = 64  # of a placement on a chain of fixed joints, sixteen in a row; more are multiplied out
NEARLY = 2e-3  # angles this close are reported
LARGEST_ANGLE = 1e6  # radians: beyond this no angle is meant, and its sine is arbitrary


def require_number(count: int, faults: Faults) -> None:
    """Refuse more links than a robot has, before work is spent on them."""
    if count > MOST_LINKS:
        faults.error("", f"{count:,} links; expected at most {MOST_LINKS:,}.")
        faults.raise_if_any()


@dataclass(slots=True)
class LinkData:
    """A link as a file states it."""

    name: str
    inertial: Inertial = field(default_factory=Inertial.zero)
    where: str = ""
    axes: Pose = field(default_factory=Pose)  # those that its inertia is stated in


@dataclass(slots=True)
class JointData(OfKind):
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
    axis_where: str = ""  # where it is not that of the joint
    pitch: float = 0.0  # m/rad, of a kind that has one


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
    curves: list[Curve] = field(default_factory=list)
    actuated: list[str] = field(default_factory=list)
    feet: list[Foot] = field(default_factory=list)
    tip: str = ""
    title: str = ""
    source: str = ""
    parameters: Mapping[str, float] = field(default_factory=dict)
    poses: Mapping[str, Sequence[float]] = field(default_factory=dict)
    golden: tuple[Mapping[str, object], ...] = ()
    kinematic_only: str = ""
    physical: str = "warn"  # what an impossible inertia is: error, warn, or a known-violation


def snapped(angle: float, tolerance: float = SNAP) -> float:
    """The angle, or the right angle it is meant to be."""
    right = _right_angle(angle)
    return right if abs(angle - right) <= tolerance and angle != right else angle


def nearly_right(angle: float, tolerance: float = SNAP) -> bool:
    """Whether an angle looks like a right angle written with few digits."""
    return tolerance < abs(angle - _right_angle(angle)) < NEARLY


def _right_angle(angle: float) -> float:
    return round(angle / (math.pi / 2)) * (math.pi / 2)


def assemble(data: Assembly) -> Model:
    """The model, or a `ModelFileError` with every fault."""
    check(data)
    root, order = _tree(data)
    _report_circles(data)
    data.faults.raise_if_any()
    built = _Build(root, {link.name: link.inertial for link in data.links})
    for joint in order:
        built.join(joint)
    for name, link, pose, _ in data.frames:
        built.add_frame(name, link, pose)
    return Model(
        name=data.name,
        bodies=tuple(built.bodies),
        gravity=Motion(Vec3.zero(), Vec3(*data.gravity)),
        frames=tuple(built.frames),
        couplings=tuple(data.couplings),
        loops=tuple(data.loops),
        curves=tuple(data.curves),
        actuated=tuple(data.actuated),
        feet=tuple(data.feet),
        tip=data.tip,
        base_name=root,
        base_inertial=built.base,
        title=data.title,
        source=data.source,
        parameters=dict(data.parameters),
        poses=dict(data.poses),
        golden=tuple(data.golden),
        kinematic_only=data.kinematic_only,
        notes=data.faults.remarks,
    )


class _Build:
    """The bodies and frames so far, and for every link the body that carries it, and where."""

    def __init__(self, root: str, inertials: Mapping[str, Inertial]) -> None:
        self.inertials = inertials
        self.base = inertials[root]
        self.bodies: list[Body] = []
        self.frames = [Frame(root, ROOT, Pose())]
        self.placed: dict[str, tuple[int, Pose]] = {root: (ROOT, Pose())}
        self.depth = {root: 0}  # of every link: the fixed joints between it and its body
        self.nq = self.nv = 0

    def join(self, joint: JointData) -> None:
        """Take the next joint with its child; the parent is there already."""
        if joint.is_fixed:
            self._merge(joint)
        else:
            self._move(joint)
        self.depth[joint.child] = self.depth[joint.parent] + 1 if joint.is_fixed else 0
        self.frames.append(Frame(joint.child, *self.placed[joint.child], self.depth[joint.child]))

    def add_frame(self, name: str, link: str, pose: Pose) -> None:
        carrier, placement = self.placed[link]
        self.frames.append(Frame(name, carrier, (placement @ pose).trimmed(), self.depth[link] + 1))

    def _merge(self, joint: JointData) -> None:
        """A child that does not move adds its mass to what carries its parent."""
        carrier, placement = self.placed[joint.parent]
        here = (placement @ joint.before @ joint.after).trimmed()
        if len(here.steps) > MOST_STEPS:
            here = Pose.at(tuple(here.translation), here.rpy())  # pyright: ignore[reportArgumentType]
        self.placed[joint.child] = carrier, here
        extra = moved(self.inertials[joint.child], here)
        if carrier == ROOT:
            self.base = self.base + extra
        elif not extra.is_zero():
            body = self.bodies[carrier]
            self.bodies[carrier] = replace(body, inertial=body.inertial + extra)

    def _move(self, joint: JointData) -> None:
        """A child that moves is a body."""
        carrier, placement = self.placed[joint.parent]
        axis, sign, into, out = _axis(joint.axis, joint.kind)
        moving = Joint(
            joint.name, joint.kind, axis, sign, self.nq, self.nv, joint.limits, joint.motor, joint.friction,
            joint.pitch,
        )  # fmt: skip
        index = len(self.bodies)
        before = (placement @ joint.before @ into).trimmed()
        after = (out @ joint.after).trimmed()
        inertial = self.inertials[joint.child]
        self.bodies.append(Body(index, joint.child, carrier, moving, before, after, inertial))
        self.placed[joint.child] = index, Pose()
        self.nq, self.nv = self.nq + moving.nq, self.nv + moving.nv


def _axis(axis: tuple[float, float, float], kind: str) -> tuple[int, int, Pose, Pose]:
    """Coordinate axis and sign of a joint, and the rotations into and out of its own frame."""
    if not kind_of(kind).has_axis:
        return 2, 1, Pose(), Pose()
    size = math.hypot(*axis)
    x, y, z = (a / size for a in axis)
    large = [k for k, component in enumerate((x, y, z)) if abs(component) > SNAP]
    if len(large) == 1:
        return large[0], (1 if axis[large[0]] > 0 else -1), Pose(), Pose()
    turns = (snapped(math.atan2(y, x)), snapped(math.atan2(math.hypot(x, y), z)))
    into = Pose((Turn.by(2, turns[0]), Turn.by(1, turns[1]))).trimmed()
    return 2, 1, into, into.inverted()


# -- the structure --------------------------------------------------------------------------------------


def _tree(data: Assembly) -> tuple[str, list[JointData]]:
    """The root link and the joints, depth first in file order; every fault of the structure."""
    faults = data.faults
    names = dict.fromkeys(link.name for link in data.links)
    if not names:
        faults.error("", "no links: a robot needs at least one.")
        return "", []
    _report_twins(data.links, "link", faults)
    _report_twins(data.joints, "joint", faults)
    carrier = _carriers(data.joints, names, faults)
    _report_lost_frames(data, names)
    roots = [name for name in names if name not in carrier]
    _report_roots(roots, faults)
    _report_cycle(carrier, faults)
    return (roots[0], _walk(roots[0], carrier.values())) if len(roots) == 1 else ("", [])


def _carriers(joints: Iterable[JointData], names: Collection[str], faults: Faults) -> dict[str, JointData]:
    """For each link the joint that carries it; joints that join nothing are reported and left out."""
    carrier: dict[str, JointData] = {}
    for joint in joints:
        wrong = _wrong_ends(joint, names, carrier, faults)
        for text in wrong:
            faults.error(joint.where, text)
        if not wrong:
            carrier[joint.child] = joint
    return carrier


def _wrong_ends(
    joint: JointData, names: Collection[str], carrier: Mapping[str, JointData], faults: Faults
) -> list[str]:
    """What is wrong with the two links that a joint names."""
    ends = (("parent", joint.parent), ("child", joint.child))
    lost = [
        f'joint "{joint.name}" names the {role} link "{link}", which does not exist.{faults.nearest(link, names)}'
        for role, link in ends
        if link not in names
    ]
    if lost:
        return lost
    if joint.parent == joint.child:
        return [f'joint "{joint.name}" joins link "{joint.child}" to itself.']
    if joint.child in carrier:
        return [
            f'link "{joint.child}" is the child of two joints, "{carrier[joint.child].name}" and '
            f'"{joint.name}"; a tree allows one. Close a loop with a constraint instead.'
        ]
    return []


def _report_lost_frames(data: Assembly, names: Collection[str]) -> None:
    for name, link, _, where in data.frames:
        if link not in names:
            hint = data.faults.nearest(link, names)
            data.faults.error(where, f'frame "{name}" is on link "{link}", which does not exist.{hint}')


def _report_roots(roots: Sequence[str], faults: Faults) -> None:
    """Several roots are a fault of their own only where no broken joint explains them."""
    if len(roots) > 1 and not faults.errors:
        listed = ", ".join(f'"{root}"' for root in roots[:6])
        faults.error("", f"{len(roots)} root links ({listed}); a robot has one. Join the others to it.")


def _report_cycle(carrier: Mapping[str, JointData], faults: Faults) -> None:
    rooted: set[str] = set()
    on_cycle = [joint for joint in carrier.values() if not _leads_to_root(joint, carrier, rooted)]
    if on_cycle:
        loop = ", ".join(f'"{joint.name}"' for joint in on_cycle[:6])
        faults.error(
            on_cycle[0].where,
            f"the joints {loop} form a cycle: no link of it is the base. Break it at one joint.",
        )


def _report_circles(data: Assembly) -> None:
    """The circles of joints that follow each other (of very many the first), each at its first joint in the file."""
    places = {joint.name: joint.where for joint in data.joints}
    follows = {coupling.joint: list(coupling.terms) for coupling in data.couplings}
    for _ in range(MOST_FAULTS):
        if not (circle := _circle(follows)):
            break
        chain = " -> ".join(f'"{name}"' for name in (*circle, circle[0]))
        text = (
            f"the joints {chain} follow each other in a circle; break it at one joint."
            if len(circle) > 1
            else f'joint "{circle[0]}" follows itself; let it follow another, or none.'
        )
        data.faults.error(places.get(circle[0], ""), text)
        gone = set(circle)
        follows = {name: others for name, others in follows.items() if name not in gone}


def _circle(follows: Mapping[str, Sequence[str]]) -> list[str]:
    """The joints of one circle, beginning with the one that is stated first; none if there is none."""
    try:
        TopologicalSorter(follows).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1][:0:-1]  # each followed by the one it follows
        stated = {name: k for k, name in enumerate(follows)}
        start = min(range(len(circle)), key=lambda k: stated[circle[k]])
        return circle[start:] + circle[:start]
    return []


def _leads_to_root(joint: JointData, carrier: Mapping[str, JointData], rooted: set[str]) -> bool:
    """Whether a joint hangs from the root; links that are known to are in ``rooted``, and those found are added."""
    seen: set[str] = set()
    link = joint.child
    while link in carrier and link not in rooted:
        if link in seen:
            return False
        seen.add(link)
        link = carrier[link].parent
    rooted |= seen
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
