"""``strobe prove``."""

from __future__ import annotations

from strobe.cli.inputs import RobotName


def prove(robot: RobotName) -> None:
    """To be written."""
