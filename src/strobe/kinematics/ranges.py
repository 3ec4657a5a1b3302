"""Between which limits joints with one number move, as arrays over all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

TURN = 2 * np.pi


@dataclass(frozen=True, eq=False)
class Ranges:
    """The joints with one number, which alone have limits: one entry each."""

    names: tuple[str, ...]
    columns: Array  # where they stand in q
    lower: Array
    upper: Array
    bounded: Array  # whether both limits are finite
    centre: Array  # of the limits; zero where one is infinite
    turning: Array  # whether a whole turn changes nothing: no other joint follows

    def within(self, q: Array) -> Array:
        """(...) whether positions (..., nq) are within all limits."""
        x = q[..., self.columns]
        return np.asarray(((x >= self.lower) & (x <= self.upper)).all(-1))

    def turned_back(self, q: Array, near: Array | None) -> Array:
        """Joints brought by whole turns into their limits or, where they have none, near to a position or to zero."""
        x = q[..., self.columns]
        aim = self.centre if near is None else np.where(self.bounded, self.centre, near[..., self.columns])
        back = x - TURN * np.round((x - aim) / TURN)
        stays = self.bounded & (x >= self.lower) & (x <= self.upper)
        turns = self.turning & ~stays & (back >= self.lower) & (back <= self.upper)
        q = q.copy()
        q[..., self.columns] = np.where(turns, back, x)
        return q


_known: WeakKeyDictionary[Robot, Ranges] = WeakKeyDictionary()


def ranges_of(robot: Robot) -> Ranges:
    """The ranges of a robot's joints, made once."""
    if robot not in _known:
        _known[robot] = _made(robot)
    return _known[robot]


def _made(robot: Robot) -> Ranges:
    x = robot.coordinates
    joints = [joint for joint in x.joints if joint.nq == 1]
    users = [k for terms, _ in x.positions for k in terms]
    lower = np.array([joint.limits.lower for joint in joints], float)
    upper = np.array([joint.limits.upper for joint in joints], float)
    bounded = np.isfinite(lower) & np.isfinite(upper)
    return Ranges(
        names=tuple(joint.name for joint in joints),
        columns=np.array([joint.q for joint in joints], int),
        lower=lower,
        upper=upper,
        bounded=bounded,
        centre=(np.where(bounded, lower, 0.0) + np.where(bounded, upper, 0.0)) / 2,
        turning=np.array([joint.turns and users.count(joint.q) == 1 for joint in joints], bool),
    )
