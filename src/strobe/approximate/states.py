"""States as methods that are no formula take them: checked at the border, and friction kept apart from rigid bodies.

Friction is a few operations per joint and jumps where a joint turns back: stored and extrapolated torques are those
of rigid bodies, and friction is added as it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from strobe.approximate.method import INVERSE_DYNAMICS, NUMBER, Operations, friction
from strobe.compiler.graph.program import Program
from strobe.compiler.runtime.arrays import batch_shape, collected
from strobe.compiler.runtime.traced import Traced, trace
from strobe.errors import ArgumentError, UnsupportedModelError, shown
from strobe.models.couplings import Coordinates
from strobe.robot import Robot

Array = np.ndarray
RIGID = replace(INVERSE_DYNAMICS, friction=False)


def states(robot: Robot, q: Any, qd: Any, qdd: Any) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations (..., n) of one batch and one dtype."""
    sizes = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv}
    arrays = collected({"q": q, "qd": qd, "qdd": qdd}, sizes, robot.shape_reason)
    batch = batch_shape(arrays)
    first, second, third = (np.broadcast_to(each, (*batch, each.shape[-1])) for each in arrays.values())
    return first, second, third


def require_single_numbers(robot: Robot, what: str) -> None:
    """Refuse joints whose position is more than one number."""
    many = [joint.name for joint in robot.coordinates.joints if joint.nq > 1]
    if many:
        raise UnsupportedModelError(
            f"{robot.name}: {what} needs joints whose position is one number; {', '.join(many)} "
            f"{_more(robot.coordinates, len(many) > 1)}. Lock such joints, or take a sub-chain."
        )


def _more(x: Coordinates, many: bool) -> str:
    if x.several == "quaternions":
        return f"{'turn' if many else 'turns'} by quaternions"
    return f"{'have' if many else 'has'} {x.several}"


def require_bytes(budget: Any) -> int | None:
    """A budget of memory in bytes, or none."""
    if budget is None:
        return None
    if not isinstance(budget, int | float | np.number) or isinstance(budget, bool) or not budget >= 0:
        raise ArgumentError(f"budget is {shown(budget)}; expected bytes of memory, zero or more.")
    return int(budget) if np.isfinite(budget) else None


def require_room(budget: int | None, needed: int, what: str) -> None:
    """Refuse what takes more bytes than there are."""
    if budget is not None and needed > budget:
        raise ArgumentError(f"{what} takes {needed:,} bytes; the budget is {budget:,}.")


def friction_kernel(robot: Robot) -> Traced | None:
    """Friction torques of velocities (..., n), compiled; none where no joint has any."""
    if not any(joint.damping or any(joint.coulomb) for joint in robot.model.joints):
        return None
    return robot.kept("friction alone", lambda: trace(partial(friction, robot), qd=robot.nv))


def with_friction(robot: Robot, tau: Array, qd: Array) -> Array:
    """Rigid-body torques with friction added."""
    alone = friction_kernel(robot)
    return tau if alone is None else tau + alone(qd)


def friction_operations(robot: Robot) -> Operations:
    """What friction takes."""
    alone = friction_kernel(robot)
    if alone is None:
        return Operations(0, 0)
    return added(Operations.of(alone.program), Operations(0, robot.n))


def constants(*programs: Program) -> int:
    """Bytes of the constants of programs."""
    return NUMBER * sum(program.counts["constant"] for program in programs)


def preparation(robot: Robot) -> float:
    """Seconds that compiling the torques of rigid bodies took."""
    return robot.kept("seconds for rigid bodies", lambda: _seconds(lambda: robot.compile(RIGID)))


def _seconds(make: Callable[[], object]) -> float:
    start = time.perf_counter()
    make()
    return time.perf_counter() - start


def added(*parts: Operations) -> Operations:
    """Operations of one thing after another."""
    fields = Operations.__dataclass_fields__
    return Operations(**{name: sum(getattr(part, name) for part in parts) for name in fields})


def shared(operations: Operations, rows: int) -> Operations:
    """Operations spent once in so many rows, by row."""
    fields = Operations.__dataclass_fields__
    return Operations(**{name: round(getattr(operations, name) / rows) for name in fields})
