"""``strobe check``."""

from __future__ import annotations

from strobe.cli.inputs import RobotName


def check(robot: RobotName) -> None:
    """To be written."""
