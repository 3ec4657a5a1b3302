"""The Denavit-Hartenberg table of any chain of joints, and how exact it is.

The base's z axis, the n joint axes and the z axis of the frame are lines 0 … n + 1; x_k is the common normal of
lines k and k + 1, with feet f_k on line k and g_k on line k + 1:

    θ_k   from x_(k−1) to x_k about line k        d_k   from g_(k−1) to f_k along it
    α_k   from line k to line k + 1 about x_k     a_k   from f_k to g_k along it
    T = Rz(θ_0) Tz(d_0) · Tx(a_0) Rx(α_0) · Rz(θ_1 + q_1) Tz(d_1) · Tx(a_1) Rx(α_1) · …     sliding: d_k + q_k

Row k holds θ_k, d_k, a_k, α_k in the standard convention and α_(k−1), a_(k−1), θ_k, d_k in the modified one; what is
left over at the two ends is a row that does not move. Both read the same 4n + 6 numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from strobe import renamed
from strobe.errors import ArgumentError, shown
from strobe.kinematics.common_normals import Guide, Line, Normal, common_normals
from strobe.kinematics.dh_files import model_of, rest_placements, toml_of
from strobe.kinematics.dh_printing import text_of
from strobe.kinematics.serial_chain import Serial, serial
from strobe.models.chains import take_chain
from strobe.models.joints import FIXED, OfKind
from strobe.models.model import Model
from strobe.robot import Robot, require_robot
from strobe.show.sheet import displayed

Array = np.ndarray
Convention = Literal["standard", "modified"]
CONVENTIONS: tuple[Convention, ...] = ("standard", "modified")

TWELFTH = math.pi / 12  # angles that are a multiple of it but for rounding are made so
SNAP = 1e-12  # radians for those, and metres beside 0
DIGITS = 12  # a number with no more decimals than this, but for rounding, is made so
ROUNDING = 1e-14
NEARLY_PARALLEL = 2e-3  # radians, as far as a right angle with few digits is off
SAMPLES = 200
FREEDOM = {
    "parallel": "are parallel: x may cross them anywhere",
    "coincident": "coincide: x may cross them anywhere and in any direction",
}


@dataclass(frozen=True, slots=True)
class Row(OfKind):
    """One row: metres and radians; of the number that the joint adds to, what it has at the joint's zero."""

    name: str
    kind: str  # revolute, continuous, prismatic or fixed
    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0

    @property
    def idle(self) -> bool:
        """Whether it does nothing."""
        return self.is_fixed and not (self.a or self.alpha or self.d or self.theta)

    def placement(self, convention: Convention, q: Any = 0.0) -> Array:
        """The frame of the row (..., 4, 4) in the one before, its joint at q (...)."""
        turn, slide = (q, 0.0) if self.turns else (0.0, q)
        screw_z = _screw(2, self.theta + turn, self.d + slide)
        screw_x = _screw(0, self.alpha, self.a)
        return screw_z @ screw_x if convention == "standard" else screw_x @ screw_z


@dataclass(frozen=True, slots=True)
class Exactness:
    """How well a table stands for its robot."""

    samples: int  # random positions on which both were compared
    position: float  # largest distance between the two origins, m
    rotation: float  # largest angle between the two orientations, rad
    snapped_angle: float  # how far an angle at most was moved to the one it is meant to be, rad
    snapped_length: float  # the same for lengths, m


@displayed
@dataclass(frozen=True, eq=False)
class DHTable:
    """A Denavit-Hartenberg table: one row per joint, and what does not fit at its two ends.

    Every axis z points as its joint does in the model, so that no joint changes its sign.
    """

    robot: str
    frame: str
    convention: Convention
    base: Row
    rows: tuple[Row, ...]
    tool: Row
    exactness: Exactness
    choices: tuple[str, ...]  # what was free, and how it was decided
    remarks: tuple[str, ...]  # what a reader of the table should know
    chain: Model  # the joints that carry the frame, which comes last

    @property
    def n(self) -> int:
        return len(self.rows)

    @property
    def base_placement(self) -> Array:
        """The frame that the first row starts from, in base axes (4, 4)."""
        return self.base.placement(self.convention)

    @property
    def tool_placement(self) -> Array:
        """The frame that the table is about, in the one of the last row (4, 4)."""
        return self.tool.placement(self.convention)

    def forward_kinematics(self, q: Any) -> Array:
        """The placement (..., 4, 4) of the frame by the table alone; q (..., n) are the joints of the rows."""
        return self.placements(q)[-1] @ self.tool_placement

    def placements(self, q: Any) -> list[Array]:
        """The frame of the base row and of every row (..., 4, 4), in base axes."""
        q = np.asarray(q, dtype=float)
        placed = [self.base_placement]
        for k, row in enumerate(self.rows):
            placed.append(placed[-1] @ row.placement(self.convention, q[..., k]))
        return placed

    def model(self) -> Model:
        """The chain with the frames of the table as link frames, masses and inertias moved along."""
        return model_of(self)

    def toml(self) -> str:
        """A robot file with the rows of the table: the same kinematics and dynamics."""
        return toml_of(self)

    def data(self) -> dict[str, Any]:
        """Everything as what JSON knows."""
        return {
            "robot": self.robot,
            "frame": self.frame,
            "convention": self.convention,
            "base": asdict(self.base),
            "rows": [asdict(each) for each in self.rows],
            "tool": asdict(self.tool),
            "exactness": asdict(self.exactness),
            "choices": list(self.choices),
            "remarks": list(self.remarks),
        }

    def __str__(self) -> str:
        return text_of(self)


def denavit_hartenberg(
    robot: Robot, frame: str | None = None, convention: Convention = "standard"
) -> DHTable:
    """The table of the joints that carry a frame (the tip if none is named).

    Where the axes leave a choice, the robot's own link frames are kept if they fit, so that a model given by a table
    has that table; else offsets are as small as they can be. ``choices`` says what was free and what was taken.
    """
    require_robot(robot)
    if convention not in CONVENTIONS:
        raise ArgumentError(f'convention is {shown(convention)}; expected "standard" or "modified".')
    arm = serial(
        robot,
        frame,
        what="a Denavit-Hartenberg table",
        instead="Lock it, fix the base, or name a frame that it does not carry.",
    )
    chain = _chain(robot.model, robot.moving_frame(frame))
    lines = _lines(arm, chain)
    normals = _normals(arm, chain, lines, convention)
    snap = _Snap()
    base, *rows, tool = _rows(arm, chain, lines, normals, snap, convention)
    table = DHTable(
        robot=robot.name,
        frame=chain.frames[-1].name,
        convention=convention,
        base=base,
        rows=tuple(rows),
        tool=tool,
        exactness=Exactness(0, 0.0, 0.0, snap.angles, snap.lengths),
        choices=tuple(_choices(arm, lines, normals)),
        remarks=tuple(_remarks(lines, normals)),
        chain=chain,
    )
    return replace(table, exactness=_compared(robot, table, arm))


def _chain(model: Model, frame: str) -> Model:
    """The joints that carry a frame as a model that ends in it; a whole robot keeps its named positions."""
    chain = take_chain(model, frame)
    if len(chain.bodies) < len(model.bodies):
        return chain
    return replace(chain, poses=model.poses, golden=model.golden)


# -- the geometry -----------------------------------------------------------------------------------


def _lines(arm: Serial, chain: Model) -> list[Line]:
    """The base's z axis, the joint axes, the z axis of the frame, all joints at their zero."""
    axes = zip(arm.points, arm.axes, arm.names, strict=True)
    return [
        Line(np.zeros(3), np.array([0.0, 0.0, 1.0]), "the z axis of the base"),
        *(Line(point, z / np.linalg.norm(z), f'the axis of "{name}"') for point, z, name in axes),
        Line(arm.home[:3, 3], arm.home[:3, 2], f'the z axis of "{chain.frames[-1].name}"'),
    ]


def _normals(arm: Serial, chain: Model, lines: Sequence[Line], convention: Convention) -> list[Normal]:
    """x_0 … x_n, along x axes of the robot's own frames where those are common normals."""
    start, end = _guide(np.eye(4)), _guide(arm.home)
    *inner, last = (_guide(placed) for placed in rest_placements(chain))
    # the standard table ends in the frame itself if it can; the modified one keeps the frame of the last link
    ends = (end, last) if convention == "standard" else (last, end)
    return common_normals(lines, start, [(start,), *((guide,) for guide in inner), ends], end)


def _guide(placement: Array) -> Guide:
    return Guide(placement[:3, 3], placement[:3, 0])


def _rows(
    arm: Serial,
    chain: Model,
    lines: Sequence[Line],
    normals: Sequence[Normal],
    snap: _Snap,
    convention: Convention,
) -> Iterator[Row]:
    """The row of the base, one per joint, and that of the frame."""
    x = [np.array([1.0, 0.0, 0.0]), *(normal.x for normal in normals), arm.home[:3, 0]]
    stops = [
        np.zeros(3),
        *(foot for normal in normals for foot in (normal.near, normal.far)),
        lines[-1].point,
    ]
    screws_z = [
        {
            "theta": snap.angle(_angle(x[k], x[k + 1], line.z)),
            "d": snap.length((stops[2 * k + 1] - stops[2 * k]) @ line.z),
        }
        for k, line in enumerate(lines)
    ]
    screws_x = [
        {
            "alpha": snap.angle(_angle(lines[k].z, lines[k + 1].z, normal.x)),
            "a": snap.length((normal.far - normal.near) @ normal.x),
        }
        for k, normal in enumerate(normals)
    ]
    screws_x = [*screws_x, {}] if convention == "standard" else [{}, *screws_x]
    kinds = [FIXED.name, *(joint.kind for joint in chain.joints), FIXED.name]
    names = [chain.base_name, *arm.names, chain.frames[-1].name]
    for name, kind, screw_z, screw_x in zip(names, kinds, screws_z, screws_x, strict=True):
        yield Row(name, kind, **screw_z, **screw_x)


def _angle(start: Array, end: Array, about: Array) -> float:
    return math.atan2(np.cross(start, end) @ about, start @ end)


class _Snap:
    """Numbers as they are meant: rounding removed, and how much was removed at most."""

    def __init__(self) -> None:
        self.angles = 0.0
        self.lengths = 0.0

    def angle(self, raw: float) -> float:
        """In (−π, π]; a multiple of π/12 if it is next to one."""
        twelfths = round(raw / TWELFTH)
        meant = right_fraction(twelfths) if abs(raw - twelfths * TWELFTH) <= SNAP else _short(raw)
        self.angles = max(self.angles, abs(meant - raw))
        return math.pi if meant == -math.pi else meant

    def length(self, along: Any) -> float:
        raw = float(along)
        meant = _short(raw) if abs(raw) > SNAP else 0.0
        self.lengths = max(self.lengths, abs(meant - raw))
        return meant


def right_fraction(twelfths: int) -> float:
    """So many twelfths of π, the fraction reduced before it is rounded."""
    part = Fraction(twelfths, 12)
    return part.numerator * math.pi / part.denominator


def _short(raw: float) -> float:
    """The number, or the one with few digits that it is but for rounding."""
    short = round(raw, DIGITS)
    return short if abs(raw - short) <= ROUNDING * max(1.0, abs(raw)) else raw


def _screw(axis: int, angle: Any, shift: Any) -> Array:
    """A turn about a coordinate axis and a slide along it (..., 4, 4)."""
    angle, shift = np.broadcast_arrays(angle, shift)
    placement = np.zeros((*angle.shape, 4, 4))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    placement[..., i, i] = placement[..., j, j] = np.cos(angle)
    placement[..., j, i] = np.sin(angle)
    placement[..., i, j] = -placement[..., j, i]
    placement[..., axis, axis] = placement[..., 3, 3] = 1.0
    placement[..., axis, 3] = shift
    return placement


# -- the report -------------------------------------------------------------------------------------


def _compared(robot: Robot, table: DHTable, arm: Serial) -> Exactness:
    """The table beside the robot's own forward kinematics on random positions, angles within one turn."""
    q, _, _ = robot.random_state(seed=1, batch=SAMPLES)
    turning = arm.columns[arm.revolute]  # limits of 1e16 exist: an offset added to such an angle is lost
    q[:, turning] = np.remainder(q[:, turning] + math.pi, 2 * math.pi) - math.pi
    own = robot.forward_kinematics(q, table.frame)
    other = table.forward_kinematics(q[:, arm.columns])
    position = np.linalg.norm(own[:, :3, 3] - other[:, :3, 3], axis=-1)
    apart = np.linalg.norm(own[:, :3, :3] - other[:, :3, :3], axis=(-2, -1)) / math.sqrt(8.0)
    return replace(
        table.exactness,
        samples=SAMPLES,
        position=float(position.max()),
        rotation=float(2.0 * np.arcsin(np.minimum(apart, 1.0)).max()),
    )


def _choices(arm: Serial, lines: Sequence[Line], normals: Sequence[Normal]) -> Iterator[str]:
    """What the axes did not decide."""
    for name, turns in zip(arm.names, arm.revolute, strict=True):
        if not turns:
            yield f'"{name}" slides: its axis has a direction but no place; it passes through its link\'s origin.'
    for k, normal in enumerate(normals):
        if normal.case in FREEDOM:
            pair = f"{lines[k].name} and {lines[k + 1].name}"
            yield f"{pair} {FREEDOM[normal.case]}; {_taken(normal, k, arm, lines)}."
    if any(normal.case == "crossing" for normal in normals):
        yield (
            "every other x may point the other way (a and alpha change sign, theta by π on both sides); it points as "
            "the link's own x axis where that lies along it, else within a right angle of the x before."
        )


def _taken(normal: Normal, k: int, arm: Serial, lines: Sequence[Line]) -> str:
    if normal.own:
        return "it is the model's own"
    if k == arm.n:
        return f"it crosses at the origin of {lines[-1].name.removeprefix('the z axis of ')}"
    return f"it is the one that makes d = 0 along {lines[k].name}"


def _remarks(lines: Sequence[Line], normals: Sequence[Normal]) -> Iterator[str]:
    """Axes that are nearly parallel: the weak spot of such tables."""
    for k, normal in enumerate(normals):
        pair = f"{lines[k].name} and {lines[k + 1].name}"
        if normal.case == "crossing" and normal.sine < NEARLY_PARALLEL:
            away = float(np.linalg.norm(normal.near - lines[k].point))
            yield (
                f"{pair} are {normal.sine:.2g} rad off parallel, which puts their common normal {away:.3g} m away; "
                "if they are meant to be parallel, load the model with snap=1e-4."
            )
        elif normal.case != "crossing" and normal.sine > SNAP:
            yield f"{pair} are {normal.sine:.2g} rad off parallel, and their normal is chosen as if they were."


renamed.answer(__name__)
