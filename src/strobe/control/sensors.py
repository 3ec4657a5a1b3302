"""What a controller gets to know of the arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from strobe.control.controller import Kept, Measured
from strobe.robot import Robot
from strobe.scalars import Numbers


@dataclass(frozen=True)
class Sensors:
    """Position, velocity and acceleration of every joint, as they are."""

    def memory(self, robot: Robot) -> Mapping[str, int]:
        """What sensors keep from period to period, with sizes; names begin with "sensor"."""
        return {}

    def noise_size(self, robot: Robot) -> int:
        """How many random numbers a period takes."""
        return 0

    def read(
        self, robot: Robot, truth: Measured, kept: Kept, noise: Numbers, period: float
    ) -> tuple[Measured, Kept]:
        """What they say, and what they keep; over numbers."""
        return truth, {}
