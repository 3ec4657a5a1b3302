"""What closed chains ask of a robot, answered by `strobe.mechanisms`, which is imported where there are any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from strobe.errors import ArgumentError
from strobe.models.loops import why_open
from strobe.robot.answers import Array, Names

if TYPE_CHECKING:
    from strobe.mechanisms.mobility import Solvable
    from strobe.robot.framework import Framework
    from strobe.robot.robot import Robot


def driven(robot: Framework, actuated: Sequence[str] | None) -> Names:
    """The joints that drive a closed chain, as many as it has freedoms."""
    if not robot.model.is_closed:
        if actuated is not None:
            raise ArgumentError(
                f"actuated= is for closed chains; {robot.name} has none{why_open(robot.model)}"
            )
        return ()
    from strobe.mechanisms.mobility import require_actuation

    named = robot.matching_joints(robot.model.actuated if actuated is None else actuated)
    return require_actuation(cast("Robot", robot), named)


def require_closed(robot: Framework, arrays: Mapping[str, Array]) -> None:
    """Refuse states (q, perhaps qd and qdd) that do not exist."""
    from strobe.mechanisms.states import require_closed

    require_closed(cast("Robot", robot), arrays)


def transmitted(robot: Framework, q: Any, qd: Any, qdd: Any, **loads: Any) -> Array:
    """What joints transmit where loops hold the links too."""
    from strobe.mechanisms.transmitted_wrenches import transmitted

    return transmitted(cast("Robot", robot), q, qd, qdd, **loads).wrenches


def solvable(robot: Robot, q: Array) -> Solvable:
    """What is known of conditions near closed positions q (..., nq)."""
    from strobe.mechanisms.mobility import solvable

    return solvable(robot, q)
