"""What is asked of a hand: some rows of where a frame is and how it moves, over numbers.

e  = (p_r − p,  θ u)      from where the frame is to where it should be, base axes; u θ turns R into R_r
ẋ  = J q̇,   ẍ = J q̈ + J̇ q̇
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strobe.algebra import Vec3, ldl_solve
from strobe.algebra.rows import dot
from strobe.approximate.method import in_system
from strobe.errors import ArgumentError
from strobe.kinematics.manipulability import RANK, ROWS, rows_of
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.scalars import Num, Numbers, atan2, less, maximum, sqrt, where

SMALL = 1e-3  # of sin² θ, below which a series stands for θ/sin θ
HALF_TURN = 1e-12  # of 4 sin² θ: nearer to a half turn the axis is nothing but rounding
SERIES = (1.0, 1 / 6, 3 / 40, 5 / 112, 35 / 1152, 63 / 2816)  # of asin(s)/s in s²


class EndEffectorTask:
    """Rows of a frame's motion: ``of`` names them ("translation", "all", ("x", "y", "wz")); if none are named, all
    that the arm can move, or of too many the linear ones."""

    def __init__(
        self, robot: Robot, frame: str | None = None, of: str | Sequence[str] | None = None
    ) -> None:
        self.robot, self.frame = robot, robot.moving_frame(frame)
        self.rows = _movable(robot, self.frame) if of is None else rows_of(of)
        rank = _rank(robot, self.frame, self.rows)
        if not rank:
            raise ArgumentError(
                f'no joint of {robot.name} moves frame "{self.frame}" that way; see robot.frames for others.'
            )
        if rank < len(self.rows):
            raise ArgumentError(
                f"{robot.name} can move {rank} of the {len(self.rows)} rows {', '.join(self.names)} of frame "
                f'"{self.frame}" at will; name at most {rank}, such as of={_example(robot, self.frame, rank)!r}.'
            )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(ROWS[row] for row in self.rows)

    @property
    def redundant(self) -> bool:
        """Whether the arm can move without the hand."""
        return self.robot.nv > len(self.rows)

    def jacobian(self, q: Numbers) -> list[list[Num]]:
        return self._chosen(self._ask("jacobian", q=q))

    def drift(self, q: Numbers, qd: Numbers) -> list[Num]:
        """J̇ q̇."""
        return [dot(row, qd) for row in self._chosen(self._ask("jacobian_dot", q=q, qd=qd))]

    def error(self, q: Numbers, wanted: Numbers) -> list[Num]:
        """From where the frame is at q to where it is at a wanted position."""
        here, there = (self._ask("forward_kinematics", q=x) for x in (q, wanted))
        step = [there[i][3] - here[i][3] for i in range(3)]
        turn = list(rotation_between(here, there)) if max(self.rows) > 2 else [0.0] * 3
        return self._chosen([*step, *turn])

    def solved(self, A: list[list[Num]], right: Numbers, damping: float) -> list[Num]:
        """A⁻¹ right for a symmetric matrix of the rows, its diagonal larger by a part ``damping``."""
        A = [[x * (1.0 + damping) if i == j else x for j, x in enumerate(row)] for i, row in enumerate(A)]
        return ldl_solve(A, right, range(-1, len(A) - 1))

    def _chosen(self, rows: Sequence[Any]) -> list[Any]:
        return [rows[row] for row in self.rows]

    def _ask(self, quantity: str, **numbers: Numbers) -> Any:
        model = in_system(self.robot.model, numbers["q"])
        return Request(quantity, frame=self.frame).evaluate(model, **numbers)


def rotation_between(here: Sequence[Numbers], there: Sequence[Numbers]) -> Vec3:
    """The rotation vector, base axes, that turns one 3×3 rotation into another; shorter than π.

    With columns r_k and d_k of the two Σ r_k × d_k = 2 sin θ u and Σ r_k · d_k = 1 + 2 cos θ.
    """
    s, twice_cosine = Vec3(0.0, 0.0, 0.0), -1.0
    for k in range(3):
        r, d = (Vec3(*(rows[i][k] for i in range(3))) for rows in (here, there))
        s, twice_cosine = s + r.cross(d), twice_cosine + r.dot(d)
    square = s.dot(s)
    near = less(square, 4.0 * SMALL) * less(0.0, twice_cosine)
    length = sqrt(where(near, 1.0, maximum(square, HALF_TURN)))
    series: Num = SERIES[-1]
    for coefficient in reversed(SERIES[:-1]):
        series = series * (square * 0.25) + coefficient
    return s * where(near, series * 0.5, atan2(length, twice_cosine) / length)


def _movable(robot: Robot, frame: str) -> list[int]:
    """The rows that an arm can move one by one, or the linear ones of them."""
    J = robot.jacobian(robot.random_state(0)[0], frame)
    rows = [row for row in range(6) if np.abs(J[row]).max() > RANK]
    return rows if _rank(robot, frame, rows) == len(rows) else [row for row in rows if row < 3]


def _rank(robot: Robot, frame: str, rows: Sequence[int]) -> int:
    """How many rows an arm can move independently, at a random pose."""
    if not rows:
        return 0
    return int(np.linalg.matrix_rank(robot.jacobian(robot.random_state(0)[0], frame)[list(rows)], RANK))


def _example(robot: Robot, frame: str, rank: int) -> tuple[str, ...]:
    """The first rows that are independent of each other."""
    chosen: list[int] = []
    for row in range(6):
        if len(chosen) < rank and _rank(robot, frame, [*chosen, row]) > len(chosen):
            chosen.append(row)
    return tuple(ROWS[row] for row in chosen)
