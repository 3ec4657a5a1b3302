"""The frame that a command is about: the one named, else the tip, which is said where it is not plain."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strobe.robot import Robot

TIP = "else the tip, behind the last joint."  # of help texts


def meant_frame(robot: Robot, frame: str | None) -> str:
    """The name of a frame that joints move; a note says which one is meant where none was named."""
    from strobe.cli.show import note
    from strobe.models.default_frame import frame_meant

    if frame is not None:
        return robot.moving_frame(frame)
    if sentence := frame_meant(robot.model):
        note(f"{sentence} --frame names another.")
    return robot.tip
