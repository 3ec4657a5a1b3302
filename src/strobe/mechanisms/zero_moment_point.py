"""What the ground does to a robot that stands on it: force, moment, zero moment point, and whether a foot holds.

The force F and the moment M about the world's origin that the world exerts on all links together, the base or stance
foot among them, are the first six rows of floating-base inverse dynamics. On a plane at height h with normal u
(against gravity)

    p   = (u × M + h F) / (u · F)        the zero moment point: the moment of F at p is along u
    M_u = u · (M − p × F)                what is left there, which friction must carry

A point p inside the polygon of support is the centre of pressure. Outside, or where the ground would have to pull, no
foot at rest gives this motion, and the status of that instant says so. [Decomposition2012]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from itertools import combinations
from typing import Any

import numpy as np

from strobe.approximate.states import states
from strobe.errors import Advised, ArgumentError, UnsupportedModelError, counted, shown
from strobe.models.arguments import finite_numbers, require_above
from strobe.models.bases import FLOATS, change_base
from strobe.models.feet import Foot
from strobe.models.joints import FLOATING
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, Table, displayed, listed, number, spread

Array = np.ndarray
Feet = str | Foot | Sequence[str | Foot] | None

FLAT = 1e-3  # m by which a corner of a sole may be above or below the ground
STILL = 1e-3  # m/s and rad/s of a foot that stands


class Footing(IntEnum):
    """Whether the feet that are said to stand can give the reaction that a motion needs, the worst last."""

    HELD = 0
    UNCHECKED = 1
    TWISTING = 2
    SLIPPING = 3
    TIPPING = 4
    NOT_FLAT = 5
    MOVING = 6
    LIFTING = 7
    UNKNOWN = 8

    @property
    def sentence(self) -> str:
        return SENTENCES[self]


SENTENCES = {
    Footing.HELD: "the feet hold: the zero moment point is the centre of pressure, within the friction given.",
    Footing.UNCHECKED: "no sole was given: whether the zero moment point lies under a foot is not known.",
    Footing.TWISTING: "the feet would turn on the spot: the moment about the vertical is beyond torsional friction.",
    Footing.SLIPPING: "the feet would slip: the force is outside the friction cone.",
    Footing.TIPPING: "the robot would tip: no foot at rest presses outside its sole, where the zero moment point is.",
    Footing.NOT_FLAT: "a foot that is said to stand does not lie flat on the ground.",
    Footing.MOVING: "a foot that is said to stand moves.",
    Footing.LIFTING: "the robot would lift off: the ground would have to pull, and there is no zero moment point.",
    Footing.UNKNOWN: "nothing can be said: the motion holds NaN.",
}


@displayed
@dataclass(frozen=True, eq=False)
class GroundReaction:
    """What the ground does along a motion, in the axes of the world (those of the robot's base)."""

    force: Array  # (..., 3) on the robot
    moment: Array  # (..., 3) about the world's origin
    zmp: Array  # (..., 3) on the ground; NaN where the ground would have to pull
    twist: Array  # (...) the moment about the vertical at the zero moment point, N m
    margin: Array  # (...) metres from the zero moment point to the edge of the soles, negative outside; NaN without
    friction: Array  # (...) the coefficient of friction that is needed, tangential over normal force
    status: Array  # (...) of `Footing`
    polygon: Array  # (..., K, 3) the corners of the soles that stand, on the ground

    @property
    def center_of_pressure(self) -> Array:
        """The zero moment point (..., 3) where it is one: NaN unless the feet stand and it lies under them."""
        presses = (self.margin >= 0) & (self.status < Footing.TIPPING)
        return np.where(presses[..., None], self.zmp, np.nan)

    @property
    def held(self) -> bool:
        """Whether the feet hold all the time."""
        return bool((self.status == Footing.HELD).all())

    @property
    def worst(self) -> Footing:
        """The worst of what happens."""
        return Footing(int(np.max(self.status, initial=Footing.HELD)))

    @property
    def sentence(self) -> str:
        """The worst of what happens, and at how many instants."""
        if self.worst == Footing.HELD:
            return self.worst.sentence
        count, all_ = int(np.sum(self.status == self.worst)), int(np.size(self.status))
        return f"at {count:,} of {counted(all_, 'instant')} {self.worst.sentence}"

    def _sheet(self) -> Sheet:
        vectors = {
            "force": (self.force, "N"),
            "moment": (self.moment, "N m"),
            "zero moment point": (self.zmp, "m"),
        }
        single = {"moment about the vertical": (self.twist, "N m"), "margin": (self.margin, "m")}
        single |= {"friction needed": (self.friction, "")}
        rows = [[name, *map(listed, spread(x)), unit] for name, (x, unit) in vectors.items()]
        rows += [
            [name, *(number(float(v)) for v in spread(x, 0)), unit] for name, (x, unit) in single.items()
        ]
        head = f"what the ground does at {counted(int(np.size(self.status)), 'instant')}: {self.sentence}"
        return Sheet(head, [Table(["", "least", "largest", "unit"], rows)])

    def placed(self, T: Array) -> GroundReaction:
        """The same in the axes of a world in which the robot's base stands at T (4, 4)."""
        R, p = T[:3, :3], T[:3, 3]
        force = self.force @ R.T
        moment = self.moment @ R.T + np.cross(p, force)
        return replace(
            self, force=force, moment=moment, zmp=self.zmp @ R.T + p, polygon=self.polygon @ R.T + p
        )

    @classmethod
    def joined(cls, parts: Sequence[tuple[Array, GroundReaction]]) -> GroundReaction:
        """Reactions at the instants where a mask (T,) of each is true, as one; corners of soles may repeat."""
        most = max(part.polygon.shape[-2] for _, part in parts)
        padded = [
            replace(part, polygon=part.polygon[:, np.arange(most) % part.polygon.shape[-2]])
            for _, part in parts
        ]
        order = np.argsort(np.concatenate([np.flatnonzero(mask) for mask, _ in parts]))
        whole = {
            each.name: np.concatenate([getattr(part, each.name) for part in padded])[order]
            for each in fields(cls)
        }
        return cls(**whole)


def ground_reaction(
    robot: Robot, q: Any, qd: Any, qdd: Any, *, foot: Feet = None, ground: float | str | None = None,
    friction: float | None = None, torsion: float | None = None,
) -> GroundReaction:  # fmt: skip
    """What the ground must do along a motion (..., n), and whether feet that stand can take it.

    ``foot`` is what stands: a `Foot`, the name of one of the model's feet, or several (double support). The ground is
    the plane through their soles, and without feet that through the world's origin; or ``ground`` gives its height
    against gravity, or a frame on it. ``friction`` is the coefficient of friction, ``torsion`` the moment about the
    vertical (N m) that each newton of normal force holds.
    """
    require_robot(robot)
    for name, value in (("friction", friction), ("torsion", torsion)):
        if value is not None:
            require_above(name, value, "a number that is not negative", or_zero=True)
    feet, up = standing(robot, foot), upward(robot)
    force, moment = total_wrench(robot, q, qd, qdd)
    corners = _soles(robot, q, feet, force.shape[:-1])
    height = _height(robot, q, ground, corners @ up, up)
    raised = corners @ up - height[..., None]
    polygon = corners - raised[..., None] * up
    normal = force @ up
    pressing = np.where(normal > 0, normal, np.nan)
    zmp = (np.cross(up, moment) + height[..., None] * force) / pressing[..., None]
    twist = (moment - np.cross(zmp, force)) @ up
    needed = np.linalg.norm(force - normal[..., None] * up, axis=-1) / pressing
    axes = across(up)
    margin = margins(zmp @ axes, polygon @ axes) if feet else np.full(normal.shape, np.nan)
    status = np.full(normal.shape, Footing.HELD if feet else Footing.UNCHECKED)
    for worse, where in (
        (Footing.TWISTING, torsion is not None and np.abs(twist) > torsion * pressing),
        (Footing.SLIPPING, friction is not None and needed > friction),
        (Footing.TIPPING, margin < 0),
        (Footing.NOT_FLAT, (np.abs(raised) > FLAT).any(axis=-1)),
        (Footing.MOVING, _moving(robot, q, qd, feet)),
        (Footing.LIFTING, normal <= 0),
        (Footing.UNKNOWN, np.isnan(normal)),
    ):
        status[...] = np.where(where, worse, status)
    return GroundReaction(force, moment, zmp, twist, margin, needed, status, polygon)


# -- the wrench ---------------------------------------------------------------------------------------------


def total_wrench(robot: Robot, q: Any, qd: Any, qdd: Any) -> tuple[Array, Array]:
    """The force (..., 3) that the world exerts on all links together, and its moment about the world's origin."""
    floating, motion = _afloat(robot, *states(robot, q, qd, qdd))
    base = floating.model.bodies[0]
    wrench = floating.inverse_dynamics(*motion, friction=False)[..., :6]
    T = floating.forward_kinematics(motion[0], base.name) @ np.array(base.after.inverted().matrix().rows)
    force, moment = (_turned(T, part) for part in (wrench[..., :3], wrench[..., 3:]))
    return force, moment + np.cross(T[..., :3, 3], force)


def _turned(T: Array, vectors: Array) -> Array:
    return np.einsum("...ij,...j->...i", T[..., :3, :3], vectors)


def center_of_mass(robot: Robot, q: Any) -> Array:
    """The centre of mass (..., 3) of all links, the base or stance foot among them."""
    still = np.zeros(robot.nv)
    floating, motion = _afloat(robot, *states(robot, q, still, still))
    return floating.center_of_mass(motion[0])


def _afloat(robot: Robot, *motion: Array) -> tuple[Robot, list[Array]]:
    """The robot on a floating base, and its motion there: a base that is held does not move, one that slides does."""
    floating: Robot = robot.kept("open tree afloat", lambda: _open_tree(robot))
    if change_base(robot.model, FLOATS) is robot.model:
        return floating, list(motion)
    slides = 3 if change_base(robot.model, "translating") is robot.model else 0
    return floating, [
        np.concatenate([_base(each[..., :slides], size), each[..., slides:]], axis=-1)
        for each, size in zip(motion, (FLOATING.nq, FLOATING.nv, FLOATING.nv), strict=True)
    ]


def _open_tree(robot: Robot) -> Robot:
    """The robot on a floating base, closed chains cut: what they do inside does not reach the ground."""
    model = change_base(robot.model, FLOATS)
    if model is robot.model and not model.is_closed:
        return robot
    return Robot(replace(model, loops=(), curves=(), actuated=()), device=robot.device)


def _base(sliding: Array, size: int) -> Array:
    """Positions (7) or rates (6) of a base that slides, if it does, and does not turn."""
    base = np.zeros((*sliding.shape[:-1], size))
    base[..., : sliding.shape[-1]] = sliding
    base[..., 3] = float(size == 7)
    return base


# -- the ground ---------------------------------------------------------------------------------------------


def upward(robot: Robot) -> Array:
    """The unit vector (3,) against gravity."""
    down = gravity_of(robot)
    if not down.any():
        what = f"{robot.name} has no gravity: nothing says which way the ground lies."
        cure = {"(with_gravity)": "by --gravity"}
        raise UnsupportedModelError(Advised(f"{what} Give it some (with_gravity).", cure))
    return -down / np.linalg.norm(down)


def gravity_of(robot: Robot) -> Array:
    """The acceleration of gravity (3,) in the axes of the world."""
    return np.array([float(x) for x in robot.model.gravity.linear])  # pyright: ignore[reportArgumentType]


def across(up: Array) -> Array:
    """Two unit vectors (3, 2) in the ground: x and y where z is up."""
    axis = np.eye(3)[0 if abs(up[0]) < 0.9 else 1]
    x = axis - (axis @ up) * up
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(up, x)], axis=-1)


def standing(robot: Robot, foot: Feet) -> list[Foot]:
    """The feet that are named or given, those of the model by the names of their frames."""
    if foot is None:
        return []
    several = foot if isinstance(foot, Sequence) and not isinstance(foot, str) else [foot]
    return [_foot(robot, each) for each in several]


def _foot(robot: Robot, foot: str | Foot) -> Foot:
    """A foot whose frame is there."""
    if isinstance(foot, Foot):
        robot.model.frame(foot.frame)
        return foot
    if not isinstance(foot, str):
        raise ArgumentError(f"foot is {shown(foot)}; expected a Foot, or the name of one.")
    robot.model.frame(foot)
    for known in robot.model.feet:
        if known.frame == foot:
            return known
    corners = f': Foot("{foot}", [(x, y), …]) in the axes of that frame.'
    sentence = f'{robot.name} does not say what the sole of "{foot}" is; give its corners{corners}'
    raise ArgumentError(Advised(sentence, {corners: " by --sole."}))


def _soles(robot: Robot, q: Any, feet: list[Foot], shape: tuple[int, ...]) -> Array:
    """The corners (..., K, 3) of all soles in the world."""
    placed = [np.empty((*shape, 0, 3))]
    for foot in feet:
        T = robot.forward_kinematics(q, foot.frame)
        corners = np.einsum("...ij,kj->...ki", T[..., :3, :3], np.array(foot.sole)) + T[..., None, :3, 3]
        placed.append(np.broadcast_to(corners, (*shape, *corners.shape[-2:])))
    return np.concatenate(placed, axis=-2)


def _height(robot: Robot, q: Any, ground: float | str | None, corners: Array, up: Array) -> Array:
    """How high the ground lies along the vertical (...), given how high the corners (..., K) of the soles are."""
    shape = corners.shape[:-1]
    if isinstance(ground, str):
        return np.broadcast_to(robot.forward_kinematics(q, ground)[..., :3, 3] @ up, shape)
    if ground is not None:
        return np.full(shape, finite_numbers("ground", ground, 1)[0])
    return corners.mean(axis=-1) if corners.shape[-1] else np.zeros(shape)


def _moving(robot: Robot, q: Any, qd: Any, feet: list[Foot]) -> Array | bool:
    """Where a foot that is said to stand moves."""
    with np.errstate(invalid="ignore"):  # what is infinite is not known
        carried = [foot.frame for foot in feet if foot.frame in robot.moving_frames]
        rates = [robot.jacobian(q, frame) @ np.asarray(qd, float)[..., None] for frame in carried]
    return np.any([(np.abs(rate) > STILL).any(axis=(-2, -1)) for rate in rates], axis=0) if rates else False


# -- the polygon of support --------------------------------------------------------------------------


def margins(points: Array, polygon: Array) -> Array:
    """How far points (..., 2) are inside the convex hull of corners (..., K, 2): metres, negative outside.

    With V the corners and n a unit vector, min over n of max over V of n · (v − p) is the distance of p to the
    nearest edge. The least n is normal to a line through two corners, or points from the nearest corner to p: so many
    directions are tried, and no hull is built.
    """
    first, second = (list(each) for each in zip(*combinations(range(polygon.shape[-2]), 2), strict=True))
    away = points[..., None, :] - polygon
    along = away[..., first, :] - away[..., second, :]
    normals = np.stack([-along[..., 1], along[..., 0]], axis=-1)
    directions = _units(np.concatenate([normals, -normals, away], axis=-2))
    reach = np.einsum("...dk,...ck->...dc", directions, -away).max(axis=-1)
    known = np.where(np.isnan(directions[..., 0]), np.inf, reach)
    return np.where(np.isnan(points).any(axis=-1), np.nan, known.min(axis=-1))


def _units(vectors: Array) -> Array:
    """Vectors of length one; NaN where there is no direction."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(length > 0, length, np.nan)
