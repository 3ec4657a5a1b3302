"""Values of a robot's requests: compiled, or interpreted where few are asked for and compiling would take longer."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from strobe.compiler.runtime.interpret import evaluate
from strobe.quantities import Request
from strobe.robot import Robot

Array = np.ndarray
FEW = 3  # calls that one run makes of what it seldom asks for; compiling takes as long as twenty


def values_of(robot: Robot, request: Request, arrays: Mapping[str, Array], seldom: int = 0) -> Array:
    """What a request gives for arrays (..., size) by name; what is ``seldom`` asked for is interpreted at first.

    That is how many calls of it one counts for. The last digits of the two ways differ: nothing that a motion is
    computed from may be seldom asked for.
    """
    if robot.compiled and (not seldom or _often(robot, request, seldom)):
        kernel = robot.kernel(request)
        return kernel.in_a_hurry(arrays) if seldom else kernel(arrays)
    return interpreted(robot, request, arrays)


def _often(robot: Robot, request: Request, calls: int) -> bool:
    """Whether so many more calls of a request make compiling it worth while."""
    made = robot.kept(("seldom", request), lambda: [0])
    made[0] += calls
    return made[0] > FEW


def interpreted(robot: Robot, request: Request, arrays: Mapping[str, Array]) -> Array:
    """What a request gives for arrays (..., size) by name, without a compiler."""
    kernel = robot.kernel(request)
    return evaluate(kernel.function(), arrays, kernel.shape)
