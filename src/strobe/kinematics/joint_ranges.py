"""Between which limits joints with one number move, as arrays over all of them.

Limits of a joint that follows one other are among those of the joint that it follows (`models.couplings`). What
follows several joints bounds none of them alone: it is only looked at (`Ranges.beyond`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from strobe.models.joints import Joint
    from strobe.robot import Robot

Array = np.ndarray

TURN = 2 * np.pi
ROUNDING = 1e-9  # how far beyond a limit is none, and how near to it is at it


class Beyond(NamedTuple):
    """A joint outside a limit, its own or that of one that follows it."""

    joint: str
    side: str  # "lower" or "upper"
    limit: float
    by: float
    unit: str

    @property
    def word(self) -> str:
        return "above" if self.side == "upper" else "below"

    @property
    def position(self) -> float:
        return self.limit + self.by if self.side == "upper" else self.limit - self.by

    def __str__(self) -> str:
        at = f'joint "{self.joint}" at {self.position:.6g}'
        return f"{at}, {self.word} its {self.side} limit {self.limit:.6g}"


class Follower(NamedTuple):
    """A joint whose position is a sum over the numbers of q."""

    joint: Joint
    factors: Array  # (nq,)
    offset: float


@dataclass(frozen=True, eq=False)
class Ranges:
    """The joints with one number, which alone have limits: one entry each."""

    joints: tuple[Joint, ...]  # with their own limits
    columns: Array  # where they stand in q
    rates: Array  # and in qd
    lower: Array  # with the limits of what follows each
    upper: Array
    velocity: Array  # the largest, likewise
    acceleration: Array
    turning: Array  # whether a whole turn changes nothing: no other joint follows
    followers: tuple[Follower, ...]

    @cached_property
    def bounded(self) -> Array:
        """Whether both limits are finite."""
        return np.isfinite(self.lower) & np.isfinite(self.upper)

    @cached_property
    def centre(self) -> Array:
        """The middle of the limits; where one is infinite, what is nearest to zero."""
        ends = (np.where(self.bounded, limit, 0.0) for limit in (self.lower, self.upper))
        return np.where(self.bounded, sum(ends) / 2, np.clip(0.0, self.lower, self.upper))

    def within(self, q: Array) -> Array:
        """(...) whether positions (..., nq) are within all limits."""
        x = q[..., self.columns]
        inside = ((x >= self.lower - ROUNDING) & (x <= self.upper + ROUNDING)).all(-1)
        for joint, factors, offset in self.followers:
            y = q @ factors + offset
            inside &= (y >= joint.limits.lower - ROUNDING) & (y <= joint.limits.upper + ROUNDING)
        return np.asarray(inside)

    def turned_back(self, q: Array, near: Array | None) -> Array:
        """Angles in the turn within their limits that is nearest to a position, or to the middle of the limits."""
        x = q[..., self.columns]
        aims = [self.centre] if near is None else [self.centre, near[..., self.columns]]
        for aim in aims:
            back = x - TURN * np.round((x - aim) / TURN)
            x = np.where(self.turning & (back >= self.lower) & (back <= self.upper), back, x)
        q = q.copy()
        q[..., self.columns] = x
        return q

    def beyond(self, q: Array) -> Iterator[Beyond]:
        """Every limit that one position (nq) breaks."""
        for joint, column in zip(self.joints, self.columns, strict=True):
            yield from _beyond(joint, float(q[column]))
        for joint, factors, offset in self.followers:
            yield from _beyond(joint, float(q @ factors) + offset)

    def standing(self, q: Array) -> Iterator[str]:
        """The joints of one position (nq) that stand at a limit."""
        for joint, x, *limits in zip(
            self.joints, q[self.columns].tolist(), self.lower.tolist(), self.upper.tolist(), strict=True
        ):
            for side, limit in zip(("lower", "upper"), limits, strict=True):
                if abs(x - limit) <= ROUNDING:
                    yield f'joint "{joint.name}" at its {side} limit {limit:.6g}'


def _beyond(joint: Joint, x: float) -> Iterator[Beyond]:
    (unit,) = joint.position_units
    for side, limit, by in (
        ("lower", joint.limits.lower, joint.limits.lower - x),
        ("upper", joint.limits.upper, x - joint.limits.upper),
    ):
        if by > ROUNDING:
            yield Beyond(joint.name, side, limit, by, unit)


def ranges_of(robot: Robot) -> Ranges:
    """The ranges of a robot's joints, made once."""
    return robot.kept("ranges", lambda: _made(robot))


def _made(robot: Robot) -> Ranges:
    joints = tuple(joint for joint in robot.coordinates.joints if joint.nq == 1)
    lower = np.array([joint.limits.lower for joint in joints], float)
    upper = np.array([joint.limits.upper for joint in joints], float)
    velocity, acceleration = (
        np.array([getattr(joint.limits, name) for joint in joints], float)
        for name in ("velocity", "acceleration")
    )
    followers = _followers(robot)
    followed = np.any([factors for _, factors, _ in followers] or [np.zeros(robot.nq)], axis=0)
    columns = np.array([joint.q for joint in joints], int)
    return Ranges(
        joints=tuple(replace(joint, limits=robot.model.joint(joint.name).limits) for joint in joints),
        columns=columns,
        rates=np.array([joint.v for joint in joints], int),
        lower=lower,
        upper=upper,
        velocity=velocity,
        acceleration=acceleration,
        turning=np.array([joint.turns for joint in joints], bool) & ~followed[columns],
        followers=followers,
    )


def _followers(robot: Robot) -> tuple[Follower, ...]:
    independent, found = set(robot.joint_names), list[Follower]()
    for joint in robot.model.joints:
        if joint.name not in independent:
            terms, offset = robot.coordinates.positions[joint.q]
            factors = np.zeros(robot.nq)
            factors[list(terms)] = list(terms.values())
            found.append(Follower(joint, factors, offset))
    return tuple(found)
