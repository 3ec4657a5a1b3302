"""Where numeric inverse kinematics starts: configurations whose frame is near the pose that is asked for.

A table of random configurations within the limits is made once per robot and frame. How far a pose is from each of
them, |R − R_d|² + |p − p_d|² · weight², is one matrix product; the nearest come first, none comes twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from strobe.kinematics.poses import twelve
from strobe.kinematics.workspace import moving_numbers

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

CONFIGURATIONS = 1024
NEARNESS = 3.0  # of how many radians the arm's reach counts: what solved most poses at the first attempt
BLOCK = 256  # poses at once: their distances stay in the cache
ONES = np.ones((1, 13), np.float32)
SHIFTED = [3, 7, 11]  # of the twelve numbers of a pose
LEFT_OUT = {"pose": [], "position": [0, 1, 2, 4, 5, 6, 8, 9, 10], "orientation": SHIFTED}


@dataclass(frozen=True, eq=False)
class Seeds:
    """Configurations (K, nq), and the poses of a frame that belong to them (K, 12)."""

    q: Array
    poses: Array
    moves: Array  # (nq,) which numbers of q move the frame at all
    reach: float  # how far a coordinate of these frames is from their middle, at most

    @cached_property
    def all_move(self) -> bool:
        return bool(self.moves.all())

    @cached_property
    def features(self) -> dict[str, Array]:
        """(13, K) for each thing that may be asked: by what to multiply poses with a one behind them.

        The less comes out, the nearer.
        """
        return {what: self._features(what) for what in LEFT_OUT}

    def _features(self, what: str) -> Array:
        weight = np.ones(12)
        weight[SHIFTED] = NEARNESS / self.reach
        weight[LEFT_OUT[what]] = 0.0
        scaled = self.poses * weight
        return np.concatenate([-2.0 * (scaled * weight).T, (scaled**2).sum(-1)[None]]).astype(np.float32)


class Nearest:
    """The seeds of poses (N, 12), nearest first."""

    def __init__(self, seeds: Seeds, what: str, poses: Array) -> None:
        self.q, self.features = seeds.q, seeds.features[what]
        self.poses = np.ones((len(poses), 13), np.float32)
        self.poses[:, :12] = poses
        self.taken = np.empty((len(poses), 0), np.intp)

    def take(self, count: int) -> Array:
        """(N, count, nq): the next ones of every pose."""
        before = self.taken.shape[1]
        taken = np.empty((len(self.poses), before + count), np.intp)
        taken[:, :before] = self.taken
        for start in range(0, len(taken), BLOCK):
            part = taken[start : start + BLOCK]
            distance = self.poses[start : start + BLOCK] @ self.features
            if before:
                np.put_along_axis(distance, part[:, :before], np.inf, -1)
            part[:, before:] = _least(distance, count)
        self.taken = taken
        return self.q[taken[:, before:]]

    def keep(self, chosen: Array) -> None:
        """Go on with some of the poses only."""
        self.poses, self.taken = self.poses[chosen], self.taken[chosen]


class NearestToOne:
    """The seeds of one pose (1, 12), nearest first: how far each of them is, is found once."""

    def __init__(self, seeds: Seeds, what: str, pose: Array) -> None:
        numbers = ONES.copy()
        numbers[:, :12] = pose
        self.q, self.distance = seeds.q, (numbers @ seeds.features[what])[0]
        self.taken: Array | None = None

    def take(self, count: int) -> Array:
        """(count, nq): the next ones."""
        if self.taken is not None:
            self.distance[self.taken] = np.inf
        if count == 1:
            some = self.distance.argmin()[None]
        else:
            some = self.distance.argpartition(count - 1)[:count]
            some = some[self.distance[some].argsort()]
        self.taken = some
        return self.q[some]


def _least(distance: Array, count: int) -> Array:
    """(N, count): where the least of each row are, in order."""
    if count == 1:
        return distance.argmin(-1)[:, None]
    rows = np.arange(len(distance))[:, None]
    some = distance.argpartition(count - 1, axis=-1)[:, :count]
    return some[rows, distance[rows, some].argsort(axis=-1)]


def seeds_of(robot: Robot, frame: str, seed: int = 0) -> Seeds:
    """The seeds for a frame of a robot, made once."""
    return robot.kept(("seeds", frame, seed), lambda: _made(robot, frame, seed))


def _made(robot: Robot, frame: str, seed: int) -> Seeds:
    q = robot.random_state(seed, CONFIGURATIONS)[0]
    poses = twelve(robot.forward_kinematics(q, frame))
    places = poses[:, SHIFTED]
    reach = float(np.abs(places - (places.max(0) + places.min(0)) / 2).max())
    return Seeds(q, poses, moving_numbers(robot, frame), reach or 1.0)
