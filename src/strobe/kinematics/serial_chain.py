"""The joints that carry a frame, as lines in base axes: what analytic inverse kinematics works on.

    T(q) = E_1(q_1) E_2(q_2) … E_n(q_n) · home        E_i turns about, or slides along, line i

Lines and ``home`` are those of the robot with every joint at its zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from strobe.algebra import Vec3
from strobe.errors import Advised, UnsupportedModelError, advice_of
from strobe.formulations.kinematics import Placed, body_placements
from strobe.kinematics.joint_ranges import ranges_of
from strobe.models.model import Body

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

NUMERIC = {'method="numeric"': "--solver numeric"}  # in Python, and on a command line


@dataclass(frozen=True, eq=False)
class Serial:
    """One chain of joints with one degree of freedom each, from the base to a frame."""

    names: tuple[str, ...]
    revolute: Array  # (n,) truth values; the others are prismatic
    axes: Array  # (n, 3) unit vectors
    points: Array  # (n, 3) a point on each axis
    home: Array  # (4, 4) the frame with every joint at its zero
    lower: Array  # (n,)
    upper: Array  # (n,)
    columns: Array  # (n,) where each joint stands in the robot's q

    @property
    def n(self) -> int:
        return len(self.names)


def by_search(sentence: str) -> Advised:
    """What refuses a closed form, with the way out."""
    return Advised(f'{sentence} Use method="numeric".'.lstrip(), NUMERIC)


def serial(
    robot: Robot,
    frame: str | None = None,
    *,
    what: str = "analytic inverse kinematics",
    instead: str = by_search(""),
) -> Serial:
    """The chain that carries a frame (the tip if none is named); a refusal says what needs it, and a way out."""

    def refused(name: str, is_so: str, needed: str) -> UnsupportedModelError:
        sentence = f'joint "{name}" of {robot.name} {is_so}; {what} needs {needed}. {instead}'
        return UnsupportedModelError(Advised(sentence, advice_of(instead)))

    model = robot.model
    tip = model.frame(robot.moving_frame(frame))
    bodies = model.support(tip.body)
    positions = {joint.name: joint.q for joint in robot.coordinates.joints}
    for body in bodies:
        joint = body.joint
        if joint.nv != 1:
            raise refused(joint.name, f"has {joint.nv} degrees of freedom", "joints with one each")
        if not joint.is_elementary:
            raise refused(joint.name, f"is {joint.kind}", "joints that turn or slide")
        if joint.name not in positions:
            raise refused(joint.name, "follows other joints", "independent joints")
    rest = [x for joint in model.joints for x in joint.neutral()]
    placed = body_placements(bodies, rest)
    lines = [_line(body, placed[body.index]) for body in bodies]
    joints, ranges = [body.joint for body in bodies], ranges_of(robot)
    columns = np.array([positions[joint.name] for joint in joints])
    at = np.searchsorted(ranges.columns, columns)
    return Serial(
        names=tuple(joint.name for joint in joints),
        revolute=np.array([joint.turns for joint in joints]),
        axes=np.array([axis for axis, _ in lines]),
        points=np.array([point for _, point in lines]),
        home=np.array((placed[tip.body] @ tip.placement).matrix().rows, dtype=np.float64),
        lower=ranges.lower[at],
        upper=ranges.upper[at],
        columns=columns,
    )


def _line(body: Body, placed: Placed) -> tuple[Array, Array]:
    """The axis of a body's joint: its direction, and a point on it, in base axes."""
    (column,) = body.S
    origin, along, about = map(array, (placed.p, placed.R @ column.linear, placed.R @ column.angular))
    if not body.joint.turns:
        return along, origin
    return about, origin + np.cross(about, along)  # the origin moves with ω × (origin − point)


def array(v: Vec3) -> Array:
    """Three plain numbers as an array."""
    return np.array(tuple(v), dtype=np.float64)
