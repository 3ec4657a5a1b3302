"""States as methods that are no formula take them: checked at the border, and friction kept apart from rigid bodies.

Friction is a few operations per joint and jumps where a joint turns back: stored and extrapolated torques are those
of rigid bodies, and friction is added as it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from strobe.approximate.method import INVERSE_DYNAMICS, Operations, in_system
from strobe.errors import ArgumentError, UnsupportedModelError, counted
from strobe.quantities import Asked, friction_torques
from strobe.robot import Robot
from strobe.runtime.arrays import batch_shape, collected
from strobe.runtime.traced import Traced, trace
from strobe.scalars import Num, Numbers

Array = np.ndarray
RIGID = replace(INVERSE_DYNAMICS, friction=False)


def states(robot: Robot, q: Any, qd: Any, qdd: Any) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations (..., n) of one batch and one dtype."""
    sizes = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv}
    why = f"{robot.name} has {counted(robot.n, 'joint')}"
    arrays = collected({"q": q, "qd": qd, "qdd": qdd}, sizes, why)
    batch = batch_shape(arrays)
    first, second, third = (np.broadcast_to(each, (*batch, each.shape[-1])) for each in arrays.values())
    return first, second, third


def require_dynamics(robot: Robot) -> None:
    """Refuse a robot without torques, in the words of the robot itself."""
    still = np.zeros(robot.nv)
    robot.inverse_dynamics(robot.neutral, still, still)


def require_single_numbers(robot: Robot, what: str) -> None:
    """Refuse joints whose position is more than one number."""
    many = [joint.name for joint in robot.coordinates.joints if joint.nq > 1]
    if many:
        raise UnsupportedModelError(
            f"{robot.name}: {what} needs joints whose position is one number; {', '.join(many)} "
            f"{'turn' if len(many) > 1 else 'turns'} by quaternions. Lock such joints, or take a sub-chain."
        )


def require_bytes(budget: Any) -> int | None:
    """A budget of memory in bytes, or none."""
    if budget is None:
        return None
    if not isinstance(budget, int | float | np.number) or isinstance(budget, bool) or not budget >= 0:
        raise ArgumentError(f"budget is {budget!r}; expected bytes of memory, zero or more.")
    return int(budget) if np.isfinite(budget) else None


def require_room(budget: int | None, needed: int, what: str) -> None:
    """Refuse what takes more bytes than there are."""
    if budget is not None and needed > budget:
        raise ArgumentError(f"{what} takes {needed:,} bytes; the budget is {budget:,}.")


def friction(robot: Robot) -> Traced | None:
    """Friction torques of velocities (..., n), compiled; none where no joint has any."""
    return robot.kept("friction alone", lambda: _friction(robot))


def _friction(robot: Robot) -> Traced | None:
    if not any(joint.damping or any(joint.coulomb) for joint in robot.model.joints):
        return None
    x = robot.coordinates

    def torques(qd: Numbers) -> list[Num]:
        asked = Asked(in_system(robot.model, qd), INVERSE_DYNAMICS, {})
        return x.reduce(friction_torques(asked, x.expand_rates(qd)))

    return trace(torques, qd=robot.nv)


def with_friction(robot: Robot, tau: Array, qd: Array) -> Array:
    """Rigid-body torques with friction added."""
    alone = friction(robot)
    return tau if alone is None else tau + alone(qd)


def friction_operations(robot: Robot) -> Operations:
    """What friction takes."""
    alone = friction(robot)
    return (
        Operations(0, 0) if alone is None else added(Operations.of(alone.program), Operations(0, robot.n))
    )


def added(*parts: Operations) -> Operations:
    """Operations of one thing after another."""
    fields = Operations.__dataclass_fields__
    return Operations(**{name: sum(getattr(part, name) for part in parts) for name in fields})


def shared(operations: Operations, rows: int) -> Operations:
    """Operations spent once in so many rows, by row."""
    fields = Operations.__dataclass_fields__
    return Operations(**{name: round(getattr(operations, name) / rows) for name in fields})
