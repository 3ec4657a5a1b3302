"""What a motion has to keep, as numbers between −1 and 1: looked at along it while it is sought.

    (q − middle) / half range      qd / velocity      qdd / acceleration      qddd / jerk
    tau(q, qd, qdd) / effort       (p_frame(q) − middle of a box) / half of the box

Torques are those of the robot as it is given, friction included. What is looked at is not yet proved: see
`motion_proof`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from strobe.robot import Robot
from strobe.trajectory.requests import Bounds

Array = np.ndarray


Parts = list[tuple[int, Array]]  # by which of `Along`, and how much (N, n)


class Along(NamedTuple):
    """A motion at instants: (N, n) each."""

    q: Array
    qd: Array
    qdd: Array
    qddd: Array


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """Where the origins of frames have to stay, in base axes."""

    frames: tuple[str, ...]
    lower: Array  # (3,), −inf where nothing is asked
    upper: Array


class Used(NamedTuple):
    """How much of one kind of bound is used, and how weights of that become slopes along the motion."""

    kind: str
    shares: Array  # (N, m), from −1 to 1 where the bound is kept
    slopes: Callable[[Array], Parts]  # of weights (N, m)
    names: Sequence[str]


@dataclass(frozen=True, eq=False)
class MotionBounds:
    """The bounds of a motion."""

    robot: Robot
    joints: Bounds
    box: Box | None

    def tightened(self, margin: float) -> MotionBounds:
        """The same with a part of each bound kept free."""
        b, left = self.joints, 1 - margin
        half = margin * (b.upper - b.lower) / 2
        joints = Bounds(
            b.lower + half,
            b.upper - half,
            *(left * x for x in (b.velocity, b.acceleration, b.jerk, b.effort)),
        )
        box = self.box
        if box is not None:
            width = margin * np.where(np.isfinite(box.upper - box.lower), box.upper - box.lower, 0.0) / 2
            box = replace(box, lower=box.lower + width, upper=box.upper - width)
        return MotionBounds(self.robot, joints, box)

    @property
    def middle(self) -> Array:
        return (self.joints.lower + self.joints.upper) / 2

    @property
    def half(self) -> Array:
        return (self.joints.upper - self.joints.lower) / 2

    @property
    def moving(self) -> Array:
        """Joints that have somewhere to go."""
        return self.half > 0

    @cached_property
    def efforts(self) -> Array:
        """The joints whose torques are bounded and known."""
        known = not self.robot.model.without_dynamics
        return np.flatnonzero(np.isfinite(self.joints.effort)) if known else np.zeros(0, int)

    # -- along a motion -----------------------------------------------------------------------------

    def used(self, along: Along) -> list[Used]:
        """Every bound that there is, along a motion."""
        found = [self._positions(along)]
        found += [self._rates(along, order) for order in (1, 2, 3)]
        found += [self._torques(along), *self._places(along)]
        return [each for each in found if each.shares.shape[1]]

    def _names(self, which: Array) -> list[str]:
        return [self.robot.joint_names[int(j)] for j in which]

    def _positions(self, along: Along) -> Used:
        which = np.flatnonzero(self.moving)
        half = self.half[which]

        def slopes(w: Array) -> Parts:
            return [(0, _spread(w / half, which, along.q.shape))]

        shares = (along.q[:, which] - self.middle[which]) / half
        return Used("position", shares, slopes, self._names(which))

    def _rates(self, along: Along, order: int) -> Used:
        kind = ("velocity", "acceleration", "jerk")[order - 1]
        bound = getattr(self.joints, kind)
        which = np.flatnonzero(np.isfinite(bound))

        def slopes(w: Array) -> Parts:
            return [(order, _spread(w / bound[which], which, along.q.shape))]

        return Used(kind, along[order][:, which] / bound[which], slopes, self._names(which))

    def _torques(self, along: Along) -> Used:
        which, effort = self.efforts, self.joints.effort[self.efforts]
        if not len(which):
            return Used("effort", np.zeros((len(along.q), 0)), lambda w: [], ())
        tau = self.robot.inverse_dynamics(*along[:3])[:, which]

        def slopes(w: Array) -> Parts:
            found = self.robot.inverse_dynamics_derivatives(*along[:3])
            return [(k, ((w / effort)[:, None] @ d[:, which])[:, 0]) for k, d in enumerate(found)]

        return Used("effort", tau / effort, slopes, self._names(which))

    def _places(self, along: Along) -> list[Used]:
        return (
            [] if self.box is None else [self._place(along, frame, self.box) for frame in self.box.frames]
        )

    def _place(self, along: Along, frame: str, box: Box) -> Used:
        shares, sides = [], []
        p = self.robot.forward_kinematics(along.q, frame)[:, :3, 3]
        for k in range(3):
            low, high = box.lower[k], box.upper[k]
            if np.isfinite(low) and np.isfinite(high):
                sides.append((k, 2 / (high - low) if high > low else 1e9))
                shares.append((p[:, k] - (low + high) / 2) * sides[-1][1])
            elif np.isfinite(low):  # one side alone: how far beyond it, in metres
                sides.append((k, -1.0))
                shares.append(1 + low - p[:, k])
            elif np.isfinite(high):
                sides.append((k, 1.0))
                shares.append(1 + p[:, k] - high)
        rows, factors = [k for k, _ in sides], np.array([factor for _, factor in sides])

        def slopes(w: Array) -> Parts:
            J = self.robot.jacobian(along.q, frame)[:, rows]
            return [(0, ((w * factors)[:, None] @ J)[:, 0])]

        names = [f"{'xyz'[k]} of {frame}" for k in rows]
        return Used(
            "workspace", np.stack(shares, axis=1) if shares else np.zeros((len(p), 0)), slopes, names
        )


def _spread(w: Array, which: Array, shape: tuple[int, ...]) -> Array:
    whole = np.zeros(shape)
    whole[:, which] = w
    return whole
