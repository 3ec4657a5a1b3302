"""``strobe tables``."""

from __future__ import annotations

from strobe.cli.inputs import RobotName


def tables(robot: RobotName) -> None:
    """To be written."""
