"""``strobe count``."""

from __future__ import annotations

from strobe.cli.inputs import RobotName


def count(robot: RobotName) -> None:
    """To be written."""
