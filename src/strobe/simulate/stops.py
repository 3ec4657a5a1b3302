"""Stops as numbers: springs and dampers at the limits of joints, worked out from inertia where they are left open."""

from __future__ import annotations

from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import one_or_each
from strobe.errors import ArgumentError, shown
from strobe.models.couplings import Coordinates
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.simulate.evaluation import interpreted
from strobe.simulate.torques import Stops

Array = np.ndarray
LEAST_EASE = 1e-6  # of the largest: of a joint that closed chains hold still
STOP_FREQUENCY = 200.0  # rad/s of a joint in a stop whose stiffness is left open


def require_stops(stops: Any) -> None:
    if stops is not None and not isinstance(stops, Stops | bool | np.bool_):
        raise ArgumentError(f"stops is {shown(stops)}; expected True, or Stops(stiffness, damping).")


def stop_parameters(robot: Robot, stops: Any, q: Array) -> dict[str, Any]:
    """Springs and dampers of all joints; what is left open follows from how easily each is moved at q."""
    asked = stops if isinstance(stops, Stops) else Stops()
    stiffness, damping = (
        _stop_numbers(f"stop {name}", getattr(asked, name), robot) for name in ("stiffness", "damping")
    )
    if stiffness is None or damping is None:
        moved = 1.0 / eases(robot, q)
        stiffness = moved * STOP_FREQUENCY**2 if stiffness is None else stiffness
        damping = np.sqrt(np.asarray(stiffness) * moved) if damping is None else damping
    return {
        "stop stiffness": _of_all_joints(robot, stiffness),
        "stop damping": _of_all_joints(robot, damping),
    }


def _of_all_joints(robot: Robot, numbers: Any) -> Array:
    """Springs or dampers (..., nv) of independent joints, with those of the joints that follow.

    What gives way when joints do, gives way with them: 1 / k = Σ factor² / k of the joints that are followed.
    """
    x = robot.coordinates
    own = np.broadcast_to(numbers, (*np.shape(numbers)[:-1], x.nv))
    if x.trivial:
        return own
    factors = follows(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        gives = np.where(factors != 0, factors**2 / own[..., None, :], 0.0).sum(axis=-1)
        return np.where((factors != 0).any(axis=-1), 1.0 / gives, 0.0)


def follows(x: Coordinates) -> Array:
    """G as an array, from independent rates to those of all joints."""
    G = np.zeros((len(x.velocities), x.nv))
    for row, terms in zip(G, x.velocities, strict=True):
        row[list(terms)] = list(terms.values())
    return G


def eases(robot: Robot, q: Array) -> Array:
    """How easily each degree of freedom is moved, the others being free: the diagonal of M⁻¹."""
    inverse = np.linalg.inv(interpreted(robot, Request("mass_matrix"), {"q": q}))
    if robot.model.is_closed:
        K = interpreted(robot, Request("loop_jacobian"), {"q": q})
        held = K @ inverse @ np.swapaxes(K, -1, -2)
        inverse = (
            inverse - inverse @ np.swapaxes(K, -1, -2) @ np.linalg.pinv(held, rcond=1e-12) @ K @ inverse
        )
        diagonal = np.diagonal(inverse, axis1=-2, axis2=-1)
        return np.maximum(diagonal, LEAST_EASE * diagonal.max(axis=-1, keepdims=True))
    return np.diagonal(inverse, axis1=-2, axis2=-1)


def _stop_numbers(name: str, value: Any, robot: Robot) -> Array | None:
    """One number for all joints or one for each, or nothing where it is left open."""
    if value is None:
        return None
    numbers = one_or_each(name, value, robot.nv, robot.shape_reason)
    if not np.all(numbers >= 0):
        raise ArgumentError(f"the {name} is {shown(value)}; expected numbers that are not negative.")
    return numbers
