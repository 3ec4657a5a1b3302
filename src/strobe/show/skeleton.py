"""A robot in a pose as points and lines: its joints, the links between them, frames and centres of mass.

Where every row of a robot is one of Denavit and Hartenberg, links go along their d and their a as in the figures of
the papers; elsewhere they are straight from joint to joint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from strobe.algebra import Pose, Shift, Turn, Vec3
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.models.model import ROOT, Body, Frame, Model
from strobe.show.torso_and_feet import Solid, limbs

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

SAME = 1e-6  # of the reach: points that are one


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table of Denavit and Hartenberg; a turning joint adds to θ, a sliding one to d."""

    theta: float = 0.0
    d: float = 0.0
    a: float = 0.0
    alpha: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Hinge:
    """A joint in base axes."""

    body: Body
    place: Array  # (4, 4), of the moved frame
    rest: Array  # (3,), the origin while nothing is displaced

    @property
    def origin(self) -> Array:
        return self.place[:3, 3]

    @property
    def axis(self) -> Array:
        """The direction about or along which it moves."""
        joint = self.body.joint
        return self.place[:3, joint.axis] * joint.sign

    @property
    def turns(self) -> bool:
        """Whether it turns about its axis; a screw does so too."""
        return self.body.joint.angular

    @property
    def slides(self) -> bool:
        return self.body.joint.slides


@dataclass(frozen=True, slots=True, eq=False)
class Stroke:
    """A link, or a branch of one: from its own joint to the next joint, or to its tip."""

    body: int  # whose it is; ROOT for the base
    points: Array  # (k, 3)
    to: int | None  # the body of the joint where it ends


@dataclass(frozen=True, slots=True, eq=False)
class Tie:
    """A loop: what holds two links together, or a rod between them."""

    rod: bool
    ends: Array  # (2, 3), the origins of its frames
    bodies: tuple[int, int]

    @property
    def apart(self) -> float:
        return float(np.linalg.norm(self.ends[1] - self.ends[0]))


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A robot in a pose, in base axes."""

    robot: Robot
    q: Array
    hinges: tuple[Hinge, ...]
    strokes: tuple[Stroke, ...]
    frames: Array  # (bodies + 1, 4, 4), that of the base first
    coms: Array  # (bodies, 3)
    convention: str  # standard, modified, or none
    table: tuple[Row, ...]
    ties: tuple[Tie, ...] = ()
    limbs: tuple[Solid, ...] = ()  # in base axes

    @cached_property
    def points(self) -> Array:
        """Every point that lines go through."""
        return np.concatenate(
            [stroke.points for stroke in self.strokes]
            + [h.rest[None] for h in self.hinges]
            + [tie.ends for tie in self.ties]
            + [limb.points for limb in self.limbs]
        )

    @cached_property
    def reach(self) -> float:
        """The largest extent along an axis, in metres."""
        return float(np.ptp(self.points, axis=0).max()) or 1.0

    @cached_property
    def plane(self) -> Array | None:
        """The normal of the plane in which all of it moves, if there is one."""
        turning = [hinge.axis for hinge in self.hinges if hinge.turns]
        if not turning or not all(hinge.body.joint.is_elementary for hinge in self.hinges):
            return None
        normal = turning[0]
        across = [hinge.axis @ normal for hinge in self.hinges if hinge.slides]
        aside = [np.linalg.norm(np.cross(axis, normal)) for axis in turning]
        return normal if max(map(abs, [*across, *aside])) < SAME else None

    @property
    def up(self) -> Array:
        """Against gravity; z where there is none."""
        down = numbers(self.robot.model.gravity.linear)
        size = np.linalg.norm(down)
        return -down / size if size > 0 else np.array([0.0, 0.0, 1.0])

    @property
    def floats(self) -> bool:
        """Whether nothing holds it: every joint on the base floats."""
        return all(hinge.body.joint.is_free for hinge in self.children(ROOT))

    def tied(self, stroke: Stroke) -> bool:
        """Whether a stroke ends at a loop."""
        return any(np.abs(tie.ends - stroke.points[-1]).max(axis=-1).min() < SAME for tie in self.ties)

    def children(self, body: int) -> list[Hinge]:
        """The joints that a body carries."""
        return [hinge for hinge in self.hinges if hinge.body.parent == body]


def posed(robot: Robot, q: Array | Sequence[float]) -> Skeleton:
    """The robot in a pose."""
    if not robot.nv:
        raise UnsupportedModelError(f"{robot.name} has no joints that move: there is nothing to draw.")
    own, tree = robot.model, robot.model.proximal()
    moved, rest, links, centres = _placements(robot, tree, q)
    convention, table = denavit_hartenberg(own)
    corners = _corners(convention, table)
    places = {ROOT: np.eye(4)} | dict(enumerate(moved))
    strokes = [
        Stroke(
            body.parent,
            _placed(places[body.parent], _path(body.before.translation, corners(body))),
            body.index,
        )
        for body in tree.bodies
    ]
    strokes += [
        Stroke(body.index, _placed(moved[body.index], _path(end, corners(None))), None)
        for body in tree.bodies
        for end in _ends(tree, own, body)
    ]
    return Skeleton(
        robot=robot,
        q=np.asarray(q, float),
        hinges=tuple(Hinge(body, moved[b], rest[b, :3, 3]) for b, body in enumerate(tree.bodies)),
        strokes=tuple(strokes),
        frames=np.concatenate([np.eye(4)[None], links]),
        coms=centres[:, :3, 3],
        convention=convention,
        table=table,
        ties=tuple(_ties(tree, places)),
        limbs=tuple(replace(limb, points=_placed(places[limb.body], limb.points)) for limb in limbs(tree)),
    )


def _placements(robot: Robot, tree: Model, q: Array | Sequence[float]) -> list[Array]:
    """Moved frames of joints, resting ones, frames of links and centres of mass, each (bodies, 4, 4)."""
    frames = (
        *(Frame("", body.index, Pose()) for body in tree.bodies),
        *(Frame("", body.parent, body.before) for body in tree.bodies),
        *(Frame("", body.index, body.after) for body in robot.model.bodies),
        *(Frame("", body.index, Pose((Shift(body.inertial.com or Vec3.zero()),))) for body in tree.bodies),
    )
    placed = type(robot)(replace(tree, frames=frames), compiled=False).frame_placements(q)
    if placed.ndim != 3:
        raise ArgumentError(f"q has shape {np.shape(q)}; one pose is drawn, expected ({robot.nq},).")
    if not np.isfinite(placed).all():
        raise ArgumentError("q has an entry that is not a finite number; a pose needs all of them.")
    return np.split(placed, 4)


# -- the lengths and angles of Denavit and Hartenberg ------------------------------------------------


def denavit_hartenberg(model: Model) -> tuple[str, tuple[Row, ...]]:
    """The convention and the table of a chain that has one; nothing where a row does not fit."""
    if model.is_serial and all((b.joint.axis, b.joint.sign) == (2, 1) for b in model.bodies):
        for convention in ("standard", "modified"):
            rows = [_row(body, convention) for body in model.bodies]
            if None not in rows:
                return convention, tuple(row for row in rows if row is not None)
    return "", ()


def _row(body: Body, convention: str) -> Row | None:
    """What the steps of a body say, if they are those of the convention: Rz T Rx, or Rx T Rz."""
    used, other = (body.after, body.before) if convention == "standard" else (body.before, body.after)
    order = {2: 0, 0: 2} if convention == "standard" else {0: 0, 2: 2}
    angles, shift, reached = {0: 0.0, 2: 0.0}, Vec3.zero(), 0
    for step in used.steps:
        stage = order.get(step.axis, -1) if isinstance(step, Turn) else 1 if isinstance(step, Shift) else -1
        if stage < reached:
            return None
        reached = stage
        if isinstance(step, Turn):
            angles[step.axis] += float(step.angle or 0.0)
        elif isinstance(step, Shift):
            shift = shift + step.p
    x, y, z = numbers(shift)
    return None if other.steps or y else Row(angles[2], float(z), float(x), angles[0])


def _corners(convention: str, table: Sequence[Row]) -> Callable[[Body | None], list[float] | None]:
    """Where the path to a body's joint (for none: to the tip of the chain) turns, in the axes of the one before."""

    def corner(body: Body | None) -> list[float] | None:
        i = len(table) if body is None else body.index
        if convention == "standard" and i:
            return [0.0, 0.0, table[i - 1].d]  # along z by d, then along x by a
        if convention == "modified" and body is not None:
            return [table[i].a, 0.0, 0.0]  # along x by a, then along z by d
        return None

    return corner


def _ends(tree: Model, own: Model, body: Body) -> list[Vec3]:
    """Where a body ends: at the loops that hold it, and at its tip where it carries no joint."""
    bound = _bound(tree)
    held = [
        frame.placement.translation
        for frame in tree.frames
        if frame.body == body.index and frame.name in bound
    ]
    ends = [end for end in held if np.any(numbers(end))]
    carries = any(other.parent == body.index for other in tree.bodies)
    beyond = [
        frame
        for frame in tree.frames
        if frame.name not in bound and np.any(numbers(frame.placement.translation))
    ]
    if carries or (ends and all(frame.body != body.index for frame in beyond)):
        return ends
    return [*ends, _tip(replace(tree, frames=tuple(beyond)), own, body)]


def _bound(model: Model) -> set[str]:
    """The frames that loops hold together."""
    return {name for loop in model.loops for name in (loop.frame_a, loop.frame_b)}


def _ties(model: Model, places: Mapping[int, Array]) -> Iterator[Tie]:
    for loop in model.loops:
        frames = [model.frame(name) for name in (loop.frame_a, loop.frame_b)]
        ends = [_placed(places[f.body], numbers(f.placement.translation)) for f in frames]
        yield Tie(loop.kind == "distance", np.array(ends), (frames[0].body, frames[1].body))


def _tip(tree: Model, own: Model, body: Body) -> Vec3:
    """The end of a body that carries no joint: its sole, else its farthest frame, or where it weighs."""
    soles = [foot for foot in tree.feet if own.frame(foot.frame).body == body.index]
    if soles:
        return own.bodies[body.index].after.point(
            own.frame(soles[0].frame).placement.point(Vec3(*soles[0].middle.tolist()))
        )
    ends = [frame.placement.translation for frame in tree.frames if frame.body == body.index]
    far = max(
        [own.bodies[body.index].after.translation, *ends], key=lambda p: float(np.linalg.norm(numbers(p)))
    )
    return far if np.any(numbers(far)) else body.inertial.com or far


# -- points -------------------------------------------------------------------------------------------


def numbers(v: Vec3) -> Array:
    """A vector over floats as an array."""
    return np.array([float(x) for x in v])  # pyright: ignore[reportArgumentType]


def _path(end: Vec3, corner: Sequence[float] | None) -> Array:
    """From the origin to a point, by way of a corner where that is another one."""
    points = [np.zeros(3), *([np.array(corner)] if corner is not None else []), numbers(end)]
    kept = [b for a, b in pairwise(points) if np.any(np.abs(b - a) > 1e-9)]
    return np.array([points[0], *kept])


def _placed(place: Array, points: Array) -> Array:
    return points @ place[:3, :3].T + place[:3, 3]
