"""How far measured poses are from where a robot with moved placements would be, and what every move changes.

    T = B · Π (before · joint(q) · after) · F · E      B the base, E the target, both as far as they are known
    e = (p − p_m,  2 sin(θ/2) u)  or  p − p_m  or  |p| − d       R_mᵀ R turns about u by θ

The error of a rotation is largest at half a turn, so that nothing that is wrong by that looks right. The errors and
their derivatives by all moves are one program of the robot, compiled once: q, what was measured, B, E and the moves
are its inputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from strobe.algebra import Mat3, Pose, Shift, Spin, Vec3
from strobe.compiler.runtime.traced import Traced, trace
from strobe.identify.placement_moves import BASE, TOOL, Move, moved, placed
from strobe.identify.pose_readings import Readings
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.scalars import FLOAT, Num, Numbers, maximum, sqrt

Array = np.ndarray

NOTHING = 1e-12  # half a turn, up to rounding
SIZES = {"poses": 12, "positions": 3, "distances": 1}  # numbers of what was measured


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """What is known so far: base and target (4, 4) each, and the moves of the joints."""

    base: Array
    tool: Array
    moves: Array

    def after(self, step: Array) -> Placed:
        """With a step of all moves: those of base and target, then those of the joints."""
        return Placed(
            self.base @ _placement(step[:6]), self.tool @ _placement(step[6:12]), self.moves + step[12:]
        )


@dataclass(frozen=True, eq=False)
class PoseErrors:
    """Errors of one kind of readings, of a robot whose joints have moves."""

    robot: Robot
    frame: str
    joints: tuple[Move, ...]
    kind: str

    @property
    def moves(self) -> tuple[Move, ...]:
        """All of them: of the base, of the target, of the joints."""
        return (*ENDS, *self.joints)

    def __call__(self, read: Readings, now: Placed) -> Array:
        """Errors (N, 6), (N, 3) or (N, 1)."""
        return self._errors(*self._arrays(read, now))

    def slopes(self, read: Readings, now: Placed) -> Array:
        """(N, errors, moves)."""
        return self._slopes(*self._arrays(read, now))

    def _arrays(self, read: Readings, now: Placed) -> list[Array]:
        x = np.concatenate([np.zeros(len(ENDS)), now.moves])
        return [read.q, read.measured, _numbers(now.base), _numbers(now.tool), x]

    @cached_property
    def _errors(self) -> Traced:
        """The errors as a program."""
        model, asked, kind = self.robot.model, Request("forward_kinematics", frame=self.frame), self.kind

        def errors(q: Numbers, m: Numbers, base: Numbers, tool: Numbers, x: Numbers) -> list[Num]:
            T: Any = asked.evaluate(moved(model, self.joints, x[len(ENDS) :]), q=q)
            hand = Pose(
                (Shift(Vec3(*(row[3] for row in T[:3]))), Spin(Mat3(*(Vec3(*row[:3]) for row in T[:3]))))
            )
            steps = [move.step(y) for move, y in zip(ENDS, x, strict=False)]
            seen = _pose(base) @ Pose(tuple(steps[:6])) @ hand @ _pose(tool) @ Pose(tuple(steps[6:]))
            p = seen.translation
            if kind == "distances":
                return [sqrt(p.dot(p)) - m[0]]
            off = list(p - Vec3(*m[-3:]))
            if kind == "positions":
                return off
            wanted = Mat3(*(Vec3(*m[3 * k : 3 * k + 3]) for k in range(3)))
            E = wanted.T @ seen.rotation
            (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = E
            scale = 1.0 / sqrt(maximum(xx + yy + zz + 1.0, NOTHING))
            return [*off, (zy - yz) * scale, (xz - zx) * scale, (yx - xy) * scale]

        sizes = {"q": self.robot.nq, "m": SIZES[kind], "base": 12, "tool": 12, "x": len(self.moves)}
        return trace(errors, **sizes)

    @cached_property
    def _slopes(self) -> Traced:
        return self._errors.jacobian("x")


ENDS = (*placed(BASE), *placed(TOOL))


def _pose(numbers: Numbers) -> Pose:
    rows = [Vec3(*numbers[3 * k : 3 * k + 3]) for k in range(3)]
    return Pose((Shift(Vec3(*numbers[9:])), Spin(Mat3(*rows))))


def _numbers(T: Array) -> Array:
    """A rotation row by row, and a position."""
    return np.concatenate([T[:3, :3].ravel(), T[:3, 3]])


def _placement(step: Array) -> Array:
    """Six moves of an end as a placement."""
    pose = Pose(tuple(move.step(float(x)) for move, x in zip(ENDS, step, strict=False)))
    T = np.eye(4)
    T[:3, :3] = [[FLOAT.lower(x) for x in row] for row in pose.rotation]
    T[:3, 3] = [FLOAT.lower(x) for x in pose.translation]
    return T
