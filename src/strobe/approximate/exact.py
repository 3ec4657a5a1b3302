"""The exact torques behind the interface of approximations: what the others are measured against."""

from __future__ import annotations

from strobe.approximate.method import Formula, exact
from strobe.robot import Robot
from strobe.scalars import Num, Numbers


class Exact(Formula):
    """The robot's own inverse dynamics."""

    name = "exact"
    title = "exact"

    def __init__(self, robot: Robot) -> None:
        self.robot = robot

    def torques(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        return exact(self.robot, q, qd, qdd)
