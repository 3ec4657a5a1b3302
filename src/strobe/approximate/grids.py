"""Grids over joint positions, velocities and accelerations: from where to where, and with how many points.

Places on an axis are counted in steps from its first point. A position of a joint that turns without limits comes
round: its last point is followed by the first. Anywhere else what lies outside has no place, NaN: a table is never
continued beyond its range, in no target that code is made for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from strobe.errors import ArgumentError, UnknownNameError, shown
from strobe.models.arguments import require_above, require_whole
from strobe.models.joints import Joint
from strobe.robot import Robot
from strobe.scalars import Num, Numbers, floor, less, maximum, minimum, where

Array = np.ndarray
TURN = 2 * math.pi
ROUNDING = 1e-9  # steps beyond an end that are none
KINDS = {"q": ("position", ""), "qd": ("velocity", "/s"), "qdd": ("acceleration", "/s²")}


@dataclass(frozen=True, slots=True)
class Axis:
    """One variable of a grid: the joint, what of it (q, qd or qdd), and its points."""

    joint: str
    kind: str
    unit: str
    lower: float
    upper: float  # where it comes round, the first point again
    points: int
    periodic: bool = False

    @property
    def step(self) -> float:
        return (self.upper - self.lower) / self.cells

    @property
    def cells(self) -> int:
        """Between neighbouring points."""
        return self.points if self.periodic else self.points - 1

    @property
    def nodes(self) -> Array:
        return np.linspace(self.lower, self.upper, self.points, endpoint=not self.periodic)

    def place(self, x: Num) -> Num:
        """Steps from the first point; NaN outside."""
        u = (x - self.lower) * (1.0 / self.step)
        if self.periodic:
            return u - floor(u * (1.0 / self.points)) * float(self.points)
        inside = where(less(u, -ROUNDING), math.nan, u)
        return where(less(self.cells + ROUNDING, u), math.nan, inside)

    def cell(self, u: Num) -> tuple[Num, Num, Num]:
        """The points below and above a place, and how far between them it is, from 0 to 1."""
        below = maximum(minimum(floor(u), self.cells - 1.0), 0.0)
        above = below + 1.0
        if self.periodic:
            above = where(less(above, self.points - 0.5), above, 0.0)
        return below, above, u - below

    def nearest(self, u: Num) -> tuple[Num, Num]:
        """The nearest point, and how far from it a place is, from −½ to ½."""
        near = floor(u + 0.5)
        beyond = u - near
        return (where(less(near, self.points - 0.5), near, 0.0) if self.periodic else near), beyond

    def outside(self, x: Array) -> Array:
        """Which of some values have no place."""
        if self.periodic:
            return np.isinf(x)
        slack = ROUNDING * self.step
        return (x < self.lower - slack) | (x > self.upper + slack)

    def __str__(self) -> str:
        return f"{self.lower:.6g} to {self.upper:.6g} {self.unit}{KINDS[self.kind][1]}"


@dataclass(frozen=True)
class Grid:
    """All points of several axes, the last axis running fastest."""

    axes: tuple[Axis, ...]

    @property
    def points(self) -> int:
        return prod(axis.points for axis in self.axes)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        sizes = [axis.points for axis in self.axes]
        return tuple(prod(sizes[k + 1 :]) for k in range(len(sizes)))

    def coordinates(self, first: int = 0, beyond: int | None = None) -> Array:
        """The points (P, d), or some of them, in order."""
        numbers = np.arange(first, self.points if beyond is None else beyond)
        places = np.unravel_index(numbers, [axis.points for axis in self.axes])
        return np.stack([axis.nodes[k] for axis, k in zip(self.axes, places, strict=True)], axis=-1)

    def places(self, x: Numbers) -> list[Num]:
        return [axis.place(value) for axis, value in zip(self.axes, x, strict=True)]


def axes(robot: Robot, kind: str, points: Any, ranges: Any = None, step: Any = None) -> tuple[Axis, ...]:
    """One axis per joint for its positions (q), velocities (qd) or accelerations (qdd).

    ``points`` is how many each has, or how many by joint; ``step`` how far apart they are at most, instead. A range
    (lower, upper) holds for all joints, or there is one by joint; the joints' limits where none is given.
    """
    joints = robot.coordinates.joints
    counts, steps = by_joint(robot, "points", points), by_joint(robot, "step", step)
    given = by_joint(robot, "ranges", ranges, pairs=True)
    return tuple(
        _axis(robot, joint, kind, counts.get(joint.name), steps.get(joint.name), given.get(joint.name))
        for joint in joints
    )


def by_joint(robot: Robot, name: str, value: Any, pairs: bool = False) -> dict[str, Any]:
    """What was given for all joints, in their order or by name, as a mapping by name."""
    names = robot.joint_names
    if value is None:
        return {}
    if isinstance(value, Mapping):
        for joint in value:
            if joint not in names:
                raise UnknownNameError("joint", str(joint), robot.name, list(names))
        return dict(value)
    shape = np.shape(value)
    if shape == ((2,) if pairs else ()):
        return dict.fromkeys(names, value)
    if len(shape) == (2 if pairs else 1) and shape[0] == len(names):
        return dict(zip(names, value, strict=True))
    each = "a pair (lower, upper)" if pairs else "a number"
    raise ArgumentError(
        f"{name} has shape {shape}; expected {each}, one per joint of {robot.name} ({len(names)}), or one by name."
    )


def _axis(robot: Robot, joint: Joint, kind: str, points: Any, step: Any, given: Any) -> Axis:
    lower, upper, periodic = _range(robot, joint, kind, given)
    if points is None and step is None:
        raise ArgumentError(f'joint "{joint.name}" has neither points nor a step; give one of them.')
    if step is not None:
        if points is not None:
            raise ArgumentError(f'joint "{joint.name}" has points and a step; give one of them.')
        step = require_above(f'step of joint "{joint.name}"', step, "a number above zero")
        points = math.ceil((upper - lower) / step - ROUNDING) + (not periodic)
    least = 3 if periodic else 2
    count = require_whole(f'points of joint "{joint.name}"', points, least)
    return Axis(joint.name, kind, joint.position_units[0], lower, upper, count, periodic)


def _range(robot: Robot, joint: Joint, kind: str, given: Any) -> tuple[float, float, bool]:
    """From where to where, and whether it comes round there."""
    free = kind == "q" and joint.turns and _alone(robot, joint)
    if given is None:
        given = _limits(joint, kind)
        if free and not given[1] - given[0] < TURN:
            return -math.pi, math.pi, True
    lower, upper = _pair(joint, given)
    if math.isinf(lower) or math.isinf(upper):
        part = joint.name if kind == "q" else kind
        raise ArgumentError(
            f'joint "{joint.name}" of {robot.name} has no {KINDS[kind][0]} limits; '
            f"give ranges={{{part!r}: (lower, upper)}} for its {KINDS[kind][0]}."
        )
    return lower, upper, free and math.isclose(upper - lower, TURN)


def _limits(joint: Joint, kind: str) -> tuple[float, float]:
    limits = joint.limits
    if kind == "q":
        return limits.lower, limits.upper
    most = limits.velocity if kind == "qd" else limits.acceleration
    return -most, most


def _alone(robot: Robot, joint: Joint) -> bool:
    """Whether a whole turn of a joint changes nothing: no other joint follows it."""
    return not any(joint.name in coupling.terms for coupling in robot.model.couplings)


def _pair(joint: Joint, given: Any) -> tuple[float, float]:
    try:
        lower, upper = (float(x) for x in given)
    except (TypeError, ValueError):
        lower, upper = math.nan, math.nan
    if not lower < upper:
        raise ArgumentError(
            f'range of joint "{joint.name}" is {shown(given)}; expected (lower, upper), the lower one first.'
        )
    return lower, upper


def refuse_outside(axes: Sequence[Axis], x: Array, what: str) -> None:
    """Raise where one of some values (..., d) lies outside a table, by joint, value and range."""
    for k, axis in enumerate(axes):
        beyond = axis.outside(x[..., k])
        if beyond.any():
            value = x[..., k][beyond].flat[0]
            raise ArgumentError(
                f'{KINDS[axis.kind][0]} of joint "{axis.joint}" is {value:.6g}; {what} covers {axis}. '
                "It is not continued beyond: make it wider, or compute the torque."
            )
