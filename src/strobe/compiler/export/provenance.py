"""Where generated code comes from: Strobe's version, the robot with its joints, and a stamp without a date.

The stamp is a digest of the version, of all that the model says and of what was made of it: the same input gives the
same files, byte by byte, and whoever finds a file in a firmware can tell it from another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from strobe.compiler.codegen.c import Origin
from strobe.compiler.export.argument_meanings import about_robot
from strobe.models.fingerprint import digest, fingerprint

if TYPE_CHECKING:
    from strobe.robot import Robot

DIGITS = 16  # of the digest


def origin(robot: Robot, prefix: str, *made: Any) -> Origin:
    """The origin of code for a robot; ``made`` is what was asked and what came of it, ``prefix`` that of macros."""
    from strobe import __version__

    stamp = digest(__version__, robot.name, fingerprint(robot.model), *made)[:DIGITS]
    told = (
        f"Made by Strobe {__version__}; stamp {stamp}, the same for the same robot, request and generator."
    )
    return Origin((told, *about_robot(robot)), prefix.upper(), {"NQ": robot.nq, "NV": robot.nv}, stamp)
